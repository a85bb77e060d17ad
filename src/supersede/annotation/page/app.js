// What the page knows: where one is, what is shown, and what is on its way.

import { $, el, isolated, key, own, toast, short } from "./dom.js";
import { Refused, asks, bookPath, get, post } from "./wire.js";
import { Keys } from "./keys.js";
import { Outbox } from "./outbox.js";
import { Text } from "./text.js";
import { card, list, apart } from "./panel.js";
import * as ask from "./dialogs.js";

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const QUIET = 1200; // progress is counted once nobody types

let pressed = false;
for (const name of ["pointerdown", "pointerup", "pointercancel"]) {
  addEventListener(name, () => {
    pressed = name === "pointerdown";
  }, true);
}

/** Waits, a second at most, until no button is pressed: painted in between, it would get no click. */
async function released() {
  for (let n = 0; pressed && n < 50; n += 1) await pause(20);
}

export class App {
  constructor() {
    this.text = new Text($("text"), () => this.marked());
    this.page = null;
    this.question = null;
    this.picking = null;
    this.lines = null;
    this.turning = 0;
    this.number = 0;
    this.found = "";
    this.disagreements = null;
    this.shown = "";
    this.results = new WeakMap();
  }

  // Beginning

  async begin() {
    this.me = await this.persist(() => get("/api/me"));
    asks(this.me.id);
    this.keys = new Keys(this.me.settings.keys);
    this.stopped = this.lastPlace();
    this.places = this.stopped.books ?? {};
    this.applyTheme(this.me.settings.theme ?? "auto");
    $("person").replaceChildren(own(this.me.name), this.me.alone ? "" : " ▾");
    $("book").replaceChildren(...this.me.books.map((book) => el("option", { value: book.id, dir: "auto" }, book.title)));
    this.outbox = new Outbox(`${this.me.project}:${this.me.id}`, {
      state: (name, count, error) => this.saved(name, count, error),
      done: (op, reply) => this.done(op, reply),
      recovered: (count) => {
        toast(`${count === 1 ? "A change" : `${count} changes`} from before, not saved then, on the way now.`);
        this.reload();
      },
      dropped: (op) => {
        this.results.get(op)?.(null);
        this.reload();
      },
      conflict: async (op, error) => {
        await this.fetch();
        const shown = op.book === this.book ? this.page.questions : [];
        return ask.conflict(op, error, shown.find((one) => one.id === op.body.question));
      },
      refused: (op, error) => ask.refused(op, error),
      signedOut: () => this.signIn(),
    });
    const last = this.me.books.find((book) => book.id === this.stopped.last) ?? this.me.books[0];
    if (!last) return this.nothing();
    await this.open(last.id);
    this.outbox.start();
    if (!this.me.settings.introduced) {
      await ask.welcome(this.keys, this.page.adjudicates);
      this.remember("introduced", true);
    }
  }

  nothing() {
    $("text").replaceChildren(el("h1", {}, "No book is yours yet"),
      el("p", {}, "Whoever runs this project gives you books with ", el("code", {}, `supersede annotate PROJECT --assign ${this.me.id}`),
        ", or puts the first one in with ", el("code", {}, "supersede novel prepare BOOK -o PROJECT"), ". Then load this page again."));
  }

  /** Does what needs the server until it is there; asks to sign in where one must. */
  async persist(call) {
    for (let wait = 400; ; wait = Math.min(4000, wait * 2)) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.kind === "signed-out") await this.signIn();
        else if (error.passing) {
          toast("The server cannot be reached. Trying again …", true);
          await pause(wait);
        } else throw error;
      }
    }
  }

  signIn() {
    this.signingIn ??= this.asksToken().finally(() => {
      this.signingIn = null;
    });
    return this.signingIn;
  }

  async asksToken() {
    const field = el("input", { type: "password", autocomplete: "off", required: true, autofocus: true, "aria-label": "Token" });
    const wrong = el("p.bad", { role: "alert" });
    for (;;) {
      const shown = ask.dialog("Sign in", [
        el("p", {}, "This project is annotated by several people. Your token says who you are; whoever runs the project gave it to you."),
        el("label.field", {}, el("span", {}, "Token"), field), wrong,
      ], { submit: "Sign in", stay: true, read: () => field.value.trim() || undefined });
      const token = await shown;
      try {
        const { id } = await post("/api/sign-in", { token });
        if (this.me && id !== this.me.id) location.reload();
        return;
      } catch (error) {
        wrong.textContent = error.message;
        field.value = "";
      }
    }
  }

  // Pages

  async open(book) {
    const { chunk = 0, question = "" } = this.places[book] ?? {};
    $("book").value = book;
    this.book = book;
    this.disagreements = null;
    await this.turn(chunk, question);
    this.count();
  }

  /** Goes to a chunk, and to a question of it: the one named, else the first that is open. */
  async turn(chunk, question = "") {
    this.number += 1;
    const mine = this.number;
    this.turning = performance.now();
    this.wanted = chunk;
    this.stopPicking();
    const begun = performance.now();
    if (!(await this.settled())) {
      if (mine === this.number) this.turning = 0;
      toast("No connection: another chunk can be had once your changes are saved. Go on here meanwhile.", true);
      return false;
    }
    if (mine !== this.number) return false;
    let page;
    try {
      page = await this.persist(() => get(bookPath(this.book, `pages/${chunk}`)));
    } catch (error) {
      this.turning = 0;
      toast(error.message, true);
      if (chunk) return this.turn(0);
      throw error;
    }
    if (mine !== this.number) return false;
    this.turning = 0;
    this.paint(page, question);
    requestAnimationFrame(() => setTimeout(() => {
      performance.clearMeasures("turn");
      performance.measure("turn", { start: begun, end: performance.now() });
      document.body.dataset.turns = String(Number(document.body.dataset.turns ?? 0) + 1);
    }));
    return true;
  }

  /** Waits until all is saved; false where that cannot be now. */
  async settled() {
    while (this.outbox.queue.length) {
      if (["retrying", "conflict"].includes(document.body.dataset.save)) return false;
      await Promise.race([this.outbox.idle(), pause(100)]);
    }
    return true;
  }

  /** Shows a page. */
  paint(page, question = "") {
    const before = this.page;
    const same = before && before.book.id === page.book.id && before.chunk.index === page.chunk.index;
    this.page = page;
    this.question = page.questions.find((one) => one.id === question)
      ?? page.questions.find((one) => !one.cell.confirmed) ?? page.questions[0] ?? null;
    if (!same) {
      this.text.show(page);
      document.title = `${page.chunk.index + 1}/${page.book.chunks} · ${isolated(page.book.title)}`;
    }
    this.render();
    this.place();
    this.look();
  }

  /** Reads the page again as it is now, without waiting for anything. */
  async fetch() {
    const page = await this.persist(() => get(bookPath(this.book, `pages/${this.page.chunk.index}`)));
    if (page.chunk.index === this.page.chunk.index) this.paint(page, this.question?.id);
  }

  /** Reads the page again once all is saved. */
  async reload() {
    await this.outbox.idle();
    this.lines = null;
    await this.fetch();
    this.count();
  }

  /** Paints all but the text. */
  render() {
    const { page } = this;
    $("where").replaceChildren("Chunk ", el("strong", {}, String(page.chunk.index + 1)), ` of ${page.book.chunks}`);
    $("previous").disabled = page.chunk.index === 0;
    $("next").disabled = page.chunk.index + 1 === page.book.chunks;
    $("undo").disabled = !page.can_undo;
    $("redo").disabled = !page.can_redo;
    const active = document.activeElement;
    const held = active?.closest?.("#panel") ? { option: active.dataset.option, command: active.dataset.command } : null;
    $("card").replaceChildren(...card(this));
    const shown = `${page.chunk.index}:${this.question?.id}`;
    if (this.shown !== shown) $("card").scrollTop = 0; // another question is read from its beginning
    this.shown = shown;
    const scrolled = $("all").scrollTop;
    $("all").replaceChildren(...list(this));
    $("all").scrollTop = scrolled;
    $("all").querySelector(".active")?.scrollIntoView({ block: "nearest" });
    if (held) [...$("card").querySelectorAll("button")].find((one) => (held.option ? one.dataset.option === held.option : held.command && one.dataset.command === held.command))?.focus();
    document.body.classList.toggle("is-picking", Boolean(this.picking));
    this.hints();
    this.highlight();
  }

  /** Marks the evidence of the question in the text. */
  highlight() {
    if (!this.question) return this.text.paint([]);
    const own = this.question.cell.evidence.map((span) => ({ start: span.start, end: span.end, kind: "own" }));
    const others = this.question.others.flatMap(({ cell }, place) =>
      cell.evidence.map((span) => ({ start: span.start, end: span.end, kind: `side${place}` })));
    this.text.paint([...others, ...own]);
  }

  hints() {
    const { keys, page } = this;
    const shown = this.picking
      ? [["sentence", "pick-previous", "pick-next"], ["mark", "pick-mark"], ["find", "pick-find"], ["save", "pick-save"], ["cancel", "pick-cancel"]]
      : [["confirm, next", "confirm"], ["chunk", "previous-chunk", "next-chunk"], ["question", "previous-question", "next-question"],
        ...(page.adjudicates ? [["take", "take-first", "take-second"], ["take all", "adopt-first", "adopt-second"], ["disagreement", "next-apart"]]
          : [["flag", "flag"], ["new option", "new-option"], ["reword", "reword"]]),
        ...(page.may_ask ? [["new question", "add-question"]] : []),
        ["undo", "undo"], ["redo", "redo"], ["books", "overview"], ["all keys", "help"]];
    const options = keys.optionKeys();
    $("hints").replaceChildren(
      ...(this.picking ? [] : [el("span", {}, key(options[0] ?? "—"), "–", key(options[8] ?? "—"), " option")]),
      ...shown.map(([words, ...names]) => el("span", {}, ...names.map((command) => key(keys.of(command)[0] ?? "—")), ` ${words}`)));
  }

  /** Fetches the answers over the whole book of the question that is looked at. */
  look() {
    clearTimeout(this.looking);
    if (!this.question) return;
    if (this.lines?.question !== this.question.id) this.lines = null;
    this.looking = setTimeout(() => this.line().catch(() => null), 150);
  }

  async line() {
    const { question } = this;
    const lines = await get(bookPath(this.book, `questions/${encodeURIComponent(question.id)}`));
    await released();
    if (this.question?.id === lines.question) {
      this.lines = lines;
      this.render();
    }
    return lines;
  }

  /** Counts what is done, when nobody types. */
  count() {
    clearTimeout(this.counting);
    this.counting = setTimeout(async () => {
      if (!this.page || this.outbox.queue.length || this.turning) return this.count();
      const book = this.book;
      const found = await get(bookPath(book, `progress?start=${this.page.chunk.index}`)).catch(() => null);
      if (!found || book !== this.book) return;
      const share = found.total ? found.done / found.total : 0;
      $("meter").style.width = `${100 * share}%`;
      $("share").textContent = `${Math.floor(100 * share)} %`;
      $("progress").title = `${found.done.toLocaleString("en")} of ${found.total.toLocaleString("en")} answers of this book`;
    }, QUIET);
  }

  /** Keeps where one is, to go on there: here at once, and for one's other machines. */
  place() {
    this.places[this.book] = { chunk: this.page.chunk.index, question: this.question?.id ?? "" };
    const place = { last: this.book, books: this.places, at: Date.now() };
    localStorage.setItem(this.placeName(), JSON.stringify(place));
    clearTimeout(this.placing);
    this.placing = setTimeout(() => this.remember("place", place), 500);
  }

  placeName() {
    return `supersede:place:${this.me.project}:${this.me.id}`;
  }

  /** Where one stopped last, on this machine or another. */
  lastPlace() {
    const there = this.me.settings.place ?? {};
    const here = JSON.parse(localStorage.getItem(this.placeName()) ?? "{}");
    return (here.at ?? 0) > (there.at ?? 0) ? here : there;
  }

  remember(name, value) {
    // Where one stopped is worth a try, not a complaint: the next page says it again.
    post("/api/settings", { name, value }, true).catch(() => null);
  }

  select(question) {
    this.stopPicking();
    this.question = question;
    this.render();
    this.place();
    this.look();
  }

  // Saving

  /** Sends a change; gives what the server answers, or null where it was left. */
  send(body, about) {
    const op = this.outbox.add(this.book, body, about);
    if (!["undo", "redo"].includes(body.do)) {
      this.page.can_undo = true;
      this.page.can_redo = false;
    }
    return new Promise((resolve) => this.results.set(op, resolve));
  }

  saved(name, count, error) {
    const words = {
      saved: "Saved",
      saving: "Saving …",
      conflict: "Not saved: decide",
      retrying: `Not saved: ${error?.kind === "signed-out" ? "sign in" : error?.kind === "busy" ? "the project is busy" : "no connection"}, retrying. ${count === 1 ? "1 change is" : `${count} changes are`} kept here.`,
    };
    const place = $("save");
    place.className = `plain ${name}`;
    place.textContent = words[name];
    document.body.dataset.save = name;
    if (name === "saved") this.count();
  }

  done(op, reply) {
    const question = op.book === this.book ? this.page?.questions.find((one) => one.id === op.body.question) : null;
    if (question) {
      const here = op.body.chunk === this.page.chunk.index;
      if (["answer", "confirm", "clear"].includes(op.body.do)) {
        if (here) question.base = reply.revision;
        if (op.body.do !== "confirm" && this.question === question) this.look2();
        this.disagreements = null;
      }
      if (op.body.do === "flag" && here) question.flags.forEach((one) => one.reason === op.body.reason && Object.assign(one, { revision: reply.revision }));
      if (op.local) this.rename(question, op.local, reply.option);
      if (["propose"].includes(op.body.do) && question.wording) question.wording.revision = reply.revision;
    }
    this.results.get(op)?.(reply);
  }

  look2() {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => this.line().catch(() => null), 150);
  }

  /** An option that was added here gets the id that the project gave it. */
  rename(question, local, id) {
    for (const option of question.options) if (option.id === local) option.id = id;
    if (question.cell.option === local) question.cell.option = id;
    if (this.picking?.option === local) this.picking.option = id;
    this.render();
  }

  // Evidence

  /** Marks were made by mouse. */
  marked() {
    if (!this.picking && this.text.marks.length) toast("Marked. Now press the number of the answer that it shows.");
    this.render();
  }

  startPicking(option, marks = []) {
    this.picking = { option };
    this.text.pick(marks);
    this.render();
  }

  stopPicking() {
    if (!this.picking) return;
    this.picking = null;
    this.text.leave();
    if (this.page) this.render();
  }

  // Looks

  applyTheme(name) {
    this.theme = name;
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    localStorage.setItem("supersede:theme", name);
  }

  says(question = this.question) {
    return `“${short(question.text, 60)}”, chunk ${this.page.chunk.index + 1}`;
  }

  apart() {
    return apart(this.question);
  }
}

// Ties keys, clicks and commands together.

import { $, isolated, tell, toast, short } from "./dom.js";
import { bookPath, get, post } from "./wire.js";
import { App } from "./app.js";
import { fresh } from "./outbox.js";
import { spelled, takesKeys } from "./keys.js";
import { apart, choices, optionText } from "./panel.js";
import * as ask from "./dialogs.js";

const app = new App();

const markKey = (question) => `mark:${app.book}:${question.id}:${app.page.chunk.index}`;
const where = () => `${app.me.project}:${app.me.id}:${app.book}:${app.question.id}:${app.page.chunk.index}`;

function mayWrite() {
  if (app.page.may_write) return true;
  toast(app.page.adjudicates ? "Begin adjudication first, in Books and progress." : `The book is ${app.page.book.stage}: answers stand still.`, true);
  return false;
}

// Answers

function answer(question, option, evidence, note = "") {
  const changed = option !== question.before;
  app.send({ do: "answer", question: question.id, chunk: app.page.chunk.index, option, base: question.base, evidence, note },
    { key: markKey(question), says: `${app.says(question)}: ${short(optionText(question, option), 40)}` });
  question.cell = { option, confirmed: true, changed, evidence: changed ? evidence : [], note };
  app.picking = null;
  app.text.leave();
  app.render();
  tell(`Answer: ${optionText(question, option)}`);
}

function choose(option) {
  const { question } = app;
  if (!option || !mayWrite()) return;
  if (option.id === question.cell.option) {
    if (question.cell.confirmed) toast("That is the answer here already.");
    else commands.confirm();
    return;
  }
  const evidence = app.text.evidence();
  const back = question.cell.changed && option.id === question.before;
  if (back || option.role === "catch-all" || evidence.length) answer(question, option.id, back ? [] : evidence);
  else {
    app.startPicking(option.id);
    tell(`${option.text}. Which sentence shows it?`);
  }
}

function confirmHere(question) {
  app.send({ do: "confirm", question: question.id, chunk: app.page.chunk.index, option: question.cell.option, base: question.base },
    { key: markKey(question), says: app.says(question) });
  question.cell = { ...question.cell, confirmed: true };
}

async function nextOpen() {
  const { page, question } = app;
  const at = page.questions.indexOf(question);
  const order = [...page.questions.slice(at + 1), ...page.questions.slice(0, at)];
  const open = order.find((one) => !one.cell.confirmed);
  if (open) return app.select(open);
  if (page.chunk.index + 1 < page.book.chunks) {
    app.render();
    if (!(await app.turn(page.chunk.index + 1))) return app.render();
    if (!app.question || !app.question.cell.confirmed) return;
  }
  await farOpen();
}

async function farOpen() {
  if (!(await app.settled())) return;
  const found = await app.persist(() => get(bookPath(app.book, `progress?start=${app.page.chunk.index}`)));
  if (found.next) await app.turn(...found.next);
  else {
    app.render();
    toast(app.page.adjudicates ? "Every question is ruled, over the whole book." : "Everything in this book is answered. Say that you are through in Books and progress.");
  }
}

function take(place) {
  const { question } = app;
  const other = question.others[place];
  if (!other) return toast("Nobody's answer stands there.", true);
  if (!mayWrite()) return;
  const { cell } = other;
  if (cell.option === null) return toast(`${isolated(other.who)} has no answer here.`, true);
  if (cell.option === question.cell.option) {
    if (!question.cell.confirmed) confirmHere(question);
    app.render();
    return;
  }
  const free = question.options.find((option) => option.id === cell.option)?.role === "catch-all";
  const back = question.cell.changed && cell.option === question.before;
  if (cell.evidence.length || free || back) answer(question, cell.option, back ? [] : cell.evidence, "");
  else {
    app.startPicking(cell.option);
    toast(`${isolated(other.who)} chose this at an earlier chunk: here it needs a sentence of this one.`);
  }
}

async function adopt(place) {
  const { question } = app;
  const other = question.others[place];
  if (!other || !mayWrite()) return;
  await app.outbox.idle();
  const lines = await app.line();
  const reply = await app.send({ do: "adopt", question: question.id, who: other.who, base: lines.base },
    { key: `adopt:${app.book}:${question.id}`, says: `all answers of ${isolated(other.who)} to “${short(question.text, 50)}”` });
  if (!reply) return;
  app.disagreements = null;
  await app.reload();
  toast(`Ruled as ${isolated(other.who)} answered, at ${reply.chunks} chunks. Undo takes all of it back.`);
}

async function turnBack(name) {
  app.stopPicking();
  if (!(await app.settled())) return toast(`${name} waits for the connection; your changes are kept.`, true);
  const reply = await app.send({ do: name.toLowerCase() }, { key: "turn", says: name });
  if (!reply) return;
  app.lines = null;
  app.disagreements = null;
  if (!reply.changed) toast(`Nothing to ${name.toLowerCase()}.`);
  else {
    const place = reply.chunk === null ? "" : ` at chunk ${reply.chunk + 1}`;
    toast(`${name === "Undo" ? "Undone" : "Done again"}: ${reply.changed > 1 ? `${reply.changed} changes` : reply.kind}${place}`);
  }
  await app.turn(reply.chunk ?? app.page.chunk.index, reply.question || app.question?.id);
  app.count();
}

// Dialogs that change something

async function addOption() {
  const { question } = app;
  const found = await ask.newOption(question, where());
  if (!found) return;
  const twin = question.options.find((option) => option.text === found.text);
  if (twin) return toast("There is an option that says just this.", true);
  const local = `new:${fresh()}`;
  question.options.push({ id: local, ...found, author: app.me.id, shared: app.page.adjudicates, same_as: "", revision: 0 });
  app.send({ do: "add-option", question: question.id, ...found }, { key: `option:${local}`, says: `the option “${short(found.text, 50)}”`, local });
  app.render();
  if (found.role === "answer" && app.question === question && app.page.may_write) choose(question.options.find((option) => option.text === found.text));
}

async function flag() {
  const { question, page } = app;
  const found = await ask.flag(question, where());
  if (!found) return;
  const there = question.flags.find((one) => one.reason === found.reason);
  const body = { question: question.id, chunk: page.chunk.index, reason: found.reason, note: found.note, base: there?.revision ?? 0 };
  app.send({ do: found.up ? "flag" : "unflag", ...body }, { key: `flag:${question.id}:${page.chunk.index}:${found.reason}`, says: `the flag on ${app.says(question)}` });
  question.flags = question.flags.filter((one) => one !== there);
  if (found.up) question.flags.push({ reason: found.reason, note: found.note, revision: there?.revision ?? 0 });
  app.render();
}

async function reword() {
  const { question, page } = app;
  const data = page.adjudicates ? await app.persist(() => get(bookPath(app.book, "overview"))) : { wordings: [] };
  const found = await ask.reword(question, where(), page.adjudicates, data.wordings.filter((one) => one.question === question.id));
  if (!found) return;
  const { text, reformulation, note } = found;
  const says = `the wording “${short(text, 50)}”`;
  if (page.adjudicates) {
    await app.send({ do: "reword", question: question.id, text, reformulation, base: question.revision }, { key: `question:${question.id}`, says });
    return app.reload();
  }
  app.send({ do: "propose", question: question.id, text, reformulation, note, base: question.wording?.revision ?? 0 }, { key: `wording:${question.id}`, says });
  question.wording = { annotator: app.me.id, revision: question.wording?.revision ?? 0, ...found };
  app.render();
}

async function editOptions() {
  const { question, page } = app;
  await app.outbox.idle();
  const found = await ask.editOptions(question, app.me.id, page.adjudicates);
  if (!found) return;
  const sent = found.edits.map(({ id, text, role, shared, same_as, revision }) =>
    app.send({ do: "edit-option", question: question.id, option: id, text, role, shared, same_as, base: revision }, { key: `option:${id}`, says: `the option “${short(text, 50)}”` }));
  sent.push(...found.removed.map(({ id, text, revision }) =>
    app.send({ do: "remove-option", question: question.id, option: id, base: revision }, { key: `option:${id}`, says: `the option “${short(text, 50)}” goes` })));
  if (found.drop) sent.push(app.send({ do: "drop", question: question.id, reason: found.drop, base: question.revision }, { key: `question:${question.id}`, says: `“${short(question.text, 50)}” goes out` }));
  await Promise.all(sent);
  await app.reload();
}

async function overview() {
  await app.outbox.idle();
  const progress = {};
  const [data] = await app.persist(() => Promise.all([get(bookPath(app.book, "overview")),
    ...app.me.books.map(async (book) => {
      progress[book.id] = await get(bookPath(book.id, "progress"));
    })]));
  const found = await ask.overview(data, progress, app);
  if (!found) return;
  const [what, ...rest] = found.split(":");
  if (what === "book") await app.open(rest.join(":"));
  else if (what === "question") app.select(app.page.questions.find((one) => one.id === rest.join(":")) ?? app.question);
  else if (what === "place") await app.turn(Number(rest[0]), rest.slice(1).join(":"));
  else if (what === "finish") {
    await app.send({ do: "finish", note: "" }, { key: "finish", says: "that you are through" });
    toast("Noted: you are through with this book. Undo takes it back.");
  } else if (what === "stage") await move(data.book.stage, rest[0]);
}

async function move(seen, stage) {
  const words = {
    adjudicating: "Annotators' answers stand still from now on, and all who work on the book see everybody's.",
    closed: "Nothing changes any more, rulings included.",
    blind: "Annotators go on with their answers, apart from each other.",
  };
  if (!(await ask.sure("Move the book on?", words[stage], "Do it"))) return;
  await app.send({ do: "stage", seen, stage }, { key: "stage", says: `the stage “${stage}”` });
  app.me = await get("/api/me");
  await app.reload();
}

async function nextApart() {
  if (!app.page.adjudicates) return;
  await app.outbox.idle();
  app.disagreements ??= await app.persist(() => get(bookPath(app.book, "disagreements")));
  const places = app.disagreements.flatMap(({ question, open }) => open.map((chunk) => ({ chunk, question })));
  if (!places.length) return toast("No disagreement is open.");
  const order = app.page.questions.map((one) => one.id);
  const at = ({ chunk, question }) => order.indexOf(question) * app.page.book.chunks + chunk;
  places.sort((a, b) => at(a) - at(b));
  const now = at({ chunk: app.page.chunk.index, question: app.question.id });
  const next = places.find((place) => at(place) > now) ?? places[0];
  await app.turn(next.chunk, next.question);
}

function stepQuestion(by) {
  const { questions } = app.page;
  const at = questions.indexOf(app.question) + by;
  if (questions[at]) app.select(questions[at]);
}

function stepChunk(by) {
  const from = app.turning ? app.wanted : app.page.chunk.index;
  const to = from + by;
  if (to < 0 || to >= app.page.book.chunks) return toast(by < 0 ? "The book begins here." : "The book ends here.");
  app.turn(to, app.page.questions.find((one) => one === app.question && !one.cell.confirmed)?.id);
}

const scroll = (by) => $("text").scrollBy({ top: by * $("text").clientHeight * 0.85 });

const commands = {
  "confirm": async () => {
    const { question, page } = app;
    if (!question) return;
    const { cell } = question;
    if (page.may_write && !cell.confirmed) {
      const agreed = page.adjudicates && question.others.length && !apart(question) ? question.others[0].cell.option : cell.option;
      if (agreed === null) return toast("Choose an option first, by its number.", true);
      if (agreed !== cell.option) {
        take(0);
        if (app.picking) return;
      } else confirmHere(question);
    }
    await nextOpen();
  },
  "evidence": () => {
    const { cell } = app.question;
    if (!mayWrite()) return;
    if (cell.changed && cell.confirmed) app.startPicking(cell.option, cell.evidence);
    else toast("Evidence goes with a change: press the number of another option.");
  },
  "new-option": () => mayWrite() && addOption(),
  "clear": () => {
    const { question } = app;
    if (!mayWrite()) return;
    if (!question.base && !question.cell.confirmed) return toast("Nothing is said here that could be taken back.");
    app.send({ do: "clear", question: question.id, chunk: app.page.chunk.index, base: question.base }, { key: markKey(question), says: app.says(question) });
    app.reload();
  },
  "note": async () => {
    const { question } = app;
    if (!mayWrite()) return;
    if (!question.cell.confirmed) return toast("A note goes with an answer: choose or confirm first.");
    const found = await ask.note(question, where());
    if (found) answer(question, question.cell.option, question.cell.changed ? question.cell.evidence : [], found.note);
  },
  "flag": () => (app.page.adjudicates ? toast("Flags are the annotators' to raise.") : mayWrite() && flag()),
  "reword": () => reword(),
  "options": () => editOptions(),
  "next-chunk": () => stepChunk(1),
  "previous-chunk": () => stepChunk(-1),
  "next-question": () => stepQuestion(1),
  "previous-question": () => stepQuestion(-1),
  "next-open": () => farOpen(),
  "scroll-down": () => scroll(1),
  "scroll-up": () => scroll(-1),
  "go-to": async () => {
    const found = await ask.goTo(app.page.chunk.index, app.page.book.chunks);
    if (found) await app.turn(found.chunk, app.question?.id);
  },
  "overview": () => overview(),
  "take-first": () => app.page.adjudicates && take(0),
  "take-second": () => app.page.adjudicates && take(1),
  "adopt-first": () => app.page.adjudicates && adopt(0),
  "adopt-second": () => app.page.adjudicates && adopt(1),
  "next-apart": () => nextApart(),
  "review": async () => {
    const { question } = app;
    const reply = await app.send({ do: "review", question: question.id, agreed: true, note: "" }, { key: `review:${question.id}`, says: `that you went over “${short(question.text, 50)}”` });
    if (reply) toast("Noted: you went over this question and its options.");
  },
  "add-question": async () => {
    if (!app.page.may_ask) return toast("Questions are the adjudicator's to add.");
    const found = await ask.newQuestion(app.page.questions.map((one) => one.id), `${app.me.project}:${app.me.id}:${app.book}`);
    if (!found) return;
    const added = await app.send({ do: "add-question", ...found }, { key: `question:${found.question}`, says: `the question “${short(found.text, 50)}”` });
    await app.reload();
    const there = added && app.page.questions.find((one) => one.id === found.question);
    if (there) app.select(there);
  },
  "undo": () => turnBack("Undo"),
  "redo": () => turnBack("Redo"),
  "theme": () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark" || (app.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    app.applyTheme(dark ? "light" : "dark");
    app.remember("theme", app.theme);
  },
  "keys": async () => {
    await ask.changeKeys(app.keys, () => app.remember("keys", app.keys.changed));
    app.render();
  },
  "help": async () => {
    if ((await ask.help(app.keys, app.page.adjudicates, app.keys.optionKeys())) === "keys") await commands.keys();
  },
  "pick-next": () => tell(app.text.step(1)),
  "pick-previous": () => tell(app.text.step(-1)),
  "pick-far-next": () => tell(app.text.leap(1)),
  "pick-far-previous": () => tell(app.text.leap(-1)),
  "pick-first": () => tell(app.text.move(0)),
  "pick-last": () => tell(app.text.move(app.text.sentences.length - 1)),
  "pick-mark": () => {
    app.text.toggle();
    app.render();
  },
  "pick-find": async () => {
    const found = await ask.findWords(app.found);
    if (!found?.words || !app.picking) return;
    app.found = found.words;
    const place = app.text.find(found.words, app.text.cursor + 1);
    if (place < 0) toast(`“${short(found.words, 30)}” does not stand in this chunk.`, true);
    else tell(app.text.move(place));
  },
  "pick-save": () => {
    if (!app.text.marks.length) app.text.toggle();
    answer(app.question, app.picking.option, app.text.evidence());
  },
  "pick-cancel": () => app.stopPicking(),
};

// Keys and clicks

let held = [];
let typed = "";
let typing = 0;

/** Digits that follow each other soon are one number of a sentence. */
function digit(name) {
  clearTimeout(typing);
  typed += name;
  typing = setTimeout(() => {
    typed = "";
  }, 900);
  const number = Number(typed) - 1;
  if (number >= 0 && number < app.text.sentences.length) tell(app.text.move(number));
}

/** Does what a key says; true where it says something. */
function press(name) {
  const mode = app.picking ? "picking" : "page";
  const command = app.keys.command(name, mode) ?? (app.picking && app.keys.of("help").includes(name) ? "help" : undefined);
  if (command) {
    run(command);
    return true;
  }
  if (app.picking) {
    if (/^\d$/.test(name)) digit(name);
    return /^\d$/.test(name);
  }
  const place = app.keys.optionKeys().indexOf(name);
  if (place < 0 || !app.question) return false;
  const option = choices(app.question)[place];
  if (option) choose(option);
  return Boolean(option);
}

const failed = (error) => {
  toast(error.message, true);
  if (!error.kind) throw error;
};

async function run(command) {
  if (!app.page || (!app.question && !["overview", "help", "keys", "theme", "go-to", "next-chunk", "previous-chunk", "add-question", "undo", "redo", "scroll-down", "scroll-up"].includes(command))) return;
  try {
    await commands[command]();
  } catch (error) {
    failed(error);
  }
}

document.addEventListener("keydown", async (event) => {
  if (event.isComposing || !app.page || document.querySelector("dialog[open]")) return;
  const name = spelled(event);
  if (takesKeys(event.target, name)) return;
  const moves = ["next-chunk", "previous-chunk"].includes(app.keys.command(name, "page"));
  if (app.turning && !moves) {
    // The page that a key is meant for is on its way: what is typed ahead counts there.
    event.preventDefault();
    if (held.length < 8 && performance.now() - app.turning < 1500) held.push([name, performance.now()]);
    return;
  }
  if (press(name)) event.preventDefault();
});

new MutationObserver(() => {
  const ahead = held;
  held = [];
  for (const [name, at] of ahead) if (performance.now() - at < 2000) press(name);
}).observe($("where"), { childList: true });

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (!button || button.closest("dialog")) return;
  // A button that was clicked must not take the next Enter for itself.
  if (event.detail > 0) button.blur();
  const { command, option, question, goto, take: place } = button.dataset;
  if (command) run(command);
  else if (option) choose(app.question.options.find((one) => one.id === option));
  else if (question) app.select(app.page.questions.find((one) => one.id === question));
  else if (goto) app.turn(Number(goto), app.question.id);
  else if (place) run(place);
  else if (button.id === "save") toast(document.body.dataset.save === "saved" ? "Everything is saved." : button.textContent, document.body.dataset.save === "retrying");
});

$("book").addEventListener("change", (event) => {
  event.target.blur();
  app.open(event.target.value).catch(failed);
});

$("person").addEventListener("click", async () => {
  const words = app.me.alone ? "You are alone in this project and need no sign-in." : `You are signed in as ${isolated(app.me.id)} (${app.me.role}).`;
  const out = await ask.dialog(app.me.name, [document.createTextNode(words)], { submit: app.me.alone ? "" : "Sign out" });
  if (!out) return;
  await app.outbox.idle();
  await post("/api/sign-out", {});
  location.reload();
});

// Somebody else, or another tab, may have changed something meanwhile.
addEventListener("focus", () => {
  if (app.page && !app.outbox.queue.length && !app.picking && !app.turning && !document.querySelector("dialog[open]")) app.fetch().catch(() => null);
});

app.begin().catch(failed);

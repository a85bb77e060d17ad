// The questions on the right: the one that is looked at, what to do about it, and all others.

import { counted, el, isolated, key, own, short } from "./dom.js";

export const REASONS = {
  "several-options-valid": "Several options are right at once",
  "option-unsupported": "An option has no support in the text",
  "answerable-from-one-chunk": "It can be answered from one chunk alone",
};

/** What an answer is at a chunk, in a word. */
export function state(cell) {
  if (cell.option === null) return "open";
  if (cell.changed && cell.confirmed) return "changed";
  return cell.confirmed ? "confirmed" : "carried";
}

const STATES = {
  open: ["○", "Not answered yet"],
  carried: ["◐", "Carried on, not confirmed here"],
  confirmed: ["●", "Confirmed here"],
  changed: ["◆", "Changed here"],
};

const RULINGS = { open: "No ruling yet", carried: "Carried on, no ruling here", confirmed: "Ruled here", changed: "Ruled: a change here" };

/** The options that can be chosen: one that says the same as another is that one. */
export const choices = (question) =>
  question.options.filter((option) => !option.same_as || option.id === question.cell.option);

export const optionText = (question, id) =>
  question.options.find((option) => option.id === id)?.text ?? (id === null ? "no answer" : `option ${id}`);

/** Whether the annotators of a question answer differently here. */
export function apart(question) {
  const canonical = (id) => {
    const seen = new Set();
    let now = id;
    while (now !== null && !seen.has(now)) {
      seen.add(now);
      const option = question.options.find((one) => one.id === now);
      if (!option?.same_as) break;
      now = option.same_as;
    }
    return now;
  };
  return new Set(question.others.map(({ cell }) => canonical(cell.option))).size > 1;
}

/** What a person should do now, in a sentence with its keys. */
function guidance(app) {
  const { page, question } = app;
  const { cell } = question;
  const keysOf = (command) => key(app.keys.of(command)[0] ?? "—");
  if (app.picking) {
    const marked = app.text.marks.length;
    return [
      "Which sentence shows it? ", keysOf("pick-previous"), keysOf("pick-next"), " or its number moves, ",
      keysOf("pick-mark"), " or a click marks, ", keysOf("pick-find"), " finds words. ",
      keysOf("pick-save"), marked ? ` saves with ${counted(marked, "passage")}. ` : " saves with the sentence at the cursor. ",
      keysOf("pick-cancel"), " leaves it as it was.",
    ];
  }
  if (!page.may_write) {
    if (page.adjudicates && page.book.stage === "blind") {
      return ["Annotators are still at work. Adjudication begins in ", keysOf("overview"), " Books and progress."];
    }
    return [page.book.stage === "closed" ? "The book is closed: you can look, and nothing changes any more."
      : "The book is being adjudicated: your answers stand still, and you can look at everybody's."];
  }
  if (page.adjudicates) return ruling(app, keysOf);
  switch (state(cell)) {
    case "open":
      return ["Read the chunk, then press the number of the answer that is right at its end, and mark the sentence that shows it. The text does not say? There is an option for that."];
    case "carried":
      return ["Read the chunk. Does the answer still hold at its end? ", keysOf("confirm"), " confirms it and goes on. If another one is right now, press its number."];
    case "changed":
      return ["Saved as a change, with its evidence. ", keysOf("confirm"), " goes on; ", keysOf("evidence"), " marks other evidence; ", keysOf("clear"), " takes it back."];
    default:
      return ["Confirmed. ", keysOf("confirm"), " goes on; another option's number changes the answer here."];
  }
}

function ruling({ question }, keysOf) {
  const done = question.cell.confirmed;
  if (done) return ["Ruled here. ", keysOf("confirm"), " goes on, ", keysOf("next-apart"), " to the next disagreement."];
  if (!question.others.length) return ["Nobody is assigned to this book: choose an option by its number."];
  if (apart(question)) {
    return ["They disagree here. ", keysOf("take-first"), " or ", keysOf("take-second"), " takes one of the answers, a number a third one. ",
      keysOf("adopt-first"), " or ", keysOf("adopt-second"), " takes all of one's answers to this question."];
  }
  return ["They agree here. ", keysOf("confirm"), " rules so and goes on; ", keysOf("adopt-first"), " takes the whole question as the first answered it."];
}

/** Paints the card of the question that is looked at. */
export function card(app) {
  const { page, question } = app;
  if (!question) return empty(app);
  const now = state(question.cell);
  const [sign, words] = STATES[now];
  const number = page.questions.indexOf(question) + 1;
  const proposed = question.wording && !page.adjudicates ? question.wording : null;
  return [
    el("header", {},
      el(`span.state.${now}`, {}, el("span", { "aria-hidden": "true" }, sign), ` ${page.adjudicates ? RULINGS[now] : words}`),
      el("span.quiet", {}, `Question ${number} of ${page.questions.length}${question.entity ? " · " : ""}`, question.entity ? own(question.entity) : null)),
    el("h2", { id: "question", dir: "auto" }, question.text),
    question.original && question.original !== question.text ? el("p.quiet", {}, "First: ", own(question.original)) : null,
    proposed ? el("p.quiet", {}, "Your wording: ", own(proposed.text)) : null,
    page.adjudicates || question.others.length ? others(app) : null,
    page.adjudicates ? strip(app) : null,
    el("p.guide", { id: "guide" }, ...guidance(app)),
    options(app),
    actions(app),
    page.adjudicates ? null : strip(app),
    ...remarks(question),
  ].filter(Boolean);
}

function empty(app) {
  const { page, keys } = app;
  const may = page.may_ask;
  return [
    el("h2", {}, "This book has no questions yet"),
    el("p", {}, "Questions about a state that changes are what is annotated here: where somebody is, what they want, whom they trust."),
    el("p", {}, "Draft some with a model: ", el("code", {}, "supersede novel draft PROJECT"), may ? " or add one yourself:" : "; or ask an adjudicator to add some."),
    may ? el("p", {}, el("button", { data: { command: "add-question" } }, "Add a question ", key(keys.of("add-question")[0]))) : null,
  ].filter(Boolean);
}

function options(app) {
  const { page, question, keys } = app;
  const names = keys.optionKeys();
  const picked = app.picking?.option ?? null;
  return el("div.options", { role: "radiogroup", "aria-labelledby": "question", "aria-describedby": "guide" },
    ...choices(question).map((option, place) => {
      const current = question.cell.option === option.id;
      const tags = [
        option.role === "catch-all" ? "needs no evidence" : "",
        // To whoever has to find the answer, saying which ones are wrong would give it away.
        option.role === "distractor" && (page.adjudicates || option.author === app.me.id) ? "distractor" : "",
        option.author === app.me.id && !option.shared ? "yours" : "",
        page.adjudicates && !option.shared ? `of ${isolated(option.author)}` : "",
      ].filter(Boolean);
      return el(`button.option${current ? ".current" : ""}${picked === option.id ? ".picked" : ""}`, {
        role: "radio", "aria-checked": String(current), disabled: !page.may_write,
        data: { option: option.id }, tabindex: current || (question.cell.option === null && place === 0) ? "0" : "-1",
      },
      names[place] ? key(names[place]) : el("kbd.none", {}, "·"),
      el("span.words", { dir: "auto" }, option.text),
      ...tags.map((tag) => el("span.tag", {}, tag)));
    }));
}

function actions({ page, picking, question, keys }) {
  const button = (command, words, strong = false) =>
    el(`button${strong ? ".strong" : ""}`, { data: { command } }, words, " ", key(keys.of(command)[0] ?? "—"));
  if (picking) {
    return el("div.actions", {}, button("pick-save", "Save with this evidence", true), button("pick-cancel", "Cancel"));
  }
  if (!page.may_write) return el("div.actions");
  const ready = question.cell.option !== null || (page.adjudicates && question.others.length && !apart(question));
  return el("div.actions", {},
    ready ? button("confirm", question.cell.confirmed ? "Go on" : "Confirm and go on", true) : null,
    button("new-option", "New option"),
    page.adjudicates ? null : button("flag", question.flags.length ? "Flags" : "Flag"),
    button("reword", "Reword"),
    question.cell.confirmed ? button("note", "Note") : null,
    question.cell.changed && question.cell.confirmed ? button("evidence", "Evidence") : null,
    question.cell.confirmed ? button("clear", "Take back") : null);
}

/** What annotators say here, side by side, each with evidence and the key that takes it. */
function others(app) {
  const { page, question, keys, lines } = app;
  const takes = ["take-first", "take-second"];
  return el(`div.sides${apart(question) ? ".apart" : ""}`, { role: "group", "aria-label": "What annotators say" },
    ...question.others.map(({ who, cell }, place) => {
      const line = lines?.others.find((other) => other.who === who);
      const last = line?.changes.filter((change) => change.chunk <= page.chunk.index).at(-1);
      const shown = cell.evidence.length ? cell.evidence : last?.evidence ?? [];
      const since = last && last.chunk !== page.chunk.index ? ` since chunk ${last.chunk + 1}` : "";
      return el(`section.side.side${place}`, { "aria-label": who },
        el("h3", {}, own(who), page.adjudicates && page.may_write && takes[place] ? el("button.take", { data: { take: place }, "aria-label": `Take the answer of ${who}` }, "Take ", key(keys.of(takes[place])[0] ?? "—")) : null),
        el("p.said", {}, own(optionText(question, cell.option)), el("span.quiet", {}, cell.changed ? " changed here" : since)),
        ...shown.map((span) => el("blockquote", { dir: "auto" }, span.quote)),
        cell.note ? el("p.note", { dir: "auto" }, cell.note) : null);
    }));
}

/** The whole book as a strip: where answers change, where one is. */
function strip(app) {
  const { page, question, lines } = app;
  const box = el("div.strips", { "aria-label": "Answers over the book", role: "group" });
  if (!lines || lines.question !== question.id) return box;
  const rows = [...lines.others, { who: page.adjudicates ? "ruling" : "", ...lines.mine }];
  for (const line of rows) box.append(row(app, line));
  const mine = lines.mine.changes.filter((change) => change.chunk <= page.chunk.index).at(-1);
  if (mine && !page.adjudicates) {
    const quote = mine.evidence[0]?.quote;
    box.append(el("p.quiet.since", {}, mine.chunk === page.chunk.index ? "" : `“${short(optionText(question, mine.option), 40)}” since chunk ${mine.chunk + 1}`,
      quote && mine.chunk !== page.chunk.index ? `: ${short(quote, 110)}` : ""));
  }
  return box;
}

function row({ page, question }, line) {
  const count = page.book.chunks;
  const bar = el("div.bar", {});
  const edges = [...line.changes.map((change) => change.chunk), count];
  if (edges[0] > 0) bar.append(part(0, edges[0], -1, "no answer"));
  line.changes.forEach((change, place) => {
    const hue = question.options.findIndex((option) => option.id === change.option) % 8;
    bar.append(part(change.chunk, edges[place + 1], hue, optionText(question, change.option)));
  });
  const here = el("span.here", { "aria-hidden": "true" });
  here.style.left = `${(100 * (page.chunk.index + 0.5)) / count}%`;
  bar.append(here);
  return el("div.line", {}, line.who ? el("span.who", { dir: "auto" }, line.who) : null, bar);
}

function part(start, end, hue, text) {
  const words = `${isolated(text)}, chunk ${start + 1}${end - start > 1 ? ` to ${end}` : ""}`;
  const made = el(`button.part.hue${hue < 0 ? "None" : hue}`, { data: { goto: start }, title: words, "aria-label": words, tabindex: "-1" });
  made.style.flexGrow = String(end - start);
  return made;
}

function remarks({ cell, flags }) {
  return [
    ...cell.evidence.map((span) => el("blockquote", { dir: "auto", "aria-label": "Evidence here" }, span.quote)),
    cell.note ? el("p.note", { dir: "auto" }, cell.note) : null,
    ...flags.map((flag) => el("p.flagged", {}, `⚑ ${REASONS[flag.reason]}${flag.note ? ": " : ""}`, flag.note ? own(flag.note) : null)),
  ];
}

/** Paints the list of all questions. */
export function list(app) {
  const { page, question } = app;
  const here = page.questions.filter((one) => one.cell.confirmed).length;
  return [
    el("header", {},
      el("h2", {}, "This chunk ", el("span.quiet", {}, `${here} of ${page.questions.length} ${page.adjudicates ? "ruled" : "answered"}`)),
      page.may_ask && page.questions.length ? el("button", { data: { command: "add-question" } }, "Add a question ", key(app.keys.of("add-question")[0] ?? "—")) : null),
    el("ol", {}, ...page.questions.map((one) => item(page, one, one === question))),
  ];
}

function item(page, one, active) {
  const now = state(one.cell);
  const differs = apart(one);
  return el("li", {},
    el(`button.row${active ? ".active" : ""}`, { data: { question: one.id }, "aria-current": active ? "true" : null, tabindex: "-1" },
      el(`span.state.${now}`, { title: STATES[now][1] }, STATES[now][0]),
      el("span.words", {}, own(one.text),
        el("span.answer", {}, one.cell.option === null ? "—" : own(optionText(one, one.cell.option)),
          differs ? el("span.tag.differ", {}, "they differ") : null,
          one.flags.length ? el("span.tag", {}, "⚑") : null))));
}

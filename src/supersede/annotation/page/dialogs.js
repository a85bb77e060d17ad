// Dialogs: each gives what a person decided, or null where they left it.

import { counted, el, isolated, key, own, short } from "./dom.js";
import { REASONS, optionText } from "./panel.js";
import { COMMANDS, spelled } from "./keys.js";

/**
 * Shows a dialog.
 * @param {string} title
 * @param {Node[]} content
 * @param {object} [more] `submit` is the word of its button, `read()` gives what was decided;
 *   `stay` forbids to leave it undecided; `wide` is for tables; `also` are more buttons, `leave` the
 *   word of the one that leaves.
 */
export function dialog(title, content, { submit = "", read = () => true, stay = false, wide = false, also = [], leave = submit ? "Cancel" : "Close" } = {}) {
  return new Promise((resolve) => {
    let open = true;
    const form = el("form", { method: "dialog" },
      el("header", {}, el("h2", { id: "dialog-title", dir: "auto" }, title), stay ? null : el("button.plain", { type: "button", "aria-label": "Close", data: { close: "" } }, "✕")),
      ...content,
      el("footer", {}, submit ? el("button.strong", { type: "submit" }, submit) : null, ...also,
        stay || !leave ? null : el("button.leave", { type: "button", data: { close: "" } }, leave, " ", key("Escape"))));
    const box = el(`dialog${wide ? ".wide" : ""}`, { "aria-labelledby": "dialog-title" }, form);
    const close = (value) => {
      open = false;
      box.close();
      box.remove();
      resolve(value);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const value = read();
      if (value !== undefined) close(value);
    });
    box.addEventListener("click", (event) => {
      event.stopPropagation(); // the page has commands of the same names
      const button = event.target.closest("[data-close], [data-decide]");
      if (!button) return;
      close("decide" in button.dataset ? button.dataset.decide : null);
    });
    box.addEventListener("keydown", (event) => {
      // Enter in a text area is a new line; with Ctrl it is the button, as in one-line fields.
      if (event.key === "Enter" && event.ctrlKey && submit) form.requestSubmit();
      if (event.key === "Escape" && !event.isComposing) {
        event.preventDefault();
        event.stopPropagation();
        if (!stay) close(null);
      }
    });
    box.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (!stay) close(null);
    });
    box.addEventListener("close", () => {
      if (!open) return;
      if (stay) box.showModal(); // a second Esc closes whatever one does
      else close(null);
    });
    document.body.append(box);
    box.showModal();
    (box.querySelector("[autofocus], input, textarea, select") ?? box.querySelector(submit || stay ? "footer button" : ".leave"))?.focus();
  });
}

/** A field whose text outlives a closed tab until `forget` is called. */
function drafted(field, name) {
  const place = `supersede:draft:${name}`;
  const left = localStorage.getItem(place);
  if (left !== null) field.value = left;
  field.addEventListener("input", () => localStorage.setItem(place, field.value));
  field.forget = () => localStorage.removeItem(place);
  return field;
}

const label = (words, field) => el("label.field", {}, el("span", {}, words), written(field));

/** A field in which the direction of what is typed is its own. */
function written(field) {
  if (field.matches("textarea, input[type=text], input[type=search]")) field.dir = "auto";
  return field;
}

const chosen = (box, name) => box.querySelector(`input[name=${name}]:checked`)?.value ?? "";

/** Radio buttons. */
function radios(name, items, now) {
  return el("div.radios", { role: "radiogroup" }, ...items.map(([value, words, hint]) =>
    el("label", {}, el("input", { type: "radio", name, value, checked: value === now }),
      el("span", {}, words, hint ? el("span.quiet", {}, ` ${hint}`) : null))));
}

/** A new option: `{text, role}`. */
export async function newOption(question, where) {
  const field = drafted(el("input", { type: "text", maxlength: "1000", required: true, autofocus: true }), `option:${where}`);
  const roles = radios("role", [
    ["answer", "An answer", "that is right at some point of the book"],
    ["distractor", "A distractor", "plausible but wrong, for readers who did not pay close attention"],
    ["catch-all", "The catch-all", "right while the book does not say yet; one for each question"],
  ], "answer");
  const found = await dialog("New option", [el("p.quiet", { dir: "auto" }, question.text), label("Says", field), roles], {
    submit: "Add", read: () => (field.value.trim() ? { text: field.value.trim(), role: chosen(roles, "role") } : undefined),
  });
  if (found) field.forget();
  return found;
}

/** A note. */
export async function note(question, where) {
  const field = drafted(el("textarea", { rows: "4", maxlength: "5000", autofocus: true, value: question.cell.note }), `note:${where}`);
  const found = await dialog("Note on this answer", [el("p.quiet", { dir: "auto" }, question.text), label("Note", field)], {
    submit: "Save", read: () => ({ note: field.value.trim() }),
  });
  if (found) field.forget();
  return found;
}

/** A flag to raise or to lower: `{reason, note, up}`. */
export async function flag(question, where) {
  const up = Object.fromEntries(question.flags.map((one) => [one.reason, one]));
  const reasons = radios("reason", Object.entries(REASONS).map(([reason, words]) => [reason, words, up[reason] ? "(flag is up)" : ""]),
    question.flags[0]?.reason ?? Object.keys(REASONS)[0]);
  const field = drafted(el("textarea", { rows: "3", maxlength: "5000" }), `flag:${where}`);
  const lower = el("button", { type: "button", data: { decide: "lower" } }, "Lower the flag");
  let reason = "";
  const shown = () => {
    reason = chosen(reasons, "reason");
    lower.hidden = !up[reason];
  };
  reasons.addEventListener("change", shown);
  shown();
  const found = await dialog("What is wrong with the question here?", [el("p.quiet", { dir: "auto" }, question.text), reasons, label("Note (may be empty)", field)], {
    submit: "Raise the flag", also: [lower], read: () => ({ reason, note: field.value.trim(), up: true }),
  });
  if (found) field.forget();
  return found === "lower" ? { reason, note: "", up: false } : found;
}

const TYPES = [
  ["temporal-anchoring", "Temporal anchoring", "from how it changes to what it is now: “How does her view change?” → “What is her latest view?”"],
  ["cumulative-to-incremental", "Cumulative to incremental", "from all that gathers to the newest of it: “Which names has he used?” → “Which name did he use last?”"],
  ["other", "Another change of wording", ""],
];

/** Another wording: `{text, reformulation, note}`. */
export async function reword(question, where, adjudicates, proposals) {
  const now = question.wording ?? question;
  const field = drafted(el("textarea", { rows: "3", maxlength: "1000", required: true, autofocus: true, value: now.text }), `wording:${where}`);
  const remark = drafted(el("textarea", { rows: "2", maxlength: "5000", value: question.wording?.note ?? "" }), `wording-note:${where}`);
  const types = radios("type", TYPES, now.reformulation || "temporal-anchoring");
  const use = (one) => el("button", { type: "button", on: { click: () => {
    field.value = one.text;
    for (const input of types.querySelectorAll("input")) input.checked = input.value === one.reformulation;
  } } }, "Use");
  const found = await dialog(adjudicates ? "Reword the question" : "How should the question read?", [
    adjudicates ? null : el("p.quiet", {}, "An adjudicator decides; you go on with the question as it is."),
    ...proposals.map((one) => el("p", {}, own(one.annotator), ": ", own(one.text), " ", one.note ? el("span.quiet", {}, "(", own(one.note), ") ") : null, use(one))),
    label("Reads", field), types, adjudicates ? null : label("Why (may be empty)", remark),
  ].filter(Boolean), {
    submit: adjudicates ? "Reword" : "Propose",
    read: () => (field.value.trim() ? { text: field.value.trim(), reformulation: chosen(types, "type"), note: remark.value.trim() } : undefined),
  });
  if (found) for (const one of [field, remark]) one.forget();
  return found;
}

const OUT = [
  ["stitched-together", "it stitches parts together without a state"],
  ["one-change", "its state changes only once"],
  ["options-unsupported", "its options have no support, or stand in one chunk"],
  ["another reason", "another reason"],
];
const ROLES = [["answer", "answer"], ["distractor", "distractor"], ["catch-all", "catch-all"]];

/** Changes of options, and the question's going out: `{edits, removed, drop}`. */
export async function editOptions(question, me, adjudicates) {
  const mine = question.options.filter((option) => adjudicates || (option.author === me && !option.shared));
  const rows = mine.map((option) => {
    const words = written(el("input", { type: "text", value: option.text, maxlength: "1000", "aria-label": "Says" }));
    const role = el("select", { "aria-label": "Role" }, ...ROLES.map(([value, name]) => el("option", { value }, name)));
    role.value = option.role;
    const shared = el("input", { type: "checkbox", checked: option.shared });
    const same = el("select", { "aria-label": "Says the same as" }, el("option", { value: "" }, "an option of its own"),
      ...question.options.filter((other) => other.id !== option.id).map((other) => el("option", { value: other.id }, `same as: ${short(other.text, 40)}`)));
    same.value = option.same_as;
    const gone = el("input", { type: "checkbox" });
    return { option, words, role, shared, same, gone, row: el("fieldset.editing", {},
      words, role,
      adjudicates ? el("label", {}, shared, ` everybody's${option.author ? ` (of ${isolated(option.author)})` : ""}`) : null,
      adjudicates ? same : null, el("label", {}, gone, " take away")) };
  });
  const out = el("select", { "aria-label": "Take the question out" }, el("option", { value: "" }, "The question stays in"),
    ...OUT.map(([value, why]) => el("option", { value }, `Out: ${why}`)));
  const content = rows.length ? rows.map((one) => one.row) : [el("p", {}, "Only your own options are yours to change, and you have none here yet.")];
  if (adjudicates) content.push(label("This question", out));
  return dialog("Options", [el("p.quiet", { dir: "auto" }, question.text), ...content], {
    submit: rows.length ? "Save" : "",
    read: () => ({
      drop: out.value,
      removed: rows.filter((one) => one.gone.checked).map((one) => one.option),
      edits: rows.filter((one) => !one.gone.checked).map((one) => ({ ...one.option, text: one.words.value.trim(), role: one.role.value,
        shared: adjudicates ? one.shared.checked : false, same_as: one.same.value }))
        .filter((edit) => ["text", "role", "shared", "same_as"].some((name) => edit[name] !== mine.find((option) => option.id === edit.id)[name])),
    }),
  });
}

/** A new question: `{question, text, entity, options}`. */
export async function newQuestion(taken, where) {
  const kept = (field, name) => drafted(field, `question:${name}:${where}`);
  const text = kept(el("textarea", { rows: "2", required: true, maxlength: "1000", autofocus: true }), "text");
  const entity = kept(el("input", { type: "text", maxlength: "200" }), "entity");
  const answers = kept(el("textarea", { rows: "4", maxlength: "4000" }), "answers");
  const distractors = kept(el("textarea", { rows: "2", maxlength: "4000" }), "distractors");
  const rest = kept(el("input", { type: "text", value: "It cannot be answered yet", maxlength: "1000" }), "rest");
  const lines = (field, role) => field.value.split("\n").map((line) => line.trim()).filter(Boolean).map((words) => ({ text: words, role }));
  let number = taken.length + 1;
  while (taken.includes(`q${String(number).padStart(2, "0")}`)) number += 1;
  const found = await dialog("New question", [
    el("p.quiet", {}, "Ask for a state now, not for its history: “Where does Anna live now?”, not “How does Anna's home change?”"),
    label("Asks", text), label("About whom or what", entity), label("Answers, one a line", answers),
    label("Distractors, one a line", distractors), label("The catch-all", rest),
  ], {
    submit: "Add",
    read: () => (text.value.trim() ? { question: `q${String(number).padStart(2, "0")}`, text: text.value.trim(), entity: entity.value.trim(),
      options: [...lines(answers, "answer"), ...lines(distractors, "distractor"), ...lines(rest, "catch-all")] } : undefined),
  });
  if (found) for (const field of [text, entity, answers, distractors, rest]) field.forget();
  return found;
}

/** A chunk's number, from 0. */
export function goTo(now, chunks) {
  const field = el("input", { type: "number", min: "1", max: String(chunks), value: String(now + 1), required: true, autofocus: true });
  const shown = dialog(`Go to a chunk, 1 to ${chunks}`, [label("Chunk", field)], {
    submit: "Go", read: () => (field.checkValidity() ? { chunk: Number(field.value) - 1 } : undefined),
  });
  field.select();
  return shown;
}

/** Words to look for. */
export function findWords(last) {
  const field = el("input", { type: "search", value: last, autofocus: true });
  const shown = dialog("Find in the text", [label("Words", field)], { submit: "Find", read: () => ({ words: field.value.trim() }) });
  field.select();
  return shown;
}

/** Yes, or not. */
export const sure = (title, words, yes) => dialog(title, [el("p", {}, words)], { submit: yes });

/** What to do where something else is there by now: `"mine"` or `"theirs"`. */
export function conflict(op, error, question) {
  const now = describe(error.current, question);
  const mine = describe(op.body, question);
  const again = ["answer", "clear", "propose", "reword", "edit-option", "flag", "unflag", "drop", "review", "adopt"].includes(op.body.do);
  return dialog("Somebody was faster", [
    el("p", {}, `${op.says}: this has changed since you looked, in another tab or by somebody else. Nothing was overwritten.`),
    el("div.sides.apart", {},
      el("section.side", {}, el("h3", {}, "There now"), ...now),
      el("section.side", {}, el("h3", {}, "Yours"), ...mine)),
  ], {
    stay: true,
    also: [
      el("button.strong", { type: "button", data: { decide: "theirs" } }, "Keep what is there"),
      again ? el("button", { type: "button", data: { decide: "mine" } }, "Save mine over it") : null,
    ],
  });
}

function describe(value, question) {
  if (!value) return [el("p", {}, "nothing")];
  const parts = [];
  if (value.option !== undefined) parts.push(el("p.said", { dir: "auto" }, question ? optionText(question, value.option) : String(value.option ?? "no answer")));
  if (value.text !== undefined) parts.push(el("p.said", { dir: "auto" }, value.text));
  if (value.stage !== undefined) parts.push(el("p.said", {}, `stage: ${value.stage}`));
  if (value.reason !== undefined) parts.push(el("p.said", {}, REASONS[value.reason] ?? value.reason));
  for (const span of value.evidence ?? []) parts.push(el("blockquote", { dir: "auto" }, span.quote));
  if (value.note) parts.push(el("p.note", { dir: "auto" }, value.note));
  return parts.length ? parts : [el("p", {}, value.do === "clear" ? "take it back" : "another state")];
}

/** A change that the server will not take; what was typed is shown, to copy. */
export function refused(op, error) {
  const typed = [op.body.text, op.body.note].filter(Boolean).join("\n");
  return dialog("Not saved", [
    el("p", {}, `${op.says}: ${error.message}`),
    typed ? label("What you wrote", el("textarea", { rows: "4", readonly: true, value: typed })) : null,
  ].filter(Boolean));
}

/** How it works, and all keys. */
export function help(keys, adjudicates, optionKeys) {
  return dialog("How it works", [
    el("ol.steps", {},
      el("li", {}, "You read a book chunk by chunk. For each question you say which answer is right at the end of the chunk, going by this chunk and those before it."),
      el("li", {}, "Answers carry on by themselves. Where one still holds, confirm it: ", key(keys.of("confirm")[0] ?? "—"), " does so and goes on to the next question that is open."),
      el("li", {}, "Where another one is right, press its number (", key(optionKeys[0] ?? "—"), " and on) and mark the sentence that shows it. A sentence can be marked before, too, by mouse."),
      el("li", {}, "Everything is saved at once, and everything can be undone: ", key(keys.of("undo")[0] ?? "—"), ".")),
    el("div.keys", {}, ...[...keys.groups(adjudicates)].map(([group, commands]) => el("section", {}, el("h3", {}, group),
      group === "Answer" ? el("p", {}, el("span", {}, "Choose an option"), el("span", {}, ...optionKeys.slice(0, 3).map((name) => key(name)), " … ", ...optionKeys.slice(9, 11).map((name) => key(name)), " …")) : null,
      group === "Mark evidence" ? el("p", {}, el("span", {}, "Go to a sentence"), el("span", {}, "its number")) : null,
      ...commands.map(([command, words]) => el("p", {}, el("span", {}, words), el("span", {}, ...keys.of(command).map((name) => key(name)))))))),
    el("p.quiet", {}, "Keys do nothing while you type in a field."),
  ], { wide: true, also: [el("button", { type: "button", data: { decide: "keys" } }, "Change keys")] });
}

/** Lets a person give commands other keys; true where something changed. */
export async function changeKeys(keys, save) {
  const body = el("div.keys");
  let waiting = "";
  const said = el("p.quiet", { role: "status" }, "Choose a command, then press its new key. Esc leaves it as it is.");
  const paint = () => body.replaceChildren(...[...keys.groups(true)].map(([group, commands]) => el("section", {}, el("h3", {}, group),
    ...commands.map(([command, words]) => el("p", {}, el("span", {}, words),
      el("button", { type: "button", data: { command }, "aria-label": `${words}: ${keys.of(command).join(" or ") || "no key"}` },
        ...(waiting === command ? ["press a key …"] : keys.of(command).length ? keys.of(command).map((name) => key(name)) : ["no key"])))))));
  const listen = (event) => {
    if (!waiting || ["Shift", "Control", "Alt", "Meta", "AltGraph"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const command = waiting;
    waiting = "";
    const name = spelled(event);
    if (name !== "Escape" || command === "pick-cancel") {
      const loser = keys.change(command, name);
      said.textContent = loser ? `“${COMMANDS[loser][2]}” has lost this key.` : "Saved.";
      save();
    }
    paint();
    body.querySelector(`[data-command=${command}]`).focus();
  };
  body.addEventListener("click", (event) => {
    const button = event.target.closest("[data-command]");
    if (!button) return;
    waiting = button.dataset.command;
    paint();
    body.querySelector(`[data-command=${waiting}]`).focus();
  });
  paint();
  document.addEventListener("keydown", listen, true);
  const reset = el("button", { type: "button", on: { click: () => {
    keys.reset();
    save();
    paint();
  } } }, "As at first");
  await dialog("Keys", [said, body], { wide: true, also: [reset] });
  document.removeEventListener("keydown", listen, true);
}

/** The first words to somebody new. */
export const welcome = (keys, adjudicates) => dialog(adjudicates ? "You adjudicate" : "In a minute", [
  el("ol.steps", {}, ...(adjudicates ? [
    el("li", {}, "Annotators answer each question at every chunk, apart from each other. You see what all of them say, side by side."),
    el("li", {}, "Once they are through, begin adjudication in ", key(keys.of("overview")[0] ?? "—"), " Books and progress. Their answers stand still from then on."),
    el("li", {}, key(keys.of("next-apart")[0] ?? "—"), " goes to the next disagreement. ", key(keys.of("take-first")[0] ?? "—"), " or ", key(keys.of("take-second")[0] ?? "—"), " takes one of the two answers with its evidence; a number takes a third one."),
    el("li", {}, "Each question needs rulings over the whole book: ", key(keys.of("adopt-first")[0] ?? "—"), " takes all of the first annotator's answers to it at once; then mend the rest."),
  ] : [
    el("li", {}, "Read the chunk on the left. The question on the right asks what is so ", el("em", {}, "at its end"), "."),
    el("li", {}, "No answer yet, or another one now? Press its number, move to the sentence that shows it, press ", key(keys.of("pick-save")[0] ?? "—"), "."),
    el("li", {}, "The answer still holds? ", key(keys.of("confirm")[0] ?? "—"), " confirms it and goes to the next open question, then to the next chunk."),
    el("li", {}, "All is saved as you go, and ", key(keys.of("undo")[0] ?? "—"), " undoes. ", key(keys.of("help")[0] ?? "—"), " shows all keys; the mouse works too."),
  ])),
], { submit: "Begin", leave: "" });

const STAGES = { blind: "annotation", adjudicating: "adjudication", closed: "closed" };

/** Books and progress: `{book}`, `"finish"`, `{stage}` or null. */
export function overview(data, progress, app) {
  const share = (done, total) => el("span.share", {}, el("progress", { value: done, max: String(Math.max(1, total)) }), ` ${done.toLocaleString("en")} of ${total.toLocaleString("en")}`);
  const books = el("div.scroll", {}, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "Book"), el("th", {}, "Stage"), el("th", {}, "You"), el("th", {}))),
    el("tbody", {}, ...app.me.books.map((book) => el("tr", {}, el("td", {}, own(book.title), book.author ? el("span.quiet", {}, " ", own(book.author)) : null), el("td", {}, STAGES[book.stage]),
      el("td", {}, progress[book.id] ? share(progress[book.id].done, progress[book.id].total) : "…"),
      el("td", {}, el("button", { type: "button", data: { decide: `book:${book.id}` }, disabled: book.id === data.book.id }, "Open")))))));
  const names = (who) => (who === "" ? "rulings" : who === app.me.id ? "you" : who);
  const questions = el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "Question"), ...data.people.map((one) => el("th", {}, own(names(one.who)), one.finished ? " ✓ through" : "")))),
    el("tbody", {}, el("tr", {}, el("th", {}, "All"), ...data.people.map((one) => el("td", {}, share(one.done, one.total)))),
      ...data.questions.map((question) => el("tr", {}, el("td", {}, el("button.link", { type: "button", data: { decide: `question:${question.id}` } }, own(question.text))),
        ...data.people.map((one) => el("td", {}, `${one.confirmed[question.id] ?? 0} of ${data.book.chunks}`))))));
  const flags = data.flags.length ? [el("h3", {}, counted(data.flags.length, "flag")), el("ul", {}, ...data.flags.map((one) =>
    el("li", {}, el("button.link", { type: "button", data: { decide: `place:${one.chunk}:${one.question}` } }, `${one.question}, chunk ${one.chunk + 1}`), " ", own(one.who), `: ${REASONS[one.reason]}${one.note ? ": " : ""}`, one.note ? own(one.note) : null)))] : [];
  const mine = data.people.find((one) => one.who === app.me.id);
  const also = [];
  const stage = data.book.stage;
  if (mine && stage === "blind") also.push(el("button", { type: "button", data: { decide: "finish" } }, mine.finished ? "Say again that you are through" : "I am through with this book"));
  if (data.adjudicates) {
    if (stage !== "adjudicating") also.push(el("button.strong", { type: "button", data: { decide: "stage:adjudicating" } }, stage === "blind" ? "Begin adjudication" : "Open it again"));
    if (stage === "adjudicating") also.push(el("button", { type: "button", data: { decide: "stage:closed" } }, "Close the book"), el("button", { type: "button", data: { decide: "stage:blind" } }, "Back to blind annotation"));
  }
  return dialog("Books and progress", [books, el("h3", { dir: "auto" }, data.book.title), el("div.scroll", {}, questions), ...flags], { wide: true, also });
}

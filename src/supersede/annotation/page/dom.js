// Elements from data. Text only ever becomes a text node, so nothing in a book or a note is markup.

/**
 * An element.
 * @param {string} tag With classes: `p.quiet`.
 * @param {object} [props] `on` holds listeners, `data` the dataset; the rest are attributes.
 * @param {...(Node|string|null|false)} children Strings become text.
 */
export function el(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (key === "data") Object.assign(made.dataset, value);
    else if (key === "value" || key === "checked" || key === "disabled") made[key] = value;
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** The element of an id. */
export const $ = (id) => document.getElementById(id);

/** A key as it is shown. */
export function key(name) {
  const words = {
    ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", " ": "Space",
    Escape: "Esc", Backspace: "⌫", Delete: "Del", PageUp: "PgUp", PageDown: "PgDn",
  };
  const parts = name === "+" ? [name] : name.split(/\+(?=.)/);
  return el("kbd", {}, parts.map((part) => words[part] ?? part).join("+"));
}

let fading = 0;

/** Says something for a few seconds. */
export function toast(text, bad = false) {
  const place = $("toast");
  place.textContent = text;
  place.classList.toggle("bad", bad);
  place.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => place.classList.remove("shown"), bad ? 7000 : 3500);
}

/** Says something to screen readers alone. */
export function tell(text) {
  $("told").textContent = text;
}

/** `1 chunk`, `2 chunks`. */
export const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** A text as its code points, which is how the project counts. */
export const points = (text) => Array.from(text);

/** A text of people or of a book among words of ours: its direction is its own, and stays inside. */
export const own = (text) => el("bdi", {}, text);

const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The same inside of a text, where no element can stand: signs of Unicode keep it apart. */
export const isolated = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/** A text cut to a length, to stand among words of ours. */
export const short = (text, length = 90) =>
  isolated(text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text);

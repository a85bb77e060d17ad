// The chunk on the left: its sentences, the passages that are marked, and the choice of evidence.

import { el, isolated, points } from "./dom.js";

export class Text {
  /**
   * @param {HTMLElement} place
   * @param {(pieces: object[]) => void} clicked Called when marks change by mouse.
   */
  constructor(place, clicked) {
    this.place = place;
    this.clicked = clicked;
    this.sentences = [];
    this.marks = [];
    this.cursor = -1;
    this.picking = false;
    this.shown = [];
    place.addEventListener("mouseup", (event) => this.select(event.target));
  }

  /** Paints a page: the end of the chunk before, the chunk, the beginning of the next. */
  show(page) {
    const { chunk, book } = page;
    this.points = points(chunk.text);
    this.marks = [];
    this.cursor = -1;
    this.sentences = [];
    this.starts = [];
    const body = el("article", { "aria-label": `Chunk ${chunk.index + 1}`, tabindex: "0" });
    for (const paragraph of chunk.paragraphs) {
      this.starts.push(this.sentences.length);
      const block = el("p", { dir: "auto" });
      for (const [start, end] of paragraph) {
        const number = this.sentences.length;
        const node = el("span.s", { data: { i: number, n: number + 1 } });
        this.sentences.push({ start, end, node });
        this.fill(number, []);
        if (block.childNodes.length) block.append(this.between(number));
        block.append(node);
      }
      body.append(block);
    }
    const title = chunk.chapters.length > 1 ? chunk.chapters.map(isolated).join(" · ") : chunk.chapters[0] ?? chunk.chapter;
    this.place.replaceChildren(
      el("h1.chapter", { dir: "auto" }, title || book.title),
      page.before ? neighbour(page.before, "End of the chunk before", "before") : el("p.edge", {}, "The book begins here."),
      body,
      page.after ? neighbour(page.after, "Beginning of the next chunk", "after") : el("p.edge", {}, "The book ends here."),
    );
    const top = body.offsetTop - this.place.offsetTop - 56;
    this.place.scrollTop = Math.max(0, top);
  }

  /** What stands between a sentence and the one before it. */
  between(number) {
    const gap = this.points.slice(this.sentences[number - 1].end, this.sentences[number].start).join("");
    return gap || " ";
  }

  /** A sentence's content, with the parts that are marked. */
  fill(number, pieces) {
    const { start, end, node } = this.sentences[number];
    const cuts = new Set([start, end]);
    for (const piece of pieces) {
      if (piece.start > start) cuts.add(piece.start);
      if (piece.end < end) cuts.add(piece.end);
    }
    const edges = [...cuts].sort((a, b) => a - b);
    const parts = [];
    for (let k = 0; k + 1 < edges.length; k += 1) {
      const words = this.points.slice(edges[k], edges[k + 1]).join("");
      const on = pieces.filter((piece) => piece.start < edges[k + 1] && piece.end > edges[k]);
      parts.push(on.length ? el(`mark.${[...new Set(on.map((piece) => piece.kind))].join(".")}`, {}, words) : words);
    }
    node.replaceChildren(...parts);
  }

  /**
   * Shows passages.
   * @param {{start: number, end: number, kind: string}[]} pieces Of the question that is looked at.
   */
  paint(pieces) {
    this.shown = pieces;
    this.repaint();
  }

  repaint() {
    const pieces = [...(this.picking ? [] : this.shown), ...this.marks.map((mark) => ({ ...mark, kind: "picked" }))];
    this.sentences.forEach(({ start, end, node }, number) => {
      const here = pieces.filter((piece) => piece.start < end && piece.end > start);
      const look = JSON.stringify(here);
      if ((node.dataset.look ?? "[]") === look) return;
      node.dataset.look = look;
      this.fill(number, here);
    });
    this.place.classList.toggle("picking", this.picking);
  }

  /** Begins to choose evidence. */
  pick(marks = []) {
    this.picking = true;
    this.marks = [...marks];
    const first = marks.length ? this.sentences.findIndex((s) => s.end > marks[0].start) : this.visible();
    this.move(first < 0 ? 0 : first);
    this.repaint();
  }

  /** Ends it. */
  leave() {
    this.picking = false;
    this.marks = [];
    this.move(-1);
    this.repaint();
  }

  /** The first sentence that can be seen. */
  visible() {
    const { top } = this.place.getBoundingClientRect();
    return this.sentences.findIndex((s) => s.node.getBoundingClientRect().top >= top + 8);
  }

  /** Moves the cursor to a sentence. */
  move(number) {
    this.sentences[this.cursor]?.node.classList.remove("cursor");
    this.cursor = number;
    const here = this.sentences[number];
    if (!here) return "";
    here.node.classList.add("cursor");
    this.reveal(here.node);
    return this.words(here);
  }

  step(by) {
    return this.move(Math.max(0, Math.min(this.sentences.length - 1, this.cursor + by)));
  }

  /** Moves to another paragraph. */
  leap(by) {
    const now = this.starts.filter((start) => start <= this.cursor).length - 1;
    const there = this.starts[Math.max(0, Math.min(this.starts.length - 1, now + by))];
    return this.move(there ?? 0);
  }

  reveal(node) {
    const box = this.place.getBoundingClientRect();
    const line = node.getBoundingClientRect();
    const room = Math.min(120, box.height / 5);
    if (line.top < box.top + room) this.place.scrollTop += line.top - box.top - room;
    else if (line.bottom > box.bottom - room) this.place.scrollTop += line.bottom - box.bottom + room;
  }

  /** Shows a passage. */
  look(piece) {
    const found = this.sentences.find((s) => s.end > piece.start);
    if (found) this.reveal(found.node);
  }

  words({ start, end }) {
    return this.points.slice(start, end).join("");
  }

  /** Marks the sentence of the cursor, or unmarks it. */
  toggle(number = this.cursor) {
    const { start, end } = this.sentences[number] ?? {};
    if (start === undefined) return;
    const before = this.marks.length;
    this.marks = this.marks.filter((mark) => mark.end <= start || mark.start >= end);
    if (this.marks.length === before) this.marks.push({ start, end });
    this.marks.sort((a, b) => a.start - b.start);
    this.repaint();
  }

  /** The next sentence that has some words, from the one after the cursor on; -1 for none. */
  find(words, from) {
    const wanted = words.toLowerCase();
    const count = this.sentences.length;
    for (let k = 0; k < count; k += 1) {
      const number = (from + k + count) % count;
      if (this.words(this.sentences[number]).toLowerCase().includes(wanted)) return number;
    }
    return -1;
  }

  /** What is marked, as the server takes it. */
  evidence() {
    return this.marks.map(({ start, end }) => ({ start, end, quote: this.words({ start, end }) }));
  }

  /** A click marks the sentence that it hit; a selection marks just what was selected. */
  select(target) {
    const chosen = getSelection();
    if (!chosen || chosen.isCollapsed) {
      // Not where the caret went: for a click on a sentence's number that is before the sentence.
      const node = target.closest(".s");
      if (!node) return;
      this.move(Number(node.dataset.i));
      this.toggle();
    } else {
      if (!this.place.contains(chosen.anchorNode)) return;
      const range = chosen.getRangeAt(0);
      const start = this.offset(range.startContainer, range.startOffset, false);
      const end = this.offset(range.endContainer, range.endOffset, true);
      if (start === null || end === null || start >= end) return;
      this.marks = this.marks.filter((mark) => mark.end <= start || mark.start >= end);
      this.marks.push(this.trimmed(start, end));
      this.marks.sort((a, b) => a.start - b.start);
      chosen.removeAllRanges();
      this.repaint();
    }
    this.clicked();
  }

  trimmed(start, end) {
    while (start < end - 1 && /\s/.test(this.points[start])) start += 1;
    while (end > start + 1 && /\s/.test(this.points[end - 1])) end -= 1;
    return { start, end };
  }

  /** The code point of a place in the document; null where it is not in the chunk. */
  offset(node, at, isEnd) {
    const article = this.place.querySelector("article");
    if (!article.contains(node)) {
      const side = article.compareDocumentPosition(node);
      if (side & Node.DOCUMENT_POSITION_FOLLOWING) return isEnd ? this.points.length : null;
      return isEnd ? null : 0;
    }
    const home = elementOf(node)?.closest(".s");
    if (!home) { // between sentences: the nearest one on the inner side
      const range = document.createRange();
      range.setStart(node, at);
      const next = this.sentences.findIndex((s) => range.comparePoint(s.node, 0) >= 0);
      if (isEnd) return next < 0 ? this.points.length : this.sentences[Math.max(0, next - 1)].end;
      return next < 0 ? null : this.sentences[next].start;
    }
    const range = document.createRange();
    range.selectNodeContents(home);
    range.setEnd(node, at);
    return this.sentences[Number(home.dataset.i)].start + points(range.toString()).length;
  }
}

const elementOf = (node) => (node instanceof Element ? node : node.parentElement);

function neighbour(text, label, name) {
  return el(`section.neighbour.${name}`, { "aria-label": label }, el("h2", {}, label), ...text.split("\n\n").map((part) => el("p", { dir: "auto" }, part)));
}

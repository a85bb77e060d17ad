// Changes on their way to the server, in order. They stay in this browser until they are saved:
// through a broken connection, a closed tab, a killed server.

import { post, bookPath } from "./wire.js";

const BEAT = 2000; // a tab that has not shown itself for some beats is gone
const WAITS = [500, 1000, 2000, 4000, 8000];
const TAB = crypto.getRandomValues(new Uint32Array(2)).join("-");

/** An id that nothing else has. */
export const fresh = () => [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("-");

export class Outbox {
  /**
   * @param {string} owner Project and person; others' changes are never sent.
   * @param {object} heard `state(name, count, error)`, `done(op, reply)`, `recovered(count)`,
   *   `dropped(op)`; and, each a promise: `conflict(op, error)`, which gives "mine" or "theirs",
   *   `refused(op, error)`, `signedOut()`.
   */
  constructor(owner, heard) {
    this.prefix = `supersede:outbox:${owner}:`;
    this.heard = heard;
    this.queue = [];
    this.running = false;
    this.tries = 0;
    this.waiting = [];
    this.wake = () => {};
  }

  /** Begins, with what was left behind. */
  start() {
    this.adopt();
    setInterval(() => {
      this.keep();
      this.adopt();
    }, BEAT);
    addEventListener("online", () => this.wake());
    addEventListener("pagehide", () => this.keep(0));
    addEventListener("beforeunload", (event) => {
      if (this.queue.length) event.preventDefault();
    });
  }

  /** Writes what is not saved yet where a crash cannot reach it. */
  keep(seen = Date.now()) {
    const name = this.prefix + TAB;
    if (this.queue.length) localStorage.setItem(name, JSON.stringify({ seen, queue: this.queue }));
    else localStorage.removeItem(name);
  }

  /** Takes over what tabs left behind that are gone; the server does no change twice. */
  adopt() {
    let found = 0;
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(this.prefix) || name === this.prefix + TAB) continue;
      let left;
      try {
        left = JSON.parse(localStorage.getItem(name) ?? "{}");
      } catch {
        continue; // not ours, and not ours to throw away
      }
      if (Date.now() - (left.seen ?? 0) < 4 * BEAT) continue;
      localStorage.removeItem(name);
      this.queue.push(...(left.queue ?? []));
      found += left.queue?.length ?? 0;
    }
    if (!found) return;
    this.keep();
    this.heard.recovered(found);
    this.pump();
  }

  /**
   * Puts a change on its way.
   * @param {string} book
   * @param {object} body What the server is asked to do.
   * @param {object} about `key` names the one thing that it changes, `says` tells a person what.
   */
  add(book, body, about) {
    const op = { id: fresh(), book, body, ...about };
    if (this.queue.some((other) => other.key === op.key)) op.chained = true;
    this.queue.push(op);
    this.keep();
    this.pump();
    return op;
  }

  /** When all is saved. */
  idle() {
    if (!this.queue.length) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async pump() {
    if (this.running) return;
    this.running = true;
    try {
      while (this.queue.length) await this.one(this.queue[0]);
    } finally {
      this.running = false;
    }
    this.heard.state("saved", 0);
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Sends one change. */
  async one(op) {
    if (this.tries === 0) this.heard.state("saving", this.queue.length);
    let reply;
    try {
      reply = await post(bookPath(op.book, "strokes"), { ...op.body, id: op.id });
    } catch (error) {
      return this.fail(op, error);
    }
    this.tries = 0;
    this.settle(op, reply);
    return this.heard.done(op, reply);
  }

  /** Takes a saved change off, and tells those after it what they are based on now. */
  settle(op, reply) {
    this.queue.shift();
    for (const later of this.queue) {
      if (later.chained && later.key === op.key && "base" in later.body && "revision" in reply) {
        later.body.base = reply.revision;
      }
      if (op.local && later.body.option === op.local) later.body.option = reply.option;
    }
    this.keep();
  }

  async fail(op, error) {
    if (error.passing || error.kind === "signed-out") {
      this.heard.state("retrying", this.queue.length, error);
      if (error.kind === "signed-out") await this.heard.signedOut();
      else {
        const wait = WAITS[Math.min(this.tries, WAITS.length - 1)];
        this.tries += 1;
        await new Promise((resolve) => {
          this.wake = resolve;
          setTimeout(resolve, wait);
        });
      }
      return;
    }
    this.tries = 0;
    if (error.kind === "stale") {
      this.heard.state("conflict", this.queue.length, error);
      if ((await this.heard.conflict(op, error)) === "mine") {
        op.id = fresh();
        op.body.base = error.revision;
        this.keep();
        return;
      }
    } else await this.heard.refused(op, error);
    this.queue.shift();
    this.keep();
    this.heard.dropped(op);
  }
}

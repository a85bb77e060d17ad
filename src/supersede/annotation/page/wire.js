// Requests: what the server says, or why there is no answer.

const PATIENCE = 15000;

let person = "";

/** Says who asks from now on, so that nobody's work is taken for another's. */
export const asks = (id) => {
  person = id;
};

/** An answer that is no good; `kind` says how. */
export class Refused extends Error {
  constructor(status, told) {
    super(told.message ?? `the server answered ${status}`);
    this.status = status;
    this.kind = told.kind ?? "broken";
    this.revision = told.revision ?? 0;
    this.current = told.current ?? null;
  }

  /** Whether the same request may do later: nobody answered, or the server is at odds with itself. */
  get passing() {
    return this.status === 0 || this.status >= 500;
  }
}

async function ask(path, options) {
  const timer = new AbortController();
  const late = setTimeout(() => timer.abort(), PATIENCE);
  let status = 0;
  try {
    const headers = { ...options.headers, ...(person ? { "x-annotator": person } : {}) };
    const reply = await fetch(path, { ...options, headers, signal: timer.signal });
    status = reply.status;
    const data = await reply.json();
    if (reply.ok) return data;
    throw new Refused(status, data.error ?? {});
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(status >= 400 ? status : 0, { kind: "away", message: "no connection to the server" });
  } finally {
    clearTimeout(late);
  }
}

/** What is at a path. */
export const get = (path) => ask(path, {});

/** What the server answers to data; with `keepalive` it gets there although the page goes. */
export const post = (path, body, keepalive = false) =>
  ask(path, {
    method: "POST",
    keepalive,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** The path of something of a book. */
export const bookPath = (book, rest) => `/api/books/${encodeURIComponent(book)}/${rest}`;

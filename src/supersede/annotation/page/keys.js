// Commands, the keys that give them, and the keys that a person would rather have.

/** Every command: where it counts, its group in the help, what it does, its keys at first. */
export const COMMANDS = {
  "confirm": ["page", "Answer", "Confirm the answer, go to the next open question", ["Enter"]],
  "evidence": ["page", "Answer", "Mark other evidence for a change made here", ["e"]],
  "new-option": ["page", "Answer", "Add an option, or a distractor", ["n"]],
  "clear": ["page", "Answer", "Take back what you said at this chunk", ["Backspace", "Delete"]],
  "note": ["page", "Answer", "Write a note", ["m"]],
  "flag": ["page", "Question", "Flag the question, or lower the flag", ["f"]],
  "reword": ["page", "Question", "Reword the question", ["w"]],
  "options": ["page", "Question", "Change its options", ["x"]],
  "review": ["page", "Question", "Say that you went over it and its options", ["v"]],
  "add-question": ["page", "Question", "Add a question", ["q"]],
  "next-chunk": ["page", "Move", "Next chunk", ["ArrowRight", "j"]],
  "previous-chunk": ["page", "Move", "Chunk before", ["ArrowLeft", "k"]],
  "next-question": ["page", "Move", "Next question", ["ArrowDown"]],
  "previous-question": ["page", "Move", "Question before", ["ArrowUp"]],
  "next-open": ["page", "Move", "Next open question of the book", ["o"]],
  "scroll-down": ["page", "Move", "Text down", [" ", "PageDown"]],
  "scroll-up": ["page", "Move", "Text up", ["Shift+ ", "PageUp"]],
  "go-to": ["page", "Move", "Go to a chunk", ["g"]],
  "overview": ["page", "Move", "Books and progress", ["b"]],
  "take-first": ["page", "Adjudicate", "Take the first annotator's answer here", ["a"]],
  "take-second": ["page", "Adjudicate", "Take the second annotator's answer here", ["s"]],
  "adopt-first": ["page", "Adjudicate", "Take all answers of the first to this question", ["A"]],
  "adopt-second": ["page", "Adjudicate", "Take all answers of the second to this question", ["S"]],
  "next-apart": ["page", "Adjudicate", "Next disagreement that is open", ["d"]],
  "undo": ["page", "App", "Undo", ["u", "Ctrl+z"]],
  "redo": ["page", "App", "Redo", ["r", "Ctrl+Shift+z", "Ctrl+y"]],
  "theme": ["page", "App", "Light or dark", ["t"]],
  "keys": ["page", "App", "Change keys", [","]],
  "help": ["page", "App", "All keys, and how it works", ["?"]],
  "pick-next": ["picking", "Mark evidence", "Next sentence", ["ArrowDown", "j"]],
  "pick-previous": ["picking", "Mark evidence", "Sentence before", ["ArrowUp", "k"]],
  "pick-far-next": ["picking", "Mark evidence", "Next paragraph", ["ArrowRight", "PageDown"]],
  "pick-far-previous": ["picking", "Mark evidence", "Paragraph before", ["ArrowLeft", "PageUp"]],
  "pick-first": ["picking", "Mark evidence", "First sentence", ["Home"]],
  "pick-last": ["picking", "Mark evidence", "Last sentence", ["End"]],
  "pick-mark": ["picking", "Mark evidence", "Mark the sentence, or unmark it", [" ", "e"]],
  "pick-find": ["picking", "Mark evidence", "Find words in the text", ["/"]],
  "pick-save": ["picking", "Mark evidence", "Save; marks the sentence if none is marked", ["Enter"]],
  "pick-cancel": ["picking", "Mark evidence", "Leave it as it was", ["Escape"]],
};

const ADJUDICATING = "Adjudicate";

/** What a key event says: `j`, `J`, `ArrowDown`, `Ctrl+z`. */
export function spelled(event) {
  let name = event.key;
  // A keyboard that is set to another script: take the letter that is printed for Latin.
  if (name.length === 1 && name.charCodeAt(0) > 127 && /^Key[A-Z]$/.test(event.code)) {
    name = event.code.slice(3);
  }
  if (/^[a-z]$/i.test(name)) name = event.shiftKey && !event.ctrlKey ? name.toUpperCase() : name.toLowerCase();
  const graph = event.getModifierState?.("AltGraph");
  const parts = [];
  if ((event.ctrlKey || event.metaKey) && !graph) parts.push("Ctrl");
  if (event.altKey && !graph) parts.push("Alt");
  if (event.shiftKey && (name.length > 1 || name === " " || parts.length)) parts.push("Shift");
  return [...parts, name].join("+");
}

export class Keys {
  constructor(changed = {}) {
    this.changed = {};
    for (const [command, keys] of Object.entries(changed ?? {})) {
      if (command in COMMANDS && Array.isArray(keys)) this.changed[command] = keys.map(String);
    }
  }

  /** The keys of a command. */
  of(command) {
    return this.changed[command] ?? COMMANDS[command][3];
  }

  /** The command of a key in a mode, or undefined. */
  command(name, mode) {
    return Object.keys(COMMANDS).find((command) => COMMANDS[command][0] === mode && this.of(command).includes(name));
  }

  /** The keys of options, in order: digits, then letters that are no command's. */
  optionKeys() {
    const letters = [..."abcdefghijklmnopqrstuvwxyz"].filter((name) => !this.command(name, "page"));
    return [..."123456789", ...letters].filter((name) => !this.command(name, "page"));
  }

  /** Gives a command another key; whichever had it loses it. Returns that command, if any. */
  change(command, name) {
    const mode = COMMANDS[command][0];
    const loser = this.command(name, mode);
    if (loser && loser !== command) this.changed[loser] = this.of(loser).filter((key) => key !== name);
    this.changed[command] = [name];
    return loser && loser !== command ? loser : undefined;
  }

  /** Takes the keys as they were at first. */
  reset() {
    this.changed = {};
  }

  /** Commands by group, with those of adjudication only where they count. */
  groups(adjudicates) {
    const groups = new Map();
    for (const [command, [, group, text]] of Object.entries(COMMANDS)) {
      if (group === ADJUDICATING && !adjudicates) continue;
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push([command, text]);
    }
    return groups;
  }
}

/** Whether an element takes keys for itself. */
export function takesKeys(target, name) {
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog:not([open])")) return false; // on its way out
  if (target.closest("dialog, input, textarea, select, [contenteditable]")) return true;
  return (name === "Enter" || name === " ") && Boolean(target.closest("button, a, summary"));
}

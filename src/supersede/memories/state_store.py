"""`state-store`: an explicit table of what holds, written chunk by chunk (X-025).

At each chunk the model is asked once. It sees the chunk and those rows of the table that may
matter: the ones whose names share words with the chunk, rare words first, then the ones that
changed last. It returns rows to set or to end. A row has a key, a value, the chunk since which it
holds, and the sentence that says so; a sentence that the chunk does not hold is not kept. What is
written does not depend on the questions.

Read is the table itself: all that holds now, in the order in which it first came up. Where that is
more than may be shown or fits the model's window, the rows that share rare words with the question
are kept first. `state-store-history` adds to each row what held before, and rows that were ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from supersede.memories.asking import Stage
from supersede.memories.budget import fitting
from supersede.memories.follow import Follow, Heard
from supersede.memories.lengths import beginning, call_room, ends
from supersede.memories.model_memory import ModelMemory
from supersede.memories.registry import memory
from supersede.memories.state_follow import FollowState
from supersede.memories.state_prompts import Change, Changes, occurs, rehearsed, state_prompt
from supersede.memories.state_table import Row, StateTable, fact_key
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion

STATE = Stage("state", 2_048)
ROWS_READ = 60
"""Most rows that the model sees beside a chunk."""
ROWS_WRITTEN = 200
"""Most rows that are taken from one reply."""
LONGEST = {"key": 120, "value": 300, "source": 500}
"""Most characters of each part of a row."""
_TITLE = "State of the text so far, one fact a line, with the chunk since which it holds:\n"
_NOTHING = "No fact has been noted yet."
_NO_ROOM = "There is no room for any of them."


@memory("state-store", "a table of what holds, since when and by which sentence, kept by the model")
class StateStore(ModelMemory):
    """Facts by key, each with its present value."""

    uses: ClassVar[frozenset[str]] = frozenset({"shown"})
    shown: ClassVar[int] = 300
    """Rows that a context shows."""
    stages: ClassVar[tuple[Stage, ...]] = (STATE,)
    history: ClassVar[bool] = False
    """Whether former values are shown."""

    def _begin(self, stream: str, questions: tuple[StreamQuestion, ...]) -> None:
        super()._begin(stream, questions)
        self._table = StateTable()
        self._lines: dict[str, tuple[str, int]] = {}
        self._whole: Context | None = None

    @staticmethod
    def rehearse(stage: str, messages: Sequence[Message]) -> str:
        """Rows from the piece's own sentences."""
        return rehearsed(messages)

    @staticmethod
    def follow(stage: str, heard: Sequence[Heard]) -> Follow:
        """Rows as an earlier run wrote them, with as many new facts as the text still brings."""
        return FollowState(heard)

    async def _take(self, chunk: Chunk) -> None:
        stage, prompt = self._prompt(chunk.text)
        cut_before = self.model.counters().get(f"{stage.name}_cut", 0)
        found = await self.model.data(stage, prompt, Changes)
        rows = found.rows if found else ()
        if rows and self.model.counters().get(f"{stage.name}_cut", 0) > cut_before:
            last = rows[-1]  # what the end of a cut reply was mended to may be half a value
            rows = rows if occurs(last.source, chunk.text) else rows[:-1]
        self._count("rows_dropped", max(0, len(rows) - ROWS_WRITTEN))
        for row in rows[:ROWS_WRITTEN]:
            self._change(row, chunk)
        self._whole = self._context_of_all()

    def _prompt(self, chunk: str) -> tuple[Stage, tuple[Message, ...]]:
        """The call for a chunk: its rows give way before its text does."""
        counter, preamble = self.settings.budget.counter, self.settings.prompts.preamble
        fixed = sum(counter.count(one.content) for one in state_prompt(preamble, (), ""))
        most, room = call_room(self.settings.budget, fixed, STATE.max_tokens)
        keys = self._table.relevant(chunk, ROWS_READ)
        lines = [f"- {self._table[key].name}: {self._table[key].value}" for key in keys]
        text, kept = chunk, len(keys)
        if room is not None:
            sizes = [counter.count(line) + 1 for line in lines]
            kept = fitting(sizes, max(room - counter.count(chunk), room // 4))
            text = ends(chunk, room - sum(sizes[:kept]), counter)
        if kept < len(keys) or text != chunk:
            self._count("inputs_cut")
        place = {key: line for key, line in zip(keys[:kept], lines, strict=False)}
        shown = [place[key] for key in self._table.in_order(place)]
        return STATE._replace(max_tokens=most), state_prompt(preamble, shown, text)

    def _change(self, row: Change, chunk: Chunk) -> None:
        if not fact_key(row.key) or row.value == "":
            self._count("rows_dropped")
            return
        name, value, source = (
            None if text is None else _short(text, LONGEST[part])
            for part, text in (("key", row.key), ("value", row.value), ("source", row.source))
        )
        if (name, value, source) != (row.key, row.value, row.source):
            self._count("rows_shortened")
        if not occurs(row.source, chunk.text):
            source = ""
            self._count("rows_unsourced")
        key = self._table.set(name or "", value, chunk.index, source or "")
        if key is not None:
            self._count("rows_changed")
            self._write_line(key)
        elif value is None and fact_key(row.key) not in self._table:
            self._count("rows_unknown")

    def _count(self, what: str, number: int = 1) -> None:
        if number:
            self.model.count(STATE, what, number)

    def _write_line(self, key: str) -> None:
        line = self._line(self._table[key])
        self._lines[key] = line, self.settings.budget.counter.count(line) + 1

    def _line(self, row: Row) -> str:
        since = f"since chunk {row.since}" + (f': "{row.source}"' if row.source else "")
        now = f"{row.value} ({since})" if row.value is not None else f"nothing ({since})"
        before = ", ".join(f"{value} (from chunk {n})" for value, n in reversed(row.former))
        return f"- {row.name}: {now}" + (f"; before: {before}" if self.history and before else "")

    def _context_of_all(self) -> Context | None:
        """The context of every question, where all rows are shown alike; else None."""
        if self.settings.order != "index":
            return None
        if self._table.count(ended=self.history) > self._most():
            return None
        keys = self._table.keys(ended=self.history)
        if fitting([self._lines[key][1] for key in keys], self._left()) < len(keys):
            return None
        return self._context(self._table.in_order(keys), shared=True)

    def _most(self) -> int:
        return self.shown if self.settings.shown is None else self.settings.shown

    def _left(self) -> int | None:
        """Tokens of rows that fit beside their title."""
        return None if self._room is None else self._room - self._title_tokens()

    def _title_tokens(self) -> int:
        return self.settings.budget.counter.count(_TITLE)

    async def context(self, question: StreamQuestion) -> Context:
        """What holds now; where that is too much, what shares most with the question."""
        if not self._chunks:
            return Context("", shared=True)
        if self._whole is not None:
            return self._whole
        ranked = self._table.relevant(question.text, self._most(), ended=self.history)
        kept = ranked[: fitting([self._lines[key][1] for key in ranked], self._left())]
        chosen = self._table.in_order(kept) if self.settings.order == "index" else kept
        return self._context(chosen, left_out=len(ranked) - len(kept))

    def _context(self, keys: Sequence[str], *, shared: bool = False, left_out: int = 0) -> Context:
        counter = self.settings.budget.counter
        if keys:
            text = _TITLE + "\n".join(self._lines[key][0] for key in keys)
            tokens = self._title_tokens() + sum(self._lines[key][1] for key in keys)
        else:
            text = _TITLE + (_NO_ROOM if left_out else _NOTHING)
            text = text if self._room is None else beginning(text, self._room, counter)
            tokens = counter.count(text)
        return Context(
            text,
            shared=shared,
            truncated=left_out,
            notes={"tokens": tokens, "rows": len(keys)},
        )

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {**super().snapshot(), "table": self._table.snapshot()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self._table.restore(state["table"])
        for key in self._table.keys(ended=True):
            self._write_line(key)
        self._whole = self._context_of_all()


def _short(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


@memory("state-store-history", "as state-store, with what held before each fact's present value")
class StateStoreHistory(StateStore):
    """The same table, with former values and ended facts shown."""

    history: ClassVar[bool] = True

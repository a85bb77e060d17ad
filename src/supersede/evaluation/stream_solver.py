"""The solver of `supersede/stream`: reveal a chunk, wait, ask every question, go on.

Order is what makes it affordable. All questions of an interval share the beginning of their
prompt, and with the memory `base` that is again the beginning of the next interval's; so the
first question of an interval is asked alone, which puts the new chunk into the server's cache, and
the others follow. The next chunk is revealed when all of them are answered.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from inspect_ai.log import transcript
from inspect_ai.log._samples import sample_active  # no public name says where the log lies
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentText,
    ModelOutput,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from supersede.errors import ModelError, UsageError
from supersede.evaluation.stream_ask import Asker, KnowsStream
from supersede.evaluation.stream_data import blanked
from supersede.evaluation.stream_journal import JOURNAL_NAME, Answer, Journal, Place, RunKey
from supersede.evaluation.stream_progress import StreamProgress
from supersede.evaluation.stream_rows import ROWS, StreamRow, put_rows, write_predictions
from supersede.model.memory import Chunk, Context, Memory
from supersede.model.stream import Stream, StreamQuestion

__all__ = ["Prompter", "StreamSettings", "stream_solver"]

_RARE_COLLECTION = (100_000, 50, 100)


class Prompter(NamedTuple):
    """What is said around a context."""

    system: Callable[[StreamQuestion], str]
    """The rules, as the system message."""
    question: Callable[[StreamQuestion, Context], str]
    """The question with its options, as it follows the context."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """How the streams of a task are asked."""

    memory: str
    """The memory with its settings, as the journal names it."""
    new_memory: Callable[[], Memory]
    prompter: Prompter
    journal: Path | None = None
    """Beside the log where left out."""
    fresh: bool = False
    """Whether answers in the journal are asked again."""
    lean: bool | None = None
    expected: int = 0
    """Answers that the whole run asks for."""


class _Pending(NamedTuple):
    """A question that is still to be asked."""

    place: Place
    messages: list[ChatMessage]
    sha: bytes


@solver
def stream_solver(streams: Mapping[str, Stream], settings: StreamSettings) -> Solver:
    """Asks all questions of a stream at all its intervals.

    Args:
        streams: By their ids, which are those of the samples.
        settings: How they are asked.
    """
    progress = StreamProgress(settings.expected)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        given = streams[str(state.sample_id)]
        log = _log_place()
        asker = Asker(state.model, settings.lean)
        path = settings.journal or _beside(log)
        with Journal(path) as journal, _rare_collection():
            document = _Document(given, settings, asker, journal, state.epoch, progress)
            await document.run()
        rows = document.rows()
        put_rows(state.store, given, rows, document.report())
        if log is not None:
            write_predictions(log, state.epoch, given, rows)
        state.output = ModelOutput.from_content(
            str(state.model), f"{len(rows):,} answers are in {path}; see the store: {ROWS}"
        )
        return state

    return solve


def _log_place() -> Path | None:
    """Where the log of the running sample lies; None where that is no folder."""
    active = sample_active()
    place = active.log_location if active is not None else ""
    place = place.removeprefix("file://")
    return Path(place) if place and "://" not in place else None


def _beside(log: Path | None) -> Path:
    if log is None:
        raise UsageError(
            "the log lies in no local folder, so there is no place for the journal beside it",
            mend="Name a file: -T journal=FILE",
        )
    return log.parent / JOURNAL_NAME


@contextmanager
def _rare_collection() -> Iterator[None]:
    """Lets the garbage collector sleep: the growing list of events costs it a fifth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(*_RARE_COLLECTION)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Document:
    """The run through one stream."""

    def __init__(
        self,
        given: Stream,
        settings: StreamSettings,
        asker: Asker,
        journal: Journal,
        epoch: int,
        progress: StreamProgress,
    ) -> None:
        self._given = given
        self._asked = blanked(given.questions)
        self._memory = settings.new_memory()
        self._prompter = settings.prompter
        self._asker = asker
        self._journal = journal
        self._progress = progress
        self._key = RunKey(settings.memory, asker.name(), epoch)
        self._kept = {} if settings.fresh else journal.answers(given.id, self._key)
        self._answers: dict[Place, Answer] = {}
        self._reused = 0
        self._truncated: list[int] = []
        self._shown: list[list[tuple[int, ...]]] = []
        self._notes: list[list[dict[str, Any]]] = []
        self._systems: dict[str, ChatMessageSystem] = {}
        self._block: ContentText | None = None
        self._digest = hashlib.sha256(self._key.model.encode())

    async def run(self) -> None:
        """Asks everything that the journal has not."""
        self._journal.describe(self._key.model, self._asker.settings())
        if isinstance(self._asker.api, KnowsStream):
            self._asker.api.tell(self._given)
        await self._memory.start(self._given.id, self._asked)
        for interval, text in enumerate(self._given.chunks):
            await self._memory.observe(Chunk(self._given.id, interval, text))
            self._digest.update(hashlib.sha256(text.encode()).digest())
            await self._interval(interval)

    def rows(self) -> list[StreamRow]:
        """All answers, interval by interval in the order of the questions."""
        return [
            StreamRow(interval, question.id, self._answers[Place(interval, question.id)])
            for interval in range(len(self._given.chunks))
            for question in self._given.questions
        ]

    def report(self) -> dict[str, Any]:
        """What is to be known of the run besides its answers."""
        return {
            "memory": self._key.memory,
            "model": self._key.model,
            "lean": self._asker.lean,
            "reused": self._reused,
            "truncated": self._truncated,
            "counters": dict(self._memory.counters()),
            "shown": self._shown,
            "notes": self._notes,
        }

    async def _interval(self, interval: int) -> None:
        """All questions of an interval; returns when each has its answer."""
        self._truncated.append(0)
        self._shown.append([])
        self._notes.append([])
        questions = iter(self._asked)
        first = await self._next(interval, questions)
        if first is not None:
            await self._ask(first)
            await self._others(interval, questions)
        failed = sum(
            1 for place, a in self._answers.items() if place.interval == interval and a.error
        )
        transcript().info(
            {"interval": interval, "asked": len(self._asked), "failed": failed},
            source="supersede",
        )

    async def _others(self, interval: int, questions: Iterator[StreamQuestion]) -> None:
        """The rest of an interval's questions, several at a time, in order."""

        async def work() -> None:
            while (pending := await self._next(interval, questions)) is not None:
                await self._ask(pending)

        width = min(self._asker.width, len(self._asked))
        if width == 1 or self._asker.lean:
            await work()
            return
        try:
            async with anyio.create_task_group() as group:
                for _ in range(width):
                    group.start_soon(work)
        except BaseExceptionGroup as errors:
            raise _first(errors) from None

    async def _next(self, interval: int, questions: Iterator[StreamQuestion]) -> _Pending | None:
        """The next question that the journal does not answer; None when all are through."""
        for question in questions:
            context = await self._memory.context(question)
            self._note(interval, context)
            place = Place(interval, question.id)
            text = self._prompter.question(question, context)
            system = self._prompter.system(question)
            sha = self._sha(system, context, text)
            kept = self._kept.get(place)
            if kept is not None and kept[0] == sha and kept[1].error is None:
                self._answers[place] = kept[1]
                self._reused += 1
                self._progress.add()
                continue
            return _Pending(place, self._messages(system, context, text, place), sha)
        return None

    def _note(self, interval: int, context: Context) -> None:
        self._truncated[interval] += bool(context.truncated)
        if not context.shared:
            self._shown[interval].append(context.chunks)
            self._notes[interval].append(dict(context.notes))

    async def _ask(self, pending: _Pending) -> None:
        """Asks a question and writes its answer down."""
        answer = await self._asker.ask(pending.messages)
        self._journal.write(self._given.id, self._key, pending.place, pending.sha, answer)
        self._answers[pending.place] = answer
        self._progress.add()

    def _sha(self, system: str, context: Context, question: str) -> bytes:
        """The digest of a prompt, by which an answer is known again.

        A context that a model derived may read differently each time: it counts by the chunks
        that were revealed. One that shows chunks counts as it stands.
        """
        digest = self._digest.copy()
        digest.update(system.encode())
        if context.chunks:
            digest.update(self._context_digest(context.text))
        digest.update(question.encode())
        return digest.digest()[:16]

    def _context_digest(self, text: str) -> bytes:
        if self._block is None or self._block.text != text:
            self._block = ContentText(text=text, cache_breakpoint=True)
            self._block_sha = hashlib.sha256(text.encode()).digest()
        return self._block_sha

    def _messages(
        self, system: str, context: Context, question: str, place: Place
    ) -> list[ChatMessage]:
        """Rules, context and question; what is shared is the same object each time."""
        if system not in self._systems:
            self._systems[system] = ChatMessageSystem(content=system)
        content: list[Content] = [ContentText(text=question)]
        if context.text:
            self._context_digest(context.text)
            assert self._block is not None
            content.insert(0, self._block)
        user = ChatMessageUser(content=content)
        if isinstance(self._asker.api, KnowsStream):
            user.metadata = {"asked": [self._given.id, place.question, place.interval]}
        return [self._systems[system], user]


def _first(errors: BaseExceptionGroup) -> BaseException:
    """The error that says most: ours, else the first."""
    plain = [error for error in _flat(errors)]
    return next((error for error in plain if isinstance(error, ModelError)), plain[0])


def _flat(errors: BaseExceptionGroup) -> Sequence[BaseException]:
    found: list[BaseException] = []
    for error in errors.exceptions:
        found += _flat(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found

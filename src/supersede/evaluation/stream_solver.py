"""The solver of `supersede/stream`: reveal a chunk, wait, ask every question, go on.

Order is what makes it affordable. All questions of an interval share the beginning of their
prompt, and with the memory `base` that is again the beginning of the next interval's; so the
first question of an interval is asked alone, which puts the new chunk into the server's cache, and
the others follow. The next chunk is revealed when all of them are answered.
"""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.log import transcript
from inspect_ai.log._samples import sample_active  # no public name says where the log lies
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentText,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from supersede.corpus.tokens import Estimate, TokenCounter
from supersede.errors import UsageError
from supersede.evaluation.stream_ask import Asker, KnowsStream
from supersede.evaluation.stream_events import ALL_RECORDED, only_failures
from supersede.evaluation.stream_journal import JOURNAL_NAME, Answer, Journal, Place, RunKey
from supersede.evaluation.stream_memory_model import MemoryCalls, memory_asker
from supersede.evaluation.stream_progress import StreamProgress
from supersede.evaluation.stream_rows import ROWS, StreamRow, put_rows, write_predictions
from supersede.evaluation.stream_tasks import side_by_side, while_wanted
from supersede.memories import Prompt, Prompts, blanked
from supersede.memories.retrieval.pass_at import needed_chunks
from supersede.model.memory import Chunk, Context, Memory
from supersede.model.protocols import Generate as GenerateReply
from supersede.model.stream import Stream, StreamQuestion

__all__ = ["StreamSettings", "stream_solver"]

_RARE_COLLECTION = (100_000, 50, 100)


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """How the streams of a task are asked."""

    memory: str
    """The memory with its settings, as the journal names it."""
    new_memory: Callable[[Stream, GenerateReply], Memory]
    """The memory of a document that is not begun yet, with the model that it may ask."""
    prompts_of: Callable[[Stream], Prompts]
    """What is said around the contexts of a document."""
    journal: Path | None = None
    """Beside the log where left out."""
    fresh: bool = False
    """Whether answers in the journal are asked again."""
    lean: bool | None = None
    expected: int = 0
    """Answers that the whole run asks for."""
    counter: TokenCounter = field(default_factory=Estimate)
    """Counts the tokens of a memory's calls where the server does not."""
    thinking: int = 0
    """Tokens that the model of a memory may think before each reply, beside the reply's own."""


_Pair = tuple[StreamQuestion, StreamQuestion]
"""A question as a memory may see it, and with its answers."""


class _Pending(NamedTuple):
    """A question that is still to be asked."""

    place: Place
    messages: list[ChatMessage]
    sha: bytes


class Found:
    """How often the evidence of an answer was in the context, and how highly it was ranked."""

    def __init__(self) -> None:
        self.needed = 0
        """Contexts of questions that something supports by then."""
        self.shown = 0
        """Those that show the evidence."""
        self.ranks: Counter[int] = Counter()
        """One-based rank of the evidence -> rankings; 0 where it was not ranked."""

    def add(self, context: Context, needed: frozenset[int]) -> None:
        """Counts a context."""
        if not needed:
            return
        self.needed += 1
        self.shown += needed <= set(context.chunks)
        ranking = context.notes.get("ranking")
        if ranking is not None:
            places = [ranking.index(n) + 1 if n in ranking else 0 for n in needed]
            self.ranks[max(places) if all(places) else 0] += 1

    def data(self) -> dict[str, Any]:
        """The counts as JSON data."""
        ranks = {str(rank): n for rank, n in sorted(self.ranks.items())}
        return {"needed": self.needed, "shown": self.shown, "ranks": ranks}


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
        model = get_model()
        asker, reader = Asker(model, settings.lean), memory_asker(model, settings.lean)
        path = settings.journal or _beside(log)
        with Journal(path) as journal, _rare_collection():
            document = _Document(given, settings, asker, reader, journal, state.epoch, progress)
            async with while_wanted():
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
        reader: Asker,
        journal: Journal,
        epoch: int,
        progress: StreamProgress,
    ) -> None:
        self._given = given
        self._asked = blanked(given.questions)
        self._prompts = settings.prompts_of(given)
        self._asker = asker
        self._reader = reader
        self._journal = journal
        self._progress = progress
        self._key = RunKey(settings.memory, asker.name(), epoch)
        self._calls = MemoryCalls(
            reader,
            journal,
            given.id,
            self._key,
            settings.counter,
            fresh=settings.fresh,
            thinking=settings.thinking,
        )
        self._memory = settings.new_memory(given, self._calls)
        self._kept = {} if settings.fresh else journal.answers(given.id, self._key)
        self._answers: dict[Place, Answer] = {}
        self._reused = 0
        self._truncated: list[int] = []
        self._found = Found()
        self._before: dict[str, list[ChatMessage]] = {}
        self._block: ContentText | None = None
        self._text, self._text_sha = "", _sha("")
        self._failed: list[int] = []
        self._tells = False
        models = dict.fromkeys((self._key.model, self._calls.model))  # one, unless it has a role
        self._digest = hashlib.sha256("".join(models).encode())

    async def run(self) -> None:
        """Asks everything that the journal has not."""
        self._journal.describe(self._key.model, self._asker.settings())
        self._journal.describe(self._calls.model, self._reader.settings())
        if isinstance(self._asker.api, KnowsStream):
            self._asker.api.tell(self._given)
            self._tells = True
        await self._memory.start(self._given.id, self._asked)
        for interval, text in enumerate(self._given.chunks):
            await self._memory.observe(Chunk(self._given.id, interval, text))
            self._digest.update(_sha(text))
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
        counters = dict(self._memory.counters())
        stages = self._calls.stages(counters)
        return {
            "memory": self._key.memory,
            "question_aware_writes": getattr(self._memory, "question_aware_writes", None),
            "model": self._key.model,
            "memory_model": self._calls.model if stages else None,
            "lean": self._asker.lean,
            "reused": self._reused,
            "truncated": self._truncated,
            "counters": counters,
            "stages": stages,
            "evidence": self._found.data(),
        }

    async def _interval(self, interval: int) -> None:
        """All questions of an interval; returns when each has its answer."""
        self._truncated.append(0)
        self._failed.append(0)
        questions = iter(zip(self._asked, self._given.questions, strict=True))
        first = await self._next(interval, questions)
        if first is not None:
            await self._ask(first)
            with self._records():
                await self._others(interval, questions)
        failed = self._failed[interval]
        transcript().info(
            {"interval": interval, "asked": len(self._asked), "failed": failed},
            source="supersede",
        )

    def _records(self) -> AbstractContextManager[None]:
        """Where the calls after an interval's first are made: which have records in the log."""
        calls = len(self._given.chunks) * len(self._asked)
        return nullcontext() if calls <= ALL_RECORDED else only_failures()

    async def _others(self, interval: int, questions: Iterator[_Pair]) -> None:
        """The rest of an interval's questions, several at a time, in order."""

        async def work() -> None:
            while (pending := await self._next(interval, questions)) is not None:
                await self._ask(pending)

        width = min(self._asker.width, len(self._asked))
        if width == 1 or self._asker.lean:
            await work()
            return
        async with side_by_side() as group:
            for _ in range(width):
                group.start_soon(work)

    async def _next(self, interval: int, questions: Iterator[_Pair]) -> _Pending | None:
        """The next question that the journal does not answer; None when all are through."""
        for question, answered in questions:
            context = await self._memory.context(question)
            self._truncated[interval] += bool(context.truncated)
            self._found.add(context, needed_chunks(answered, interval))
            place = Place(interval, question.id)
            prompt = self._prompts.prompt(question, context)
            sha = self._sha(prompt, bool(context.chunks))
            kept = self._kept.get(place)
            if kept is not None and kept[0] == sha and kept[1].error is None:
                self._answers[place] = kept[1]
                self._reused += 1
                self._progress.add()
                continue
            return _Pending(place, self._messages(prompt, place), sha)
        return None

    async def _ask(self, pending: _Pending) -> None:
        """Asks a question and writes its answer down."""
        answer = await self._asker.ask(pending.messages)
        self._journal.write(self._given.id, self._key, pending.place, pending.sha, answer)
        self._answers[pending.place] = answer
        self._failed[pending.place.interval] += answer.error is not None
        self._progress.add()

    def _sha(self, prompt: Prompt, verbatim: bool) -> bytes:
        """The digest of a prompt, by which its answer is known again.

        A context that a model derived may read differently each time: it counts by the chunks
        that were revealed. One that shows chunks counts as it stands.
        """
        digest = self._digest.copy()
        digest.update(_sha(prompt.system + prompt.example[0].content + prompt.example[1].content))
        if verbatim:
            digest.update(self._context_sha(prompt.context))
        digest.update(_sha(prompt.question))
        return digest.digest()[:16]

    def _context_sha(self, text: str) -> bytes:
        """The digest of a context, worked out once where it is shared."""
        if text != self._text:
            self._text, self._text_sha = text, _sha(text)
        return self._text_sha

    def _context_block(self, text: str) -> ContentText:
        """The block of a context, one object where it is shared."""
        if self._block is None or self._block.text != text:
            self._block = ContentText(text=text, cache_breakpoint=True)
        return self._block

    def _messages(self, prompt: Prompt, place: Place) -> list[ChatMessage]:
        """Rules, example, context and question; what is shared is the same object each time."""
        if prompt.system not in self._before:
            asked, said = prompt.example
            self._before[prompt.system] = [
                ChatMessageSystem(content=prompt.system),
                ChatMessageUser(content=asked.content),
                ChatMessageAssistant(content=said.content),
            ]
        content: list[Content] = [ContentText(text=prompt.question)]
        if prompt.context:
            content.insert(0, self._context_block(prompt.context))
        user = ChatMessageUser(id=f"{place.interval}/{place.question}", content=content)
        if self._tells:
            user.metadata = {"asked": [self._given.id, place.question, place.interval]}
        return [*self._before[prompt.system], user]


def _sha(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()

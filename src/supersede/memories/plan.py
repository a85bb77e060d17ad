"""What a run will take, before it is started: calls, tokens, cost, and which calls are cut (O-142).

The memory is driven over the stream as in a run. Where it asks a model, it is given replies of
common length in place of one: its calls and the tokens of their prompts come out as in a run, or
somewhat above where they depend on what a model says, and the tokens of replies are the most that
these may have. Tokens are counted chunk by chunk with the budget's counter. Where the replies of an
earlier run are known, it is given these, and what they tell of others (`pilot`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from supersede.memories.budget import TEMPLATE_TOKENS
from supersede.memories.chunks import MemorySettings
from supersede.memories.follow import Heard
from supersede.memories.pilot import Call, Following, Lessons, Listening, Pilot, Recall
from supersede.memories.prompts import blanked
from supersede.memories.rehearsal import Rehearsed, StagePlan, together
from supersede.model.memory import Chunk, Context, Memory
from supersede.model.stream import Stream


class CutCall(NamedTuple):
    """A call that cannot be shown all that its memory would show."""

    stream: str
    question: str
    interval: int
    left_out: int
    """Chunks left out."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What asking all questions at all intervals takes."""

    calls: int
    """Answers that are asked for."""
    input_tokens: int
    """Tokens of the prompts of all answers."""
    fresh_tokens: int
    """Those that a server computes that keeps the last prompt of a document: what follows the
    part, in whole chunks, that a prompt has in common with the one before."""
    longest: int
    """Tokens of the longest prompt."""
    cut: tuple[CutCall, ...]
    """Every call that is cut."""
    stages: Mapping[str, StagePlan] = field(default_factory=dict)
    """What the memory's own calls take, by stage; empty where it asks no model."""

    def __add__(self, other: Plan) -> Plan:
        """Two runs as one."""
        return Plan(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.fresh_tokens + other.fresh_tokens,
            max(self.longest, other.longest),
            self.cut + other.cut,
            together(self.stages, other.stages),
        )

    @property
    def memory(self) -> StagePlan:
        """What all calls of the memory take."""
        return sum(self.stages.values(), start=StagePlan())

    @property
    def cached_share(self) -> float:
        """Share of the prompt tokens that need not be computed again; 0 without calls."""
        return 1 - self.fresh_tokens / self.input_tokens if self.input_tokens else 0.0

    def cost(self, prices: Prices, *, answer_tokens: int) -> float:
        """What it costs; of the memory's own calls the most that they can, unless a run tells.

        Args:
            prices: What the provider takes.
            answer_tokens: Tokens of an answer, thinking included, on average.
        """
        cached = self.input_tokens - self.fresh_tokens
        memory = self.memory
        paid = (
            (self.fresh_tokens + memory.input_tokens) * prices.input
            + cached * (prices.input if prices.cached is None else prices.cached)
            + (self.calls * answer_tokens + memory.likely_tokens) * prices.output
        )
        return paid / 1_000_000

    def seconds(self, *, prefill: float, decode: float, answer_tokens: int) -> float:
        """How long it takes (O-143); of the memory's own calls as with the cost.

        Args:
            prefill: Prompt tokens that the server computes in a second, all requests together.
            decode: Reply tokens that it writes in a second, all requests together.
            answer_tokens: Tokens of an answer, thinking included, on average.
        """
        read = self.fresh_tokens + self.memory.input_tokens
        written = self.calls * answer_tokens + self.memory.likely_tokens
        return read / prefill + written / decode


class Prices(NamedTuple):
    """What a provider takes for a million tokens."""

    input: float
    output: float
    cached: float | None = None
    """For prompt tokens that its cache holds; None where they cost as much."""


NOTHING = Plan(0, 0, 0, 0, ())


MakeMemory = Callable[[MemorySettings], Memory]


async def plan_streams(
    streams: Iterable[Stream],
    make: MakeMemory,
    settings: MemorySettings,
    pilot: Pilot | None = None,
) -> Plan:
    """What asking all questions of some streams takes.

    Args:
        streams: The documents.
        make: Makes the memory of a document.
        settings: Its settings, with the prompts without a document's preamble; their model is
            never asked.
        pilot: An earlier run to go by.
    """
    total = NOTHING
    for stream in streams:
        total += await plan_stream(stream, make, settings, pilot)
    return total


async def learn(
    streams: Iterable[tuple[Stream, MemorySettings]],
    make: MakeMemory,
    recall: Recall,
    others: Mapping[Call, Sequence[Heard]],
) -> Lessons:
    """What an earlier run says, found by driving the memory over as much as that had read.

    Args:
        streams: The documents, each with the settings of its memory.
        make: Makes the memory of a document.
        recall: Knows the replies of the earlier run.
        others: All of its replies, to go by where none was given to a prompt of the plan.
    """
    heard: dict[Call, list[Heard]] = {}
    counted, told, chunks = 0, 0, 0
    for stream, settings in streams:
        model = Listening(settings.budget.counter, recall)
        memory = make(replace(settings, generate=model))
        await _begin(model, memory, stream)
        for index, text in enumerate(stream.chunks):
            before, asked, model.now = len(model.heard), model.asked, index
            await memory.observe(Chunk(stream.id, index, text))
            for question in blanked(stream.questions):
                await memory.context(question)
            if len(model.heard) > before:
                chunks = max(chunks, index + 1)
            elif model.asked > asked:  # it asks what nobody has answered: here the run ended
                break
        for call, one in model.heard:
            heard.setdefault(call, []).append(one)
        counted, told = counted + model.tokens[0], told + model.tokens[1]
    if not heard:
        return Lessons({call: tuple(rows) for call, rows in others.items()})
    rows = {call: tuple(given) for call, given in heard.items()}
    return Lessons(rows, told / counted if told else 1.0, chunks)


async def _begin(model: Rehearsed, memory: Memory, stream: Stream) -> None:
    """Has a memory begin a document with a model for plans."""
    model.of(memory)
    model.stream = stream.id
    await memory.start(stream.id, blanked(stream.questions))


async def plan_stream(
    stream: Stream, make: MakeMemory, settings: MemorySettings, pilot: Pilot | None = None
) -> Plan:
    """What asking all questions of one stream takes, interval by interval, in order."""
    questions = blanked(stream.questions)
    thinking = settings.budget.thinking
    model = (
        Rehearsed(settings.budget.counter, thinking)
        if pilot is None
        else Following(settings.budget.counter, pilot, thinking)
    )
    memory = make(replace(settings, generate=model))
    await _begin(model, memory, stream)
    counter = settings.budget.counter
    sizes: list[int] = []
    total, fresh, longest, cut = 0, 0, 0, []
    last: Context | None = None
    rules = ""
    for index, text in enumerate(stream.chunks):
        model.now = index
        await memory.observe(Chunk(stream.id, index, text))
        sizes.append(counter.count(text))
        for question in questions:
            context = await memory.context(question)
            closed = context.closed_book
            prompt = settings.prompts.tokens(question, counter, context.head, closed_book=closed)
            around = prompt + TEMPLATE_TOKENS
            shown = _tokens(context, settings)
            total += around + shown
            longest = max(longest, around + shown)
            if (now := settings.prompts.system(question, closed_book=closed)) != rules:
                rules, last = now, None
                fresh += around
            else:
                fresh += around - settings.prompts.shared_tokens(
                    question, counter, closed_book=closed
                )
            fresh += max(0, shown - _common(last, context, sizes, shown))
            last = context
            if context.truncated:
                cut.append(CutCall(stream.id, question.id, index, context.truncated))
    calls = len(stream.chunks) * len(questions)
    total, fresh, longest = (round(one * model.unit) for one in (total, fresh, longest))
    return Plan(calls, total, fresh, longest, tuple(cut), model.stages)


def _tokens(context: Context, settings: MemorySettings) -> int:
    """Tokens of a context, as its memory counted them."""
    known = context.notes.get("tokens")
    return known if isinstance(known, int) else settings.budget.counter.count(context.text)


def _common(last: Context | None, context: Context, sizes: Sequence[int], shown: int) -> int:
    """Tokens at the beginning of a context that the last prompt began with too."""
    if last is None:
        return 0
    if context.text == last.text:
        return shown
    common = 0
    for before, now in zip(last.chunks, context.chunks, strict=False):
        if before != now:
            break
        common += sizes[now]
    return common

"""Drafting: a model names whom a book is about, and writes questions about each of them.

Every question is kept as a draft, with the reason where it is dropped; of those that hold, project
questions are made, which people then answer. A long book is shown in parts. Drafting again changes
nothing: a draft is named by what it says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple, TypeAlias, TypeVar

from supersede.errors import ModelError
from supersede.memories.asking import RETRIES, MemoryModel, Stage
from supersede.memories.budget import Budget, prompt_tokens
from supersede.memories.replies import plain
from supersede.memories.side_by_side import side_by_side
from supersede.model.instance import Message
from supersede.model.protocols import Generate
from supersede.novels.annotations import Draft, Option, OptionRole, Question
from supersede.novels.book import Book, Chunk
from supersede.novels.changes import draft_change, question_changes
from supersede.novels.draft_checks import Reason, checked, folded
from supersede.novels.draft_parts import in_a_row, mentioning, merged, spread
from supersede.novels.draft_prompts import Passages, entities_prompt, questions_prompt
from supersede.novels.draft_replies import Drafted, entities_of, questions_of
from supersede.novels.log import Change
from supersede.novels.project import Project
from supersede.novels.quoting import Quotable
from supersede.novels.typed import tidy
from supersede.streams.oaks import CATCH_ALLS

__all__ = ["DraftReport", "DraftSettings", "Progress", "draft"]

Result = TypeVar("Result")
Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told the stage, how many of its prompts are answered, and how many there are."""

ENTITIES = Stage("entities", 512)
QUESTIONS = Stage("questions", 4_096)

_RAW = 2_000  # signs of a reply that is kept because it makes no sense
_SHARE = 3  # of a window, at most one in so many tokens is kept for the reply


@dataclass(frozen=True, slots=True)
class DraftSettings:
    """How much is drafted."""

    entities: int = 10
    """Most people and things that are asked about."""
    questions: int = 5
    """Most questions that a prompt asks for."""
    named: tuple[str, ...] = ()
    """Whom and what to ask about; where empty, the model says."""


@dataclass(frozen=True, slots=True)
class DraftReport:
    """What came of drafting."""

    book: str
    entities: tuple[str, ...]
    """Whom and what was asked about."""
    passed_over: tuple[str, ...]
    """Those that the model named, and that fewer than two chunks name."""
    drafted: int
    """Drafts, malformed replies included."""
    kept: int
    """Those that became questions."""
    dropped: Mapping[str, int]
    """The others by reason, most first."""
    known: int
    """Of all drafts, those that were there already."""
    counters: Mapping[str, float]
    """Calls, tokens and malformed replies by stage, as `entities_calls`."""


class _Given(NamedTuple):
    """What a reply holds."""

    questions: tuple[Drafted, ...]
    raw: str
    """The reply, where it makes no sense; else empty."""


async def draft(
    project: Project,
    book: str,
    generate: Generate,
    *,
    model: str,
    budget: Budget | None = None,
    settings: DraftSettings | None = None,
    progress: Progress | None = None,
) -> DraftReport:
    """Drafts questions about a book.

    They are written down when all replies are there, entity by entity; that nothing is asked twice
    when it was stopped before, is up to the `generate` that is given.

    Args:
        project: The project.
        book: Id of the book.
        generate: The model.
        model: Its name, under which drafts and questions are kept.
        budget: Its window; without one the whole book is shown at once. What it keeps for an
            answer is not looked at: each stage has its own.
        settings: How much is drafted.
        progress: Is told how far each stage is, first before it asks anything.

    Raises:
        UsageError: There is no such book, or the window is too short for two of its chunks.
        ModelError: A call failed, or the model named nobody of the book.
    """
    drafting = _Drafting(project, project.book(book), generate, model, budget or Budget(), progress)
    return await drafting.run(settings or DraftSettings())


class _Drafting:
    def __init__(
        self,
        project: Project,
        book: Book,
        generate: Generate,
        model: str,
        budget: Budget,
        progress: Progress | None,
    ) -> None:
        self._project, self._book, self._budget = project, book, budget
        self._progress = progress or (lambda stage, done, total: None)
        self._asked = MemoryModel(generate)
        self._by = f"model:{model}"
        self._model = model
        self._quotable = Quotable(book.chunks)
        self._sizes = [budget.counter.count(chunk.text) for chunk in book.chunks]

    async def run(self, settings: DraftSettings) -> DraftReport:
        named = settings.named or await self._entities(settings.entities)
        chosen = {name: mentioning(self._book.chunks, name) for name in dict.fromkeys(named)}
        entities = tuple(name for name, chunks in chosen.items() if len(chunks) > 1)
        if not entities:
            said = f"of {', '.join(map(repr, chosen))}" if chosen else "of no name"
            raise ModelError(
                f"{self._model} gave nobody who is named in two chunks or more: {said}",
                where=self._book.id,
                mend="Say whom the questions are to be about: --entity NAME.",
            )
        most = settings.questions
        calls = [
            (name, questions_prompt(shown, name, most))
            for name in entities
            for shown in self._parts(chosen[name], QUESTIONS, name, most)
        ]
        drafts: list[Draft] = []
        known = 0
        replies = await self._each(QUESTIONS, self._questions, [prompt for _, prompt in calls])
        for entity in entities:
            given = [
                reply for (name, _), reply in zip(calls, replies, strict=True) if name == entity
            ]
            written, old = self._keep(entity, given, most)
            drafts += written
            known += old
        reasons = Counter(one.reason for one in drafts if not one.kept)
        return DraftReport(
            self._book.id,
            entities,
            tuple(name for name in chosen if name not in entities),
            len(drafts),
            sum(one.kept for one in drafts),
            dict(reasons.most_common()),
            known,
            self._asked.counters(),
        )

    def _stage(self, stage: Stage) -> Stage:
        """A stage whose reply leaves most of the window to the text."""
        limit = self._budget.limit
        return (
            stage
            if limit is None
            else stage._replace(max_tokens=min(stage.max_tokens, limit // _SHARE))
        )

    def _room(self, stage: Stage, bare: Sequence[Message]) -> int | None:
        """Tokens of text beside a prompt without any."""
        counter = self._budget.counter
        budget = Budget(
            self._budget.limit, self._stage(stage).max_tokens, counter, self._budget.margin
        )
        return budget.room(prompt_tokens(bare, counter))

    def _measured(self, chunks: Sequence[Chunk]) -> list[int]:
        """Tokens of chunks with what stands around each."""
        return [self._sizes[chunk.index] + _TAGS for chunk in chunks]

    async def _entities(self, most: int) -> tuple[str, ...]:
        book = self._book
        room = self._room(ENTITIES, entities_prompt(Passages(book, ()), most))
        runs = in_a_row(book.chunks, self._measured(book.chunks), room)
        prompts = [entities_prompt(Passages(book, run), most) for run in runs]
        return merged(await self._each(ENTITIES, self._names, prompts), most)

    async def _each(
        self,
        stage: Stage,
        ask: Callable[[Sequence[Message]], Awaitable[Result]],
        prompts: Sequence[Sequence[Message]],
    ) -> list[Result]:
        """What comes of each of some prompts, which are asked side by side."""
        done = 0

        async def one(prompt: Sequence[Message]) -> Result:
            nonlocal done
            result = await ask(prompt)
            done += 1
            self._progress(stage.name, done, len(prompts))
            return result

        self._progress(stage.name, 0, len(prompts))
        return await side_by_side(map(one, prompts))

    async def _names(self, prompt: Sequence[Message]) -> tuple[str, ...]:
        """The names of a reply that are in the book, asked twice where there are none."""
        stage = self._stage(ENTITIES)
        for attempt in range(RETRIES + 1):
            reply = await self._asked.text(stage, prompt, attempt=attempt)
            found = entities_of(reply.text)
            if any(mentioning(self._book.chunks, name) for name in found):
                return found
            self._asked.count(stage, "malformed")
        self._asked.count(stage, "fallbacks")
        return ()

    def _parts(
        self, chunks: Sequence[Chunk], stage: Stage, entity: str, most: int
    ) -> list[Passages]:
        room = self._room(stage, questions_prompt(Passages(self._book, ()), entity, most))
        return [Passages(self._book, part) for part in spread(chunks, self._measured(chunks), room)]

    async def _questions(self, prompt: Sequence[Message]) -> _Given:
        stage = self._stage(QUESTIONS)
        raw = ""
        for attempt in range(RETRIES + 1):
            reply = await self._asked.text(stage, prompt, attempt=attempt)
            found = questions_of(reply.text)
            if found is not None:
                return _Given(found, "")
            self._asked.count(stage, "malformed")
            raw = tidy(plain(reply.text))[:_RAW]
        self._asked.count(stage, "fallbacks")
        return _Given((), raw or "(nothing)")

    def _keep(self, entity: str, given: Sequence[_Given], most: int) -> tuple[list[Draft], int]:
        """Writes down what was drafted about somebody; gives it, and how much was there already.

        Of each reply at most so many questions are kept as were asked for.
        """
        there = {one.id: one for one in self._project.drafts(self._book.id)}
        asked = {folded(one.text) for one in self._project.questions(self._book.id)}
        drafts: dict[str, Draft] = {}
        changes: list[Change] = []
        kept: Counter[int] = Counter()
        for reply, one in self._drafted(given):
            name = _name(self._model, entity, one)
            if name in drafts:
                continue
            if name in there:
                drafts[name] = there[name]
                kept[reply] += there[name].kept
                continue
            made = self._looked_at(name, entity, one, asked)
            if made.kept and kept[reply] >= most:
                made = replace(made, kept=False, reason=Reason.TOO_MANY, question="")
            drafts[name] = made
            kept[reply] += made.kept
            changes.append(draft_change(self._book.id, made))
            if made.kept:
                asked.add(folded(made.text))
                changes += question_changes(self._book.id, _question(made, self._by))
        if changes:
            self._project.act(self._by, self._book.id, changes)
        return list(drafts.values()), len(drafts.keys() & there.keys())

    def _drafted(self, given: Sequence[_Given]) -> list[tuple[int, Drafted | str]]:
        """Every question, and every reply without sense as its text, with the reply's number."""
        return [
            (number, one)
            for number, reply in enumerate(given)
            for one in (reply.questions or ([reply.raw] if reply.raw else []))
        ]

    def _looked_at(self, name: str, entity: str, one: Drafted | str, asked: set[str]) -> Draft:
        if isinstance(one, str):
            return Draft(name, entity, one, (), False, Reason.MALFORMED, "", self._model)
        answers, reason = checked(one, self._quotable, asked)
        kept = reason is None
        return Draft(
            name, entity, one.text, answers, kept, reason or "", name if kept else "", self._model
        )


def _name(model: str, entity: str, one: Drafted | str) -> str:
    """A name that says whom it is about, and is the same where the same was drafted."""
    said = repr((model, entity, one if isinstance(one, str) else tuple(one)))
    plain_name = re.sub(r"[^a-z0-9]+", "-", entity.casefold()).strip("-") or "entity"
    return f"{plain_name}-{sha256(said.encode()).hexdigest()[:8]}"


def _question(made: Draft, author: str) -> Question:
    """The question of a draft: its different answers, and the option before the first of them."""
    texts: dict[str, str] = {}
    for one in made.answers:
        texts.setdefault(folded(one.answer), one.answer)
    options = [Option(f"a{n}", text) for n, text in enumerate(texts.values(), start=1)]
    options.append(Option("none", CATCH_ALLS[0], OptionRole.CATCH_ALL))
    return Question(made.question, made.text, tuple(options), entity=made.entity, author=author)


_TAGS = 16
"""Tokens that stand around a chunk in a prompt, at most."""

"""The four verification rules and the three filters, by machine where a machine can.

What a machine cannot see stays with people: whether the evidence supports the answer, whether only
one option is right, and whether a question needs more than stitching passages together (O-090).
They say so with flags and reviews, and what they said is reported here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from supersede.novels.annotations import (
    BookAnnotations,
    Option,
    OptionRole,
    Question,
    Reformulation,
    Span,
    Timeline,
)
from supersede.novels.answers import canonical, offered, settled
from supersede.novels.book import digest
from supersede.novels.framing import reformulation_needed
from supersede.streams.oaks import is_catch_all

__all__ = ["FEWEST_OPTIONS", "MOST_OPTIONS", "RULES", "Finding", "Level", "findings"]

FEWEST_OPTIONS = 5
MOST_OPTIONS = 15
REVIEWERS = 2


class Level(StrEnum):
    """What a finding means."""

    FAILS = "fails"
    """The question is not fit as it is."""
    LOOK = "look"
    """A person should look at it, and may leave it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that must hold, or that is worth a look."""

    level: Level
    says: str
    mend: str
    source: str
    """The part of the paper that asks for it."""


RULES = {
    "settled": Rule(
        Level.FAILS,
        "annotators agree on the answer, or adjudication has decided",
        "Adjudicate it.",
        "rule (i)",
    ),
    "one-answer": Rule(
        Level.FAILS,
        "every chunk has exactly one answer, and it is an option",
        "Choose an option there; the catch-all says that it cannot be answered yet.",
        "rule (i)",
    ),
    "catch-all-first": Rule(
        Level.FAILS,
        "the catch-all is not the answer again once another has been",
        "What was known is known: choose the option that holds.",
        "rule (i)",
    ),
    "evidence-given": Rule(
        Level.FAILS,
        "a new answer other than the catch-all has evidence",
        "Mark the sentence that tells it.",
        "rule (ii)",
    ),
    "evidence-quoted": Rule(
        Level.FAILS,
        "evidence stands word for word where it is said to stand",
        "Mark it again.",
        "rule (ii)",
    ),
    "evidence-hash": Rule(
        Level.FAILS,
        "the chunk's text is the one that evidence was marked in",
        "Mark it again: the text has changed since.",
        "rule (ii)",
    ),
    "evidence-here": Rule(
        Level.FAILS,
        "evidence stands in the chunk where its answer was chosen",
        "Choose the answer in the chunk that tells it.",
        "rule (iii)",
    ),
    "options": Rule(
        Level.FAILS,
        f"there are {FEWEST_OPTIONS} to {MOST_OPTIONS} options",
        "Add distractors, or merge options that say the same.",
        "rule (iv)",
    ),
    "distractor": Rule(
        Level.FAILS,
        "at least one option is a distractor",
        "Add an option that is plausible and never right.",
        "rule (iv)",
    ),
    "catch-all": Rule(
        Level.FAILS,
        "exactly one option is the catch-all",
        "Add one that says that the question cannot be answered yet.",
        "rule (iv)",
    ),
    "different-options": Rule(
        Level.FAILS,
        "no two options read the same",
        "Say which option the other is the same as.",
        "rule (iv)",
    ),
    "different-questions": Rule(
        Level.FAILS, "no two questions of a book read the same", "Reword or drop one.", "export"
    ),
    "two-changes": Rule(
        Level.FAILS,
        "there are at least two answers over time",
        "Drop it: nothing evolves.",
        "filter (ii)",
    ),
    "two-reviewers": Rule(
        Level.FAILS,
        f"at least {REVIEWERS} people went over it",
        "Have another person review it.",
        "review",
    ),
    "reviewers-agree": Rule(
        Level.FAILS,
        "nobody who went over it disagrees",
        "Discuss it, and mend or drop it.",
        "review",
    ),
    "one-transition": Rule(
        Level.LOOK,
        "the answer becomes another one more than once",
        "Keep it only if it needs several chunks.",
        "filter (ii)",
    ),
    "one-chunk": Rule(
        Level.LOOK,
        "no chunk has the evidence of two different answers",
        "Drop it if that chunk alone gives it away.",
        "filter (iii)",
    ),
    "unsupported": Rule(
        Level.LOOK,
        "every option that is no distractor is right at some chunk",
        "Make it a distractor, or take it out.",
        "filter (iii)",
    ),
    "distractor-right": Rule(
        Level.LOOK, "no distractor is right anywhere", "Make it an answer.", "filter (iii)"
    ),
    "flagged": Rule(
        Level.LOOK, "nobody has a doubt about it", "See to it, then drop or keep it.", "filters"
    ),
    "wording": Rule(
        Level.LOOK,
        "the wording asks for the state now",
        "Anchor it in time, or ask for the newest.",
        "rewording",
    ),
    "carried": Rule(
        Level.LOOK,
        "somebody chose or confirmed the answer at every chunk",
        "Go through those chunks.",
        "rule (i)",
    ),
}
"""Every rule by name."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that breaks one rule."""

    rule: str
    """A name of `RULES`."""
    book: str
    question: str
    chunk: int | None
    """Zero-based; None where it is about the whole question."""
    what: str
    annotator: str = ""
    """Whose answers; empty for those that count."""

    @property
    def level(self) -> Level:
        """Whether it fails, or is worth a look."""
        return RULES[self.rule].level

    @property
    def mend(self) -> str:
        """What to do about it."""
        return RULES[self.rule].mend

    def __str__(self) -> str:
        place = f"{self.book}, {self.question}"
        if self.chunk is not None:
            place += f", chunk {self.chunk}"
        who = f" ({self.annotator})" if self.annotator else ""
        return f"{place}{who}: {self.rule}: {self.what}. {self.mend}"


def findings(said: BookAnnotations, annotator: str = "") -> Iterator[Finding]:
    """Everything in a book that breaks a rule, question by question; dropped ones are left alone.

    Args:
        said: The book.
        annotator: Whose answers are held to the rules; what counts as the answer where left out,
            and beside it the evidence of everybody.
    """
    open_questions = [question for question in said.questions if not question.dropped]
    hashes = [digest(text) for text in said.chunks]
    texts = Counter(" ".join(question.text.split()) for question in open_questions)
    for question in open_questions:
        case = _Case(said, question, hashes, annotator)
        for rule, chunk, what, who in case.broken():
            yield Finding(rule, said.book, question.id, chunk, what, who)
        if texts[" ".join(question.text.split())] > 1:
            yield Finding("different-questions", said.book, question.id, None, question.text)


Broken = tuple[str, int | None, str, str]
"""Rule, chunk, what is wrong, whose."""


class _Case:
    """One question, and what is to be held against it."""

    def __init__(
        self, said: BookAnnotations, question: Question, hashes: Sequence[str], annotator: str
    ) -> None:
        self.said, self.question, self.hashes, self.annotator = said, question, hashes, annotator
        self.line = settled(said, question, annotator)
        self.options = offered(question, self.line, annotator)

    def broken(self) -> Iterator[Broken]:
        checks: list[Callable[[], Iterator[tuple[str, int | None, str]]]] = [self._settled]
        if self.line is not None:
            checks += [self._answers, self._changes, self._roles, self._one_chunk]
        checks += [self._options, self._people, self._wording]
        for check in checks:
            for rule, chunk, what in check():
                yield rule, chunk, what, self.annotator
        yield from self._evidence()

    def _settled(self) -> Iterator[tuple[str, int | None, str]]:
        if self.line is not None:
            return
        lines = [canonical(self.question, line) for line in self.said.of(self.question.id)]
        if self.annotator or not lines:
            yield "one-answer", None, "nobody has answered it"
            return
        apart = [
            n
            for n in range(len(self.said.chunks))
            if len({line.cells[n].option for line in lines}) > 1
        ]
        names = ", ".join(line.annotator for line in lines)
        yield "settled", apart[0], f"{names} differ at {_places(apart)}"

    def _answers(self) -> Iterator[tuple[str, int | None, str]]:
        assert self.line is not None
        known = {option.id for option in self.options}
        catch_alls = {o.id for o in self.options if o.role is OptionRole.CATCH_ALL}
        empty = [n for n, option in enumerate(self.line.answers) if option is None]
        if empty:
            yield "one-answer", empty[0], f"no answer at {_places(empty)}"
        odd = [n for n, o in enumerate(self.line.answers) if o is not None and o not in known]
        if odd:
            yield "one-answer", odd[0], f"{self.line.answers[odd[0]]!r} is no option"
        told = next((n for n, o in enumerate(self.line.answers) if o not in {None, *catch_alls}), 0)
        again = [n for n, o in enumerate(self.line.answers) if n > told and o in catch_alls]
        if again:
            yield "catch-all-first", again[0], f"it is the answer again at {_places(again)}"
        carried = [
            n for n, cell in enumerate(self.line.cells) if cell.option and not cell.confirmed
        ]
        if carried:
            yield "carried", carried[0], f"nobody looked at {_places(carried)}"

    def _changes(self) -> Iterator[tuple[str, int | None, str]]:
        assert self.line is not None
        answers = [option for option in self.line.answers if option is not None]
        phases = len(self.line.change_points)
        if answers and phases < 2:
            yield "two-changes", None, f"it is {self._text(answers[0])!r} all along"
        elif phases == 2:
            chunk = self.line.change_points[1]
            yield "one-transition", chunk, "the answer becomes another one only here"

    def _roles(self) -> Iterator[tuple[str, int | None, str]]:
        assert self.line is not None
        used = set(self.line.answers)
        for option in self.options:
            if option.role is OptionRole.ANSWER and option.id not in used:
                yield "unsupported", None, f"{option.text!r} is never right"
            if option.role is OptionRole.DISTRACTOR and option.id in used:
                chunk = self.line.answers.index(option.id)
                yield "distractor-right", chunk, f"{option.text!r} is right"

    def _one_chunk(self) -> Iterator[tuple[str, int | None, str]]:
        assert self.line is not None
        told: dict[int, dict[str, None]] = {}
        for cell in self.line.cells:
            for span in cell.evidence:
                if cell.option is not None:
                    told.setdefault(span.chunk, {})[cell.option] = None
        for chunk, options in sorted(told.items()):
            if len(options) > 1:
                both = " and ".join(repr(self._text(option)) for option in options)
                yield "one-chunk", chunk, f"it has the evidence of {both}"

    def _options(self) -> Iterator[tuple[str, int | None, str]]:
        options = self.options
        if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
            yield "options", None, f"there are {len(options)}"
        if not any(option.role is OptionRole.DISTRACTOR for option in options):
            yield "distractor", None, "there is none"
        count = sum(option.role is OptionRole.CATCH_ALL for option in options)
        if count != 1:
            yield "catch-all", None, f"there are {count}"
        for option in options:
            if is_catch_all(option.text) and option.role is not OptionRole.CATCH_ALL:
                yield "catch-all", None, f"{option.text!r} reads like one, and is a {option.role}"
        for text, times in Counter(map(_folded, options)).items():
            if times > 1:
                yield "different-options", None, f"{times} read {text!r}"

    def _people(self) -> Iterator[tuple[str, int | None, str]]:
        reviews = [review for review in self.said.reviews if review.question == self.question.id]
        people = {review.annotator for review in reviews}
        if len(people) < REVIEWERS:
            yield "two-reviewers", None, f"{len(people)} did"
        for review in reviews:
            if not review.agreed:
                why = f": {review.note}" if review.note else ""
                yield "reviewers-agree", None, f"{review.annotator} does not{why}"
        for flag in self.said.flags:
            if flag.question == self.question.id:
                why = f": {flag.note}" if flag.note else ""
                yield "flagged", flag.chunk, f"{flag.annotator} says {flag.reason}{why}"

    def _wording(self) -> Iterator[tuple[str, int | None, str]]:
        kind = reformulation_needed(self.question.text)
        if kind is Reformulation.TEMPORAL_ANCHORING:
            yield "wording", None, f"{self.question.text!r} asks for an evolution ({kind})"
        elif kind is not Reformulation.NONE:
            yield "wording", None, f"{self.question.text!r} asks for all there is ({kind})"

    def _evidence(self) -> Iterator[Broken]:
        """Of everybody, and of what counts; what is the same is told once."""
        seen: set[tuple[str, int | None, str]] = set()
        lines = [self.line] if self.line is not None else []
        if not self.annotator:
            lines += [canonical(self.question, line) for line in self.said.of(self.question.id)]
        for line in lines:
            for rule, chunk, what in self._of_line(line):
                if (rule, chunk, what) not in seen:
                    seen.add((rule, chunk, what))
                    yield rule, chunk, what, line.annotator or self.annotator

    def _of_line(self, line: Timeline) -> Iterator[tuple[str, int | None, str]]:
        catch_alls = {o.id for o in self.question.options if o.role is OptionRole.CATCH_ALL}
        for chunk, cell in enumerate(line.cells):
            if cell.changed and cell.option not in {None, *catch_alls} and not cell.evidence:
                yield "evidence-given", chunk, f"{self._text(cell.option)!r} has none"
            for span in cell.evidence:
                wrong = _wrong_span(span, chunk, self.said.chunks, self.hashes)
                if wrong is not None:
                    yield wrong[0], chunk, wrong[1]

    def _text(self, name: str | None) -> str:
        option = self.question.option(name or "")
        return option.text if option else str(name)


def _wrong_span(
    span: Span, chunk: int, texts: Sequence[str], hashes: Sequence[str]
) -> tuple[str, str] | None:
    """The rule that a passage breaks, and how; None for a sound one."""
    if span.chunk != chunk:
        return "evidence-here", f"{_short(span.quote)} stands in chunk {span.chunk}"
    if hashes[chunk] != span.chunk_sha256:
        where = texts[chunk].count(span.quote)
        there = "is still in it" if where == 1 else f"is in it {where} times"
        return "evidence-hash", f"the text is another one; {_short(span.quote)} {there}"
    if not span.quote.strip() or texts[chunk][span.start : span.end] != span.quote:
        return "evidence-quoted", f"{_short(span.quote)} is not at {span.start} to {span.end}"
    return None


def _folded(option: Option) -> str:
    return " ".join(option.text.split()).casefold()


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _places(chunks: Sequence[int]) -> str:
    """`chunk 3`, or `chunks 1, 2 and 5`; many are cut."""
    if len(chunks) == 1:
        return f"chunk {chunks[0]}"
    if len(chunks) > 6:
        return f"chunks {', '.join(map(str, chunks[:5]))} and {len(chunks) - 5} more"
    return f"chunks {', '.join(map(str, chunks[:-1]))} and {chunks[-1]}"

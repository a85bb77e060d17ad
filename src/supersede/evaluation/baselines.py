"""Readers without a language model, whose scores are known in advance.

Each takes the chat messages and the question's operator with its parameters, and reads the
history from the text alone. None of them sees the stored answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from supersede.corpus.text_proof import reader_of
from supersede.evaluation.weights import EMBEDDED_MODELS
from supersede.model.instance import Message
from supersede.model.question import Family, Parameter, Question
from supersede.model.record import History
from supersede.model.world import World
from supersede.prototypes import load_prototype
from supersede.questions import answer, find_operator
from supersede.questions.facts import facts_of
from supersede.questions.forms import answer_text
from supersede.questions.index import Index
from supersede.questions.reading import Shortcut, shortcut_reading, true_reading
from supersede.questions.registry import Given
from supersede.questions.view import View
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay

__all__ = ["BASELINES", "BASELINE_WORDS", "Asked", "Baseline", "asked_in", "our_models"]


_PROVIDER = "supersede/"


class Asked(BaseModel):
    """What a baseline is told of a question besides the text: which operator it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prototype: str
    """Prototype id: which conventions and names the text uses. Reading the data makes known those
    that the catalogue does not have."""
    operator: str
    family: Family
    parameters: dict[str, Parameter]
    text: str
    """The question as asked."""

    def question(self) -> Question:
        """The question, to be answered from any history of the world."""
        return Question(self.operator, self.family, self.parameters, self.text)


Baseline = Callable[[Sequence[Message], Asked], str]
"""The reply to messages that end in a question."""


def _read_back(prototype: str, messages: Sequence[Message]) -> tuple[World, History]:
    """The world of a prototype, and the history that messages show.

    Raises:
        UsageError: There is no such prototype.
        DataError: The messages are not of its making.
    """
    spec = load_prototype(prototype)
    return compile_specification(spec).world, reader_of(spec).read(messages)


def _careless(messages: Sequence[Message], asked: Asked, shortcut: Shortcut) -> str:
    """The answer, in its form, of a reader who takes a shortcut through what the text says."""
    world, history = _read_back(asked.prototype, messages)
    ledger = replay(world, history)
    index = Index(facts_of(world), ledger.records, history.blocks)
    reading = shortcut_reading(index, true_reading(index, ledger), shortcut)
    solve = find_operator(asked.operator).solve
    return answer_text(solve(View(index, reading), Given(asked.parameters)))


def oracle(messages: Sequence[Message], asked: Asked) -> str:
    """Reads the text, replays it, and answers: always right."""
    world, history = _read_back(asked.prototype, messages)
    return answer(world, history, asked.question()).text


def count_everything(messages: Sequence[Message], asked: Asked) -> str:
    """Takes every record to count, as it was first posted."""
    return _careless(messages, asked, Shortcut.EVERYTHING)


def last_mention(messages: Sequence[Message], asked: Asked) -> str:
    """Takes what is printed last for the answer, whatever became of it."""
    return _careless(messages, asked, Shortcut.LAST_MENTION)


def unknown(messages: Sequence[Message], asked: Asked) -> str:
    """Says that it does not know: never right."""
    return "I do not know."


BASELINES: Mapping[str, Baseline] = {
    "oracle": oracle,
    "count-everything": count_everything,
    "last-mention": last_mention,
    "unknown": unknown,
}
"""The baselines by the name that follows `supersede/`, best first."""


BASELINE_WORDS: Mapping[str, str] = {
    "oracle": "replays every record",
    "count-everything": "ignores every correction",
    "last-mention": "repeats latest mention",
    "unknown": "never answers anything",
}
"""Each of the baselines in three words."""


def our_models() -> str:
    """The models that need no provider of others, as a person names them."""
    embedded = [f"{name} (or {_PROVIDER}{name})" for name in EMBEDDED_MODELS]
    said = [f"{_PROVIDER}{name} ({words})" for name, words in BASELINE_WORDS.items()]
    return ", ".join([*embedded, *said])


def asked_in(metadata: Mapping[str, Any] | None) -> Asked:
    """The question that rides along with a chat message.

    Raises:
        ValueError: There is none.
    """
    if metadata is None or "asked" not in metadata:
        raise ValueError("the last message carries no question for a baseline")
    return Asked.model_validate(metadata["asked"])

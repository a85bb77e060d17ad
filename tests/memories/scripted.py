"""One model by rule for every memory: it reads bAbI's moves from the prompts that a real one gets.

What it writes is what the prompts ask for, and right; `spoiled` replies say the same in ways that
models have. It is told its stage, as every model is.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from supersede.errors import DataError
from supersede.model.instance import Message
from supersede.model.protocols import Completion
from supersede.streams.babi.verbs import Group, parse

Spoil = Callable[[str], str | Completion]
"""From what the model would have said to what it says."""


class Call(NamedTuple):
    """What the model was asked."""

    stage: str
    attempt: int
    max_tokens: int | None
    messages: Sequence[Message]

    @property
    def text(self) -> str:
        """All of the prompt."""
        return "\n".join(message.content for message in self.messages)


class Move(NamedTuple):
    """Somebody goes somewhere."""

    person: str
    place: str
    sentence: str


class Scripted:
    """Answers each stage by rule, and keeps what it was asked.

    Args:
        spoil: Makes a reply another one.
        attempts: Only replies to the first so many attempts are spoiled.
    """

    def __init__(self, spoil: Spoil | None = None, attempts: int = 9) -> None:
        self.calls: list[Call] = []
        self._spoil = spoil
        self._attempts = attempts

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        self.calls.append(Call(stage, attempt, max_tokens, tuple(messages)))
        await asyncio.sleep(0)  # whoever waits gets a turn
        said: str | Completion = RULES[stage](messages[-1].content)
        if self._spoil is not None and attempt < self._attempts:
            said = self._spoil(RULES[stage](messages[-1].content))
        return said if isinstance(said, Completion) else Completion(said)

    def counted(self) -> Counter[str]:
        """Calls by stage."""
        return Counter(call.stage for call in self.calls)


_SENTENCE = re.compile(r"[A-Z][^.\n]*\.")


def moves(text: str) -> list[Move]:
    """The moves that a text tells of, in order."""
    found = []
    for sentence in _SENTENCE.findall(text):
        try:
            fact = parse(sentence)
        except DataError:
            continue  # the prose around
        if fact.group is Group.MOVE:
            found.append(Move(fact.subject, fact.object, sentence))
    return found


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False)


def names(asked: str) -> str:
    """`hipporag`: who and where."""
    found = dict.fromkeys(name for one in moves(asked) for name in (one.person, one.place))
    return _json({"names": list(found)})


def triples(asked: str) -> str:
    """`hipporag`: who went where."""
    return _json({"triples": [[one.person, "went to", one.place] for one in moves(asked)]})


def keep(asked: str) -> str:
    """`hipporag`: the facts about somebody whom the question names."""
    question, _, facts = asked.removeprefix("Question: ").partition("\nFacts: ")
    asked_about = question.casefold()
    kept = [fact for fact in json.loads(facts) if fact[0].casefold() in asked_about]
    return _json({"facts": kept})


def analyse(asked: str) -> str:
    """`amem`: a card with all whom the passage names."""
    told = moves(asked)
    people = list(dict.fromkeys(one.person for one in told)) or ["weather"]
    places = [one.place for one in told]
    context = f"It tells where {' and '.join(people)} went."
    return _json({"keywords": [*people, *places], "context": context, "tags": ["moves", "people"]})


_NOTE = re.compile(r"^## (New note|Note \d+)\n.*?^Keywords: (.*?)$", re.M | re.S)


def evolve(asked: str) -> str:
    """`amem`: links notes that name the same, and calls the first of them older."""
    (_, mine), *near = _NOTE.findall(asked)
    own = set(mine.split(", "))
    alike = [int(title.split()[1]) for title, keys in near if own & set(keys.split(", "))]
    updates = [{"note": n, "context": "It is older news.", "tags": ["older"]} for n in alike[:1]]
    return _json({"should_evolve": bool(alike), "links": alike, "tags": [], "updates": updates})


def query(asked: str) -> str:
    """`amem`: the names in a question."""
    question = asked.removeprefix("Question: ")
    return _json({"keywords": re.findall(r"(?<!\A)\b[A-Z]\w+", question) or question.split()[-1:]})


def _block(asked: str, name: str) -> str:
    found = re.search(rf"<{name}[^>]*>\n(.*)\n</{name}>", asked, re.DOTALL)
    assert found is not None
    return found[1]


_KEPT = re.compile(r"^(\w+): (\w+)$", re.M)


def update(asked: str) -> str:
    """`memagent`: where those are whom the problem names."""
    places = dict(_KEPT.findall(_block(asked, "memory")))
    problem = _block(asked, "problem")
    places.update((one.person, one.place) for one in moves(_block(asked, "section"))
                  if one.person in problem)  # fmt: skip
    return "\n".join(f"{person}: {place}" for person, place in sorted(places.items())) or "Nobody."


def state(asked: str) -> str:
    """`state-store`: a row for each who moved."""
    piece = asked.partition("# Next piece\n")[2]
    last = {one.person: one for one in moves(piece)}
    rows = [{"key": f"{one.person} / place", "value": one.place, "source": one.sentence}
            for one in last.values()]  # fmt: skip
    return _json({"rows": rows})


RULES: dict[str, Callable[[str], str]] = {
    "names": names,
    "triples": triples,
    "filter": keep,
    "analyse": analyse,
    "evolve": evolve,
    "query": query,
    "update": update,
    "state": state,
}
"""Stage -> what is said to its last message."""

_ROW = re.compile(r"^- (\w+) / place: (\w+) \(", re.M)


def place_in(context: str, person: str) -> str:
    """Where somebody is, by a context: what its notes or table say, else the last move that it has.

    `Unknown` where it says nothing.
    """
    noted = {**dict(_KEPT.findall(context)), **dict(_ROW.findall(context))}
    went = {one.person: one.place for one in moves(context)}
    return str({**went, **noted}.get(person, "Unknown"))


def fenced(said: str) -> str:
    """In a fence, after a word."""
    return f"Here it is:\n```json\n{said}\n```\nAnything else?" if said[0] == "{" else said


def single_quoted(said: str) -> str:
    """As a careless writer of JSON."""
    return said.replace('"', "'") if said[0] == "{" else said


def python_literal(said: str) -> str:
    """As Python prints it."""
    return repr(json.loads(said)) if said[0] == "{" else said


def truncated(said: str) -> Completion:
    """Cut in the middle of a word."""
    return Completion(said[: max(1, len(said) * 2 // 3)], cut=True)


def wrong_types(said: str) -> str:
    """Lists where text is wanted, numbers where lists are, and the other way round."""
    return _json(_wrong(json.loads(said))) if said[0] == "{" else "12"


def _wrong(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _wrong(value) for key, value in data.items()}
    if isinstance(data, list):
        return 7 if data else {"a": None}
    return [data, {"a": 1}]


def empty(said: str) -> str:
    """Nothing."""
    return ""


def prose(said: str) -> str:
    """A refusal."""
    return "I am sorry, but I cannot help with that passage."


def ten_times(said: str) -> Completion:
    """The same again and again, until it is cut."""
    return Completion("\n".join([said] * 10) + "\n" + " ".join(["and so on"] * 3_000), cut=True)


MENDED: tuple[Callable[[str], str], ...] = (fenced, single_quoted, python_literal)
"""Ways to say the same that lose nothing."""
SPOILED: tuple[Spoil, ...] = (truncated, wrong_types, empty, prose, ten_times)
"""Ways that lose something."""

"""Answers of OAKS-BABI by brute force: from the sentences told so far and the question's words.

Shares nothing with the library: it splits sentences at spaces, and for every question and interval
goes through the whole story again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

MOVES = ("went", "travelled", "journeyed", "moved", "walked")
TAKES = ("picked", "got", "grabbed", "took")
DROPS = ("dropped", "left", "put", "discarded")
GIVES = ("gave", "handed", "passed")

Event = tuple[str, str, str, str]
"""Kind, who, what or whither, to whom."""


def event(sentence: str) -> Event:
    who, verb, *rest = sentence.removesuffix(".").split(" ")
    if verb in MOVES:
        return ("move", who, rest[-1], "")
    if verb in GIVES:
        return ("give", who, rest[-3], rest[-1])
    assert verb in TAKES + DROPS, sentence
    return ("take" if verb in TAKES else "drop", who, rest[-1], "")


class Story:
    """What has been told so far."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.events = [event(sentence) for sentence in sentences]

    def moves(self, who: str) -> list[str]:
        return [to for kind, person, to, _ in self.events if (kind, person) == ("move", who)]

    def took(self, who: str) -> list[str]:
        return [what for kind, person, what, _ in self.events if (kind, person) == ("take", who)]

    def gave(self, who: str) -> int:
        return sum((kind, person) == ("give", who) for kind, person, _, _ in self.events)

    def place(self, who: str) -> str:
        return (self.moves(who) or [""])[-1]

    def owners(self, thing: str) -> list[str]:
        """Everybody who came to have it, in order; an empty name where it was dropped."""
        found = []
        for kind, who, what, to in self.events:
            if what == thing and kind in ("take", "give", "drop"):
                found.append({"take": who, "give": to, "drop": ""}[kind])
        return found

    def things(self) -> set[str]:
        return {what for kind, _, what, _ in self.events if kind != "move"}

    def held(self, who: str) -> int:
        return sum((self.owners(thing) or [""])[-1] == who for thing in self.things())

    def ever_held(self, who: str) -> bool:
        return any(who in self.owners(thing) for thing in self.things())

    def visitors(self, place: str) -> set[str]:
        return {who for kind, who, to, _ in self.events if (kind, to) == ("move", place)}

    def until(self, n: int) -> Story:
        story = Story(())
        story.events = self.events[:n]
        return story


def number(count: int) -> str:
    return str(count) if count else "Unknown"


def last(items: Sequence[str]) -> str:
    return items[-1] if items else "Unknown"


def more(a: str, of_a: int, b: str, of_b: int, *, known: bool | None = None) -> str:
    if not (of_a or of_b if known is None else known):
        return "Unknown"
    return "Same" if of_a == of_b else a if of_a > of_b else b


def holder(s: Story, thing: str) -> str:
    owners = s.owners(thing)
    return "Unknown" if not owners else owners[-1] or "Nobody"


def holding(s: Story, who: str) -> str:
    return str(s.held(who)) if s.ever_held(who) else "Unknown"


def travelled(s: Story, origin: str, to: str) -> str:
    found = []
    for n, (kind, who, place, _) in enumerate(s.events):
        if kind == "move" and place == to and s.until(n).place(who) == origin:
            found.append(who)
    return last(found)


def after_acquiring(s: Story, who: str, thing: str) -> str:
    for n in range(len(s.events) + 1):
        if who in s.until(n).owners(thing):
            return last(s.moves(who)[len(s.until(n).moves(who)) :])
    return "Unknown"


def thing_place(s: Story, thing: str) -> str:
    """With its holder, or where the one who dropped it was then."""
    owners = s.owners(thing)
    if not owners:
        return "Unknown"
    if owners[-1]:
        return s.place(owners[-1])
    n = max(n for n, e in enumerate(s.events) if e[0] == "drop" and e[2] == thing)
    return s.until(n).place(s.events[n][1])


def taken_at(s: Story) -> list[tuple[str, str]]:
    """Thing and place of everything that was picked up."""
    return [
        (what, s.until(n).place(who))
        for n, (kind, who, what, _) in enumerate(s.events)
        if kind == "take"
    ]


def next_place(s: Story, who: str, origin: str) -> str:
    route = s.moves(who)
    return last([b for a, b in pairwise(route) if a == origin])


def bringer(s: Story, place: str) -> str:
    return last(
        [
            who
            for n, (kind, who, to, _) in enumerate(s.events)
            if (kind, to) == ("move", place) and s.until(n).held(who)
        ]
    )


def takes_of(s: Story, thing: str) -> int:
    return sum((kind, what) == ("take", thing) for kind, _, what, _ in s.events)


def holders_of(s: Story, thing: str) -> int:
    return len({owner for owner in s.owners(thing) if owner})


RULES: tuple[tuple[str, Callable[..., str]], ...] = (
    (r"Where is (\w+)\?", lambda s, a: last(s.moves(a))),
    (r"Who is holding the (\w+)\?", holder),
    (
        r"How many times has (?!anyone)(\w+) moved to the (\w+)\?",
        lambda s, a, p: number(s.moves(a).count(p)),
    ),
    (r"How many unique objects has (\w+) picked up\?", lambda s, a: number(len(set(s.took(a))))),
    (r"How many times has (\w+) moved in all\?", lambda s, a: number(len(s.moves(a)))),
    (r"How many distinct places has (\w+) visited\?", lambda s, a: number(len(set(s.moves(a))))),
    (r"How many times has (\w+) given an object away\?", lambda s, a: number(s.gave(a))),
    (r"How many objects is (\w+) holding\?", holding),
    (
        r"How many different people have visited the (\w+)\?",
        lambda s, p: number(len(s.visitors(p))),
    ),
    (
        r"How many times has anyone moved to the (\w+)\?",
        lambda s, p: number(sum(e[0] == "move" and e[2] == p for e in s.events)),
    ),
    (
        r"How many different people have held the (\w+)\?",
        lambda s, o: number(holders_of(s, o)),
    ),
    (r"How many times has the (\w+) been picked up\?", lambda s, o: number(takes_of(s, o))),
    (r"Who most recently traveled directly from the (\w+) to the (\w+)\?", travelled),
    (
        r"Where is the most recent location that (\w+) moved to after acquiring the (\w+)\?",
        after_acquiring,
    ),
    (r"Where is the (\w+)\?", thing_place),
    (
        r"Where was the (\w+) most recently picked up\?",
        lambda s, o: last([place for what, place in taken_at(s) if what == o]),
    ),
    (
        r"Where was (\w+) directly before the latest move\?",
        lambda s, a: last(s.moves(a)[-2:-1]),
    ),
    (r"Where did (\w+) most recently go directly from the (\w+)\?", next_place),
    (r"Who most recently moved to the (\w+) while holding an object\?", bringer),
    (
        r"Which object was most recently picked up at the (\w+)\?",
        lambda s, p: last([what for what, place in taken_at(s) if place == p]),
    ),
    (
        r"Has (\w+) or (\w+) visited more distinct places\?",
        lambda s, a, b: more(a, len(set(s.moves(a))), b, len(set(s.moves(b)))),
    ),
    (
        r"Who picked up a greater number of distinct objects, (\w+) or (\w+)\?",
        lambda s, a, b: more(a, len(set(s.took(a))), b, len(set(s.took(b)))),
    ),
    (
        r"Who has moved more often, (\w+) or (\w+)\?",
        lambda s, a, b: more(a, len(s.moves(a)), b, len(s.moves(b))),
    ),
    (
        r"Has (\w+) or (\w+) moved to the (\w+) more often\?",
        lambda s, a, b, p: more(a, s.moves(a).count(p), b, s.moves(b).count(p)),
    ),
    (
        r"Who is holding more objects, (\w+) or (\w+)\?",
        lambda s, a, b: more(a, s.held(a), b, s.held(b), known=s.ever_held(a) or s.ever_held(b)),
    ),
    (
        r"Who has given objects away more often, (\w+) or (\w+)\?",
        lambda s, a, b: more(a, s.gave(a), b, s.gave(b)),
    ),
    (
        r"Has the (\w+) or the (\w+) been visited by more different people\?",
        lambda s, a, b: more(a, len(s.visitors(a)), b, len(s.visitors(b))),
    ),
    (
        r"Has the (\w+) or the (\w+) been picked up more often\?",
        lambda s, a, b: more(a, takes_of(s, a), b, takes_of(s, b)),
    ),
    (
        r"Has the (\w+) or the (\w+) been held by more different people\?",
        lambda s, a, b: more(a, holders_of(s, a), b, holders_of(s, b)),
    ),
)


def rule_of(question: str) -> int:
    """Which rule answers a question; exactly one must."""
    fitting = [n for n, (pattern, _) in enumerate(RULES) if re.fullmatch(pattern, question)]
    assert len(fitting) == 1, (question, fitting)
    return fitting[0]


def answer(question: str, sentences: Sequence[str]) -> str:
    """The answer after these sentences."""
    pattern, solve = RULES[rule_of(question)]
    found = re.fullmatch(pattern, question)
    assert found is not None
    return solve(Story(sentences), *found.groups())

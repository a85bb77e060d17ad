"""Every line parses exactly once, judged by a second, naive way of reading (R35).

Each wording becomes one regular expression over the whole line, with every name spelt out; a
line must match exactly one of them. It shares nothing with the reader but the specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rendering.depot import depot, history, written
from tests.rendering.random_histories import histories

from supersede.model.record import History, Kind

ID = r"D\d+-R\d+"
SYMBOLS = "|".join(re.escape(s) for s in ("in high spirits", "grumbling"))
PARAMETER = rf"(?:-?\d+(?:\.\d\d)?(?: EUR)?|{SYMBOLS})"
SPEC, WORLD = depot()


def name_of(kind: str) -> str:
    names = "|".join(re.escape(name) for name in WORLD.types[kind].names)
    return rf"(?:{names})" if names else r"C-\d+"


def pattern(text: str, slots: Mapping[str, str]) -> str:
    parts = re.split(r"\{([^}]*)\}", text)
    return "".join(slots[part] if n % 2 else re.escape(part) for n, part in enumerate(parts))


def event_patterns() -> Iterator[tuple[str, str]]:
    """The label of each event, with each of its wordings."""
    for event in SPEC.events:
        kind = WORLD.events[event.id]
        slots = {role: name_of(of) for role, of in kind.roles.items()}
        slots |= dict.fromkeys(kind.records, ID)
        slots |= dict.fromkeys(event.parameters, PARAMETER)
        for role, of in kind.lists.items():
            name = name_of(of)
            slots[role] = rf"{name}(?:(?:, {name})* and {name})?"
        slots |= {"target.weight": r"\d+\.\d\d kg", "target.content": name_of("good")}
        for text in event.phrasings:
            yield kind.label, pattern(text, slots)


@cache
def patterns() -> tuple[re.Pattern[str], ...]:
    meta = r"(?: \((?:Day \d+ )?\d\d:\d\d(?:, [^()]+)?\))?: "
    lead = f"{ID}{meta}"
    events = list(event_patterns())
    found = [rf"{ID} {label}{meta}{words}(?:; .*)?\." for label, words in events]
    for kind in (Kind.BACKFILL, Kind.CORRECT, Kind.AMEND, Kind.REPOST):
        texts = getattr(SPEC.revisions, kind.value)
        openings = [pattern(text, {"ref": ID, "block": r"Day \d+"}) for text in texts]
        for opening, (label, words) in product(openings, events):
            found.append(rf"{ID} {label}{meta}{opening}: {words}(?:; .*)?\.")
    several = rf"each of {ID}(?:, {ID})* and {ID}"
    window = r"every [a-z ]+ naming .+ in Day \d+(?: to Day \d+)?"
    ref = rf"(?:{ID}|{several}|{window})"
    for kind in (Kind.VOID, Kind.CONFIRM, Kind.REINSTATE):
        for text in getattr(SPEC.revisions, kind.value):
            found.append(rf"{lead}{pattern(text, {'ref': ref})}\.")
    for rule in SPEC.rules:
        for text in rule.text:
            words = pattern(text.removesuffix("."), {"where": name_of("bay")})
            found.append(rf"{lead}{words}; status .*\.")
    for text in SPEC.noise:
        found.append(pattern(text, {kind: name_of(kind) for kind in WORLD.types}))
    return tuple(re.compile(one) for one in found)


def check(given_history: History, seed: int) -> None:
    for message in written(given_history, seed=seed)[1:]:
        for line in message.content.partition("\n\n")[0].split("\n")[1:]:
            ways = sum(one.fullmatch(line) is not None for one in patterns())
            assert ways == (line != "Nothing was entered."), line


def test_every_line_of_the_depot_matches_one_wording() -> None:
    for seed in range(8):
        check(history(), seed)


@given(histories(), st.integers(0, 99))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_line_of_a_random_history_matches_one_wording(drawn: History, seed: int) -> None:
    check(drawn, seed)

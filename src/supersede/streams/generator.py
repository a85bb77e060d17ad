"""A seeded writer of plain prose, for when there is no book: nothing in it is a fact that is asked.

Weather, landscape and thoughts, without names and without anybody going to or taking anything.
"""

from __future__ import annotations

from collections.abc import Callable

from supersede.worlds.streams import Draw, between, pick

_ADJECTIVES = (
    "pale", "quiet", "distant", "narrow", "heavy", "bright", "broken", "patient", "grey", "slow",
    "restless", "gentle", "bitter", "ancient", "hollow", "silver", "weary", "hidden", "solemn",
    "curious", "faint", "tender", "wild", "crooked", "humble", "stern", "mild", "dim",
)  # fmt: skip
_THINGS = (
    "river", "orchard", "wind", "road", "harvest", "winter", "valley", "harbour", "meadow", "storm",
    "lantern", "chimney", "forest", "bridge", "season", "shadow", "morning", "evening", "silence",
    "memory", "hope", "letter", "song", "crowd", "market", "hillside", "rain", "moonlight", "frost",
    "quarrel", "rumour", "promise", "journey", "mill", "shore", "tide", "cloud", "village",
)  # fmt: skip
_VERBS = (
    "seemed to wait for", "looked older than", "rose above", "faded behind", "spoke only of",
    "belonged to", "answered", "outlasted", "trembled before", "leaned towards", "drew its colour "
    "from", "kept the secret of", "lay beyond", "resembled", "grew dark against", "mocked",
    "softened", "promised nothing but", "was half forgotten beside", "hid", "followed", "praised",
)  # fmt: skip
_TIMES = (
    "in those days", "towards evening", "before the first frost", "after many years", "at dawn",
    "for a long while", "as the old people tell it", "when the bells were still", "once more",
    "in the last week of autumn", "without any warning", "as though by agreement", "little by "
    "little", "long after midnight", "between two showers", "under a low sky",
)  # fmt: skip
_THOUGHTS = (
    "Nobody could say why", "It was often remarked that", "One might have believed that",
    "There was some comfort in the thought that", "The almanac had foretold that",
    "Travellers used to complain that", "It has been written since that", "Few remembered that",
    "A proverb of that country holds that", "It is hard to deny that",
)  # fmt: skip


def paragraph(draw: Draw) -> str:
    """A paragraph of three to eight sentences."""
    return " ".join(pick(draw, _FORMS)(draw) for _ in range(between(draw, 3, 8)))


def _thing(draw: Draw) -> str:
    return f"the {pick(draw, _ADJECTIVES)} {pick(draw, _THINGS)}"


def _clause(draw: Draw) -> str:
    return f"{_thing(draw)} {pick(draw, _VERBS)} {_thing(draw)}"


def _plain(draw: Draw) -> str:
    return f"{_first(_clause(draw))}."


def _timed(draw: Draw) -> str:
    return f"{_first(pick(draw, _TIMES))}, {_clause(draw)}."


def _double(draw: Draw) -> str:
    joint = pick(draw, ("and", "but", "while", "so that", "although"))
    return f"{_first(_clause(draw))}, {joint} {_clause(draw)}."


def _thought(draw: Draw) -> str:
    return f"{pick(draw, _THOUGHTS)} {_clause(draw)} {pick(draw, _TIMES)}."


def _first(text: str) -> str:
    return text[0].upper() + text[1:]


_FORMS: tuple[Callable[[Draw], str], ...] = (_plain, _timed, _double, _thought)

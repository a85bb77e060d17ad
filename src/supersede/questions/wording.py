"""Labels and numbers as questions and answers print them."""

from __future__ import annotations

import re
from fractions import Fraction

from supersede.model.record import Key, Value
from supersede.model.world import Register, World

_ONE = {"people": "person", "men": "man", "women": "woman", "feet": "foot", "pence": "penny"}
_ALIKE = frozenset({"lens", "series", "siemens", "species"})
_HEAD = re.compile(r"(.*?)([a-z]{3,})((?: (?:per|of|a|an|in|on)| [A-Z]).*)?")
"""A unit, its noun and what says more of it: `litres`, `degrees Celsius`, `crates of beer`."""
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th")
NONE = "none"
_VOWEL = re.compile(
    r"(?!(?:uni(?![mn])|us[aeu]|uti|eu|one\b|once\b))[aeiou]|hour|heir|honest|honou?r",
    re.IGNORECASE,
)
"""Opens with a vowel as it is spoken."""
_SPELT = re.compile(r"[AEFHILMNORSX](?:[A-Z0-9]|\b)")
"""Opens with a letter that is spelt out, and whose name begins with a vowel: `MRI`, `X-ray`."""


def decimal(number: int, scale: int = 1) -> str:
    """An integer of minor units as people print it: `-1250` at scale 100 is `-12.50`."""
    if scale == 1:
        return str(number)
    places = digits(scale)
    whole, rest = divmod(abs(number), scale)
    return f"{'-' if number < 0 else ''}{whole}.{rest:0{places}d}"


def digits(scale: int) -> int:
    """How many decimal places a scale prints: 100 prints two."""
    return len(str(scale)) - 1


def fixed(value: Fraction, places: int) -> str:
    """A fraction rounded to fixed places, half away from zero (R31)."""
    scaled = abs(value) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return decimal(-whole if value < 0 else whole, 10**places)


def shown(value: Value, scale: int = 1) -> str:
    """A register's value as it is printed; `unset` for None (S5)."""
    if value is None:
        return "unset"
    return value if isinstance(value, str) else decimal(value, scale)


def quantity(label: str, unit: str) -> str:
    """A measure as a phrase: `amount paid (in USD)`; without a unit that the label has."""
    return label if not unit or unit.lower() in label.lower().split() else f"{label} (in {unit})"


def measure_phrase(world: World, name: str) -> str:
    """The phrase for a measure or derived measure."""
    part = world.measures.get(name) or world.derived[name]
    return quantity(part.label, part.unit)


def start_note(world: World, name: str) -> str:
    """What a single cell held before the first record, as a sentence; empty where that is 0."""
    part = world.measures.get(name)
    if part is None or part.per or not part.start:
        return ""
    return f"The level is {decimal(part.start, part.scale)} before the first record."


def plural_of(noun: str) -> str:
    """The plural of a block's noun: `Days`, `Halves`, `Batches`."""
    if noun.endswith("f"):
        return f"{noun[:-1]}ves"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def singular_of(unit: str) -> str:
    """A unit as it stands behind a 1: `point` for points; unchanged if it is no English plural."""
    match = _HEAD.fullmatch(unit)
    if match is None:
        return unit
    before, noun, rest = match.groups("")
    return f"{before}{_one_of(noun)}{rest}"


def _one_of(noun: str) -> str:
    if noun in _ONE:
        return _ONE[noun]
    if len(noun) < 4 or noun in _ALIKE or not noun.endswith("s") or noun.endswith(("ss", "us")):
        return noun
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[: -2 if noun.endswith(("sses", "xes", "ches", "shes", "zzes")) else -1]


def block_phrase(world: World, block: int) -> str:
    """`Day 3`."""
    return f"{world.block} {block}"


def window_phrase(world: World, first: int, last: int) -> str:
    """`Day 3 to Day 5`, or `Day 3` where it is one block."""
    if first == last:
        return block_phrase(world, first)
    return f"{block_phrase(world, first)} to {block_phrase(world, last)}"


def during(world: World, first: int, last: int) -> str:
    """`on Day 3`, or `from Day 3 to Day 5`."""
    lead = world.preposition if first == last else "from"
    return f"{lead} {window_phrase(world, first, last)}"


def called(world: World, name: str) -> str:
    """An entity as a sentence names it: `Ann`, `the hallway`; any other text as it is."""
    kind = world.type_of(name)
    return f"the {name}" if kind is not None and world.types[kind].article else name


def held_phrase(world: World, register: Register, value: str) -> str:
    """What a register holds as a sentence names it: `"on treatment"`, `Ann`, `the hallway`."""
    return f'"{value}"' if register.type is None else called(world, value)


def about(world: World, key: Key) -> str:
    """` of Ann and the hallway`, or nothing for an unkeyed cell."""
    return f" of {' and '.join(called(world, name) for name in key)}" if key else ""


def article(noun: str) -> str:
    """A noun with its article: `an order`, `a unit`, `an MRI scan`."""
    shouted = noun[:2].isupper() or (noun[:1].isupper() and noun[1:2] == "-")
    an = _SPELT.match(noun) if shouted else _VOWEL.match(noun)
    return f"{'an' if an else 'a'} {noun}"


def listed(names: tuple[str, ...] | list[str]) -> str:
    """Names as a sentence lists them: `Ann, Bob and Carl`."""
    if len(names) < 2:
        return names[0] if names else NONE
    return f"{', '.join(names[:-1])} and {names[-1]}"

"""Names that no model has met: pronounceable strings for people and places, modern objects.

People and places are built so that no English word looks like them: each has a cluster that English
words do not have. Objects keep plain nouns that the background does not use, so that nothing in it
can be mistaken for one of them.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from supersede.worlds.streams import Draw, pick, sample_of

_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z")
_CLUSTERS = ("vg", "zl", "kv", "gv", "zm", "vl", "zd", "bz", "dv", "zb", "mv", "pv")
_VOWELS = ("a", "e", "i", "o", "u")
_PERSON_ENDS = ("x", "k", "n", "m", "sk", "lt", "rn")
_PLACE_ENDS = ("ota", "une", "iva", "elo", "uba", "axo")
_OBJECTS = (
    "stapler", "thermos", "headset", "skateboard", "calculator", "microphone", "flashlight",
    "laptop", "frisbee", "camcorder", "helmet", "backpack", "stopwatch", "keyboard", "trampoline",
    "walkman", "snorkel", "joystick", "screwdriver", "toaster", "blender", "yoyo", "hairdryer",
    "sunscreen", "typewriter", "dashboard", "surfboard", "zipper", "battery", "charger", "robot",
    "drone", "scanner", "printer", "modem", "satchel", "raincoat", "whisk", "ukulele", "bongo",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cast:
    """Who and what a story is about; no name stands twice."""

    people: tuple[str, ...]
    places: tuple[str, ...]
    objects: tuple[str, ...]


def cast(draw: Draw, people: int, places: int, objects: int, taken: Container[str]) -> Cast:
    """Drawn names.

    Args:
        draw: The stream `names`.
        people: How many of each.
        places: The same.
        objects: The same.
        taken: Words, in small letters, that may be no name: those of the background.
    """
    used: set[str] = set()

    def fresh(ends: tuple[str, ...]) -> str:
        while True:
            name = invented(draw, ends)
            if name not in taken and name[:4] not in used:
                used.add(name[:4])
                return name.capitalize()

    persons = tuple(fresh(_PERSON_ENDS) for _ in range(people))
    sites = tuple(fresh(_PLACE_ENDS) for _ in range(places))
    known = [noun for noun in _OBJECTS if noun not in taken and f"{noun}s" not in taken]
    things = sample_of(draw, known, min(objects, len(known)))
    things += [fresh(_PERSON_ENDS).lower() for _ in range(objects - len(things))]
    return Cast(persons, sites, tuple(things))


def invented(draw: Draw, ends: tuple[str, ...] = _PERSON_ENDS) -> str:
    """One made-up word in small letters."""
    head = pick(draw, _ONSETS) + pick(draw, _VOWELS)
    tail = pick(draw, ends)
    vowel = "" if tail[0] in _VOWELS else pick(draw, _VOWELS)
    return f"{head}{pick(draw, _CLUSTERS)}{vowel}{tail}"

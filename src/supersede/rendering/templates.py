"""Wordings made quick to fill: each becomes one compiled function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from supersede.model.record import RoleValue, Value
from supersede.rendering.forms import Number, joined
from supersede.rendering.wordings import Slot, Use, Wording

Attributes: TypeAlias = dict[str, tuple[Value, ...]]
"""Entity -> its attribute values, as far as the log has told them."""

Say: TypeAlias = Callable[[Mapping[str, RoleValue], Mapping[str, int | str], Attributes], str]
"""From the roles and parameters of a record, and the attributes told so far, to its words.

It raises KeyError where the record lacks a role or parameter or nothing told an attribute, and
TypeError where a value is of another kind than the slot shows.
"""


def filler(wording: Wording) -> Say:
    """The function that fills the slots of an event's wording.

    It is an expression of literals put side by side, such as `'settle ' f"{r['of']}"`. An author's
    words reach it as literals alone, and names of roles and parameters as indices.
    """
    names: dict[str, Any] = {"joined": joined}
    parts = [
        f'f"{{{_filling(piece, names)}}}"' if isinstance(piece, Slot) else repr(piece)
        for piece in wording.pieces
    ]
    say: Say = eval(f"lambda r, p, a: {' '.join(parts) or repr('')}", names)
    return say


def _filling(slot: Slot, names: dict[str, Any]) -> str:
    """The source of what fills a slot; `names` gets what the source refers to."""
    if slot.use is Use.LIST:
        return f"joined(r[{slot.name!r}])"
    value = f"p[{slot.name!r}]" if slot.use is Use.PARAMETER else f"r[{slot.name!r}]"
    for index in slot.path:
        value = f"a[{value}][{index}]"
    if isinstance(slot.form, Number):
        texts = f"texts_{len(names)}"
        names[texts] = slot.form.texts
        return f"{texts}[{value}]"
    return value


class Template:
    """A wording of which every slot shows a text that is given."""

    __slots__ = ("_format", "_slots")

    def __init__(self, wording: Wording) -> None:
        pieces = wording.pieces
        self._format = "".join(
            "%s" if isinstance(p, Slot) else p.replace("%", "%%") for p in pieces
        )
        self._slots = sum(isinstance(piece, Slot) for piece in pieces)

    def filled(self, *texts: str) -> str:
        """The words with a text for each slot, or the same text in every slot."""
        return self._format % (texts if len(texts) == self._slots else texts * self._slots)

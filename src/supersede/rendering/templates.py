"""Wordings made quick to fill: a format string, and where its fillings come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from supersede.model.record import Record, Value
from supersede.rendering.forms import joined
from supersede.rendering.wordings import Slot, Use, Wording

Attributes: TypeAlias = dict[str, tuple[Value, ...]]
"""Entity -> its attribute values, as far as the log has told them."""


class Template:
    """A wording as a format string for `%`.

    Attributes:
        format: The words, with `%s` for each slot.
        getter: From a record's roles to the fillings, where every slot shows a role as it is;
            else None, and `values` gives them.
    """

    __slots__ = ("_fills", "_slots", "format", "getter")

    def __init__(self, wording: Wording) -> None:
        pieces = wording.pieces
        self.format = "".join("%s" if isinstance(p, Slot) else p.replace("%", "%%") for p in pieces)
        self._slots = [piece for piece in pieces if isinstance(piece, Slot)]
        self._fills = [_fill(slot) for slot in self._slots]
        self.getter: Callable[[Mapping[str, Any]], Any] | None = None
        if self._slots and all(slot.use in (Use.ROLE, Use.RECORD) for slot in self._slots):
            self.getter = itemgetter(*(slot.name for slot in self._slots))

    def values(self, record: Record, attributes: Attributes) -> tuple[str, ...]:
        """The fillings for a record of an event.

        Raises:
            KeyError: The record lacks a role or parameter, or nothing told an attribute.
            TypeError: A value of another kind than the slot shows.
        """
        return tuple(fill(record, attributes) for fill in self._fills)

    def filled(self, text: str) -> str:
        """The words with the same text in every slot."""
        return self.format % ((text,) * len(self._slots))


def _fill(slot: Slot) -> Callable[[Record, Attributes], str]:
    """How the filling of a slot is found."""
    name, form, path = slot.name, slot.form, slot.path
    if slot.use is Use.LIST:
        return lambda record, _: joined(record.roles[name])
    if slot.use is Use.PARAMETER:
        return lambda record, _: form.write(record.parameters[name])
    if slot.use is Use.ATTRIBUTE:

        def attribute(record: Record, attributes: Attributes) -> str:
            value: Any = record.roles[name]
            for index in path:
                value = attributes[value][index]
            return form.write(value)

        return attribute
    return lambda record, _: str(record.roles[name])

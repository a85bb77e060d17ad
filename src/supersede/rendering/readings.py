"""Skeletons made quick to match: which cut-out piece tells which field of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from supersede.model.record import RoleValue, Value, VoidWindow
from supersede.rendering.skeletons import Hole, Skeleton
from supersede.rendering.wordings import Use


class Match(NamedTuple):
    """What the words of a line say, without its effects."""

    reading: Reading
    roles: dict[str, RoleValue]
    parameters: dict[str, int | str]
    tokens: Sequence[str]


class Reading:
    """One skeleton, ready to be matched.

    Attributes:
        kind: The record's kind; None for noise.
        event: The record's event; None for void, confirm, reinstate, rule and noise.
        number: Index of the rule or noise line that it is.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.kind = skeleton.kind
        self.event = skeleton.event
        self.number = skeleton.number
        self._values = [hole.values for hole in skeleton.holes]
        places = _places(skeleton.holes)
        self._equal = [
            (same[0], other)
            for (use, _, _), same in places.items()
            if use not in (Use.LIST, Use.REF, Use.WINDOW, Use.NAME)
            for other in same[1:]
        ]
        self._roles = [
            (name, at[0]) for (use, name, _), at in places.items() if use in (Use.ROLE, Use.RECORD)
        ]
        self._record_roles = [at[0] for (use, _, _), at in places.items() if use is Use.RECORD]
        self._lists = [(name, at) for (use, name, _), at in places.items() if use is Use.LIST]
        self._parameters = [
            (name, at[0]) for (use, name, _), at in places.items() if use is Use.PARAMETER
        ]
        self._attributes = [
            (name, path, at[0]) for (use, name, path), at in places.items() if use is Use.ATTRIBUTE
        ]
        self._refs = [at for (use, _, _), found in places.items() if use is Use.REF for at in found]
        self._block = [found[0] for (use, _, _), found in places.items() if use is Use.BLOCK]
        self._where = [found[0] for (use, _, _), found in places.items() if use is Use.WHERE]
        self._names = sorted(
            at for (use, _, _), found in places.items() if use is Use.NAME for at in found
        )
        self._window = [
            (name, found) for (use, name, _), found in places.items() if use is Use.WINDOW
        ]

    def match(self, tokens: Sequence[str]) -> Match | None:
        """What a text with this skeleton says; None where a piece does not fit its blank.

        Args:
            tokens: The pieces that were cut out of the text.
        """
        for values, token in zip(self._values, tokens):  # noqa: B905  # as many, by the skeleton
            if values[token] is None:
                return None
        for one, other in self._equal:
            if tokens[one] != tokens[other]:
                return None
        roles: dict[str, RoleValue] = {}
        for name, at in self._roles:
            roles[name] = tokens[at]
        for name, found in self._lists:
            roles[name] = tuple([tokens[at] for at in found])
        parameters: dict[str, int | str] = {}
        for name, at in self._parameters:
            value = self._values[at][tokens[at]]
            assert isinstance(value, int | str)  # the forms of parameters read nothing else
            parameters[name] = value
        return Match(self, roles, parameters, tokens)

    def refs(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The records that a control record names."""
        return tuple([tokens[at] for at in self._refs])

    def record_roles(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The records in the record's roles."""
        return tuple([tokens[at] for at in self._record_roles])

    def block(self, tokens: Sequence[str]) -> int | None:
        """The block that a late entry names; None where its words name none."""
        return int(tokens[self._block[0]]) if self._block else None

    def where(self, tokens: Sequence[str]) -> str | None:
        """The entity that a rule's text names; None where it names none."""
        return tokens[self._where[0]] if self._where else None

    def names(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """What fills the slots of a noise line, in order."""
        return tuple([tokens[at] for at in self._names])

    def window(self, tokens: Sequence[str]) -> VoidWindow | None:
        """The selector of a void; None where it names records."""
        if not self._window:
            return None
        ((event, found),) = self._window
        entity, *blocks = [tokens[at] for at in found]
        return VoidWindow(event, entity, int(blocks[0]), int(blocks[-1]))

    def attributes_hold(
        self, tokens: Sequence[str], known: Mapping[str, tuple[Value, ...]]
    ) -> bool:
        """Whether the attributes that the words show are those of their entities.

        Args:
            tokens: The pieces that were cut out of the text.
            known: Entity -> attribute values, as far as the log has told them.
        """
        if not self._attributes:
            return True
        roles = {name: tokens[at] for name, at in self._roles}
        for name, path, at in self._attributes:
            value: object = roles.get(name)
            for index in path:
                values = known.get(value) if isinstance(value, str) else None
                value = None if values is None else values[index]
            if value is None or self._values[at][tokens[at]] != value:
                return False
        return True


def _places(holes: Sequence[Hole]) -> dict[tuple[Use, str, tuple[int, ...]], list[int]]:
    """What slots show -> the places of the holes that show it."""
    places: dict[tuple[Use, str, tuple[int, ...]], list[int]] = {}
    for at, hole in enumerate(holes):
        if hole.slot is not None:
            key = (hole.slot.use, hole.slot.name, hole.slot.path)
            places.setdefault(key, []).append(at)
    return places

"""Skeletons made quick to match: which cut-out piece tells which field of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from supersede.model.record import Kind, RoleValue, Value, VoidWindow
from supersede.rendering.forms import Names
from supersede.rendering.skeletons import Hole, Skeleton
from supersede.rendering.wordings import Use

Said: TypeAlias = tuple[dict[str, RoleValue], dict[str, int | str]]
"""What the words of a line say of an event: its roles and parameters."""


class Reading:
    """One skeleton, ready to be matched.

    Attributes:
        kind: The record's kind; None for noise.
        event: The record's event; None for void, confirm, reinstate, rule and noise.
        label: What stands between the id and the bracket of its lines; None for nothing.
        number: Index of the rule or noise line that it is.
        plain: Whether it is an entry whose words name no record and show no attribute.
        minted: Places of the names that may be of entities that a record brought in.
    """

    def __init__(self, skeleton: Skeleton, labels: Mapping[str, str]) -> None:
        """A reading.

        Args:
            skeleton: What it matches.
            labels: Event -> the label that its lines show.
        """
        self.kind = skeleton.kind
        self.event = skeleton.event
        self.label = None if skeleton.event is None else labels[skeleton.event]
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
            # the forms of parameters read numbers and words, and `match` lets no None pass
            (name, at[0], cast(Mapping[str, int | str], self._values[at[0]]))
            for (use, name, _), at in places.items()
            if use is Use.PARAMETER
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
        uses = {use for use, _, _ in places}
        self.plain = self.kind is Kind.ENTRY and uses.isdisjoint({Use.RECORD, Use.ATTRIBUTE})
        self.minted = [
            at
            for at, hole in enumerate(skeleton.holes)
            if hole.slot is not None
            and hole.slot.use in (Use.ROLE, Use.LIST, Use.WINDOW)
            and isinstance(hole.slot.form, Names)
            and hole.slot.form.pattern is not None
        ]

    def match(self, tokens: Sequence[str]) -> Said | None:
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
        for name, at, numbers in self._parameters:
            parameters[name] = numbers[tokens[at]]
        return roles, parameters

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
        self,
        tokens: Sequence[str],
        roles: Mapping[str, RoleValue],
        known: Mapping[str, tuple[Value, ...]],
    ) -> bool:
        """Whether the attributes that the words show are those of their entities.

        Args:
            tokens: The pieces that were cut out of the text.
            roles: The record's roles.
            known: Entity -> attribute values, as far as the log has told them.
        """
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

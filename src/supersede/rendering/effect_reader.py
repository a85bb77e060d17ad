"""Reads the effects at the end of a record's line: the inverse of `rendering.effects`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from supersede.errors import SpecError
from supersede.model.record import (
    Assignment,
    Key,
    Membership,
    Mint,
    Posting,
    RoleValue,
    RuleChange,
    Value,
)
from supersede.rendering.effects import Defaults, mint_lead, tuple_getter
from supersede.rendering.forms import Values
from supersede.rendering.vocabulary import Attribute, Vocabulary

_RULE = re.compile(
    r'status "(?P<label>[^"]+)" (?P<counts>counts|does not count)'
    r"(?P<reach> from here on|, earlier records included)"
    r"(?:, for records that name (?P<entity>.+))?"
)


_MINT = re.compile(r"(?P<name>[^()]+)(?: \((?P<values>.+)\))?")

Printed: TypeAlias = tuple[int, str, Key, Key]
"""A posting as it is printed: change, measure, entities and their types."""


class Effects(NamedTuple):
    """The effects of a line; postings still without the entities that the roles give."""

    mints: tuple[Mint, ...]
    postings: list[Printed]
    assignments: tuple[Assignment, ...]
    memberships: tuple[Membership, ...]


class EffectReader:
    """Reads effects of one specification."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        world = vocabulary.world
        self._vocabulary = vocabulary
        self._measures = _unique(((m.label, m.name) for m in world.measures.values()), "measures")
        self._registers = _unique(
            ((r.label, r.name) for r in world.registers.values()), "registers"
        )
        rosters = _unique(((r.label, r.name) for r in world.rosters.values()), "rosters")
        self._rosters = {label: world.rosters[name] for label, name in rosters.items()}
        self._changes = {name: form.values for name, form in vocabulary.measures.items()}
        self._heads: Values[tuple[str, Key, Key]] = Values(self._head)
        self._cells: Values[tuple[str, Key]] = Values(self._cell)
        self._memberships: Values[Membership] = Values(self._membership)
        self._mint_leads = {name: mint_lead(vocabulary, name) for name in world.types}
        self._defaults = {event: vocabulary.default_roles(event) for event in world.events}
        self._rests: dict[str, dict[Key, Defaults]] = {event: {} for event in world.events}
        self._arity = {measure.name: len(measure.per) for measure in world.measures.values()}
        self._holders = {r.name for r in world.registers.values() if r.type is not None}
        """Registers whose values are entities."""

    def read(self, pieces: Sequence[str]) -> Effects | None:
        """The effects that some texts print.

        Returns:
            None where one of them is no effect, is two, or comes out of order.
        """
        mints: list[Mint] = []
        postings: list[Printed] = []
        assignments: list[Assignment] = []
        memberships: list[Membership] = []
        before = 0
        heads, changes = self._heads, self._changes
        for piece in pieces:
            ways = place = 0
            at = max(piece.rfind(" +"), piece.rfind(" -"))
            if at > 0 and (head := heads[piece[:at]]) is not None:
                change = changes[head[0]][piece[at + 1 :]]
                if change is not None:
                    ways, place = 1, 1
                    postings.append((change, *head))
            if " = " in piece and (assignment := self._assignment(piece)) is not None:
                ways, place = ways + 1, 2
                assignments.append(assignment)
            if (" joins " in piece or " leaves " in piece) and (
                membership := self._memberships[piece]
            ) is not None:
                ways, place = ways + 1, 3
                memberships.append(membership)
            if piece.startswith("new ") and (mint := self._mint(piece)) is not None:
                ways, place = ways + 1, 0
                mints.append(mint)
            if ways != 1 or place < before:
                return None
            before = place
        return Effects(tuple(mints), postings, tuple(assignments), tuple(memberships))

    def twice(self, effects: Effects) -> str | None:
        """What a record brings in or changes twice, which none does (R13); None where nothing."""
        mints, postings, assignments, memberships = effects
        if len(mints) < 2 and len(assignments) < 2 and len(memberships) < 2:
            changes = len(postings)
            if changes < 2 or (changes == 2 and postings[0][1] != postings[1][1]):
                return None  # the common case, told without comparing cells
        arity = self._arity
        every: tuple[list[tuple[str, Key]], ...] = (
            [("", (entity,)) for entity, _, _ in mints] if len(mints) > 1 else [],
            [(m, names[: arity[m]]) for _, m, names, _ in postings] if len(postings) > 1 else [],
            [(name, key) for name, key, _ in assignments] if len(assignments) > 1 else [],
            [(m.roster, (*m.key, m.member)) for m in memberships] if len(memberships) > 1 else [],
        )
        for cells in every:
            if len(set(cells)) < len(cells):
                name, key = next(cell for cell in cells if cells.count(cell) > 1)
                return " of ".join(filter(None, (name, ", ".join(key))))
        return None

    def names(self, effects: Effects) -> Iterator[str]:
        """The entities that effects other than mints name."""
        for _, _, entities, _ in effects.postings:
            yield from entities
        for register, key, value in effects.assignments:
            yield from key
            if value is not None and register in self._holders:
                yield str(value)
        for _, key, member, _ in effects.memberships:
            yield from key
            yield member

    def postings(
        self, event: str, roles: Mapping[str, RoleValue], printed: Sequence[Printed]
    ) -> tuple[Posting, ...]:
        """Postings with all the entities that they count for (R28).

        Args:
            event: The record's event.
            roles: The record's roles.
            printed: What `read` found.
        """
        found: list[Posting] = []
        rests = self._rests[event]
        for delta, measure, entities, types in printed:
            rest = rests.get(types)
            if rest is None:
                roles_left = [role for role, kind in self._defaults[event] if kind not in types]
                rest = rests[types] = tuple_getter(roles_left)
            found.append(Posting(measure, delta, entities + rest(roles)))
        return tuple(found)

    def rule(self, piece: str) -> RuleChange | None:
        """What the effect of a rule record says; None where it is no such effect."""
        match = _RULE.fullmatch(piece)
        if match is None:
            return None
        change = RuleChange(
            match["label"], match["counts"] == "counts", match["reach"][0] == ",", match["entity"]
        )
        known = match["label"] in self._vocabulary.world.statuses
        named = match["entity"] is None or self._vocabulary.type_of[match["entity"]] is not None
        return change if known and named else None

    def _head(self, text: str) -> tuple[str, Key, Key] | None:
        """What stands before a change: measure, entities and their types."""
        found = self._labelled(self._measures, text)
        if found is None:
            return None
        types = [self._vocabulary.type_of[name] for name in found[1]]
        single = tuple(kinds[0] for kinds in types if kinds is not None and len(kinds) == 1)
        arity = len(self._vocabulary.world.measures[found[0]].per)
        if len(single) < max(arity, len(types)) or len(set(single)) < len(single):
            return None
        return (*found, single)

    def _assignment(self, piece: str) -> Assignment | None:
        cell, _, text = piece.partition(" = ")
        found = self._cells[cell]
        if found is None:
            return None
        value = self._vocabulary.registers[found[0]].values[text]
        return None if value is None else Assignment(*found, value[0])

    def _cell(self, text: str) -> tuple[str, Key] | None:
        """What stands before a value: register and key."""
        found = self._labelled(self._registers, text)
        if found is None:
            return None
        on = self._vocabulary.world.registers[found[0]].on
        return found if self._fits(found[1], on) else None

    def _membership(self, piece: str) -> Membership | None:
        for verb, joins in ((" joins ", True), (" leaves ", False)):
            if verb not in piece:
                continue
            member, _, rest = piece.partition(verb)
            label, _, key = rest.partition(" for ")
            for name, names in ((rest, ()), (label, (key,))):
                roster = self._rosters.get(name)
                if roster is not None and self._fits((member, *names), (roster.of, *roster.per)):
                    return Membership(roster.name, names, member, joins)
        return None

    def _mint(self, piece: str) -> Mint | None:
        match = _MINT.fullmatch(piece)
        if match is None:
            return None
        for kind, lead in self._mint_leads.items():
            name = match["name"].removeprefix(lead)
            if match["name"].startswith(lead) and self._fits((name,), (kind,)):
                texts = [] if match["values"] is None else match["values"].split(", ")
                values = _attribute_values(self._vocabulary.attributes[kind], texts)
                return None if values is None else Mint(name, kind, values)
        return None

    def _labelled(self, names: Mapping[str, str], text: str) -> tuple[str, Key] | None:
        """A label at the start of a text, and the names behind it."""
        ways: list[tuple[str, Key]] = []
        if text in names:
            ways.append((names[text], ()))
        at = text.find(" ")
        while at > 0:
            if text[:at] in names:
                ways.append((names[text[:at]], tuple(text[at + 1 :].split(", "))))
            at = text.find(" ", at + 1)
        ways = [way for way in ways if all(map(self._vocabulary.type_of.__getitem__, way[1]))]
        return ways[0] if len(ways) == 1 else None

    def _fits(self, names: Key, types: Key) -> bool:
        """Whether names are of the types given, one by one."""
        forms = self._vocabulary.types
        return len(names) == len(types) and all(
            forms[kind].values[name] is not None for name, kind in zip(names, types, strict=True)
        )


def _attribute_values(
    attributes: Sequence[Attribute], texts: Sequence[str]
) -> tuple[Value, ...] | None:
    if len(texts) != len(attributes):
        return None
    values: list[Value] = []
    for (_, label, form, _), text in zip(attributes, texts, strict=True):
        lead = f"{label} " if label else ""
        value = form.values[text.removeprefix(lead)] if text.startswith(lead) else None
        if value is None:
            return None
        values.append(value)
    return tuple(values)


def _unique(pairs: Iterable[tuple[str, str]], what: str) -> dict[str, str]:
    """Label -> name.

    Raises:
        SpecError: Two names have one label.
    """
    found: dict[str, str] = {}
    for label, name in pairs:
        if label in found:
            raise SpecError(
                f"{what} {found[label]!r} and {name!r} have one label, {label!r}",
                mend="Give each a label of its own.",
            )
        found[label] = name
    return found

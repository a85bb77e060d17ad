"""Reads the effects at the end of a record's line: the inverse of `rendering.effects`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
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


new = tuple.__new__
"""Makes a named tuple, in half the time that its own constructor takes."""

_MINT = re.compile(r"(?P<name>[^()]+)(?: \((?P<values>.+)\))?")

_OTHER = re.compile(r"^new | = | joins | leaves ")
"""Signs of every effect but a posting."""

Cell: TypeAlias = str
"""What an effect changes, which no two effects of a record do (R13), as one text that is quick to
compare: its place in the order of effects, the name of what changes and its key, a tab between."""

MINT, POSTING, ASSIGNMENT, MEMBERSHIP = range(4)
"""Places in the order of effects."""


class Other(NamedTuple):
    """An effect that is no posting."""

    place: int
    cell: Cell
    effect: Mint | Assignment | Membership
    minted: Key
    """The entities in it that a record must have brought in."""


class Head(NamedTuple):
    """What stands before the change of a posting, in a line of one event."""

    cell: Cell
    measure: str
    entities: Key
    rest: Defaults | None
    """The entities that a record's roles add (R28); None where they add none."""
    changes: Values[int]
    minted: Key
    """Those of the entities that a record must have brought in."""
    alone: bool
    """Whether what opens so can be nothing but a posting."""


class Effects(NamedTuple):
    """The effects of a line."""

    mints: tuple[Mint, ...] = ()
    postings: tuple[Posting, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    memberships: tuple[Membership, ...] = ()
    rule: RuleChange | None = None
    cells: Sequence[Cell] = ()
    """What they change, in order."""
    named: Sequence[str] = ()
    """The entities in them, mints aside, that a record must have brought in."""

    def twice(self) -> str | None:
        """What they bring in or change twice, which no record does (R13); None where nothing."""
        for cell in self.cells:
            if self.cells.count(cell) > 1:
                _, *names = cell.split("\t")
                return " of ".join(filter(None, (names[0], ", ".join(names[1:]))))
        return None


def _cell(place: int, name: str, key: Key) -> Cell:
    return "\t".join((str(place), name, *key))


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
        self._heads = {event: Values(partial(self._head, event)) for event in world.events}
        self._measured: Values[tuple[str, Key, Key]] = Values(self._measure)
        self._cells: Values[tuple[str, Key]] = Values(self._cell)
        self._others: Values[list[Other]] = Values(self._other)
        self._mint_leads = {name: mint_lead(vocabulary, name) for name in world.types}
        self._defaults = {event: vocabulary.default_roles(event) for event in world.events}
        self._holders = {r.name for r in world.registers.values() if r.type is not None}
        """Registers whose values are entities."""
        self._always = {name for kind in world.types.values() for name in kind.names}

    def read(
        self, event: str, roles: Mapping[str, RoleValue], pieces: Sequence[str]
    ) -> Effects | None:
        """The effects that some texts print.

        Args:
            event: The record's event.
            roles: The record's roles, which tell the entities that postings leave out.
            pieces: The texts, in order.

        Returns:
            None where one of them is no effect, is two, or comes out of order.
        """
        mints: tuple[Mint, ...] = ()
        postings: list[Posting] = []
        assignments: tuple[Assignment, ...] = ()
        memberships: tuple[Membership, ...] = ()
        cells: list[Cell] = []
        named: Key = ()
        before = 0
        heads, others = self._heads[event], self._others
        for piece in pieces:
            at, minus = piece.rfind(" +"), piece.rfind(" -")
            if minus > at:
                at = minus
            head = heads[piece[:at]] if at > 0 else None
            if head is not None:
                cell, measure, entities, rest, changes, minted, alone = head
                change = changes[piece[at + 1 :]]
                if change is not None:
                    if before > POSTING or not (alone or others[piece] is None):
                        return None  # out of order, or two effects at once
                    before = POSTING
                    cells.append(cell)
                    if minted:
                        named += minted
                    if rest is not None:
                        entities += rest(roles)
                    postings.append(new(Posting, (measure, change, entities)))
                    continue
            ways = others[piece]
            if ways is None or len(ways) > 1:
                return None
            ((place, cell, effect, minted),) = ways
            if place < before:
                return None
            before = place
            cells.append(cell)
            named += minted
            if isinstance(effect, Assignment):
                assignments += (effect,)
            elif isinstance(effect, Membership):
                memberships += (effect,)
            else:
                mints += (effect,)
        return new(Effects, (mints, tuple(postings), assignments, memberships, None, cells, named))

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

    def _head(self, event: str, text: str) -> Head | None:
        """What stands before a change, in a line of an event."""
        found = self._measured[text]
        if found is None:
            return None
        measure, entities, types = found
        left = [role for role, kind in self._defaults[event] if kind not in types]
        key = entities[: len(self._vocabulary.world.measures[measure].per)]
        form = self._vocabulary.measures[measure]
        return Head(
            _cell(POSTING, measure, key),
            measure,
            entities,
            tuple_getter(left) if left else None,
            form.values,
            self._minted(entities),
            not _OTHER.search(f"{text} {form.unit} "),
        )

    def _measure(self, text: str) -> tuple[str, Key, Key] | None:
        """Measure, entities and their types."""
        found = self._labelled(self._measures, text)
        if found is None:
            return None
        types = [self._vocabulary.type_of[name] for name in found[1]]
        single = tuple(kinds[0] for kinds in types if kinds is not None and len(kinds) == 1)
        arity = len(self._vocabulary.world.measures[found[0]].per)
        if len(single) < max(arity, len(types)) or len(set(single)) < len(single):
            return None
        return (*found, single)

    def _other(self, piece: str) -> list[Other] | None:
        """Every way to read an effect that is no posting; None where there is none."""
        ways: list[Other] = []
        if (mint := self._mint(piece)) is not None:
            ways.append(Other(MINT, _cell(MINT, "", (mint.entity,)), mint, ()))
        if (assignment := self._assignment(piece)) is not None:
            name, key, value = assignment
            held = (str(value),) if value is not None and name in self._holders else ()
            cell = _cell(ASSIGNMENT, name, key)
            ways.append(Other(ASSIGNMENT, cell, assignment, self._minted(key + held)))
        if (membership := self._membership(piece)) is not None:
            name, key, member, _ = membership
            names = (*key, member)
            cell = _cell(MEMBERSHIP, name, names)
            ways.append(Other(MEMBERSHIP, cell, membership, self._minted(names)))
        return ways or None

    def _minted(self, names: Key) -> Key:
        """Those of some names that a record must have brought in: the others always exist."""
        return tuple(name for name in names if name not in self._always)

    def _assignment(self, piece: str) -> Assignment | None:
        cell, sign, text = piece.partition(" = ")
        found = self._cells[cell] if sign else None
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
        match = _MINT.fullmatch(piece) if piece.startswith("new ") else None
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

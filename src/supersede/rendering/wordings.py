"""Wordings: an author's phrasings taken apart into words and slots.

Every phrasing of a specification becomes a `Wording`: literal text and `Slot`s in turn. The
writer fills the slots, the reader blanks them; both see the same pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from string import Formatter
from typing import NamedTuple, TypeAlias

from supersede.errors import SpecError, did_you_mean
from supersede.model.record import (
    AMEND,
    BACKFILL,
    CONFIRM,
    CORRECT,
    REINSTATE,
    REPOST,
    VOID,
    Kind,
)
from supersede.rendering.forms import Form, Number
from supersede.rendering.vocabulary import Vocabulary

Origin: TypeAlias = tuple[str | int, ...]
"""Where in the specification a wording stands: `("events", 3, "phrasings", 0)`."""


class Use(Enum):
    """What a slot shows."""

    ROLE = "role"
    """The entity of a role."""
    RECORD = "record"
    """The id of the record in a role."""
    LIST = "list"
    """The entities of a list role: `Ann, Bob and Cy`."""
    PARAMETER = "parameter"
    ATTRIBUTE = "attribute"
    """An attribute of a role's entity, or of an attribute that is an entity."""
    REF = "ref"
    """The record, records or window that a control record names."""
    BLOCK = "block"
    """The number of the block in which a late entry took place."""
    WHERE = "where"
    """The entity that a rule is limited to."""
    WINDOW = "window"
    """The entity or the blocks of a void by selector."""
    NAME = "name"
    """The name in a noise line."""


class Slot(NamedTuple):
    """A blank of a wording."""

    use: Use
    name: str
    """Role, parameter or entity type; empty for others."""
    form: Form
    path: tuple[int, ...] = ()
    """For an attribute: indices of attributes to follow, from the role's entity on."""


Piece: TypeAlias = str | Slot


class Wording(NamedTuple):
    """One phrasing, taken apart."""

    pieces: tuple[Piece, ...]
    """Literal text and slots, in order."""
    origin: Origin


REVISIONS: tuple[tuple[Kind, bool], ...] = (
    (BACKFILL, True),
    (CORRECT, True),
    (AMEND, True),
    (REPOST, True),
    (VOID, False),
    (CONFIRM, False),
    (REINSTATE, False),
)
"""Kinds whose lines open with a wording of `revisions`, and whether an event's one follows."""


def event_wordings(vocabulary: Vocabulary, index: int) -> tuple[Wording, ...]:
    """The phrasings of one event.

    Args:
        vocabulary: The forms of the specification.
        index: Index of the event in the specification.

    Raises:
        SpecError: A slot that names nothing that the event has.
    """

    def slot(field: str) -> Sequence[Piece]:
        return _event_slot(vocabulary, index, field)

    return _wordings(vocabulary.spec.events[index].phrasings, ("events", index, "phrasings"), slot)


def revision_wordings(vocabulary: Vocabulary, kind: Kind) -> tuple[Wording, ...]:
    """The phrasings of one kind of revision, with the slot `{ref}` or `{block}`.

    Raises:
        SpecError: Another slot.
    """
    texts: tuple[str, ...] = getattr(vocabulary.spec.revisions, kind.value)
    known: Mapping[str, Sequence[Piece]] = {"ref": [Slot(Use.REF, "", vocabulary.ids)]}
    if kind is BACKFILL:
        block = f"{vocabulary.world.block} "
        known = {"block": [block, Slot(Use.BLOCK, "", Number())]}
    return _wordings(texts, ("revisions", kind.value), _from(known))


def rule_wordings(vocabulary: Vocabulary, index: int) -> tuple[Wording, ...]:
    """The texts of one rule, without the full stop at their end, with the slot `{where}`.

    Raises:
        SpecError: Another slot.
    """
    rule = vocabulary.spec.rules[index]
    known: dict[str, Sequence[Piece]] = {}
    if rule.where is not None:
        known["where"] = [Slot(Use.WHERE, rule.where, vocabulary.types[rule.where])]
    texts = tuple(text.removesuffix(".") for text in rule.text)
    return _wordings(texts, ("rules", index, "text"), _from(known))


def noise_wordings(vocabulary: Vocabulary) -> tuple[Wording, ...]:
    """The noise lines, each with slots for names of an entity type.

    Raises:
        SpecError: A slot that is no entity type.
    """
    known = {name: [Slot(Use.NAME, name, form)] for name, form in vocabulary.types.items()}
    return _wordings(vocabulary.spec.noise, ("noise",), _from(known))


def _wordings(
    texts: Sequence[str], origin: Origin, slot: Callable[[str], Sequence[Piece]]
) -> tuple[Wording, ...]:
    found: list[Wording] = []
    for n, text in enumerate(texts):
        place = (*origin, n)
        try:
            found.append(Wording(tuple(_pieces(text, slot)), place))
        except (ValueError, SpecError) as error:
            mend = error.mend if isinstance(error, SpecError) else "Write {{ for a brace."
            raise SpecError(f"{text!r}: {error}", where=printed(place), mend=mend) from error
    return tuple(found)


def _pieces(text: str, slot: Callable[[str], Sequence[Piece]]) -> Iterator[Piece]:
    for literal, field, spec, conversion in Formatter().parse(text):
        if literal:
            yield literal
        if field is not None:
            if spec or conversion:
                raise SpecError("a slot takes no format")
            yield from slot(field)


def printed(origin: Origin) -> str:
    """An origin for people: `events[3].phrasings[0]`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in origin)
    return text.removeprefix(".")


def _from(known: Mapping[str, Sequence[Piece]]) -> Callable[[str], Sequence[Piece]]:
    def slot(field: str) -> Sequence[Piece]:
        if field not in known:
            raise SpecError(f"no slot {{{field}}} here", mend=did_you_mean(field, known))
        return known[field]

    return slot


def _event_slot(vocabulary: Vocabulary, index: int, field: str) -> Sequence[Piece]:
    event = vocabulary.spec.events[index]
    kind = vocabulary.world.events[event.id]
    role, *attributes = field.split(".")
    if attributes and role in kind.roles:
        return _attribute_slot(vocabulary, role, kind.roles[role], attributes)
    if attributes or role not in {*event.roles, *event.parameters}:
        known = [*event.roles, *event.parameters]
        raise SpecError(f"no slot {{{field}}} here", mend=did_you_mean(field, known))
    if role in kind.roles:
        return [Slot(Use.ROLE, role, vocabulary.types[kind.roles[role]])]
    if role in kind.lists:
        return [Slot(Use.LIST, role, vocabulary.types[kind.lists[role]])]
    if role in kind.records:
        return [Slot(Use.RECORD, role, vocabulary.ids)]
    return _with_unit(Slot(Use.PARAMETER, role, vocabulary.parameter(index, role)))


def _attribute_slot(
    vocabulary: Vocabulary, role: str, type_name: str, attributes: Sequence[str]
) -> Sequence[Piece]:
    path: list[int] = []
    kind: str | None = type_name
    form: Form = vocabulary.types[type_name]
    for name in attributes:
        declared = vocabulary.attributes[kind] if kind is not None else ()
        names = [attribute.name for attribute in declared]
        if name not in names:
            raise SpecError(
                f"{kind or role} has no attribute {name!r}", mend=did_you_mean(name, names)
            )
        path.append(names.index(name))
        form, kind = declared[path[-1]].form, declared[path[-1]].type
    return _with_unit(Slot(Use.ATTRIBUTE, role, form, tuple(path)))


def _with_unit(slot: Slot) -> Sequence[Piece]:
    """The slot with a bare number in it, and the unit as words behind it.

    A unit that a 1 changes stays in the slot.
    """
    form = slot.form
    if isinstance(form, Number) and form.unit and len(form.tails) == 1:
        return [slot._replace(form=Number(form.scale)), f" {form.unit}"]
    return [slot]

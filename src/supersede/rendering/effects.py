"""Effects as they are printed at the end of a record's line, in canonical form (R34).

::

    new order #304 (coffee maker)                 an entity that the record brings in
    refunds #304 +12.00 USD                       a posting, after the entities that need naming
    stage #304 = delivered                        an assignment; `unset` for no value
    Ann joins going; Ann leaves holds for Dune    a join or a leave
    status "on hold" counts from here on          what a rule record changes
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from supersede.errors import DataError
from supersede.model.record import Assignment, Membership, Mint, Posting, RoleValue, RuleChange
from supersede.rendering.forms import Texts
from supersede.rendering.vocabulary import Vocabulary

Defaults = Callable[[Mapping[str, RoleValue]], tuple[str, ...]]
"""From a record's roles to the entities that a posting counts for unless it says otherwise."""


class PostingWriter:
    """Prints the postings of one event: the measure, who it is for, the change (R28).

    A posting counts for each role that is the only one of its entity type. Printed are the
    cell's key and as few further entities as tell the rest, so that a reader who knows the
    roles finds all of them again, in order.
    """

    def __init__(self, vocabulary: Vocabulary, event: str) -> None:
        self._vocabulary = vocabulary
        self._roles = vocabulary.default_roles(event)
        self._plain: dict[str, tuple[str, int, Defaults, Texts]] = {}
        """Measure -> lead, number of key entities, the other defaults, texts of changes."""
        for measure in vocabulary.world.measures.values():
            rest = self._rest(measure.per)
            texts = vocabulary.measures[measure.name].texts
            self._plain[measure.name] = (f"; {measure.label} ", len(measure.per), rest, texts)

    def _rest(self, types: Sequence[str]) -> Defaults:
        """The defaults but those of some entity types, from a record's roles."""
        return tuple_getter([role for role, kind in self._roles if kind not in types])

    def write(self, roles: Mapping[str, RoleValue], postings: Sequence[Posting]) -> str:
        """The postings of a record, each after a semicolon.

        Raises:
            DataError: A posting counts for entities that no line can tell.
        """
        text = ""
        before = None
        for posting in postings:
            measure, delta, entities = posting
            if measure != before:
                lead, keys, rest, texts = self._plain[measure]
                others = rest(roles)
                before = measure
            if entities[keys:] != others:
                text += self._general(roles, posting)
            elif keys == 0:
                text += lead + texts[delta]
            elif keys == 1:
                text += f"{lead}{entities[0]} {texts[delta]}"
            else:
                text += f"{lead}{', '.join(entities[:keys])} {texts[delta]}"
        return text

    def _general(self, roles: Mapping[str, RoleValue], posting: Posting) -> str:
        measure, delta, entities = posting
        lead, keys, _, texts = self._plain[measure]
        type_of = self._vocabulary.type_of
        for count in range(keys, len(entities) + 1):
            types = [kind for name in entities[:count] for kind in type_of[name] or ()]
            if entities[count:] == self._rest(types)(roles):
                return f"{lead}{', '.join(entities[:count])} {texts[delta]}"
        raise DataError(
            f"{posting} leaves out one of the roles {dict(roles)}, which no line can show",
            mend="A posting counts for each role that is the only one of its entity type.",
        )


def tuple_getter(keys: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """The values of some keys of a mapping, as a tuple."""
    if not keys:
        return lambda _: ()
    if len(keys) == 1:
        (key,) = keys
        return lambda mapping: (mapping[key],)
    getter: Callable[[Mapping[str, Any]], tuple[Any, ...]] = itemgetter(*keys)
    return getter


class EffectWriter:
    """Prints mints, assignments and memberships, which need no roles to be understood."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        world = vocabulary.world
        self._attributes = vocabulary.attributes
        self._mint = {name: mint_lead(vocabulary, name) for name in world.types}
        self._registers = {
            r.name: (r.label, vocabulary.registers[r.name]) for r in world.registers.values()
        }
        self._rosters = {roster.name: roster.label for roster in world.rosters.values()}

    def mints(self, mints: Sequence[Mint]) -> str:
        """The entities that a record brings in, each after a semicolon."""
        text = ""
        for entity, kind, values in mints:
            text += f"; {self._mint[kind]}{entity}"
            if values:
                shown = [
                    f"{label} {form.write(value)}" if label else form.write(value)
                    for (_, label, form, _), value in zip(
                        self._attributes[kind], values, strict=True
                    )
                ]
                text += f" ({', '.join(shown)})"
        return text

    def assignments(self, assignments: Sequence[Assignment]) -> str:
        """The register changes of a record, each after a semicolon."""
        text = ""
        for register, key, value in assignments:
            label, form = self._registers[register]
            cell = f"{label} {', '.join(key)}" if key else label
            text += f"; {cell} = {form.write(value)}"
        return text

    def memberships(self, memberships: Sequence[Membership]) -> str:
        """The joins and leaves of a record, each after a semicolon."""
        text = ""
        for roster, key, member, joins in memberships:
            to = f" for {key[0]}" if key else ""
            text += f"; {member} {'joins' if joins else 'leaves'} {self._rosters[roster]}{to}"
        return text


def mint_lead(vocabulary: Vocabulary, type_name: str) -> str:
    """What stands before a minted name: `new order `, or `new ` where the name says it."""
    kind = vocabulary.world.types[type_name]
    said = kind.minted is not None and kind.minted.casefold().startswith(kind.label.casefold())
    return "new " if said else f"new {kind.label} "


def rule_effect(change: RuleChange) -> str:
    """What a rule record changes (R9)."""
    counts = "counts" if change.counts else "does not count"
    reach = ", earlier records included" if change.retroactive else " from here on"
    where = f", for records that name {change.entity}" if change.entity is not None else ""
    return f'status "{change.label}" {counts}{reach}{where}'

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
from typing import Any, TypeAlias

from supersede.errors import DataError
from supersede.model.record import Assignment, Key, Membership, Mint, Posting, RoleValue, RuleChange
from supersede.rendering.vocabulary import Vocabulary

Defaults = Callable[[Mapping[str, RoleValue]], tuple[str, ...]]
"""From a record's roles to the entities that a posting counts for unless it says otherwise."""

Printer: TypeAlias = Callable[[Mapping[str, RoleValue], Sequence[Posting]], "str | None"]
"""From a record's roles and postings to their text; None where they are not of the usual form."""


class PostingWriter:
    """Prints the postings of one event: the measure, who it is for, the change (R28).

    A posting counts for each role that is the only one of its entity type. Printed are the
    cell's key and as few further entities as tell the rest, so that a reader who knows the
    roles finds all of them again, in order.
    """

    def __init__(self, vocabulary: Vocabulary, event: str) -> None:
        self._vocabulary = vocabulary
        self._roles = vocabulary.default_roles(event)
        self._usual: dict[int, Printer] = {}
        """Number of postings -> prints those of the measures that were first seen together."""
        self._usual_alone: dict[str, Printer] = {}
        """Measure -> prints one posting to it."""

    def write(self, roles: Mapping[str, RoleValue], postings: Sequence[Posting]) -> str:
        """The postings of a record, each after a semicolon.

        Raises:
            DataError: A posting counts for entities that no line can tell.
        """
        usual = self._usual.get(len(postings))
        if usual is None:
            measures = [posting.measure for posting in postings]
            usual = self._usual[len(postings)] = self._printer(measures)
        return usual(roles, postings) or "".join([self._one(roles, p) for p in postings])

    def _one(self, roles: Mapping[str, RoleValue], posting: Posting) -> str:
        """One posting, of whatever measure and form."""
        usual = self._usual_alone.get(posting.measure)
        if usual is None:
            usual = self._usual_alone[posting.measure] = self._printer([posting.measure])
        return usual(roles, (posting,)) or self._general(roles, *posting)

    def _printer(self, measures: Sequence[str]) -> Printer:
        """The compiled function that prints postings to some measures, one after the other.

        Nearly all of them count for the cell's key and all the defaults of other types. For one
        such posting it is::

            def write(r, p):
                (m0, d0, e0), = p
                if m0 == 'stock' and len(e0) == 2 and e0[1] == r['actor']:
                    return '; stock ' f'{e0[0]} {texts0[d0]}'

        It gives None where a posting is of another measure or form.
        """
        world = self._vocabulary.world
        conditions, texts, names = [], [], {}
        for n, measure in enumerate(measures):
            what = world.measures[measure]
            keys = len(what.per)
            others = [role for role, kind in self._roles if kind not in what.per]
            conditions += [f"m{n} == {measure!r}", f"len(e{n}) == {keys + len(others)}"]
            conditions += [f"e{n}[{at}] == r[{role!r}]" for at, role in enumerate(others, keys)]
            names[f"texts{n}"] = self._vocabulary.measures[measure].texts
            key = ", ".join(f"{{e{n}[{at}]}}" for at in range(keys))
            texts.append(f"{f'; {what.label} '!r} f'{key}{' ' * bool(keys)}{{texts{n}[d{n}]}}'")
        unpacked = "".join(f"(m{n}, d{n}, e{n}), " for n in range(len(measures)))
        source = (
            f"def write(r, p):\n {unpacked} = p\n if {' and '.join(conditions)}:\n"
            f"  return {' '.join(texts)}\n return None\n"
        )
        scope: dict[str, Any] = dict(names)
        exec(source, scope)
        printer: Printer = scope["write"]
        return printer

    def _rest(self, types: Sequence[str]) -> Defaults:
        """The defaults but those of some entity types, from a record's roles."""
        return tuple_getter([role for role, kind in self._roles if kind not in types])

    def _general(
        self, roles: Mapping[str, RoleValue], measure: str, delta: int, entities: Key
    ) -> str:
        what = self._vocabulary.world.measures[measure]
        change = self._vocabulary.measures[measure].texts[delta]
        type_of = self._vocabulary.type_of
        for count in range(len(what.per), len(entities) + 1):
            types = [kind for name in entities[:count] for kind in type_of[name] or ()]
            if entities[count:] == self._rest(types)(roles):
                return f"; {what.label} {', '.join(entities[:count])} {change}"
        raise DataError(
            f"{Posting(measure, delta, entities)} leaves out one of the roles {dict(roles)}, which "
            "no line can show",
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
            r.name: (r.label, vocabulary.registers[r.name].write) for r in world.registers.values()
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
            label, write = self._registers[register]
            cell = f"{label} {', '.join(key)}" if key else label
            text += f"; {cell} = {write(value)}"
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

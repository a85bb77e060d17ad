"""Readings of a history: the true one, and those of readers who take a shortcut.

A reading says for every record where its effects come from, in which block and in which order
it is taken to have happened. Replay is not repeated: each reader's view follows from the true
one by judging anew only the records that the shortcut reaches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress, count
from operator import not_

from supersede.model.record import Kind
from supersede.questions.controls import AWAY
from supersede.questions.index import Index
from supersede.questions.validity import AS_IS, Variant
from supersede.worlds.ledger import Ledger


class Shortcut(StrEnum):
    """Cheap wrong readers; a question is worth asking where they fail."""

    EVERYTHING = "count everything"
    """All entries, backfills, corrects and reposts count, as first posted."""
    NO_REVISIONS = "ignore voids and amends"
    """Control records are skipped; status labels and rules are honoured."""
    LAST_MENTION = "last mention"
    """The value printed last, whatever became of it."""
    NO_BACKFILL = "ignore backfill"
    """A late record is taken to have happened where it is posted."""
    NO_RULES = "ignore rule changes"
    """Status labels count as they did at the start."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Where every record's effects come from, and when it is taken to have happened."""

    index: Index
    source: list[int]
    """Per position: whose content counts for the entry; `AWAY` where nothing does."""
    as_posted: bool = False
    """Whether everything is taken to have happened where it is posted."""
    variant: Variant = AS_IS
    """How validity was judged, for questions about reasons."""
    last_mention: bool = False
    """Whether sums and counts are replaced by what is printed last."""
    trusting: bool = False
    """Whether nothing is taken to be invalid."""

    @property
    def blocks(self) -> Sequence[int]:
        """Per position: the block in which it happened."""
        return self.index.posted if self.as_posted else self.index.occurred

    @property
    def order(self) -> Sequence[int]:
        """Per position: a sort key for the order of what happened."""
        return range(len(self.source)) if self.as_posted else self.index.order


def true_reading(index: Index, ledger: Ledger) -> Reading:
    """The reading that the ledger settled."""
    source = list(range(len(index.records)))
    for i in compress(count(), map(not_, ledger.counts)):
        source[i] = AWAY
    for i, amend in ledger.amendment.items():
        if source[i] >= 0:
            source[i] = amend
    return Reading(index, source)


def settled(index: Index) -> Reading:
    """The true reading, computed here from the whole history instead of taken from a ledger."""
    blank = [AWAY] * len(index.records)
    source = index.validity.derive(blank, AS_IS, index.validity.entries)
    return Reading(index, source)


def variant_reading(index: Index, reading: Reading, change: Variant) -> Reading:
    """A reading under a small change of the history.

    A reader who takes everything to count goes on doing so; only what is not posted is gone.
    """
    variant = reading.variant.and_also(change)
    key = (id(reading.source), reading.trusting, variant.key())
    known = index.sources.get(key)
    if known is None or known[0] is not reading.source:
        known = index.sources[key] = (reading.source, _changed(index, reading, variant, change))
    return Reading(
        index, known[1], reading.as_posted, variant, reading.last_mention, reading.trusting
    )


def _changed(index: Index, reading: Reading, variant: Variant, change: Variant) -> list[int]:
    reached = _reached(index, change)
    if not reading.trusting:
        return index.validity.derive(reading.source, variant, reached)
    source = list(reading.source)
    for i in reached:
        if not index.validity.posted(i, variant):
            source[i] = AWAY
    for i in index.validity.gone(variant, amends=False) if variant.dropped else ():
        source[i] = AWAY
    return source


def _reached(index: Index, variant: Variant) -> list[int]:
    """Entries that a change may decide about directly."""
    validity = index.validity
    reached: list[int] = []
    for at in variant.without:
        reached += validity.reached(at)
    if not variant.rules:
        for label, rules in validity.rules.items():
            all_along = any(rule.retroactive for _, rule in rules)
            reached += validity.under_label(label, after=-1 if all_along else rules[0][0])
    if not variant.controls:
        reached += [*validity.actions, *validity.confirms, *validity.amends]
        for _, window in validity.windows:
            reached += validity.by_event.get(window.event, ())
        reached = [i for i in reached if index.records[i].kind is not Kind.AMEND]
    for label in variant.assume:
        reached += validity.under_class(label)
    if variant.cut is not None:
        later = bisect_right(index.posted, variant.cut)
        for i in range(later, len(index.records)):
            reached += validity.reached(i)
    return reached


def shortcut_reading(index: Index, true: Reading, shortcut: Shortcut) -> Reading:
    """The reading of a careless reader."""
    if shortcut is Shortcut.NO_BACKFILL:
        return Reading(index, true.source, as_posted=True)
    if shortcut is Shortcut.NO_RULES:
        return variant_reading(index, true, Variant(rules=False))
    if shortcut is Shortcut.NO_REVISIONS:
        return variant_reading(index, true, Variant(controls=False))
    source = index.validity.printed
    last_mention = shortcut is Shortcut.LAST_MENTION
    return Reading(index, source, as_posted=last_mention, last_mention=last_mention, trusting=True)


def readings(index: Index, true: Reading) -> Mapping[Shortcut, Reading]:
    """The readings of careless readers.

    Where there is nothing that they could overlook, those of late entries and rules are left out,
    and that of revisions is the true one itself.
    """
    found = {
        shortcut: shortcut_reading(index, true, shortcut)
        for shortcut in (Shortcut.EVERYTHING, Shortcut.LAST_MENTION)
    }
    revised = index.validity.is_revised
    revisions = Shortcut.NO_REVISIONS
    found[revisions] = shortcut_reading(index, true, revisions) if revised else true
    if index.validity.backfills:
        found[Shortcut.NO_BACKFILL] = shortcut_reading(index, true, Shortcut.NO_BACKFILL)
    if index.validity.rules:
        found[Shortcut.NO_RULES] = shortcut_reading(index, true, Shortcut.NO_RULES)
    return found

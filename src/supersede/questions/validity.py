"""What would count if a record, all rules or all revisions were away: validity, asked locally.

The ledger settles what counts. Evidence, careless readers and counterfactual questions ask
what would count under a small change of the history; here that is answered for single records,
from the controls that name them, their label's rules and the records that they stand on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from supersede.model.record import ENTRY_KINDS, Reason
from supersede.questions.controls import AWAY as AWAY
from supersede.questions.controls import NAMEABLE, REINSTATE, REPOST, Controls
from supersede.worlds.named import names


class Variant(NamedTuple):
    """A change of the history under which validity is asked again."""

    without: frozenset[int] = frozenset()
    """Positions of records that are taken away; what stands on them goes too."""
    rules: bool = True
    """Whether rule records act."""
    controls: bool = True
    """Whether voids, corrects' void halves, reinstates, confirms and amends act."""
    cut: int | None = None
    """Keep what is posted in blocks 1 to this one (S6)."""
    assume: Mapping[str, bool] = {}
    """Labels whose class is another from the start (R27)."""
    dropped: frozenset[tuple[int, int]] = frozenset()
    """(entry, content) of what a counterfactual drops: the entry goes, as a whole, if that is its
    content; so does all that stands on it (R25, R26)."""

    def key(self) -> tuple[object, ...]:
        """The change as a hashable value."""
        assumed = tuple(self.assume.items())
        return (self.without, self.rules, self.controls, self.cut, assumed, self.dropped)

    def and_also(self, more: Variant) -> Variant:
        """This change and another one together."""
        cuts = [cut for cut in (self.cut, more.cut) if cut is not None]
        return Variant(
            self.without | more.without,
            self.rules and more.rules,
            self.controls and more.controls,
            min(cuts) if cuts else None,
            {**self.assume, **more.assume},
            self.dropped | more.dropped,
        )


AS_IS = Variant()


class Validity(Controls):
    """What counts under a variant, one record at a time."""

    # One record under a variant

    def label_counts(self, i: int, variant: Variant) -> bool:
        """Whether the label of a record counts, by the last applicable rule (R9)."""
        label = self.records[i][5]
        if label is None:
            return True
        counts = self.label_class(label, variant)
        if variant.rules and label in self.rules:
            for at, rule in self.rules[label]:
                if (
                    (at < i or rule.retroactive)
                    and self.rule_acts(at, variant)
                    and (rule.entity is None or names(self.records[i], rule.entity))
                ):
                    counts = rule.counts
        return counts

    def label_class(self, label: str, variant: Variant) -> bool:
        """Whether a label counts from the start."""
        counts = variant.assume.get(label)
        return self.base.get(label, True) if counts is None else counts

    def rule_acts(self, at: int, variant: Variant) -> bool:
        """Whether a rule is in force: by its own label's class, which no rule changes (R9)."""
        label = self.records[at].status
        return self.posted(at, variant) and (label is None or self.label_class(label, variant))

    def posted(self, i: int, variant: Variant) -> bool:
        """Whether a record is there at all."""
        return i not in variant.without and (
            variant.cut is None or self.records[i].block <= variant.cut
        )

    def acts(self, control: int, variant: Variant) -> bool:
        """Whether a control record does anything: posted, and under a label that counts (R4)."""
        return (
            self.posted(control, variant)
            and not (variant.dropped and self.is_gone(control, variant))
            and self.label_counts(control, variant)
        )

    def voider(self, i: int, variant: Variant) -> int | None:
        """The void or correct in force for a record; the last decision wins."""
        for action in reversed(self.actions.get(i, ())):
            if self.acts(action, variant):
                return None if self.records[action].kind is REINSTATE else action
        return None

    def window_void(self, i: int, variant: Variant) -> int | None:
        """The first void by selector in force that covers a record."""
        record = self.records[i]
        for at, window in self.windows:
            if (
                at > i
                and record.event == window.event
                and window.first <= record.occurred <= window.last
                and names(record, window.entity)
                and self.acts(at, variant)
            ):
                return at
        return None

    def confirmed(self, i: int, variant: Variant) -> bool:
        """Whether a confirm in force names a record."""
        return any(self.acts(c, variant) for c in self.confirms.get(i, ()))

    def amendment(self, i: int, variant: Variant) -> int:
        """The amend in force for an entry, or the entry itself (R3)."""
        for amend in reversed(self.amends.get(i, ())):
            if self.acts(amend, variant) and self.voider(amend, variant) is None:
                return amend
        return i

    def content(self, i: int, variant: Variant) -> int:
        """Where an entry's effects come from if it counts: an amend that is heeded, or itself."""
        return self.amendment(i, variant) if variant.controls and i in self.amends else i

    def is_gone(self, i: int, variant: Variant) -> bool:
        """Whether a counterfactual drops an entry, or something that it stands on (R26)."""
        return self.posted(i, variant) and (
            (i, self.content(i, variant)) in variant.dropped
            or any(self.is_gone(link, variant) for link in self.links.get(i, ()))
        )

    def gone(self, variant: Variant, *, amends: bool = True) -> set[int]:
        """All entries that a counterfactual drops, with what stands on them.

        Args:
            variant: The change.
            amends: Whether amends are heeded at all.
        """
        pending = [
            i for i, content in variant.dropped
            if content == (self.content(i, variant) if amends else i) and self.posted(i, variant)
        ]  # fmt: skip
        found = set(pending)
        while pending:
            for child in self.linked.get(pending.pop(), ()):
                if child not in found and self.posted(child, variant):
                    found.add(child)
                    pending.append(child)
        return found

    def own_source(self, i: int, variant: Variant) -> int:
        """Where an entry's effects come from, as if all that it stands on counted."""
        if self.records[i][6] is REPOST or not self.posted(i, variant):
            return AWAY
        if not variant.controls or i not in self.named:
            return i if self.label_counts(i, variant) else AWAY
        if not self.label_counts(i, variant) and not self.confirmed(i, variant):
            return AWAY
        if i in self.actions and self.voider(i, variant) is not None:
            return AWAY
        if self.windows and self.window_void(i, variant) is not None:
            return AWAY
        return self.amendment(i, variant) if i in self.amends else i

    def _judged(self, variant: Variant) -> Callable[[int], int] | None:
        """`own_source` for a reader who skips controls, at speed; None for any other variant."""
        if variant.controls or variant.without or variant.cut is not None:
            return None
        records, classes = self.records, {**self.base, **variant.assume}
        acting = {
            label: [(at, rule) for at, rule in rules if self.rule_acts(at, variant)]
            for label, rules in (self.rules.items() if variant.rules else ())
        }

        def own_source(i: int) -> int:
            record = records[i]
            label = record[5]
            if record[6] is REPOST:
                return AWAY
            if label is None:
                return i
            counts = classes.get(label, True)
            if label in acting:
                for at, (_, decided, retroactive, entity) in acting[label]:
                    if (at < i or retroactive) and (entity is None or names(record, entity)):
                        counts = decided
            return i if counts else AWAY

        return own_source

    def source(self, i: int, variant: Variant) -> int:
        """Position of the record whose effects entry `i` adds: its own, its amend's, or `AWAY`."""
        if variant.dropped and self.is_gone(i, variant):
            return AWAY
        own = self.own_source(i, variant)
        if own >= 0 and i in self.parents:
            for parent in self.parents[i]:
                if self.source(parent, variant) < 0:
                    return AWAY
        return own

    def reason(self, i: int, variant: Variant) -> tuple[Reason, str] | None:
        """Why an entry or repost does not count and what is behind it; None where it counts."""
        record = self.records[i]
        if record.kind is REPOST:
            return Reason.DUPLICATE, record.refs[0] if record.refs else ""
        if variant.controls:
            voider = self.voider(i, variant)
            if voider is not None:
                return Reason.VOIDED, self.records[voider].id
        confirmed = variant.controls and self.confirmed(i, variant)
        if not confirmed and not self.label_counts(i, variant):
            return Reason.STATUS, record.status or ""
        window = self.window_void(i, variant) if variant.controls else None
        if window is not None:
            return Reason.WINDOW, self.records[window].id
        for parent in self.parents.get(i, ()):
            if self.source(parent, variant) < 0:
                return Reason.ORPHAN, self.records[parent].id
        return None

    # Which records a change reaches

    def suspects(self, i: int, *, linked: bool = False) -> list[int]:
        """Records other than `i` that may decide whether and how entry `i` counts.

        Args:
            i: The entry.
            linked: Whether all that it stands on matters, as where something is dropped.
        """
        if i not in self.hanging:
            return []
        if linked:
            return self._linked_suspects(i)
        found = self._deciders(i)
        for parent in self.parents.get(i, ()):
            found.append(parent)
            if parent in self.hanging:
                found += self.suspects(parent)
        return found

    def _linked_suspects(self, i: int) -> list[int]:
        found: list[int] = []
        seen = {i}
        pending = [i]
        while pending:
            j = pending.pop()
            deciders = self._deciders(j)
            found += deciders
            for at in (j, *deciders):
                for link in self.links.get(at, ()):
                    if link not in seen:
                        seen.add(link)
                        pending.append(link)
                        found.append(link)
        return found

    def _deciders(self, i: int) -> list[int]:
        """Controls and rules that may decide about an entry itself."""
        found: list[int] = []
        if i in self.named:
            found = [*self.actions.get(i, ()), *self.confirms.get(i, ())]
            for amend in self.amends.get(i, ()):
                found += [amend, *self.actions.get(amend, ())]
            if self.windows:
                event = self.records[i][7]
                found += [at for at, window in self.windows if at > i and window[0] == event]
        if self.rules:
            found += self._rules_behind([i, *found])
        return found

    def _rules_behind(self, judged: Iterable[int]) -> list[int]:
        found: list[int] = []
        for i in judged:
            label = self.records[i][5]
            if label is not None and label in self.rules:
                found += [at for at, _ in self.rules[label]]
        return found

    def reached(self, r: int) -> list[int]:
        """Entries that record `r` may decide about directly, itself included."""
        record = self.records[r]
        if record.rule is not None:
            return self.under_label(record.rule.label)
        if record.window is not None:
            return list(self.by_event.get(record.window.event, ()))
        found = list(self.targets.get(r, ()))
        if record.kind in ENTRY_KINDS:
            found.append(r)
        return found

    def under_label(self, label: str, after: int = -1) -> list[int]:
        """Entries under a label, and entries that a control under it decides about.

        Args:
            label: The label.
            after: Only records posted after this position are looked at.
        """
        found: list[int] = []
        labelled = self.labelled(label)
        for i in labelled[bisect_right(labelled, after) :]:
            record = self.records[i]
            if record[6] in ENTRY_KINDS:
                found.append(i)
            if record[6] not in NAMEABLE and record.rule is None:
                found += self.reached(i)
        return found

    def under_class(self, label: str) -> list[int]:
        """Entries that the class of a label from the start decides about, by rules as well."""
        found = self.under_label(label)
        for changed, rules in self.rules.items():
            if changed != label and any(self.records[at].status == label for at, _ in rules):
                found += self.under_label(changed)
        return found

    def derive(self, base: list[int], variant: Variant, reached: Iterable[int]) -> list[int]:
        """The sources of all records under a variant that reaches only some of them.

        Args:
            base: The sources of all records as they are.
            variant: The change.
            reached: The entries that it may decide about directly.
        """
        gone = self.gone(variant) if variant.dropped else set()
        affected = gone.union(reached)
        for i in gone.intersection(self.targets):
            affected.update(self.targets[i])
        pending = list(affected) if self.linked else []
        while pending:
            for child in self.linked.get(pending.pop(), ()):
                if child not in affected:
                    affected.add(child)
                    pending.append(child)
        out = list(base)
        parents = self.parents
        judged = self._judged(variant)
        for i in sorted(affected):  # parents come before their children
            if i in gone:
                own = AWAY
            else:
                own = self.own_source(i, variant) if judged is None else judged(i)
            if own >= 0 and i in parents and any([out[parent] < 0 for parent in parents[i]]):
                own = AWAY
            out[i] = own
        return out

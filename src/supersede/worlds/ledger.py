"""Incremental replay: records are posted one by one, and what counts follows.

Validity is a pure function of the records posted so far, in two passes without recursion (R1):
control records act or not by their status and the rules; entries then count or not by the
controls that name them, their own status, and the records that they stand on. The ledger keeps
both passes up to date after each post, so replay, sampling and cut-offs are one code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from supersede.model.record import (
    AMEND,
    BACKFILL,
    ENTRY,
    ENTRY_KINDS,
    REPOST,
    RULE,
    VOID,
    Assignment,
    Exclusion,
    Key,
    Kind,
    Membership,
    Posting,
    Reason,
    Record,
    RoleValue,
    Value,
)
from supersede.model.world import World
from supersede.worlds.controls import NAMEABLE, Controls
from supersede.worlds.exclusion import excludes
from supersede.worlds.standing import plain_standing
from supersede.worlds.state import State


class Ledger:
    """Records posted so far, which of them count, and the state that these add up to.

    Attributes:
        world: The world of the records.
        controls: What the control records among them decide: the first pass.
        records: Records in posted order.
        counts: `counts[i]` is 1 where record i is an entry, backfill or correct that counts.
        amendment: Position of an entry -> position of the amend now in force for it.
        state: The fold of the records that count.
        lifted: The record whose effects `lift` has taken out, or None.
        positions: Id of a record -> its position.
        minters: Minted entity -> position of the entry that mints it, in minting order.
        dependants: Position -> positions of the entries that stand on that record.
    """

    __slots__ = (
        "_cascade",
        "_excluded",
        "_exclusion",
        "_keep",
        "_lost",
        "_standing",
        "_stands",
        "amendment",
        "controls",
        "counts",
        "dependants",
        "lifted",
        "minters",
        "positions",
        "records",
        "state",
        "world",
    )

    def __init__(
        self,
        world: World,
        *,
        exclude: Exclusion | None = None,
        assume: Mapping[str, bool] | None = None,
        ignore: frozenset[Kind] = frozenset(),
    ) -> None:
        """An empty ledger.

        Args:
            world: The world of the records to come.
            exclude: Records to leave out of the count, as a counterfactual asks (R25, R26).
            assume: Status labels whose class is taken to be another from the start (R27).
            ignore: Control kinds that do nothing, as a reader who overlooks them would have it;
                a correct then only loses its void half.
        """
        self.world = world
        self.records: list[Record] = []
        self.counts = bytearray()
        self.amendment: dict[int, int] = {}
        self.lifted: int | None = None
        self.state = State(world)
        self._exclusion = exclude
        self._keep = exclude is not None and exclude.dependants == "keep"
        self._cascade = exclude is not None and exclude.dependants == "cascade"
        self._lost: set[int] = set()
        """Entries and amends that stand on what a cascading counterfactual takes away (R26)."""
        self._stands = bytearray() if self._keep else self.counts
        self.positions: dict[str, int] = {}
        self.minters: dict[str, int] = {}
        self.dependants: dict[int, list[int]] = {}
        self._excluded: set[int] = set()
        self.controls = Controls(
            {**world.statuses, **(assume or {})},
            ignore,
            self.records,
            self.positions,
            self._excluded,
            self._lost,
        )
        self._standing: Mapping[str | None, tuple[str, ...]] = (
            {} if exclude is not None else plain_standing(world)
        )
        """Event -> its roles that may name what another record made; no entry: look closely."""

    # Posting

    def stands(self, event: str, roles: Mapping[str, RoleValue]) -> bool:
        """Whether all counts on which a new record of an event would stand (R15, R16).

        Args:
            event: An event whose roles each hold one name.
            roles: Its roles.
        """
        for role in self._standing[event]:
            parent = self._parent(event, role, roles[role])  # type: ignore[arg-type]  # one name
            if parent is not None and not self.counts[parent]:
                return False
        return True

    def _parent(self, event: str | None, role: str, name: str) -> int | None:
        """Position of the record on which a role of a new record stands, if there is one."""
        parent = self.minters.get(name)
        if parent is None and self._cascades(event, role, name):
            return self.positions[name]
        return parent

    def appender(self) -> Callable[[Record, bool, int], None]:
        """A function that notes an entry whose effects the caller has put in force, if it counts.

        It takes the next record in posted order, whether it counts by its label, as `controls`
        judge it, and 1 where it counts: what it stands on counts too. What it stands on and what
        it mints is for the caller to note.
        """
        records, positions, counts = self.records, self.positions, self.counts
        idle = self.controls.idle

        def append(record: Record, by_label: bool, in_force: int) -> None:
            positions[record[0]] = i = record[2]
            records.append(record)
            counts.append(in_force)
            if not by_label:
                idle.add(i)

        return append

    def _note_parents(self, i: int, record: Record) -> None:
        """Note on what a record stands whose roles each hold one name, and what it mints."""
        event, roles = record[7], record[8]
        for role in self._standing[event]:
            parent = self._parent(event, role, roles[role])  # type: ignore[arg-type]  # one name
            if parent is not None:
                self.dependants.setdefault(parent, []).append(i)
        for mint in record[14]:
            self.minters[mint[0]] = i

    def post(self, record: Record) -> None:
        """Append a record, the next in posted order, and bring validity and state up to date."""
        records = self.records
        i = len(records)
        records.append(record)
        self.positions[record[0]] = i
        label, kind = record[5], record[6]
        judged = self.controls.judged(label)
        counts = self.controls.classify(i, label or "") if judged is None else judged
        if not counts:
            self.controls.idle.add(i)
        standing = None
        if kind is ENTRY or kind is BACKFILL:
            standing = self._standing.get(record[7])
        if standing is None:
            self._post_slowly(i, record)
            return
        # The common case at speed: no control can name a record that has just been posted.
        if standing:
            counts = counts and self.stands(record[7], record[8])  # type: ignore[arg-type]  # has one
            self._note_parents(i, record)
        self.counts.append(counts)
        if counts:
            if record[14]:
                self.state.mint(1, i, record[14])
            self.state.fold(1, (record[3], record[4], i), record[11], record[12], record[13])

    def _post_slowly(self, i: int, record: Record) -> None:
        self.counts.append(0)
        if self._exclusion is not None:
            if self._keep:
                self._stands.append(0)
            if excludes(self._exclusion, record):
                self._excluded.add(i)
        kind = record[6]
        if kind in ENTRY_KINDS:
            for mint in record.mints:
                self.minters[mint.entity] = i
            for parent in self._parents(i):
                self.dependants.setdefault(parent, []).append(i)
                if self._cascade and self._is_gone(parent):
                    self._lost.add(i)
            self._settle(i)
        elif kind is AMEND and self._cascade and any(map(self._is_gone, self._parents(i))):
            self._lost.add(i)
        if kind not in NAMEABLE:
            self._post_control(i, kind, record)

    def _post_control(self, i: int, kind: Kind, record: Record) -> None:
        if kind is RULE:
            label = self.controls.add_rule(i, record)
            if label is not None:
                self._reclassify(label, i)
        elif kind is AMEND:
            acts = self.controls.in_force(i)
            amends = self.controls.of_kind(AMEND)
            for target in self.controls.targets(i):
                amends.setdefault(target, []).append(i)
                if acts:  # No control can name a record that has just been posted.
                    self._amend_by(target, i)
        elif kind is VOID and record[16] is not None:
            self.controls.windows.append(i)
            self._settle_window(i)
        else:
            controls, acts = self.controls.of_kind(kind), self.controls.in_force(i)
            for target in self.controls.targets(i):
                controls.setdefault(target, []).append(i)
                if acts:
                    self._revise(kind, target)

    def pop(self) -> Record:
        """Take the last record back, as if it had never been posted."""
        i = len(self.records) - 1
        record = self.records[i]
        if record.kind not in NAMEABLE:
            self._pop_control(i, record)
        if record.kind in ENTRY_KINDS:
            self._set_counts(i, False)
            for parent in self._parents(i):
                self.dependants[parent].pop()
            for mint in record.mints:
                del self.minters[mint.entity]
        self._excluded.discard(i)
        self._lost.discard(i)
        del self.positions[record.id]
        self.controls.idle.discard(i)
        self.counts.pop()
        if self._keep:
            self._stands.pop()
        return self.records.pop()

    def _pop_control(self, i: int, record: Record) -> None:
        kind = record.kind
        if kind is RULE:
            label = self.controls.drop_rule(i, record)
            if label is not None:
                self._reclassify(label, i)
        elif kind is VOID and record.window is not None:
            self.controls.windows.pop()
            self._settle_window(i)
        else:
            controls, acts = self.controls.of_kind(kind), self.controls.in_force(i)
            for target in self.controls.targets(i):
                controls[target].pop()
                if acts:
                    self._revise(kind, target)

    def _revise(self, kind: Kind, target: int) -> None:
        """Bring a record up to date after the controls of a kind that name it changed."""
        if kind is AMEND:
            self._choose_amendment(target)
        elif self.records[target][6] is AMEND:
            for entry in self.controls.targets(target):
                self._choose_amendment(entry)
        else:
            self._settle(target)

    def _reclassify(self, label: str, before: int) -> None:
        """Judge every record under a label anew, and what its controls decide (R10)."""
        for j in self.controls.turned(label, before):
            record = self.records[j]
            if record.kind in ENTRY_KINDS:
                self._settle(j)
            if record.window is not None:
                self._settle_window(j)
            elif record.kind not in NAMEABLE:
                for target in self.controls.targets(j):
                    self._revise(record.kind, target)

    def _choose_amendment(self, target: int) -> None:
        """Put the last remaining counting amend of a record in force (R1, R3)."""
        chosen = self.controls.amend_of(target)
        if chosen != self.amendment.get(target):
            self._amend_by(target, chosen)

    def _amend_by(self, target: int, chosen: int | None) -> None:
        """Put another amend of a record in force, or none."""
        counted = self.counts[target]
        if target == self.lifted:
            self.lifted = None
        elif counted:
            self.fold(target, -1)
        if chosen is None:
            del self.amendment[target]
        else:
            self.amendment[target] = chosen
        if counted:
            self.fold(target, 1)

    def _settle_window(self, at: int) -> None:
        window = self.records[at].window
        for i, record in enumerate(self.records[:at]):
            if window is not None and record.event == window.event and record.kind in ENTRY_KINDS:
                self._settle(i)

    # Pass two: entries

    def _parents(self, i: int) -> Sequence[int]:
        """Positions of the records that record i stands on (R15, R16)."""
        record = self.records[i]
        if self._standing.get(record.event) == ():
            return ()
        parents: list[int] = []
        minter = self.minters
        for role, value in record.roles.items():
            for name in (value,) if isinstance(value, str) else value:
                at = minter.get(name)
                if at is not None and at < i:
                    parents.append(at)
                elif name in self.positions and (
                    self._cascade or self._cascades(record.event, role, name)
                ):
                    parents.append(self.positions[name])
        return parents

    def _cascades(self, name: str | None, role: str, ref: str) -> bool:
        """Whether a role names a record whose void takes what stands on it along (R16)."""
        if ref not in self.positions:
            return False
        events = self.world.events
        event = events.get(name or "")
        stood_on = events.get(self.records[self.positions[ref]].event or "")
        return bool(event and role in event.records and stood_on and stood_on.cascade)

    def _orphaned_by(self, i: int) -> int | None:
        """Position of a record on which record i stands and that does not count; else None."""
        for parent in self._parents(i):
            if not self._stands[parent] and (not self._cascade or self._takes(parent, i)):
                return parent
        return None

    def _takes(self, parent: int, i: int) -> bool:
        """Whether a parent takes record i along in a cascade: lost itself, or by R15 and R16."""
        if self._is_gone(parent):
            return True
        record, ref = self.records[i], self.records[parent].id
        refs = [role for role, value in record.roles.items() if value == ref]
        return not refs or any(self._cascades(record.event, role, ref) for role in refs)

    def _is_gone(self, i: int) -> bool:
        """Whether a counterfactual takes record i away, itself or with what it stands on."""
        return i in self._excluded or i in self._lost

    def _settle(self, i: int) -> None:
        """Decide anew whether entry i counts, and then what stands on it."""
        pending = [i]
        while pending:
            j = pending.pop()
            stands = self._verdict(j)
            if stands != self._stands[j]:
                if self._keep:
                    self._stands[j] = stands
                self._set_counts(j, stands)
                pending.extend(self.dependants.get(j, ()))

    def _verdict(self, i: int) -> bool:
        if i in self._excluded and not self._keep:
            return False
        return self.controls.allow(i) and self._orphaned_by(i) is None

    def _set_counts(self, i: int, counts: bool) -> None:
        if i in self._excluded:
            counts = False
        if counts == self.counts[i]:
            return
        record = self.records[i]
        self.counts[i] = counts
        mints = record[14]
        if counts:
            if mints:
                self.state.mint(1, i, mints)
            self.fold(i, 1)
            return
        if i == self.lifted:
            self.lifted = None
        else:
            self.fold(i, -1)
        if mints:
            self.state.mint(-1, i, mints)

    def fold(self, i: int, sign: int) -> None:
        """Put the effects in force of record i in (1) or take them out (-1), and nothing else."""
        record = self.records[i]
        effects = self.records[self.amendment[i]] if i in self.amendment else record
        self.state.fold(sign, (record[3], record[4], i), effects[11], effects[12], effects[13])

    def lift(self, i: int) -> None:
        """Take the effects of record i out of the state, if they are in.

        They stay out until `land`, or until a record is posted that restates or replaces it.
        """
        if self.counts[i]:
            self.fold(i, -1)
            self.lifted = i

    def land(self) -> None:
        """Put the effects of a lifted record back."""
        if self.lifted is not None:
            self.fold(self.lifted, 1)
            self.lifted = None

    # Reading

    def reason(self, i: int) -> tuple[Reason, str] | None:
        """Why record i does not count, and the id or label behind it; None where it counts (R7).

        Only entries, backfills, corrects and reposts have a reason; a record that a
        counterfactual takes away has none.
        """
        record = self.records[i]
        if self.counts[i] or i in self._excluded:
            return None
        if record.kind is REPOST:
            return Reason.DUPLICATE, record.refs[0]
        if record.kind not in ENTRY_KINDS:
            return None
        by_control = self.controls.reason(i)
        if by_control is not None:
            return by_control
        parent = self._orphaned_by(i)
        return None if parent is None else (Reason.ORPHAN, self.records[parent].id)

    def exclusion_list(self) -> list[int]:
        """Positions of entries, backfills, corrects and reposts that do not count (R6)."""
        return [
            i
            for i, record in enumerate(self.records)
            if not self.counts[i]
            and (record.kind in ENTRY_KINDS or record.kind is REPOST)
            and i not in self._excluded
        ]

    def counting(self) -> tuple[str, ...]:
        """Ids of the records that count, in posted order."""
        return tuple(r.id for i, r in enumerate(self.records) if self.counts[i])

    def cells(self) -> Mapping[str, Value]:
        """Every cell that records have written, by a printable name."""
        state = self.state
        found: dict[str, Value] = {}
        for table in (state.measures, state.registers):
            for name, cells in table.items():
                for key, value in cells.items():
                    found[_cell_name(name, key)] = value
        for name, lists in state.rosters.items():
            for key, members in lists.items():
                found[_cell_name(name, key)] = ", ".join(members)
        return found

    def born(self, name: str) -> int | None:
        """The block in which a minted entity, or the record of an id, took place; else None."""
        at = self.minters.get(name, self.positions.get(name))
        return None if at is None else self.records[at].occurred

    def postings(self, i: int) -> Sequence[Posting]:
        """The postings of entry i that are in force: its amend's where it has one."""
        return self.records[self.amendment.get(i, i)].postings

    def assignments(self, i: int) -> Sequence[Assignment]:
        """The assignments of entry i that are in force."""
        return self.records[self.amendment.get(i, i)].assignments

    def memberships(self, i: int) -> Sequence[Membership]:
        """The joins and leaves of entry i that are in force."""
        return self.records[self.amendment.get(i, i)].memberships

    def roles(self, i: int) -> Mapping[str, RoleValue]:
        """The roles of entry i that are in force: an amend may change some (R8)."""
        return self.records[self.amendment.get(i, i)].roles

    def parameters(self, i: int) -> Mapping[str, int | str]:
        """The parameters of entry i that are in force."""
        return self.records[self.amendment.get(i, i)].parameters


def _cell_name(name: str, key: Key) -> str:
    return f"{name}[{', '.join(key)}]" if key else name

"""Every counterfactual operator answers as the engine's own replay of the changed history does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from supersede import instance_key
from supersede.errors import SampleError
from supersede.model.question import Parameter
from supersede.model.record import ENTRY_KINDS, Exclusion, History, Kind, Record, Value
from supersede.model.world import World
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import ask, operators_for
from supersede.questions.registry import matching
from supersede.questions.wording import decimal
from supersede.worlds.ledger import Ledger
from supersede.worlds.replay import replay
from supersede.worlds.sample import Sampler
from supersede.worlds.streams import stream

PREFIX = "counterfactual/"


class Case:
    """A question's parameters, and what replay makes of its history and of changed ones."""

    def __init__(self, world: World, history: History, given: dict[str, Parameter]) -> None:
        self.world = world
        self.history = history
        self.given = given
        self.real = replay(world, history)

    def text(self, name: str) -> str:
        return str(self.given[name])

    def names(self, record: Record) -> set[str]:
        """What a record names by its line: roles, and all that its changes print."""
        held = [v for v in record.roles.values()]
        found = {name for v in held for name in ((v,) if isinstance(v, str) else v)}
        found |= {name for p in record.postings for name in p.entities}
        found |= {name for a in record.assignments for name in (*a.key, str(a.value))}
        found |= {name for m in record.memberships for name in (*m.key, m.member)}
        return found | {mint.entity for mint in record.mints}

    def without(self, drops: Callable[[Record, Record], bool]) -> Ledger:
        """Replay without the records for which `drops(record, its content in force)`."""
        ids = []
        for i, record in enumerate(self.history.records):
            content = self.history.records[self.real.amendment.get(i, i)]
            if record.kind in ENTRY_KINDS and drops(record, content):
                ids.append(record.id)
        return self.lacking(*ids)

    def lacking(self, *ids: str) -> Ledger:
        exclude = Exclusion(ids=ids or ("no record",), dependants="cascade")
        return replay(self.world, self.history, exclude=exclude)

    def net(self, ledger: Ledger) -> str:
        """The net change of the measure asked about, as printed."""
        measure = self.world.measures[self.text("measure")]
        return decimal(sum(delta for delta, _ in self.changes(ledger)), measure.scale)

    def changes(self, ledger: Ledger) -> Iterator[tuple[int, tuple[str, ...]]]:
        for i, counts in enumerate(ledger.counts):
            for posting in ledger.postings(i) if counts else ():
                if posting.measure == self.text("measure"):
                    yield posting.delta, posting.entities

    def number(self, ledger: Ledger) -> str:
        return str(sum(ledger.counts))

    def leading(self, ledger: Ledger) -> tuple[str, str]:
        """The highest net change of the measure by live entities of the type, and whose."""
        kind, measure = self.text("type"), self.world.measures[self.text("measure")]
        totals = dict.fromkeys(self.live(ledger, kind), 0)
        for delta, entities in self.changes(ledger):
            for name in {*entities} & {*totals}:
                totals[name] += delta
        if not any(totals.values()):
            return decimal(0, measure.scale), "none"
        best = max(totals, key=totals.__getitem__)
        return decimal(totals[best], measure.scale), best

    def live(self, ledger: Ledger, kind: str) -> list[str]:
        records = ledger.records
        mints = [m for i, r in enumerate(records) if ledger.counts[i] for m in r.mints]
        return [
            *self.world.types[kind].names,
            *(mint.entity for mint in mints if mint.type == kind),
        ]


def remove_actor(case: Case) -> list[str]:
    gone = set(case.given["entities"]) if isinstance(case.given["entities"], tuple) else set()
    ledger = case.without(lambda _, content: bool(case.names(content) & gone))
    measure = case.world.measures[case.text("measure")]
    if not measure.start or measure.per:
        return [case.net(ledger)]
    net = sum(delta for delta, _ in case.changes(ledger))
    return [case.net(ledger), decimal(measure.start + net, measure.scale)]


def remove_target(case: Case) -> list[str]:
    entity = case.text("entity")
    return [*case.leading(case.without(lambda _, content: entity in case.names(content)))]


def without_event(case: Case) -> list[str]:
    ledger = case.without(lambda record, _: record.event == case.text("event"))
    return [case.number(ledger), case.net(ledger)]


def without_window(case: Case) -> list[str]:
    first, last = int(case.text("first")), int(case.text("last"))
    ledger = case.without(lambda record, _: first <= record.occurred <= last)
    scale = case.world.measures[case.text("measure")].scale
    sums = [sum(delta for delta, _ in case.changes(x)) for x in (case.real, ledger)]
    return [case.net(ledger), decimal(sums[0] - sums[1], scale)]


def without_the_leader(case: Case) -> list[str]:
    kind, event = case.text("type"), case.text("event")
    counts = dict.fromkeys(case.live(case.real, kind), 0)
    for i, record in enumerate(case.history.records):
        if case.real.counts[i] and record.event == event:
            content = case.history.records[case.real.amendment.get(i, i)]
            for name in case.names(content) & {*counts}:
                counts[name] += 1
    if not any(counts.values()):
        return ["none", case.net(case.real)]
    best = max(counts, key=counts.__getitem__)
    return [best, case.net(case.without(lambda _, content: best in case.names(content)))]


def without_label(case: Case) -> list[str]:
    ledger = case.without(lambda record, _: record.status == case.text("status"))
    return [case.number(ledger), case.net(ledger)]


def without_revision(case: Case) -> list[str]:
    return [case.net(case.lacking(case.text("record")))]


def label_counted(case: Case) -> list[str]:
    ledger = replay(case.world, case.history, assume={case.text("status"): True})
    return [case.number(ledger), case.net(ledger)]


def without_rule(case: Case) -> list[str]:
    ledger = case.lacking(case.text("record"))
    return [case.number(ledger), case.net(ledger)]


def as_known(case: Case) -> list[str]:
    block = int(case.text("block"))
    return [*case.leading(replay(case.world, case.history, cut=block))]


def register_without_record(case: Case) -> list[str]:
    ledger = case.lacking(case.text("record"))
    key = case.given["key"]
    setting: list[tuple[tuple[int, int, int], Record, Value]] = [
        (record.when, record, assigned.value)
        for i, record in enumerate(case.history.records)
        if ledger.counts[i]
        for assigned in ledger.assignments(i)
        if (assigned.register, assigned.key) == (case.given["register"], key)
    ]
    last = max(setting, default=None, key=lambda one: one[0])
    register = case.world.registers[case.text("register")]
    start = register.starts.get(key if isinstance(key, tuple) else (), register.start)
    now = start if last is None else last[2]
    shown = (
        "unset" if now is None else decimal(now, register.scale) if isinstance(now, int) else now
    )
    return [shown, "none" if last is None else last[1].id, str(len({one[1].id for one in setting}))]


def without_pair(case: Case) -> list[str]:
    both = {case.text("entity"), case.text("entity2")}
    ledger = case.without(lambda _, content: both <= case.names(content))
    return [case.number(ledger), case.net(ledger)]


def merged(case: Case) -> list[str]:
    entity, other = case.text("entity"), case.text("entity2")
    totals = dict.fromkeys(case.live(case.real, case.text("type")), 0)
    for delta, entities in case.changes(case.real):
        for name in {*entities} & {*totals}:
            totals[name] += delta
    totals[entity] += totals.pop(other)
    higher = [name for name, net in totals.items() if net > totals[entity]]
    names = list(totals)
    equal = [name for name in names[: names.index(entity)] if totals[name] == totals[entity]]
    scale = case.world.measures[case.text("measure")].scale
    return [decimal(totals[entity], scale), str(1 + len(higher) + len(equal))]


def falls_with(case: Case) -> list[str]:
    left = case.lacking(case.text("record"))
    records = case.history.records
    counting = {record.id for i, record in enumerate(records) if left.counts[i]}
    fallen = [
        record.id
        for i, record in enumerate(records)
        if case.real.counts[i] and record.id not in {*counting, case.text("record")}
    ]
    return [", ".join(fallen) or "none", case.net(left)]


def closed_after(case: Case) -> list[str]:
    block = int(case.text("block"))
    kinds = {Kind.VOID, Kind.AMEND, Kind.CONFIRM, Kind.REINSTATE}
    late = [r.id for r in case.history.records if r.kind in kinds and r.block > block]
    ledger = case.lacking(*late)
    scale = case.world.measures[case.text("measure")].scale
    sums = [sum(delta for delta, _ in case.changes(x)) for x in (case.real, ledger)]
    return [case.number(ledger), case.net(ledger), decimal(sums[0] - sums[1], scale)]


REPLAYED: dict[str, Callable[[Case], list[str]]] = {
    "counterfactual-remove-actor": remove_actor,
    "counterfactual-remove-target": remove_target,
    "without-event-type": without_event,
    "without-window": without_window,
    "without-the-leader": without_the_leader,
    "without-status-label": without_label,
    "without-revision": without_revision,
    "label-counted-from-start": label_counted,
    "without-rule-change": without_rule,
    "as-known-at-block": as_known,
    "register-without-record": register_without_record,
    "without-pair": without_pair,
    "merged-entities": merged,
    "what-falls-with-record": falls_with,
    "revisions-closed-after-block": closed_after,
}


def test_every_counterfactual_operator_is_replayed() -> None:
    assert {found.name.removeprefix(PREFIX) for found in matching([f"{PREFIX}*"])} == {*REPLAYED}


@pytest.mark.parametrize("prototype", prototype_ids())
def test_a_counterfactual_is_answered_as_by_replay(prototype: str) -> None:
    spec = load_prototype(prototype)
    kinds: set[Kind] = set()
    for index in range(2):
        sampler = Sampler(spec, instance_key(prototype, "medium", 40 + index))
        for _ in sampler.blocks():
            pass
        world, history = sampler.program.world, sampler.history()
        usable = [op for op in operators_for(spec, world) if op.name.startswith(PREFIX)]
        for op in usable:
            for turn in range(3):
                rnd = stream(f"{sampler.seed}/{op.name}/{turn}", "question")
                try:
                    question, answer = ask(
                        spec, world, sampler.ledger, rnd, op.name, 2, blocks=history.blocks
                    )
                except SampleError:
                    continue
                case = Case(world, history, dict(question.parameters))
                told = [claim.expected for claim in answer.checklist]
                assert told == REPLAYED[op.name.removeprefix(PREFIX)](case), question.text
                kinds |= {
                    r.kind for r in history.records if r.id == question.parameters.get("record")
                }
    assert kinds

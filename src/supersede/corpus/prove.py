"""Proof of a specification: many histories of every tier, each sampled, checked and read back."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import process_time

from supersede.corpus.examine import first_key, place_of_check
from supersede.errors import DataError, SampleError
from supersede.model.instance import Tier
from supersede.model.record import ENTRY_KINDS, History, Record
from supersede.rendering.reader import Reader
from supersede.rendering.writer import Writer
from supersede.specs.lint_report import Finding, Report
from supersede.specs.load import Loaded, Place
from supersede.specs.schema import Specification
from supersede.worlds.ledger import Ledger
from supersede.worlds.replay import replay
from supersede.worlds.sample import Sampler
from supersede.worlds.streams import history_seed, stream

SEEDS = 10
"""Histories of each tier that a proof takes unless told otherwise."""
_STARVED = 0.1
"""An event that happens less than this part as often as its weight asks for is told."""
_EXPECTED = 10
"""How often an event must be expected before its rareness means anything."""

Progress = Callable[[int, int], None]
"""Called with the number of histories done and the number of all."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of a proof."""

    source: str
    tiers: tuple[Tier, ...]
    """Tiers that were sampled: those that the specification supports."""
    seeds: int
    """Histories of each tier."""
    events: int
    """Records with an id in all histories."""
    seconds: float
    """Processor time that sampling alone took."""
    fired: Mapping[str, int]
    """Event -> entries of it that counted when posted, over all histories."""
    findings: tuple[Finding, ...]
    """What failed, as errors, and what is doubtful, as warnings; in file order."""

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(finding.severity != "error" for finding in self.findings)

    @property
    def never(self) -> tuple[str, ...]:
        """Events that no history shows counting."""
        return tuple(event for event, count in self.fired.items() if not count)

    @property
    def events_per_second(self) -> float:
        """Records sampled per second; NaN where none was."""
        return self.events / self.seconds if self.events and self.seconds else float("nan")


def supported_tiers(spec: Specification) -> tuple[Tier, ...]:
    """The tiers that a specification can fill, easiest first."""
    tiers = list(Tier)
    return tuple(tiers[: tiers.index(spec.difficulty.longest) + 1])


def prove(
    loaded: Loaded,
    *,
    seeds: int = SEEDS,
    tiers: Sequence[Tier] | None = None,
    progress: Progress | None = None,
) -> Proof:
    """Prove a specification in which the lint finds no error.

    Each history keeps every bound and invariant, checked in full at each block's end; its replay
    gives the same state; and what its text is read back as is what was written. After the first
    failure in a tier, that tier is left.

    Args:
        loaded: The specification.
        seeds: Histories of each tier.
        tiers: Tiers to sample; those that the specification supports where left out.
        progress: Called after each history.
    """
    supported = supported_tiers(loaded.spec)
    chosen = tuple(tier for tier in supported if tiers is None or tier in tiers)
    trial = _Trial(loaded)
    for n, tier in enumerate(chosen):
        for index in range(seeds):
            if not trial.run(tier, index):
                break
            if progress is not None:
                progress(n * seeds + index + 1, len(chosen) * seeds)
    trial.judge(thorough=chosen == supported)
    return Proof(
        loaded.source,
        chosen,
        seeds,
        trial.events,
        trial.seconds,
        trial.fired,
        tuple(trial.report.findings()),
    )


class _Trial:
    """One proof under way.

    Attributes:
        report: What was found.
        fired: Event -> counting entries.
        events: Records so far.
        seconds: Time spent on sampling so far.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.report = Report(loaded)
        self.spec = loaded.spec
        self.fired: Counter[str] = Counter({event.id: 0 for event in loaded.spec.events})
        self.events = 0
        self.seconds = 0.0
        self._writer: Writer | None = None
        self._reader: Reader | None = None
        self._complete = True

    def run(self, tier: Tier, index: int) -> bool:
        """Take one history through all checks; False where one of them fails."""
        where = f"{tier.value}, seed {index}"
        try:
            sampler = self._sampled(tier, index, where)
        except SampleError as error:
            self._fail((), f"{where}: {error.what}", error.mend or "")
            return False
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            self._fail(*self._stumble(error, where))
            return False
        if sampler is None:
            return False
        history = sampler.history()
        if not self._one_cell_once(history, where):
            return False
        problem = self._replayed(sampler.ledger, history) or self._read_back(tier, index, history)
        if problem is not None:
            self._fail((), f"{where}: {problem}", "Tell the project: its own checks disagree.")
        return problem is None

    def _fail(self, path: Place, what: str, mend: str) -> None:
        self.report.error(path, what, mend)
        self._complete = False

    def _sampled(self, tier: Tier, index: int, where: str) -> Sampler | None:
        """The sampler at the end of a history; None where a bound does not hold."""
        begin = process_time()
        sampler = Sampler(self.spec, first_key(self.spec, tier, index))
        for block in sampler.blocks():
            self.seconds += process_time() - begin
            broken = sampler.laws.broken()
            if broken is not None:
                noun = self.spec.clock.block
                self._fail(place_of_check(self.spec, broken), f"{where}: {broken!r} does not hold "
                           f"at the end of {noun} {block}",
                           "Tell the project: the sampler let it pass.")  # fmt: skip
                return None
            begin = process_time()
        self.seconds += process_time() - begin
        ledger = sampler.ledger
        self.events += len(ledger.records)
        for at, record in enumerate(ledger.records):
            if record.kind in ENTRY_KINDS and record.event is not None and ledger.counts[at]:
                self.fired[record.event] += 1
        return sampler

    def _stumble(self, error: Exception, where: str) -> tuple[Place, str, str]:
        """Where an expression failed: the event or bound whose function stands in the trace."""
        path: Place = ()
        for frame in traceback.extract_tb(error.__traceback__):
            word, _, number = frame.name.rpartition("_")
            if not frame.filename.startswith("<specification") or not number.isdigit():
                continue
            if word.startswith("check"):
                path = ("invariants",)
            elif int(number) < len(self.spec.events):
                path = ("events", int(number))
        mend = "Test for it first: `x is not None and x > 1`."
        return path, f"{where}: an expression cannot be evaluated: {error}", mend

    def _replayed(self, ledger: Ledger, history: History) -> str | None:
        """Why a replay does not give the state that sampling left; None where it does."""
        again = replay(ledger.world, history)
        if list(again.counts) != list(ledger.counts):
            return "a replay counts other records"
        world, mine, theirs = ledger.world, ledger.state, again.state
        for name, measure in world.measures.items():
            keys = {*mine.measures[name], *theirs.measures[name]}
            if any(mine.measure(name, key) != theirs.measure(name, key) for key in keys):
                return f"a replay gives another {measure.label!r}"
        for name, register in world.registers.items():
            cells = {*mine.registers[name], *theirs.registers[name]}
            if any(mine.register(name, key) != theirs.register(name, key) for key in cells):
                return f"a replay gives another {register.label!r}"
        for name, roster in world.rosters.items():
            lists = {*mine.rosters[name], *theirs.rosters[name]}
            if any(list(mine.members(name, k)) != list(theirs.members(name, k)) for k in lists):
                return f"a replay gives another {roster.label!r}"
        return None

    def _read_back(self, tier: Tier, index: int, history: History) -> str | None:
        """Why the text does not read back as the history; None where it does."""
        key = first_key(self.spec, tier, index)
        try:
            if self._writer is None or self._reader is None:
                world = Sampler(self.spec, key).program.world
                self._writer, self._reader = Writer(self.spec, world), Reader(self.spec, world)
            draw = stream(history_seed(key), "phrasing")
            read = self._reader.read(self._writer.messages(history, draw, question="What now?"))
        except DataError as error:
            return f"the text does not read back: {error}"
        for one, other in zip(history.records, read.records, strict=False):
            if _bare(one) != _bare(other):
                return f"record {one.id} reads back as another"
        same = len(read.records) == len(history.records) and read.noise == history.noise
        return None if same else "the text reads back with other lines"

    def _one_cell_once(self, history: History, where: str) -> bool:
        """Whether no record changes one cell twice (R13); notes the event that does."""
        numbers = {event.id: n for n, event in enumerate(self.spec.events)}
        for record in history.records:
            twice = next((cell for cell, n in Counter(self._cells(record)).items() if n > 1), None)
            if twice is not None and record.event is not None:
                self._fail(("events", numbers[record.event]), f"{where}: {record.id} changes "
                           f"{twice[0]!r} of {', '.join(twice[1]) or 'its one cell'} twice",
                           "Keep the roles apart with `!=`, or make it one effect."
                           )  # fmt: skip
                return False
        return True

    def _cells(self, record: Record) -> Iterator[tuple[str, tuple[str, ...]]]:
        for posting in record.postings:
            per = self.spec.measures[posting.measure].per
            size = 0 if per is None else 1 if isinstance(per, str) else 2
            yield posting.measure, posting.entities[:size]
        for assigned in record.assignments:
            yield assigned.register, assigned.key
        for member in record.memberships:
            yield member.roster, (*member.key, member.member)

    def judge(self, *, thorough: bool) -> None:
        """Note events that never happened, or far more rarely than their weights ask for.

        Args:
            thorough: Whether all tiers were sampled; else what never happened is only doubtful.
        """
        note = self.report.error if thorough else self.report.warn
        total = sum(self.fired.values())
        weights = {event.id: event.weight for event in self.spec.events}
        whole = sum(weights.values())
        for n, event in enumerate(self.spec.events):
            count, path = self.fired[event.id], ("events", n)
            share = total * weights[event.id] / whole
            if not count and self._complete and share >= _EXPECTED:
                note(path, f"event {event.id!r} never happened in {total} entries",
                     self._never_mend())  # fmt: skip
            elif (
                event.limit is None
                and event.every is None
                and share >= _EXPECTED
                and 0 < count < _STARVED * share
            ):
                self.report.warn(path, f"event {event.id!r} happened {count} times in {total} "
                                 f"entries; its weight asks for {share:.0f}",
                                 "Loosen its guard, or lower its weight.")  # fmt: skip

    def _never_mend(self) -> str:
        others = [event for event, count in self.fired.items() if not count]
        if len(others) < 2:
            return "Loosen its guard or its ranges."
        return f"So it was with {', '.join(others)}: see whether they wait for one another."


def _bare(record: Record) -> Record:
    """A record without its parameters, of which a text need only show the effects."""
    return record._replace(parameters={})

"""From chat messages back to the history: the writer's inverse, from the text alone.

The reader is given no effects: what a line does it takes from the line. Every line must be
exactly one of a heading, a record, a noise line or a marked question, and a record in exactly
one way; anything else is a `DataError` that names the line (R34, R35).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from supersede.errors import DataError
from supersede.model.instance import Message
from supersede.model.record import (
    History,
    Kind,
    Noise,
    Posting,
    Record,
    RoleValue,
    Value,
    VoidWindow,
)
from supersede.model.world import World
from supersede.rendering.effect_reader import Effects
from supersede.rendering.line_reader import Line, LineReader
from supersede.rendering.lines import FINAL, INTERIM, LATE_CLOCK, NOTHING, Meta
from supersede.rendering.strip import stripped, stripped_world
from supersede.rendering.vocabulary import Vocabulary
from supersede.specs.schema import Specification

T = TypeVar("T")


class Reader:
    """Reads the messages of one specification's histories; build it once, use it for many."""

    def __init__(self, spec: Specification, world: World) -> None:
        """A reader, which first strips what it is given of all effects.

        Args:
            spec: The specification.
            world: Its world.

        Raises:
            SpecError: Wordings that cannot be read back.
        """
        vocabulary = Vocabulary(stripped(spec), stripped_world(world))
        self._lines = LineReader(vocabulary)
        self._block = world.block
        self._record = spec.clock.record
        self._named = {
            name: tuple(values)
            for kind in world.types.values()
            for name, values in kind.values.items()
        }
        self._names = {name for kind in world.types.values() for name in kind.names}
        self._mints = any(kind.minted is not None for kind in world.types.values())

    def read(self, messages: Sequence[Message]) -> History:
        """The history that messages show.

        Parameters come back as far as the words show them; effects show the rest. All other
        fields of every record, and the noise, are as they were written.

        Raises:
            DataError: A message or line that is not exactly one thing.
        """
        if not messages or messages[0].role != "system":
            raise DataError("the messages do not open with a system message")
        known = set(self._names) if self._mints else None
        log = _Log(self._lines, self._record, dict(self._named), known)
        blocks = 0
        asked = ended = False
        for number, (role, content) in enumerate(messages[1:], start=2):
            where = f"message {number}"
            if role == "assistant" and asked:
                asked = False
                continue
            if role != "user" or asked:
                raise DataError(
                    f"a message of the {role} is out of place",
                    where=where,
                    mend="An answer follows a turn that ends in a question, and nothing else.",
                )
            blocks += 1
            text, gap, question = content.partition("\n\n")
            last = number == len(messages)
            ended, asked = last and question.startswith(FINAL), not last and bool(gap)
            if bool(gap) != question.startswith(FINAL if last else INTERIM):
                raise DataError(f"{question!r} is no marked question", where=where)
            log.block(blocks, f"{self._block} {blocks}", text, where)
        if not ended:
            raise DataError(
                f"the last user turn does not end in {FINAL.strip()!r}", mend="It was cut short."
            )
        return History(blocks, tuple(log.records), tuple(log.noise))


class _Log:
    """What has been read of one history so far.

    Attributes:
        records: Records in posted order.
        noise: Noise lines in order.
    """

    def __init__(
        self,
        lines: LineReader,
        record: str,
        attributes: dict[str, tuple[Value, ...]],
        known: set[str] | None,
    ) -> None:
        """An empty log.

        Args:
            lines: Reads its lines.
            record: The template of record ids.
            attributes: Entity -> attribute values, of the entities that the world names.
            known: The entities that the world names; None where no record brings in others.
        """
        self.records: list[Record] = []
        self.noise: list[Noise] = []
        self._lines = lines
        self._before, _, self._after = record.partition("{n}")
        self._attributes = attributes
        self._known = known
        self._ids: set[str] = set()
        self._block = 0
        self._number = 0
        self._opens = self._closes = ""
        self._clock = -1
        """When the last record of this block that took place in it did."""

    def block(self, block: int, heading: str, text: str, where: str) -> None:
        """Read the lines of one block.

        Args:
            block: Its number.
            heading: What its first line must be.
            text: Its heading and lines.
            where: Its place, for errors.

        Raises:
            DataError: A line that is not exactly one thing.
        """
        self._block, self._number, self._clock = block, 0, -1
        opens, closes = (
            part.replace("{block}", str(block)) for part in (self._before, self._after)
        )
        self._opens, self._closes = opens, closes
        first, *lines = text.split("\n")
        if first != heading or not lines:
            raise DataError(f"{text!r} does not open with {heading!r} and a line", where=where)
        if lines == [NOTHING]:
            return
        read, add = self._lines, self._add
        for number, line in enumerate(lines, start=2):
            try:
                head = read.head(line)
                if head is None:
                    self._add_noise(line)
                    continue
                record_id, label, meta, body = head
                if not record_id.startswith(opens) or not record_id.endswith(closes):
                    raise DataError(f"{record_id} is no id of {heading}")
                add(record_id, label, meta, _only(read.ways(body), line))
            except DataError as error:
                place = f"{where}, line {number}"
                raise DataError(error.what, where=place, mend=error.mend) from None

    def _add_noise(self, text: str) -> None:
        reading, _, _, tokens = _only(self._lines.noise_ways(text), text)
        names = reading.names(tokens)
        self.noise.append(Noise(self._block, len(self.records), reading.number, names))

    def _add(self, record_id: str, label: str | None, meta: Meta, line: Line) -> None:
        (reading, roles, parameters, tokens), effects, rule = line
        kind, event = reading.kind, reading.event
        assert kind is not None  # noise has no id
        if label != self._lines.labels[event]:
            shown, right = label or "nothing", self._lines.labels[event] or "nothing"
            raise DataError(f"{record_id} is labelled {shown}, and its words call for {right}")
        block, position = self._block, len(self.records)
        occurred, clock, status = meta
        self._number += 1
        if record_id != (due := f"{self._opens}{self._number}{self._closes}"):
            again = " stands in the log twice" if record_id in self._ids else " is out of order"
            raise DataError(f"{record_id}{again}: {due} comes here")
        if kind is Kind.BACKFILL:
            _check_late(record_id, occurred, reading.block(tokens), block)
        elif occurred is not None:
            raise DataError(f"{record_id} is no late entry and yet took place in block {occurred}")
        if clock is None:
            clock = self._number if occurred is None else LATE_CLOCK + position
        if occurred is None:
            if clock <= self._clock:
                raise DataError(f"{record_id} is no later than what is above it in its block")
            self._clock = clock
        refs = reading.refs(tokens)
        self._check_ids(record_id, (*refs, *reading.record_roles(tokens)))
        if (cell := self._lines.effects.twice(effects)) is not None:
            raise DataError(f"{record_id} changes {cell} twice")
        for entity, _, values in effects.mints:
            self._attributes[entity] = values
        window = reading.window(tokens)
        if self._known is not None:
            self._check_names(record_id, roles, effects, window)
        if not reading.attributes_hold(tokens, self._attributes):
            raise DataError(f"{record_id} shows an attribute that the log gives otherwise")
        postings: tuple[Posting, ...] = ()
        if effects.postings and event is not None:
            postings = self._lines.effects.postings(event, roles, effects.postings)
        fields = (
            record_id,
            block,
            position,
            block if occurred is None else occurred,
            clock,
            status,
            kind,
            event,
            roles,
            parameters,
            refs,
            postings,
            effects.assignments,
            effects.memberships,
            effects.mints,
            rule,
            window,
        )
        self.records.append(Record._make(fields))

    def _check_names(
        self,
        record_id: str,
        roles: Mapping[str, RoleValue],
        effects: Effects,
        window: VoidWindow | None,
    ) -> None:
        """Refuse names of entities that no record has brought in so far (R15)."""
        known = self._known
        assert known is not None
        for mint in effects.mints:
            known.add(mint.entity)
        strange: list[str] = []
        for _, _, entities, _ in effects.postings:
            if not known.issuperset(entities):
                strange += [name for name in entities if name not in known]
        if effects.assignments or effects.memberships:
            strange += [n for n in self._lines.effects.names(effects) if n not in known]
        for value in roles.values():
            if isinstance(value, str):
                if value not in known and value not in self._ids:
                    strange.append(value)
            elif not known.issuperset(value):
                strange += [name for name in value if name not in known]
        if window is not None and window.entity not in known:
            strange.append(window.entity)
        if strange:
            raise DataError(f"{record_id} names {strange[0]}, which no record has brought in")

    def _check_ids(self, record_id: str, named: Sequence[str]) -> None:
        """Refuse names of records not yet shown (R1)."""
        for ref in named:
            if ref not in self._ids:
                raise DataError(f"{record_id} names {ref}, which is not above it in the log")
        self._ids.add(record_id)


def _check_late(record_id: str, shown: int | None, named: int | None, block: int) -> None:
    """Refuse a late entry that does not say once and the same in which earlier block it was."""
    if shown is None or not 1 <= shown < block:
        raise DataError(f"{record_id} is a late entry and names no earlier block in brackets")
    if named is not None and named != shown:
        raise DataError(f"{record_id} names two blocks in which it took place")


def _only(ways: Sequence[T], text: str) -> T:
    """The one way in which a line can be read.

    Raises:
        DataError: There is none, or more than one.
    """
    if len(ways) == 1:
        return ways[0]
    if ways:
        raise DataError(f"{text!r} can be read in {len(ways)} ways")
    raise DataError(
        f"{text!r} is no line of this log",
        mend="It was cut short or changed, or belongs to another specification.",
    )

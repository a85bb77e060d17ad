"""From chat messages back to the history: the writer's inverse, from the text alone.

The reader is given no effects: what a line does it takes from the line. Every line must be
exactly one of a heading, a record, a noise line or a marked question, and a record in exactly
one way; anything else is a `DataError` that names the line (R34, R35).
"""

from __future__ import annotations

from collections.abc import Sequence

from supersede.errors import DataError
from supersede.model.instance import Message
from supersede.model.record import (
    BACKFILL,
    History,
    Noise,
    Record,
    Value,
)
from supersede.model.world import World
from supersede.rendering.effect_reader import new
from supersede.rendering.line_reader import LineReader
from supersede.rendering.lines import FINAL, INTERIM, LATE_CLOCK, NOTHING, Meta
from supersede.rendering.strip import stripped, stripped_world
from supersede.rendering.vocabulary import Vocabulary
from supersede.specs.schema import Specification


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

    def read(self, messages: Sequence[Message]) -> History:
        """The history that messages show.

        Parameters come back as far as the words show them; effects show the rest. All other
        fields of every record, and the noise, are as they were written.

        Raises:
            DataError: A message or line that is not exactly one thing.
        """
        if not messages or messages[0].role != "system":
            raise DataError("the messages do not open with a system message")
        log = _Log(self._lines, self._record, dict(self._named), set(self._names))
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
        known: set[str],
    ) -> None:
        """An empty log.

        Args:
            lines: Reads its lines.
            record: The template of record ids.
            attributes: Entity -> attribute values, of the entities that the world names.
            known: The entities that the world names.
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
        self._heading = self._opens = self._closes = ""
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
        self._block, self._heading, self._number, self._clock = block, heading, 0, -1
        self._opens, self._closes = (
            part.replace("{block}", str(block)) for part in (self._before, self._after)
        )
        first, *lines = text.split("\n")
        if first != heading or not lines:
            raise DataError(f"{text!r} does not open with {heading!r} and a line", where=where)
        if lines == [NOTHING]:
            return
        for number, line in enumerate(lines, start=2):
            try:
                head = self._lines.head(line)
                if head is None:
                    self._add_noise(line)
                else:
                    self._add(line, *head)
            except DataError as error:
                place = f"{where}, line {number}"
                raise DataError(error.what, where=place, mend=error.mend) from None

    def _add_noise(self, text: str) -> None:
        ways = self._lines.noise_ways(text)
        if len(ways) != 1:
            raise _unclear(text, len(ways))
        ((reading, tokens),) = ways
        names = reading.names(tokens)
        self.noise.append(Noise(self._block, len(self.records), reading.number, names))

    def _add(self, text: str, record_id: str, label: str | None, meta: Meta, body: str) -> None:
        self._number += 1
        if record_id != (due := f"{self._opens}{self._number}{self._closes}"):
            raise self._misnumbered(record_id, due)
        ways = self._lines.ways(body)
        if len(ways) != 1:
            raise _unclear(text, len(ways))
        ((reading, tokens, roles, parameters, effects),) = ways
        mints, postings, assignments, memberships, rule, cells, named = effects
        if label != reading.label:
            shown, right = label or "nothing", reading.label or "nothing"
            raise DataError(f"{record_id} is labelled {shown}, and its words call for {right}")
        block, position = self._block, len(self.records)
        occurred, clock, status = meta
        refs: tuple[str, ...] = ()
        window = None
        if not reading.plain:
            refs, window = reading.refs(tokens), reading.window(tokens)
            for ref in (*refs, *reading.record_roles(tokens)):
                if ref not in self._ids:
                    raise DataError(f"{record_id} names {ref}, which is not above it in the log")
        self._ids.add(record_id)
        if clock is None:
            clock = self._number if occurred is None else LATE_CLOCK + position
        if reading.kind is BACKFILL:
            occurred = _late(record_id, occurred, reading.block(tokens), block)
        elif occurred is not None:
            raise DataError(f"{record_id} is no late entry and yet took place in block {occurred}")
        elif clock <= self._clock:
            raise DataError(f"{record_id} is no later than what is above it in its block")
        else:
            occurred, self._clock = block, clock
        if len(cells) > 1 and len({*cells}) < len(cells):
            raise DataError(f"{record_id} changes {effects.twice()} twice")
        for entity, _, values in mints:
            self._attributes[entity] = values
            self._known.add(entity)
        if named or reading.minted:
            self._check_names(record_id, (*named, *[tokens[at] for at in reading.minted]))
        if not (reading.plain or reading.attributes_hold(tokens, roles, self._attributes)):
            raise DataError(f"{record_id} shows an attribute that the log gives otherwise")
        kind, event = reading.kind, reading.event
        assert kind is not None  # noise has no id
        fields = record_id, block, position, occurred, clock, status, kind, event, roles, \
            parameters, refs, postings, assignments, memberships, mints, rule, window  # fmt: skip
        self.records.append(new(Record, fields))

    def _misnumbered(self, record_id: str, due: str) -> DataError:
        """What is wrong with an id that is not the one that comes next."""
        if not (record_id.startswith(self._opens) and record_id.endswith(self._closes)):
            return DataError(f"{record_id} is no id of {self._heading}")
        again = " stands in the log twice" if record_id in self._ids else " is out of order"
        return DataError(f"{record_id}{again}: {due} comes here")

    def _check_names(self, record_id: str, names: Sequence[str]) -> None:
        """Refuse names of entities that no record has brought in so far (R15)."""
        if not self._known.issuperset(names):
            strange = next(name for name in names if name not in self._known)
            raise DataError(f"{record_id} names {strange}, which no record has brought in")


def _late(record_id: str, shown: int | None, named: int | None, block: int) -> int:
    """The earlier block in which a late entry took place.

    Raises:
        DataError: The entry does not say it once and the same.
    """
    if shown is None or not 1 <= shown < block:
        raise DataError(f"{record_id} is a late entry and names no earlier block in brackets")
    if named is not None and named != shown:
        raise DataError(f"{record_id} names two blocks in which it took place")
    return shown


def _unclear(text: str, ways: int) -> DataError:
    """What is wrong with a line that cannot be read in one way."""
    if ways:
        return DataError(f"{text!r} can be read in {ways} ways")
    return DataError(
        f"{text!r} is no line of this log",
        mend="It was cut short or changed, or belongs to another specification.",
    )

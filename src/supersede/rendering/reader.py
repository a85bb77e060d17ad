"""From chat messages back to the history: the writer's inverse, from the text alone.

The reader is given no effects: what a line does it takes from the line. Every line must be
exactly one of a heading, a record, a noise line or a marked question, and a record in exactly
one way; anything else is a `DataError` that names the line (R34, R35).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from supersede.errors import DataError
from supersede.model.instance import Message
from supersede.model.record import History, Kind, Noise, Posting, Record, RuleChange, Value
from supersede.model.world import World
from supersede.rendering.effect_reader import EffectReader, Effects
from supersede.rendering.forms import WHOLE, Values, filled
from supersede.rendering.lines import FINAL, INTERIM, LATE_CLOCK, NOTHING, TIMES, Meta, bracket
from supersede.rendering.readings import Match, Reading
from supersede.rendering.skeletons import MARK, lexicon
from supersede.rendering.strip import stripped, stripped_world
from supersede.rendering.vocabulary import Vocabulary
from supersede.specs.schema import Specification

_NOTHING_DONE = Effects((), [], (), ())


class Line(NamedTuple):
    """A line in one of the ways in which it can be read."""

    match: Match
    effects: Effects
    rule: RuleChange | None


class Reader:
    """Reads the messages of one specification's histories; build it once, use it for many."""

    def __init__(self, spec: Specification, world: World) -> None:
        """A reader, which first strips what it is given of all effects.

        Args:
            spec: The specification.
            world: Its world.

        Raises:
            SpecError: A wording whose slots cannot be found again in its text.
        """
        self._spec = stripped(spec)
        self._world = stripped_world(world)
        vocabulary = Vocabulary(self._spec, self._world)
        self._effects = EffectReader(vocabulary)
        self.postings = self._effects.postings
        knife, found = lexicon(vocabulary)
        self._split = knife.split
        self._records: dict[str, list[Reading]] = {}
        self._noise: dict[str, list[Reading]] = {}
        self._starts: set[str] = set()
        """Skeletons that are the words of a record up to one of their own semicolons."""
        for skeleton in found:
            table = self._noise if skeleton.kind is None else self._records
            table.setdefault(skeleton.text, []).append(Reading(skeleton))
            if skeleton.kind is not None:
                parts = skeleton.text.split("; ")
                self._starts.update("; ".join(parts[:n]) for n in range(1, len(parts)))
        self._metas: Values[Meta] = Values(self._meta)
        self._head = re.compile(
            rf"({vocabulary.ids.pattern})(?: \(([^()]+)\))?: (.+)\.", re.DOTALL
        ).fullmatch
        self._bracket = re.compile(
            rf"(?:{re.escape(world.block)} ({WHOLE})(?:, | |$))?(?:(\d\d+):(\d\d)(?:, |$))?(.*)"
        ).fullmatch
        template = spec.clock.record
        self._block_id = (
            re.compile(filled(template, block=f"({WHOLE})", n=WHOLE)).fullmatch
            if "{block}" in template
            else None
        )
        self.noun = world.block
        self.named = {
            name: tuple(values)
            for kind in world.types.values()
            for name, values in kind.values.items()
        }

    def read(self, messages: Sequence[Message]) -> History:
        """The history that messages show, parameters as far as the words show them.

        Raises:
            DataError: A message or line that is not exactly one thing.
        """
        log = _Log(self)
        blocks = 0
        asked = False
        if not messages or messages[0].role != "system":
            raise DataError("the messages do not open with a system message")
        for number, message in enumerate(messages[1:], start=2):
            where = f"message {number}"
            if message.role == "assistant" and asked:
                asked = False
            elif message.role == "user" and not asked:
                blocks += 1
                asked = log.turn(blocks, message.content, where, last=number == len(messages))
            else:
                raise DataError(
                    f"a message of the {message.role} is out of place",
                    where=where,
                    mend="An answer follows a turn that ends in a question, and nothing else.",
                )
        if not blocks or not log.ended:
            raise DataError(
                f"the last user turn does not end in {FINAL.strip()!r}", mend="It was cut short."
            )
        return History(blocks, tuple(log.records), tuple(log.noise))

    def ways(self, body: str) -> list[Line]:
        """Every way to read what stands behind a record's id, without its full stop."""
        pieces = body.split("; ")
        found: list[Line] = []
        skeleton = ""
        tokens: list[str] = []
        for used, piece in enumerate(pieces, start=1):
            cut = self._split(piece)
            skeleton += MARK.join(cut[::2]) if used == 1 else "; " + MARK.join(cut[::2])
            tokens += cut[1::2]
            for reading in self._records.get(skeleton, ()):
                match = reading.match(tokens)
                if match is not None and (line := self._line(match, pieces[used:])) is not None:
                    found.append(line)
            if skeleton not in self._starts:
                break
        return found

    def _line(self, match: Match, rest: Sequence[str]) -> Line | None:
        """A line of which the words are known; None where the rest does not fit them."""
        reading = match.reading
        if reading.event is not None:
            effects = self._effects.read(rest)
            return None if effects is None else Line(match, effects, None)
        if reading.kind is not Kind.RULE:
            return None if rest else Line(match, _NOTHING_DONE, None)
        rule = self._effects.rule(rest[0]) if len(rest) == 1 else None
        declared = self._spec.rules[reading.number]
        if rule is None or rule != RuleChange(
            declared.label,
            declared.becomes == "counts",
            declared.reach == "all",
            reading.where(match.tokens) if declared.where is not None else None,
        ):
            return None
        return Line(match, _NOTHING_DONE, rule)

    def noise_ways(self, text: str) -> list[Match]:
        """Every way to read a line without an id."""
        cut = self._split(text)
        tokens = cut[1::2]
        readings = self._noise.get(MARK.join(cut[::2]), ())
        return [match for r in readings if (match := r.match(tokens)) is not None]

    def belongs(self, record_id: str, block: int) -> bool:
        """Whether a record id is one of a block, as far as ids tell."""
        return self._block_id is None or (
            (match := self._block_id(record_id)) is not None and match[1] == str(block)
        )

    def head(self, text: str) -> tuple[str, Meta, str] | None:
        """Id, bracket and the rest of a record's line; None where a line has no such head."""
        match = self._head(text)
        if match is None:
            return None
        meta = self._metas[match[2] or ""]
        return None if meta is None else (match[1], meta, match[3])

    def _meta(self, text: str) -> Meta | None:
        """What a bracket says, if it says it as the writer would."""
        match = self._bracket(text)
        assert match is not None  # everything in it may be empty
        block, hours, minutes, status = match.groups()
        clock = None if hours is None else int(hours) * 60 + int(minutes)
        meta = Meta(int(block) if block else None, clock, status or None)
        if (clock is not None) != self._world.timed or (clock or 0) >= len(TIMES):
            return None
        known = meta.status is None or meta.status in self._world.statuses
        return meta if known and bracket(self._world, meta) == text else None


class _Log:
    """What has been read of one history so far.

    Attributes:
        records: Records in posted order.
        noise: Noise lines in order.
        ended: Whether the final question has been seen.
    """

    def __init__(self, reader: Reader) -> None:
        self.records: list[Record] = []
        self.noise: list[Noise] = []
        self.ended = False
        self._reader = reader
        self._ids: set[str] = set()
        self._attributes: dict[str, tuple[Value, ...]] = dict(reader.named)
        self._block = 0
        self._number = 0

    def turn(self, block: int, content: str, where: str, *, last: bool) -> bool:
        """Read one user turn.

        Args:
            block: The number of its block.
            content: Its text.
            where: Its place, for errors.
            last: Whether it is the last message.

        Returns:
            Whether it ends in a question that an answer must follow.

        Raises:
            DataError: A line that is not exactly one thing.
        """
        self._block, self._number = block, 0
        text, gap, question = content.partition("\n\n")
        heading, *lines = text.split("\n")
        if heading != f"{self._reader.noun} {block}":
            raise DataError(
                f"{heading!r} is not the heading {f'{self._reader.noun} {block}'!r}", where=where
            )
        if lines != [NOTHING]:
            for number, line in enumerate(lines, start=2):
                self._line(line, f"{where}, line {number}")
            if not lines:
                raise DataError("no line follows the heading", where=where)
        self.ended = last and question.startswith(FINAL)
        if gap and not self.ended and (last or not question.startswith(INTERIM)):
            raise DataError(f"{question!r} is no marked question", where=where)
        return bool(gap) and not last

    def _line(self, text: str, where: str) -> None:
        head = self._reader.head(text)
        noise = self._reader.noise_ways(text)
        if head is None or noise:
            if len(noise) + (head is not None) != 1:
                raise _misread(text, len(noise) + (head is not None), where)
            (match,) = noise
            names = match.reading.names(match.tokens)
            place = len(self.records)
            self.noise.append(Noise(self._block, place, match.reading.number, names))
            return
        record_id, meta, body = head
        ways = self._reader.ways(body)
        if len(ways) != 1:
            raise _misread(text, len(ways), where)
        self._add(record_id, meta, ways[0], where)

    def _add(self, record_id: str, meta: Meta, line: Line, where: str) -> None:
        (reading, roles, parameters, tokens), effects, rule = line
        kind = reading.kind
        assert kind is not None  # noise has no id
        self._number += 1
        refs = reading.refs(tokens)
        self._check_ids(record_id, line.match, refs, where)
        occurred = meta.occurred or self._block
        named = reading.block(tokens)
        if named is not None and named != meta.occurred:
            raise DataError(f"{record_id} names two blocks in which it took place", where=where)
        if not 1 <= occurred <= self._block or meta.occurred == self._block:
            raise DataError(f"{record_id} did not take place before its block", where=where)
        position = len(self.records)
        clock = meta.clock
        if clock is None:
            clock = self._number if meta.occurred is None else LATE_CLOCK + position
        for entity, _, values in effects.mints:
            self._attributes[entity] = values
        if not reading.attributes_hold(tokens, self._attributes):
            raise DataError(
                f"the words of {record_id} show an attribute that the log gives otherwise",
                where=where,
            )
        postings: tuple[Posting, ...] = ()
        if effects.postings and reading.event is not None:
            postings = self._reader.postings(reading.event, roles, effects.postings)
        self.records.append(
            Record(
                record_id,
                self._block,
                position,
                occurred,
                clock,
                meta.status,
                kind,
                reading.event,
                roles,
                parameters,
                refs,
                postings,
                effects.assignments,
                effects.memberships,
                effects.mints,
                rule,
                reading.window(tokens),
            )
        )

    def _check_ids(self, record_id: str, match: Match, refs: tuple[str, ...], where: str) -> None:
        """Refuse an id of another block or used before, and names of records not yet shown."""
        if not self._reader.belongs(record_id, self._block):
            raise DataError(f"{record_id} does not belong to block {self._block}", where=where)
        if record_id in self._ids:
            raise DataError(f"{record_id} stands in the log twice", where=where)
        named = (*refs, *match.reading.record_roles(match.tokens))
        for ref in named:
            if ref not in self._ids:
                raise DataError(f"{record_id} names {ref}, which is not in the log", where=where)
        self._ids.add(record_id)


def _misread(text: str, ways: int, where: str) -> DataError:
    if ways:
        return DataError(f"{text!r} can be read in {ways} ways", where=where)
    return DataError(
        f"{text!r} is no line of this log",
        where=where,
        mend="It was cut short or changed, or belongs to another specification.",
    )

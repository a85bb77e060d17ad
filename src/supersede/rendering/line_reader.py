"""Reads single lines: what stands before the colon, the words, the effects, in every way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from supersede.errors import SpecError
from supersede.model.record import (
    RULE,
    RoleValue,
    RuleChange,
)
from supersede.model.world import World
from supersede.rendering.effect_reader import EffectReader, Effects, new
from supersede.rendering.forms import DIGITS, WHOLE, Values
from supersede.rendering.lines import TIMES, Meta, bracket
from supersede.rendering.readings import Reading
from supersede.rendering.skeletons import MARK, Hole, Skeleton, lexicon
from supersede.rendering.vocabulary import Vocabulary
from supersede.rendering.wordings import printed

_NOTHING_DONE = Effects()


class Line(NamedTuple):
    """A record's line in one of the ways in which it can be read."""

    reading: Reading
    tokens: Sequence[str]
    """The pieces that were cut out of its words."""
    roles: dict[str, RoleValue]
    parameters: dict[str, int | str]
    effects: Effects


class LineReader:
    """Reads lines of one specification."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """A reader of lines.

        Raises:
            SpecError: A wording whose slots cannot be found again in its text, or a noise line
                that opens as a record does.
        """
        self._world: World = vocabulary.world
        self._rules = vocabulary.spec.rules
        self._effects = EffectReader(vocabulary)
        labels = {event.name: event.label for event in self._world.events.values()}
        knife, found = lexicon(vocabulary)
        self._split = knife.split
        self._records: dict[str, list[Reading]] = {}
        self._noise: dict[str, list[Reading]] = {}
        for skeleton in found:
            _check_noise(skeleton, vocabulary)
            table = self._noise if skeleton.kind is None else self._records
            table.setdefault(skeleton.text, []).append(Reading(skeleton, labels))
        self._metas: Values[Meta] = Values(self._meta)
        self._head = re.compile(
            rf"({vocabulary.ids.pattern})(?: ([^():]+))?(?: \(([^()]+)\))?: (.+)\.", re.DOTALL
        ).fullmatch
        self._bracket = re.compile(
            rf"(?:{re.escape(self._world.block)} ({WHOLE})(?:, | |$))?"
            r"(?:(\d\d+):(\d\d)(?:, |$))?(.*)"
        ).fullmatch

    def ways(self, body: str) -> list[Line]:
        """Every way to read what stands behind a record's id, without its full stop."""
        words, *rest = body.split("; ")
        cut = self._split(words)
        tokens = cut[1::2]
        found: list[Line] = []
        for reading in self._records.get(MARK.join(cut[::2]), ()):
            said = reading.match(tokens)
            if said is None:
                continue
            roles, parameters = said
            if reading.event is not None:
                effects = self._effects.read(reading.event, roles, rest)
            else:
                effects = self._without_event(reading, tokens, rest)
            if effects is not None:
                found.append(new(Line, (reading, tokens, roles, parameters, effects)))
        return found

    def _without_event(
        self, reading: Reading, tokens: Sequence[str], rest: Sequence[str]
    ) -> Effects | None:
        """What a record of no event does: nothing, or what a rule says in words and as effect."""
        if reading.kind is not RULE:
            return None if rest else _NOTHING_DONE
        rule = self._effects.rule(rest[0]) if len(rest) == 1 else None
        declared = self._rules[reading.number]
        if rule is None or rule != RuleChange(
            declared.label,
            declared.becomes == "counts",
            declared.reach == "all",
            reading.where(tokens) if declared.where is not None else None,
        ):
            return None
        return Effects(rule=rule)

    def noise_ways(self, text: str) -> list[tuple[Reading, Sequence[str]]]:
        """Every way to read a line without an id: the reading and the pieces cut out."""
        cut = self._split(text)
        tokens = cut[1::2]
        readings = self._noise.get(MARK.join(cut[::2]), ())
        return [(reading, tokens) for reading in readings if reading.match(tokens) is not None]

    def head(self, text: str) -> tuple[str, str | None, Meta, str] | None:
        """Id, label, bracket and the rest of a record's line; None where it has no such head."""
        match = self._head(text)
        if match is None:
            return None
        record_id, label, meta_text, body = match.groups()
        meta = self._metas[meta_text or ""]
        return None if meta is None else (record_id, label, meta, body)

    def _meta(self, text: str) -> Meta | None:
        """What a bracket says, if it says it as the writer would."""
        match = self._bracket(text)
        assert match is not None  # everything in it may be empty
        block, hours, minutes, status = match.groups()
        if block and len(block) > DIGITS:
            return None
        clock = None if hours is None else int(hours) * 60 + int(minutes)
        meta = Meta(int(block) if block else None, clock, status or None)
        if (clock is not None) != self._world.timed or (clock or 0) >= len(TIMES):
            return None
        known = meta.status is None or meta.status in self._world.statuses
        return meta if known and bracket(self._world, meta) == text else None


def _check_noise(skeleton: Skeleton, vocabulary: Vocabulary) -> None:
    """Refuse a noise line that opens as a record does (R35).

    So a line is a record or noise by its opening alone, and need not be tried as both.
    """
    if skeleton.kind is None and skeleton.text.startswith(MARK):
        ids = Hole(None, vocabulary.ids.values, vocabulary.ids.samples())
        if skeleton.holes[0].overlaps(ids):
            raise SpecError(
                "a noise line opens with what could be a record's id",
                where=printed(skeleton.origins[0]),
                mend="Put a word before it.",
            )

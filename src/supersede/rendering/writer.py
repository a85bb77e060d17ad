"""From a history to chat messages: one line for each record, one user turn for each block.

::

    Day 3
    D3-R1 payment (08:30, settled): Ada Brandt books #304; amount paid #304 +12.00 USD.
    Lunch on the returns desk at noon, says Chen Li.

    Question: ...

Lines show local changes only, never a running total (E-031).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from supersede.errors import DataError
from supersede.model.instance import Message
from supersede.model.record import (
    BACKFILL,
    ENTRY,
    REPOST,
    RULE,
    History,
    Noise,
    Record,
    VoidWindow,
)
from supersede.model.world import World
from supersede.rendering.effects import EffectWriter, PostingWriter, rule_effect
from supersede.rendering.forms import joined
from supersede.rendering.lines import FINAL, INTERIM, NOTHING, TIMES, Meta, bracket
from supersede.rendering.strip import stripped
from supersede.rendering.system import system_message
from supersede.rendering.templates import Attributes, Template, filler
from supersede.rendering.vocabulary import Vocabulary
from supersede.rendering.wordings import (
    REVISIONS,
    event_wordings,
    noise_wordings,
    revision_wordings,
    rule_wordings,
)
from supersede.specs.schema import Specification

Draw = Callable[[], float]


class Writer:
    """Writes histories of one specification; build it once and use it for many."""

    def __init__(self, spec: Specification, world: World) -> None:
        """A writer.

        Args:
            spec: The specification, whole or stripped.
            world: Its world.

        Raises:
            SpecError: A wording with a slot that names nothing.
        """
        vocabulary = Vocabulary(stripped(spec), world)
        self.system = system_message(spec, vocabulary)
        self._world = world
        self._timed = world.timed
        self._effects = EffectWriter(vocabulary)
        self._events = {
            event.id: (
                fillers := [filler(wording) for wording in event_wordings(vocabulary, index)],
                len(fillers),
                PostingWriter(vocabulary, event.id).write,
                f" {world.events[event.id].label}",
            )
            for index, event in enumerate(spec.events)
        }
        self._revisions = {
            kind: tuple(Template(w) for w in revision_wordings(vocabulary, kind))
            for kind, _ in REVISIONS
        }
        self._rules = {
            (rule.label, rule.becomes == "counts", rule.reach == "all", rule.where is not None): [
                Template(wording) for wording in rule_wordings(vocabulary, index)
            ]
            for index, rule in enumerate(spec.rules)
        }
        self._noise = tuple(Template(wording) for wording in noise_wordings(vocabulary))
        self._named: Attributes = {
            name: tuple(values)
            for kind in world.types.values()
            for name, values in kind.values.items()
        }

    def messages(
        self,
        history: History,
        draw: Draw,
        *,
        question: str,
        intermediate: Iterable[tuple[int, str, str]] = (),
    ) -> tuple[Message, ...]:
        """The chat messages of a history: system, then one user turn for each block.

        Args:
            history: What happened.
            draw: The stream of random numbers that chooses phrasings; as many are drawn for
                a history whatever is asked of it.
            question: The final question, which ends the last user turn.
            intermediate: Block, question and answer; at most one for a block, none for the
                last. Each answer is an assistant turn after its block.

        Raises:
            DataError: A record that no line can show, or an intermediate question that has
                no place.
        """
        asked = self._asked(history, intermediate)
        found = [Message("system", self.system)]
        blocks = self.blocks(history, draw)
        for number, text in enumerate(blocks, start=1):
            if number == len(blocks):
                found.append(Message("user", f"{text}\n\n{FINAL}{question}"))
            elif number in asked:
                found.append(Message("user", f"{text}\n\n{INTERIM}{asked[number][0]}"))
                found.append(Message("assistant", asked[number][1]))
            else:
                found.append(Message("user", text))
        return tuple(found)

    @staticmethod
    def _asked(
        history: History, intermediate: Iterable[tuple[int, str, str]]
    ) -> dict[int, tuple[str, str]]:
        asked: dict[int, tuple[str, str]] = {}
        for block, question, answer in intermediate:
            if block in asked or not 1 <= block < history.blocks:
                raise DataError(
                    f"no place for an intermediate question after block {block}",
                    mend=f"Ask at most one after each of blocks 1 to {history.blocks - 1}.",
                )
            asked[block] = (question, answer)
        return asked

    def blocks(self, history: History, draw: Draw) -> tuple[str, ...]:
        """The text of each block: its heading, then its lines, without any question.

        Raises:
            DataError: A record that no line can show.
        """
        lines: list[list[str]] = [[] for _ in range(history.blocks)]
        noise = iter(history.noise)
        line = next(noise, None)
        for record, text in zip(history.records, self._lines(history, draw), strict=True):
            while line is not None and line.before <= record[2]:
                lines[line.block - 1].append(self._noise_line(line))
                line = next(noise, None)
            lines[record[1] - 1].append(text)
        while line is not None:
            lines[line.block - 1].append(self._noise_line(line))
            line = next(noise, None)
        noun = self._world.block
        return tuple(
            f"{noun} {number}\n" + ("\n".join(block) if block else NOTHING)
            for number, block in enumerate(lines, start=1)
        )

    def _noise_line(self, noise: Noise) -> str:
        return self._noise[noise.template].filled(*noise.names)

    def _lines(self, history: History, draw: Draw) -> Iterator[str]:
        """The lines of the records, in posted order.

        Raises:
            DataError: A record that no line can show.
        """
        events, effects, timed = self._events, self._effects, self._timed
        attributes = dict(self._named)
        worded: dict[str, int] = {}
        """Record id -> its phrasing, which its reposts have as well (R5)."""
        record_id = ""
        try:
            for record in history.records:
                record_id, block, _, occurred, clock, status, kind, event, roles, parameters, \
                    refs, postings, assignments, memberships, mints, _, _ = record  # fmt: skip
                words = "" if kind is ENTRY else self._revision(record, draw)
                label = ""
                if event is not None:
                    fillers, count, write_postings, label = events[event]
                    phrasing = int(draw() * count)
                    if kind is REPOST:
                        phrasing = worded.get(refs[0], phrasing)
                    worded[record_id] = phrasing
                    for entity, _, values in mints:
                        attributes[entity] = values
                    words += fillers[phrasing](roles, parameters, attributes)
                    if mints:
                        words += effects.mints(mints)
                    if postings:
                        words += write_postings(roles, postings)
                    if assignments:
                        words += effects.assignments(assignments)
                    if memberships:
                        words += effects.memberships(memberships)
                if occurred != block or status is None:
                    yield f"{record_id}{label}{self._bracket(record)}: {words}."
                elif timed:
                    yield f"{record_id}{label} ({TIMES[clock]}, {status}): {words}."
                else:
                    yield f"{record_id}{label} ({status}): {words}."
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"nothing in the specification shows {error}", where=f"record {record_id}"
            ) from error

    def _bracket(self, record: Record) -> str:
        """What stands in brackets behind the id of a record, with them and a space before."""
        occurred = None if record.occurred == record.block else record.occurred
        meta = Meta(occurred, record.clock if self._timed else None, record.status)
        text = bracket(self._world, meta)
        return f" ({text})" if text else ""

    def _revision(self, record: Record, draw: Draw) -> str:
        """The opening words of a record that is no plain entry; all of it where no event is."""
        kind = record.kind
        if kind is RULE:
            return self._rule(record, draw)
        templates = self._revisions[kind]
        template = templates[int(draw() * len(templates))]
        named = str(record.occurred) if kind is BACKFILL else self._ref(record)
        text = template.filled(named)
        return text if record.event is None else f"{text}: "

    def _ref(self, record: Record) -> str:
        if record.window is not None:
            return self._window(record.window)
        if len(record.refs) == 1:
            return record.refs[0]
        return f"each of {joined(record.refs)}"

    def _window(self, window: VoidWindow) -> str:
        noun = self._world.block
        label = self._world.events[window.event].label
        span = f"{noun} {window.first}"
        if window.last != window.first:
            span += f" to {noun} {window.last}"
        return f"every {label} naming {window.entity} in {span}"

    def _rule(self, record: Record, draw: Draw) -> str:
        rule = record.rule
        if rule is None:
            raise KeyError("a rule record without a rule")
        texts = self._rules[rule.label, rule.counts, rule.retroactive, rule.entity is not None]
        template = texts[int(draw() * len(texts))]
        return f"{template.filled(rule.entity or '')}; {rule_effect(rule)}"

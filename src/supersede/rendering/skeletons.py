"""Skeletons: wordings with their blanks blanked, and which of them cannot be told apart.

A text is cut at the names, record ids and numbers in it; what is left, with a mark at each
cut, is its skeleton. A wording's skeleton comes from a sample of it, cut by the same knife, so a
line and the wording that made it have one skeleton. A name or number in the words themselves is
cut too and must then be found there as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from supersede.errors import SpecError
from supersede.model.record import Kind
from supersede.rendering.forms import Names, Number, Values
from supersede.rendering.vocabulary import Vocabulary
from supersede.rendering.wordings import (
    REVISIONS,
    Origin,
    Piece,
    Slot,
    Use,
    Wording,
    event_wordings,
    noise_wordings,
    printed,
    revision_wordings,
    rule_wordings,
)
from supersede.specs.schema import ListRole

MARK = "\0"
"""Stands for a blank in a skeleton."""
MOST_REFS = 6
"""The most records that one void may name."""


class Hole(NamedTuple):
    """A blank of a skeleton: what fills it, and what the filling tells."""

    slot: Slot | None
    """None for a name or number that belongs to the words."""
    values: Mapping[str, object]
    """Text -> what it says, None where it does not fit."""
    samples: tuple[str, ...]
    """Texts that fit: all of a closed set, one of each open one."""

    def overlaps(self, other: Hole) -> bool:
        """Whether some text fits both."""
        return any(other.values[text] is not None for text in self.samples) or any(
            self.values[text] is not None for text in other.samples
        )


class Skeleton(NamedTuple):
    """The skeleton of the words of a line, from its first word to its first effect."""

    text: str
    holes: tuple[Hole, ...]
    kind: Kind | None
    """None for noise."""
    event: str | None
    origins: tuple[Origin, ...]
    """The wordings that it comes from: a revision's and an event's, or one."""
    number: int = -1
    """Index of the rule whose text it is, or of the noise line."""

    def overlaps(self, other: Skeleton) -> bool:
        """Whether some text could come from both."""
        return self.text == other.text and all(
            mine.overlaps(theirs) for mine, theirs in zip(self.holes, other.holes, strict=True)
        )


class Part(NamedTuple):
    """The skeleton of one wording, before it is put together with another."""

    text: str
    holes: tuple[Hole, ...]
    origin: Origin


class Knife:
    """Cuts texts at names, record ids and numbers.

    Attributes:
        split: Text -> words and cut-out pieces in turn, words first and last.
    """

    def __init__(self, vocabulary: Vocabulary, wordings: Iterable[Wording]) -> None:
        """The knife for some wordings.

        Args:
            vocabulary: The forms of the specification.
            wordings: Every wording that is to be cut; their slots say what to cut out.
        """
        forms = [s.form for wording in wordings for s in wording.pieces if isinstance(s, Slot)]
        forms.extend(vocabulary.types.values())
        names = {name for form in forms if isinstance(form, Names) for name in form.names}
        patterns = {
            form.pattern: None for form in forms if isinstance(form, Names) and form.pattern
        }
        numbers = [form for form in forms if isinstance(form, Number) and len(form.tails) > 1]
        tails = {re.escape(tail): None for form in numbers for tail in form.tails}
        cuts = [vocabulary.ids.pattern or "", *patterns, *_grouped(names)]
        cuts += [rf"-?[0-9]+(?:{'|'.join(tails)})(?!\w)"] if tails else []
        cuts.append(r"-?[0-9]+(?:\.[0-9]+)?")
        self.split = re.compile(rf"(?<!\w)({'|'.join(cuts)})(?!\w)").split

    def part(self, pieces: Sequence[Piece], origin: Origin) -> Part:
        """The skeleton of a wording.

        Raises:
            SpecError: Where a slot ends, a name or word runs on.
        """
        slots = [piece for piece in pieces if isinstance(piece, Slot)]
        sample = [p.form.samples()[0] if isinstance(p, Slot) else p for p in pieces]
        cut = self.split("".join(sample))
        ends = _ends(sample)
        spans = {
            (end - len(text), end): piece
            for text, end, piece in zip(sample, ends, pieces, strict=True)
        }
        holes: list[Hole] = []
        for text, end in zip(cut[1::2], _ends(cut)[1::2], strict=True):
            piece = spans.get((end - len(text), end))
            holes.append(_hole(piece) if isinstance(piece, Slot) else _fixed(text))
        if sum(hole.slot is not None for hole in holes) != len(slots):
            raise SpecError(
                f"{''.join(sample)!r}: what fills a slot cannot be told from the words around it",
                where=printed(origin),
                mend="Put a space or a comma beside the slot.",
            )
        return Part(MARK.join(cut[::2]), tuple(holes), origin)


def skeletons(vocabulary: Vocabulary) -> tuple[Skeleton, ...]:
    """Every skeleton that the words of a line can have, records and noise.

    Raises:
        SpecError: A wording whose slots cannot be found again in its text.
    """
    return lexicon(vocabulary)[1]


def lexicon(vocabulary: Vocabulary) -> tuple[Knife, tuple[Skeleton, ...]]:
    """The knife of a specification, and every skeleton that it leaves.

    Raises:
        SpecError: A wording whose slots cannot be found again in its text.
    """
    wordings = _Wordings(vocabulary)
    knife = Knife(vocabulary, wordings.all())
    return knife, (*_records(vocabulary, wordings, knife), *_noise(wordings, knife))


def collisions(vocabulary: Vocabulary) -> tuple[tuple[Skeleton, Skeleton], ...]:
    """Pairs of skeletons that some line could both have, so that it would read two ways (R35).

    A noise line pairs with each wording that says the same to a reader who looks past the id,
    capitals, the full stop and which names fill the blanks.

    Raises:
        SpecError: As `skeletons`.
    """
    found: list[tuple[Skeleton, Skeleton]] = []
    seen: dict[str, list[Skeleton]] = {}
    for skeleton in skeletons(vocabulary):
        others = seen.setdefault(skeleton.text.casefold().removesuffix("."), [])
        found += [(other, skeleton) for other in others if _confused(other, skeleton)]
        others.append(skeleton)
    return tuple(found)


def _confused(one: Skeleton, other: Skeleton) -> bool:
    """Whether two skeletons that are alike but for capitals and full stop are too much so."""
    return (one.kind is None) != (other.kind is None) or one.overlaps(other)


class _Wordings:
    """All wordings of a specification, by what they are for."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        spec = vocabulary.spec
        self.events = [
            (event.id, _lengths(event.roles), event_wordings(vocabulary, index))
            for index, event in enumerate(spec.events)
        ]
        self.revisions = {kind: revision_wordings(vocabulary, kind) for kind, _ in REVISIONS}
        self.rules = [rule_wordings(vocabulary, index) for index in range(len(spec.rules))]
        self.noise = noise_wordings(vocabulary)

    def all(self) -> Iterator[Wording]:
        for _, _, wordings in self.events:
            yield from wordings
        for wordings in (*self.revisions.values(), *self.rules, self.noise):
            yield from wordings


def _records(vocabulary: Vocabulary, wordings: _Wordings, knife: Knife) -> Iterator[Skeleton]:
    events = [
        (event, knife.part(pieces, wording.origin))
        for event, lengths, phrasings in wordings.events
        for wording in phrasings
        for pieces in _spread(wording.pieces, lengths)
    ]
    for event, part in events:
        yield Skeleton(part.text, part.holes, Kind.ENTRY, event, (part.origin,))
    for kind, with_event in REVISIONS:
        for wording in wordings.revisions[kind]:
            for pieces in _named(vocabulary, kind, wording.pieces):
                lead = knife.part(pieces, wording.origin)
                if not with_event:
                    yield Skeleton(lead.text, lead.holes, kind, None, (lead.origin,))
                    continue
                for event, part in events:
                    text = f"{lead.text}: {part.text}"
                    origins = (lead.origin, part.origin)
                    yield Skeleton(text, lead.holes + part.holes, kind, event, origins)
    for index, texts in enumerate(wordings.rules):
        for wording in texts:
            part = knife.part(wording.pieces, wording.origin)
            yield Skeleton(part.text, part.holes, Kind.RULE, None, (part.origin,), index)


def _noise(wordings: _Wordings, knife: Knife) -> Iterator[Skeleton]:
    for index, wording in enumerate(wordings.noise):
        part = knife.part(wording.pieces, wording.origin)
        yield Skeleton(part.text, part.holes, None, None, (part.origin,), index)


def _lengths(roles: Mapping[str, str | ListRole]) -> dict[str, int]:
    """List role -> the most members that it may have."""
    return {name: role.size[1] for name, role in roles.items() if isinstance(role, ListRole)}


def _spread(pieces: Sequence[Piece], lengths: Mapping[str, int]) -> Iterator[Sequence[Piece]]:
    """The pieces of a wording with every length that its list roles may have."""
    names = list(lengths)
    for counts in product(*(range(1, lengths[name] + 1) for name in names)):
        count = dict(zip(names, counts, strict=True))
        spread: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, Slot) and piece.use is Use.LIST:
                spread += _listed(piece, count[piece.name])
            else:
                spread.append(piece)
        yield spread


def _listed(slot: Slot, count: int) -> list[Piece]:
    pieces: list[Piece] = [slot]
    for n in range(1, count):
        pieces += [" and " if n == count - 1 else ", ", slot]
    return pieces


def _named(
    vocabulary: Vocabulary, kind: Kind, pieces: Sequence[Piece]
) -> Iterator[Sequence[Piece]]:
    """The pieces with all that a control record may name: one record, several, a window."""
    yield pieces
    if kind is not Kind.VOID:
        return
    ref = Slot(Use.REF, "", vocabulary.ids)
    for count in range(2, MOST_REFS + 1):
        yield _with_ref(pieces, ["each of ", *_listed(ref, count)])
    block = f"{vocabulary.world.block} "
    for event in vocabulary.world.events.values():
        kinds = {*event.roles.values(), *event.lists.values()}
        for name in sorted(kinds):
            entity = Slot(Use.WINDOW, event.name, vocabulary.types[name])
            number = Slot(Use.WINDOW, event.name, Number())
            lead: list[Piece] = [f"every {event.label} naming ", entity, f" in {block}", number]
            yield _with_ref(pieces, lead)
            yield _with_ref(pieces, [*lead, f" to {block}", number])


def _with_ref(pieces: Sequence[Piece], named: Sequence[Piece]) -> Sequence[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        found += named if isinstance(piece, Slot) and piece.use is Use.REF else [piece]
    return found


def _ends(texts: Sequence[str]) -> list[int]:
    """Where each text ends when all are put together."""
    ends: list[int] = []
    at = 0
    for text in texts:
        at += len(text)
        ends.append(at)
    return ends


def _hole(slot: Slot) -> Hole:
    return Hole(slot, slot.form.values, slot.form.samples())


def _fixed(text: str) -> Hole:
    """The hole of a name or number that the words themselves contain."""
    same: Values[str] = Values(lambda found: found if found == text else None)
    return Hole(None, same, (text,))


def _grouped(names: Iterable[str]) -> Iterator[str]:
    """Patterns for names, longest first, those with the same first character together."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        groups.setdefault(name[0], []).append(re.escape(name[1:]))
    for first, rests in sorted(groups.items()):
        yield f"{re.escape(first)}(?:{'|'.join(rests)})"

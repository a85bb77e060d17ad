"""Evidence: the records without any one of which the answer or its proof changes.

A record is evidence exactly if taking it away (what stands on it goes too, what it decides is
judged anew) changes the answer, the contributing ids or the excluded ids. What contributes is
evidence by itself. For every other record it is enough to look at the entries that it can flip:
a flip changes the contributing ids if the entry's content before or after it is among the rows
that the answer rests on. Where a flip could hide (several readings, candidates that come to
life), the answer is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from supersede.questions.controls import AWAY
from supersede.questions.forms import Line
from supersede.questions.index import Index
from supersede.questions.reading import Reading, variant_reading
from supersede.questions.trace import Part, Trace
from supersede.questions.validity import Variant
from supersede.questions.view import View

_entry = itemgetter(0)


class Proof(NamedTuple):
    """An answer's values with what they rest on."""

    values: tuple[str, ...]
    contributing: frozenset[int]
    """Positions of entries that count towards the answer, and of the amends in force for them."""
    excluded: frozenset[int]
    """Positions of entries that the answer treats as not counting."""


def prove(lines: Sequence[Line], trace: Trace, index: Index) -> Proof:
    """The proof of an answer from the trace of its computation."""
    contributing: set[int] = set()
    excluded: set[int] = set()
    for part in trace.parts:
        source = part.reading.source
        holding = [pair for pair in part.pairs if source[pair[0]] == pair[1]]
        contributing.update(chain.from_iterable(holding))
        posted = index.validity.posted
        variant = part.reading.variant
        excluded.update([i for i in part.excluded if source[i] < 0 and posted(i, variant)])
    values = tuple([line.expected for line in lines])
    return Proof(values, frozenset(contributing), frozenset(excluded))


def evidence(
    index: Index,
    reading: Reading,
    solve: Callable[[View], list[Line]],
    trace: Trace,
    proof: Proof,
) -> list[int]:
    """Positions of the evidence of an answer, in posted order.

    Args:
        index: The history.
        reading: Its true reading.
        solve: Computes the answer on a view.
        trace: What `solve` rested on.
        proof: What it found.
    """
    search = _Search(index, trace, {*proof.contributing, *proof.excluded})
    search.run()
    for r in sorted(search.doubtful):
        if r not in search.found and _differs(index, reading, solve, proof, r):
            search.found.add(r)
    return sorted(search.found)


def _differs(
    index: Index, reading: Reading, solve: Callable[[View], list[Line]], proof: Proof, r: int
) -> bool:
    trace = Trace()
    view = View(index, variant_reading(index, reading, Variant(without=frozenset([r]))), trace)
    return prove(solve(view), trace, index) != proof


class _Search:
    """Collects evidence: `found` for sure, `doubtful` to be settled by computing again."""

    def __init__(self, index: Index, trace: Trace, found: set[int]) -> None:
        self.validity = index.validity
        self.index = index
        self.trace = trace
        self.parts = trace.parts
        self.found = found
        self.doubtful = set(trace.probes)

    def run(self) -> None:
        for part in self.parts:
            entries = set(map(_entry, part.pairs)) | part.excluded
            linked = bool(part.reading.variant.dropped)
            for entry in sorted(entries & self.validity.hanging):
                for r in self.validity.suspects(entry, linked=linked):
                    if r not in self.found:
                        self._judge(part, entry, r)
            for kind, shown in part.candidates.items():
                self._candidates(part, kind, shown)

    def _judge(self, part: Part, entry: int, r: int) -> None:
        """What taking `r` away does to one entry that the answer may rest on."""
        before = part.reading.source[entry]
        after = self._without(part, entry, r)
        if before == after:
            if before < 0 and self.trace.reasons and entry in part.excluded:
                self.doubtful.add(r)
            return
        listed = entry in part.excluded and (before < 0) != (after < 0)
        if not listed and not {(entry, before), (entry, after)} & part.pairs:
            return
        if len(self.parts) == 1 or self._ids(entry, None) != self._ids(entry, r):
            self.found.add(r)
        else:
            self.doubtful.add(r)

    def _without(self, part: Part, entry: int, r: int) -> int:
        variant = part.reading.variant
        return self.validity.source(entry, Variant(variant.without | {r}, *variant[1:]))

    def _ids(self, entry: int, r: int | None) -> tuple[set[int], bool]:
        """What an entry adds to the contributing ids over all parts, and whether it is excluded."""
        ids: set[int] = set()
        excluded = False
        for part in self.parts:
            source = part.reading.source[entry] if r is None else self._without(part, entry, r)
            if (entry, source) in part.pairs:
                ids |= {entry, source}
            excluded |= entry in part.excluded and source < 0
        return ids, excluded

    def _candidates(self, part: Part, kind: str, shown: set[str]) -> None:
        """Records by which an entity of a type comes to life or goes."""
        minter = self.validity.minter
        linked = bool(part.reading.variant.dropped)
        for entity in self.index.minted[kind]:
            at = minter[entity]
            live = part.reading.source[at] >= 0
            for r in (at, *self.validity.suspects(at, linked=linked)):
                if r in self.found or (live and entity not in shown):
                    continue
                after = AWAY if r == at else self._without(part, at, r)
                if (after >= 0) != live:
                    self.doubtful.add(r)

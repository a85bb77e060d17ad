"""The graph of `hipporag`: phrases and passages, and how strongly they hang together.

Weights are sums, sets and best lists, never what came first; so chunks give the same graph one by
one, all at once, and in any order. What a weight is (reference: an undirected graph to which edges
are added in each direction):

- two phrases of a triple: 2 for each triple that joins them;
- a passage and a phrase of its triples: 1;
- two phrases that are alike: their cosine for each of them that has the other among its nearest,
  which takes the place of what triples give in that direction.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from supersede.memories.retrieval.embedder import Vectors
from supersede.memories.vectors import VectorTable

ALIKE = 0.8
"""Cosine from which two phrases are alike."""
NEAREST = 100
"""Phrases that a phrase is alike to, at most; the nearest count."""
_SHORTEST = 3
"""Letters and digits of a phrase that looks for others like it, at least."""
_DIGITS = 6
"""Decimals of a cosine: what an embedder's single precision can tell."""
_SLACK = 1e-4
"""What a matrix product in single precision may be off by."""


class Triple(NamedTuple):
    """A fact: phrases, as `normalised` leaves them."""

    subject: str
    relation: str
    object: str

    @property
    def text(self) -> str:
        """As it is embedded and compared."""
        return " ".join(self)


class PhraseGraph:
    """Phrases and passages; grows by one passage at a time."""

    def __init__(self) -> None:
        self.phrases: dict[str, int] = {}
        """Phrase -> its number, in order of appearance."""
        self.facts: list[Triple] = []
        """Different triples, in order of appearance."""
        self.passages = array("q")
        """Node of each passage."""
        self.nodes = array("q")
        """Node of each phrase."""
        self.mentions: list[int] = []
        """Passages whose triples have the phrase."""
        self.vectors = VectorTable()
        """Of the phrases."""
        self._known: set[Triple] = set()
        self._names: list[str] = []
        self._joined: dict[tuple[int, int], int] = {}
        self._near: list[dict[int, float]] = []
        self._edges: dict[tuple[int, int], int] = {}
        self._ends = array("q"), array("q")
        self._weights = array("d")

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.passages) + len(self.nodes)

    @property
    def size(self) -> int:
        """Number of edges."""
        return sum(1 for weight in self._weights if weight)

    def new_phrases(self, triples: Iterable[Triple]) -> list[str]:
        """Phrases that are not in the graph yet, each once, in order."""
        found = (phrase for one in triples for phrase in (one.subject, one.object))
        return [one for one in dict.fromkeys(found) if one not in self.phrases]

    def new_facts(self, triples: Iterable[Triple]) -> list[Triple]:
        """Triples that are not in the graph yet, each once, in order."""
        return [one for one in dict.fromkeys(triples) if one not in self._known]

    def add(self, triples: Sequence[Triple], vectors: Vectors) -> None:
        """Takes in the next passage.

        Args:
            triples: Those of the passage; each counts as often as it stands there.
            vectors: Of the new phrases, in the order of `new_phrases`.
        """
        passage = len(self)
        self.passages.append(passage)
        first = len(self.phrases)
        for phrase in self.new_phrases(triples):
            self.nodes.append(len(self))
            self.phrases[phrase] = len(self._names)
            self._names.append(phrase)
            self._near.append({})
            self.mentions.append(0)
        self.facts += self.new_facts(triples)
        self._known.update(triples)
        pairs = [(self.phrases[one.subject], self.phrases[one.object]) for one in triples]
        for number in dict.fromkeys(number for pair in pairs for number in pair):
            self.mentions[number] += 1
            self._put(passage, self.nodes[number], 1.0)
        for one, other in pairs:
            if one != other:
                pair = min(one, other), max(one, other)
                self._joined[pair] = self._joined.get(pair, 0) + 1
                self._weigh(*pair)
        if len(self.phrases) > first:
            self.vectors.add(vectors)
            self._compare(first)

    def ends(self, fact: Triple) -> tuple[int, int]:
        """Numbers of a fact's subject and object."""
        return self.phrases[fact.subject], self.phrases[fact.object]

    def _compare(self, first: int) -> None:
        """Looks for phrases that are alike, one of each pair from `first` on."""
        rows = self.vectors.rows
        close = self.vectors.cosines(rows[first:]) >= ALIKE - _SLACK
        late, early = np.nonzero(close)
        late += first
        late, early = late[early < late], early[early < late]
        # In double precision and pair by pair, for a cosine that does not depend on what other
        # phrases it is computed with.
        exact = (rows[late].astype(np.float64) * rows[early].astype(np.float64)).sum(axis=1)
        for one, other, cosine in zip(late.tolist(), early.tolist(), exact.tolist(), strict=True):
            if (alike := round(cosine, _DIGITS)) >= ALIKE:
                self._bring_near(one, other, alike)
                self._bring_near(other, one, alike)

    def _bring_near(self, one: int, other: int, cosine: float) -> None:
        """Puts a phrase among the nearest of another, if it belongs there."""
        if sum(map(str.isalnum, self._names[one])) < _SHORTEST:
            return
        near = self._near[one]
        near[other] = cosine
        self._weigh(one, other)
        if len(near) > NEAREST:
            least = min(near.values())
            last = max((n for n in near if near[n] == least), key=self._names.__getitem__)
            del near[last]
            self._weigh(one, last)

    def _weigh(self, one: int, other: int) -> None:
        """Works out the weight between two phrases."""
        joined = self._joined.get((min(one, other), max(one, other)), 0)
        there, back = self._near[one].get(other, joined), self._near[other].get(one, joined)
        self._put(self.nodes[one], self.nodes[other], there + back)

    def _put(self, one: int, other: int, weight: float) -> None:
        pair = min(one, other), max(one, other)
        place = self._edges.setdefault(pair, len(self._weights))
        if place < len(self._weights):
            self._weights[place] = weight
            return
        self._weights.append(weight)
        for ends, node in zip(self._ends, pair, strict=True):
            ends.append(node)

    def matrix(self) -> csr_array:
        """Weights between all nodes: symmetric, without loops."""
        one, other = (np.array(ends, dtype=np.int64) for ends in self._ends)
        weights = np.array(self._weights, dtype=np.float64)
        rows, columns = np.concatenate([one, other]), np.concatenate([other, one])
        data = np.concatenate([weights, weights])
        return csr_array((data, (rows, columns)), shape=(len(self), len(self)))

    def edges(self) -> dict[tuple[str, str | int], float]:
        """Weight of each edge: of two phrases, in order, or a phrase and the index of a passage."""
        names: dict[int, str] = dict(zip(self.nodes, self._names, strict=True))
        indices = {node: index for index, node in enumerate(self.passages)}
        found: dict[tuple[str, str | int], float] = {}
        for pair, place in self._edges.items():
            if weight := self._weights[place]:
                phrases = sorted(names[node] for node in pair if node in names)
                passages = [indices[node] for node in pair if node in indices]
                found[phrases[0], passages[0] if passages else phrases[1]] = weight
        return found

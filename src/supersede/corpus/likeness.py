"""Instances that are the same, or nearly: by hashes of their texts and of their records.

The same are two with one id, one user text or one sequence of record lines. Nearly the same are two
of one world and tier whose record lines are the same up to their figures, or are shared for the
most part. Lines of records are compared alone: the rest is the same words throughout a world.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple
from zlib import crc32

from supersede.corpus.overlap import record_lines

SHARE = 0.5
"""Share of record lines, as a Jaccard index, from which on two instances are nearly the same."""

_SKETCH = 64
"""Least hashes of lines that stand for an instance: the index is exact for fewer lines, and
else within 0.06 of it, one standard deviation."""
_LOOKED_UP = 8
"""Least of these by which other instances are found: of two that share half of their lines, one in
250 pairs has none of them in common."""
_OWNERS = 16
"""Most instances that are remembered for a line: more say nothing of a pair."""
_FIGURES = b"0123456789.,-"


class Print(NamedTuple):
    """What is kept of an instance to compare it with all others."""

    id: bytes
    messages: bytes
    user: bytes
    """Of all user turns."""
    records: bytes
    """Of the lines of records in order; empty where there are none."""
    plot: bytes
    """Of the same without figures."""
    sketch: array[int]
    """Least hashes of the lines of records, rising."""
    split: str
    cell: str
    """World and tier."""


class Near(NamedTuple):
    """Two instances that are nearly the same."""

    where: str
    """`shard:line` of the later one."""
    before: str
    """That of the earlier one."""
    share: float
    """Jaccard index of their record lines, 0 to 1; an estimate for long ones."""
    same_plot: bool
    """Whether the lines are the same up to figures."""
    across: bool
    """Whether they are of different splits."""

    def __str__(self) -> str:
        how = "all records up to figures" if self.same_plot else f"{self.share:.0%} of the records"
        return f"{self.where}: shares {how} with {self.before}{' across splits' * self.across}"


def print_of(data: Mapping[str, Any]) -> Print:
    """The print of an instance in plain JSON data."""
    turns = [message["content"] for message in data["messages"] if message["role"] == "user"]
    lines = [line.encode() for line in record_lines(turns)]
    log = b"\n".join(lines)
    user = _hash("\n\n".join(turns).encode())
    return Print(
        _hash(str(data["id"]).encode()),
        _hash("".join(map(_measured, data["messages"])).encode() + user),
        user,
        _hash(log) if lines else b"",
        _hash(log.translate(None, _FIGURES)) if lines else b"",
        array("L", sorted(set(map(crc32, lines)))[:_SKETCH]),
        str(data["split"]),
        f"{data['prototype']}/{data['tier']}",
    )


def _measured(message: Mapping[str, str]) -> str:
    """Role and text of a message, with their lengths: put together they can be told apart again.

    Of a user turn the length alone: all of them together have a hash, and it tells where each ends.
    """
    role, text = message["role"], message["content"]
    return f"{len(role)} {len(text)} {role}{'' if role == 'user' else text}"


def _hash(content: bytes) -> bytes:
    return sha256(content).digest()[:16]


class Likeness:
    """All instances seen so far, to find the same and the nearly same among them."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, bytes], str] = {}
        self._plots: dict[tuple[str, bytes], int] = {}
        self._owners: dict[tuple[str, int], list[int]] = {}
        self._prints: list[tuple[str, str, array[int]]] = []

    def same(self, where: str, mark: Print) -> Iterator[str]:
        """In what an instance is the same as an earlier one; of what implies more, the first."""
        before = self._seen.setdefault(("id", mark.id), where)
        if before != where:
            yield f"has the id of {before}"
        for name, value in (
            ("messages", mark.messages),
            ("user text", mark.user),
            ("record sequence", mark.records),
        ):
            before = self._seen.setdefault((name, value), where) if value else where
            if before != where:
                yield f"has the {name} of {before}"
                return

    def near(self, where: str, mark: Print) -> Iterator[Near]:
        """The earlier instance that is nearest, where it is near enough; takes this one in."""
        number = len(self._prints)
        self._prints.append((where, mark.split, mark.sketch))
        if not mark.records:
            return
        twin = self._plots.setdefault((mark.cell, mark.plot), number)
        candidates = {twin} - {number}
        for line in mark.sketch[:_LOOKED_UP]:
            owners = self._owners.setdefault((mark.cell, line), [])
            candidates.update(owners)
            if len(owners) < _OWNERS:
                owners.append(number)
        found = [(self._share(mark.sketch, owner), owner) for owner in sorted(candidates)]
        likely = [(s, owner) for s, owner in found if s >= SHARE or owner == twin]
        if likely:
            share, owner = max(likely, key=lambda one: (one[0], -one[1]))
            before, split, _ = self._prints[owner]
            yield Near(where, before, share, owner == twin, split != mark.split)

    def _share(self, sketch: array[int], owner: int) -> float:
        """The Jaccard index of the lines of two instances, by the least hashes of either."""
        mine, other = set(sketch), set(self._prints[owner][2])
        either = sorted(mine | other)
        if len(mine) == _SKETCH or len(other) == _SKETCH:
            either = either[:_SKETCH]
        return sum(line in mine and line in other for line in either) / len(either)

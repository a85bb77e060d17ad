"""Where a quotation stands in a text, whatever happened to its spaces and quotation marks."""

from __future__ import annotations

from collections.abc import Sequence

from supersede.novels.annotations import Span
from supersede.novels.book import Chunk

__all__ = ["Quotable"]

_SAME = str.maketrans(
    {sign: "'" for sign in "\u2018\u2019\u201a\u201b\u00b4\u02bc`"}
    | {sign: '"' for sign in "\u201c\u201d\u201e\u201f\u00ab\u00bb"}
)
_AROUND = " \"'"


class Quotable:
    """The chunks of a book, in which quotations are looked for.

    Args:
        chunks: All of them, in order.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = tuple(chunks)
        self._folded = [_folded(chunk.text) for chunk in chunks]

    def found(self, quote: str) -> tuple[Span, ...]:
        """Where a quotation stands: its first place in each chunk that has it.

        Runs of white space are one space, and all marks of quotation of a kind are one; those
        around the quotation are left away. Every other sign must be the same.

        Args:
            quote: The quotation; one without a letter or digit stands nowhere.
        """
        wanted = _folded(quote)[0].strip(_AROUND)
        if not any(sign.isalnum() for sign in wanted):
            return ()
        spans = []
        for chunk, (text, places) in zip(self._chunks, self._folded, strict=True):
            start = _whole(text, wanted)
            if start >= 0:
                first, last = places[start], places[start + len(wanted) - 1] + 1
                quoted = chunk.text[first:last]
                spans.append(Span(chunk.index, first, last, quoted, chunk.sha256))
        return tuple(spans)


def _whole(text: str, wanted: str) -> int:
    """Where a text stands in another one and neither begins nor ends in a word; -1 for nowhere."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        cut_before = start > 0 and text[start - 1].isalnum() and wanted[0].isalnum()
        cut_after = end < len(text) and text[end].isalnum() and wanted[-1].isalnum()
        if not (cut_before or cut_after):
            return start
        start = text.find(wanted, start + 1)
    return -1


def _folded(text: str) -> tuple[str, list[int]]:
    """A text with one kind of space and quotation mark, and where each of its signs was."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text.translate(_SAME)):
        if not sign.isspace():
            signs.append(sign)
        elif signs and signs[-1] != " ":
            signs.append(" ")
        else:
            continue
        places.append(place)
    return "".join(signs), places

"""What the page is told, as plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from supersede.annotation.seat import Seat, Turn
from supersede.novels.annotations import Cell, Option, Timeline
from supersede.novels.book import Chunk
from supersede.novels.project import BookCard
from supersede.novels.sight import Page, Progress, Seen, Wording
from supersede.novels.tables import TABLES
from supersede.streams.prose import sentences

__all__ = [
    "book_data",
    "disagreements",
    "overview_data",
    "page_data",
    "progress_data",
    "sentence_offsets",
    "timelines_data",
    "turn_data",
]

Data = dict[str, Any]

EXCERPT = 700
"""How many characters of each neighbour a page shows, at most."""


@lru_cache(maxsize=64)  # text never changes, and people turn back and forth
def sentence_offsets(text: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Where the sentences of a chunk stand, paragraph by paragraph, in code points."""
    found = []
    start = 0
    for paragraph in text.split("\n\n"):
        place = start
        offsets = []
        for sentence in sentences(paragraph):
            begin = text.index(sentence, place)
            place = begin + len(sentence)
            if sentence.strip():
                offsets.append((begin, place))
        if offsets:
            found.append(tuple(offsets))
        start += len(paragraph) + 2
    return tuple(found)


def page_data(seat: Seat, book: str, number: int) -> Data:
    """One chunk with the ends of its neighbours and all questions."""
    page = seat.page(book, number)
    last = page.book.chunks - 1
    return {
        "book": book_data(page.book),
        "chunk": _chunk(page.chunk),
        "before": _tail(seat.chunk(book, number - 1).text) if number else "",
        "after": _head(seat.chunk(book, number + 1).text) if number < last else "",
        "adjudicates": page.adjudicates,
        "may_write": page.may_write,
        "may_ask": page.may_ask,
        "can_undo": page.can_undo,
        "can_redo": page.can_redo,
        "finished": seat.is_finished(book),
        "questions": [_seen(seat, seen, page) for seen in page.questions],
    }


def book_data(card: BookCard) -> Data:
    """A book without its text."""
    return {
        "id": card.id,
        "title": card.title,
        "author": card.author,
        "chunks": card.chunks,
        "stage": card.stage,
    }


def _chunk(chunk: Chunk) -> Data:
    return {
        "index": chunk.index,
        "text": chunk.text,
        "chapter": chunk.chapter,
        "chapters": list(chunk.chapters),
        "paragraphs": sentence_offsets(chunk.text),
    }


def _tail(text: str) -> str:
    """The end of a chunk, from a paragraph or at least a word on."""
    if len(text) <= EXCERPT:
        return text
    part = text[-EXCERPT:]
    for gap in ("\n\n", " "):
        _, found, rest = part.partition(gap)
        if found and len(rest) > EXCERPT // 3:
            return rest if gap == "\n\n" else f"… {rest}"
    return part


def _head(text: str) -> str:
    """The beginning of a chunk, to the end of a paragraph or at least of a word."""
    if len(text) <= EXCERPT:
        return text
    part = text[:EXCERPT]
    for gap in ("\n\n", " "):
        rest, found, _ = part.rpartition(gap)
        if found and len(rest) > EXCERPT // 3:
            return rest if gap == "\n\n" else f"{rest} …"
    return part


def _seen(seat: Seat, seen: Seen, page: Page) -> Data:
    question, before = seen.question, seen.cell.option
    if seen.cell.changed:
        before = seat.carried(page.book.id, question.id, page.chunk.index)
    return {
        "id": question.id,
        "text": question.text,
        "original": question.original,
        "reformulation": str(question.reformulation),
        "entity": question.entity,
        "type": question.type,
        "revision": seen.revision,
        "options": [_option(option, seen.option_revisions) for option in question.options],
        "before": before,
        "cell": cell_data(seen.cell),
        "base": seen.cell_revision,
        "flags": [
            {"reason": str(flag.reason), "note": flag.note, "revision": revision}
            for flag, revision in seen.flags
        ],
        "wording": None if seen.wording is None else _wording(seen.wording),
        "others": [{"who": who, "cell": cell_data(cell)} for who, cell in seen.others],
    }


def _option(option: Option, revisions: Mapping[str, int]) -> Data:
    return {
        "id": option.id,
        "text": option.text,
        "role": str(option.role),
        "author": option.author,
        "shared": option.shared,
        "same_as": option.same_as,
        "revision": revisions.get(option.id, 0),
    }


def cell_data(cell: Cell) -> Data:
    """An answer at one chunk; evidence as offsets with what they quote."""
    return {
        "option": cell.option,
        "confirmed": cell.confirmed,
        "changed": cell.changed,
        "evidence": [
            {"start": span.start, "end": span.end, "quote": span.quote} for span in cell.evidence
        ],
        "note": cell.note,
    }


def _wording(wording: Wording) -> Data:
    return {
        "annotator": wording.annotator,
        "text": wording.text,
        "reformulation": str(wording.reformulation),
        "note": wording.note,
        "revision": wording.revision,
    }


def timelines_data(seat: Seat, book: str, question: str) -> Data:
    """The answers to a question at every chunk: the person's, and all others that they may see."""
    mine = seat.rulings(book, question) if seat.adjudicates(book) else seat.timeline(book, question)
    others = seat.timelines(book, question) if seat.sees_others(book) else ()
    return {
        "question": question,
        "mine": _line(mine),
        "others": [
            {"who": line.annotator, **_line(line)} for line in others if line.annotator != seat.me
        ],
        "base": seat.rulings_base(book, question),
    }


def _line(line: Timeline) -> Data:
    """A timeline as its changes, which are few, and one digit for each chunk."""
    return {
        "changes": [
            {"chunk": chunk, **cell_data(line.cells[chunk])} for chunk in line.change_points
        ],
        "confirmed": "".join("1" if cell.confirmed else "0" for cell in line.cells),
    }


def overview_data(seat: Seat, book: str) -> Data:
    """How far everybody is whom the person may see, by question."""
    questions = seat.questions(book)  # refuses a book that is none of theirs
    card = seat.project.card(book)
    people: dict[str, Progress] = {}
    if not seat.adjudicates(book):
        people[seat.me] = seat.progress(book)
    if seat.sees_others(book):
        for who in seat.project.assigned(book):
            people.setdefault(who, seat.progress(book, who))
    if seat.adjudicates(book):
        people[""] = seat.progress(book)  # the rulings
    through = seat.project.finished(book) if seat.sees_others(book) else ()
    return {
        "book": book_data(card),
        "adjudicates": seat.adjudicates(book),
        "questions": [{"id": q.id, "text": q.text} for q in questions],
        "people": [
            {
                "who": who,
                "finished": who in through or (who == seat.me and seat.is_finished(book)),
                **progress_data(progress),
            }
            for who, progress in people.items()
        ],
        "flags": [
            {
                "who": flag.annotator,
                "question": flag.question,
                "chunk": flag.chunk,
                "reason": str(flag.reason),
                "note": flag.note,
            }
            for flag, _ in seat.flags(book)
        ],
        "wordings": [
            {"question": question, **_wording(wording)} for question, wording in seat.wordings(book)
        ],
    }


def progress_data(progress: Progress) -> Data:
    """How far one person is."""
    return {
        "done": progress.done,
        "total": progress.total,
        "confirmed": dict(progress.confirmed),
        "next": list(progress.next_open) if progress.next_open else None,
    }


def disagreements(seat: Seat, book: str) -> list[Data]:
    """Where two annotators answer differently, and whether that is ruled, by question.

    Raises:
        Forbidden: The person is blind on the book.
    """
    found = []
    for question in seat.questions(book):
        lines = [line.answers for line in seat.timelines(book, question.id)]
        ruled = seat.rulings(book, question.id).cells
        apart = [
            chunk
            for chunk, answers in enumerate(zip(*lines, strict=True))
            if len({option and question.canonical(option) for option in answers}) > 1
        ]
        found.append(
            {
                "question": question.id,
                "chunks": apart,
                "open": [chunk for chunk in apart if not ruled[chunk].confirmed],
                "unruled": sum(not cell.confirmed for cell in ruled),
            }
        )
    return found


def turn_data(turn: Turn) -> Data:
    """What was undone or redone, and where to look."""
    if not turn:
        return {"changed": 0, "kind": "", "question": "", "chunk": None}
    event = turn[0]
    named = dict(zip(TABLES[event.kind].key, event.key, strict=True))
    return {
        "changed": len(turn),
        "kind": event.kind,
        "question": named.get("question", ""),
        "chunk": named.get("chunk"),
    }

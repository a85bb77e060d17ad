"""A desk with what a page needs on top: strokes that are done once, undoing that says where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, cast

from supersede.errors import UsageError
from supersede.novels.annotations import Cell, Mark, MarkKind, OptionRole, Review, Span
from supersede.novels.changes import ruling_change
from supersede.novels.desk import Desk
from supersede.novels.log import Event
from supersede.novels.refusals import StaleEdit

__all__ = ["Seat", "Turn"]

_ANSWERED = "answered"
_REMEMBERED = 64
"""Replies that are kept, far more than one person has requests under way."""

Turn = tuple[Event, ...]
"""The events that an undo or a redo touched."""


class Seat(Desk):
    """The place of one person behind a browser.

    Args:
        project: The project.
        annotator: Who sits there.

    Raises:
        UsageError: There is nobody of that id.
    """

    def once(self, request: str, stroke: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """What a stroke gives, done once however often it is asked for.

        A browser that heard no reply cannot know whether its request was done, and asks again. The
        reply is kept in the transaction that does the stroke, so that this holds although the
        server was killed in between.

        Args:
            request: Made up by whoever asks, another one for each stroke.
            stroke: Gives plain JSON data.
        """
        with self.project.store.transaction():
            kept = cast("list[list[Any]]", self.settings().get(_ANSWERED, []))
            for earlier, reply in kept:
                if earlier == request:
                    return cast("Mapping[str, Any]", reply)
            new = stroke()
            self.remember(_ANSWERED, [*kept, [request, new]][-_REMEMBERED:])
        return new

    def project_mark(self) -> str:
        """What tells this project from any other, so that no browser mixes them up."""
        (first,) = self.project.store.query("SELECT at, key FROM event WHERE number = 1")
        return sha256(repr(first).encode()).hexdigest()[:16]

    def preferences(self) -> dict[str, object]:
        """What the person's page remembers."""
        return {name: value for name, value in self.settings().items() if name != _ANSWERED}

    def answer(
        self,
        book: str,
        question: str,
        chunk: int,
        option: str,
        *,
        base: int,
        evidence: tuple[Span, ...] = (),
        note: str = "",
    ) -> tuple[int, str]:
        """Says which option is right at a chunk; gives the new revision and the kind of mark.

        Where the option is the one that is carried there anyway, it is confirmed. Else it is a
        change, which needs evidence of this very chunk (O-088, O-099).

        Raises:
            UsageError: It is a change without evidence, and not to the catch-all.
            StaleEdit: Something else is said there by now.
        """
        with self.project.store.transaction():
            found = self._open_question(book, question)
            before = self.carried(book, question, chunk)
            if option != before:
                chosen = found.option(option)
                if not evidence and chosen and chosen.role is not OptionRole.CATCH_ALL:
                    raise UsageError(
                        "a change needs the sentence that shows it",
                        where=f"{question} at chunk {chunk + 1}",
                        mend="Mark one in the text.",
                    )
                revision = self.choose(
                    book, question, chunk, option, base=base, evidence=evidence, note=note
                )
                return revision, str(MarkKind.CHOICE)
            cell, now = self._cell(book, question, chunk, self._voice(book))
            if cell.changed or (base and note != cell.note):  # taken back, or said anew
                self.clear(book, question, chunk, base=base)
                base = now = 0
            if base != now:
                current: dict[str, Any] = {"option": cell.option, "evidence": [], "note": cell.note}
                raise StaleEdit.of("answer", (question, chunk), now, current)
            revision = self.confirm(book, question, chunk, option, base=base, note=note)
            return revision, str(MarkKind.CONFIRMATION)

    def carried(self, book: str, question: str, chunk: int) -> str | None:
        """The person's answer at the chunk before; None where there is none."""
        if chunk == 0:
            return None
        cell, _ = self._cell(book, question, chunk - 1, self._voice(book))
        return cell.option

    def adopt(self, book: str, question: str, annotator: str, *, base: int) -> int:
        """Rules a whole question as one annotator answered it, in one stroke.

        Args:
            book: A book that the person adjudicates.
            question: The question.
            annotator: Whose answers count.
            base: The highest revision among the rulings on the question that the person saw.

        Returns:
            At how many chunks there is a ruling now.

        Raises:
            StaleEdit: Somebody has ruled since.
            UsageError: The annotator never answered it.
        """
        with self.project.store.transaction():
            self._allowed("adjudication", self._card(book).stage, self.adjudicates(book))
            self._open_question(book, question)
            rows = self.project.store.rows("adjudication", book=book, question=question)
            revisions = {int(key[2]): row.revision for key, row in rows}
            newest = max(revisions.values(), default=0)
            if newest != base:
                raise StaleEdit.of("ruling", (book, question), newest, None)
            marks = [
                _as_ruling(chunk, cell)
                for chunk, cell in enumerate(self.timeline(book, question, annotator).cells)
                if cell.option is not None
            ]
            if not marks:
                raise UsageError(f"{annotator} never answered it", where=f"{book}/{question}")
            changes = [
                ruling_change(book, question, mark, revisions.get(mark.chunk, 0)) for mark in marks
            ]
            self.project.act(self.me, book, changes)
        return len(marks)

    def rulings_base(self, book: str, question: str) -> int:
        """The highest revision among the rulings on a question; 0 where there is none."""
        self._card(book)
        if not self.sees_others(book):
            return 0
        rows = self.project.store.rows("adjudication", book=book, question=question)
        return max((row.revision for _, row in rows), default=0)

    def move_stage(self, book: str, seen: str, stage: str) -> int:
        """Moves a book on from the stage that the person saw.

        Raises:
            StaleEdit: It is in another stage by now.
        """
        with self.project.store.transaction():
            self._card(book)
            row = self.project.store.row("stage", (book,))
            now = str(row.value["stage"]) if row else "blind"
            if now != seen:
                raise StaleEdit.of("stage", (book,), row.revision if row else 0, {"stage": now})
            return self.set_stage(book, stage, base=row.revision if row else 0)

    def finish_book(self, book: str, note: str) -> int:
        """Says that the person is through; saying it again says it anew."""
        with self.project.store.transaction():
            self._card(book)
            row = self.project.store.row("finished", (book, self.me))
            return self.finish(book, base=row.revision if row else 0, note=note)

    def went_over(self, book: str, review: Review) -> int:
        """Notes that the person went over a question; saying it again says it anew."""
        with self.project.store.transaction():
            row = self.project.store.row("review", (book, review.question, self.me))
            return self.review(book, review, base=row.revision if row else 0)

    def is_finished(self, book: str) -> bool:
        """Whether the person said that they are through."""
        return self.project.store.row("finished", (book, self.me)) is not None

    def back(self, book: str) -> Turn:
        """Undoes the person's last action on a book; gives what it touched."""
        return self._turn(self.project.undo, book)

    def again(self, book: str) -> Turn:
        """Does again what the person undid last; gives what it touched."""
        return self._turn(self.project.redo, book)

    def _turn(self, turn: Callable[[str, str, Callable[[Event], None]], int], book: str) -> Turn:
        self._card(book)
        check = self._turn_check(book)
        events: list[Event] = []

        def allowed(event: Event) -> None:
            check(event)
            events.append(event)

        turn(self.me, book, allowed)
        return tuple(events)


def _as_ruling(chunk: int, cell: Cell) -> Mark:
    """A ruling that says what a cell says."""
    kind = MarkKind.CHOICE if cell.changed else MarkKind.CONFIRMATION
    return Mark(chunk, kind, cell.option or "", cell.evidence, cell.note)

"""What one person does in a project.

Every function writes only what is its person's: an annotator's marks, flags, wordings and own
options while annotation is blind; an adjudicator's rulings, questions and shared options. What
`supersede.novels.sight` shows is all that they have to go by.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from supersede.errors import DataError, UsageError
from supersede.model.text import fold
from supersede.novels.annotations import (
    Flag,
    Mark,
    MarkKind,
    Option,
    OptionRole,
    Question,
    Reformulation,
    Review,
    Span,
)
from supersede.novels.changes import (
    flag_change,
    mark_change,
    option_change,
    question_change,
    review_change,
    ruling_change,
)
from supersede.novels.log import Change, Event
from supersede.novels.refusals import Forbidden, StaleEdit
from supersede.novels.sight import Sight

__all__ = ["Desk"]

_APART = ("mark", "flag", "wording", "finished")
"""What annotators write while they work apart, and nobody later."""


class Desk(Sight):
    """One person's place in a project: what they see, and what they do.

    Args:
        project: The project.
        annotator: Who sits there.

    Raises:
        UsageError: There is nobody of that id.
    """

    # What may be done

    def choose(
        self,
        book: str,
        question: str,
        chunk: int,
        option: str,
        *,
        base: int,
        evidence: Sequence[Span] = (),
        note: str = "",
    ) -> int:
        """Says that an option is right from a chunk on; gives the new revision.

        Args:
            book: A book of theirs.
            question: The question.
            chunk: Where.
            option: Which.
            base: Revision of what is said at this chunk already; 0 where nothing is.
            evidence: Passages of this very chunk.
            note: Anything.

        Raises:
            StaleEdit: Something else is said there by now, which the error carries.
            Forbidden: The stage or the person does not allow it.
            DataError: There is no such option, or the evidence is not in the chunk.
        """
        mark = Mark(chunk, MarkKind.CHOICE, option, tuple(evidence), note)
        return self._say(book, question, mark, base)

    def confirm(
        self, book: str, question: str, chunk: int, option: str, *, base: int, note: str = ""
    ) -> int:
        """Says that the carried answer still holds at a chunk; gives the new revision.

        Args:
            book: A book of theirs.
            question: The question.
            chunk: Where.
            option: The answer that the person saw carried there.
            base: Revision of what is said at this chunk already; 0 where nothing is.
            note: Anything.

        Raises:
            StaleEdit: Another answer is carried there by now.
            UsageError: Nothing is carried there: choose an option.
        """
        with self.project.store.transaction():
            self._open_question(book, question)
            cell, revision = self._cell(book, question, chunk, self._voice(book))
            if cell.option is None:
                raise UsageError(
                    "there is no answer to confirm", where=question, mend="Choose an option."
                )
            if cell.option != option:
                raise StaleEdit.of("answer", (question, chunk), revision, {"option": cell.option})
            mark = Mark(chunk, MarkKind.CONFIRMATION, option, (), note)
            if cell.confirmed and base == revision:
                return revision  # a choice, or confirmed before: nothing new to say
            return self._say(book, question, mark, base)

    def clear(self, book: str, question: str, chunk: int, *, base: int) -> int:
        """Takes back what is said at a chunk, which then carries the answer before it."""
        rules = self.adjudicates(book)
        key = (book, question, chunk) if rules else (book, question, self.me, chunk)
        return self._act(book, Change("adjudication" if rules else "mark", key, None, base))

    def _say(self, book: str, question: str, mark: Mark, base: int) -> int:
        if self._open_question(book, question).option(mark.option) is None:
            raise DataError(f"there is no option {mark.option!r}", where=f"{book}/{question}")
        if self.adjudicates(book):
            return self._act(book, ruling_change(book, question, mark, base))
        return self._act(book, mark_change(book, question, self.me, mark, base))

    def raise_flag(self, book: str, flag: Flag, *, base: int = 0) -> int:
        """Raises a flag, in the person's own name whatever it says."""
        return self._act(book, flag_change(book, replace(flag, annotator=self.me), base))

    def lower_flag(self, book: str, flag: Flag, *, base: int) -> int:
        """Takes a flag of the person's back."""
        change = flag_change(book, replace(flag, annotator=self.me), base)
        return self._act(book, replace(change, value=None))

    def add_option(
        self, book: str, question: str, text: str, role: OptionRole = OptionRole.ANSWER
    ) -> str:
        """Adds an option and gives its id.

        It is the person's own until an adjudicator shares it; an adjudicator's is shared at once.

        Raises:
            UsageError: There is an option that reads the same, among those that they see.
        """
        shared = self.adjudicates(book)
        with self.project.store.transaction():
            self._not_there_yet(book, question, text)
            taken = {
                str(key[2])
                for key, _ in self.project.store.rows("option", book=book, question=question)
            }
            number = next(n for n in range(1, len(taken) + 2) if f"{self.me}.{n}" not in taken)
            option = Option(f"{self.me}.{number}", text, role, self.me, shared)
            self._act(book, option_change(book, question, option))
        return option.id

    def _not_there_yet(self, book: str, question: str, text: str) -> None:
        """Refuses an option whose twin the person sees: answers would differ that do not."""
        for option in self._question(book, question).options:
            if fold(option.text) == fold(text):
                raise UsageError(
                    f"there is an option {option.text!r}",
                    where=f"{book}/{question}",
                    mend="Choose that one.",
                )

    def edit_option(self, book: str, question: str, option: Option, *, base: int) -> int:
        """Rewords an option, gives it another role, shares it, or says what it is the same as.

        Raises:
            Forbidden: It is shared or somebody else's, and the person does not adjudicate.
        """
        return self._act(book, option_change(book, question, option, base))

    def remove_option(self, book: str, question: str, option: str, *, base: int) -> int:
        """Takes an option away that nobody has chosen."""
        return self._act(book, Change("option", (book, question, option), None, base))

    def propose(
        self,
        book: str,
        question: str,
        text: str,
        reformulation: Reformulation,
        *,
        base: int,
        note: str = "",
    ) -> int:
        """Says how a question should read; an adjudicator decides with `reword`."""
        value = {"text": text, "reformulation": str(reformulation), "note": note}
        return self._act(book, Change("wording", (book, question, self.me), value, base))

    def add_question(self, book: str, question: Question) -> None:
        """Puts a question with its options in: whoever adjudicates the book or is alone may.

        Raises:
            Forbidden: The person does neither, or the book is closed.
        """
        self._card(book)
        if not self.may_ask(book):
            if self.project.card(book).stage == "closed":
                raise Forbidden("the book is closed: nothing changes any more")
            raise Forbidden("questions are the adjudicator's to add")
        self.project.add_questions(book, [replace(question, author=self.me)], self.me)

    def reword(
        self,
        book: str,
        question: str,
        text: str,
        reformulation: Reformulation,
        *,
        base: int,
    ) -> int:
        """Gives a question another wording for everybody; the first one is kept as the original."""
        now = self._question(book, question)
        first = now.original or now.text
        new = replace(now, text=text, original=first, reformulation=reformulation)
        return self._act(book, question_change(book, new, base))

    def drop(self, book: str, question: str, reason: str, *, base: int) -> int:
        """Takes a question out, with its reason; an empty reason puts it back in."""
        now = replace(self._question(book, question), dropped=reason)
        return self._act(book, question_change(book, now, base))

    def review(self, book: str, review: Review, *, base: int = 0) -> int:
        """Notes that the person went over a question."""
        return self._act(book, review_change(book, replace(review, annotator=self.me), base))

    def finish(self, book: str, *, base: int = 0, note: str = "") -> int:
        """Says that the person is through with a book; `undo` takes it back."""
        return self._act(book, Change("finished", (book, self.me), {"note": note}, base))

    def set_stage(self, book: str, stage: str, *, base: int) -> int:
        """Moves a book to another stage; adjudicators alone. `base` is 0 before the first move."""
        return self._act(book, Change("stage", (book,), {"stage": stage}, base))

    def undo(self, book: str) -> int:
        """Undoes the person's last action on a book; gives how many things changed, 0 for none.

        Raises:
            Forbidden: The stage does not let what was done change any more.
            UsageError: Somebody has used since what would go.
        """
        self._card(book)
        return self.project.undo(self.me, book, self._turn_check(book))

    def redo(self, book: str) -> int:
        """Does again what the person undid last; gives how many things changed."""
        self._card(book)
        return self.project.redo(self.me, book, self._turn_check(book))

    def _turn_check(self, book: str) -> Callable[[Event], None]:
        stage, decides = self.project.card(book).stage, self.adjudicates(book)
        asks = decides or self.may_ask(book)
        return lambda event: self._allowed(
            event.kind, stage, asks if event.kind == "question" else decides
        )

    # Settings are no part of the log: where one stopped, which keys one likes

    def settings(self) -> dict[str, object]:
        """What the person's app remembers."""
        found = self.project.store.query(
            "SELECT name, value FROM setting WHERE annotator = ?", (self.me,)
        )
        return {str(name): json.loads(value) for name, value in found}

    def remember(self, name: str, value: object) -> None:
        """Keeps a setting of the person's: anything that JSON can say."""
        self.project.store.add("setting", [(self.me, name, json.dumps(value))])

    def _question(self, book: str, question: str) -> Question:
        for found in self.questions(book, dropped=True):
            if found.id == question:
                return found
        raise Forbidden(f"{question!r} is no question of yours")

    def _open_question(self, book: str, question: str) -> Question:
        found = self._question(book, question)
        if found.dropped:
            raise Forbidden(f"{question!r} is out: {found.dropped}")
        return found

    def _act(self, book: str, change: Change) -> int:
        with self.project.store.transaction():
            card = self._card(book)
            self._allowed(change.kind, card.stage, self.adjudicates(book))
            self._own_option(change)
            if change.kind not in ("stage", "finished"):
                self._question(book, str(change.key[1]))
            if change.value is None and self.project.store.row(change.kind, change.key) is None:
                if change.base:
                    raise StaleEdit.of(change.kind, change.key, 0, None)
                return 0  # nothing is there that could go
            (revision,) = self.project.act(self.me, book, [change])
        return revision

    def _allowed(self, kind: str, stage: str, decides: bool) -> None:
        """Refuses what a stage or a role does not allow."""
        if stage == "closed" and kind != "stage":
            raise Forbidden("the book is closed: nothing changes any more")
        if kind in _APART:
            if decides:
                raise Forbidden(f"a {kind} is an annotator's, and you adjudicate this book")
            if stage != "blind":
                raise Forbidden(f"the book is {stage}: what annotators said stands still")
        elif kind in ("question", "stage", "adjudication"):
            if not decides:
                raise Forbidden(f"a {kind} is the adjudicator's to change")
            if kind == "adjudication" and stage != "adjudicating":
                raise Forbidden("annotators are still at work: move the book to adjudicating first")
        elif kind == "option" and not decides and stage != "blind":
            raise Forbidden(f"the book is {stage}: what annotators said stands still")

    def _own_option(self, change: Change) -> None:
        """Refuses the change of an option that is not the person's alone."""
        if change.kind != "option" or self.adjudicates(str(change.key[0])):
            return
        now = self.project.store.row("option", change.key)
        author, shared = (now.value["author"], now.value["shared"]) if now else (self.me, False)
        new = change.value
        if author != self.me or shared or (new and (new["shared"] or new["author"] != self.me)):
            raise Forbidden("only your own options are yours to change")

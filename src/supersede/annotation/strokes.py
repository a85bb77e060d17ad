"""What the page may do: each stroke by its name, read strictly from plain JSON data."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from typing import Any

from supersede.annotation.seat import Seat
from supersede.annotation.wire import turn_data
from supersede.errors import DataError, UsageError, did_you_mean
from supersede.novels.annotations import (
    Flag,
    FlagReason,
    Option,
    OptionRole,
    Question,
    Reformulation,
    Review,
    Span,
)
from supersede.novels.typed import tidy

__all__ = ["STROKES", "Fields", "stroke"]

_LONGEST = 5_000
"""Characters of a text that somebody types."""

_MOST_SPANS = 50


class Fields:
    """The fields of a request, each read once, by its type.

    Args:
        data: Plain JSON data.

    Raises:
        UsageError: It is no object, or, by any method, a field is missing or of another type.
    """

    def __init__(self, data: object) -> None:
        if not isinstance(data, Mapping):
            raise UsageError("a request is a JSON object")
        self._data = dict(data)

    def _take(self, name: str, kind: type, default: object) -> Any:
        found = self._data.pop(name, default)
        if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
            raise UsageError(f"{name}={_shown(found)} is no {kind.__name__}")
        return found

    def text(self, name: str, default: str | None = None) -> str:
        """A text of at most 5,000 characters, without blanks around it and control signs in it."""
        found: str = self._take(name, str, default)
        if len(found) > _LONGEST:
            raise UsageError(
                f"{name} has {len(found):,} characters", mend=f"At most {_LONGEST:,} are kept."
            )
        return tidy(found).strip()

    def exact(self, name: str) -> str:
        """A text as it is, with its blanks."""
        found: str = self._take(name, str, None)
        return found

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number from zero on."""
        found: int = self._take(name, int, default)
        if not 0 <= found < 2**53:
            raise UsageError(f"{name}={found} is out of range")
        return found

    def truth(self, name: str) -> bool:
        """True or false."""
        found: bool = self._take(name, bool, None)
        return found

    def items(self, name: str) -> list[Fields]:
        """A list of objects; empty where it is missing."""
        return [Fields(item) for item in self._take(name, list, [])]

    def value(self, name: str) -> object:
        """Anything."""
        if name not in self._data:
            raise UsageError(f"{name} is missing")
        return self._data.pop(name)

    def end(self) -> None:
        """Makes sure that nothing is left over."""
        if self._data:
            raise UsageError(f"unknown field {_shown(sorted(self._data)[0])}")


def _shown(found: object) -> str:
    """A value as a message has it, however long it is."""
    return reprlib.repr(found)


def stroke(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    """Does what a request says; gives what the page needs to know, the new revision above all.

    Args:
        seat: The person.
        book: The book.
        fields: `do`, the name of the stroke, and what it takes.

    Raises:
        UsageError: There is no such stroke, or its fields are wrong.
        StaleEdit: Something has changed since the person looked.
        Forbidden: The person may not do that.
        DataError: It refers to what there is not.
    """
    name = fields.text("do")
    if name not in STROKES:
        raise UsageError(f"unknown stroke {name!r}", mend=did_you_mean(name, STROKES))
    return STROKES[name](seat, book, fields)


def _evidence(seat: Seat, book: str, chunk: int, fields: Fields) -> tuple[Span, ...]:
    """Passages, each held to what it quotes."""
    items = fields.items("evidence")
    if len(items) > _MOST_SPANS:
        raise UsageError(f"{len(items)} passages", mend=f"Mark {_MOST_SPANS} at most.")
    if not items:
        return ()
    text = seat.chunk(book, chunk).text  # makes sure that the person may see it
    spans = []
    for item in items:
        start, end = item.number("start"), item.number("end")
        quote = item.exact("quote")
        item.end()
        if not start < end <= len(text) or text[start:end] != quote:
            raise DataError(
                f"the chunk does not read {quote[:60]!r} from {start} to {end}",
                where=f"{book}/{chunk}",
                mend="Load the page again: its text is another one.",
            )
        spans.append(seat.project.span(book, chunk, start, end))
    return tuple(spans)


def _place(fields: Fields) -> tuple[str, int]:
    return fields.text("question"), fields.number("chunk")


def _answer(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, chunk = _place(fields)
    evidence = _evidence(seat, book, chunk, fields)
    option, base, note = fields.text("option"), fields.number("base"), fields.text("note", "")
    fields.end()
    revision, kind = seat.answer(
        book, question, chunk, option, base=base, evidence=evidence, note=note
    )
    return {"revision": revision, "kind": kind}


def _confirm(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, chunk = _place(fields)
    option, base = fields.text("option"), fields.number("base")
    fields.end()
    return {"revision": seat.confirm(book, question, chunk, option, base=base)}


def _clear(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, chunk = _place(fields)
    base = fields.number("base")
    fields.end()
    seat.clear(book, question, chunk, base=base)
    return {"revision": 0}


def _flag_of(seat: Seat, fields: Fields) -> Flag:
    question, chunk = _place(fields)
    reason = fields.text("reason")
    if reason not in tuple(FlagReason):
        raise UsageError(f"reason={reason!r} is none of {', '.join(FlagReason)}")
    return Flag(seat.me, question, chunk, FlagReason(reason), fields.text("note", ""))


def _raise_flag(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    flag, base = _flag_of(seat, fields), fields.number("base")
    fields.end()
    return {"revision": seat.raise_flag(book, flag, base=base)}


def _lower_flag(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    flag, base = _flag_of(seat, fields), fields.number("base")
    fields.end()
    seat.lower_flag(book, flag, base=base)
    return {"revision": 0}


def _role(fields: Fields) -> OptionRole:
    role = fields.text("role", "answer")
    if role not in tuple(OptionRole):
        raise UsageError(f"role={role!r} is none of {', '.join(OptionRole)}")
    return OptionRole(role)


def _add_option(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, text, role = fields.text("question"), fields.text("text"), _role(fields)
    fields.end()
    return {"option": seat.add_option(book, question, text, role)}


def _edit_option(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, name = fields.text("question"), fields.text("option")
    now = next((q.option(name) for q in seat.questions(book) if q.id == question), None)
    if now is None:
        raise DataError(f"there is no option {name!r}", where=f"{book}/{question}")
    new = Option(
        name,
        fields.text("text"),
        _role(fields),
        now.author,
        fields.truth("shared"),
        fields.text("same_as", ""),
    )
    base = fields.number("base")
    fields.end()
    return {"revision": seat.edit_option(book, question, new, base=base)}


def _remove_option(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, name, base = fields.text("question"), fields.text("option"), fields.number("base")
    fields.end()
    seat.remove_option(book, question, name, base=base)
    return {"revision": 0}


def _wording(fields: Fields) -> tuple[str, str, Reformulation, int]:
    question, text = fields.text("question"), fields.text("text")
    if not text:
        raise UsageError("a question needs words")
    kind = fields.text("reformulation", "")
    if kind not in tuple(Reformulation):
        named = ", ".join(repr(str(word)) for word in Reformulation)
        raise UsageError(f"reformulation={kind!r} is none of {named}")
    return question, text, Reformulation(kind), fields.number("base")


def _propose(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, text, kind, base = _wording(fields)
    note = fields.text("note", "")
    fields.end()
    return {"revision": seat.propose(book, question, text, kind, base=base, note=note)}


def _reword(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, text, kind, base = _wording(fields)
    fields.end()
    return {"revision": seat.reword(book, question, text, kind, base=base)}


def _drop(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, reason, base = fields.text("question"), fields.text("reason"), fields.number("base")
    fields.end()
    return {"revision": seat.drop(book, question, reason, base=base)}


def _review(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    review = Review(seat.me, fields.text("question"), fields.truth("agreed"), fields.text("note"))
    fields.end()
    return {"revision": seat.went_over(book, review)}


def _add_question(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    name, text = fields.text("question"), fields.text("text")
    entity, kind = fields.text("entity", ""), fields.text("type", "")
    options = []
    for number, item in enumerate(fields.items("options"), 1):
        options.append(Option(f"o{number}", item.text("text"), _role(item)))
        item.end()
    fields.end()
    if not name or not text:
        raise UsageError("a question needs an id and words")
    seat.add_question(book, Question(name, text, tuple(options), entity=entity, type=kind))
    return {"question": name}


def _finish(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    note = fields.text("note", "")
    fields.end()
    return {"revision": seat.finish_book(book, note)}


def _stage(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    seen, stage = fields.text("seen"), fields.text("stage")
    fields.end()
    return {"revision": seat.move_stage(book, seen, stage)}


def _adopt(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    question, who, base = fields.text("question"), fields.text("who"), fields.number("base")
    fields.end()
    return {"chunks": seat.adopt(book, question, who, base=base)}


def _undo(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    fields.end()
    return turn_data(seat.back(book))


def _redo(seat: Seat, book: str, fields: Fields) -> Mapping[str, Any]:
    fields.end()
    return turn_data(seat.again(book))


STROKES: Mapping[str, Callable[[Seat, str, Fields], Mapping[str, Any]]] = {
    "answer": _answer,
    "confirm": _confirm,
    "clear": _clear,
    "flag": _raise_flag,
    "unflag": _lower_flag,
    "add-option": _add_option,
    "edit-option": _edit_option,
    "remove-option": _remove_option,
    "propose": _propose,
    "reword": _reword,
    "drop": _drop,
    "review": _review,
    "add-question": _add_question,
    "finish": _finish,
    "stage": _stage,
    "adopt": _adopt,
    "undo": _undo,
    "redo": _redo,
}
"""By name; each takes its fields to the last one."""

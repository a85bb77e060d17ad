"""What must hold of the rows that an action leaves behind, whoever did it and however.

The rules look at rows as they are after an action, inside its transaction: one that breaks a rule
is taken back whole. So undoing is held to the same rules as doing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from supersede.errors import DataError, UsageError
from supersede.novels.store import Store
from supersede.novels.tables import Key, Value
from supersede.novels.typed import is_name, says_something

__all__ = ["verify"]

_SPAN = {"chunk": int, "start": int, "end": int, "quote": str, "chunk_sha256": str}


def verify(store: Store, touched: Iterable[tuple[str, Key]]) -> None:
    """Makes sure that rows are sound, and that nothing needs rows that are gone.

    Args:
        store: A project's file, with the action done.
        touched: Kind and key of the rows that the action touched.

    Raises:
        DataError: Something refers to what there is not, or evidence is not in its chunk.
        UsageError: Something that others have used since would go.
    """
    for kind, key in dict.fromkeys(touched):
        row = store.row(kind, key)
        if row is not None:
            rule = _RULES.get(kind)
            if rule is not None:
                rule(store, key, row.value)
        elif kind in ("question", "option"):
            _unused(store, kind, key)


def _unused(store: Store, kind: str, key: Key) -> None:
    column = "question" if kind == "question" else "option"
    more = ("flag", "review", "wording", "option") if kind == "question" else ()
    for table in ("mark", "adjudication", *more):
        wanted = "book = ? AND question = ?" + (" AND option = ?" if kind == "option" else "")
        if store.query(f"SELECT 1 FROM {table} WHERE {wanted} LIMIT 1", key):
            raise UsageError(
                f"somebody has used the {column} since",
                where="/".join(map(str, key)),
                mend="Drop the question, or say which other option means the same.",
            )


def _annotator(store: Store, key: Key, value: Value) -> None:
    _named("an annotator", str(key[0]))


def _named(what: str, name: str) -> None:
    """Refuses an id that people cannot tell apart, or addresses cannot name."""
    if not is_name(name):
        raise DataError(
            f"{name[:60]!r} is no id of {what}",
            mend="It has 1 to 100 signs that one can see, and no blanks around them.",
        )


def _stands_in_book(store: Store, key: Key, value: Value) -> None:
    _chunks(store, str(key[0]))


def _assignment(store: Store, key: Key, value: Value) -> None:
    _chunks(store, str(key[0]))
    _person(store, str(key[1]))
    for question in value["questions"]:
        _question(store, str(key[0]), question)


def _worded(store: Store, key: Key, value: Value) -> None:
    book, name = map(str, key)
    _chunks(store, book)
    _named("a question", name)
    if not says_something(value["text"]):
        raise DataError("a question says nothing", where=f"{book}/{name}")


def _option(store: Store, key: Key, value: Value) -> None:
    book, question, name = map(str, key)
    _question(store, book, question)
    if not says_something(value["text"]):
        raise DataError("an option says nothing", where="/".join((book, question, name)))
    others = store.rows("option", book=book, question=question)
    if value["role"] == "catch-all" and any(
        other[2] != name and row.value["role"] == "catch-all" and not row.value["same_as"]
        for other, row in others
    ):
        raise DataError(
            "a second catch-all",
            where=f"{book}/{question}",
            mend="A question has one option that says that it cannot be answered yet.",
        )
    same = value["same_as"]
    if same and same not in [other[2] for other, _ in others if other[2] != name]:
        raise DataError(f"same_as={same!r} is no other option", where=f"{book}/{question}/{name}")


def _of_question(store: Store, key: Key, value: Value) -> None:
    _question(store, str(key[0]), str(key[1]))
    _person(store, str(key[2]))


def _of_person(store: Store, key: Key, value: Value) -> None:
    _chunks(store, str(key[0]))
    _person(store, str(key[1]))


def _flag(store: Store, key: Key, value: Value) -> None:
    _of_question(store, key, value)
    _in_range(store, str(key[0]), int(key[3]))


def _mark(store: Store, key: Key, value: Value) -> None:
    book, question, chunk = str(key[0]), str(key[1]), int(key[-1])
    where = f"{book}/{question}/{chunk}"
    _question(store, book, question)
    _in_range(store, book, chunk)
    if store.row("option", (book, question, value["option"])) is None:
        raise DataError(f"there is no option {value['option']!r}", where=where)
    if not value["evidence"]:
        return
    (text, sha256), *_ = store.query(
        "SELECT text, sha256 FROM chunk WHERE book = ? AND chunk = ?", (book, chunk)
    )
    for span in value["evidence"]:
        _evidence(span, chunk, text, sha256, where)


def _mark_of_person(store: Store, key: Key, value: Value) -> None:
    _person(store, str(key[2]))
    _mark(store, key, value)


def _evidence(span: Mapping[str, Any], chunk: int, text: str, sha256: str, where: str) -> None:
    """Refuses a passage that is not what and where it says."""
    fits = span.keys() == _SPAN.keys() and all(
        isinstance(span[name], kind) for name, kind in _SPAN.items()
    )
    if not fits:
        raise DataError(f"evidence={span!r} needs {', '.join(_SPAN)}", where=where)
    if span["chunk"] != chunk:
        raise DataError(
            f"evidence of chunk {span['chunk']}",
            where=where,
            mend="Evidence stands in the chunk where the answer is chosen.",
        )
    if span["chunk_sha256"] != sha256:
        raise DataError("the text of the chunk is another one than was marked", where=where)
    start, end = span["start"], span["end"]
    if not 0 <= start < end <= len(text) or text[start:end] != span["quote"]:
        raise DataError(
            f"the chunk does not read {span['quote'][:60]!r} from {start} to {end}",
            where=where,
            mend="Offsets count code points of the chunk's text.",
        )


def _chunks(store: Store, book: str) -> int:
    found = store.query("SELECT chunks FROM book WHERE book = ?", (book,))
    if not found:
        raise DataError(f"there is no book {book!r}")
    return int(found[0][0])


def _in_range(store: Store, book: str, chunk: int) -> None:
    chunks = _chunks(store, book)
    if chunk >= chunks:
        raise DataError(f"chunk {chunk} of {chunks}, counted from 0", where=book)


def _person(store: Store, annotator: str) -> None:
    if store.row("annotator", (annotator,)) is None:
        raise DataError(f"there is no annotator {annotator!r}")


def _question(store: Store, book: str, question: str) -> None:
    if store.row("question", (book, question)) is None:
        raise DataError(f"there is no question {question!r}", where=book)


_RULES: Mapping[str, Callable[[Store, Key, Value], None]] = {
    "annotator": _annotator,
    "stage": _stands_in_book,
    "assignment": _assignment,
    "finished": _of_person,
    "work": _of_person,
    "draft": _stands_in_book,
    "question": _worded,
    "option": _option,
    "wording": _of_question,
    "mark": _mark_of_person,
    "flag": _flag,
    "review": _of_question,
    "adjudication": _mark,
}

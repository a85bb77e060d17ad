"""Label Studio: a task for each chunk, with an answer to each question and marked passages.

The tasks go with a labelling configuration: a `<Choices>` for each question, named by its id, and
one `<Labels>` whose labels are the ids of the questions, for the passages. Label Studio counts
code points, as we do. `data` keeps book, chunk and hash, so that what comes back is told apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from supersede.errors import DataError
from supersede.novels.annotations import BookAnnotations, Cell, Question, Timeline
from supersede.novels.answers import offered, settled, shuffled
from supersede.novels.book import digest
from supersede.novels.importing import AnswerFile, Quote, Said

__all__ = ["configuration", "read_tasks", "tasks"]

_EVIDENCE = "evidence"
_NOTE = "note-"
_NAMES = "question-"


def tasks(said: BookAnnotations, *, annotator: str = "") -> list[dict[str, Any]]:
    """The tasks of a book, answered as far as somebody said something.

    Args:
        said: The book.
        annotator: Whose answers; what counts as the answer where left out.
    """
    asked = [question for question in said.questions if not question.dropped]
    lines = {question.id: settled(said, question, annotator) for question in asked}
    return [
        {
            "data": {
                "book": said.book,
                "title": said.title,
                "chunk": number,
                "sha256": digest(text),
                "questions": [question.id for question in asked],
                "text": text,
            },
            "annotations": _annotations(asked, lines, number),
        }
        for number, text in enumerate(said.chunks)
    ]


def _annotations(
    asked: Sequence[Question], lines: Mapping[str, Timeline | None], chunk: int
) -> list[dict[str, Any]]:
    result = [
        item
        for question in asked
        for line in [lines[question.id]]
        if line is not None
        for item in _result(question, line.cells[chunk], chunk)
    ]
    return [{"result": result}] if result else []


def _result(question: Question, cell: Cell, chunk: int) -> Iterator[dict[str, Any]]:
    if cell.option is None or not cell.confirmed:
        return
    option = question.option(cell.option)
    text = option.text if option else cell.option
    name = f"{_NAMES}{question.id}"
    yield _item(f"{question.id}-{chunk}", name, "choices", {"choices": [text]})
    for number, span in enumerate(cell.evidence):
        value = {"start": span.start, "end": span.end, "text": span.quote, "labels": [question.id]}
        yield _item(f"{question.id}-{chunk}-{number}", _EVIDENCE, "labels", value)
    if cell.note:
        value = {"text": [cell.note]}
        yield _item(f"{question.id}-{chunk}-note", f"{_NOTE}{question.id}", "textarea", value)


def _item(name: str, control: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": name, "from_name": control, "to_name": "text", "type": kind, "value": value}


def configuration(said: BookAnnotations, *, annotator: str = "", seed: int = 0) -> str:
    """The labelling configuration that fits the tasks of a book.

    Args:
        said: The book.
        annotator: Whose own options stand in it too.
        seed: Of the order of the options.
    """
    asked = [question for question in said.questions if not question.dropped]
    lines = ["<View>", '  <Text name="text" value="$text"/>']
    lines.append(f'  <Labels name="{_EVIDENCE}" toName="text">')
    lines += [f"    <Label value={quoteattr(question.id)}/>" for question in asked]
    lines.append("  </Labels>")
    for question in asked:
        line = settled(said, question, annotator)
        name = quoteattr(f"{_NAMES}{question.id}")
        lines.append(f"  <Header value={quoteattr(f'{question.id}: {question.text}')}/>")
        lines.append(f'  <Choices name={name} toName="text" choice="single">')
        options = shuffled(offered(question, line, annotator), seed, said.book, question.id)
        lines += [f"    <Choice value={quoteattr(option.text)}/>" for option in options]
        note = quoteattr(f"{_NOTE}{question.id}")
        lines += ["  </Choices>", f'  <TextArea name={note} toName="text" maxSubmissions="1"/>']
    return "\n".join([*lines, "</View>", ""])


def read_tasks(path: Path) -> tuple[AnswerFile, ...]:
    """What the tasks of a file say, book by book.

    Of a task that was annotated more than once the last annotation that was not cancelled counts.

    Raises:
        DataError: It is no JSON list of tasks of ours; with the task.
        OSError: It cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", where=str(path), mend="Copy it again.") from None
    if not isinstance(found, list):
        raise DataError("is no list of tasks", where=str(path), mend="Export as JSON.")
    said: dict[str, list[Said]] = {}
    hashes: dict[str, dict[int, str]] = {}
    questions: dict[str, dict[str, None]] = {}
    for number, task in enumerate(found):
        where = f"{path}, task {number}"
        try:
            data = task["data"]
            book, chunk = str(data["book"]), data["chunk"]
            if type(chunk) is not int or chunk < 0:
                raise DataError(f"{chunk!r} is no number of a chunk")
            hashes.setdefault(book, {})[chunk] = str(data["sha256"])
            questions.setdefault(book, {}).update(dict.fromkeys(map(str, data["questions"])))
            if digest(data["text"]) != data["sha256"]:
                raise DataError("its text is not the one of its hash")
            said.setdefault(book, []).extend(_said(task, chunk, where))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            why = f"{type(error).__name__} {error}"
            mend = "Export the tasks as JSON, with their data."
            raise DataError(f"no task of a book: {why}", where=where, mend=mend) from None
        except DataError as error:
            raise DataError(error.what, where=where, mend="Export the book again.") from None
    return tuple(
        AnswerFile(book, tuple(said[book]), tuple(names), hashes[book])
        for book, names in questions.items()
    )


def _said(task: Mapping[str, Any], chunk: int, where: str) -> Iterator[Said]:
    done = [one for one in task.get("annotations", []) if not one.get("was_cancelled")]
    if not done:
        return
    answers: dict[str, str] = {}
    quotes: dict[str, list[Quote]] = {}
    notes: dict[str, str] = {}
    for item in done[-1]["result"]:
        control, value = item["from_name"], item["value"]
        if item["type"] == "choices" and control.startswith(_NAMES):
            choices = value["choices"]
            if len(choices) != 1 or not isinstance(choices[0], str):
                raise DataError(f"not one choice for {control.removeprefix(_NAMES)}: {choices!r}")
            answers[control.removeprefix(_NAMES)] = choices[0]
        elif item["type"] == "labels" and control == _EVIDENCE:
            quote = Quote(str(value["text"]), int(value["start"]))
            for name in value["labels"]:
                quotes.setdefault(str(name), []).append(quote)
        elif item["type"] == "textarea" and control.startswith(_NOTE):
            notes[control.removeprefix(_NOTE)] = "\n".join(map(str, value["text"]))
    for name in quotes:
        if name not in answers:
            raise DataError(f"evidence for {name}, and no answer")
    for name, answer in answers.items():
        yield Said(name, chunk, answer, tuple(quotes.get(name, ())), notes.get(name, ""), "", where)

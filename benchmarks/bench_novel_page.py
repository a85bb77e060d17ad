"""How long a turn of the page takes at the size of the longest book: 286 chunks, 60 questions.

Two annotators answer, confirm, change and undo until the log has 200,000 events; then pages of one
of them are read all over the book, and answers saved.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from supersede.novels.annotations import Mark, MarkKind, Option, OptionRole, Question
from supersede.novels.book import Book, Chunk, digest
from supersede.novels.changes import mark_change
from supersede.novels.desk import Desk
from supersede.novels.project import Project

CHUNKS = 286
QUESTIONS = 60
EVENTS = 200_000
LIMIT_MS = 100.0


def filled(folder: Path) -> Project:
    """A project with a long log."""
    project = Project(folder, create=True)
    text = "He was not at home that day, and nobody knew why. " * 180
    chunks = [Chunk(n, f"{n} {text}", "I", digest(f"{n} {text}"), 2_000) for n in range(CHUNKS)]
    project.add_book(Book("long", "Long", digest(text), tuple(chunks)))
    options = [Option(f"o{n}", f"Place {n}") for n in range(5)]
    options.append(Option("z", "It cannot be answered yet", OptionRole.CATCH_ALL))
    names = [f"q{n:02}" for n in range(QUESTIONS)]
    project.add_questions(
        "long", [Question(name, f"Where is {name}?", tuple(options)) for name in names]
    )
    project.add_annotator("cat", "cat", "adjudicator")
    for name in ("ann", "bob"):
        project.add_annotator(name, name)
        project.assign("long", name)
    revisions: dict[tuple[str, str, int], int] = {}
    turn = 0
    with project.store.transaction():  # one save for all: only the log's size matters here
        while project.store.last < EVENTS:
            turn += 1
            for who in ("ann", "bob"):
                for name in names:
                    chunk = turn % CHUNKS
                    kind = (
                        MarkKind.CHOICE if (turn + len(name)) % 15 == 0 else MarkKind.CONFIRMATION
                    )
                    evidence = (
                        (project.span("long", chunk, 0, 40),) if kind == MarkKind.CHOICE else ()
                    )
                    mark = Mark(chunk, kind, f"o{turn // 15 % 5}", evidence)
                    key = (who, name, chunk)
                    change = mark_change("long", name, who, mark, revisions.get(key, 0))
                    (revisions[key],) = project.store.act(who, "long", [change])
    return project


def milliseconds(call: Callable[[int], object], times: int) -> list[float]:
    """How long calls with 0, 1, 2, ... take, in order of length."""
    taken = []
    for number in range(times):
        begun = time.perf_counter()
        call(number)
        taken.append(1000 * (time.perf_counter() - begun))
    return sorted(taken)


def main() -> int:
    """Prints the figures; 1 where a page takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        project = filled(Path(folder))
        with project:
            desk, third = Desk(project, "ann"), Desk(project, "cat")
            size = project.store.path.stat().st_size
            events = f"{project.store.last:,} events"
            print(f"{events}, {CHUNKS} chunks, {QUESTIONS} questions, {size:,} bytes")

            def save(number: int) -> None:
                seen = desk.page("long", 7 * number % CHUNKS).questions[3]
                desk.choose("long", "q03", 7 * number % CHUNKS, "o1", base=seen.cell_revision)

            pages = milliseconds(lambda n: desk.page("long", 37 * n % CHUNKS), 100)
            rows = {
                "page": pages,
                "adjudicator's page": milliseconds(
                    lambda n: third.page("long", 37 * n % CHUNKS), 50
                ),
                "save after a page": milliseconds(save, 50),
                "undo": milliseconds(lambda n: desk.undo("long"), 50),
                "progress": milliseconds(lambda n: desk.progress("long"), 20),
            }
            for name, taken in rows.items():
                print(f"  {name:<18} median {median(taken):6.1f} ms, longest {taken[-1]:6.1f} ms")
            return int(median(pages) > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())

"""The log of a project, and the tables that are kept from it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.novels.made import project, question

from supersede.errors import DataError, UsageError
from supersede.novels.annotations import (
    Draft,
    DraftAnswer,
    Flag,
    FlagReason,
    Mark,
    MarkKind,
    Review,
    Work,
)
from supersede.novels.changes import draft_change, flag_change, mark_change, review_change
from supersede.novels.layout import VERSION
from supersede.novels.log import Change, fold
from supersede.novels.project import Project
from supersede.novels.refusals import StaleEdit
from supersede.novels.store import FILE_NAME, Store
from supersede.novels.tables import TABLES, Key


def tables(store: Store) -> dict[tuple[str, Key], Any]:
    return {(kind, key): row for kind in TABLES for key, row in store.rows(kind)}


def choice(option: str, base: int = 0, chunk: int = 0, by: str = "ann") -> Change:
    return mark_change("mill", "q1", by, Mark(chunk, MarkKind.CHOICE, option), base)


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("choose"),
            st.sampled_from(["ann", "bob"]),
            st.integers(0, 2),
            st.sampled_from("abcz"),
        ),
        st.tuples(st.just("clear"), st.sampled_from(["ann", "bob"]), st.integers(0, 2)),
        st.tuples(st.just("flag"), st.sampled_from(["ann", "bob"]), st.integers(0, 2)),
        st.tuples(st.sampled_from(["undo", "redo"]), st.sampled_from(["ann", "bob"])),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_tables_are_the_fold_of_the_log(
    steps: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with project(tmp_path_factory.mktemp("project")) as made:
        for verb, who, *rest in steps:
            if verb in ("undo", "redo"):
                getattr(made, verb)(who, "mill")
                continue
            if verb == "flag":
                flag = Flag(who, "q2", rest[0], FlagReason.UNSUPPORTED)
                change = flag_change("mill", flag)
            elif verb == "choose":
                change = choice(rest[1], chunk=rest[0], by=who)
            else:
                change = Change("mark", ("mill", "q1", who, rest[0]), None)
            now = made.store.row(change.kind, change.key)
            based = Change(change.kind, change.key, change.value, now.revision if now else 0)
            made.act(who, "mill", [based])
        before = tables(made.store)
        assert before == fold(made.store.events())
        turns = made.store.query("SELECT * FROM action ORDER BY action")
        made.store.rebuild()
        assert tables(made.store) == before
        assert made.store.query("SELECT * FROM action ORDER BY action") == turns


def test_undo_gives_back_what_was_there_and_redo_what_was_undone(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        (first,) = made.act("ann", "mill", [choice("a")])
        (second,) = made.act("ann", "mill", [choice("b", first)])
        made.act("bob", "mill", [choice("c", by="bob")])
        said = []
        for turn in (made.undo, made.undo, made.undo, made.redo, made.redo, made.redo):
            turn("ann", "mill")
            mark = made.marks("mill", "q1", "ann").get(0)
            said.append(mark and mark.option)
        assert said == ["a", None, None, "a", "b", "b"]
        assert made.marks("mill", "q1", "bob")[0].option == "c"
        assert second < made.store.last


def test_after_something_new_nothing_can_be_redone(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        made.act("ann", "mill", [choice("a")])
        assert made.undo("ann", "mill") == 1
        made.act("ann", "mill", [choice("b")])
        assert made.redo("ann", "mill") == 0


def test_an_edit_of_what_has_changed_since_is_refused_with_what_is_there(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        (first,) = made.act("ann", "mill", [choice("a")])
        (second,) = made.act("ann", "mill", [choice("b", first)])
        last = made.store.last
        with pytest.raises(StaleEdit) as refused:
            made.act("ann", "mill", [choice("z", chunk=1), choice("c", first)])
        assert refused.value.revision == second
        assert refused.value.current is not None
        assert refused.value.current["option"] == "b"
        assert made.store.last == last
        assert 1 not in made.marks("mill", "q1", "ann")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET by = 'x'",
        "DELETE FROM event",
        "UPDATE chunk SET text = ''",
        "DELETE FROM book",
    ],
)
def test_log_and_books_are_only_ever_added_to(tmp_path: Path, statement: str) -> None:
    with project(tmp_path) as made, pytest.raises(sqlite3.IntegrityError, match="only ever added"):
        made.store.query(statement)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Change("mark", ("mill", "q1", "ann"), None), "is named by"),
        (Change("mark", ("mill", "q1", "ann", -1), None), "chunk=-1"),
        (Change("mark", ("mill", "q1", "ann", True), None), "chunk=True"),
        (Change("nark", (), None), "no kind of event"),
        (Change("review", ("mill", "q1", "ann"), {"agreed": 1, "note": ""}), "agreed=1"),
        (Change("review", ("mill", "q1", "ann"), {"agreed": True}), "see 'note'"),
        (Change("flag", ("mill", "q1", "ann", 0, "dull"), {"note": ""}), "none of several"),
        (choice("q"), "there is no option 'q'"),
        (choice("a", chunk=4), "chunk 4 of 4"),
        (mark_change("mill", "q9", "ann", Mark(0, MarkKind.CHOICE, "a")), "no question 'q9'"),
        (mark_change("mull", "q1", "ann", Mark(0, MarkKind.CHOICE, "a")), "no question 'q1'"),
        (choice("a", by="eve"), "no annotator 'eve'"),
        (flag_change("mill", Flag("eve", "q1", 0, FlagReason.ONE_CHUNK)), "no annotator 'eve'"),
    ],
)
def test_a_change_that_fits_nothing_is_refused_whole(
    tmp_path: Path, change: Change, said: str
) -> None:
    with project(tmp_path) as made:
        last = made.store.last
        with pytest.raises(DataError, match=said):
            made.act("ann", "mill", [choice("a"), change])
        assert made.store.last == last
        assert made.marks("mill", "q1", "ann") == {}


def test_evidence_must_stand_in_its_chunk(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        span = made.span("mill", 1, 0, 22)
        assert span.quote == "Anna moved to the inn."
        mark = Mark(1, MarkKind.CHOICE, "b", (span,))
        made.act("ann", "mill", [mark_change("mill", "q1", "ann", mark)])
        assert made.marks("mill", "q1", "ann")[1] == mark
        for wrong, said in (
            (replace(span, end=21), "does not read"),
            (replace(span, quote="Bert"), "does not read"),
            (replace(span, chunk=2), "evidence of chunk 2"),
            (replace(span, chunk_sha256="0"), "another one than was marked"),
            (replace(span, start=5, end=5, quote=""), "does not read"),
        ):
            bad = mark_change("mill", "q1", "bob", Mark(1, MarkKind.CHOICE, "b", (wrong,)))
            with pytest.raises(DataError, match=said):
                made.act("bob", "mill", [bad])


def test_a_process_killed_in_an_action_leaves_nothing_of_it(tmp_path: Path) -> None:
    project(tmp_path).store.close()
    code = f"""
import os
from pathlib import Path
from supersede.novels.project import Project
from supersede.novels.log import Change
with Project(Path({str(tmp_path)!r})) as made, made.store.transaction():
    made.store.act("ann", "mill", [Change("finished", ("mill", "ann"), {{"note": ""}})])
    os._exit(9)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 9
    with Project(tmp_path) as made:
        assert made.store.rows("finished") == []
        assert tables(made.store) == fold(made.store.events())
        made.act("ann", "mill", [choice("a")])


def test_a_file_of_something_else_or_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no project"):
        Project(tmp_path)
    (tmp_path / FILE_NAME).write_text("not a database at all", encoding="utf-8")
    with pytest.raises(DataError, match="no project: file is not a database"):
        Project(tmp_path)
    other = tmp_path / "other"
    project(other).store.close()
    with sqlite3.connect(other / FILE_NAME) as sql:
        sql.execute(f"PRAGMA user_version = {VERSION + 1}")
    sql.close()
    with pytest.raises(DataError, match=f"version {VERSION + 1}, not {VERSION}"):
        Project(other)


def test_a_question_that_others_have_used_cannot_be_undone(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        made.add_questions("mill", [question("q3")], by="cat")
        mark = mark_change("mill", "q3", "ann", Mark(0, MarkKind.CHOICE, "a"))
        made.act("ann", "mill", [mark])
        with pytest.raises(UsageError, match="somebody has used"):
            made.undo("cat", "mill")
        assert [q.id for q in made.questions("mill")] == ["q1", "q2", "q3"]
        made.undo("ann", "mill")
        made.undo("cat", "mill")
        assert [q.id for q in made.questions("mill")] == ["q1", "q2"]


def test_drafts_work_and_reviews_come_back_as_they_were(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        span = made.span("mill", 0, 0, 4)
        drafts = (
            Draft(
                "d1", "Anna", "Where?", (DraftAnswer("Here", "Anna", span),), True, "", "q1", "m"
            ),
            Draft("d2", "Bert", "Who?", (DraftAnswer("He", "Nil"),), False, "source not found"),
        )
        made.act("model:m", "mill", [draft_change("mill", draft) for draft in drafts])
        made.note_work("mill", "ann", 2)
        made.note_work("mill", "ann", 3.5, 70, "USD")
        review = Review("ann", "q1", True, "good")
        made.act("ann", "mill", [review_change("mill", review)])
        found = made.annotations("mill")
        assert found.drafts == drafts
        assert found.work == (Work("ann", 3.5, 70, "USD"),)
        assert found.reviews == (review,)
        assert tables(made.store) == fold(made.store.events())


def test_a_file_that_cannot_be_written_is_one_line_and_nothing_is_half_done(
    tmp_path: Path,
) -> None:
    with project(tmp_path) as made:
        last = made.store.last
        made.store.query("PRAGMA query_only = ON")
        with pytest.raises(DataError, match="not saved: attempt to write a readonly database"):
            made.act("ann", "mill", [choice("a")])
        made.store.query("PRAGMA query_only = OFF")
        assert made.store.last == last
        made.act("ann", "mill", [choice("a")])
        assert made.store.last == last + 1


def test_threads_and_processes_write_side_by_side(tmp_path: Path) -> None:
    """Twenty answers by each of two threads over one connection, and twenty by another process."""
    with project(tmp_path) as made:
        code = f"""
from pathlib import Path
from supersede.novels.annotations import Mark, MarkKind
from supersede.novels.changes import mark_change
from supersede.novels.project import Project
with Project(Path({str(tmp_path)!r})) as made:
    base = 0
    for _ in range(20):
        mark = Mark(3, MarkKind.CHOICE, "a")
        (base,) = made.act("bob", "mill", [mark_change("mill", "q2", "bob", mark, base)])
"""
        other = subprocess.Popen([sys.executable, "-c", code])

        def work(chunk: int) -> None:
            base = 0
            for _ in range(20):
                (base,) = made.act("ann", "mill", [choice("b", base, chunk)])

        threads = [Thread(target=work, args=(chunk,)) for chunk in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert other.wait() == 0
        done = [event for event in made.store.events() if event.kind == "mark"]
        assert len(done) == 60
        assert tables(made.store) == fold(made.store.events())
        assert [event.number for event in made.store.events()] == list(
            range(1, made.store.last + 1)
        )

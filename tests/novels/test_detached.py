"""Questions and answers without the text are put on a book, or refused where it is another one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.test_main import run
from tests.docs.test_commands import ROOT
from tests.novels.made import TEXTS, book
from tests.streams.novels import NOVELS

from supersede.corpus.tokens import Estimate
from supersede.errors import DataError, UsageError
from supersede.novels.annotations import Review
from supersede.novels.asked import Asked, ask, load_attachable
from supersede.novels.book import Book
from supersede.novels.checking import findings
from supersede.novels.desk import Desk
from supersede.novels.detached import Detached, attach, load_detached
from supersede.novels.prepare import prepare
from supersede.novels.project import Project
from supersede.novels.refusals import StaleEdit

EXAMPLE = ROOT / "docs" / "examples" / "the-time-machine.yaml"
TOLD = NOVELS / "the-time-machine.txt"


def written(path: Path, reviewers: tuple[str, ...] = (), **changed: Any) -> Path:
    """A file about the small book of the tests, with fields of its question replaced."""
    made = book()
    question = {
        "id": "where",
        "text": "Where does Anna live now?",
        "options": [
            {"id": "mill", "text": "In the mill"},
            {"id": "inn", "text": "At the inn"},
            {"id": "none", "text": "It cannot be answered yet", "role": "catch-all"},
        ],
        "answers": ["mill", "inn", "inn", "mill"],
        "evidence": {0: ["lived in the mill"], 1: ["moved to the inn"], 3: [TEXTS[3]]},
    }
    data = {
        "format": 1,
        "book": {
            "id": made.id,
            "title": made.title,
            "sha256": made.sha256,
            "tokenizer": made.tokenizer,
            "chunk_tokens": made.chunk_tokens,
            "chunks": [chunk.sha256 for chunk in made.chunks],
        },
        "annotator": {"id": "ann", "name": "Ann", "how": "By reading."},
        "reviewers": [{"id": one, "name": one.title(), "how": "Later."} for one in reviewers],
        "questions": [{**question, **changed}],
    }
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project(tmp_path / "project", create=True) as made:
        yield made


def test_answers_are_chosen_where_they_change_and_confirmed_elsewhere(
    project: Project, tmp_path: Path
) -> None:
    project.add_book(book())
    assert attach(project, load_detached(written(tmp_path / "a.yaml"))).id == "mill"
    line = project.annotations("mill").decided("where")
    assert line is not None
    assert line.annotator == "ann"
    assert line.answers == ("mill", "inn", "inn", "mill")
    assert line.change_points == (0, 1, 3)
    assert line.complete
    assert [[span.quote for span in cell.evidence] for cell in line.cells] == [
        ["lived in the mill"],
        ["moved to the inn"],
        [],
        [TEXTS[3]],
    ]
    assert (line.cells[1].evidence[0].start, line.cells[1].evidence[0].end) == (5, 21)
    assert [person.active for person in project.annotators()] == [False]


def test_reviews_are_theirs_who_made_them_and_count_in_the_check(
    project: Project, tmp_path: Path
) -> None:
    project.add_book(book())
    reviews = [
        {"annotator": "ann", "note": "Wrote it."},
        {"annotator": "bob", "agreed": False, "note": "Twice."},
    ]
    path = written(tmp_path / "a.yaml", ("bob", "cat"), reviews=reviews)
    attach(project, load_detached(path))
    said = project.annotations("mill")
    assert said.reviews == (
        Review("ann", "where", True, "Wrote it."),
        Review("bob", "where", False, "Twice."),
    )
    assert {event.by for event in project.store.events() if event.kind == "review"} == {
        "ann",
        "bob",
    }
    assert [person.id for person in project.annotators()] == ["ann", "bob", "cat"]
    assert not any(person.active for person in project.annotators())
    assert list(project.assigned("mill")) == ["ann"]
    found = {one.rule: one.what for one in findings(said) if "review" in one.rule}
    assert found == {"reviewers-agree": "bob does not: Twice."}


def test_one_review_is_not_two(project: Project, tmp_path: Path) -> None:
    project.add_book(book())
    path = written(tmp_path / "a.yaml", ("bob",), reviews=[{"annotator": "bob"}])
    attach(project, load_detached(path))
    found = {one.rule: one.what for one in findings(project.annotations("mill"))}
    assert found["two-reviewers"] == "1 did"


@pytest.mark.parametrize(
    ("reviewers", "by", "says"),
    [
        (("bob",), ("cat",), "a review of where is by 'cat', who is neither"),
        (("bob",), ("bob", "bob"), "where has two reviews by 'bob'"),
        (("ann",), (), "two of annotator and reviewers have the id 'ann'"),
        (("bob", "bob"), (), "two of annotator and reviewers have the id 'bob'"),
    ],
)
def test_reviews_of_people_who_are_not_there_or_there_twice_are_refused(
    reviewers: tuple[str, ...], by: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.yaml", reviewers, reviews=[{"annotator": one} for one in by])
    with pytest.raises(DataError, match=says):
        load_detached(path)


def test_a_reviewer_who_is_somebody_else_here_leaves_nothing_attached(
    project: Project, tmp_path: Path
) -> None:
    project.add_book(book())
    project.add_annotator("bob", "Bob Other")
    with pytest.raises(UsageError, match="'bob' is 'Bob Other' here and 'Bob' in the file"):
        attach(project, load_detached(written(tmp_path / "a.yaml", ("bob",))))
    assert project.questions("mill") == ()


def test_a_book_is_found_by_its_text_whatever_its_id(project: Project, tmp_path: Path) -> None:
    project.add_book(replace(book("another"), title="Another"))
    assert attach(project, load_detached(written(tmp_path / "a.yaml"))).id == "another"


def test_a_second_time_is_refused_and_leaves_what_is_there(
    project: Project, tmp_path: Path
) -> None:
    project.add_book(book())
    detached = load_detached(written(tmp_path / "a.yaml"))
    attach(project, detached)
    before = project.annotations("mill")
    with pytest.raises(StaleEdit):
        attach(project, detached)
    assert project.annotations("mill") == before


def test_somebody_else_of_the_same_id_is_not_written_for(project: Project, tmp_path: Path) -> None:
    project.add_book(book())
    project.add_annotator("ann", "Ann Other")
    with pytest.raises(UsageError, match="'ann' is 'Ann Other' here and 'Ann' in the file"):
        attach(project, load_detached(written(tmp_path / "a.yaml")))
    assert project.questions("mill") == ()


@pytest.mark.parametrize(
    ("there", "says"),
    [
        (book(texts=(*TEXTS[:2], "Bert is here.", TEXTS[3])), "from chunk 2 on: 1 of 4 chunks"),
        (book(texts=TEXTS[:3]), "from chunk 3 on: 1 of 4 chunks differ, made of another file"),
        (replace(book(texts=TEXTS[:1]), sha256=book().sha256), "3 of 4 .* made of the same file"),
        (
            replace(book(texts=TEXTS[:3]), chunk_tokens=50, tokenizer="words"),
            "cut at 50 tokens by 'words', not at 0 by ''",
        ),
    ],
    ids=["a chunk", "the end", "the chunks", "the size"],
)
def test_a_text_that_is_another_one_is_refused_with_the_place(
    there: Book, says: str, project: Project, tmp_path: Path
) -> None:
    project.add_book(there)
    with pytest.raises(DataError, match=says) as caught:
        attach(project, load_detached(written(tmp_path / "a.yaml")))
    assert "supersede novel prepare FILE" in str(caught.value)
    with pytest.raises(DataError, match=says):
        attach(project, load_detached(written(tmp_path / "a.yaml")), "mill")
    assert (project.questions("mill"), project.annotators()) == ((), ())


def test_a_book_that_is_not_there_is_named(project: Project, tmp_path: Path) -> None:
    detached = load_detached(written(tmp_path / "a.yaml"))
    with pytest.raises(UsageError, match=r"no book 'The Mill'\. Prepare it first: supersede"):
        attach(project, detached)
    with pytest.raises(UsageError, match="no book 'mil'"):
        attach(project, detached, "mil")


def test_evidence_that_is_not_in_its_chunk_is_refused(project: Project, tmp_path: Path) -> None:
    project.add_book(book())
    path = written(tmp_path / "a.yaml", evidence={0: ["moved to the inn"], 1: ["inn"], 3: ["mill"]})
    with pytest.raises(DataError, match=r"mill/where/0: the chunk does not read 'moved to"):
        attach(project, load_detached(path))
    assert project.questions("mill") == ()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {"answers": ["mill", "inn"], "evidence": {0: ["mill"], 1: ["inn"]}},
            "where has 2 answers for 4 chunks",
        ),
        ({"answers": ["mill", "in", "inn", "inn"]}, "chunk 1 of where: 'in' is no option"),
        ({"evidence": {4: ["x"]}}, "evidence of where in chunk 4, which there is not"),
        ({"evidence": {0: ["Anna"], 1: ["inn"]}}, "chunk 3 of where: 'mill' is new without ev"),
        ({"evidence": {0: [], 1: ["inn"], 3: ["mill"]}}, "chunk 0 of where: 'mill' is new"),
        ({"options": [{"id": "a", "text": "b", "role": "right"}]}, "questions.0.options.0.role"),
        ({"txet": "Where?"}, "questions.0.txet: Extra inputs"),
    ],
)
def test_a_file_that_is_not_sound_is_refused_with_the_place(
    changed: dict[str, Any], says: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=says):
        load_detached(written(tmp_path / "a.yaml", **changed))


def test_a_catch_all_needs_no_evidence_and_changes_are_counted_as_everywhere(
    project: Project, tmp_path: Path
) -> None:
    project.add_book(book())
    changed: dict[str, Any] = {
        "answers": ["none", "none", "inn", "none"],
        "evidence": {2: ["Anna"]},
    }
    detached = load_detached(written(tmp_path / "a.yaml", **changed))
    attach(project, detached)
    line = project.annotations("mill").decided("where")
    assert line is not None
    assert detached.questions[0].changes == len(line.change_points) == 3


@pytest.mark.parametrize("text", ["", "- 1", "a: [", "\0", "format: 2"])
def test_a_file_that_is_something_else_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.yaml: "):
        load_detached(path)


def shipped() -> Detached:
    return load_detached(EXAMPLE)


def test_the_shipped_questions_are_about_evolving_states() -> None:
    questions = shipped().questions
    assert len(questions) == 10
    for one in questions:
        assert 4 <= one.changes <= 7, one.id
        assert len(one.options) >= 5, one.id
        roles = [option.role.value for option in one.options]
        assert roles.count("catch-all") == 1, one.id
        assert "distractor" in roles, one.id


def test_the_shipped_file_quotes_little_of_the_book() -> None:
    quotes = [q for one in shipped().questions for told in one.evidence.values() for q in told]
    assert max(map(len, quotes)) < 200
    assert sum(map(len, quotes)) < 5_000


@pytest.mark.skipif(not TOLD.is_file(), reason="no novels beside the checkout")
def test_the_shipped_answers_hold_in_the_book(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.add_book(prepare(TOLD, Estimate()).book)
    typed = ("novel", "attach", str(project.folder), str(EXAMPLE))
    code, out, err = run(capsys, *typed)
    assert (code, err) == (0, "")
    head = "the-time-machine: 10 questions answered at 22 chunks by reader, 4 to 7 changes each"
    assert out.splitlines()[0] == head
    said = project.annotations("the-time-machine")
    assert list(findings(said)) == []
    # Two readers went over every question; the one of them whose answers these are is one.
    reviewed = {(one.question, one.annotator) for one in said.reviews}
    assert reviewed == {(q.id, who) for q in said.questions for who in ("reader", "second-reader")}
    for question in said.questions:
        line = said.decided(question.id)
        assert line is not None
        assert line.complete
        for cell in line.cells:
            option = question.option(cell.option or "")
            needed = cell.changed and option is not question.catch_all
            assert bool(cell.evidence) == needed, question.id


ASKED = """\
format: 1
questions:
  - id: home
    text: Where does Anna live now?
    entity: Anna
    options:
      - {text: In the mill}
      - {text: At the inn}
      - {text: On a boat, role: distractor}
      - {text: It cannot be answered yet, role: catch-all}
  - {id: bert, text: "What does Bert speak of?"}
"""


def asked(folder: Path, text: str = ASKED) -> Asked:
    path = folder / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    found = load_attachable(path)
    assert isinstance(found, Asked)
    return found


def test_questions_alone_are_added_to_the_only_book(project: Project, tmp_path: Path) -> None:
    project.add_book(book())
    assert ask(project, asked(tmp_path)).id == "mill"
    bert, home = project.questions("mill")
    assert (bert.options, home.entity) == ((), "Anna")
    assert [(one.id, one.text, str(one.role)) for one in home.options] == [
        ("o1", "In the mill", "answer"),
        ("o2", "At the inn", "answer"),
        ("o3", "On a boat", "distractor"),
        ("o4", "It cannot be answered yet", "catch-all"),
    ]
    assert project.annotators() == ()
    with pytest.raises(UsageError, match="there is a question 'home'"):
        ask(project, asked(tmp_path))


def test_one_of_several_books_is_named_and_a_closed_one_refused(
    project: Project, tmp_path: Path
) -> None:
    found = asked(tmp_path)
    with pytest.raises(UsageError, match=r"0 books.* Prepare one first"):
        ask(project, found)
    project.add_book(book())
    project.add_book(book("inn"))
    with pytest.raises(UsageError, match=r"2 books.*--book: inn, mill"):
        ask(project, found)
    assert ask(project, found, "inn").id == "inn"
    project.add_annotator("cat", "Cat", "adjudicator")
    Desk(project, "cat").set_stage("mill", "closed", base=0)
    with pytest.raises(UsageError, match="mill: the book is closed"):
        ask(project, found, "mill")


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("id: bert", "id: home", "two questions have the id 'home'"),
        ("At the inn", "In the mill", "two options of home have the text 'In the mill'"),
        ("role: distractor", "role: catch-all", "home has two catch-alls"),
        ("role: distractor", "role: wrong", r"questions.0.options.2.role: .*'distractor'"),
        ("text: Where does Anna live now?", "text: ''", "questions.0.text: "),
        ("{text: In the mill}", "{id: o1, text: A}\n      - {id: o1, text: B}", "the id 'o1'"),
        ("{text: In the mill}", "{id: o2, text: A}", "two options of home have the id 'o2'"),
        ("format: 1", "format: 2", "format: "),
        ("format: 1", "format: 1\nbook: {}", "book.id: Field required"),
        (ASKED, "- Where is Anna?", "holds no questions"),
    ],
)
def test_a_mistake_in_a_file_of_questions_is_named(
    tmp_path: Path, before: str, after: str, says: str
) -> None:
    with pytest.raises(DataError, match=says):
        asked(tmp_path, ASKED.replace(before, after, 1))


def test_the_command_says_what_it_added(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.add_book(book())
    asked(tmp_path)
    words = ("novel", "attach", str(project.folder), str(tmp_path / "questions.yaml"))
    assert run(capsys, *words) == (0, "mill: 2 questions, not answered yet\n", "")
    code, _, err = run(capsys, *words)
    assert code == 2
    assert err == "error: mill: there is a question 'home'. Give it another id.\n"


def test_json_says_what_was_attached(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.add_book(book())
    asked(tmp_path)
    answered = written(tmp_path / "mill.yaml", ("bob",))
    told = []
    for path in (tmp_path / "questions.yaml", answered):
        code, out, err = run(capsys, "novel", "attach", str(project.folder), str(path), "--json")
        assert (code, err) == (0, "")
        told.append(json.loads(out))
    assert told == [
        {
            "book": "mill",
            "chunks": 4,
            "annotator": None,
            "reviewers": [],
            "questions": [{"id": "home", "changes": None}, {"id": "bert", "changes": None}],
        },
        {
            "book": "mill",
            "chunks": 4,
            "annotator": "ann",
            "reviewers": ["bob"],
            "questions": [{"id": "where", "changes": 3}],
        },
    ]

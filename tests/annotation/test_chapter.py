"""Two annotators read a real chapter, disagree, and a third decides: by keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.annotation.chapter import WORDS, chapter_project
from tests.annotation.driven import Person
from tests.annotation.served import Served
from tests.cli.test_main import run
from tests.reports.browser import Browser
from tests.streams.novels import NOVELS

from supersede.novels.project import Project

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not NOVELS.is_dir(), reason="no novels beside the checkout"),
]


def reads_well(person: Person) -> None:
    """Ann: she notices that he goes upstairs, and what is on his feet."""
    person.at(0).press("1").mark(WORDS["detained"]).press("Enter").press("5").press("Enter")
    person.at(1).press("2").mark(WORDS["came in"]).press("Enter")
    person.press("1").mark(WORDS["coat"]).press("Enter")
    person.at(2).press("3").mark(WORDS["stairs"]).press("Enter")
    person.press("2").mark(WORDS["socks"]).press("Enter")
    person.at(3).press("2").mark(WORDS["came back"]).press("Enter")
    person.press("3").mark(WORDS["dressed"]).press("Enter")
    person.at(4).press("4").mark(WORDS["adjoining"]).press("Enter").press("Enter")
    person.saved()


def reads_fast(person: Person) -> None:
    """Bob: he overlooks both."""
    person.at(0).press("1").mark(WORDS["detained"]).press("Enter").press("5").press("Enter")
    person.at(1).press("2").mark(WORDS["came in"]).press("Enter")
    person.press("1").mark(WORDS["coat"]).press("Enter")
    person.at(2).press("Enter", "Enter")
    person.at(3).press("Enter")
    person.press("3").mark(WORDS["dressed"]).press("Enter")
    person.at(4).press("4").mark(WORDS["adjoining"]).press("Enter").press("Enter")
    person.saved()


def is_through(person: Person) -> None:
    person.press("b").until(
        "document.querySelector('dialog[open]')?.innerText.includes('10 of 10')"
    )
    person.press("Shift+Tab", "Enter")
    person.until("!document.querySelector('dialog[open]')")
    person.saved()


def decides(person: Person) -> None:
    """Cat: takes one answer, all of one's answers, then a third answer, and undoes that."""
    person.press("b").until("!!document.querySelector('dialog[open]')")
    assert "ann ✓ through" in person.dialog
    assert "bob ✓ through" in person.dialog
    person.press("Shift+Tab", "Enter")
    person.until("document.querySelector('dialog[open] h2')?.innerText === 'Move the book on?'")
    person.press("Enter")
    person.until("!document.querySelector('dialog[open]')")
    person.until("document.querySelector('#guide').innerText.includes('They agree here')")
    person.press("d").at(2)
    person.until("document.querySelectorAll('#card .side').length === 2")
    sides = person.value("document.querySelector('#card .sides').innerText")
    assert "Upstairs, to wash and dress" in sides
    assert WORDS["stairs"] in sides
    assert "In the dining-room" in sides
    person.press("a").saved()
    person.until("document.querySelector('#card .state').innerText.includes('Ruled')")
    person.press("A")
    person.until("document.querySelector('#toast').innerText.includes('Ruled as ann answered')")
    person.press("ArrowDown")
    person.until("document.querySelector('#question').innerText.includes('wearing')")
    person.press("S")  # as bob, who overlooked the socks
    person.until("document.querySelector('#toast').innerText.includes('Ruled as bob answered')")
    person.press("4").mark(WORDS["socks"]).saved()  # a third answer
    person.until("document.querySelector('#card .option.current').innerText.includes('gown')")
    person.press("u")
    person.until("document.querySelector('#card .option.current').innerText.includes('dusty')")
    person.press("r")
    person.until("document.querySelector('#card .option.current').innerText.includes('gown')")
    person.press("u")
    person.until("document.querySelector('#card .option.current').innerText.includes('dusty')")
    person.press("a").saved()
    person.until("document.querySelector('#card .option.current').innerText.includes('socks')")


def test_two_annotators_disagree_and_a_third_decides(
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    book, tokens = chapter_project(tmp_path / "project")
    with Served(tmp_path / "project") as served:
        people = {}
        for name, token in tokens.items():
            page = browser.stranger().look(1440)
            people[name] = Person(page, served.address).come(token)
        reads_well(people["ann"])
        is_through(people["ann"])
        assert "Ann" not in people["bob"].said
        reads_fast(people["bob"])
        is_through(people["bob"])
        people["cat"].browser.go(served.address)
        people["cat"].until("!!document.querySelector('#card h2')")
        decides(people["cat"])
        for person in people.values():
            noise = [line for line in person.browser.complaints if "401" not in line]
            assert noise == []
    with Project(tmp_path / "project") as made:
        found = made.annotations(book)
        said = {(line.question, line.annotator): line.answers for line in found.timelines}
        assert said == {
            ("q1", "ann"): ("a", "b", "c", "b", "d"),
            ("q1", "bob"): ("a", "b", "b", "b", "d"),
            ("q2", "ann"): ("z", "a", "b", "c", "c"),
            ("q2", "bob"): ("z", "a", "a", "c", "c"),
        }
        assert all(line.complete for line in found.timelines)
        for question, answers in (("q1", "abcbd"), ("q2", "zabcc")):
            decided = found.decided(question)
            assert decided is not None
            assert decided.answers == tuple(answers)
            assert decided.complete
        where = found.decided("q1")
        assert where is not None
        (span,) = where.cells[2].evidence
        assert WORDS["stairs"] in span.quote
        assert span.quote == found.chunks[2][span.start : span.end]
        assert sorted(made.finished(book)) == ["ann", "bob"]
    monkeypatch.chdir(tmp_path)
    assert run(capfd, "novel", "export", "project", "--format", "stream", "-o", "s.jsonl")[0] == 0
    code, out, err = run(
        capfd, "eval", "stream", "s.jsonl", "--model", "supersede/oracle", "--log-dir", "logs",
        "--json",
    )  # fmt: skip
    assert code == 0, err
    scores = json.loads(out)
    assert (scores["questions"], scores["accuracy"], scores["boundary_accuracy"]) == (2, 1.0, 1.0)

"""Killed servers, pulled connections, two tabs, strangers, scripts: nothing is lost or let in."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.annotation.driven import Person
from tests.annotation.served import Served
from tests.novels.made import book, question
from tests.reports.browser import Browser

from supersede.novels.annotations import Option
from supersede.novels.book import digest
from supersede.novels.project import Project
from supersede.novels.store import FILE_NAME

pytestmark = pytest.mark.browser

SCRIPT = '<img src=x onerror="hacked=1"><script>hacked=1</script>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(book())
        made.add_questions("mill", [question("q1"), question("q2")])
    return tmp_path / "project"


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with Served(folder) as found:
        yield found


@pytest.fixture
def me(browser: Browser, served: Served) -> Person:
    """Somebody alone in the project."""
    return Person(browser.stranger().look(1440), served.address).come()


def events(folder: Path) -> list[str]:
    """The kinds of events of the log that are somebody's."""
    with Project(folder) as made:
        return [event.kind for event in made.store.events() if event.by]


def answers(folder: Path, name: str = "q1") -> tuple[str | None, ...]:
    with Project(folder) as made:
        return made.timeline("mill", name, "annotator").answers


def test_a_server_that_is_killed_in_the_middle_of_a_save(
    me: Person, served: Served, folder: Path
) -> None:
    blocker = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")  # the save waits for this
    me.press("1").mark("lived in the mill")
    me.until("document.querySelector('#save').textContent.startsWith('Saving')")
    time.sleep(0.3)
    served.kill()
    blocker.execute("ROLLBACK")
    blocker.close()
    me.until("document.querySelector('#save').textContent.includes('no connection')")
    assert "1 change is kept here" in me.state
    assert events(folder) == []
    served.start()
    me.saved()
    assert answers(folder) == ("a",) * 4
    assert events(folder) == ["mark"]


def test_a_save_whose_reply_was_lost_is_not_done_twice(me: Person, folder: Path) -> None:
    me.browser.call(
        "Fetch.enable", patterns=[{"urlPattern": "*/strokes", "requestStage": "Response"}]
    )
    me.press("n").until("!!document.querySelector('dialog[open] input')")
    me.type("In a tent").press("Enter")
    end = time.monotonic() + 20
    while not me.browser.paused:
        assert time.monotonic() < end
        me.value("1")
    assert events(folder) == ["option"]  # done, but nobody has heard of it
    lost = me.browser.paused.pop()
    me.browser.call("Fetch.failRequest", requestId=lost, errorReason="ConnectionReset")
    me.until("document.querySelector('#save').textContent.includes('no connection')")
    me.browser.call("Fetch.disable")
    me.saved()
    assert events(folder) == ["option"]
    me.mark("lived in the mill").saved()  # the new option waits for its evidence
    assert answers(folder)[0] == "annotator.1"


def test_work_goes_on_without_a_connection(me: Person, folder: Path) -> None:
    me.offline()
    me.press("1").mark("lived in the mill").press("Enter")
    me.until("document.querySelector('#question').textContent.length > 0")
    me.press("4", "Enter")
    me.until("document.querySelector('#save').textContent.includes('2 changes are kept')")
    assert events(folder) == []
    me.press("u")
    me.until("document.querySelector('#toast').textContent.includes('waits for the connection')")
    me.press("2").mark("lived in the mill")
    me.until("document.querySelector('#save').textContent.includes('3 changes are kept')")
    me.offline(False).saved().press("ArrowRight").at(1)
    assert answers(folder) == ("a",) * 4
    assert answers(folder, "q2") == ("b",) * 4  # the second of two changes of one answer


def test_changes_outlive_their_tab(me: Person, served: Served, folder: Path) -> None:
    me.offline()
    me.press("1").mark("lived in the mill")
    me.until("document.querySelector('#save').textContent.includes('1 change is kept')")
    me.press("n").until("!!document.querySelector('dialog[open] input')")
    me.type("In a ten")
    other = me.browser.tab().look(1440)
    me.browser.crash()
    assert events(folder) == []
    again = Person(other, served.address).come(new=False)
    again.until("document.querySelector('#toast').textContent.includes('from before')")
    again.saved()
    assert answers(folder) == ("a",) * 4
    again.until("document.querySelectorAll('#all .state.changed').length === 1")
    again.press("ArrowUp").until("document.querySelectorAll('.row.active .changed').length === 1")
    again.press("n").until("!!document.querySelector('dialog[open] input')")
    assert again.value("document.querySelector('dialog[open] input').value") == "In a ten"


def test_the_same_book_in_two_windows_asks_which_answer_counts(
    me: Person, served: Served, folder: Path
) -> None:
    me.press("1").mark("lived in the mill").press("Enter")
    me.press("4", "Enter").at(1).saved()
    other = Person(me.browser.stranger().look(1440), served.address).come(new=False)
    other.goes(1).press("2").mark("moved to the inn").saved()
    me.press("3").mark("It rained.")
    me.until("document.querySelector('dialog[open] h2')?.innerText === 'Somebody was faster'")
    for words in ("At the inn", "moved to the inn", "On a boat", "It rained."):
        assert words in me.dialog
    me.press("Escape")  # it must be decided
    me.until("!!document.querySelector('dialog[open]')")
    me.press("Enter").saved()  # what is there is kept
    me.until("document.querySelector('.option.current')?.innerText.includes('At the inn')")
    assert answers(folder) == ("a", "b", "b", "b")
    other.press("3").mark("It rained.").saved()
    me.press("4")
    me.until("document.querySelector('dialog[open] h2')?.innerText === 'Somebody was faster'")
    me.press("Tab", "Enter").saved()
    assert answers(folder) == ("a", "z", "z", "z")
    assert "mark" in events(folder)


def test_another_tab_shows_what_was_done_meanwhile(me: Person, served: Served) -> None:
    other = Person(me.browser.tab().look(1440), served.address).come(new=False)
    me.press("1").mark("lived in the mill").saved()
    other.browser.call("Page.bringToFront")
    other.value("dispatchEvent(new Event('focus'))")
    other.until("document.querySelectorAll('#all .state.changed').length === 1")


def test_a_confirmation_of_what_is_no_longer_carried(
    me: Person, served: Served, folder: Path
) -> None:
    me.press("1").mark("lived in the mill").press("Enter")
    me.press("4", "Enter").at(1).saved()
    other = Person(me.browser.stranger().look(1440), served.address).come(new=False)
    other.goes(0).press("ArrowUp")
    other.until("document.querySelector('.row.active .words').innerText.includes('mill')")
    other.press("4").saved()
    me.press("Enter")  # confirms the mill, which is not carried here any more
    me.until("document.querySelector('dialog[open] h2')?.innerText === 'Somebody was faster'")
    assert "cannot be answered yet" in me.dialog
    me.press("Enter").saved()
    assert answers(folder) == ("z",) * 4
    with Project(folder) as made:
        assert not made.timeline("mill", "q1", "annotator").cells[1].confirmed


def test_somebody_else_does_not_get_in(browser: Browser, folder: Path) -> None:
    with Project(folder) as made:
        tokens = {name: made.add_annotator(name, name) for name in ("ann", "bob")}
        for name in tokens:
            made.assign("mill", name)
    with Served(folder) as served:
        ann = Person(browser.stranger().look(1440), served.address).come(tokens["ann"])
        stranger = Person(browser.stranger().look(1440), served.address)
        stranger.browser.go(served.address)
        stranger.until("!!document.querySelector('dialog[open] input[type=password]')")
        stranger.type("x" * 32).press("Enter")
        stranger.until("document.querySelector('[role=alert]')?.innerText.includes('no token')")
        assert "Anna" not in stranger.said
        assert stranger.value("document.cookie") == ""
        assert ann.value("document.cookie") == ""  # no script can read it
        ann.offline().press("1").mark("lived in the mill")
        with Project(folder) as made:
            newer = made.new_token("ann")
        ann.offline(False)
        ann.until("document.querySelector('dialog[open] h2')?.innerText === 'Sign in'")
        assert "sign in, retrying. 1 change is kept here" in ann.state
        ann.type(newer).press("Enter").saved()
        with Project(folder) as made:
            assert made.timeline("mill", "q1", "ann").answers == ("a",) * 4


def test_a_tab_of_one_person_writes_nothing_for_another(browser: Browser, folder: Path) -> None:
    with Project(folder) as made:
        tokens = {name: made.add_annotator(name, name) for name in ("ann", "bob")}
        for name in tokens:
            made.assign("mill", name)
    with Served(folder) as served:
        ann = Person(browser.stranger().look(1440), served.address).come(tokens["ann"])
        tab = Person(ann.browser.tab().look(1440), served.address).come(new=False)
        tab.value("document.querySelector('#person').click()")
        tab.until("document.querySelector('dialog[open]').innerText.includes('Sign out')")
        tab.press("Enter")
        tab.until("!!document.querySelector('dialog[open] input[type=password]')")
        tab.type(tokens["bob"]).press("Enter")
        tab.until("document.querySelector('#person').textContent.startsWith('bob')")
        ann.browser.call("Page.bringToFront")
        ann.press("4")
        ann.until("document.querySelector('dialog[open] h2')?.innerText === 'Sign in'")
        assert events(folder) == []
        ann.type(tokens["ann"]).press("Enter").saved()
    with Project(folder) as made:
        assert [event.by for event in made.store.events() if event.kind == "mark"] == ["ann"]


def test_a_foreign_page_can_do_nothing(browser: Browser, served: Served, folder: Path) -> None:
    evil = browser.stranger()
    evil.home = served.address
    evil.go("data:text/html,<p>a page of somebody else</p>")
    body = '{"id":"long-enough","do":"finish"}'
    for kind in ("application/json", "text/plain"):
        for mode in ("cors", "no-cors"):
            got = evil.call(
                "Runtime.evaluate",
                awaitPromise=True,
                returnByValue=True,
                expression=f"fetch('{served.address}api/books/mill/strokes', {{method: 'POST',"
                f" mode: '{mode}', headers: {{'content-type': '{kind}'}}, body: '{body}'}})"
                ".then((r) => r.type, () => 'refused')",
            )
            assert got["result"]["value"] in ("refused", "opaque")
    read = evil.call(
        "Runtime.evaluate",
        awaitPromise=True,
        returnByValue=True,
        expression=f"fetch('{served.address}api/me').then((r) => r.text(), () => 'refused')",
    )
    assert read["result"]["value"] == "refused"
    assert events(folder) == []


def test_a_script_is_text_wherever_it_stands(browser: Browser, tmp_path: Path) -> None:
    texts = (f"Anna {SCRIPT} lived in the mill.", "Then.")
    nasty = book("mill", texts)
    nasty = replace(nasty, title=SCRIPT, author=SCRIPT, chunks=tuple(
        replace(chunk, chapter=SCRIPT, chapters=(SCRIPT,), sha256=digest(chunk.text))
        for chunk in nasty.chunks
    ))  # fmt: skip
    asked = replace(
        question("q1"), text=SCRIPT, entity=SCRIPT, original=SCRIPT + "!",
        options=(Option("a", SCRIPT), *question().options[1:]),
    )  # fmt: skip
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(nasty)
        made.add_questions("mill", [asked])
        made.add_annotator("annotator", SCRIPT)
    with Served(tmp_path / "project") as served:
        me = Person(browser.stranger().look(1440), served.address).come()
        me.press("1", "Enter").saved()
        me.press("m").until("!!document.querySelector('dialog[open] textarea')")
        me.type(SCRIPT).press("Ctrl+Enter").saved()
        me.press("f").until("!!document.querySelector('dialog[open] textarea')")
        me.value("document.querySelector('dialog[open] textarea').focus()")
        me.type(SCRIPT).press("Ctrl+Enter").saved()
        me.press("w").until("!!document.querySelector('dialog[open] textarea')")
        me.press("Ctrl+Enter").saved()
        me.press("n").until("!!document.querySelector('dialog[open] input')")
        me.type(SCRIPT + "2").press("Enter").saved()
        me.press("Escape", "b").until("!!document.querySelector('dialog[open] table')")
        assert SCRIPT in me.dialog
        me.press("Escape")
        me.browser.go(served.address)
        me.until("document.querySelector('.note')?.textContent.includes('onerror')")
        assert me.said.count(SCRIPT) >= 6
        assert me.value("typeof hacked") == "undefined"
        assert me.value("document.querySelectorAll('img, main script').length") == 0
        assert me.browser.complaints == []

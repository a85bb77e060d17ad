"""The page in a browser: keys, evidence by keyboard and mouse, sizes, colours, names."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.annotation.driven import Person
from tests.annotation.served import Served
from tests.novels.made import book, question
from tests.reports.browser import Browser

from supersede.novels.annotations import Option, OptionRole
from supersede.novels.project import Project

pytestmark = pytest.mark.browser

SMILE = "\N{GRINNING FACE}"
TEXTS = (
    f"Anna {SMILE} lived in the mill. She {SMILE}{SMILE} sang.\n\nThe wheel\nwent round.",
    "Anna moved to the inn. It rained.",
    "Bert spoke of Anna.",
)
SIZES = [(1440, 900), (1180, 820), (820, 1180)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    many = replace(
        question("q3"),
        options=(
            *(Option(f"o{n:02}", f"Place {n}") for n in range(1, 15)),
            Option("z", "It cannot be answered yet", OptionRole.CATCH_ALL),
        ),
    )
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(book("mill", TEXTS))
        made.add_questions("mill", [question("q1"), question("q2"), many])
    return tmp_path / "project"


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with Served(folder) as found:
        yield found


@pytest.fixture
def me(browser: Browser, served: Served) -> Iterator[Person]:
    """Somebody alone in the project, about whose page nothing may be wrong at the end."""
    person = Person(browser.stranger().look(1440), served.address).come()
    yield person
    assert person.browser.complaints == []


def evidence(folder: Path, name: str = "q1", chunk: int = 0) -> list[str]:
    with Project(folder) as made:
        (line,) = [one for one in made.annotations("mill").timelines if one.question == name]
    cell = line.cells[chunk]
    return [span.quote for span in cell.evidence]


def test_sentences_are_marked_by_number_arrows_and_space(me: Person, folder: Path) -> None:
    me.press("1", "3", "Space", "ArrowUp", "Space", "Space", "ArrowUp", "Space", "Enter").saved()
    assert evidence(folder) == [f"Anna {SMILE} lived in the mill.", "The wheel\nwent round."]
    me.press("e", "ArrowDown", "Space", "Enter").saved()
    assert len(evidence(folder)) == 3
    me.press("Backspace").saved()
    me.until("document.querySelector('#card .state').textContent.includes('Not answered')")


def test_a_selection_by_mouse_is_just_what_was_selected(me: Person, folder: Path) -> None:
    me.value(
        "(() => { const range = document.createRange(); const [a, b] = document.querySelectorAll("
        "'#text .s'); range.setStart(a.firstChild, 8); range.setEnd(b.firstChild, 8);"
        " const chosen = getSelection(); chosen.removeAllRanges(); chosen.addRange(range);"
        " document.querySelector('#text').dispatchEvent(new MouseEvent('mouseup')); })()"
    )
    me.until("document.querySelectorAll('mark.picked').length === 2")
    me.press("1").saved()
    me.until("document.querySelectorAll('mark.own').length === 2")
    assert evidence(folder) == [f"lived in the mill. She {SMILE}{SMILE}"]


def test_clicks_do_all_of_it_too(me: Person, folder: Path) -> None:
    for selector in (".option[data-option=a]", "#text .s:nth-of-type(2)"):
        x, y = me.value(
            f"(() => {{ const r = document.querySelector('{selector}').getClientRects()[0];"
            " return [r.left + r.width / 2, r.top + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            me.browser.call(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )
    me.until("document.querySelectorAll('mark.picked').length === 1")
    me.press("Enter").saved()  # the button that was clicked does not take it
    assert evidence(folder) == [f"She {SMILE}{SMILE} sang."]


def test_what_comes_in_while_a_button_is_pressed_takes_no_click(me: Person) -> None:
    me.until("document.querySelectorAll('#card .bar .part').length > 0")
    me.press("ArrowDown")  # the answers of that question over the book come in a little later
    x, y = me.value(
        "(() => { const r = document.querySelector('.option').getBoundingClientRect();"
        " return [r.left + r.width / 2, r.top + r.height / 2]; })()"
    )
    press = {"x": x, "y": y, "button": "left", "clickCount": 1}
    me.browser.call("Input.dispatchMouseEvent", type="mousePressed", **press)
    me.until(
        "performance.getEntriesByType('resource').some((one) =>"
        " one.name.endsWith('/questions/q2') && one.responseEnd > 0)"
    )
    time.sleep(0.1)
    me.browser.call("Input.dispatchMouseEvent", type="mouseReleased", **press)
    me.until("document.querySelector('#text').classList.contains('picking')")
    me.until("document.querySelectorAll('#card .bar .part').length > 0")


def test_a_click_on_the_number_of_a_sentence_marks_it(me: Person, folder: Path) -> None:
    me.press("1").until("document.querySelector('#text').classList.contains('picking')")
    x, y = me.value(
        "(() => { const r = document.querySelector('#text .s:nth-of-type(2)').getClientRects()[0];"
        " return [r.left + 2, r.top + r.height / 2]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        me.browser.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
        )
    me.until("document.querySelectorAll('mark.picked').length === 1")
    me.press("Enter").saved()
    assert evidence(folder) == [f"She {SMILE}{SMILE} sang."]


def test_letters_choose_what_digits_do_not_reach(me: Person, folder: Path) -> None:
    me.press("ArrowDown", "ArrowDown")
    keys = me.value("[...document.querySelectorAll('.option kbd')].map((k) => k.textContent)")
    assert len(set(keys)) == 15
    assert keys[:9] == list("123456789")
    taken = set("abdefgjkmnoqrstuvwx")
    assert not set(keys[9:]) & taken
    me.press(keys[13], "Enter").saved()
    assert len(evidence(folder, "q3")) == 1
    assert "Place 14" in me.value("document.querySelector('.option.current').innerText")


def test_keys_can_be_changed_and_are_kept(me: Person, served: Served) -> None:
    me.press(",").until("!!document.querySelector('dialog[open] [data-command=next-chunk]')")
    me.value("document.querySelector('dialog[open] [data-command=next-chunk]').focus()")
    me.press("Enter")
    me.until("document.querySelector('dialog[open]').innerText.includes('press a key')")
    me.press("u")
    me.until("document.querySelector('dialog[open]').innerText.includes('“Undo” has lost')")
    me.press("Escape", "u").at(1)
    me.press("j").at(1)
    assert "u" in me.value("document.querySelector('#hints').innerText")
    me.browser.go(served.address)
    me.until("!!document.querySelector('#card h2')")
    me.goes(0).press("u").at(1)


def test_keys_do_nothing_while_one_types(me: Person) -> None:
    me.press("4", "m").until("!!document.querySelector('dialog[open] textarea')")
    me.press("j", "u", "2", "?")
    assert me.value("document.querySelector('dialog[open] textarea').value") == "ju2?"
    assert me.value("document.querySelector('#where strong').textContent") == "1"
    me.press("Ctrl+Enter").saved()
    me.until("document.querySelector('.note')?.textContent === 'ju2?'")


def test_one_goes_on_where_one_stopped(me: Person, served: Served) -> None:
    me.press("j").at(1)
    me.press("ArrowDown", "ArrowDown")
    me.browser.go(served.address)
    me.at(1)
    assert me.value("document.querySelectorAll('.row')[2].className").endswith("active")


def test_flags_wordings_and_undo(me: Person, folder: Path) -> None:
    me.press("f").until("!!document.querySelector('dialog[open] input')")
    me.press("ArrowDown", "Tab").type("why").press("Ctrl+Enter").saved()
    me.until("document.querySelector('.flagged')?.textContent.includes('no support')")
    me.press("w").until("!!document.querySelector('dialog[open] textarea')")
    me.type("Where is Anna?").press("Tab", "ArrowDown", "Ctrl+Enter").saved()
    with Project(folder) as made:
        ((kind, value),) = [
            (event.kind, event.value) for event in made.store.events() if event.kind == "wording"
        ]
    assert (kind, value and value["reformulation"]) == ("wording", "cumulative-to-incremental")
    me.press("u").until("document.querySelector('#toast').textContent.includes('Undone: wording')")
    me.press("Ctrl+z").until("!document.querySelector('.flagged')")
    me.press("r").until("!!document.querySelector('.flagged')")
    with Project(folder) as made:
        (flag,) = made.flags("mill")
    assert (flag.reason, flag.note) == ("option-unsupported", "why")


def test_a_whole_book_by_one_key(me: Person, folder: Path) -> None:
    for _ in range(2):
        me.press("4", "Enter").saved()
    me.until("document.querySelectorAll('.row')[2].className.includes('active')")
    me.press(me.value("[...document.querySelectorAll('.option kbd')].at(-1).textContent"))
    for chunk in (1, 2):
        me.press("Enter").at(chunk)
        me.press("Enter", "Enter")
    me.press("Enter")
    me.until("document.querySelector('#toast').textContent.includes('Everything in this book')")
    me.saved().until("document.querySelector('#share').textContent === '100 %'")
    with Project(folder) as made:
        assert all(line.complete for line in made.annotations("mill").timelines)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_fits_and_can_be_read(me: Person, width: int, height: int, dark: bool) -> None:
    me.browser.look(width, dark, height)
    me.press("1", "Space", "Enter").saved()
    assert me.value("document.documentElement.scrollWidth") <= width
    assert me.value("document.documentElement.scrollHeight") <= height
    low = me.value(_CONTRAST)
    assert low == []
    nameless = me.value(
        "[...document.querySelectorAll('button, select, input, [role]')].filter((one) =>"
        " !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')"
        " || one.innerText?.trim() || one.id === 'toast' || one.id === 'told'"
        " || one.closest('label'))).map((one) => one.outerHTML)"
    )
    assert nameless == []
    for selector in ("#card h2", ".option", "#text article", "#where", "#save"):
        left, top, right = me.value(
            f"(() => {{ const r = document.querySelector('{selector}').getBoundingClientRect();"
            " return [r.left, r.top, r.right]; })()"
        )
        assert 0 <= left < right <= width, selector
        assert top < height, selector


_CONTRAST = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) =>
    c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const found = rgb(getComputedStyle(one).backgroundColor);
      if (found[3] === 255) return found;
    }
    return [255, 255, 255, 255];
  };
  return [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()
      && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
      && !one.matches(":disabled, :disabled *, #toast, .unseen, script, noscript, option"))
    .map((one) => {
      const [a, b] = [light(rgb(getComputedStyle(one).color)), light(behind(one))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.className, one.textContent];
    }).filter(([ratio]) => ratio < 4.5);
})()"""


def test_the_focus_can_be_seen_and_everything_is_reached_by_tab(me: Person) -> None:
    seen = set()
    for _ in range(24):
        me.press("Tab")
        name, outline = me.value(
            "(() => { const one = document.activeElement; return [one.id || one.className,"
            " getComputedStyle(one).outlineStyle + getComputedStyle(one).outlineWidth]; })()"
        )
        if name:
            seen.add(str(name).split()[0])
            assert outline == "solid3px", name
    assert {"book", "where", "next", "save", "help", "person", "option"} <= seen


def test_an_empty_project_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    with Project(tmp_path / "project", create=True):
        pass
    with Served(tmp_path / "project") as served:
        me = Person(browser.stranger().look(1440), served.address).come(new=False)
        assert "supersede novel prepare BOOK" in me.said
    with Project(tmp_path / "project") as made:
        made.add_book(book())
    with Served(tmp_path / "project") as served:
        me = Person(browser.stranger().look(1440), served.address).come()
        assert "This book has no questions yet" in me.said
        me.press("j").at(1)
        me.press("2", "Enter", "f", "e", "u", "?").until("!!document.querySelector('dialog[open]')")
        assert me.browser.complaints == []


def field(me: Person, number: int, text: str) -> None:
    me.value(f"document.querySelectorAll('dialog[open] .field > :last-child')[{number}].focus()")
    me.type(text)


def test_who_is_alone_writes_questions_of_their_own(browser: Browser, tmp_path: Path) -> None:
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(book())
    with Served(tmp_path / "project") as served:
        me = Person(browser.stranger().look(1440), served.address).come()
        for number, words in enumerate(("Where is Anna now?", "Where is Bert now?")):
            me.press("q").until("!!document.querySelector('dialog[open] textarea')")
            field(me, 0, words)
            field(me, 2, "In the mill\nAt the inn")
            me.press("Escape").until("!document.querySelector('dialog[open]')")
            me.press("q").until("!!document.querySelector('dialog[open] textarea')")
            assert me.value("document.querySelector('dialog[open] textarea').value") == words
            me.press("Ctrl+Enter").until("!document.querySelector('dialog[open]')")
            me.until(f"document.querySelector('#question')?.innerText === '{words}'")
            me.until(f"document.querySelectorAll('#all li').length === {number + 1}")
        me.press("1", "Enter").saved()
        me.press("q").until("!!document.querySelector('dialog[open] textarea')")
        assert me.value("document.querySelector('dialog[open] textarea').value") == ""
        assert me.browser.complaints == []
    with Project(tmp_path / "project") as made:
        first, second = made.questions("mill")
    assert [option.text for option in first.options] == [
        "In the mill",
        "At the inn",
        "It cannot be answered yet",
    ]
    assert second.text == "Where is Bert now?"


def test_another_question_is_shown_from_its_beginning(me: Person) -> None:
    me.browser.look(390, False, 844)
    me.value("document.querySelector('#card').scrollTop = 200")
    me.press("n").until("!!document.querySelector('dialog[open]')")
    me.press("Escape").until("!document.querySelector('dialog[open]')")
    assert me.value("document.querySelector('#card').scrollTop") > 0
    me.press("ArrowDown").until("document.querySelector('#card').scrollTop === 0")


def test_progress_on_a_phone_breaks_no_word(me: Person) -> None:
    me.browser.look(390, False, 844)
    me.press("b").until("document.querySelectorAll('dialog[open] tbody tr').length > 3")
    broken = me.value(
        "(() => { const range = document.createRange(); const broken = [];"
        " for (const cell of document.querySelectorAll('dialog[open] :is(th, td, td button)')) {"
        " const text = document.createTreeWalker(cell, 4).nextNode(); if (!text) continue;"
        r" for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {"
        " range.setStart(text, index); range.setEnd(text, index + word.length);"
        " const lines = new Set([...range.getClientRects()].map((r) => r.top));"
        " if (lines.size > 1) broken.push(word); } }"
        " return broken; })()"
    )
    assert broken == []

"""Books in scripts that run from right to left: nothing of them reorders what stands beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.annotation.driven import Person
from tests.annotation.served import Served
from tests.reports.browser import Browser

from supersede.novels.annotations import Flag, FlagReason, Option, OptionRole, Question, Span
from supersede.novels.annotations import Reformulation as As
from supersede.novels.book import Book, Chunk, digest
from supersede.novels.desk import Desk
from supersede.novels.project import Project

pytestmark = pytest.mark.browser


class Sample(NamedTuple):
    """A book of two chunks, of two sentences each, and what is asked about it."""

    title: str
    author: str
    chapter: str
    texts: tuple[str, str]
    entity: str
    question: str
    answers: tuple[str, str]
    note: str
    """Of two words and a stop."""


HEBREW = Sample(
    "הטחנה!",
    "ר. כהן.",
    "פרק א.",
    ("חנה גרה בטחנה. 3 ימים ירד גשם.", "חנה עברה לפונדק. She said: שלום!"),
    "חנה (בת המלך)",
    "איפה גרה חנה עכשיו?",
    ("בטחנה, על הנהר.", "בפונדק (חדר 7)."),
    "לא ברור.",
)
ARABIC = Sample(
    "الطاحونة!",
    "ر. حداد.",
    "الفصل 1.",
    ("سكنت آنا في الطاحونة. 3 أيام نزل المطر.", "انتقلت آنا إلى النزل. She said: سلام!"),
    "آنا (ابنة الملك)",
    "أين تسكن آنا الآن؟",
    ("في الطاحونة، على النهر.", "في النزل (الغرفة 7)."),
    "غير واضح.",
)

_TURNED = r"""(() => {
  const foreign = /^[\u0590-\u08ff]/, range = document.createRange(), found = {seen: 0, turned: []};
  const place = document.querySelector('dialog[open]') ?? document.body;
  const walker = document.createTreeWalker(place, 4);
  const rect = (node, from, to) => {
    range.setStart(node, from); range.setEnd(node, to);
    return range.getBoundingClientRect();
  };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trimEnd(), whole = rect(node, 0, text.length);
    if (!foreign.test(text) || !whole.width || !node.parentElement.checkVisibility()) continue;
    const first = rect(node, 0, 1), last = rect(node, text.length - 1, text.length);
    if (Math.abs(first.top - last.top) > 2) continue; // on two lines
    found.seen += 1;
    // Its beginning is at its right end, and its stop at its left.
    if (first.right < whole.right - 1 || last.left > whole.left + 1) found.turned.push(text);
  }
  return found;
})()"""
"""Texts that begin in such a script, and those of them that do not stand as they are written."""


def made(folder: Path, sample: Sample) -> dict[str, str]:
    """A project in which two people have answered apart; gives everybody's token."""
    with Project(folder, create=True) as project:
        chunks = [
            Chunk(n, text, sample.chapter, digest(text), 9) for n, text in enumerate(sample.texts)
        ]
        whole = digest("\n".join(sample.texts))
        project.add_book(Book("mill", sample.title, whole, tuple(chunks), sample.author))
        options = (
            *(Option(f"a{n}", text) for n, text in enumerate(sample.answers)),
            Option("z", "It cannot be answered yet", OptionRole.CATCH_ALL),
        )
        asked = Question("q1", sample.question, options, entity=sample.entity)
        project.add_questions("mill", [asked])
        tokens = {}
        for name in ("ann", "bob"):
            tokens[name] = project.add_annotator(name, sample.author)
            project.assign("mill", name)
            desk = Desk(project, name)
            for chunk, text in enumerate(sample.texts):
                stop = text.index(".") + 1
                passage = Span(chunk, 0, stop, text[:stop], digest(text))
                option = f"a{chunk if name == 'ann' else 1 - chunk}"
                desk.choose("mill", "q1", chunk, option, base=0, evidence=[passage],
                            note=sample.note)  # fmt: skip
            flag = Flag(name, "q1", 0, FlagReason.UNSUPPORTED, sample.note)
            desk.raise_flag("mill", flag, base=0)
            desk.propose("mill", "q1", sample.question, As.OTHER, note=sample.note, base=0)
        tokens["cat"] = project.add_annotator("cat", sample.author, "adjudicator")
    return tokens


@pytest.fixture(params=[HEBREW, ARABIC], ids=["hebrew", "arabic"])
def sample(request: pytest.FixtureRequest) -> Sample:
    found: Sample = request.param
    return found


@pytest.fixture
def tokens(tmp_path: Path, sample: Sample) -> dict[str, str]:
    return made(tmp_path / "project", sample)


@pytest.fixture
def served(tmp_path: Path, tokens: dict[str, str]) -> Iterator[Served]:
    with Served(tmp_path / "project") as found:
        yield found


def turned(person: Person, least: int) -> list[str]:
    """The texts on the page, of which there are some at least, that do not stand as written."""
    found = person.value(_TURNED)
    assert found["seen"] >= least, found
    texts: list[str] = found["turned"]
    return texts


def test_every_text_of_a_book_stands_as_it_is_written(
    browser: Browser, served: Served, tokens: dict[str, str], sample: Sample
) -> None:
    ann = Person(browser.stranger().look(1440), served.address).come(tokens["ann"])
    ann.until("document.querySelectorAll('#card .bar .part').length > 0")
    assert turned(ann, 10) == []
    assert ann.value("document.title").endswith(f"· \u2068{sample.title}\u2069")
    ann.goes(1)
    ann.until("document.querySelector('.since') !== null")
    assert turned(ann, 10) == []
    for key, least in (("w", 0), ("f", 1), ("m", 1), ("b", 4)):
        ann.press(key).until("document.querySelector('dialog[open]')?.innerText.length > 0")
        assert turned(ann, least) == [], key
        fields = "dialog[open] :is(textarea, input[type=text])"
        ways = ann.value(f"[...document.querySelectorAll('{fields}')].map((one) => one.dir)")
        assert set(ways) <= {"auto"}
        ann.press("Escape").until("!document.querySelector('dialog[open]')")
    cat = Person(browser.stranger().look(1440), served.address).come(tokens["cat"])
    cat.until("document.querySelectorAll('.side blockquote').length === 2")
    assert turned(cat, 14) == []
    for key, least in (("w", 4), ("b", 6), ("x", 1)):
        cat.press(key).until("document.querySelector('dialog[open]')?.innerText.length > 0")
        assert turned(cat, least) == [], key
        cat.press("Escape").until("!document.querySelector('dialog[open]')")
    complaints = [*ann.browser.complaints, *cat.browser.complaints]
    assert [one for one in complaints if "401" not in one] == []  # before they signed in


def test_paragraphs_quotations_and_answers_have_a_direction_of_their_own(
    browser: Browser, served: Served, tokens: dict[str, str]
) -> None:
    ann = Person(browser.stranger().look(1440), served.address).come(tokens["ann"])
    for selector, way in (
        ("#text article p", "rtl"),
        ("#text .after p", "rtl"),
        ("#text h1", "rtl"),
        ("#card h2", "rtl"),
        ("#card blockquote", "rtl"),
        ("#card .note", "rtl"),
        (".option .words", "rtl"),
        (".option:last-child .words", "ltr"),
        ("#card header", "ltr"),
        (".guide", "ltr"),
    ):
        found = ann.value(f"getComputedStyle(document.querySelector('{selector}')).direction")
        assert found == way, selector
    # A sentence's number is before it, also where the sentence begins with a number.
    x = ann.value(
        "(() => { const range = document.createRange();"
        " const [one, two] = document.querySelectorAll('#text .s');"
        " range.selectNodeContents(two); const inner = range.getBoundingClientRect();"
        " return [one.getBoundingClientRect().left, two.getBoundingClientRect().right,"
        " inner.right]; })()"
    )
    assert x[0] >= x[1] > x[2] + 3


def test_what_is_said_in_passing_keeps_names_apart(
    browser: Browser, served: Served, tokens: dict[str, str], sample: Sample
) -> None:
    ann = Person(browser.stranger().look(1440), served.address).come(tokens["ann"])
    ann.until("document.querySelectorAll('#card .bar .part').length > 0")
    hint = ann.value("document.querySelector('#card .bar .part').title")
    assert hint == f"\u2068{sample.answers[0]}\u2069, chunk 1"
    ann.press("2", "/").until("!!document.querySelector('dialog[open] input')")
    ann.type(sample.title).press("Enter").until("!!document.querySelector('#toast.shown')")
    said = ann.value("document.querySelector('#toast').textContent")
    assert said == f"“\u2068{sample.title}\u2069” does not stand in this chunk."

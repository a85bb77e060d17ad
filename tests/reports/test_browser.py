"""The page in headless Chromium: it opens, fits, and answers to light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.reports.browser import Browser, open_browser
from tests.reports.made import STREAMS, log, made

from supersede.reports import Request, render

pytestmark = pytest.mark.browser

LONG = "a-run-with-a-name-that-is-far-longer-than-any-screen-of-a-phone-could-ever-be-wide"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    runs = (
        made("oracle", "oracle"),
        made(LONG, "flip-flop", silent=2),
        made("logged", log=log({"expected": 24, "reused": 3}, {"1": 4, "0": 4})),
    )
    command = f"supersede report {LONG}=runs/flip-flop.jsonl --stream two.jsonl"
    path.write_text(render(Request(runs, STREAMS, "two.jsonl", command=command)), "utf-8")
    return path


@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_opens_without_a_complaint_and_nothing_sticks_out(
    browser: Browser, page: Path, width: int, dark: bool
) -> None:
    browser.complaints.clear()
    browser.look(width, dark).open(page)
    browser.value("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert browser.value("document.documentElement.scrollWidth") <= width
    assert browser.complaints == []


def test_dark_mode_changes_the_colours_and_keeps_them_apart(browser: Browser, page: Path) -> None:
    brightness = (
        "(() => { const c = getComputedStyle(document.body);"
        " return [c.backgroundColor, c.color].map((rgb) =>"
        " rgb.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 3); })()"
    )
    stroke = "getComputedStyle(document.querySelector('.heat .c-right')).stroke"
    paper, ink = browser.look(1024).open(page).value(brightness)
    light = browser.value(stroke)
    assert paper - ink > 150
    paper, ink = browser.look(1024, dark=True).open(page).value(brightness)
    assert ink - paper > 150
    assert browser.value(stroke) != light


def test_pointing_at_a_cell_tells_question_truth_and_answer(browser: Browser, page: Path) -> None:
    browser.look(1024).open(page)
    frame = browser.value(
        "(() => { const s = document.querySelectorAll('svg.heat')[1];"
        " s.scrollIntoView({block: 'center'}); const r = s.getBoundingClientRect();"
        " return [r.left, r.top, r.width, r.height]; })()"
    )
    left, top, width, height = frame
    # The first row (mo), interval 1 of 6: flip-flop is wrong at odd intervals.
    x, y = left + width * 1.5 / 6, top + height * 0.25
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    title = browser.value("document.querySelectorAll('svg.heat title')[1].textContent")
    lines = title.split("\n")
    assert lines[:3] == ["Where is mo?", "interval 1", "truth: hall (1 to 2)"]
    assert lines[3].startswith("said: ")
    assert lines[4] == "late"
    assert browser.value("document.getElementById('read-0').textContent").startswith(LONG)


def test_the_arrow_keys_walk_from_cell_to_cell(browser: Browser, page: Path) -> None:
    browser.look(1024).open(page)
    browser.value("document.querySelector('svg.heat').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
    read = browser.value("document.getElementById('read-0').textContent")
    assert read == (
        "oracle · Where is ann? · interval 1 · truth: garden (0 to 2) · "
        "said: garden (0 to 2) · right"
    )


def test_every_cell_is_described_as_the_metrics_see_it(browser: Browser, page: Path) -> None:
    browser.look(1024).open(page)
    shapes = browser.value(
        "[...document.querySelectorAll('svg.heat')].map((s) => s.dataset.row ?? 'none').join()"
    )
    assert set(shapes.split(",")) == {"none"}
    browser.value("document.querySelectorAll('svg.heat')[1].focus()")
    run = made(LONG, "flip-flop", silent=2)
    said = []
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    for _ in range(6):
        title = browser.value("document.querySelectorAll('svg.heat title')[1].textContent")
        said.append(title.split("\n")[3].removeprefix("said: ").rpartition(" (")[0])
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    assert said == list(run.traces[0].said)

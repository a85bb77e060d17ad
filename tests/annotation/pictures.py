"""Takes the pictures of the guide: `python -m tests.annotation.pictures docs/images`.

They show the chapter of `tests.annotation.chapter` at three sizes, light and dark; with `--all`
every scene at every size.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.annotation.chapter import WORDS, chapter_project
from tests.annotation.driven import Person
from tests.annotation.served import Served
from tests.annotation.small_png import small_png
from tests.annotation.test_chapter import is_through, reads_fast
from tests.reports.browser import open_browser

FEW = {"evidence": ("laptop",), "decide": ("laptop",)}
"""Scenes that the guide shows at some sizes only."""

SIZES = {"laptop": (1440, 900), "tablet": (1180, 820), "upright": (820, 1180)}


def shoot(person: Person, folder: Path, name: str) -> None:
    """The page as it is, at its sizes, light and dark."""
    wanted = SIZES if "--all" in sys.argv else FEW.get(name, SIZES)
    for size in wanted:
        for dark in (False, True):
            person.browser.look(SIZES[size][0], dark, SIZES[size][1])
            person.until("!document.querySelector('#toast.shown')")
            person.until("document.querySelectorAll('#card .bar .part').length > 0")
            time.sleep(1.5)  # progress is counted once nobody types
            path = folder / f"annotate-{name}-{size}-{'dark' if dark else 'light'}.png"
            person.browser.screenshot(path)
            path.write_bytes(small_png(path.read_bytes()))
    person.browser.look(1440)


def main() -> None:
    """Writes the pictures into the folder that is named."""
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        _, tokens = chapter_project(Path(scratch) / "project")
        with (
            Served(Path(scratch) / "project") as served,
            open_browser(Path(scratch) / "profile") as browser,
        ):
            people = {
                name: Person(browser.stranger().look(1440), served.address).come(token)
                for name, token in tokens.items()
            }
            ann, bob, cat = people["ann"], people["bob"], people["cat"]
            ann.at(0).press("1").mark(WORDS["detained"]).press("Enter", "5", "Enter")
            ann.at(1).press("2").mark(WORDS["came in"]).press("Enter")
            ann.press("1").mark(WORDS["coat"]).press("Enter")
            ann.at(2).saved()
            shoot(ann, folder, "page")
            ann.press("3", "/").until("!!document.querySelector('dialog[open] input')")
            ann.type(WORDS["stairs"]).press("Enter")
            ann.until("!document.querySelector('dialog[open]')")
            ann.press("Space")
            shoot(ann, folder, "evidence")
            ann.press("Enter").saved().press("Enter", "2").mark(WORDS["socks"]).press("Enter")
            ann.at(3).press("2").mark(WORDS["came back"]).press("Enter")
            ann.press("3").mark(WORDS["dressed"]).press("Enter")
            ann.at(4).press("4").mark(WORDS["adjoining"]).press("Enter", "Enter").saved()
            is_through(ann)
            reads_fast(bob)
            is_through(bob)
            cat.press("b").until("document.querySelector('dialog[open]')?.innerText.length > 0")
            cat.press("Shift+Tab", "Enter")
            cat.until(
                "document.querySelector('dialog[open] h2')?.innerText === 'Move the book on?'"
            )
            cat.press("Enter").until("!document.querySelector('dialog[open]')")
            cat.until("document.querySelector('#guide').innerText.includes('They agree here')")
            cat.press("d").at(2)
            shoot(cat, folder, "decide")


if __name__ == "__main__":
    main()

"""How long a turn of the page takes in the browser: 286 chunks, 60 questions, 200,000 events.

Headless Chromium drives the real server over the project of `bench_novel_page.py`. A turn lasts
from the key to the painted page: request, answer, and one frame. `chromium` must be on the PATH.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))  # the driver is the tests' own

from benchmarks.bench_novel_page import CHUNKS, LIMIT_MS, QUESTIONS, filled
from tests.annotation.driven import Person
from tests.annotation.served import Served
from tests.reports.browser import open_browser

from supersede.novels.project import Project

TURNS = 60


def turn(me: Person, *keys: str) -> float:
    """Milliseconds of one turn, as the page itself measured it."""
    before = me.value("document.body.dataset.turns ?? '0'")
    me.press(*keys)
    me.until(f"document.body.dataset.turns !== {before!r}")
    return float(me.value("performance.getEntriesByName('turn').at(-1).duration"))


def say(name: str, taken: list[float]) -> None:
    """Prints one row."""
    print(f"  {name:<28} median {median(taken):6.1f} ms, worst {max(taken):6.1f} ms")


def main() -> int:
    """Prints the figures; 1 where the median turn takes too long."""
    if shutil.which("chromium") is None:
        print("no chromium on the PATH: nothing measured")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        with filled(Path(folder)) as project:
            print(f"{project.store.last:,} events, {CHUNKS} chunks, {QUESTIONS} questions")
        with Project(Path(folder)) as project:
            token = project.new_token("ann")
        with Served(Path(folder)) as served, open_browser(Path(folder) / "profile") as browser:
            me = Person(browser.look(1440), served.address).come(token)
            me.goes(20)
            time.sleep(2)  # progress has been counted
            forth = [turn(me, "ArrowRight") for _ in range(TURNS)]
            back = [turn(me, "ArrowLeft") for _ in range(TURNS)]
            saving = []
            for _ in range(TURNS // 3):
                # Another answer without waiting for it to be saved, and on: both in one.
                me.press("6")
                saving.append(turn(me, "ArrowRight"))
            say("next chunk", forth)
            say("chunk before", back)
            say("answer, and next chunk", saving)
            return int(median(forth + back) > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())

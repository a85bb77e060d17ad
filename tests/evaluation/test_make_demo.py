"""`make demo`, with a Python that only notes what it is asked."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

PYTHON = """#!/bin/sh
case "$*" in
  *venv*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$TOYS/supersede" "$3/bin/" ;;
  *pip*) echo "$PIP_DISABLE_PIP_VERSION_CHECK $*" > "$TOYS/pip"; [ -z "$BROKEN" ] || {
    echo "ERROR: no such package" >&2; exit 1; } ;;
esac
"""
SUPERSEDE = """#!/bin/sh
case "$*" in
  "model get smollm2") [ -z "$OFFLINE" ] || exit 2; echo /there/smollm2.gguf ;;
  *) echo "ran: $*" ;;
esac
"""


def make(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    for name, text in {"python": PYTHON, "supersede": SUPERSEDE}.items():
        path = folder / name
        path.write_text(text)
        path.chmod(0o755)
    options = [f"PYTHON={folder / 'python'}", f"VENV={folder / 'venv'}"]
    return subprocess.run(
        ["make", "--no-print-directory", "--directory", str(ROOT), "demo", *options],
        env={**os.environ, "TOYS": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_set_up_says_how_long_it_takes_and_keeps_pip_quiet(tmp_path: Path) -> None:
    done = make(tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "setting up (about two minutes) ..."
    assert "smollm2 ready: /there/smollm2.gguf" in lines
    assert lines[-1] == "ran: demo"
    assert (tmp_path / "pip").read_text() == "1 -m pip install -qq --editable .[dev]\n"
    again = make(tmp_path)
    assert again.stdout.splitlines()[0] == "smollm2 ready: /there/smollm2.gguf"


def test_an_error_of_pip_is_shown_and_ends_the_set_up(tmp_path: Path) -> None:
    done = make(tmp_path, BROKEN="1")
    assert done.returncode == 2
    assert "ERROR: no such package" in done.stderr
    assert "ran: demo" not in done.stdout


def test_without_the_model_the_demo_goes_on(tmp_path: Path) -> None:
    done = make(tmp_path, OFFLINE="1")
    assert done.returncode == 0
    assert "the demo goes on without the model" in done.stderr
    assert "ready" not in done.stdout
    assert done.stdout.endswith("ran: demo\n")

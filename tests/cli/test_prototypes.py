import json
import os
import signal
import subprocess
import sys

import pytest

from supersede.cli.main import main
from supersede.prototypes import load_prototype, prototype_ids


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["prototypes", *arguments])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_json_lists_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "--json"))
    assert [row["id"] for row in rows] == list(prototype_ids())
    for row in rows:
        spec = load_prototype(row["id"])
        assert row == {
            "id": spec.id,
            "title": spec.title,
            "theme": spec.theme,
            "macro_group": spec.macro_group,
            "version": spec.version,
        }


def test_the_table_has_every_prototype_below_its_theme(
    capsys: pytest.CaptureFixture[str],
) -> None:
    theme, seen = "", {}
    for line in run(capsys).splitlines():
        if line.startswith("  "):
            seen[line.split()[0]] = theme
        else:
            theme = line
    assert seen == {name: load_prototype(name).theme for name in prototype_ids()}


def test_a_reader_that_closes_early_is_no_traceback() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    code = "from supersede.cli.main import main; main(['prototypes'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")

import json
import shutil
from pathlib import Path

import pytest

from supersede.cli.main import main
from supersede.prototypes import load_prototype, prototype_files
from supersede.questions import all_operators, operators_for
from supersede.specs.world import world_of


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_every_operator_is_listed_with_its_family_and_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = json.loads(run(capsys, "operators", "--json")[1])
    assert [row["operator"] for row in rows] == list(all_operators())
    shown = run(capsys, "operators")[1].splitlines()
    for row in rows:
        assert row["summary"]
        assert row["family"] in shown
        assert any(
            line.split()[0] == row["operator"] and line.endswith(row["summary"]) for line in shown
        )


def test_a_world_lists_those_that_fit_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    spec = load_prototype("soccer-timeline")
    fitting = [operator.name for operator in operators_for(spec, world_of(spec))]
    code, out, _ = run(capsys, "operators", "soccer-timeline", "--json")
    assert (code, [row["operator"] for row in json.loads(out)]) == (0, fitting)
    assert 0 < len(fitting) < len(all_operators())
    mine = tmp_path / "mine.yaml"
    shutil.copy(prototype_files()["soccer-timeline"], mine)
    assert run(capsys, "operators", str(mine), "--json") == (0, out, "")


def test_an_unknown_operator_leads_to_the_command_that_lists_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = run(capsys, "sample", "soccer-timeline", "--operator", "zzz")
    assert code == 2
    assert err.endswith("more: supersede operators\n")

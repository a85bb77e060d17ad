"""`supersede spec`: exit codes, one line for each finding, JSON, the schema file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.specs.shop import SHOP, spoilt

from supersede.cli.main import main
from supersede.specs.published import schema_text

QUICK = ("spec", "check", "--quick")


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "world.yaml"
    path.write_text(SHOP, encoding="utf-8")
    return path


def test_a_sound_file_is_proved(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*QUICK, world) == 0
    line, counts = capsys.readouterr().out.splitlines()
    assert counts.startswith("  happened: pay ")
    assert line.startswith(f"{world}: proved: tiers very_short to medium, 2 histories each, ")
    assert line.endswith(" a second")


def test_errors_are_one_line_each_and_exit_2(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.write_text(spoilt(("rate > 0", "raet > 0"), ("- label: on hold", "- label: on hld")))
    assert run(*QUICK, world) == 2
    first, second, summary = capsys.readouterr().out.splitlines()
    assert "error: unknown name 'raet'. Did you mean 'rate'?" in first
    assert "unknown status 'on hld'" in second
    assert summary == f"{world}: 2 errors, not proved"


def test_what_the_loader_refuses_exits_2(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world.write_text(SHOP.replace("version: 1", "verson: 1"))
    assert run(*QUICK, world) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"{world}:1:1: error: 'version' is missing. Add it.",
        f"{world}:2:1: error: unknown key 'verson' in the file. Did you mean 'version'? "
        "Remove or rename it.",
        f"{world}: 2 errors, not proved",
    ]


def test_a_proof_that_fails_exits_1(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world.write_text(spoilt(("== 'delivered' and", "== 'delivered' and escrow < 0 and")))
    assert run("spec", "check", "--seeds", "8", world) == 1
    *_, finding, summary, _ = capsys.readouterr().out.splitlines()
    assert "event 'goodwill' never happened" in finding
    assert "NOT proved" in summary
    assert summary.endswith("; never happened: goodwill")


def test_the_worst_of_several_files_decides(world: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("a: b")
    assert run(*QUICK, world, wrong) == 2
    assert run(*QUICK, wrong, world) == 2
    assert run(*QUICK, tmp_path / "nothing.yaml") == 2


def test_json_holds_findings_and_proof(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*QUICK, "--json", world) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["file"] == str(world)
    assert row["findings"] == []
    assert row["proof"]["passed"] is True
    assert row["proof"]["tiers"] == ["very_short", "short", "medium"]
    assert set(row["proof"]["fired"]) >= {"pay", "deliver"}


def test_json_of_a_wrong_file_has_no_proof(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world.write_text(spoilt(("rate > 0", "raet > 0")))
    assert run(*QUICK, "--json", world) == 2
    (row,) = json.loads(capsys.readouterr().out)
    assert row["proof"] is None
    (finding,) = row["findings"]
    assert finding["severity"] == "error"
    assert finding["mend"] == "Did you mean 'rate'?"


def test_the_schema_is_written_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "schema.json"
    assert run("spec", "schema", "-o", path) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert path.read_text(encoding="utf-8") == schema_text()
    assert [entry.name for entry in tmp_path.iterdir()] == ["schema.json"]


def test_the_schema_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ((), ("-o", "-")):
        assert run("spec", "schema", *arguments) == 0
        assert capsys.readouterr().out == schema_text()


def test_a_folder_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("spec", "schema", "-o", tmp_path / "no" / "schema.json") == 2
    assert "Make it first." in capsys.readouterr().err


def test_a_file_that_cannot_be_read_back_is_one_line_and_the_next_is_checked(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strange = tmp_path / "strange.yaml"
    strange.write_text(SHOP.replace("Ada Brandt", "D1-R1"), encoding="utf-8")
    assert run(*QUICK, strange, world) == 2
    out, err = capsys.readouterr()
    told = [line for line in out.splitlines() if line.startswith(f"{strange}:")]
    assert err == ""
    assert all(line.split(": ")[0].count(":") == 2 for line in told[:-1])
    assert told[-1] == f"{strange}: {len(told) - 1} error{'s' * (len(told) > 2)}, not proved"
    assert f"{world}: proved" in out


def test_the_help_of_quick_says_what_it_forgives(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("spec", "check", "--help") == 0
    assert "never happened is only a warning" in " ".join(capsys.readouterr().out.split())

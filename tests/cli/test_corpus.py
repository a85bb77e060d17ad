import json
import shutil
from pathlib import Path

import pytest

from supersede.cli.main import main
from supersede.prototypes import prototype_files

SMALL = (
    "--tiers", "very_short,short", "--prototypes", "soccer-timeline, warehouse-inventory-ops",
    "--per-cell", "2",
)  # fmt: skip

NONE_NEAR = "0 near-duplicates\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as ended:
        main(["corpus", *arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.fixture
def built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "corpus"
    code, out, err = run(capsys, "build", str(folder), *SMALL)
    events = json.loads((folder / "manifest.json").read_bytes())["events"]
    assert (code, out, err) == (0, f"{folder}: 8 instances, {events} events\n", "")
    return folder


def test_a_built_corpus_is_verified_and_described(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "verify", str(built)) == (
        0,
        f"{NONE_NEAR}8 instances: 8 proved from the text, 8 made again from the key; 0 failures\n",
        "",
    )  # fmt: skip
    assert run(capsys, "verify", str(built), "--text-only") == (
        0,
        f"{NONE_NEAR}8 instances: 8 proved from the text, none made again (--text-only); "
        "0 failures\n",
        "",
    )  # fmt: skip
    code, out, _ = run(capsys, "stats", str(built))
    assert code == 0
    assert out.splitlines()[-1].startswith("8 instances, 2 prototypes")
    code, out, _ = run(capsys, "stats", str(built), "--json")
    assert code == 0
    assert json.loads(out)["tiers"]["short"]["published"]["blocks"] == 6


def test_a_failed_check_is_a_line_each_and_exit_code_1(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built / "soccer-timeline" / "short-0000.jsonl"
    first, second = path.read_text(encoding="utf-8").splitlines()
    data = {**json.loads(second), "answer": "Answer: nobody"}
    path.write_text(f"{first}\n{json.dumps(data)}\n", encoding="utf-8")
    code, out, err = run(capsys, "verify", str(built))
    assert code == 1
    *failures, near, total = out.splitlines()
    assert near == "0 near-duplicates"
    assert total == (
        f"8 instances: 7 proved from the text, 7 made again from the key; {len(failures)} failures"
    )
    assert [line for line in failures if line.startswith(f"{path}:2: the answer from the text")]
    assert err == f"error: {len(failures)} checks of 8 instances failed\n"


def test_a_truncated_file_is_one_line_and_exit_code_2(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built / "soccer-timeline" / "short-0000.jsonl"
    path.write_bytes(path.read_bytes()[:-50])
    for command in ("verify", "stats"):
        code, _, err = run(capsys, command, str(built))
        assert code == 2
        assert err.startswith(f"error: {path}:2: the file ends in the middle of a line.")
        assert err.count("\n") == 1


def test_a_missing_file_is_one_line_and_exit_code_2(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built / "soccer-timeline" / "short-0000.jsonl"
    path.unlink()
    assert run(capsys, "verify", str(built)) == (
        2, "", f"error: {path}: No such file or directory\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "x", "--tiers", "shrt"], "unknown tier 'shrt'. Did you mean 'short'?"),
        (["build", "x", "--prototypes", "soccer-timelin"], "unknown prototype 'soccer-timelin'."),
        (["build", "x", "--tiers", ""], "tiers names none. Name one at least"),
        (["build", "x", "--tiers", ","], "tiers names none. Name one at least"),
        (["build", "x", "--prototypes", ""], "prototypes names none. Name one at least"),
        (["build", ""], "Invalid value for 'OUT': the path is empty"),
        (["verify", ""], "Invalid value for 'DIR...': the path is empty"),
        (["build", "x", "--split", "test"], "Invalid value for '--split': 'test' is not one of"),
        (["build", "x", "--per-cell", "0"], "Invalid value for '--per-cell'"),
        (["verify", "x"], "x: no such folder. Name the folder of a corpus."),
        (["stats", "x"], "x: no such folder. Name the folder of a corpus."),
        (["verify", "."], ".: no manifest.json. It holds no corpus"),
        (["verfy", "."], "supersede corpus: unknown command 'verfy'. Did you mean 'verify'?"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_another_configuration_is_refused(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "build", str(built), "--per-cell", "3")
    assert code == 2
    assert err.startswith(f"error: {built}: holds a corpus of another configuration: ")


def test_a_world_of_ones_own_is_built_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, folder, lone = (tmp_path / name for name in ("mine.yaml", "corpus", "lone.jsonl"))
    text = prototype_files()["soccer-timeline"].read_text(encoding="utf-8")
    mine.write_text(text.replace("id: soccer-timeline", "id: my-league"), encoding="utf-8")
    small = ("--tiers", "short", "--prototypes", f"{mine},soccer-timeline", "--per-cell", "1")
    assert run(capsys, "build", str(folder), *small)[0] == 0
    assert run(capsys, "verify", str(folder)) == (
        0,
        f"{NONE_NEAR}2 instances: 2 proved from the text, 2 made again from the key; 0 failures\n",
        "",
    )  # fmt: skip
    shutil.copy(folder / "my-league" / "short-0000.jsonl", lone)
    code, out, _ = run(capsys, "verify", str(lone), "--spec", str(mine))
    assert (code, out) == (
        0,
        f"{NONE_NEAR}1 instance: 1 proved from the text, 1 made again from the key; 0 failures\n",
    )  # fmt: skip
    assert run(capsys, "stats", str(folder))[0] == 0

import json
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.training.exports.made import both


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    both(folder)
    return folder


def test_a_data_set_says_what_was_asked_for(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "hub"
    code, said, err = run(
        capsys, "export", "hf", str(data / "train"), str(data / "heldout"), str(out),
        "--repo", "my-org/my-data", "--name", "My data", "--license", "cc-by-4.0",
        "--creator", "A lab", "--date", "2026-11-30",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert said.startswith(f"{out}: 18 rows; ")
    assert said.endswith(" replies graded as they should be\n")
    text = (out / "README.md").read_text(encoding="utf-8")
    assert "\nlicense: cc-by-4.0\npretty_name: My data\n" in text
    assert "inspect eval hf/my-org/my-data" in text
    described = json.loads((out / "croissant.json").read_bytes())
    assert described["url"] == "https://huggingface.co/datasets/my-org/my-data"
    assert described["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert described["datePublished"] == "2026-11-30"
    assert described["creator"]["name"] == "A lab"


@pytest.mark.parametrize("form", ["inspect", "jsonl"])
def test_lines_are_counted(
    form: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    code, said, err = run(capsys, "export", form, str(data / "heldout"), str(out))
    assert (code, err) == (0, "")
    assert said.startswith(f"{out}: 6 rows; ")
    assert len(out.read_text(encoding="utf-8").splitlines()) == 6
    code, _, err = run(capsys, "export", form, str(data / "heldout"), str(out))
    assert (code, err) == (
        2, f"error: {out}: exists already. Name a new one, or remove it first.\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hf", "gone", "out"], "error: gone: no such folder. Name the folder of a corpus."),
        (["hf", "out"], "error: Missing argument 'CORPUS...'. See: supersede export hf --help"),
        (["hf", "a", "b", "--repo", "x"], "error: --repo=x is no place on the Hub. Name it as"),
        (["hf", "a", "b", "--date", "1.2."], "error: --date=1.2. is no day. Write it as 2026-"),
        (["hf", "a", "b", "--license", "wtf"], "error: Invalid value for '--license'"),
        (["inspect", "a", "b.json"], "error: b.json: Inspect reads lines of JSON from a file"),
        (["parquet"], "error: supersede export: unknown command 'parquet'. Choose from hf,"),
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
    code, out, err = run(capsys, "export", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []

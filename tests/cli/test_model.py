import json
from pathlib import Path

import pytest

from supersede.cli import model as command
from supersede.cli.main import main
from supersede.errors import ModelError
from supersede.evaluation.weights import embedded_model, weights_path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUPERSEDE_CACHE", str(tmp_path))
    return tmp_path


def pretend_weights() -> Path:
    """A file of the right size, without taking the room."""
    model = embedded_model("smollm2")
    path = weights_path(model)
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(model.weights_bytes)
    return path


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["model", *arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_get_prints_where_the_weights_lie(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "fetch_model", lambda name: Path(f"/cache/{name}.gguf"))
    assert run("get", "smollm2") == 0
    assert capsys.readouterr().out == "/cache/smollm2.gguf\n"


def test_get_that_fails_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str) -> Path:
        raise ModelError("no network", mend="Try later.")

    monkeypatch.setattr(command, "fetch_model", fail)
    assert run("get", "smollm2") == 2
    assert capsys.readouterr().err == "error: no network. Try later.\n"


def test_list_names_the_command_for_weights_that_are_not_here(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("list") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("smollm2 ")
    assert line.endswith("supersede model get smollm2")


def test_list_names_the_place_of_weights_that_are_here(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = pretend_weights()
    assert run("list") == 0
    assert capsys.readouterr().out.rstrip().endswith(str(path))


def test_list_as_json_tells_what_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "--json") == 0
    (before,) = json.loads(capsys.readouterr().out)
    path = pretend_weights()
    assert run("list", "--json") == 0
    (after,) = json.loads(capsys.readouterr().out)
    assert before == {
        "name": "smollm2",
        "title": "SmolLM2-135M-Instruct (Q4_1)",
        "licence": "Apache-2.0",
        "bytes": 98_362_432,
        "context_tokens": 8192,
        "fetched": False,
        "path": str(path),
    }
    assert after == {**before, "fetched": True}

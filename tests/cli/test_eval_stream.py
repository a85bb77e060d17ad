import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.evaluation.stream_made import marked
from tests.reports.made import log
from tests.streams.made import small

from supersede.cli.eval_stream import _calls
from supersede.streams import write_streams
from supersede.streams.scoring import score_file


@pytest.fixture
def streams(tmp_path: Path) -> Path:
    path = tmp_path / "streams.jsonl"
    write_streams(path, [small(), small("s2")])
    return path


def test_a_baseline_from_the_command_to_the_table(
    streams: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    command = ("eval", "stream", str(streams), "--model", "supersede/stale-by-one")
    code, out, err = run(capfd, *command, "--log-dir", str(logs), "--", "--tags", "mine")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == (
        "supersede/stale-by-one, memory base: 4 questions in 2 documents, 24 answers"
    )
    measures = {line[:20].strip(): line[20:].split()[0] for line in lines[3:7]}
    assert measures == {
        "accuracy": "0.500",
        "late (AL)": "0.333",
        "distracted (DS)": "0.000",
        "missed (PM)": "0.167",
    }
    (log,) = logs.glob("*.eval")
    (predictions,) = logs.glob("*.predictions.jsonl")
    assert f"log: {log}" in lines
    assert f"predictions: {predictions}" in lines
    assert score_file([small(), small("s2")], predictions).error_rate == 0

    code, out, _ = run(capfd, *command, "--log-dir", str(logs), "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["accuracy"], data["pm"]) == (0.5, 1 / 6)
    assert (data["resumed"], data["calls"]["reused"]) == (True, 24)


def test_the_same_from_the_score_of_the_predictions(
    streams: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ("eval", "stream", str(streams), "--model", "supersede/last-mention", "--json")
    _, out, _ = run(capfd, *command, "--log-dir", str(tmp_path / "logs"), "--memory", "rag")
    ran = json.loads(out)
    assert ran["question_aware_writes"] is False
    (predictions,) = ran["predictions"]
    _, out, _ = run(capfd, "score", predictions, "--stream", str(streams), "--json")
    scored = json.loads(out)
    assert {name: ran[name] for name in scored if name in ran and name != "left_out"} == {
        name: value for name, value in scored.items() if name in ran and name != "left_out"
    }


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--model", "smolm2"], "Did you mean 'smollm2'"),
        (["--model", "supersede/frozn"], "Did you mean 'supersede/frozen'"),
        (["--model", "supersede/oracle", "--memory", "bsae"], "Did you mean 'base'"),
        (["--model", "supersede/oracle", "--limit", "0"], "documents=0"),
        (["--model", "supersede/oracle", "--epochs", "0"], "epochs=0 is less than 1"),
        (["--model", "supersede/oracle", "--retriever", "bm52"], "Did you mean 'bm25'"),
        (["--model", "supersede/oracle", "--embedder", "hashin"], "Did you mean 'hashing'"),
        (["--model", "supersede/oracle", "--embedder", "endpoint:m"], "names no server"),
        (["--model", "supersede/oracle", "loose"], "Options of Inspect follow --"),
        (["--model", "toy/m", "--dry-run"], "--context-limit"),
        (["--model", "toy/m", "--context-limit", "9", "--dry-run"], "no room"),
        (["--model", "supersede/oracle", "--dry-run", "--prices", "x"], "two or three numbers"),
    ],
)
def test_a_mistake_is_one_line(
    options: list[str], what: str, streams: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "eval", "stream", str(streams), *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert what in err


def test_the_terminal_says_where_a_memory_writes_knowing_the_questions() -> None:
    said = {name: "\n".join(_calls(log({}, memory=name))) for name in ("memagent", "rag (bm25)")}
    assert "it writes knowing them" in said["memagent"]
    assert "it writes knowing them" not in said["rag (bm25)"]


def test_a_file_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none.jsonl"
    code, _, err = run(capsys, "eval", "stream", str(path), "--model", "supersede/oracle")
    assert code == 2
    assert err.startswith(f"error: {path}: there is no such file")


def test_a_plan_asks_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "streams.jsonl"
    write_streams(path, [marked("one", 8, 6), marked("two", 8, 6)])
    command = ("eval", "stream", str(path), "--model", "openai/none", "--context-limit", "100000")
    code, out, _ = run(capsys, *command, "--dry-run", "--prices", "1,2,0.1", "--json")
    assert code == 0
    plan = json.loads(out)
    assert (plan["calls"], plan["documents"], plan["cut_calls"]) == (96, 2, 0)
    assert 0 < plan["fresh_tokens"] < plan["input_tokens"]
    assert plan["cost"] > 0
    code, out, _ = run(capsys, *command, "--dry-run", "--limit", "1", "--epochs", "2")
    assert code == 0
    assert "nothing is asked yet" in out
    (calls,) = [line for line in out.splitlines() if line.startswith("answers  ")]
    assert calls.split()[-1] == "96"
    assert not (tmp_path / "logs").exists()


def test_help_loads_no_inspect() -> None:
    code = (
        "import sys; from supersede.cli.main import main\n"
        "try: main(['eval', 'stream', '--help'])\n"
        "except SystemExit: assert 'inspect_ai' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "supersede eval stream" in done.stdout

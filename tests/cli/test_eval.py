import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.cli.test_main import run

from supersede.corpus.instances import instance_key, make_instance
from supersede.evaluation.baselines import BASELINES
from supersede.model.instance import Split, Tier

PROTOTYPES = ("warehouse-inventory-ops", "soccer-timeline", "library-lending-records")
SUPERSEDE = [sys.executable, "-c", "from supersede.cli.main import main; main()"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "all.jsonl"
    instances = [
        make_instance(instance_key(prototype, tier, split=Split.HELDOUT))
        for tier in (Tier.VERY_SHORT, Tier.SHORT)
        for prototype in PROTOTYPES
    ]
    path.write_text("".join(json.dumps(one.to_json()) + "\n" for one in instances))
    return path


def test_the_oracle_is_right_on_everything(
    corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    model = ("--model", "supersede/oracle", "--epochs", "2", "--log-dir", str(logs))
    code, out, err = run(capfd, "eval", "evolve", str(corpus), *model, "--", "--tags", "mine")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "supersede/oracle: 12 replies"
    overall = next(line for line in lines if line.startswith("overall"))
    assert overall.split()[1:3] == ["6", "1.000"]
    (log,) = logs.glob("*.eval")
    assert f"log: {log}" in lines
    assert f"open it with: inspect view --log-dir {logs}" in lines
    from inspect_ai.log import read_eval_log

    kept = read_eval_log(str(log), header_only=True).eval
    assert kept.tags == ["mine"]
    assert kept.config.log_realtime is False


def test_the_report_is_json_for_a_script(
    corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = ("--model", "supersede/unknown", "--epochs", "1", "--tier", "short", "--limit", "2")
    code, out, _ = run(
        capfd, "eval", "evolve", str(corpus), *options, "--log-dir", str(tmp_path), "--json"
    )
    assert code == 0
    data = json.loads(out)
    assert data["model"] == "supersede/unknown"
    assert data["k"] == 1
    assert list(data["tiers"]) == ["short"]
    assert data["overall"]["avg"]["value"] == 0
    assert data["overall"]["outcomes"]["refused"] == 2


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--model", "smolm2"], "Did you mean 'smollm2'"),
        (["--model", "supersede/oracle", "--tier", "shrot"], "Did you mean 'short'"),
        (["--model", "supersede/oracle", "--tier", "long"], "There are very_short, short."),
        (["--model", "supersede/oracle", "--epochs", "0"], "epochs=0 is less than 1"),
        (["--model", "supersede/oracle", "loose"], "Options of Inspect follow --"),
        (["--modle", "supersede/oracle"], "--model"),
        ([], "Missing option '--model'"),
    ],
)
def test_a_mistake_is_one_line(
    options: list[str], what: str, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "eval", "evolve", str(corpus), *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert what in err


def test_a_truncated_file_is_one_line(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(corpus.read_bytes()[:-100])
    code, _, err = run(capsys, "eval", "evolve", str(cut), "--model", "supersede/oracle")
    assert code == 2
    assert err.startswith(f"error: {cut}:6: the file ends in the middle of a line")


class Mortal(BaseHTTPRequestHandler):
    """An OpenAI-like endpoint that answers a few times and is gone then."""

    lives = 0
    patience = 0
    waiting = threading.Event()
    released = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        Mortal.patience -= 1
        if Mortal.patience < 0:
            Mortal.waiting.set()
            Mortal.released.wait(60)
            return
        message = {"role": "assistant", "content": "Answer: 1"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        body = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [choice],
                "usage": usage,
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        Mortal.lives -= 1
        if Mortal.lives == 0:
            threading.Thread(target=self.server.shutdown).start()
            self.server.server_close()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    Mortal.lives, Mortal.patience = 3, 99
    Mortal.waiting.clear()
    Mortal.released.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Mortal)
    address = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield address
    Mortal.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_that_dies_in_mid_run_is_one_line_and_loses_nothing(
    corpus: Path, tmp_path: Path, endpoint: str
) -> None:
    command = ["eval", "evolve", str(corpus), "--model", "openai-api/toy/m", "--epochs", "1"]
    theirs = ["--model-base-url", endpoint, "--max-retries", "0", "--max-samples", "1"]
    done = subprocess.run(
        [*SUPERSEDE, *command, "--log-dir", str(tmp_path), "--", *theirs],
        env={**os.environ, "TOY_API_KEY": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("error: openai-api/toy/m cannot be asked: APIConnectionError")
    (log,) = tmp_path.glob("*.eval")
    assert f"3 of 6 replies are graded and in {log}" in done.stderr
    assert f"inspect eval-retry {log}" in done.stderr


def test_an_interrupt_names_the_log_and_how_to_go_on(
    corpus: Path, tmp_path: Path, endpoint: str
) -> None:
    Mortal.patience = 2
    command = ["eval", "evolve", str(corpus), "--model", "openai-api/toy/m", "--epochs", "1"]
    theirs = ["--model-base-url", endpoint, "--max-samples", "1"]
    with subprocess.Popen(
        [*SUPERSEDE, *command, "--log-dir", str(tmp_path), "--", *theirs],
        env={**os.environ, "TOY_API_KEY": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as running:
        assert Mortal.waiting.wait(60)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    (log,) = tmp_path.glob("*.eval")
    said = f"2 of 6 replies are graded and in {log}; go on with: inspect eval-retry {log}"
    assert said in err.splitlines(), err
    assert err.endswith("error: interrupted\n")
    assert "Traceback" not in err


def test_help_lists_every_model_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "eval", "evolve", "--help")
    said = " ".join(out.split())
    for name in ("smollm2", *(f"supersede/{name}" for name in BASELINES)):
        assert f"{name} (" in said


def test_help_loads_no_inspect() -> None:
    code = (
        "import sys; from supersede.cli.main import main\n"
        "try: main(['eval', 'evolve', '--help'])\n"
        "except SystemExit: assert 'inspect_ai' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "supersede eval evolve" in done.stdout

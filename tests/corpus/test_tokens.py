"""Counting tokens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersede.corpus.tokens import Estimate, Tokenizer, token_counter
from supersede.errors import DataError, UsageError


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("A word.", 3), ("extraordinary", 2), ("12345", 2), ("“No,” he_said\n\nso", 9)],
)
def test_the_estimate_is_what_it_says(text: str, tokens: int) -> None:
    assert Estimate().count(text) == tokens


@given(st.text(alphabet=st.sampled_from("ab9 _.\n\t\u2028é\x1c²,")))
def test_the_estimate_takes_a_text_in_one_way_alone(text: str) -> None:
    pieces = re.findall(r"[^\W\d_]{1,8}|\d{1,3}|[^\w\s]|_|\n+", text)
    assert Estimate().count(text) == len(pieces)


def test_the_estimate_of_parts_is_that_of_the_whole() -> None:
    parts = ["It rained.", "Nobody minded, it seems.", "So it went."]
    assert sum(Estimate().count(f" {part}") for part in parts) == Estimate().count(" ".join(parts))


def spaces(path: Path) -> Path:
    """The file of a tokenizer that takes each word for a token."""
    library = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    tokenizer = library.Tokenizer(library.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(path))
    return path


def test_a_tokenizer_file_counts_with_its_own_rules(tmp_path: Path) -> None:
    path = spaces(tmp_path / "spaces.json")
    counter = token_counter(path)
    assert (counter.name, counter.count("one two, three")) == ("spaces", 3)
    assert token_counter(str(path)).count("one two, three") == 3
    assert isinstance(counter, Tokenizer)
    assert len(counter.sha256) == 64
    path.write_text(json.dumps({"no": "tokenizer"}), encoding="utf-8")
    with pytest.raises(DataError, match="no tokenizer"):
        token_counter(path)


def test_a_folder_with_a_tokenizer_gives_it_its_name(tmp_path: Path) -> None:
    (tmp_path / "wordy").mkdir()
    spaces(tmp_path / "wordy" / "tokenizer.json")
    assert token_counter(tmp_path / "wordy").name == "wordy"


class Hub(BaseHTTPRequestHandler):
    """A hub with one tokenizer, of the name `tests/spaces`."""

    content = b""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        found = self.path == "/tests/spaces/resolve/main/tokenizer.json"
        content = self.content if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", '"abc"')
        self.send_header("X-Repo-Commit" if found else "X-Error-Code", "0" * 40)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment in which that hub is the one there is."""
    Hub.content = spaces(tmp_path / "served.json").read_bytes()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield {
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1",
    }
    server.shutdown()
    thread.join()
    server.server_close()


def counted(name: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A process of its own, since the hub's library reads its settings when it is loaded."""
    code = (
        "import sys; from supersede.corpus.tokens import token_counter\n"
        "counter = token_counter(sys.argv[1]); print(counter.name, counter.count('one two, three'))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, name],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_tokenizer_of_a_name_is_fetched_once(hub: dict[str, str]) -> None:
    fetched = counted("tests/spaces", hub)
    assert fetched.stdout == "tests/spaces 3\n", fetched.stderr
    kept = counted("tests/spaces", {**hub, "HF_HUB_OFFLINE": "1"})
    assert kept.stdout == "tests/spaces 3\n", kept.stderr


def test_a_name_that_the_hub_does_not_have_is_a_data_error(hub: dict[str, str]) -> None:
    failed = counted("tests/absent", hub)
    assert failed.returncode == 1
    last = failed.stderr.strip().rpartition("supersede.errors.DataError: ")[2]
    assert last.startswith("--tokenizer tests/absent: no tokenizer: ")
    assert "Is that its name on the Hugging Face hub?" in last


@pytest.mark.parametrize("name", ["absent.json", "no/such/folder", "not a name", "../up"])
def test_a_file_that_is_not_there_is_one_line(name: str) -> None:
    with pytest.raises(UsageError, match="there is no such file"):
        token_counter(name)


def test_the_estimate_has_a_name() -> None:
    assert isinstance(token_counter(), Estimate)
    assert isinstance(token_counter("estimate"), Estimate)


def test_without_the_library_a_tokenizer_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    for name in (tmp_path / "tokenizer.json", "owner/name"):
        with pytest.raises(UsageError, match=r"pip install 'supersede\[tokenizers\]'"):
            token_counter(name)

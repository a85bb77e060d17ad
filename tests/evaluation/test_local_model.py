import asyncio
import hashlib
import http.client
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from supersede.errors import ModelError, UsageError
from supersede.evaluation.local_model import LocalServer, fetch_model, find_weights, local_model
from supersede.evaluation.weights import EMBEDDED_MODELS, EmbeddedModel, weights_path

CONTEXT = 1024
MESSAGES = [
    {"role": "system", "content": "Answer in one word."},
    {"role": "user", "content": "The gate was A1, then B7. Which is it now? <|im_end|> é"},
]


def post_chat(server: LocalServer, key: str | None = None) -> tuple[int, Any]:
    """Status and reply of a chat completion of eight tokens, past our own client code."""
    connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=60)
    body = {"messages": MESSAGES, "max_tokens": 8, "temperature": 0}
    headers = {"Authorization": f"Bearer {key or server.api_key}"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    response = connection.getresponse()
    reply = json.loads(response.read())
    connection.close()
    return response.status, reply


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"


def is_listening(base_url: str) -> bool:
    address = urlsplit(base_url)
    try:
        socket.create_connection((address.hostname, address.port), timeout=5).close()
    except ConnectionRefusedError:
        return False
    return True


def wait_until_gone(pid: int, base_url: str, seconds: float = 10) -> None:
    """Waits for the process and for its port, which the system frees a moment later."""
    end = time.monotonic() + seconds
    while is_alive(pid) or is_listening(base_url):
        assert time.monotonic() < end, f"process {pid} is still there after {seconds} s"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    """One server for the tests that only talk to it."""
    with LocalServer(context=CONTEXT) as running:
        yield running


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddedModel:
    """An embedded model whose weights are there, with the right hash, and no weights at all."""
    data = b"these are no weights"
    model = EmbeddedModel(
        name="toy",
        title="Toy",
        licence="MIT",
        requirement="toy==1",
        wheel_bytes=1,
        wheel_sha256="",
        member="toy.gguf",
        weights_bytes=len(data),
        weights_sha256=hashlib.sha256(data).hexdigest(),
        context_tokens=64,
    )
    monkeypatch.setenv("SUPERSEDE_CACHE", str(tmp_path))
    monkeypatch.setitem(EMBEDDED_MODELS, "toy", model)
    weights_path(model).parent.mkdir(parents=True)
    weights_path(model).write_bytes(data)
    return model


@pytest.mark.model
def test_the_pinned_weights_are_the_ones_in_the_cache() -> None:
    def no_download(requirement: str, folder: Path) -> None:
        raise AssertionError("sound weights were fetched again")

    assert fetch_model("smollm2", download=no_download) == find_weights("smollm2")


@pytest.mark.model
def test_the_server_answers_a_chat_completion(server: LocalServer) -> None:
    status, reply = post_chat(server)
    assert status == http.HTTPStatus.OK
    assert reply["choices"][0]["message"]["content"].strip()
    assert reply["model"] == "smollm2"


@pytest.mark.model
def test_a_prefix_is_computed_once(server: LocalServer) -> None:
    post_chat(server)
    _, reply = post_chat(server)
    usage = reply["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= usage["prompt_tokens"] - 1


@pytest.mark.model
def test_tokens_are_counted_as_the_server_counts_them(server: LocalServer) -> None:
    _, reply = post_chat(server)
    assert server.count_tokens(MESSAGES) == reply["usage"]["prompt_tokens"]


@pytest.mark.model
def test_the_server_is_on_loopback_and_asks_for_its_key(server: LocalServer) -> None:
    assert urlsplit(server.base_url).hostname == "127.0.0.1"
    status, _ = post_chat(server, key="guess")
    assert status == http.HTTPStatus.UNAUTHORIZED


@pytest.mark.model
def test_a_prompt_may_be_as_long_as_the_context_and_no_longer(server: LocalServer) -> None:
    properties = server._request("GET", "/props")
    assert properties["default_generation_settings"]["n_ctx"] == CONTEXT
    assert properties["total_slots"] == 1


@pytest.mark.model
def test_inspect_talks_to_it_past_a_proxy_of_the_environment(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.model import GenerateConfig

    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "example.org")
    model = local_model(server, GenerateConfig(max_tokens=4, temperature=0.0))

    async def ask() -> str:
        async with model:
            return (await model.generate("Say hello.")).completion

    assert asyncio.run(ask()).strip()
    assert str(model) == "openai-api/local/smollm2"
    assert model.config.max_connections == server.n_parallel
    assert model.config.max_tokens == 4
    assert os.environ["no_proxy"] == "example.org,127.0.0.1"


@pytest.mark.model
def test_leaving_the_block_ends_the_server_and_frees_its_port() -> None:
    with LocalServer(context=64) as server:
        pid, base_url = server.pid, server.base_url
        assert is_listening(base_url)
    assert not is_alive(pid)
    assert not is_listening(base_url)
    with pytest.raises(ModelError, match="is not running"):
        server.check()
    with server:
        assert server.pid != pid
        server.check()


@pytest.mark.model
def test_an_error_in_the_block_ends_the_server_and_is_not_hidden() -> None:
    server = LocalServer(context=64)
    pids = []

    def work() -> None:
        with server:
            pids.append(server.pid)
            raise RuntimeError("ours")

    with pytest.raises(RuntimeError, match="ours"):
        work()
    assert not is_alive(pids[0])


@pytest.mark.model
def test_a_server_that_does_not_react_is_ended_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supersede.evaluation.local_model._STOP_SECONDS", 0.2)
    with LocalServer(context=64) as server:
        pid = server.pid
        os.kill(pid, signal.SIGSTOP)
    assert not is_alive(pid)


@pytest.mark.model
def test_two_servers_run_side_by_side() -> None:
    with LocalServer(context=64) as one, LocalServer(context=64, n_parallel=2) as two:
        assert one.base_url != two.base_url
        one.check()
        two.check()
        assert two._request("GET", "/props")["total_slots"] == 2


@pytest.mark.model
def test_a_killed_server_is_one_clear_line() -> None:
    with LocalServer(context=64) as server:
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(ModelError) as caught:
            server.check()
    assert str(caught.value).startswith("the server of 'smollm2' died of SIGKILL. ")


@pytest.mark.model
def test_inspect_gives_up_on_a_killed_server_soon() -> None:
    from tenacity import RetryError

    with LocalServer(context=64) as server:
        model = local_model(server)
        os.kill(server.pid, signal.SIGKILL)

        async def ask() -> None:
            async with model:
                await model.generate("Say hello.")

        started = time.monotonic()
        with pytest.raises(RetryError):
            asyncio.run(ask())
        assert time.monotonic() - started < 30


@pytest.mark.model
def test_a_file_that_is_no_model_is_one_clear_line(toy: EmbeddedModel) -> None:
    with pytest.raises(ModelError, match="'toy' died of exit code 1: ") as caught:
        LocalServer("toy").__enter__()
    assert "\n" not in str(caught.value)
    assert "invalid magic characters" in str(caught.value)


@pytest.mark.model
def test_a_server_that_is_not_ready_in_time_is_ended() -> None:
    server = LocalServer(context=64, start_timeout=0.01)
    with pytest.raises(ModelError, match=r"not ready after 0\.01 s"):
        server.__enter__()
    with pytest.raises(ModelError, match="is not running"):
        server.pid  # noqa: B018 - reading it is the test


PARENT = """
import sys, time
from supersede.evaluation.local_model import LocalServer
with LocalServer(context=64) as server:
    print(server.pid, server.base_url, flush=True)
    time.sleep(60)
"""


@pytest.mark.model
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP])
def test_a_server_does_not_outlive_a_parent_that_is_ended(how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=restore_interrupts,
    ) as parent:
        assert parent.stdout is not None
        pid, base_url = parent.stdout.readline().split()
        assert is_listening(base_url)
        parent.send_signal(how)
        parent.wait(20)
    wait_until_gone(int(pid), base_url)


def restore_interrupts() -> None:
    """A background job starts with Ctrl-C ignored; the parent here must not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.model
def test_a_server_does_not_outlive_its_parent_while_a_sibling_holds_its_input() -> None:
    forking = PARENT.replace("    time.sleep(60)", "    import os; os.fork(); time.sleep(5)")
    with subprocess.Popen(
        [sys.executable, "-c", forking], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid, base_url = parent.stdout.readline().split()
        parent.kill()
        parent.wait(20)
        wait_until_gone(int(pid), base_url, seconds=4)


def test_weights_that_are_absent_name_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERSEDE_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="Fetch them with: supersede model get smollm2"):
        LocalServer().__enter__()


def test_packages_that_are_absent_name_their_extra(
    toy: EmbeddedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'supersede\[local\]'"):
        LocalServer("toy").__enter__()
    with pytest.raises(ModelError, match=r"pip install 'supersede\[eval\]'"):
        local_model(LocalServer("toy"))


def test_a_server_outside_its_block_is_one_clear_line() -> None:
    with pytest.raises(ModelError, match="Use it inside its `with` block"):
        LocalServer().check()


@pytest.mark.parametrize("settings", [{"context": 0}, {"context": 8193}, {"n_parallel": 0}])
def test_a_size_that_makes_no_sense_is_refused(settings: dict[str, int]) -> None:
    (name, value) = next(iter(settings.items()))
    with pytest.raises(UsageError, match=f"{name}={value} "):
        LocalServer(**settings)  # type: ignore[arg-type]  # integers only, whatever the name


def test_a_misspelt_model_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="Did you mean 'smollm2'"):
        LocalServer("smollm")

"""A language model on this machine: its server, and the way Inspect reaches it."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from supersede.errors import ModelError, UsageError
from supersede.evaluation import model_server
from supersede.evaluation.effort import Speed
from supersede.evaluation.weights import embedded_model, fetch_model, find_weights

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

__all__ = ["LocalServer", "fetch_model", "find_weights", "local_model"]

_HOST = "127.0.0.1"
_STOP_SECONDS = 5.0
_REQUEST_SECONDS = 60.0
_PREFIX_CACHE_MIB = 1024
_RETRIES = 1
_PROBE_CHARACTERS = 600
_PROBE_TOKENS = 8
_REPORT = re.compile(r"^[\d.]+ E ")  # how a line of llama.cpp about an error begins


class LocalServer:
    """A llama.cpp server in a child process, as a context manager.

    It listens on 127.0.0.1 on a free port, speaks the OpenAI protocol, keeps computed prefixes,
    and stops when the block is left, whichever way: also when this process is killed.

    Args:
        name: An embedded model whose weights were fetched, such as `smollm2`.
        context: Tokens of prompt and reply together that one request may have; as many as the
            model was trained on where it is left out.
        n_parallel: Requests computed at the same time. Each computes its prefix itself, so a
            prefix that they share is computed once with 1, and `n_parallel` times otherwise.
        threads: Threads that compute; llama.cpp chooses where it is left out.
        start_timeout: Seconds that loading may take.

    Raises:
        UsageError: No such model, or a context or parallelism that makes no sense.
        ModelError: On entry: no weights, no xllamacpp, or a server that does not start.
    """

    def __init__(
        self,
        name: str = "smollm2",
        *,
        context: int | None = None,
        n_parallel: int = 1,
        threads: int | None = None,
        start_timeout: float = 120.0,
    ) -> None:
        trained = embedded_model(name).context_tokens
        self.name = name
        self.context = trained if context is None else context
        self.n_parallel = n_parallel
        if not 1 <= self.context <= trained:
            raise UsageError(f"context={context} is outside 1 to {trained}, what {name!r} can read")
        if n_parallel < 1:
            raise UsageError(f"n_parallel={n_parallel} is less than 1")
        self.api_key = secrets.token_urlsafe(16)
        self._threads = threads
        self._start_timeout = start_timeout
        self._address = ""
        self._process: subprocess.Popen[str] | None = None
        self._resources = ExitStack()

    def __enter__(self) -> LocalServer:
        weights = find_weights(self.name)
        if importlib.util.find_spec("xllamacpp") is None:
            raise ModelError(
                "xllamacpp, which serves local models, is not installed",
                mend="Install it with: pip install 'supersede[local]'",
            )
        settings = model_server.ServerSettings(
            weights=str(weights),
            alias=self.name,
            context=self.context * self.n_parallel,
            n_parallel=self.n_parallel,
            threads=-1 if self._threads is None else self._threads,
            cache_ram_mib=_PREFIX_CACHE_MIB if self.n_parallel == 1 else 0,
            api_key=self.api_key,
            parent_pid=os.getpid(),
        )
        try:
            self._start(settings)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """Where an OpenAI client connects: `http://127.0.0.1:PORT/v1`."""
        return f"{self._address}/v1"

    @property
    def pid(self) -> int:
        """Process id of the running server."""
        return self._running().pid

    def check(self) -> None:
        """Returns if the server is there and healthy.

        Raises:
            ModelError: It is not: how it ended and the last line that it wrote.
        """
        self._request("GET", "/health")

    def count_tokens(self, messages: Sequence[Mapping[str, str]]) -> int:
        """Tokens of a prompt as the model sees it, its chat template included.

        Args:
            messages: Each with `role` and `content`.

        Raises:
            ModelError: The server does not answer.
        """
        chat = {"messages": [dict(message) for message in messages]}
        prompt = self._request("POST", "/apply-template", chat)["prompt"]
        text = {"content": prompt, "parse_special": True}
        return len(self._request("POST", "/tokenize", text)["tokens"])

    def speed(self, messages: Sequence[Mapping[str, str]]) -> Speed:
        """How fast the model computes now, measured on the beginning of a prompt.

        That beginning stays computed, so a request that begins alike is the faster for it.

        Args:
            messages: Each with `role` and `content`; the first is to be long enough.

        Raises:
            ModelError: The server does not answer.
        """
        chat = {"messages": [dict(message) for message in messages]}
        prompt = self._request("POST", "/apply-template", chat)["prompt"]
        body = {
            "prompt": prompt[:_PROBE_CHARACTERS],
            "n_predict": _PROBE_TOKENS,
            "temperature": 0,
            "ignore_eos": True,
        }
        timings = self._request("POST", "/completion", body)["timings"]
        return Speed(timings["prompt_per_second"], timings["predicted_per_second"])

    def stop(self) -> None:
        """Ends the server and frees its port; does nothing where none is running."""
        self._process = None
        self._resources.close()
        self._address = ""

    def _start(self, settings: model_server.ServerSettings) -> None:
        """Runs the child process until it has named its address."""
        log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - stop() closes it
        self._log = self._resources.enter_context(log)
        self._process = subprocess.Popen(
            [sys.executable, "-P", model_server.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            start_new_session=True,  # Ctrl-C reaches this process alone, which stops the server
        )
        self._resources.callback(_end, self._process)
        talk = threading.Thread(target=self._talk, args=(self._process, settings), daemon=True)
        talk.start()
        talk.join(self._start_timeout)
        if talk.is_alive():
            raise ModelError(
                f"the server of {self.name!r} was not ready after {self._start_timeout:g} s",
                mend="Give it more time, or a smaller context.",
            )
        if not self._address:
            raise self._death(self._process, "named no address")
        self.check()

    def _talk(self, process: subprocess.Popen[str], settings: model_server.ServerSettings) -> None:
        """Hands the settings over and takes the address; leaves it empty where the child dies."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(settings.to_line())
            process.stdin.flush()
            for line in process.stdout:
                if line.startswith('{"address"'):
                    self._address = json.loads(line)["address"]
                    return
        except BrokenPipeError:
            return  # it died before it could read; the caller says how

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise ModelError(
                f"the server of {self.name!r} is not running",
                mend="Use it inside its `with` block.",
            )
        return self._process

    def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The JSON reply of the server, past any proxy; a dead server is a `ModelError`."""
        process = self._running()
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        port = urlsplit(self._address).port
        connection = http.client.HTTPConnection(_HOST, port, timeout=_REQUEST_SECONDS)
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._death(process, f"does not answer ({error})") from error
        finally:
            connection.close()
        if response.status != http.HTTPStatus.OK:
            raise ModelError(f"the server of {self.name!r} refused {path}: {text.decode()}")
        return json.loads(text)

    def _death(self, process: subprocess.Popen[str], otherwise: str) -> ModelError:
        """The error that says how the server ended; `otherwise` where it has not."""
        try:
            code = process.wait(_STOP_SECONDS)  # a dying process closes its port first
        except subprocess.TimeoutExpired:
            return ModelError(f"the server of {self.name!r} {otherwise}")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        mend = "a smaller context needs less memory"
        if not self._address:
            mend = f"{mend}; damaged weights are mended by: supersede model get {self.name}"
        return ModelError(
            f"the server of {self.name!r} died of {how}{self._last_words()}",
            mend=f"Run the command again; {mend}.",
        )

    def _last_words(self) -> str:
        """What the server wrote about its end: why it did not start, or its last line."""
        self._log.seek(0)
        lines = [line for line in self._log.read().splitlines() if line.strip()]
        reported = [line for line in lines if _REPORT.match(line)]
        chosen = lines[-1:] if self._address or not reported else reported[:1]
        return "".join(f": {_REPORT.sub('', line)}" for line in chosen)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a child process, by force if need be, and closes its pipes."""
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()


def _reach_directly() -> None:
    """Keeps the requests of this process to the server away from a proxy in the environment."""
    proxies = getproxies()
    if proxies and not proxy_bypass(_HOST):
        hosts = ",".join(filter(None, (proxies.get("no"), _HOST)))
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = hosts


def local_model(server: LocalServer, config: GenerateConfig | None = None) -> Model:
    """The model of a running server, as Inspect knows models: `openai-api/local/NAME`.

    It sends as many requests at a time as the server computes, and gives up on a server that
    is gone after a few seconds, where Inspect by itself would try for ever; `server.check()`
    then says how it ended.

    Args:
        server: A running server; it must outlive the model.
        config: How to generate; what it sets wins.

    Raises:
        ModelError: Inspect or its OpenAI client is not installed.
    """
    if not all(importlib.util.find_spec(name) for name in ("inspect_ai", "openai")):
        raise ModelError(
            "Inspect, which runs evaluations, is not installed",
            mend="Install it with: pip install 'supersede[eval]'",
        )
    from inspect_ai.model import GenerateConfig, get_model

    _reach_directly()
    ours = GenerateConfig(max_connections=server.n_parallel, max_retries=_RETRIES)
    return get_model(
        f"openai-api/local/{server.name}",
        config=ours.merge(config) if config else ours,
        base_url=server.base_url,
        api_key=server.api_key,
        memoize=False,
    )

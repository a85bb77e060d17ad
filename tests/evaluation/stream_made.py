"""Streams that bear marks in chunks and questions, and a server that keeps what it saw."""

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from supersede.model.stream import Evidence, Stream, StreamQuestion

PLACES = ("hall", "garden", "kitchen", "attic")
MARK = re.compile(r"<(\w+) piece (\d+)>")
ASKED = re.compile(r"Where is thing(\d+)\?")


def marked(name: str, chunks: int, questions: int) -> Stream:
    """A stream whose every chunk says which it is."""
    texts = tuple(f"<{name} piece {n}> " + f"It rained on day {n}. " * 20 for n in range(chunks))
    rows = []
    for n in range(questions):
        truth = ["Unknown" if t < n % 3 else PLACES[(t + n) // 2 % 4] for t in range(chunks)]
        evidence = tuple(None if a == "Unknown" else Evidence(t, a) for t, a in enumerate(truth))
        rows.append(
            StreamQuestion(
                f"q{n}", f"Where is thing{n}?", "tracking", tuple((a,) for a in truth), evidence
            )
        )
    return Stream(name, texts, tuple(rows), "babi")


class Call(NamedTuple):
    """Which question of which stream a prompt asks, and when."""

    stream: str
    interval: int
    question: str


def call_of(prompt: str) -> Call:
    """The call that a prompt makes, read from the marks in it."""
    pieces = MARK.findall(prompt)
    asked = ASKED.findall(prompt)
    assert len(asked) == 1
    return Call(pieces[-1][0], max(int(n) for _, n in pieces), f"q{asked[0]}")


def echo(prompt: str) -> str:
    """An answer that depends on nothing but the prompt."""
    return f"## Answer: {PLACES[hashlib.sha256(prompt.encode()).digest()[0] % 4]}"


class Fault(NamedTuple):
    """What a server does instead of answering."""

    status: int = 200
    body: bytes = b""
    length: int | None = None
    """Content-Length where it lies."""
    sleep: float = 0.0
    dies: bool = False


Misbehave = Callable[[Call, int], Fault | None]
"""From a call, and how often it was made before, to what goes wrong."""


def completion(text: str, finish: str = "stop", cached: int = 0, prompt: int = 1) -> bytes:
    """A reply of the OpenAI protocol."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": text},
    }
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": 4,
        "total_tokens": prompt + 4,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    found = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
    return json.dumps({**found, "choices": [choice], "usage": usage}).encode()


class EchoServer:
    """Answers from the prompt alone, and notes every call."""

    def __init__(
        self, misbehave: Misbehave, seconds: float, answer: Callable[[str], str] = echo
    ) -> None:
        self.calls: list[Call] = []
        self.prompts: list[str] = []
        self.misbehave = misbehave
        self.seconds = seconds
        self.answer = answer
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.last = ""

    def wait_for(self, calls: int, limit: float = 60.0) -> bool:
        """Waits until so many calls were made."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.calls) >= calls, limit)

    def reply(self, body: Any) -> Fault:
        """What goes back for a request."""
        text = _text(body["messages"])
        call = call_of(text)
        with self.changed:
            before = self.calls.count(call)
            self.calls.append(call)
            self.prompts.append(text)
            common = _common(self.last, text)
            self.last = text
            self.changed.notify_all()
        time.sleep(self.seconds)
        fault = self.misbehave(call, before)
        return fault or Fault(body=completion(self.answer(text), cached=common, prompt=len(text)))


def _text(messages: list[dict[str, Any]]) -> str:
    parts = []
    for message in messages:
        content = message["content"]
        texts = [content] if isinstance(content, str) else [part["text"] for part in content]
        parts.append("\n".join(texts))
    return "\n".join(parts)


def _common(one: str, other: str) -> int:
    for n, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return n
    return min(len(one), len(other))


def fine(call: Call, before: int) -> Fault | None:
    """Nothing goes wrong."""
    return None


@contextmanager
def serving(
    misbehave: Misbehave = fine, seconds: float = 0.0, answer: Callable[[str], str] = echo
) -> Iterator[tuple[EchoServer, str]]:
    """A running server and its address."""
    echo_server = EchoServer(misbehave, seconds, answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            fault = echo_server.reply(json.loads(self.rfile.read(length)))
            time.sleep(fault.sleep)
            if fault.dies:
                threading.Thread(target=server.shutdown).start()
                server.server_close()
                return
            try:
                self.send_response(fault.status)
                self.send_header("Content-Type", "application/json")
                size = len(fault.body) if fault.length is None else fault.length
                self.send_header("Content-Length", str(size))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(fault.body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the caller did not wait, or was killed

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield echo_server, f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

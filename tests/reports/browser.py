"""Headless Chromium, told what to do through a pair of pipes: no driver, no port, no package."""

from __future__ import annotations

import json
import os
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_PATIENCE = 60.0


class Pipe:
    """The line to one browser, which all its pages share."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive, self._rest, self._number = send, receive, b"", 0
        self.pages: dict[str, Browser] = {}

    def call(self, method: str, parameters: dict[str, Any], session: str = "") -> dict[str, Any]:
        """What a method of the DevTools protocol gives back."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            found = self.next()
            if found.get("id") == self._number:
                assert "error" not in found, f"{method}: {found.get('error')}"
                result: dict[str, Any] = found["result"]
                return result

    def next(self) -> dict[str, Any]:
        """The next message, which its page has noted."""
        while b"\0" not in self._rest:
            piece = os.read(self._receive, 1 << 16)
            assert piece, "the browser ended"
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        page = self.pages.get(message.get("sessionId", ""))
        if page is not None:
            page.note(message)
        return message


class Browser:
    """A page in a browser, and all that it complained about.

    Args:
        pipe: The line to the browser.
        context: Its cookies and storage; the browser's own where left out.
    """

    def __init__(self, pipe: Pipe, context: str = "") -> None:
        self.pipe, self.context = pipe, context
        self.complaints: list[str] = []
        self.home = ""
        """Where requests may go besides files."""
        self.paused: list[str] = []
        """Requests that were stopped on their way, as `Fetch.enable` asked."""
        self._events: list[str] = []
        where = {"browserContextId": context} if context else {}
        target = pipe.call("Target.createTarget", {"url": "about:blank", **where})["targetId"]
        attached = pipe.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session: str = attached["sessionId"]
        pipe.pages[self._session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def tab(self) -> Browser:
        """Another page with the same cookies and storage."""
        return Browser(self.pipe, self.context)

    def crash(self) -> None:
        """Ends the page as if the browser had died: nothing in it is told."""
        targets = self.pipe.call("Target.getTargets", {})["targetInfos"]
        own = self.call("Target.getTargetInfo")["targetInfo"]["targetId"]
        assert own in [target["targetId"] for target in targets]
        del self.pipe.pages[self._session]
        self.pipe.call("Target.closeTarget", {"targetId": own})

    def stranger(self) -> Browser:
        """A page with cookies and storage of its own, as on another machine."""
        made = self.pipe.call("Target.createBrowserContext", {})
        return Browser(self.pipe, made["browserContextId"])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What a method of the DevTools protocol gives back."""
        return self.pipe.call(method, parameters, self._session)

    def note(self, message: dict[str, Any]) -> None:
        """Takes down what the page complains about."""
        method, parameters = message.get("method", ""), message.get("params", {})
        self._events.append(method)
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.complaints.append(json.dumps(parameters["args"]))
        elif method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith(("file:", "about:", self.home or "file:")):
                self.complaints.append(f"fetches {url[:100]}")
        elif method == "Fetch.requestPaused":
            self.paused.append(parameters["requestId"])

    def open(self, page: Path) -> Self:
        """Opens a file and waits until it is there."""
        return self.go(page.absolute().as_uri())

    def go(self, address: str) -> Self:
        """Opens an address and waits until it is there."""
        self._events.clear()
        self.call("Page.navigate", url=address)
        until = time.monotonic() + _PATIENCE
        while "Page.loadEventFired" not in self._events:
            assert time.monotonic() < until, "the page did not load"
            self.pipe.next()
        return self

    def look(self, width: int, dark: bool = False, height: int = 900) -> Self:
        """Sets the width of the window and the scheme that the reader prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        return self

    def value(self, expression: str) -> Any:
        """What an expression gives on the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def screenshot(self, path: Path, whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(b64decode(shot["data"]))


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own, which ends with the block."""
    to_read, send = os.pipe()
    receive, to_write = os.pipe()
    flags = " ".join(_FLAGS)
    command = f'exec chromium {flags} --user-data-dir="$1" 3<&{to_read} 4>&{to_write} 2>/dev/null'
    process = subprocess.Popen(
        ["bash", "-c", command, "-", str(profile)], pass_fds=(to_read, to_write)
    )
    os.close(to_read)
    os.close(to_write)
    try:
        yield Browser(Pipe(send, receive))
    finally:
        os.close(send)
        os.close(receive)
        process.terminate()
        process.wait(timeout=_PATIENCE)

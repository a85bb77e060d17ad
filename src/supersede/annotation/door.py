"""Who may come in: which names the server answers to, who asks from where, and who is signed in."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from supersede.errors import UsageError

__all__ = ["HEADERS", "LARGEST", "Door", "Names"]

LARGEST = 1_000_000
"""Bytes of a request."""

HEADERS = {
    # No script, style or picture but the app's own files; nothing may frame it or send it forms.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every response."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names that browsers may call the server by.

    A page of somebody else that points its own name at this server (DNS rebinding) calls it by
    that name, which is none of these.
    """

    hosts: frozenset[str]
    """As in the header `Host`, with the port where it is not the usual one."""
    origins: frozenset[str]
    """As in the header `Origin`."""
    any_address: int | None = None
    """The port at which every bare IP address is a name too, since no name can be rebound to one;
    None where only `hosts` count."""

    @classmethod
    def of(cls, host: str, port: int, origins: Iterable[str] = ()) -> Names:
        """The names of a server.

        Args:
            host: What it listens on.
            port: Where.
            origins: Further ones, of a proxy in front of it, as `https://name` or with a port.

        Raises:
            UsageError: One is no origin.
        """
        named = [f"[{host}]" if ":" in host else host]
        loopback = is_loopback(host)
        if loopback:
            named = ["localhost", "127.0.0.1", "[::1]"]
        hosts = {f"{name}:{port}" for name in named} | ({*named} if port == 80 else set())
        own = {f"http://{name}" for name in hosts}
        for origin in origins:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/"):
                raise UsageError(
                    f"{origin!r} is no origin", mend="Say it like https://annotate.example.org"
                )
            hosts.add(parts.netloc.lower())
            own.add(f"{parts.scheme}://{parts.netloc.lower()}")
        return cls(frozenset(hosts), frozenset(own), None if loopback else port)

    def answers_to(self, host: str) -> bool:
        """Whether a `Host` is one of the names."""
        return host.lower() in self.hosts or self._is_address(host)

    def knows(self, origin: str) -> bool:
        """Whether an `Origin` is the app's own."""
        name = origin.lower()
        return name in self.origins or (
            name.startswith("http://") and self._is_address(name.removeprefix("http://"))
        )

    def _is_address(self, host: str) -> bool:
        if self.any_address is None:
            return False
        name, colon, port = host.rpartition(":")
        if not colon or port.endswith("]"):
            name, port = host, "80"
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return port == str(self.any_address)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Door:
    """Lets a request through to the app, or says why not; puts `HEADERS` on every response.

    Args:
        app: The app.
        names: What the server is called.
    """

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        refused = self._refusal(scope["method"], headers)

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out[name] = value
            await send(message)

        if refused:
            status, why = refused
            response = JSONResponse({"error": {"kind": "refused", "message": why}}, status)
            await response(scope, receive, dressed)
            return
        await self.app(scope, receive, dressed)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self.names.answers_to(host):
            return 421, f"this server is not called {host!r}"
        foreign = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        followed = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if foreign and not followed:  # following a link from elsewhere is no harm; fetching is
            return 403, "another site asks"
        if method in ("GET", "HEAD"):
            return None
        if method != "POST":
            return 405, f"{method} is not used here"
        if not self.names.knows(headers.get("origin", "")):
            return 403, "a change must come from the app's own page"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "a change is JSON"
        if "transfer-encoding" in headers:  # it would count, and the length beside it would not
            return 411, "a change says its length, and comes in one piece"
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return 411, "a change says its length"
        if int(length) > LARGEST:
            return 413, f"more than {LARGEST:,} bytes"
        return None

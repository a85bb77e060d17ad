"""The application: its files, and the API that the page talks to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from supersede.annotation.door import Door, Names
from supersede.annotation.seat import Seat
from supersede.annotation.strokes import Fields, stroke
from supersede.annotation.wire import (
    book_data,
    disagreements,
    overview_data,
    page_data,
    progress_data,
    timelines_data,
)
from supersede.errors import SupersedeError, UsageError
from supersede.model.text import whole
from supersede.novels.project import Annotator, Project
from supersede.novels.refusals import Forbidden, StaleEdit

__all__ = ["Access", "make_site"]

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_SETTINGS = ("place", "keys", "theme", "introduced")
_LARGEST_SETTING = 20_000
_MOST_LEVELS = 20
_YEAR = 365 * 24 * 3600
_NO_STORE = {"cache-control": "no-store"}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the app."""

    names: Names
    """What the server is called."""
    alone: str = ""
    """The annotator who needs no sign-in; empty where everybody signs in."""
    cookie: str = "supersede"
    """Name of the cookie; cookies know no ports, so it should say the port."""


def make_site(project: Project, access: Access) -> ASGIApp:
    """The application over a project.

    Args:
        project: The project; it stays open as long as the application runs.
        access: Who may use it.
    """
    site = _Site(project, access)
    routes = [
        Route("/", _file("index.html")),
        *(Route(f"/{name}", _file(name)) for name in _names() if name != "index.html"),
        Route("/api/me", site.reading(site.me)),
        Route("/api/sign-in", site.sign_in, methods=["POST"]),
        Route("/api/sign-out", site.sign_out, methods=["POST"]),
        Route("/api/settings", site.writing(site.remember), methods=["POST"]),
        Route("/api/books/{book}/pages/{chunk}", site.reading(site.page)),
        Route("/api/books/{book}/progress", site.reading(site.progress)),
        Route("/api/books/{book}/overview", site.reading(site.overview)),
        Route("/api/books/{book}/disagreements", site.reading(site.disagreements)),
        Route("/api/books/{book}/questions/{question:path}", site.reading(site.timelines)),
        Route("/api/books/{book}/strokes", site.writing(site.stroke), methods=["POST"]),
    ]
    return Door(Starlette(routes=routes), access.names)


Reading = Callable[[Seat, Request], Any]
Writing = Callable[[Seat, Request, Fields], Any]


class _Site:
    def __init__(self, project: Project, access: Access) -> None:
        self.project = project
        self.access = access

    # Who asks

    def person(self, request: Request) -> Annotator | None:
        if self.access.alone:
            person = self.project.annotator(self.access.alone)
            return person if person.active else None  # may have been shut out since
        token = request.cookies.get(self.access.cookie, "")
        return self.project.sign_in(token) if token else None

    def reading(self, look: Reading) -> Callable[[Request], Any]:
        """A handler that answers with what a person may see."""

        async def handle(request: Request) -> Response:
            return await run_in_threadpool(self._answered, request, lambda s: look(s, request))

        return handle

    def writing(self, act: Writing) -> Callable[[Request], Any]:
        """A handler that does what the body says."""

        async def handle(request: Request) -> Response:
            body = await request.body()

            def acted(seat: Seat) -> Any:
                return act(seat, request, _fields(body))

            return await run_in_threadpool(self._answered, request, acted)

        return handle

    def _answered(self, request: Request, call: Callable[[Seat], Any]) -> Response:
        person = self.person(request)
        if person is None:
            return _refusal(401, "signed-out", "Sign in with your token.")
        if request.headers.get("x-annotator", person.id) != person.id:
            # Somebody else has signed in since in another tab: this one's work is not theirs.
            return _refusal(401, "signed-out", "Somebody else is signed in in this browser.")
        try:
            return JSONResponse(call(Seat(self.project, person.id)), headers=_NO_STORE)
        except SupersedeError as error:
            return _explained(error)

    async def sign_in(self, request: Request) -> Response:
        body = await request.body()
        try:
            fields = _fields(body)
            token = fields.text("token")
            fields.end()
        except SupersedeError as error:
            return _explained(error)
        person = await run_in_threadpool(self.project.sign_in, token)
        if person is None:
            return _refusal(401, "signed-out", "That is no token that opens this project.")
        response = JSONResponse({"id": person.id}, headers=_NO_STORE)
        response.set_cookie(
            self.access.cookie,
            token,
            max_age=_YEAR,
            httponly=True,
            samesite="strict",
            secure=request.headers.get("origin", "").startswith("https:"),
        )
        return response

    async def sign_out(self, request: Request) -> Response:
        response = JSONResponse({}, headers=_NO_STORE)
        response.delete_cookie(self.access.cookie, httponly=True, samesite="strict")
        return response

    # What may be asked

    def me(self, seat: Seat, request: Request) -> Any:
        return {
            "id": seat.me,
            "name": seat.person.name,
            "role": seat.person.role,
            "project": seat.project_mark(),
            "alone": bool(self.access.alone),
            "settings": seat.preferences(),
            "books": [
                {**book_data(card), "adjudicates": seat.adjudicates(card.id)}
                for card in seat.books()
            ],
        }

    def remember(self, seat: Seat, request: Request, fields: Fields) -> Any:
        name, value = fields.text("name"), fields.value("value")
        fields.end()
        if name not in _SETTINGS:
            raise UsageError(f"unknown setting {name!r}")
        if len(json.dumps(value)) > _LARGEST_SETTING:
            raise UsageError(f"the setting {name!r} is too long")
        seat.remember(name, value)
        return {}

    def page(self, seat: Seat, request: Request) -> Any:
        chunk = _count("chunk", request.path_params["chunk"])
        return page_data(seat, request.path_params["book"], chunk)

    def progress(self, seat: Seat, request: Request) -> Any:
        start = _count("start", request.query_params.get("start", "0"))
        who = request.query_params.get("who", "")
        return progress_data(seat.progress(request.path_params["book"], who, start=start))

    def overview(self, seat: Seat, request: Request) -> Any:
        return overview_data(seat, request.path_params["book"])

    def disagreements(self, seat: Seat, request: Request) -> Any:
        return disagreements(seat, request.path_params["book"])

    def timelines(self, seat: Seat, request: Request) -> Any:
        return timelines_data(seat, request.path_params["book"], request.path_params["question"])

    def stroke(self, seat: Seat, request: Request, fields: Fields) -> Any:
        name = fields.text("id")
        if not 8 <= len(name) <= 64:
            raise UsageError("a stroke has an id of its own, of 8 to 64 characters")
        book = request.path_params["book"]
        return seat.once(name, lambda: stroke(seat, book, fields))


def _count(name: str, text: str) -> int:
    """The number of a chunk in an address."""
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{name}={text[:20]!r} is no chunk")
    return int(text)


def _fields(body: bytes) -> Fields:
    """The fields of a body, which is JSON of finite numbers and a few levels.

    NaN could be read and not be written again, and would break every later reply that holds it.
    Half of a surrogate pair, as of an emoji that was cut, could not be kept; it becomes `?`.
    """
    try:
        data = json.loads(body)
        if _levels(data) > _MOST_LEVELS:
            raise UsageError(f"a request is nested in more than {_MOST_LEVELS} levels")
        data = json.loads(whole(json.dumps(data, ensure_ascii=False, allow_nan=False)))
    except (ValueError, RecursionError):
        raise UsageError("a request is JSON, in UTF-8, of finite numbers") from None
    return Fields(data)


def _levels(data: object) -> int:
    """How deep lists and objects are nested in one another."""
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else None
    return 0 if inside is None else 1 + max(map(_levels, inside), default=0)


def _explained(error: SupersedeError) -> Response:
    """An error as the page can show it."""
    told: dict[str, Any] = {"message": str(error)}
    if isinstance(error, StaleEdit):
        told |= {"kind": "stale", "revision": error.revision, "current": error.current}
        status = 409
    elif isinstance(error, Forbidden):
        told["kind"] = "forbidden"
        status = 403
    elif isinstance(error.__context__, sqlite3.OperationalError):
        told["kind"] = "busy"  # the same request may do later
        status = 503
    else:
        told["kind"] = "wrong"
        status = 422
    return JSONResponse({"error": told}, status, headers=_NO_STORE)


def _refusal(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"error": {"kind": kind, "message": message}}, status, headers=_NO_STORE)


def _folder() -> Any:
    return resources.files("supersede.annotation") / "page"


def _names() -> list[str]:
    """The files of the page, which are all that is served."""
    return sorted(found.name for found in _folder().iterdir() if found.is_file())


def _file(name: str) -> Callable[[Request], Any]:
    """A handler that gives one file of the page."""
    content = (_folder() / name).read_bytes()
    kind = _TYPES[name.rpartition(".")[2]]

    async def handle(request: Request) -> Response:
        return Response(content, media_type=kind, headers={"cache-control": "no-cache"})

    return handle

"""The web app over a small project, and people who talk to it without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from starlette.testclient import TestClient
from tests.novels.made import project

from supersede.annotation.door import Names
from supersede.annotation.site import Access, make_site
from supersede.novels.project import Project

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"


class Visitor:
    """Somebody with a browser of their own.

    Args:
        made: The project.
        token: What they sign in with; nothing to stay outside.
        alone: The annotator who needs no sign-in.
    """

    def __init__(self, made: Project, token: str = "", alone: str = "") -> None:
        access = Access(Names.of("127.0.0.1", 8765), alone)
        self.client = TestClient(make_site(made, access), base_url=ORIGIN)
        if token:
            assert self.post("/api/sign-in", {"token": token})[0] == 200

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        found = self.client.get(path, headers=headers)
        return found.status_code, found.json()

    def post(self, path: str, body: object, **headers: str) -> tuple[int, Any]:
        sent = {"origin": ORIGIN, "content-type": "application/json", **headers}
        found = self.client.post(path, content=json.dumps(body), headers=sent)
        return found.status_code, found.json()

    def page(self, chunk: int, book: str = "mill") -> Any:
        status, data = self.get(f"/api/books/{book}/pages/{chunk}")
        assert status == 200, data
        return data

    def question(self, chunk: int, question: str = "q1") -> Any:
        (found,) = [seen for seen in self.page(chunk)["questions"] if seen["id"] == question]
        return found

    def act(self, do: str, *, book: str = "mill", id: str = "", **fields: object) -> Any:
        """What a stroke answers: its status and data."""
        body = {"id": id or uuid4().hex, "do": do, **fields}
        return self.post(f"/api/books/{book}/strokes", body)

    def answer(
        self, chunk: int, option: str, *, base: int = 0, mark: bool = True, question: str = "q1"
    ) -> Any:
        """An answer with the whole chunk as evidence."""
        text = self.page(chunk)["chunk"]["text"]
        evidence = [{"start": 0, "end": len(text), "quote": text}] if mark else []
        place: dict[str, Any] = {"question": question, "chunk": chunk}
        return self.act("answer", **place, option=option, base=base, evidence=evidence)


def team(folder: Path) -> tuple[Project, dict[str, Visitor]]:
    """The project of `tests.novels.made`, and a browser for ann, bob and cat."""
    made = project(folder)
    return made, {name: Visitor(made, made.new_token(name)) for name in ("ann", "bob", "cat")}

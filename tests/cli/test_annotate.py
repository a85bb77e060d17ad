"""`supersede annotate`: who is let in, and what is served to whom."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.served import Served
from tests.cli.test_main import run
from tests.novels.made import book, question

from supersede.novels.project import Project

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(book())
        made.add_questions("mill", [question()])
    return tmp_path / "project"


def asked(served: Served, path: str, cookie: str = "") -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    connection.request("GET", path, headers={"cookie": cookie} if cookie else {})
    reply = connection.getresponse()
    status, data = reply.status, json.loads(reply.read())
    connection.close()
    return status, data


def test_the_first_start_makes_an_annotator_and_says_so(folder: Path) -> None:
    with Served(folder) as served:
        assert "you are 'annotator' now, without sign-in" in served.said[0]
        status, me = asked(served, "/api/me")
        assert (status, me["id"], me["alone"]) == (200, "annotator", True)
        assert [found["id"] for found in me["books"]] == ["mill"]
        code, said = served.end()
        assert (code, said) == (0, "ended\n")
    with Project(folder) as made:
        made.add_book(book("weir"))
    with Served(folder) as served:
        assert served.said[0] == "New for 'annotator': weir"
        assert len(asked(served, "/api/me")[1]["books"]) == 2
    with Served(folder) as served:
        assert served.said[0].startswith("Annotate at http://127.0.0.1:")


def test_a_team_signs_in(folder: Path, capsys: Capture) -> None:
    nobody = run(capsys, "annotate", str(folder), "--people")
    assert nobody == (0, "nobody yet: --add NAME lets somebody in\n", "")
    code, token, told = run(capsys, "annotate", str(folder), "--add", "ann")
    assert (code, told) == (0, "That is the token of 'ann'; it is shown this once.\n")
    assert len(token.strip()) == 32
    _, _, told = run(capsys, "annotate", str(folder), "--add", "cat", "--role", "adjudicator")
    assert "'ann' is not alone any more" in told
    with Served(folder) as served:
        assert served.said[-1].startswith("Annotate at ")
        assert asked(served, "/api/me")[0] == 401
        cookie = f"supersede-{served.port}={token.strip()}"
        assert asked(served, "/api/me", cookie)[1]["id"] == "ann"
    assert run(capsys, "annotate", str(folder), "--people")[1].splitlines() == [
        "ann: annotator; annotates mill",
        "cat: adjudicator; annotates nothing",
    ]
    assert run(capsys, "annotate", str(folder), "--new-token", "ann")[1] != token
    assert run(capsys, "annotate", str(folder), "--shut-out", "cat")[1] == "'cat' is shut out\n"
    assert run(capsys, "annotate", str(folder), "--assign", "cat")[1] == "new for 'cat': mill\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "nobody may come in yet. Add the people who may"),
        (["--origin", "https://a.example"], "nobody may come in yet"),
        (["--add", "Ann"], "'Ann' is no id. Use small letters"),
        (["--add", "ann", "--book", "mull"], "there is no book 'mull'. Did you mean 'mill'?"),
        (["--add", "ann", "--people"], "--add and --people at once"),
        (["--role", "adjudicator"], "--role goes with --add"),
        (["--book", "mill"], "--book goes with --add or --assign"),
        (["--new-token", "ann"], "there is no annotator 'ann'"),
        (["--host", "203.0.113.1"], "nobody may come in yet"),
        (["--sign-in"], "nobody may come in yet"),
    ],
)
def test_mistakes_are_told_in_a_line(
    folder: Path, capsys: Capture, arguments: list[str], told: str
) -> None:
    code, out, err = run(capsys, "annotate", str(folder), *arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    with Project(folder) as made:
        assert made.annotators() == ()


def test_one_annotator_alone_is_no_team(folder: Path, capsys: Capture) -> None:
    assert run(capsys, "annotate", str(folder), "--add", "ann")[0] == 0
    assert "there is an annotator 'ann'" in run(capsys, "annotate", str(folder), "--add", "ann")[2]
    with Served(folder, "--host", "0.0.0.0") as served:  # ann alone, but others could come by
        assert "Everybody signs in with their token." in served.said
        assert "cross the network in the clear" in "".join(served.said)
    with Served(folder, "--sign-in") as served:
        assert asked(served, "/api/me")[0] == 401


def test_a_port_that_is_taken_is_told(folder: Path, capsys: Capture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, _, err = run(capsys, "annotate", str(folder), "--port", port)
    assert code == 2
    assert f"127.0.0.1:{port}: cannot listen: Address already in use" in err
    assert "Choose another --port." in err


def test_no_project_is_told(tmp_path: Path, capsys: Capture) -> None:
    code, _, err = run(capsys, "annotate", str(tmp_path / "nowhere"))
    assert code == 2
    assert "Make one from a book: supersede novel prepare" in err

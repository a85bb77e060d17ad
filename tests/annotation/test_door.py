"""Who comes in: tokens, names of the server, foreign pages, and another's blind work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.annotation.made import HOST, ORIGIN, Visitor, team
from tests.novels.made import project

from supersede.annotation.door import Names, is_loopback
from supersede.errors import UsageError

SCRIPT = "<script>alert(1)</script>"


def test_without_a_token_nothing_is_shown(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        stranger = Visitor(made)
        for path in ("/api/me", "/api/books/mill/pages/0", "/api/books/mill/overview"):
            status, refused = stranger.get(path)
            assert (status, refused["error"]["kind"]) == (401, "signed-out")
        assert stranger.act("undo")[0] == 401
        assert stranger.post("/api/sign-in", {"token": "x" * 32})[0] == 401
        assert stranger.post("/api/sign-in", {"token": ""})[0] == 401
        assert stranger.post("/api/sign-in", {"token": 5})[0] == 422
        assert not stranger.client.cookies


def test_a_token_signs_in_until_it_is_worth_nothing(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        token = made.new_token("ann")
        ann = Visitor(made)
        reply = ann.client.post("/api/sign-in", json={"token": token}, headers={"origin": ORIGIN})
        cookie = reply.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert ann.get("/api/me")[1]["id"] == "ann"
        made.new_token("ann")
        assert ann.get("/api/me")[0] == 401
        other = Visitor(made, made.new_token("bob"))
        made.shut_out("bob")
        assert other.get("/api/books/mill/pages/0")[0] == 401
        ann = Visitor(made, made.new_token("ann"))
        assert ann.post("/api/sign-out", {})[0] == 200
        assert ann.get("/api/me")[0] == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:8765"}, 421),
        ({"host": "127.0.0.1:9999"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_foreign_pages_change_nothing(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    with project(tmp_path) as made:
        ann = Visitor(made, alone="ann")
        before = made.store.last
        body = {"id": "long-enough", "do": "finish"}
        found, refused = ann.post("/api/books/mill/strokes", body, **headers)
        assert (found, refused["error"]["kind"]) == (status, "refused")
        assert made.store.last == before
        assert ann.post("/api/books/mill/strokes", body)[0] == 200


def test_a_rebound_name_reads_nothing_and_other_methods_and_sizes_are_refused(
    tmp_path: Path,
) -> None:
    with project(tmp_path) as made:
        ann = Visitor(made, alone="ann")
        assert ann.get("/api/books/mill/pages/0", host="evil.example")[0] == 421
        assert ann.get("/api/me", **{"sec-fetch-site": "cross-site"})[0] == 403
        link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
        assert ann.client.get("/", headers=link).status_code == 200
        assert ann.client.put("/api/settings", json={}).status_code == 405
        assert ann.client.get("/../../pyproject.toml").status_code == 404
        assert ann.post("/api/settings", {"name": "keys", "value": "x" * 1_100_000})[0] == 413


def test_every_response_forbids_what_the_page_does_not_need(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann = Visitor(made, alone="ann")
        for path in ("/", "/app.css", "/api/me", "/nowhere"):
            headers = ann.client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
        assert ann.client.get("/api/me").headers["cache-control"] == "no-store"


def test_blind_work_of_another_is_neither_seen_nor_changed(tmp_path: Path) -> None:
    made, people = team(tmp_path)
    with made:
        ann, bob = people["ann"], people["bob"]
        new = ann.act("add-option", question="q1", text="In a tent")[1]["option"]
        ann.answer(1, new)
        ann.act("flag", question="q1", chunk=1, reason="option-unsupported", note=SCRIPT, base=0)
        ann.act("propose", question="q1", text="Where?!", reformulation="other", base=0)
        ann.act("finish", note="through")
        seen = repr(
            [
                bob.page(1),
                bob.get("/api/me"),
                bob.get("/api/books/mill/progress"),
                bob.get("/api/books/mill/overview"),
                bob.get("/api/books/mill/questions/q1"),
            ]
        )
        for word in ("tent", "script", "Where?!", "ann.1", "'ann'", "through"):
            assert word not in seen
        for path in (
            "/api/books/mill/progress?who=ann",
            "/api/books/mill/disagreements",
            "/api/books/mull/pages/0",
            "/api/books/mull/overview",
        ):
            status, refused = bob.get(path)
            assert (status, refused["error"]["kind"]) == (403, "forbidden")
        last = made.store.last
        edit: dict[str, Any] = {"question": "q1", "option": new, "base": 1}
        assert bob.act("edit-option", **edit, text="Mine", shared=False)[0] in (403, 422)
        assert bob.act("remove-option", **edit)[0] == 403
        assert bob.answer(1, new)[0] == 422
        assert bob.act("adopt", question="q1", who="ann", base=0)[0] == 403
        assert bob.act("stage", seen="blind", stage="adjudicating")[0] == 403
        assert bob.act("drop", question="q1", reason="no", base=1)[0] == 403
        assert bob.act("undo")[1]["changed"] == 0
        assert made.store.last == last
        assert ann.question(1)["cell"]["option"] == new


def test_a_reply_that_is_kept_for_one_person_is_no_reply_to_another(tmp_path: Path) -> None:
    made, people = team(tmp_path)
    with made:
        ann, bob = people["ann"], people["bob"]
        ann.act("add-option", id="the-same-id", question="q1", text="In a tent")
        again = bob.act("add-option", id="the-same-id", question="q1", text="On a horse")[1]
        assert again == {"option": "bob.1"}


def test_a_page_of_somebody_else_is_told_that_another_one_is_signed_in(tmp_path: Path) -> None:
    made, people = team(tmp_path)
    with made:
        bob, last = people["bob"], made.store.last
        for status, refused in (
            bob.get("/api/books/mill/pages/0", **{"x-annotator": "ann"}),
            bob.post("/api/settings", {"name": "keys", "value": {}}, **{"x-annotator": "ann"}),
        ):
            assert (status, refused["error"]["kind"]) == (401, "signed-out")
        assert made.store.last == last
        assert bob.get("/api/books/mill/pages/0", **{"x-annotator": "bob"})[0] == 200


def test_names_of_a_server() -> None:
    here = Names.of("127.0.0.1", 8765)
    assert here.answers_to(HOST)
    assert here.answers_to("LOCALHOST:8765")
    assert here.answers_to("[::1]:8765")
    assert here.knows(ORIGIN)
    for name in ("localhost", "localhost:80", "10.0.0.1:8765", "localhost.evil.example:8765", ""):
        assert not here.answers_to(name)
    wide = Names.of("0.0.0.0", 9000, ["https://annotate.example.org"])
    assert wide.answers_to("192.168.1.7:9000")
    assert wide.answers_to("[fe80::1]:9000")
    assert wide.answers_to("annotate.example.org")
    assert wide.knows("https://annotate.example.org")
    assert wide.knows("http://192.168.1.7:9000")
    for name in ("evil.example:9000", "192.168.1.7:80", "192.168.1.7", "1.2.3.4.evil.example:9000"):
        assert not wide.answers_to(name)
    for name in ("http://evil.example:9000", "https://192.168.1.7:9000", "null", ""):
        assert not wide.knows(name)
    assert Names.of("192.168.1.7", 80).answers_to("192.168.1.7")
    with pytest.raises(UsageError, match="is no origin"):
        Names.of("0.0.0.0", 9000, ["annotate.example.org"])
    assert [is_loopback(h) for h in ("localhost", "127.0.0.2", "::1", "0.0.0.0", "a.b")] == [
        True,
        True,
        True,
        False,
        False,
    ]

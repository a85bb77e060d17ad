"""What no page of ours sends: it is refused with a reason, and breaks nothing that comes later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.made import ORIGIN, Visitor, team
from tests.novels.made import project

from supersede.novels.annotations import FlagReason

REASON = str(next(iter(FlagReason)))


@pytest.fixture
def ann(tmp_path: Path) -> Visitor:
    return team(tmp_path)[1]["ann"]


def sent(who: Visitor, path: str, body: bytes | str, **headers: str) -> tuple[int, str]:
    """What a body is answered as it stands."""
    given = {"origin": ORIGIN, "content-type": "application/json", **headers}
    found = who.client.post(path, content=body, headers=given)
    return found.status_code, found.text


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1e999", "[" * 50 + "]" * 50, '"\\ud83d"'])
def test_no_setting_breaks_the_page_that_reads_it(ann: Visitor, value: str) -> None:
    status, text = sent(ann, "/api/settings", f'{{"name": "place", "value": {value}}}')
    assert (status, text) == (200, "{}") if "ud83d" in value else status == 422
    status, me = ann.get("/api/me")
    assert status == 200
    assert me["settings"].get("place", "?") == "?"


def test_half_of_a_sign_is_a_question_mark_wherever_it_is_typed(ann: Visitor) -> None:
    half = "\ud83d"
    place: dict[str, Any] = {"question": "q1", "chunk": 0, "reason": REASON, "base": 0}
    assert ann.act("flag", note=f"cut {half}", **place)[0] == 200
    assert ann.question(0)["flags"][0]["note"] == "cut ?"
    assert ann.act("add-option", question="q1", text=f"At the {half}inn")[0] == 200
    assert ann.act("flag", **{**place, "question": half})[0] == 403
    assert ann.post("/api/sign-in", {"token": half})[0] == 401


def test_control_signs_are_no_part_of_what_is_typed(ann: Visitor) -> None:
    assert ann.act("add-option", question="q1", text="Up\0 the\x1b[31m hill\x07")[0] == 200
    assert "Up  the [31m hill" in [option["text"] for option in ann.question(0)["options"]]


@pytest.mark.parametrize("number", ["-1", "1.0", "x", "9" * 30, "9" * 5_000, "\u00b2"])
def test_a_page_of_no_number_is_none(ann: Visitor, number: str) -> None:
    status, said = ann.get(f"/api/books/mill/pages/{number}")
    assert (status, said["error"]["kind"]) == (422, "wrong")
    assert "is no chunk" in said["error"]["message"]


def test_a_long_value_of_the_wrong_type_is_not_said_in_full(ann: Visitor) -> None:
    status, said = ann.act("flag", question=["x" * 100_000], chunk=0, reason=REASON, base=0)
    assert status == 422
    assert len(said["error"]["message"]) < 200


@pytest.mark.parametrize("text", ["In the mill", " in THE mill. ", "\u200bIn the mill"])
def test_an_option_that_is_there_is_not_added_again(ann: Visitor, text: str) -> None:
    status, said = ann.act("add-option", question="q1", text=text)
    assert (status, said["error"]["message"]) == (
        422,
        "mill/q1: there is an option 'In the mill'. Choose that one.",
    )


def test_an_option_that_only_somebody_else_has_may_be_added(tmp_path: Path) -> None:
    _, people = team(tmp_path)
    for name in ("ann", "bob"):
        assert people[name].act("add-option", question="q1", text="On the hill")[0] == 200


def test_what_is_not_there_is_not_taken_away(ann: Visitor) -> None:
    before = ann.page(0)["can_undo"]
    place: dict[str, Any] = {"question": "q1", "chunk": 2**52}
    assert ann.act("clear", **place, base=0) == (200, {"revision": 0})
    assert ann.act("unflag", **place, reason=REASON, base=0) == (200, {"revision": 0})
    assert ann.act("remove-option", question="q1", option="none", base=0) == (200, {"revision": 0})
    assert ann.act("clear", **place, base=7)[0] == 409
    assert ann.page(0)["can_undo"] == before is False
    assert ann.act("undo")[1]["changed"] == 0


@pytest.mark.parametrize("name", ["..", "a\nb", "\u200b", "x" * 101])
def test_a_question_needs_an_id_that_one_can_see(tmp_path: Path, name: str) -> None:
    cat = team(tmp_path)[1]["cat"]
    status, said = cat.act("add-question", question=name, text="Where?", options=[])
    assert status == 422
    assert "is no id of a question" in said["error"]["message"]


def test_a_question_says_something_and_its_id_may_have_a_slash(tmp_path: Path) -> None:
    cat = team(tmp_path)[1]["cat"]
    said = cat.act("add-question", question="one/two", text="\u200b\u200e", options=[])[1]
    assert "a question says nothing" in said["error"]["message"]
    assert cat.act("add-question", question="one/two", text="Where?", options=[])[0] == 200
    status, line = cat.get("/api/books/mill/questions/one%2Ftwo")
    assert (status, line["question"]) == (200, "one/two")


def test_a_length_that_does_not_count_is_none(ann: Visitor) -> None:
    """With both headers it is the pieces that count, and they never end."""
    body = json.dumps({"id": "12345678", "do": "undo"})
    status, said = sent(ann, "/api/books/mill/strokes", body, **{"transfer-encoding": "chunked"})
    assert status == 411
    assert "in one piece" in said


def test_who_was_alone_and_is_shut_out_sees_nothing_more(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann = Visitor(made, alone="ann")
        assert ann.get("/api/me")[0] == 200
        made.shut_out("ann")
        assert ann.get("/api/me")[0] == 401

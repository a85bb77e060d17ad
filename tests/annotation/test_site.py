"""What the API gives and takes: answers with evidence, done once, and undone."""

from __future__ import annotations

import re
import sqlite3
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.made import Visitor, team
from tests.novels.made import project

from supersede.annotation.seat import Seat
from supersede.annotation.wire import sentence_offsets
from supersede.novels.annotations import DropReason, FlagReason, OptionRole, Reformulation
from supersede.novels.desk import Desk


@pytest.fixture
def ann(tmp_path: Path) -> Visitor:
    return Visitor(project(tmp_path), alone="ann")


def test_a_page_has_the_chunk_its_neighbours_and_the_questions(ann: Visitor) -> None:
    page = ann.page(1)
    assert page["chunk"]["text"] == "Anna moved to the inn. It rained."
    assert page["chunk"]["paragraphs"] == [[[0, 22], [23, 33]]]
    assert page["before"] == "Anna lived in the mill."
    assert page["after"] == "Bert spoke of Anna."
    assert [seen["id"] for seen in page["questions"]] == ["q1", "q2"]
    assert [option["id"] for option in page["questions"][0]["options"]] == ["a", "b", "c", "z"]
    assert page["may_write"]
    assert not page["adjudicates"]


def test_sentences_are_found_where_they_stand() -> None:
    text = "“\N{GRINNING FACE}h!” said he. Mr. Bell\nsmiled.\n\n  Then it rained."
    found = [text[a:b] for paragraph in sentence_offsets(text) for a, b in paragraph]
    assert found == ["“\N{GRINNING FACE}h!” said he.", "Mr. Bell\nsmiled.", "  Then it rained."]


def test_a_change_needs_its_sentence_and_the_catch_all_does_not(ann: Visitor) -> None:
    status, refused = ann.answer(0, "a", mark=False)
    assert (status, refused["error"]["kind"]) == (422, "wrong")
    assert "needs the sentence" in refused["error"]["message"]
    assert ann.answer(0, "z", mark=False)[0] == 200
    assert ann.answer(1, "b")[1]["kind"] == "choice"
    assert ann.question(1)["cell"] == {
        "option": "b",
        "confirmed": True,
        "changed": True,
        "evidence": [{"start": 0, "end": 33, "quote": "Anna moved to the inn. It rained."}],
        "note": "",
    }
    assert ann.question(3)["cell"]["option"] == "b"


def test_the_answer_that_is_carried_anyway_is_a_confirmation(ann: Visitor) -> None:
    ann.answer(0, "a")
    assert ann.answer(1, "a", mark=False)[1]["kind"] == "confirmation"
    base = ann.question(1)["base"]
    assert ann.answer(1, "b", base=base)[1]["kind"] == "choice"
    base = ann.question(1)["base"]
    assert ann.answer(1, "a", base=base, mark=False)[1]["kind"] == "confirmation"
    cell = ann.question(1)["cell"]
    assert (cell["option"], cell["confirmed"], cell["changed"]) == ("a", True, False)
    place: dict[str, Any] = {"question": "q1", "chunk": 1, "base": ann.question(1)["base"]}
    assert ann.act("answer", **place, option="a", evidence=[], note="still there")[0] == 200
    assert ann.question(1)["cell"]["note"] == "still there"


def test_evidence_must_be_what_the_chunk_says(ann: Visitor) -> None:
    place: dict[str, Any] = {"question": "q1", "chunk": 0, "option": "a", "base": 0}
    for span in (
        {"start": 0, "end": 4, "quote": "Bert"},
        {"start": 0, "end": 99, "quote": "Anna"},
        {"start": 4, "end": 4, "quote": ""},
        {"start": 0, "end": 4, "quote": "Anna", "chunk": 2},
        {"start": True, "end": 4, "quote": "Anna"},
    ):
        assert ann.act("answer", **place, evidence=[span])[0] == 422
    assert ann.question(0)["cell"]["option"] is None


def test_a_stale_edit_is_told_what_is_there(ann: Visitor) -> None:
    ann.answer(0, "a")
    status, stale = ann.answer(0, "b", base=0)
    assert status == 409
    assert stale["error"]["kind"] == "stale"
    assert stale["error"]["current"]["option"] == "a"
    assert ann.answer(0, "b", base=stale["error"]["revision"])[0] == 200
    place: dict[str, Any] = {"question": "q1", "chunk": 1, "base": 0}
    assert ann.act("confirm", **place, option="a")[1]["error"]["current"] == {"option": "b"}


def test_a_stroke_that_is_sent_again_is_answered_again_and_done_once(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann = Visitor(made, alone="ann")
        first = ann.act("add-option", id="stroke-01", question="q1", text="In a tent")
        events = made.store.last
        again = Visitor(made, alone="ann")  # as after a crash: nothing in the server's memory
        assert again.act("add-option", id="stroke-01", question="q1", text="In a tent") == first
        assert made.store.last == events
        ann.answer(0, "a")
        undone = ann.act("undo", id="stroke-02")
        assert ann.act("undo", id="stroke-02") == undone
        assert len(ann.question(0)["options"]) == 5  # the option before it stands


def test_a_stroke_and_its_reply_are_kept_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with project(tmp_path) as made:
        ann = Visitor(made, alone="ann")

        def breaks(seat: Seat, name: str, value: object) -> None:
            raise sqlite3.OperationalError("disk I/O error")

        events = made.store.last
        with monkeypatch.context() as broken:
            broken.setattr(Desk, "remember", breaks)
            status, refused = ann.answer(0, "a")
        assert (status, refused["error"]["kind"]) == (503, "busy")
        assert made.store.last == events
        assert ann.answer(0, "a")[0] == 200


def test_undo_says_where_it_was(ann: Visitor) -> None:
    ann.answer(1, "b")
    ann.act("flag", question="q2", chunk=2, reason="option-unsupported", note="", base=0)
    place = {"changed": 1, "kind": "flag", "question": "q2", "chunk": 2}
    assert ann.act("undo")[1] == place
    assert ann.act("undo")[1]["chunk"] == 1
    assert ann.act("undo")[1]["changed"] == 0
    assert ann.question(1)["cell"]["option"] is None
    assert ann.act("redo")[1]["kind"] == "mark"
    assert ann.act("redo")[1] == place
    assert [flag["reason"] for flag in ann.question(2, "q2")["flags"]] == ["option-unsupported"]


def test_options_flags_and_wordings_come_and_go(ann: Visitor) -> None:
    status, new = ann.act("add-option", question="q1", text="In a tent", role="distractor")
    assert (status, new) == (200, {"option": "ann.1"})
    option = ann.question(0)["options"][-1]  # the keys of the others stay as they were
    assert (option["id"], option["role"], option["shared"]) == ("ann.1", "distractor", False)
    edit: dict[str, Any] = {
        "question": "q1",
        "option": "ann.1",
        "base": option["revision"],
        "shared": False,
    }
    assert ann.act("edit-option", **edit, text="In the tent")[0] == 200
    base = ann.question(0)["options"][-1]["revision"]
    assert ann.act("remove-option", question="q1", option="ann.1", base=base)[0] == 200
    words: dict[str, Any] = {
        "question": "q1",
        "text": "Where is Anna now?",
        "reformulation": "temporal-anchoring",
    }
    assert ann.act("propose", **words, base=0)[0] == 200
    assert ann.question(0)["wording"]["text"] == "Where is Anna now?"
    flag: dict[str, Any] = {"question": "q1", "chunk": 0, "reason": "several-options-valid"}
    base = ann.act("flag", **flag, base=0)[1]["revision"]
    assert ann.act("unflag", **flag, base=base)[0] == 200
    assert ann.question(0)["flags"] == []


def test_timelines_progress_and_overview(ann: Visitor) -> None:
    ann.answer(0, "a")
    ann.answer(1, "b")
    line = ann.get("/api/books/mill/questions/q1")[1]["mine"]
    assert [(change["chunk"], change["option"]) for change in line["changes"]] == [
        (0, "a"),
        (1, "b"),
    ]
    assert line["confirmed"] == "1100"
    assert ann.get("/api/books/mill/progress?start=1")[1] == {
        "done": 2,
        "total": 8,
        "confirmed": {"q1": 2, "q2": 0},
        "next": [1, "q2"],
    }
    overview = ann.get("/api/books/mill/overview")[1]
    assert [person["who"] for person in overview["people"]] == ["ann"]
    assert not overview["people"][0]["finished"]
    assert ann.act("finish")[0] == 200
    assert ann.act("finish")[0] == 200
    assert ann.get("/api/books/mill/overview")[1]["people"][0]["finished"]


def test_settings_are_kept(ann: Visitor) -> None:
    assert ann.post("/api/settings", {"name": "place", "value": {"book": "mill"}})[0] == 200
    assert ann.get("/api/me")[1]["settings"] == {"place": {"book": "mill"}}
    for body in ({"name": "answered", "value": []}, {"name": "place"}, {"name": 3, "value": 0}):
        assert ann.post("/api/settings", body)[0] == 422
    assert ann.post("/api/settings", {"name": "keys", "value": "x" * 30_000})[0] == 422


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "x",
        {},
        {"id": "short", "do": "undo"},
        {"id": "long-enough", "do": "undone"},
        {"id": "long-enough", "do": "undo", "who": "bob"},
        {"id": "long-enough", "do": "confirm", "question": "q1", "chunk": -1, "option": "a"},
        {"id": "long-enough", "do": "confirm", "question": "q1", "chunk": 0.5, "option": "a"},
        {"id": "long-enough", "do": "answer", "question": ["q1"], "chunk": 0, "option": "a"},
        {"id": "long-enough", "do": "propose", "question": "q1", "text": "x" * 9_000, "base": 0},
    ],
)
def test_a_malformed_request_is_told_what_is_wrong(ann: Visitor, body: object) -> None:
    status, refused = ann.post("/api/books/mill/strokes", body)
    assert status == 422
    assert refused["error"]["kind"] == "wrong"
    assert refused["error"]["message"]


def test_two_annotators_disagree_and_a_third_adopts_and_decides(tmp_path: Path) -> None:
    made, people = team(tmp_path)
    with made:
        ann, bob, cat = people["ann"], people["bob"], people["cat"]
        ann.answer(0, "a")
        ann.answer(1, "b")
        bob.answer(0, "a")
        bob.answer(1, "a", mark=False)
        assert cat.act("stage", seen="closed", stage="adjudicating")[0] == 409
        assert cat.act("stage", seen="blind", stage="adjudicating")[0] == 200
        found = cat.get("/api/books/mill/disagreements")[1]
        assert found[0] == {"question": "q1", "chunks": [1, 2, 3], "open": [1, 2, 3], "unruled": 4}
        others = {other["who"]: other["cell"] for other in cat.question(1)["others"]}
        assert (others["ann"]["option"], others["bob"]["option"]) == ("b", "a")
        base = cat.get("/api/books/mill/questions/q1")[1]["base"]
        assert cat.act("adopt", question="q1", who="ann", base=base)[1] == {"chunks": 4}
        assert cat.act("adopt", question="q1", who="bob", base=base)[0] == 409
        assert cat.get("/api/books/mill/disagreements")[1][0]["unruled"] == 0
        assert cat.act("undo")[1]["changed"] == 4
        assert cat.answer(0, "a")[0] == 200
        assert made.annotations("mill").decided("q1").answers == ("a",) * 4  # type: ignore[union-attr]
        assert cat.act("adopt", question="q1", who="dan", base=0)[0] == 409
        base = cat.get("/api/books/mill/questions/q1")[1]["base"]
        assert cat.act("adopt", question="q1", who="dan", base=base)[0] == 422
        assert ann.act("adopt", question="q1", who="bob", base=base)[0] == 403


@pytest.mark.parametrize(
    ("name", "words", "own"),
    [
        ("REASONS", FlagReason, set()),
        ("TYPES", Reformulation, {Reformulation.NONE}),
        ("ROLES", OptionRole, set()),
        ("OUT", DropReason, {"another reason"}),
    ],
)
def test_the_page_offers_the_words_that_the_project_knows(
    name: str, words: type[StrEnum], own: set[str]
) -> None:
    page = resources.files("supersede.annotation") / "page"
    text = "".join((page / file).read_text("utf-8") for file in ("dialogs.js", "panel.js"))
    listed = re.search(rf"const {name} = [\[{{](.*?)[\]}}];$", text, re.MULTILINE | re.DOTALL)
    assert listed is not None
    offered = re.findall(r"(?:\[|^ +)\"([^\"]+)\"[,:] \"", listed[1], re.MULTILINE)
    assert {*offered} ^ {str(word) for word in words} == own

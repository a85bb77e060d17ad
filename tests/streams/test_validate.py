"""Every rule is named when it is broken, and only then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.streams.test_files import STREAM
from tests.streams.test_oaks import LATER, NOVEL

from supersede.errors import DataError
from supersede.model.stream import Evidence, Stream
from supersede.streams.oaks import from_oaks
from supersede.streams.validate import RULES, check_askable, violations

CHOICE = from_oaks([NOVEL], "x")[0]
LATE = Evidence(2, "Snow.")


def with_question(stream: Stream, **changes: Any) -> Stream:
    return replace(stream, questions=(replace(stream.questions[0], **changes),))


def twin(stream: Stream, **changes: Any) -> Stream:
    return replace(stream, questions=(*stream.questions, replace(stream.questions[0], **changes)))


BROKEN: list[tuple[str, Stream]] = [
    (
        "has-chunks",
        Stream("s", (), with_question(STREAM, answers=(), evidence=()).questions, "babi"),
    ),
    ("meta-types", replace(STREAM, meta={"seed": True})),
    ("meta-types", replace(STREAM, meta={"seed": float("nan")})),
    ("meta-types", replace(STREAM, meta={"seed": [1]})),  # type: ignore[dict-item]
    ("no-empty-evidence", replace(STREAM, facts=(Evidence(0, ""),))),
    ("no-empty-evidence", with_question(STREAM, evidence=(None, None, Evidence(0, " ")))),
    ("no-empty-evidence", with_question(CHOICE, sources=((Evidence(0, ""),), (), (), (), ()))),
    ("has-chunks", replace(STREAM, chunks=("Rain.", "Ann went to the Attic.", " "))),
    ("has-questions", replace(STREAM, questions=())),
    ("unique-question-id", twin(STREAM, text="Who?")),
    ("unique-question-text", twin(STREAM, id="s-1_q1")),
    ("one-answer-per-interval", with_question(STREAM, answers=(("Unknown",), ("Attic",)))),
    ("no-empty-answer", with_question(STREAM, answers=(("Unknown",), (), ("Attic",)))),
    ("no-empty-answer", with_question(STREAM, answers=(("Unknown",), ("",), ("Attic",)))),
    ("no-empty-answer", with_question(STREAM, answers=(("Unknown",), ("...",), ("Attic",)))),
    ("two-phases", with_question(STREAM, answers=(("Attic",),) * 3)),
    ("evidence-per-interval", with_question(STREAM, evidence=(None,))),
    ("evidence-in-chunk", with_question(STREAM, evidence=(None, Evidence(1, "Ben"), None))),
    ("evidence-in-chunk", with_question(STREAM, evidence=(None, None, Evidence(-1, "Snow.")))),
    ("evidence-not-later", with_question(STREAM, evidence=(None, LATE, LATE))),
    ("facts-in-chunk", replace(STREAM, facts=(Evidence(0, "Ann went to the Attic."),))),
    ("facts-in-order", replace(STREAM, facts=(LATE, Evidence(0, "Rain é.")))),
    ("answer-is-option", with_question(CHOICE, answers=((LATER,), ("by ship",), ("by boat",)))),
    (
        "unique-options",
        with_question(CHOICE, options=(*CHOICE.questions[0].options, "by air"), sources=()),
    ),
    ("five-options", with_question(CHOICE, options=("by ship", "on foot", LATER), sources=())),
    (
        "five-options",
        with_question(
            CHOICE,
            options=(*CHOICE.questions[0].options, *(f"by bus {n}" for n in range(22))),
            sources=(),
        ),
    ),
    (
        "one-catch-all",
        with_question(
            CHOICE,
            options=(*CHOICE.questions[0].options, "We cannot answer this question at this point"),
            sources=(),
        ),
    ),
    ("one-catch-all", with_question(CHOICE, catch_all=0)),
    ("catch-all-first", with_question(CHOICE, answers=(("by ship",), (LATER,), ("on foot",)))),
    ("sources-per-option", with_question(CHOICE, sources=((),))),
    (
        "sources-in-chunk",
        with_question(CHOICE, sources=((Evidence(0, "He sank."),), (), (), (), ())),
    ),
]


@pytest.mark.parametrize(
    ("rule", "stream"), BROKEN, ids=[f"{n}-{b[0]}" for n, b in enumerate(BROKEN)]
)
def test_a_broken_rule_is_named_and_no_other(rule: str, stream: Stream) -> None:
    found = list(violations([stream]))
    assert {violation.rule for violation in found} == {rule}
    assert f"{rule}: " in str(found[0])


def test_two_streams_of_one_id_are_told() -> None:
    assert [v.rule for v in violations([STREAM, STREAM])] == ["unique-stream-id"]


def test_every_rule_has_a_stream_that_breaks_it() -> None:
    assert {rule for rule, _ in BROKEN} | {"unique-stream-id"} == RULES.keys()


def test_sound_streams_break_none() -> None:
    assert list(violations([STREAM, CHOICE])) == []


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (with_question(STREAM, answers=()), "the list of answers is empty"),
        (with_question(STREAM, answers=(("Unknown",), (), ("Hall",))), "has no answer"),
        (
            with_question(STREAM, answers=(("Unknown",), ("Attic",))),
            "answers at 2 intervals, for 3",
        ),
        (with_question(STREAM, answers=(("Attic",),) * 4), "answers at 4 intervals, for 3"),
        (with_question(STREAM, evidence=(None,)), "evidence at 1 intervals, for 3"),
        (with_question(STREAM, answers=(("Unknown",), ("...",), ("Hall",))), "'...' is no answer"),
        (twin(STREAM, text="Who?"), "2 questions have this id"),
        (with_question(CHOICE, options=("on foot",) * 27, sources=()), "27 options are more than"),
        (with_question(CHOICE, answers=(("by sea",),) * 3), "'by sea' is no answer"),
    ],
)
def test_what_cannot_be_asked_or_scored_is_refused(stream: Stream, said: str) -> None:
    with pytest.raises(DataError, match=r"^s\.jsonl: .*_q0: ") as caught:
        check_askable([STREAM, stream], "s.jsonl")
    assert said in str(caught.value)
    assert str(caught.value).endswith("See: supersede stream validate s.jsonl")


def test_streams_that_only_break_other_rules_can_be_asked() -> None:
    check_askable([with_question(STREAM, answers=(("Attic",),) * 3), twin(STREAM, id="other")])

"""The figures of a file, and a stream as lines to read."""

from __future__ import annotations

from dataclasses import replace

from tests.streams.test_files import STREAM
from tests.streams.test_oaks import NOVEL

from supersede.model.stream import Evidence, Stream
from supersede.streams.oaks import from_oaks
from supersede.streams.show import overview
from supersede.streams.statistics import passages, reuse, statistics, statistics_table

LONG = "This paragraph is long enough to count as a passage of its own."
ALSO = "Another paragraph, as long as the first one or even longer."


def test_changes_are_phases_and_transitions_one_less() -> None:
    found = statistics([STREAM, *from_oaks([NOVEL], "x")])
    assert found.to_json() == {
        "documents": 2,
        "chunks": 6,
        "questions": 2,
        "types": {"tracking": 1, "multiple-choice": 1},
        "facts_per_document": 0.5,
        "changes_mean": 2.5,
        "changes_min": 2,
        "changes_max": 3,
        "transitions_mean": 1.5,
        "transitions": 3,
        "changes_by_type": {"tracking": 2.0, "multiple-choice": 3.0},
        "changes_histogram": {2: 1, 3: 1},
        "facts_in_chunks": {"mean": 0.167, "most": 1, "empty": 0.8333},
        # One of two answers, and one of five options: the mean of 1/2 and 1/5.
        "guessing_accuracy": 0.35,
        "reuse": {"passages": 0, "mean_documents": 0.0, "most_documents": 0, "repeated": 0},
    }
    assert any("50.0 %" in line for line in statistics_table(found))


def test_passages_are_compared_without_the_facts_in_them() -> None:
    fact = "Ann went to the Attic."
    one = Stream("a", (f"{LONG} {fact}\n\n{ALSO}",), (), "babi", (Evidence(0, fact),))
    two = Stream("b", (f"{LONG}\n\nShort.", LONG), (), "babi")
    assert list(passages(one)) == [LONG, ALSO]
    found = reuse([one, two])
    assert (found.passages, found.mean_documents, found.most_documents) == (2, 1.5, 2)
    assert found.repeated == 1


def test_a_stream_is_shown_phase_by_phase() -> None:
    assert list(overview(STREAM)) == [
        "s-1  (babi: seed 1, share 0.5, system Read on.)",
        "3 chunks, 1 fact, 1 question",
        "",
        "s-1_q0  [tracking, 2 phases]",
        "  Where is Ann?",
        "  |#==|",
        "        0  Unknown",
        "      1-2  Attic (or the Attic)   <- chunk 1: Ann went to the Attic.",
    ]


def test_options_and_chunks_are_shown_where_asked_for() -> None:
    (novel,) = from_oaks([NOVEL], "x")
    lines = list(overview(replace(novel, meta={}), texts=True))
    assert "He sailed. He sank." in lines
    assert "    B. on foot" in lines
    assert lines[1] == "3 chunks, 1 question"
    told = list(overview(STREAM, texts=True))
    assert told[3].startswith("---- what a reader is told ")
    assert told[4] == "Read on."


def test_streams_without_facts_have_no_line_about_them() -> None:
    lines = list(statistics_table(statistics(from_oaks([NOVEL], "x"))))
    assert not any("facts" in line for line in lines)
    assert any("20.0 %  at random" in line for line in lines)

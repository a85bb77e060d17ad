from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.streams.made import choice, small, where

from supersede.metrics.archetypes import Archetype, behaviour
from supersede.metrics.decomposition import IntervalClass, decompose, split
from supersede.model.stream import Reply, Stream, StreamQuestion, Trace
from supersede.streams.ladder import (
    LADDER,
    flip_flop,
    frozen,
    guessing_accuracy,
    last_mention,
    oracle,
    random_guess,
    stale_by_one,
    unknown,
)
from supersede.streams.scoring import score_predictions


def traces(name: str, *streams: Stream) -> tuple[Trace, ...]:
    """The traces of a fake predictor."""
    said = [row for stream in streams for row in LADDER[name](stream)]
    return score_predictions(streams, said).traces


def answers(name: str, stream: Stream, question: str) -> list[str | None]:
    """What a fake predictor says to one question."""
    return [row.answer for row in LADDER[name](stream) if row.question == question]


TRUTH = {
    "mo": ["Unknown", "hall", "hall", "kitchen", "kitchen", "garden"],
    "ann": ["garden", "garden", "garden", "Unknown", "hall", "hall"],
}


@pytest.mark.parametrize(
    ("name", "mo", "ann"),
    [
        ("oracle", TRUTH["mo"], TRUTH["ann"]),
        ("stale-by-one", ["Unknown", *TRUTH["mo"][:-1]], ["Unknown", *TRUTH["ann"][:-1]]),
        ("frozen", ["Unknown", *["hall"] * 5], ["garden"] * 6),
        (
            "last-mention",
            ["Unknown", "hall", "kitchen", "kitchen", "kitchen", "hall"],
            ["Unknown", "hall", "hall", "hall", "hall", "hall"],
        ),
        ("unknown", ["Unknown"] * 6, ["Unknown"] * 6),
        (
            "flip-flop",
            ["Unknown", "Unknown", "hall", "Unknown", "kitchen", "Unknown"],
            ["garden", "Unknown", "garden", "garden", "hall", "garden"],
        ),
    ],
)
def test_what_each_predictor_says(name: str, mo: list[str], ann: list[str]) -> None:
    assert answers(name, small(), "mo") == mo
    assert answers(name, small(), "ann") == ann


# Per question: right, late, distracted, missed of 6 intervals. Phases of mo: 1, 2, 2, 1; of
# ann: 3, 1, 2.
SPLITS: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "oracle": ((6, 0, 0, 0), (6, 0, 0, 0)),
    # mo: right, late hall, late kitchen, missed garden; ann: late twice, missed Unknown.
    "stale-by-one": ((3, 2, 0, 1), (3, 2, 0, 1)),
    "frozen": ((3, 0, 0, 3), (3, 0, 0, 3)),
    # mo: hall lost at once (distracted), garden never; ann: only hall.
    "last-mention": ((4, 0, 1, 1), (2, 0, 0, 4)),
    "unknown": ((1, 0, 0, 5), (1, 0, 0, 5)),
    # mo: right at 0, 2, 4: hall and kitchen late, garden missed.
    # ann: right at 0, 2, 4: distracted at 1 and 5, Unknown at 3 missed.
    "flip-flop": ((3, 2, 0, 1), (3, 0, 2, 1)),
}


@pytest.mark.parametrize("name", SPLITS)
def test_accuracy_and_its_decomposition_are_exact(name: str) -> None:
    found = traces(name, small())
    assert tuple(tuple(split(t.phases, t.right)) for t in found) == SPLITS[name]
    means = [
        float(sum(Fraction(n, 6) for n in part) / 2) for part in zip(*SPLITS[name], strict=True)
    ]
    scores = decompose(found)
    assert [scores.accuracy, scores.al, scores.ds, scores.pm] == pytest.approx(means, abs=1e-15)


A = Archetype
# Both questions together: 5 changes of the truth, 5 times that it stays.
BEHAVIOUR: Mapping[str, dict[Archetype, int]] = {
    "oracle": {A.ADAPTABILITY: 5, A.STABILITY: 5},
    # mo:  t1 Unknown, Unknown (stubborn); t2 hall (lag); t3 hall (stubborn); t4 kitchen (lag);
    #      t5 kitchen (stubborn). ann: t1 garden (lag); t2 stable; t3 garden (stubborn);
    #      t4 Unknown (maladapted); t5 hall (lag).
    "stale-by-one": {A.STUBBORNNESS: 4, A.MALADAPTATION: 1, A.LAG: 4, A.STABILITY: 1},
    # mo: t1 adapts; t2 stable; t3 stubborn; t4 obstinate; t5 stubborn.
    # ann: t1, t2 stable; t3, t4 stubborn; t5 obstinate.
    "frozen": {A.ADAPTABILITY: 1, A.STUBBORNNESS: 4, A.STABILITY: 3, A.OBSTINACY: 2},
    # mo: t1 adapts; t2 volatile; t3 kitchen stays and comes true; t4 stable; t5 maladapted.
    # ann: t1 volatile; t2 obstinate; t3 stubborn; t4 hall comes true; t5 stable.
    "last-mention": {
        A.ADAPTABILITY: 1,
        A.MALADAPTATION: 1,
        A.PRESCIENCE: 2,
        A.STUBBORNNESS: 1,
        A.VOLATILITY: 2,
        A.STABILITY: 2,
        A.OBSTINACY: 1,
    },
    # ann becomes Unknown at t3, when that was said already.
    "unknown": {A.PRESCIENCE: 1, A.STUBBORNNESS: 4, A.OBSTINACY: 5},
    # mo: t1 stays Unknown (stubborn); t2 lag; t3 Unknown (maladapted); t4 lag; t5 maladapted.
    # ann: t1 volatile; t2 lag; t3 garden stays (stubborn); t4 adapts; t5 volatile.
    "flip-flop": {
        A.ADAPTABILITY: 1,
        A.MALADAPTATION: 2,
        A.STUBBORNNESS: 2,
        A.LAG: 3,
        A.VOLATILITY: 2,
    },
}


@pytest.mark.parametrize("name", BEHAVIOUR)
def test_archetypes_are_exact(name: str) -> None:
    found = behaviour(traces(name, small())).counts
    assert {kind: n for kind, n in found.items() if n} == BEHAVIOUR[name]


def test_the_ladder_has_its_order_in_a_long_stream() -> None:
    # Ten phases of ten intervals, the first Unknown; the text names a decoy every third chunk.
    rooms = ["Unknown", *(f"room{i}" for i in range(9))]
    told = [f"Mo went to {room}." if room != "Unknown" else "" for room in rooms]
    chunks = [
        told[t // 10] if t % 10 == 0 else ("room0 is empty." if t % 3 == 0 else "Rain.")
        for t in range(100)
    ]
    long = Stream(
        "l", tuple(chunks), (where("mo", *[r for r in rooms for _ in range(10)]),), "babi"
    )
    scores = {name: decompose(traces(name, long)).accuracy for name in LADDER}
    order = ["oracle", "stale-by-one", "flip-flop", "last-mention", "frozen", "unknown"]
    ranked = [scores[name] for name in order]
    assert ranked == sorted(ranked, reverse=True)
    assert scores["oracle"] == 1
    assert scores["stale-by-one"] == pytest.approx(0.91)
    assert scores["flip-flop"] == 0.5
    assert scores["frozen"] == 0.2
    assert scores["unknown"] == 0.1


def test_options_are_said_by_letter() -> None:
    assert answers("oracle", choice(), "novel_q0") == ["B", "C", "A", "A"]
    assert answers("unknown", choice(), "novel_q0") == ["B"] * 4
    assert answers("frozen", choice(), "novel_q0") == ["B", "C", "C", "C"]
    assert answers("last-mention", choice(), "novel_q0") == ["B", "C", "A", "A"]
    assert answers("stale-by-one", choice(), "novel_q0") == ["B", "B", "C", "A"]
    assert all(all(trace.right) for trace in traces("oracle", choice()))


def test_options_without_a_catch_all_have_no_unknown() -> None:
    given = choice()
    (asked,) = given.questions
    bare = StreamQuestion("q", "?", "choice", asked.answers[1:], (), ("A sailor", "The cook"))
    stream = Stream("s", given.chunks[1:], (bare,), "novel")
    (trace,) = traces("unknown", stream)
    assert trace.right == (False,) * 3
    assert set(trace.replies) == {Reply.UNPARSABLE}


def test_a_question_that_is_never_known_leaves_the_frozen_at_unknown() -> None:
    stream = Stream("s", ("", ""), (where("mo", "Unknown", "Unknown"),), "babi")
    assert answers("frozen", stream, "mo") == ["Unknown", "Unknown"]
    assert answers("flip-flop", stream, "mo") == ["Unknown", "no such answer"]


def test_the_longer_of_two_mentions_at_one_place_counts() -> None:
    asked = where("mo", "garden", "kitchen garden")
    stream = Stream("s", ("the kitchen garden", "kitchen gardens"), (asked,), "babi")
    assert answers("last-mention", stream, "mo") == ["kitchen garden", "kitchen garden"]


def test_guesses_are_drawn_from_the_answers_and_depend_on_the_seed_alone() -> None:
    long = Stream("l", ("",) * 2000, (where("mo", *["hall", "garden"] * 1000),), "babi")
    said = random_guess(long)
    assert said == random_guess(long)
    assert said != random_guess(long, seed=1)
    assert {row.answer for row in said} == {"hall", "garden"}
    (trace,) = score_predictions([long], said).traces
    assert sum(trace.right) / 2000 == pytest.approx(guessing_accuracy([long]), abs=0.04)


def test_the_expected_accuracy_of_guessing() -> None:
    # mo has 4 answers, ann 3; one right at each interval. Of the options, one in four.
    assert guessing_accuracy([small()]) == pytest.approx((1 / 4 + 1 / 3) / 2)
    assert guessing_accuracy([choice()]) == 0.25
    assert guessing_accuracy([]) != guessing_accuracy([])


@given(st.lists(st.sampled_from(["Unknown", "hall", "garden", "kitchen"]), min_size=1, max_size=12))
def test_laws_of_the_ladder_on_any_stream(truth: list[str]) -> None:
    stream = Stream("s", ("hall. garden.",) * len(truth), (where("mo", *truth),), "babi")
    runs = {
        of.__name__: score_predictions([stream], of(stream)).traces[0]
        for of in (oracle, stale_by_one, frozen, last_mention, unknown, flip_flop)
    }
    splits = {name: split(trace.phases, trace.right) for name, trace in runs.items()}
    changes = len(runs["oracle"].phases) - 1
    assert splits["oracle"] == (len(truth), 0, 0, 0)
    late = changes + (truth[0] != "Unknown")
    assert splits["stale_by_one"].right == len(truth) - late
    assert splits["stale_by_one"].distracted == 0
    assert splits["unknown"].right == truth.count("Unknown")
    assert splits["flip_flop"].right == (len(truth) + 1) // 2
    for name in ("frozen", "unknown"):
        assert splits[name].share(IntervalClass.LATE) == 0
        assert splits[name].distracted == 0
    assert all(sum(parts) == len(truth) for parts in splits.values())

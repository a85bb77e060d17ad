"""Agreement of annotators, worked by hand; what needs discussion; what noise does."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import permutations
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.test_main import run
from tests.novels.annotated import (
    QUOTES,
    TEXTS,
    choice,
    confirmation,
    line,
    project,
    question,
    said,
    sound_marks,
    span,
)

from supersede.metrics.decomposition import decompose
from supersede.model.stream import Reply, Trace
from supersede.novels.agreement import agreement, agreement_data, matched
from supersede.novels.annotations import (
    BookAnnotations,
    Draft,
    DropReason,
    Flag,
    FlagReason,
    Mark,
    Option,
    OptionRole,
    Review,
)
from supersede.novels.as_stream import book_stream
from supersede.novels.discussion import ambiguity, retention
from supersede.novels.noise import moved, noise, reader_traces
from supersede.novels.rated import rated
from supersede.streams.files import write_streams


def late() -> list[Mark]:
    """As the sound marks, but the inn comes a chunk late, and other words are marked."""
    return [
        choice(0, "mill", "lived in the mill"),
        confirmation(1, "mill"),
        confirmation(2, "mill"),
        choice(3, "inn", "was at the inn"),
        choice(4, "mill", QUOTES[4]),
    ]


def two() -> BookAnnotations:
    """ann: mill mill inn inn mill; bob: mill mill mill inn mill."""
    return said({"ann": sound_marks(), "bob": late()})


def test_measures_of_two_annotators_are_those_worked_by_hand() -> None:
    found = agreement([two()])
    value = {name: round(one.value, 4) for name, one in found.measures.items()}
    assert (found.books, found.questions, found.annotators) == (1, 1, ("ann", "bob"))
    # Four of five chunks the same.
    assert value["same"] == 0.8
    # Margins 3:2 and 4:1, so by chance 14/25; (0.8 - 0.56) / 0.44.
    assert value["kappa"] == 0.5455
    # Ten values, seven mills and three inns: 1 - 2 / (2 * 7 * 3 / 9).
    assert value["alpha"] == 0.5714
    # Pooled 0.7 and 0.3: (0.8 - 0.58) / 0.42.
    assert value["fleiss"] == 0.5238
    # Chunks 2, 3, 4: inn-mill, inn-inn, mill-mill; by chance 4/9: (6/9 - 4/9) / (5/9).
    assert value["same_at_changes"] == 0.6667
    assert value["kappa_at_changes"] == 0.4
    # Six values, three of each: 1 - 2 / (2 * 3 * 3 / 5).
    assert value["alpha_at_changes"] == 0.4444
    assert found.measures["alpha"].units == 5
    assert found.measures["alpha_at_changes"].units == 3
    # ann changes at 2 and 4, bob at 3 and 4: one of two, then both.
    assert (value["changes_0"], value["changes_1"]) == (0.5, 1.0)
    assert (value["changes_0_same"], value["changes_1_same"]) == (0.5, 1.0)
    # Both marked chunks 0 (five words, four of which are the other's) and 4 (the same six).
    assert value["evidence_exact"] == 0.5
    assert value["evidence_f1"] == round((2 * 4 / 9 + 1) / 2, 4)


def test_a_pair_is_told_apart_by_who_is_late() -> None:
    (pair,) = agreement([two()]).pairs
    assert (pair.first, pair.second, pair.units, pair.changes) == ("ann", "bob", 5, (2, 2))
    assert pair.recall == {0: 0.5, 1: 1.0, 2: 1.0}
    assert pair.precision == pair.recall
    assert pair.offset == 0.5  # one chunk late once, on time once
    assert round(pair.kappa, 4) == 0.5455


def test_changes_to_another_answer_match_in_place_only() -> None:
    other = [*sound_marks()[:2], choice(2, "boat", QUOTES[2]), *sound_marks()[4:]]
    found = agreement([said({"ann": sound_marks(), "bob": other})]).measures
    assert found["changes_0"].value == 1.0
    assert found["changes_0_same"].value == 0.5


def test_full_agreement_is_one_and_the_same_answer_alone_undefined() -> None:
    whole = agreement([said({"ann": sound_marks(), "bob": sound_marks()})]).measures
    for name in ("same", "alpha", "kappa", "fleiss", "changes_0", "evidence_f1"):
        assert whole[name].value == 1.0, name
    flat = [choice(0, "mill", QUOTES[0])]
    nothing = agreement([said({"ann": flat, "bob": flat})]).measures
    assert nothing["same"].value == 1.0
    for name in ("alpha", "kappa", "fleiss", "changes_0", "same_at_changes", "alpha_at_changes"):
        assert isnan(nothing[name].value), name


def test_nobody_is_taken_to_have_answered_beyond_where_they_came() -> None:
    begun = sound_marks()[:2]
    (one,) = rated(said({"ann": sound_marks(), "bob": begun}))
    assert one.answers["bob"] == ("mill", "mill", None, None, None)
    assert agreement([said({"ann": sound_marks(), "bob": begun})]).measures["same"].value == 1.0


def test_changes_beyond_where_the_other_stopped_are_not_missed() -> None:
    """ann stops after two chunks; bob goes on and has the inn a chunk late and the mill again."""
    stopped = [choice(0, "mill", "lived in the mill"), confirmation(1, "mill")]
    found = agreement([said({"ann": stopped, "bob": late()})])
    assert isnan(found.measures["changes_2"].value)
    assert found.measures["changes_2"].units == 0
    (pair,) = found.pairs
    assert (pair.units, pair.changes) == (2, (0, 0))
    assert all(map(isnan, (*pair.recall.values(), *pair.precision.values(), pair.offset)))
    further = [*stopped, choice(2, "inn", "moved to the inn"), confirmation(3, "inn")]
    found = agreement([said({"ann": further, "bob": late()})])
    # ann's one change at 2 and bob's at 3; bob's at 4 is beyond where ann came.
    assert (found.measures["changes_0"].value, found.measures["changes_0"].units) == (0.0, 2)
    assert (found.measures["changes_1"].value, found.measures["changes_1"].units) == (1.0, 2)
    assert found.pairs[0].changes == (1, 1)


def test_rulings_dropped_questions_and_single_annotators_are_no_part_of_it() -> None:
    assert rated(said()) == ()
    assert rated(said({"ann": sound_marks()}, rulings=sound_marks())) == ()
    out = replace(question(), dropped="dull")
    assert rated(said({"ann": sound_marks(), "bob": late()}, asked=out)) == ()


def test_options_that_say_the_same_agree() -> None:
    asked = replace(
        question(), options=(*question().options, Option("pub", "The pub", same_as="inn"))
    )
    marks = [*sound_marks()[:2], choice(2, "pub", QUOTES[2]), *sound_marks()[4:]]
    one = said({"ann": sound_marks(), "bob": marks}, asked=asked)
    assert agreement([one]).measures["same"].value == 1.0


def test_missing_answers_of_a_third_annotator_are_allowed() -> None:
    one = said({"ann": sound_marks(), "bob": late(), "cat": sound_marks()[:3]})
    found = agreement([one])
    # Pairs: ann-bob 4 of 5, ann-cat 3 of 3, bob-cat 2 of 3.
    assert found.measures["same"].value == 9 / 11
    assert found.measures["fleiss"].units == 3  # the chunks that all three answered
    assert len(found.pairs) == 3


def test_intervals_are_over_books() -> None:
    good = said({"ann": sound_marks(), "bob": sound_marks()}, book="good")
    assert isnan(agreement([two()]).measures["same"].interval.low)
    found = agreement([two(), good], resamples=400).measures
    assert found["same"].value == 0.9
    assert found["same"].interval == (0.8, 1.0)
    low, high = found["alpha"].interval
    assert (round(low, 4), high) == (0.5714, 1.0)
    assert low < found["alpha"].value < high


places = st.sets(st.integers(0, 9), max_size=5).map(sorted)


@given(places, places, st.integers(0, 3))
def test_as_many_change_points_as_can_be_are_matched(
    first: list[int], second: list[int], k: int
) -> None:
    pairs = matched(first, second, k)
    assert all(abs(a - b) <= k for a, b in pairs)
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    few, many = sorted((first, second), key=len)
    most = max(
        sum(abs(a - b) <= k for a, b in zip(few, order, strict=True))
        for order in permutations(many, len(few))
    )
    assert len(pairs) == most


def test_what_needs_discussion_is_counted_by_everything() -> None:
    one = replace(two(), flags=(Flag("bob", "q1", 0, FlagReason.SEVERAL_VALID),))
    one = replace(one, adjudicated=(line("", sound_marks()),))
    rows = {(row.kind, row.name): (row.needed, row.units) for row in ambiguity([one])}
    assert rows == {
        ("all", "all"): (2, 5),  # chunk 2, where they differ, and chunk 0, which bob flagged
        ("book", "mill"): (2, 5),
        ("type", "place"): (2, 5),
        ("question", "mill/q1"): (2, 5),
        ("annotator", "ann"): (1, 5),
        ("annotator", "bob"): (2, 5),
    }
    overruled = {
        row.name: (row.against, row.ruled) for row in ambiguity([one]) if row.kind == "annotator"
    }
    assert overruled == {"ann": (0, 5), "bob": (1, 5)}


def test_of_three_annotators_the_odd_one_out_needs_discussion() -> None:
    one = said({"ann": sound_marks(), "bob": late(), "cat": sound_marks()})
    rows = {row.name: row.needed for row in ambiguity([one]) if row.kind == "annotator"}
    assert rows == {"ann": 0, "bob": 1, "cat": 0}


def test_what_was_kept_is_counted_with_the_reasons() -> None:
    drafts = (
        Draft("d1", "Anna", "Where?", (), True, "", "q1", "m"),
        Draft("d2", "Anna", "Who?", (), False, "one answer only", "", "m"),
        Draft("d3", "Bert", "Why?", (), False, "one answer only", "", "m"),
        Draft("d4", "Bert", "When?", (), True, "", "q2", "m"),
    )
    asked = (question(), replace(question("q2", "When?"), dropped=DropReason.STITCHED))
    own = replace(question("q3", "What?"), author="cat", type="")
    one = replace(said(), questions=(*asked, own), drafts=drafts)
    rows = {(row.kind, row.name): row for row in retention([one])}
    whole = rows["all", "all"]
    assert (whole.made, whole.kept, whole.rate) == (5, 2, 0.4)
    assert whole.reasons == {"one answer only": 2, "stitched-together": 1}
    assert rows["author", "m"].rate == 0.25
    assert rows["author", "cat"].rate == 1.0
    assert rows["type", "place"].made == 2
    assert isnan(replace(whole, made=0).rate)


# Noise


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=8),
    st.integers(0, 4),
    st.lists(st.floats(0, 1, exclude_max=True), min_size=8, max_size=8),
)
def test_moved_borders_keep_their_order_and_every_phase(
    phases: list[int], distance: int, drawn: list[float]
) -> None:
    numbers = iter(drawn)
    found = moved(phases, distance, lambda: next(numbers))
    assert len(found) == len(phases)
    assert sum(found) == sum(phases)
    assert min(found) >= 1
    if distance == 0:
        assert list(found) == phases


def test_borders_move_by_as_much_as_is_drawn() -> None:
    assert moved((4, 4, 4), 2, lambda: 0.0) == (2, 4, 6)
    assert moved((4, 4, 4), 2, lambda: 0.999) == (6, 4, 2)
    assert moved((1, 1, 3), 3, lambda: 0.0) == (1, 1, 3)


def test_noise_makes_a_perfect_reader_late_or_distracted() -> None:
    (trace,) = reader_traces([book_stream(said())[0]], "oracle")
    clean, *shaken = noise("oracle", [trace], range(3), repeats=50)
    assert clean.scores == {"accuracy": 1.0, "al": 0.0, "ds": 0.0, "pm": 0.0}
    assert set(clean.bias.values()) == {0.0}
    assert clean.moved == 0
    for row in shaken:
        assert sum(row.scores.values()) == pytest.approx(1)
        assert row.scores["accuracy"] == pytest.approx(1 - row.moved)
        assert row.bias["accuracy"] < 0
        assert row.bias["al"] > 0
        assert row.bias["ds"] > 0
    assert shaken[1].moved > shaken[0].moved
    assert list(noise("oracle", [trace], range(3), repeats=50)) == [clean, *shaken]


def test_a_change_that_is_annotated_late_reads_as_distraction_and_early_as_lag() -> None:
    # Said: a a b b. Annotated a chunk late: a a a b, so that the b at 2 comes after a right a.
    # Annotated a chunk early: a b b b, so that the a at 1 comes before the first right b.
    said_ = ("a", "a", "b", "b")

    def scores(phases: tuple[int, int]) -> tuple[float, float]:
        truth = ("a",) * phases[0] + ("b",) * phases[1]
        right = tuple(one == other for one, other in zip(said_, truth, strict=True))
        found = decompose(
            [Trace("s", "q", "t", phases, truth, said_, right, (Reply.ANSWERED,) * 4)]
        )
        return found.al, found.ds

    assert scores((3, 1)) == (0.0, 0.25)
    assert scores((1, 3)) == (0.25, 0.0)


# The command


def made(folder: Path) -> str:
    """A project of two books, one of which is ruled on."""
    ruled = replace(two(), adjudicated=(line("", sound_marks()),))
    with project(folder / "p", ruled, replace(two(), book="inn", adjudicated=())):
        pass
    return str(folder / "p")


def test_the_command_prints_tables_and_writes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, page = made(tmp_path), tmp_path / "page.html"
    words = ("novel", "agreement", place, "--resamples", "50")
    code, out, err = run(capsys, *words, "-o", str(page))
    assert (code, err) == (0, "")
    assert out.startswith("2 questions of 2 books, answered apart by ann, bob\n")
    rows = {row[0]: row[1:] for row in (re.split(r"  +", text) for text in out.splitlines())}
    assert rows["Krippendorff's alpha"] == ["0.571", "0.571 to 0.571", "0.444", "0.444 to 0.444"]
    assert rows["ann, bob"][:4] == ["10", "0.800", "0.545", "0.400"]
    assert rows["at most 1 chunk apart"][0] == "1.000"
    oracle = next(text for text in out.splitlines() if text.startswith("oracle "))
    assert oracle.split()[1:] == ["0", "0.0%", "1.000", "0.000", "0.000", "0.000"]
    assert "  agrees with what counts  " in out
    html = page.read_text(encoding="utf-8")
    shown = re.sub(r'<script type="application/json".*?</script>|<[^>]*>', "\n", html, flags=re.S)
    assert "\nAgrees with what counts\n" in shown
    for said_ in (out, shown):  # what is people's own is not called accuracy
        told = " ".join(said_.split())
        assert told.count("no accuracy against a truth") == 1
        assert len(re.findall("accuracy", told, re.I)) == 1
    assert html.count("<svg") == 2
    for text in ("ruling", "chunks 2 to 3: At the inn", "Where does Anna live now?", "0.571"):
        assert text in html
    assert "<script" not in html.replace('<script type="application/json" id="data">', "")
    code, out, _ = run(capsys, *words, "--json")
    data = json.loads(out)
    assert code == 0
    assert data["measures"]["kappa"]["value"] == pytest.approx(0.545454, abs=1e-5)
    assert {row["reader"] for row in data["noise"]} == {"oracle", "stale-by-one"}
    assert data["retention"][0]["made"] == 2


def test_predictions_of_a_model_are_scored_under_noise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = made(tmp_path)
    stream = book_stream(said())[0]
    write_streams(tmp_path / "s.jsonl", [stream])
    letter = "ABCDE"[stream.questions[0].options.index("In the mill")]
    rows = [
        {"stream": "mill", "question": "q1", "interval": n, "answer": letter}
        for n in range(len(TEXTS))
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    words = ("novel", "agreement", place, "--noise", "1", "--json")
    files = ("--predictions", str(tmp_path / "p.jsonl"), "--stream", str(tmp_path / "s.jsonl"))
    code, out, err = run(capsys, *words, *files)
    assert (code, err) == (0, "")
    mine = [row for row in json.loads(out)["noise"] if row["reader"] == "p.jsonl"]
    assert [row["distance"] for row in mine] == [0, 1]
    assert mine[0]["scores"]["accuracy"] == 0.6
    code, _, err = run(capsys, *words, *files[:2])
    assert (code, err) == (2, "error: --predictions and --stream go together\n")


def test_one_annotator_alone_agrees_with_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with project(tmp_path / "p", said()):
        pass
    code, _, err = run(capsys, "novel", "agreement", str(tmp_path / "p"))
    assert code == 2
    assert "no question has answers of two annotators. Assign a book to two people" in err


def test_texts_cannot_break_out_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "</script><script>alert(1)</script>"
    asked = replace(
        question(text=bad),
        options=(*question().options, Option("x", bad, OptionRole.DISTRACTOR)),
    )
    one = said({"ann": sound_marks(), "bob": [choice(0, "x", QUOTES[0])]}, asked=asked)
    with project(tmp_path / "p", replace(one, reviews=(Review("ann", "q1", True),))):
        pass
    page = tmp_path / "a.html"
    code, _, _ = run(
        capsys, "novel", "agreement", str(tmp_path / "p"), "-o", str(page), "--noise", "0"
    )
    assert code == 0
    assert "<script>alert" not in page.read_text(encoding="utf-8")


def test_what_is_undefined_is_null() -> None:
    flat = [choice(0, "mill", QUOTES[0])]
    data = agreement_data(agreement([said({"ann": flat, "bob": flat})]))
    assert data["measures"]["alpha"]["value"] is None
    assert data["pairs"][0]["offset"] is None
    json.dumps(data, allow_nan=False)


def test_words_and_not_signs_decide_what_evidence_is_the_same() -> None:
    whole = replace(span(2, "Anna moved to the inn"), end=span(2, "inn.").end, quote="x")
    marks = [*sound_marks()[:2], replace(choice(2, "inn"), evidence=(whole,)), *sound_marks()[3:]]
    found = agreement([said({"ann": sound_marks(), "bob": marks})]).measures
    assert found["evidence_exact"].value == 1.0

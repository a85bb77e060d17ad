"""The rules of verification: a sound book passes, and each planted violation is caught."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.cli.test_main import run
from tests.novels.annotated import (
    QUOTES,
    TEXTS,
    choice,
    confirmation,
    project,
    question,
    said,
    sound_marks,
    span,
)

from supersede.novels.annotations import (
    BookAnnotations,
    Flag,
    FlagReason,
    Mark,
    MarkKind,
    Option,
    OptionRole,
    Reformulation,
    Review,
    Span,
)
from supersede.novels.as_stream import book_stream
from supersede.novels.book import digest
from supersede.novels.checking import RULES, Finding, Level, findings
from supersede.novels.framing import reformulation_needed
from supersede.streams.oaks import CATCH_ALLS
from supersede.streams.validate import violations


def test_a_sound_book_breaks_no_rule() -> None:
    assert list(findings(said())) == []


def with_marks(*marks: Mark) -> BookAnnotations:
    """The sound book, with other marks at some chunks."""
    by_chunk = {mark.chunk: mark for mark in [*sound_marks(), *marks]}
    return said({"ann": [by_chunk[n] for n in sorted(by_chunk)]})


def with_evidence(chunk: int, evidence: Span) -> BookAnnotations:
    option = {0: "mill", 2: "inn", 4: "mill"}[chunk]
    return with_marks(replace(choice(chunk, option), evidence=(evidence,)))


def with_options(*options: Option, out: str = "") -> BookAnnotations:
    asked = question()
    kept = tuple(option for option in asked.options if option.id != out)
    return said(asked=replace(asked, options=(*kept, *options)))


def without(chunk: int) -> BookAnnotations:
    return said({"ann": [mark for mark in sound_marks() if mark.chunk != chunk]})


def many(count: int) -> list[Option]:
    return [Option(f"x{n}", f"In house {n}", OptionRole.DISTRACTOR) for n in range(count)]


def disagreeing() -> BookAnnotations:
    other = [choice(0, "mill", QUOTES[0])]
    return said({"ann": sound_marks(), "bob": other})


PLANTED: dict[str, tuple[Callable[[], BookAnnotations], str, int | None]] = {
    "nobody answered": (lambda: said({}), "one-answer", None),
    "no first answer": (lambda: without(0), "one-answer", 0),
    "an answer that is no option": (
        lambda: replace(said(), questions=(replace(question(), options=question().options[2:]),)),
        "one-answer",
        2,
    ),
    "annotators differ": (disagreeing, "settled", 2),
    "unknown again": (lambda: with_marks(choice(4, "none")), "catch-all-first", 4),
    "a change without evidence": (lambda: with_marks(choice(2, "inn")), "evidence-given", 2),
    "a first answer without evidence": (lambda: with_marks(choice(0, "mill")), "evidence-given", 0),
    "evidence of another chunk": (
        lambda: with_evidence(2, span(3, "at the inn")),
        "evidence-here",
        2,
    ),
    "evidence that is not in the chunk": (
        lambda: with_evidence(2, replace(span(2, "Anna moved"), quote="Anna rowed")),
        "evidence-quoted",
        2,
    ),
    "evidence that stands elsewhere in it": (
        lambda: with_evidence(2, replace(span(2, "Anna moved"), start=1, end=11)),
        "evidence-quoted",
        2,
    ),
    "evidence that is a space": (
        lambda: with_evidence(2, span(2, " ")),
        "evidence-quoted",
        2,
    ),
    "evidence that is empty": (
        lambda: with_evidence(2, replace(span(2, "Anna moved"), end=0, quote="")),
        "evidence-quoted",
        2,
    ),
    "a text that drifted": (
        lambda: with_evidence(2, replace(span(2, "Anna moved"), chunk_sha256=digest("before"))),
        "evidence-hash",
        2,
    ),
    "four options": (lambda: with_options(out="boat"), "options", None),
    "sixteen options": (lambda: with_options(*many(11)), "options", None),
    "no distractor": (
        lambda: said(
            asked=replace(
                question(),
                options=tuple(
                    replace(o, role=OptionRole.ANSWER) if o.role is OptionRole.DISTRACTOR else o
                    for o in question().options
                ),
            )
        ),
        "distractor",
        None,
    ),
    "no catch-all": (lambda: with_options(*many(1), out="none"), "catch-all", None),
    "a distractor that reads like a catch-all": (
        lambda: with_options(Option("n2", CATCH_ALLS[1], OptionRole.DISTRACTOR)),
        "catch-all",
        None,
    ),
    "two catch-alls": (
        lambda: with_options(Option("n2", "Nobody knows", OptionRole.CATCH_ALL)),
        "catch-all",
        None,
    ),
    "two options that read the same": (
        lambda: with_options(Option("b2", "on a  BOAT", OptionRole.DISTRACTOR)),
        "different-options",
        None,
    ),
    "two questions that read the same": (
        lambda: replace(said(), questions=(question(), question("q2"))),
        "different-questions",
        None,
    ),
    "one answer all along": (lambda: said({"ann": sound_marks()[:2]}), "two-changes", None),
    "one reviewer": (lambda: replace(said(), reviews=said().reviews[:1]), "two-reviewers", None),
    "one reviewer twice": (
        lambda: replace(said(), reviews=(said().reviews[0], said().reviews[0])),
        "two-reviewers",
        None,
    ),
    "a reviewer who disagrees": (
        lambda: replace(said(), reviews=(*said().reviews, Review("cat", "q1", False, "no"))),
        "reviewers-agree",
        None,
    ),
    "one transition": (lambda: said({"ann": sound_marks()[:4]}), "one-transition", 2),
    "two answers told in one chunk": (
        lambda: with_marks(replace(choice(4, "mill"), evidence=(span(2, "came the flood"),))),
        "one-chunk",
        2,
    ),
    "an option that nothing supports": (
        lambda: with_options(Option("hut", "In a hut")),
        "unsupported",
        None,
    ),
    "a distractor that is right": (
        lambda: with_marks(choice(3, "boat", "Bert spoke")),
        "distractor-right",
        3,
    ),
    "a flag": (
        lambda: replace(said(), flags=(Flag("bob", "q1", 3, FlagReason.ONE_CHUNK, "see 3"),)),
        "flagged",
        3,
    ),
    "a wording about an evolution": (
        lambda: said(asked=question(text="How does Anna's home change?")),
        "wording",
        None,
    ),
    "an answer that nobody confirmed": (lambda: without(3), "carried", 3),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_violation_is_caught_with_its_place(name: str) -> None:
    made, rule, chunk = PLANTED[name]
    found = list(findings(made()))
    assert (rule, chunk) in [(finding.rule, finding.chunk) for finding in found], found
    for finding in found:
        assert (finding.book, finding.question) in {("mill", "q1"), ("mill", "q2")}
        assert finding.mend
        assert finding.what


def test_every_rule_has_its_violation() -> None:
    assert {rule for _, rule, _ in PLANTED.values()} == set(RULES)


def test_a_finding_reads_as_place_rule_and_mend() -> None:
    (finding,) = findings(with_marks(choice(2, "inn")))
    assert str(finding) == (
        "mill, q1, chunk 2 (ann): evidence-given: 'At the inn' has none. "
        "Mark the sentence that tells it."
    )


def test_the_catch_all_needs_no_evidence_and_dropped_questions_are_left_alone() -> None:
    late = [choice(0, "none"), confirmation(1, "none"), *sound_marks()[2:]]
    assert list(findings(said({"ann": late}))) == []
    assert list(findings(said({}, asked=replace(question(), dropped="stitched together")))) == []


def test_annotators_who_agree_need_no_ruling_and_a_ruling_wins() -> None:
    assert list(findings(said({"ann": sound_marks(), "bob": sound_marks()}))) == []
    one = replace(disagreeing(), adjudicated=said(rulings=sound_marks()).adjudicated)
    assert list(findings(one)) == []


def test_evidence_of_everybody_is_checked_beside_what_counts() -> None:
    bad = [choice(0, "inn"), *sound_marks()[2:]]
    one = said({"ann": sound_marks(), "bob": bad}, rulings=sound_marks())
    assert [(f.rule, f.chunk, f.annotator) for f in findings(one)] == [("evidence-given", 0, "bob")]


def test_one_annotator_alone_is_checked_with_their_own_options() -> None:
    own = Option("ann.1", "In the barn", OptionRole.DISTRACTOR, "ann", shared=False)
    asked = replace(question(), options=(*question().options[1:], own))
    one = said({"ann": sound_marks(), "bob": sound_marks()}, asked=asked)
    assert [f.rule for f in findings(one, "bob")] == ["options"]
    assert list(findings(one, "ann")) == []


def test_options_that_say_the_same_count_once() -> None:
    same = Option("home", "At home", same_as="mill")
    asked = replace(question(), options=(*question().options, same))
    marks = [*sound_marks()[:4], choice(4, "home", QUOTES[4])]
    assert list(findings(said({"ann": marks}, asked=asked))) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("How does Mr. Darcy's assessment of Elizabeth change?", Reformulation.TEMPORAL_ANCHORING),
        ("How has the crew's trust in Silver evolved?", Reformulation.TEMPORAL_ANCHORING),
        ("What is the evolution of Victor's goal?", Reformulation.TEMPORAL_ANCHORING),
        ("What does he fear over the course of the voyage?", Reformulation.TEMPORAL_ANCHORING),
        (
            "What are the different names Erik is known by?",
            Reformulation.CUMULATIVE_TO_INCREMENTAL,
        ),
        ("List all the ships that he boards.", Reformulation.CUMULATIVE_TO_INCREMENTAL),
        ("What is Mr. Darcy's latest assessment of Elizabeth Bennet?", Reformulation.NONE),
        ("What term has been most recently introduced to describe him?", Reformulation.NONE),
        ("How does Fogg travel now?", Reformulation.NONE),
        ("Where is the different key?", Reformulation.NONE),
    ],
)
def test_wordings_that_have_no_answer_at_one_time_are_found(text: str, kind: Reformulation) -> None:
    assert reformulation_needed(text) is kind


option_ids = st.sampled_from(["boat", "inn", "mill", "none", "with-bert", "x"])
passages = st.sampled_from(["", "Anna", "a", " ", "The mill was old", "the inn", "mill"])
edits = st.dictionaries(st.integers(0, 4), st.none() | st.tuples(option_ids, passages), max_size=2)
more_options = st.sampled_from(["In a hut", "Elsewhere", "At sea", "in the mill", CATCH_ALLS[0]])


@settings(deadline=None)
@given(
    st.just({}) | edits,
    st.just([]) | st.lists(more_options, max_size=2, unique=True),
    st.booleans(),
)
def test_what_passes_is_a_stream_that_keeps_all_rules(
    drawn: dict[int, tuple[str, str] | None], more: list[str], second: bool
) -> None:
    marks, before = [], None
    for mark in sound_marks():
        edit = drawn.get(mark.chunk, (mark.option, ""))
        if edit is None:
            continue
        option, quote = edit
        there = quote and quote in TEXTS[mark.chunk]
        spans = (span(mark.chunk, quote),) if there else mark.evidence
        kind = MarkKind.CONFIRMATION if option == before and not there else MarkKind.CHOICE
        marks.append(Mark(mark.chunk, kind, option, spans))
        before = option
    extra = [Option(f"x{n}", text, OptionRole.DISTRACTOR) for n, text in enumerate(more)]
    asked = replace(question(), options=(*question().options, *extra))
    lines = {"ann": marks, "bob": marks} if second else {"ann": marks}
    one = said(lines, asked=asked)
    assume(not any(finding.level is Level.FAILS for finding in findings(one)))
    assert list(violations([book_stream(one)[0]])) == []


def test_the_command_says_what_fails_and_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with project(tmp_path / "p", said(), replace(without(3), book="inn")):
        pass
    place = str(tmp_path / "p")
    code, out, err = run(capsys, "novel", "check", place)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "look: inn, q1, chunk 3: carried: nobody looked at chunk 3. Go through those chunks.",
        "2 books, 2 questions: 0 failures, 1 worth a look",
    ]
    code, out, err = run(capsys, "novel", "check", place, "--strict", "--json")
    data = json.loads(out)
    assert (code, err) == (1, f"error: {place}: 1 failure of rules\n")
    assert data["fails"] == 1
    assert data["findings"] == [
        {
            "rule": "carried",
            "book": "inn",
            "question": "q1",
            "chunk": 3,
            "what": "nobody looked at chunk 3",
            "annotator": "",
            "level": "look",
            "mend": "Go through those chunks.",
        }
    ]
    code, out, _ = run(capsys, "novel", "check", place, "--book", "mill", "--strict")
    assert (code, out) == (0, "1 book, 1 question: 0 failures, 0 worth a look\n")
    code, out, _ = run(capsys, "novel", "check", place, "--strict", "--skip", "carried")
    assert code == 0


def test_the_page_shows_every_rule_and_what_was_said_where_one_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "</script><script>alert(1)</script>"
    asked = replace(question(), options=(*question().options, Option("x", bad)))
    one = replace(said(asked=asked), reviews=said().reviews[:1])
    with project(tmp_path / "p", one, replace(said(), book="inn")):
        pass
    page = tmp_path / "check.html"
    typed = ("novel", "check", str(tmp_path / "p"), "--skip", "carried", "-o", str(page))
    code, out, _ = run(capsys, *typed)
    assert (code, out.splitlines()[-1]) == (1, f"{page}: the page")
    html = page.read_text(encoding="utf-8")
    assert "2 books, 2 questions: 1 failure, 1 worth a look." in html
    rows = {
        cells[0]: cells[1]
        for row in re.findall(r"<tr>(.*?)</tr>", html)
        if len(cells := re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)) == 5
    }
    assert rows.pop("Rule") == "Broken"
    assert rows.keys() == RULES.keys()
    assert (rows["two-reviewers"], rows["unsupported"], rows["carried"]) == ("1", "1", "left out")
    assert sorted({*rows.values()}) == ["0", "1", "left out"]
    assert html.count("<h3>q1: Where does Anna live now?</h3>") == 1  # of the mill alone
    assert "Nothing against: q1." in html
    assert "In the mill   &lt;- Anna lived in the mill" in html
    assert "<script>alert" not in html
    data = json.loads(html.split('id="data">')[1].split("</script>")[0])
    assert [finding["rule"] for finding in data["findings"]] == ["unsupported", "two-reviewers"]


def test_the_page_counts_as_failures_what_the_terminal_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with project(tmp_path / "p", said(), replace(without(3), book="inn")):
        pass
    page = tmp_path / "check.html"
    counts = {(): "0 failures, 1 worth a look", ("--strict",): "1 failure, 0 worth a look"}
    for more, says in counts.items():
        _, out, _ = run(capsys, "novel", "check", str(tmp_path / "p"), "-o", str(page), *more)
        *lines, last, _ = out.splitlines()
        html = page.read_text(encoding="utf-8")
        assert last == f"2 books, 2 questions: {says}"
        assert f"2 books, 2 questions: {says}." in html
        assert len(lines) == 1
        assert lines[0].startswith("look: ") is not bool(more)
        assert ('<span class="mark bad">fails</span>' in html) is bool(more)
        assert html.count(">worth a look<") == (0 if more else 7)
        data = json.loads(html.split('id="data">')[1].split("</script>")[0])
        assert data["fails"] == len(more)


def test_nothing_to_check_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with project(tmp_path / "p", said({}, asked=replace(question(), dropped="dull"))):
        pass
    code, out, err = run(capsys, "novel", "check", str(tmp_path / "p"))
    assert (code, out) == (2, "")
    assert "there is no question to check. Draft some" in err


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["--skip", "carred"], "--skip carred: there is no such rule. Did you mean 'carried'?"),
        (["--book", "mil"], "there is no book 'mil'. Did you mean 'mill'?"),
        (["--annotator", "an"], "there is no annotator 'an'. Did you mean 'ann'?"),
    ],
)
def test_mistakes_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: list[str], says: str
) -> None:
    with project(tmp_path / "p", said()):
        pass
    code, _, err = run(capsys, "novel", "check", str(tmp_path / "p"), *typed)
    assert code == 2
    assert err.rstrip().endswith(says)


def test_findings_know_their_level() -> None:
    assert Finding("carried", "b", "q", 1, "x").level is Level.LOOK
    assert Finding("options", "b", "q", None, "x").level is Level.FAILS

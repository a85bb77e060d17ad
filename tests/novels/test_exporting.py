"""Annotations leave and come back as they were; what must not come back is refused by place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
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

from supersede.errors import DataError, UsageError
from supersede.model.stream import Stream
from supersede.novels.annotations import (
    BookAnnotations,
    Draft,
    DraftAnswer,
    Flag,
    FlagReason,
    Mark,
    MarkKind,
    Option,
    OptionRole,
    Question,
    Reformulation,
    Span,
    Work,
)
from supersede.novels.answers import shuffled
from supersede.novels.as_stream import Unfit, book_stream, split_questions
from supersede.novels.book import Book, Chunk, digest
from supersede.novels.changes import mark_change
from supersede.novels.exporting import export_rows, export_sheets, export_tasks, read_any
from supersede.novels.importing import AnswerFile, Quote, Said, import_answers, prepared
from supersede.novels.label_studio import configuration, tasks
from supersede.novels.log import Change, Row
from supersede.novels.project import Project
from supersede.novels.rows import COLUMNS, annotations_of, answer_rows, json_rows, timelines_of
from supersede.novels.spreadsheet import csv_bytes, excel_bytes, read_csv, read_excel
from supersede.streams.files import load_streams
from supersede.streams.oaks import CATCH_ALLS, from_oaks, to_oaks
from supersede.streams.serialize import stream_from_json, stream_to_json
from supersede.streams.validate import violations


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Project]:
    """A project with a question answered by ann; bob has the book and has not begun."""
    with project(tmp_path / "p", said()) as made:
        yield made


def stream(one: BookAnnotations | None = None, seed: int = 0) -> Stream:
    return book_stream(one or said(), seed=seed)[0]


# Streams


def test_a_sound_book_is_a_stream_that_keeps_all_rules() -> None:
    one = stream()
    assert list(violations([one])) == []
    (asked,) = one.questions
    texts = ["In the mill", "In the mill", "At the inn", "At the inn", "In the mill"]
    assert [accepted[0] for accepted in asked.answers] == texts
    assert asked.phases == (2, 2, 1)
    assert [e and e.text for e in asked.evidence] == [
        QUOTES[0], QUOTES[0], QUOTES[2], QUOTES[2], QUOTES[4]
    ]  # fmt: skip
    assert asked.catch_all is not None
    assert asked.options[asked.catch_all] == CATCH_ALLS[0]
    assert one.source == "novel"
    assert one.meta["option_seed"] == 0


def test_the_official_form_gives_the_same_stream_back() -> None:
    for one in (stream(), stream(said({"ann": [choice(0, "none"), *sound_marks()[2:]]}))):
        assert from_oaks(json.loads(json.dumps([to_oaks(one)])), "x") == (one,)
        assert stream_from_json(json.loads(json.dumps(stream_to_json(one)))) == one


def test_options_keep_their_order_for_a_seed_and_change_with_it() -> None:
    orders = {stream(seed=seed).questions[0].options for seed in range(30)}
    assert len(orders) > 20
    assert stream(seed=3) == stream(seed=3)


def test_letters_of_right_answers_are_uniform() -> None:
    # 2,000 questions of five options: 400 for each letter. With four degrees of freedom a uniform
    # draw exceeds 18.47 once in a thousand times.
    options = question().options
    letters = Counter(
        [o.id for o in shuffled(options, 0, "mill", f"q{n}")].index("mill") for n in range(2_000)
    )
    assert sum((letters[n] - 400) ** 2 / 400 for n in range(5)) < 18.47


def test_another_option_or_question_moves_nothing_of_others() -> None:
    one, more = said(), replace(said(), questions=(question("q0", "Who is old?"), question()))
    other = replace(one.timelines[0], question="q0")
    both = stream(replace(more, timelines=(other, *one.timelines)))
    assert both.questions[1] == stream(one).questions[0]


def test_options_that_say_the_same_are_one_and_unshared_ones_stay_out() -> None:
    extra = (
        Option("home", "At home", same_as="mill"),
        Option("bob.1", "In the barn", OptionRole.DISTRACTOR, "bob", shared=False),
    )
    asked = replace(question(), options=(*question().options, *extra))
    marks = [*sound_marks()[:4], choice(4, "home", QUOTES[4])]
    (found,) = stream(said({"ann": marks}, asked=asked)).questions
    assert len(found.options) == 5
    assert found.answers[-1] == ("In the mill",)
    assert [piece.chunk for piece in found.sources[found.options.index("In the mill")]] == [0, 4]


UNFIT: dict[str, tuple[Callable[[], BookAnnotations], str]] = {
    "nobody answered": (lambda: said({}), "nobody has answered it"),
    "annotators differ": (
        lambda: said({"ann": sound_marks(), "bob": sound_marks()[:2]}),
        "annotators differ, and nobody has decided",
    ),
    "a chunk without answer": (
        lambda: said({"ann": sound_marks()[2:]}),
        "there is no answer at chunk 0",
    ),
    "no catch-all": (
        lambda: said(asked=replace(question(), options=question().options[:3])),
        "there is not one catch-all",
    ),
    "two options that read the same": (
        lambda: said(
            asked=replace(question(), options=(*question().options, Option("x", "On a boat")))
        ),
        "two options read 'On a boat'",
    ),
    "an option that reads like the catch-all": (
        lambda: said(
            asked=replace(question(), options=(*question().options, Option("x", CATCH_ALLS[1])))
        ),
        "an option reads like the catch-all and is none",
    ),
    "two questions that read the same": (
        lambda: replace(
            said(),
            questions=(question(), question("q2")),
            timelines=(said().timelines[0], replace(said().timelines[0], question="q2")),
        ),
        "another question reads the same",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNFIT)
def test_what_no_stream_can_hold_is_refused_by_name(name: str) -> None:
    made, why = UNFIT[name]
    with pytest.raises(Unfit, match=why) as caught:
        book_stream(made())
    assert caught.value.questions in {("q1",), ("q2",)}


def test_dropped_questions_are_left_out_and_unfit_ones_where_one_asks() -> None:
    one = said()
    more = (question("q0", "Who is old?"), *one.questions, replace(question("q9"), dropped="dull"))
    book = replace(one, questions=more)
    made, out = book_stream(book, leave_out=True)
    assert [asked.id for asked in made.questions] == ["q1"]
    assert out == ("mill, q0: nobody has answered it",)
    with pytest.raises(Unfit, match="nobody has answered it"):
        book_stream(book)


def test_a_stream_with_many_questions_is_split_evenly() -> None:
    one = stream()
    many = replace(
        one, questions=tuple(replace(one.questions[0], id=f"q{n}", text=f"{n}") for n in range(7))
    )
    parts = list(split_questions(many, 3))
    assert [(part.id, len(part.questions)) for part in parts] == [
        ("mill.1", 3), ("mill.2", 3), ("mill.3", 1)
    ]  # fmt: skip
    assert tuple(q for part in parts for q in part.questions) == many.questions
    assert {part.meta["book"] for part in parts} == {"mill"}
    assert list(split_questions(many, 7)) == [many]


# Rows


def everything() -> BookAnnotations:
    """A book about which all sorts of things were said, some of them odd."""
    lapsed = replace(confirmation(3, "mill", "still?"), evidence=(span(3, "Bert"),))
    odd = [
        choice(0, "mill", QUOTES[0], "The mill", note="=SUM(A1) \u2028 'x'\n,\";"),
        choice(2, "inn", "\u201cAt last!\u201d", "\U0001f30a"),
        lapsed,
        choice(4, "ann.1", "mill.\n\nThe mill was old", "Anna was tired."),
    ]
    own = Option("ann.1", '-1, "In" the\tbarn', OptionRole.ANSWER, "ann", shared=False)
    asked = replace(
        question(),
        options=(own, *question().options),
        original="How does it change?",
        reformulation=Reformulation.TEMPORAL_ANCHORING,
        author="model:x",
    )
    one = said({"ann": odd, "bob": sound_marks()}, asked=asked, rulings=sound_marks())
    told = DraftAnswer("In the mill", QUOTES[0], span(0, QUOTES[0]))
    return replace(
        one,
        flags=(Flag("bob", "q1", 3, FlagReason.UNSUPPORTED, "hm"),),
        drafts=(Draft("d1", "Anna", "Where?", (told, DraftAnswer("?", "?")), True, "", "q1", "m"),),
        work=(Work("ann", 1.5, 30.0, "USD"),),
    )  # fmt: skip


def test_json_rows_hold_everything() -> None:
    one = everything()
    rows = enumerate(json.loads(json.dumps(list(json_rows(one)))), 1)
    assert annotations_of(rows, "x") == (one,)


def test_csv_rows_hold_every_answer(tmp_path: Path) -> None:
    one = everything()
    path = tmp_path / "a.csv"
    path.write_bytes(csv_bytes([COLUMNS, *answer_rows(one)]))
    assert timelines_of(read_csv(path), "x") == {"mill": (*one.timelines, *one.adjudicated)}


def test_a_row_that_is_cut_or_drifted_is_named() -> None:
    rows = list(json_rows(said()))
    for number, change, why in (
        (2, {"text": "another"}, "the text of chunk 0 is not the one of its hash"),
        (7, {"options": [{}]}, "KeyError"),
        (8, {"kind": "tale"}, "KeyError"),
    ):
        changed = [*rows[: number - 1], {**rows[number - 1], **change}, *rows[number:]]
        with pytest.raises(DataError, match=f"x:{number}: no row of a book: {why}"):
            annotations_of(iter(list(enumerate(changed, 1))), "x")


signs = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
tricky = st.sampled_from(
    ["=1+1", "'=1", "''-x", "+", "@x", "\tx", "\rx", "-1", "'", "'x", "a\r\nb"]
)
rows_of_cells = st.lists(
    st.lists(signs | tricky, min_size=2, max_size=4), min_size=1, max_size=4
).map(lambda rows: [["book", "a,b", "c"], *rows])


@given(rows_of_cells)
def test_any_cell_goes_through_csv(tmp_path_factory: pytest.TempPathFactory,
                                   rows: list[list[str]]) -> None:  # fmt: skip
    path = tmp_path_factory.getbasetemp() / "cells.csv"
    path.write_bytes(csv_bytes(rows))
    assert read_csv(path) == rows


def test_no_cell_of_a_csv_file_begins_like_a_formula() -> None:
    text = csv_bytes([["=1", "+1", "-1", "@x", "x=1"]]).decode("utf-8-sig")
    assert text == "'=1,'+1,'-1,'@x,x=1\r\n"


@pytest.mark.parametrize("between", [";", "\t"])
def test_other_separators_are_read(tmp_path: Path, between: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(between.join(["book", "x, y", "z"]), encoding="utf-8")
    assert read_csv(path) == [["book", "x, y", "z"]]


def test_excel_files_hold_texts_and_no_formulas(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    rows = [["book", "=1+1", "-x"], ["'y", "a\r\nb", "\U0001f30a _x0041_"]]
    path.write_bytes(excel_bytes(rows, "a/b", [8, 8, 8], 1))
    assert read_excel(path) == rows
    with pytest.raises(DataError, match="signs that Excel cannot hold"):
        excel_bytes([["\x01"]], "a", [], 0)
    with pytest.raises(DataError, match=r"a cell of 40,000 signs\. Write CSV"):
        excel_bytes([["x" * 40_000]], "a", [], 0)
    path.write_bytes(b"PK no zip")
    with pytest.raises(DataError, match="is no Excel file"):
        read_excel(path)


# Import


def typed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    return run(capsys, "novel", *words)


FORMS = {"sheet": "o/mill/mill.csv", "xlsx": "o/mill/mill.xlsx", "jsonl": "o.jsonl",
         "csv": "o.csv", "label-studio": "o.json"}  # fmt: skip


def marks() -> list[Mark]:
    """Answers that a form could get wrong: a passage that stands twice, several, across lines."""
    second = TEXTS[4].rindex("mill")
    twice = replace(span(4, "mill"), start=second, end=second + 4)
    return [
        choice(0, "mill", QUOTES[0], note="=first"),
        confirmation(1, "mill", "hm"),
        choice(2, "inn", "Anna moved", "\u201cAt last!\u201d", "\U0001f30a came"),
        Mark(4, MarkKind.CHOICE, "bob.1", (twice, span(4, "mill.\n\nThe mill"))),
    ]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_an_annotator_the_same_answers_back(
    form: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    own = Option("bob.1", "With the miller", OptionRole.ANSWER, "bob", shared=False)
    asked = replace(question(), options=(*question().options[:1], own, *question().options[1:]))
    asked = replace(asked, options=tuple(sorted(asked.options, key=lambda option: option.id)))
    with project(Path("p"), said({"ann": sound_marks(), "bob": marks()}, asked=asked)) as made:
        wanted = made.timeline("mill", "q1", "bob")
    output = "o" if form in ("sheet", "xlsx") else FORMS[form]
    code, _, err = typed(
        capsys, "export", "p", "--format", form, "-o", output, "--annotator", "bob"
    )
    assert (code, err) == (0, "")
    again = ("import", "p", FORMS[form], "--annotator", "bob")
    assert typed(capsys, *again) == (0, "mill: 4 answers of bob, 0 changes\n", "")
    with Project(Path("p")) as made:
        for mark in made.store.rows("mark", book="mill", annotator="bob"):
            made.act("bob", "mill", [_removal(mark)])
        assert set(made.timeline("mill", "q1", "bob").answers) == {None}
    code, out, err = typed(capsys, *again)
    assert (code, err, out) == (0, "", "mill: 4 answers of bob, 4 changes\n")
    with Project(Path("p")) as made:
        assert made.timeline("mill", "q1", "bob") == wanted
        assert made.timeline("mill", "q1", "ann").answers[-1] == "mill"
        assert made.undo("bob", "mill") == 4  # one action


def _removal(place: tuple[tuple[str | int, ...], Row]) -> Change:
    key, row = place
    return Change("mark", key, None, row.revision)


ODD = (
    "One. [at 3] = two\n[and]\n-three, One. \u201c\U0001f30aOne\u201d [at 9]",
    "=1+1\n\n[and]\n one _x0041_ 'One' one",
)
spans_of = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), min_size=1, max_size=3)
notes = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], include_characters="\n\t"),
    max_size=8,
) | st.sampled_from(["=1", "'-", "[and]", "_x000D_"])


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), spans_of, notes), min_size=2, max_size=2),
    st.sampled_from(["sheet", "xlsx", "csv", "jsonl", "label-studio"]),
)
def test_whatever_is_marked_and_noted_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[str, list[tuple[int, int]], str]],
    form: str,
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    texts = [Option("a", "=A"), Option("b", "A. b"), Option("c", "-")]
    given_marks = []
    for chunk, (option, places, note) in enumerate(drawn):
        spans = []
        for start, length in places:
            start = min(start, len(ODD[chunk]) - 1)
            quote = ODD[chunk][start : start + length]
            spans.append(Span(chunk, start, start + len(quote), quote, digest(ODD[chunk])))
        same = chunk and option == drawn[0][0]
        kind = MarkKind.CONFIRMATION if same else MarkKind.CHOICE
        given_marks.append(Mark(chunk, kind, option, tuple(spans), note))
    chunks = tuple(Chunk(n, text, "", digest(text), 1) for n, text in enumerate(ODD))
    with Project(folder / "p", create=True) as made:
        made.add_book(Book("odd", "Odd", "", chunks))
        made.add_questions("odd", [Question("q1", "What?", tuple(texts))])
        for who in ("ann", "bob"):
            made.add_annotator(who, who)
            made.assign("odd", who)
        made.act("ann", "odd", [mark_change("odd", "q1", "ann", mark) for mark in given_marks])
        path = exported(made, form, folder)
        (found,) = read_any(path, "bob" if form != "csv" else "ann")
        assert import_answers(made, found, "bob").options == ()
        assert made.marks("odd", "q1", "bob") == made.marks("odd", "q1", "ann")


def exported(made: Project, form: str, folder: Path) -> Path:
    """What ann said, in a form."""
    if form in ("sheet", "xlsx"):
        (path,) = export_sheets(made, ["odd"], folder, form, annotator="ann")
        return path
    one = made.annotations("odd")
    if form == "label-studio":
        export_tasks(one, folder / "o.json", annotator="ann")
        return folder / "o.json"
    export_rows([one], folder / f"o.{form}", form, "ann")
    return folder / f"o.{form}"


@pytest.mark.parametrize("form", ["stream", "oaks"])
def test_answers_of_streams_are_read_back(
    form: str, opened: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, path = str(tmp_path / "p"), str(tmp_path / ("o.json" if form == "oaks" else "o.jsonl"))
    late = [choice(0, "none"), confirmation(1, "none"), *sound_marks()[2:]]
    opened.act("bob", "mill", [mark_change("mill", "q1", "bob", mark) for mark in late])
    wanted = opened.timeline("mill", "q1", "bob")
    words = ("export", place, "--format", form, "-o", path, "--annotator", "bob")
    assert typed(capsys, *words)[0] == 0
    code, out, err = typed(capsys, "import", place, path, "--annotator", "bob")
    assert (code, err, out) == (0, "", "mill: 5 answers of bob, 0 changes\n")
    code, out, _ = typed(capsys, "import", place, path, "--annotator", "ann")
    assert (code, out) == (0, "mill: 5 answers of ann, 2 changes\n")
    assert opened.timeline("mill", "q1", "ann").cells == wanted.cells


def test_a_sheet_is_filled_in_by_hand_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with project(Path("p"), said()):
        pass
    code, out, _ = typed(
        capsys, "export", "p", "--format", "sheet", "-o", "s", "--annotator", "bob"
    )
    assert (code, out) == (0, "s/mill/mill.csv: 5 chunks\n")
    chunks = [path.read_text(encoding="utf-8") for path in sorted(Path("s/mill/chunks").iterdir())]
    assert chunks == [f"{text}\n" for text in TEXTS]
    assert "plausible" in Path("s/mill/README.md").read_text(encoding="utf-8")
    path = Path("s/mill/mill.csv")
    rows = read_csv(path)
    assert rows[3][3:] == ["answer", "evidence", "note"]
    assert {cell for row in rows[4:] for cell in row[3:]} == {""}  # bob sees nothing of ann's
    letters = {line[3:]: line[0] for line in rows[2][3].splitlines()}
    rows[2][3] += "\nF. In a tower"
    rows[4][3:5] = [letters["In the mill"].lower(), "Anna lived in the mill."]
    rows[6][3:5] = [f"{letters['At the inn']}.", '"At last!" she said.']  # marks of another kind
    rows[7][3:5] = ["Under a bridge", "Bert spoke of Anna"]
    rows[8][3:5] = ["F", "Anna went back to the mill. The mill was old"]
    path.write_bytes(csv_bytes(rows))
    code, out, err = typed(capsys, "import", "p", str(path), "--annotator", "bob")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "mill: 4 answers of bob, 6 changes",
        "  new option of q1: In a tower",
        "  new option of q1: Under a bridge",
    ]
    with Project(Path("p")) as made:
        one = made.timeline("mill", "q1", "bob")
        assert one.answers == ("mill", "mill", "inn", "bob.2", "bob.1")
        assert one.cells[2].evidence[0].quote == "At last!\u201d she said."
        assert one.cells[4].evidence[0].quote == "Anna went back to the mill.\n\nThe mill was old"
    typed(capsys, "export", "p", "--format", "sheet", "-o", "s", "--annotator", "bob")
    lettered = read_csv(path)[2][3].splitlines()  # re-lettered, with the new ones
    assert [line[:2] for line in lettered] == [f"{letter}." for letter in "ABCDEFG"]


def answers(*given: Said, hashes: dict[int, str] | None = None) -> AnswerFile:
    return AnswerFile("mill", given, ("q1",), hashes or {})


def test_a_change_without_evidence_of_its_chunk_is_refused(opened: Project) -> None:
    def wrong(*given: Said, hashes: dict[int, str] | None = None) -> list[str]:
        found = prepared(opened, answers(*given, hashes=hashes), "bob")
        return [str(problem) for problem in found.problems]

    assert wrong(Said("q1", 0, "In the mill")) == [
        "mill, q1, chunk 0: the answer becomes 'In the mill' without evidence. "
        "Copy the sentence of this chunk that tells it."
    ]
    assert wrong(Said("q1", 0, "In the mill", (Quote("Anna moved to the inn"),))) == [
        "mill, q1, chunk 0: chunk 0 does not read 'Anna moved to the inn'; it stands in chunk 2. "
        "Copy the sentence from this very chunk."
    ]
    assert "does not read 'Anna lived" in wrong(
        Said("q1", 0, "In the mill", (Quote("Anna lived in the mill", 1),))
    )[0]  # fmt: skip
    assert wrong(Said("q1", 9, "In the mill"))[0].startswith("mill, q1, chunk 9: there is no chunk")
    assert wrong(Said("q2", 0, "In the mill")) == [
        "mill: there is no question 'q2'. Choose from q1."
    ]
    none = Said("q1", 0, "It cannot be answered yet")
    assert wrong(none) == []
    assert wrong(none, none)[0].startswith("mill, q1, chunk 0: a second answer at chunk 0")
    assert wrong(none, hashes={0: digest(TEXTS[0])[:8], 1: digest("rewritten")}) == [
        "mill, chunk 1: the text of chunk 1 is another one than in the file. "
        "Export again: the file was made of another text."
    ]
    with pytest.raises(UsageError, match="without evidence"):
        import_answers(opened, answers(Said("q1", 0, "In the mill")), "bob")
    assert opened.marks("mill", "q1", "bob") == {}


def test_nothing_is_written_where_anything_is_refused(
    opened: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "p")
    typed(capsys, "export", place, "--format", "sheet", "-o", str(tmp_path), "--annotator", "bob")
    path = tmp_path / "mill" / "mill.csv"
    rows = read_csv(path)
    rows[4][3:5] = ["In the mill", QUOTES[0]]
    rows[6][3:5] = ["In the inn", ""]
    rows[7][3:5] = ["On a boat", QUOTES[0]]
    rows[8][2] = "sha256:0000"
    path.write_bytes(csv_bytes(rows))
    code, out, err = typed(capsys, "import", place, str(path), "--annotator", "bob")
    assert code == 2
    assert err == f"error: {path}: 3 places cannot be taken. Nothing was written.\n"
    assert [line.partition(": mill, q1")[0] for line in out.splitlines()[1:]] == [
        f"{path}:7", f"{path}:8"
    ]  # fmt: skip
    assert opened.marks("mill", "q1", "bob") == {}


SHEET_MISTAKES: dict[str, tuple[Callable[[list[list[str]]], object], str]] = {
    "no sheet": (lambda rows: rows[0].__setitem__(0, "x"), "has no column 'book'"),
    "no letter": (lambda rows: rows[4].__setitem__(3, "Q"), ":5: q1 has no option 'Q'. It has A"),
    "no number": (lambda rows: rows[4].__setitem__(0, "one"), ":5: 'one' is no number of a chunk"),
    "evidence alone": (
        lambda rows: rows[5].__setitem__(4, "x"),
        ":6: evidence for q1 at chunk 1, and no answer",
    ),
    "a note alone": (
        lambda rows: rows[5].__setitem__(5, "x"),
        ":6: a note for q1 at chunk 1, and no answer",
    ),
    "evidence that was cut": (
        lambda rows: rows[4].__setitem__(slice(3, 5), ["A", "[exact] [["]),
        ":5: '[exact] [[' is no evidence",
    ),
    "two rows": (lambda rows: rows[5].__setitem__(0, "0"), ":6: chunk 0 has two rows"),
}


@pytest.mark.parametrize("name", SHEET_MISTAKES)
def test_a_mistake_in_a_sheet_is_named(
    name: str, opened: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "p")
    typed(capsys, "export", place, "--format", "sheet", "-o", str(tmp_path), "--annotator", "bob")
    path = tmp_path / "mill" / "mill.csv"
    rows = read_csv(path)
    change, says = SHEET_MISTAKES[name]
    change(rows)
    path.write_bytes(csv_bytes(rows))
    code, _, err = typed(capsys, "import", place, str(path), "--annotator", "bob")
    assert code == 2
    assert says in err


def test_who_may_not_import_is_told(
    opened: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, rows = str(tmp_path / "p"), str(tmp_path / "o.csv")
    typed(capsys, "export", place, "--format", "csv", "-o", rows, "--annotator", "ann")
    code, _, err = typed(capsys, "import", place, rows, "--annotator", "eve")
    assert (code, err) == (2, "error: there is no annotator 'eve'. --assign lets them in.\n")
    opened.add_annotator("eve", "Eve")
    code, _, err = typed(capsys, "import", place, rows, "--annotator", "eve")
    assert (code, err) == (2, "error: mill is no book of eve's. Assign it first: --assign.\n")
    code, out, _ = typed(capsys, "import", place, rows, "--annotator", "dan", "--assign")
    assert (code, out) == (0, "mill: 5 answers of dan, 5 changes\n")
    assert (
        opened.timeline("mill", "q1", "dan").answers == opened.timeline("mill", "q1", "ann").answers
    )
    opened.set_stage("mill", "adjudicating")
    code, _, err = typed(capsys, "import", place, rows, "--annotator", "dan")
    assert (code, err) == (
        2, "error: mill: the book is adjudicating: what annotators said stands still\n"
    )  # fmt: skip


def test_tasks_go_with_a_configuration_that_fits_them(tmp_path: Path) -> None:
    asked = replace(question(), text='Where "now" <b>?')
    one = said(asked=asked)
    config = ElementTree.fromstring(configuration(one))
    choices = {
        tag.attrib["name"]: {choice.attrib["value"] for choice in tag}
        for tag in config.iter("Choices")
    }
    assert choices == {"question-q1": {option.text for option in asked.options}}
    names = {tag.attrib["name"] for tag in config.iter() if "name" in tag.attrib}
    for task in tasks(one):
        text = task["data"]["text"]
        for item in task["annotations"][0]["result"]:
            assert item["from_name"] in names
            value = item["value"]
            if item["type"] == "labels":
                assert text[value["start"] : value["end"]] == value["text"]
            else:
                assert set(value["choices"]) <= choices[item["from_name"]]


# The command


def test_what_is_exported_validates_and_an_oracle_scores_one(
    opened: Project, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "p")
    for form, name in (("stream", "s.jsonl"), ("oaks", "s.json")):
        output = str(tmp_path / name)
        words = ("novel", "export", place, "--format", form, "-o", output, "--seed", "7")
        assert run(capfd, *words) == (0, f"{output}: 1 stream\n", "")
        code, out, _ = run(capfd, "stream", "validate", output)
        assert (code, out) == (0, "1 stream, 0 violations\n")
    assert load_streams(tmp_path / "s.jsonl") == load_streams(tmp_path / "s.json")
    asked = ("--model", "supersede/oracle", "--log-dir", str(tmp_path / "logs"), "--json")
    code, out, _ = run(capfd, "eval", "stream", str(tmp_path / "s.jsonl"), *asked)
    assert (code, json.loads(out)["accuracy"]) == (0, 1.0)


@pytest.mark.parametrize(
    ("typed_words", "says"),
    [
        (("--format", "csv", "--leave-out"), "--leave-out is for streams"),
        (("--format", "sheet", "--split-questions", "2"), "--split-questions is for streams"),
        (("--format", "stream", "--annotator", "bob"), "mill, q1: nobody has answered it"),
        (("--format", "csv", "--annotator", "bo"), "there is no annotator 'bo'"),
        (("--format", "csv", "--book", "nil"), "there is no book 'nil'"),
    ],
)
def test_mistakes_of_export_are_named(
    opened: Project,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    typed_words: tuple[str, ...],
    says: str,
) -> None:
    output = tmp_path / "out"
    place = str(tmp_path / "p")
    code, _, err = typed(capsys, "export", place, "-o", str(output), *typed_words)
    assert code == 2
    assert says in err
    assert not output.exists()


def test_two_books_need_two_projects_of_label_studio(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with project(tmp_path / "p", said(), replace(said(), book="inn")):
        pass
    words = ("export", str(tmp_path / "p"), "--format", "label-studio", "-o")
    code, _, err = typed(capsys, *words, str(tmp_path / "t.json"))
    assert code == 2
    assert "the project has 2 books. Name one with --book" in err
    code, out, _ = typed(capsys, *words, str(tmp_path / "t.json"), "--book", "inn")
    assert code == 0
    assert out.splitlines() == [
        f"{tmp_path / 't.json'}: 5 tasks",
        f"{tmp_path / 't.json'}.config.xml: the labelling configuration",
    ]

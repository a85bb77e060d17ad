import json
from dataclasses import replace

from tests.reports.made import STREAMS, made
from tests.reports.parsed import Node, embedded, parsed

from supersede.metrics.decomposition import classify
from supersede.model.stream import Trace
from supersede.reports.figures import CLASS_NAMES
from supersede.reports.heatmap import Document, documents, heat_maps
from supersede.reports.markup import element
from supersede.reports.runs import Run


def drawn(*runs: Run) -> tuple[Document, Node]:
    first, *_ = documents(runs, STREAMS)
    return first, parsed(element("div", heat_maps(first, 0)))


def cells(path: str) -> dict[int, list[tuple[int, int]]]:
    """Row -> begin and length of each stretch of a path."""
    found: dict[int, list[tuple[int, int]]] = {}
    for piece in path.split("M")[1:]:
        start, length = piece.split("h")
        x, y = start.split()
        found.setdefault(int(y) // 10, []).append((int(x), int(length)))
    return found


def spread(list_: list[int], size: int) -> list[list[int]]:
    """The numbers of each interval."""
    parts = [list_[i : i + size] for i in range(0, len(list_), size)]
    return [part[:-1] for part in parts for _ in range(part[-1])]


def test_the_strokes_are_the_classes_of_the_metric() -> None:
    run = made("a", "flip-flop")
    document, page = drawn(run)
    (svg,) = page.all("svg", "heat")
    found = [["" for _ in range(6)] for _ in document.questions]
    for look in CLASS_NAMES:
        for path in svg.all("path", f"c-{look}"):
            for row, stretches in cells(path.attributes["d"] or "").items():
                for begin, length in stretches:
                    found[row][begin : begin + length] = [look] * length
    wanted = [list(classify(t.phases, t.right)) for t in run.traces if t.stream == "s1"]
    assert found == wanted


def test_phases_begin_where_the_truth_changes() -> None:
    _, page = drawn(made("a"))
    (path,) = page.all("path", "phase")
    # mo: Unknown, hall x 2, kitchen x 2, garden; ann: garden x 3, Unknown, hall x 2
    assert path.attributes["d"] == "M1 0v10M3 0v10M5 0v10M3 10v10M4 10v10"


def test_the_words_say_question_truth_and_answer_of_every_cell() -> None:
    run = made("a", "last-mention")
    _, page = drawn(run)
    words = embedded(page, "doc-0")
    assert words["questions"] == ["Where is mo?", "Where is ann?"]
    for row, trace in enumerate(t for t in run.traces if t.stream == "s1"):
        truth = [words["words"][n] for (n,) in spread(words["truth"][row], 2)]
        assert truth == list(trace.truth)
        said = spread(words["said"][0][row], 3)
        assert [words["words"][n] for n, _ in said] == list(trace.said)
        looks = [CLASS_NAMES[look] for look in classify(trace.phases, trace.right)]
        assert [words["looks"][n] for _, n in said] == looks


def test_left_out_and_unreadable_cells_are_marked() -> None:
    gap, full = made("gap", lost=1), made("full", "oracle", silent=24)
    _, page = drawn(gap, full)
    first, second = page.all("svg", "heat")
    assert [p.attributes["d"] for p in first.all("path", "out")] == ["M0 15h6"]
    assert "1 questions left out" in (first.attributes["aria-label"] or "")
    assert [p.attributes["d"] for p in second.all("path", "unread")] == ["M0 5h6M0 15h6"]
    words = embedded(page, "doc-0")
    assert words["said"][0].count(None) == 1
    assert "no readable answer" in words["words"]


def test_epochs_have_panels_of_their_own() -> None:
    run = made("a")
    twice = replace(run, traces=(*run.traces, *run.traces))
    document, page = drawn(twice)
    assert list(document.panels) == ["a", "a, epoch 2"]
    assert len(page.all("svg", "heat")) == 2


def test_questions_of_one_type_stand_together() -> None:
    def trace(name: str, kind: str) -> Trace:
        return replace(made("a").traces[0], question=name, type=kind)

    mixed = tuple(trace(name, kind) for name, kind in (("1", "x"), ("2", "y"), ("3", "x")))
    document, page = drawn(replace(made("a"), traces=mixed))
    assert [q.question for q in document.questions] == ["1", "3", "2"]
    assert [p.text() for p in page.all("p", "rowhead")] == ["x (2)", "y (1)"]
    firsts = [svg.attributes["data-first"] for svg in page.all("svg", "heat")]
    assert firsts == ["0", "2"]


def test_without_streams_a_question_is_its_id() -> None:
    (first, _) = documents([made("a")], None)
    assert first.texts == {"mo": "mo", "ann": "ann"}


def test_long_texts_are_cut() -> None:
    long = replace(STREAMS[0].questions[0], text="x" * 5_000)
    stream = replace(STREAMS[0], questions=(long,))
    (document,) = documents([made("a", streams=[stream])], [stream])
    assert len(document.texts["mo"]) == 300
    assert len(json.dumps(document.texts)) < 400


def test_a_run_that_was_cut_short_does_not_cut_the_others() -> None:
    full = made("full")
    mo = full.traces[0]
    cut = replace(
        mo,
        phases=(1, 1),
        truth=mo.truth[:2],
        said=mo.said[:2],
        right=mo.right[:2],
        replies=mo.replies[:2],
        accepted=mo.accepted[:2],
    )
    document, page = drawn(replace(made("short"), traces=(cut,)), full)
    assert document.length == 6
    assert {svg.attributes["viewbox"] for svg in page.all("svg", "heat")} == {"0 0 6 20"}

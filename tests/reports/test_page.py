import re
from dataclasses import replace

import pytest
from tests.reports.made import STREAMS, log, made
from tests.reports.parsed import Node, embedded, parsed

from supersede.memories.plan import Prices
from supersede.metrics.archetypes import Archetype
from supersede.metrics.stream_report import report_data
from supersede.reports import Request, Run, render
from supersede.reports.calls import dollars, pass_at
from supersede.reports.figures import interval_estimates, percent, share

RUNS = (made("oracle", "oracle"), made("stale"), made("flip", "flip-flop"))


def page_of(*runs: Run, prices: Prices | None = None) -> Node:
    return parsed(render(Request(runs, STREAMS, "two.jsonl", prices=prices)))


def table(page: Node, section: str, place: int = 0) -> list[list[str]]:
    """The rows of a table of a section."""
    return page.one("section", id=section).all("table")[place].rows()


def test_the_numbers_are_those_of_the_metrics() -> None:
    page = page_of(*RUNS)
    data = embedded(page, "data")
    assert data == {run.name: report_data(run.report) for run in RUNS}
    for row, run in zip(table(page, "results")[1:], RUNS, strict=True):
        assert row[0].strip() == run.name
        names = ["accuracy", "al", "ds", "pm", "final_accuracy"]
        for cell, name in zip(row[1:], names, strict=False):
            assert cell.split()[0] == share(run.report.measures[name].estimate.value)
        assert row[-2:] == ["4", "2"]


def test_the_bar_has_the_width_of_each_share() -> None:
    page = page_of(*RUNS)
    bar = page.one("section", id="errors").all("svg", "bar")[1]
    # stale by one: 3 of 6 right, 2 late, 1 missed, for both questions (test_ladder)
    right, late, missed = bar.all("rect")
    looks = [rect.attributes["class"] for rect in (right, late, missed)]
    assert looks == ["c-right", "c-late", "c-missed"]
    starts = [float(rect.attributes["x"] or "") for rect in (right, late, missed)]
    shares = [RUNS[1].report.measures[name].estimate.value for name in ("accuracy", "al")]
    assert starts == pytest.approx([0, 1000 * shares[0], 1000 * sum(shares)], abs=0.1)
    assert "stale: right 50.0\u00a0%, late" in (bar.attributes["aria-label"] or "")


def test_archetypes_are_shares_of_their_scenario() -> None:
    page = page_of(*RUNS)
    changed, stayed = (table(page, "archetypes", i) for i in (0, 1))
    acts = RUNS[1].report.behaviour
    for rows in (changed, stayed):
        assert rows[0][1:] == ["oracle", "stale", "flip"]
        for name, *cells in rows[1:]:
            which = Archetype(name.split()[0])
            assert cells[1].startswith(f"{percent(acts.rates[which])} {acts.counts[which]}")
    assert {row[0].split()[0] for row in (*changed[1:], *stayed[1:])} == set(Archetype)


def test_the_line_has_a_point_for_each_interval_and_the_band_both_ends() -> None:
    page = page_of(*RUNS)
    curve = page.one("section", id="curves").all("svg", "curve")[2]
    (line,) = curve.all("path", "line")
    assert (line.attributes["d"] or "").count("L") == 5
    assert len(curve.all("path", "other")) == 2
    (band,) = curve.all("path", "band")
    assert (band.attributes["d"] or "").count("L") == 11
    estimates = interval_estimates(RUNS[2].traces)
    assert [e.value for e in estimates] == [p.accuracy for p in RUNS[2].report.curve]


def test_one_document_has_no_band_and_says_so() -> None:
    page = page_of(made("one", streams=STREAMS[:1]))
    assert not page.all("path", "band")
    assert "Only 1 document: no interval" in page.one("header").text()


def test_what_logs_know_is_told() -> None:
    calls = {
        "expected": 24,
        "prompt_tokens": 1_000_000,
        "output_tokens": 1_000,
        "cached_tokens": 400_000,
        "told_tokens": 800_000,
        "reused": 7,
    }
    run = made("rag", log=log(calls, {"1": 5, "3": 2, "0": 1}))
    page = page_of(run, made("plain"), prices=Prices(2.0, 10.0, 0.5))
    first = table(page, "retrieval")[1]
    at_1, at_3 = percent(5 / 8), percent(7 / 8)
    assert first[1:7] == ["rag (bm25)", "no", percent(6 / 8), at_1, at_1, at_3]
    assert "dense retriever" in page.one("section", id="retrieval").text()
    cost = table(page, "cost")
    assert len(cost) == 2
    # 600,000 fresh at 2, 400,000 cached at 0.5, 1,000 out at 10 dollars a million
    assert cost[1][1:6] == ["1,000,000", percent(0.5), "1,000", "0", "0"]
    assert cost[1][6:] == ["0", "20.0", "5", "1.41", "chunks 6"]
    assert len(page.one("section", id="cost").all("table")) == 1
    assert "resumed" in table(page, "results")[1][0]
    replies = table(page, "replies")
    assert [row[9] for row in replies[1:]] == ["7 answers kept", "not known"]
    settings = page.one("section", id="settings").text()
    assert (
        "inspect eval supersede/stream --model openai/gpt-x -T data=babi.jsonl -T memory=rag"
        in settings
    )


def test_what_a_memory_asked_is_told_stage_by_stage_and_paid_for() -> None:
    calls = {"prompt_tokens": 1_000_000, "output_tokens": 0}
    names = {"calls": 9, "reused": 4, "input_tokens": 500_000, "cached_tokens": 100_000,
             "output_tokens": 2_000, "malformed": 3, "fallbacks": 2, "cut": 1,
             "seconds": 7.5}  # fmt: skip
    stages = {"names": names, "triples": {**names, "output_tokens": 102_000}}
    run = made("graph", log=log(calls, memory="hipporag (hashing)", stages=stages))
    page = page_of(run, prices=Prices(2.0, 10.0, 0.5))
    # 400,000 fresh at 2, 100,000 cached at 0.5, 2,000 out at 10 dollars a million
    rows = table(page, "cost", 1)[1:]
    counts = ["9", "4", "500,000", "2,000", "3", "2", "1", "7.5", "0.87", "openai/gpt-y"]
    assert rows[0] == ["graph", "names", *counts]
    assert [row[1] for row in rows] == ["names", "triples"]
    assert table(page, "cost")[1][6:] == ["18", "35.0", "5", "4.74", "chunks 6"]


def test_it_is_told_whether_a_memory_wrote_knowing_the_questions() -> None:
    logs = {name: log({}, memory=name) for name in ("memagent", "rag (bm25)", "of a package")}
    logs["of a package"] = replace(logs["of a package"], question_aware_writes=None)
    page = page_of(*(made(name, log=one) for name, one in logs.items()))
    assert [row[1:3] for row in table(page, "retrieval")[1:]] == [
        ["memagent", "yes"],
        ["rag (bm25)", "no"],
        ["of a package", "not told"],
    ]


def test_settings_tell_what_the_provider_was_given_and_files_without_their_folders() -> None:
    task = {"data": "/home/somebody/babi.jsonl", "memory": "rag"}
    given = {"task": task, "provider": {"threads": 1}}
    text = page_of(made("rag", log=log({}, settings=given))).text()
    assert "-M threads=1 -T data=babi.jsonl -T memory=rag" in text
    assert "somebody" not in text


def test_without_a_log_the_page_says_that_it_does_not_know() -> None:
    page = page_of(*RUNS)
    for name in ("retrieval", "cost"):
        section = page.one("section", id=name)
        assert not section.all("table")
        assert "logs do" in section.text()


def test_a_failed_run_is_marked() -> None:
    page = page_of(made("bad", lost=1), made("good"))
    bad, good = table(page, "results")[1:]
    assert ("failed" in bad[0], "1 left out" in bad[0]) == (True, True)
    assert good[0].strip() == "good"
    assert table(page, "replies")[1][-1] == "failed"


def test_nothing_scored_is_no_crash_and_no_zero() -> None:
    page = page_of(made("none", lost=24))
    assert table(page, "results")[1][1].strip() == "–"  # noqa: RUF001 - the dash of the page
    assert "No question was answered" in page.one("section", id="heat").text()


def test_every_text_is_escaped() -> None:
    nasty = "</script><img src=x onerror=alert(1)>"
    bad_run = made(nasty)
    text = render(Request([bad_run], STREAMS, nasty, nasty, nasty))
    assert "<img" not in text
    assert text.count("</script>") == text.count("<script")
    page = parsed(text)
    assert page.one("h1").text() == nasty
    assert nasty in embedded(page, "data")


def test_the_page_refers_to_nothing_outside() -> None:
    text = render(Request(RUNS, STREAMS, "two.jsonl"))
    assert not re.findall(r"(?:https?:)?//[a-z]", re.sub(r"^\s*//.*$", "", text, flags=re.M))
    assert not re.findall(r"@import|url\(|<link|<img|<iframe| src=", text)
    assert all((a.attributes["href"] or "").startswith("#") for a in parsed(text).all("a"))


def test_every_link_leads_to_a_section_and_ids_are_unique() -> None:
    page = page_of(*RUNS)
    nodes = [n for tag in ("section", "h2", "output", "script") for n in page.all(tag)]
    ids = [n.attributes["id"] for n in nodes if "id" in n.attributes]
    assert len(ids) == len(set(ids))
    assert {(a.attributes["href"] or "")[1:] for a in page.all("a")} <= set(ids)


def test_pictures_and_tables_say_what_they_are() -> None:
    page = page_of(*RUNS)
    assert page.one("html").attributes["lang"] == "en"
    for svg in page.all("svg"):
        assert svg.attributes.get("aria-label") or svg.attributes.get("aria-hidden") == "true"
    for found in page.all("table"):
        assert found.all("caption")[0].text()
    levels = [int(n.tag[1]) for n in page.all("h1") + page.all("h2") + page.all("h3")]
    assert levels.count(1) == 1


def test_the_same_runs_give_the_same_bytes() -> None:
    again = (made("oracle", "oracle"), made("stale"), made("flip", "flip-flop"))
    assert render(Request(RUNS, STREAMS)) == render(Request(again, STREAMS))


@pytest.mark.parametrize(
    ("k", "wanted"), [(1, 0.5), (2, 0.5), (3, 0.75), (20, 0.75)], ids=["1", "2", "3", "20"]
)
def test_pass_at_k_counts_what_was_not_ranked(k: int, wanted: float) -> None:
    assert pass_at({"1": 2, "3": 1, "0": 1}, k) == wanted


def test_cached_tokens_cost_as_much_where_no_price_is_named() -> None:
    calls = {"prompt_tokens": 2_000_000, "cached_tokens": 1_000_000, "output_tokens": 0}
    assert dollars(calls, Prices(3.0, 9.0)) == 6
    assert dollars(calls, Prices(3.0, 9.0, 1.0)) == 4

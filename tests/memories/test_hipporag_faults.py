"""`hipporag` has none of the faults of the published code."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from tests.memories.hipporag_made import (
    BELKA,
    QUEN,
    RUVO,
    STORY,
    ByRule,
    Nowhere,
    dense_order,
    moves,
    reads,
    run,
    settings,
    where,
)
from tests.memories.made import document

from supersede.memories import Budget
from supersede.memories.hipporag import HippoRag
from supersede.model.memory import Chunk
from supersede.model.protocols import Completion


def test_a_new_chunk_can_be_found_at_once_though_questions_were_asked_before() -> None:
    """Published: after the first retrieval new chunks are invisible, or a second one crashes."""

    async def read() -> None:
        memory = await reads((), (RUVO,))
        for index, text in enumerate(moves(*(f"Ruvo room{n}" for n in range(9)))):
            await memory.observe(Chunk("doc", index, text))
            context = await memory.context(RUVO)
            assert sorted(context.notes["ranking"]) == list(range(index + 1))
            assert f"ruvo went to room{index}" in [one.text for one in memory._graph.facts]

    asyncio.run(read())


@pytest.mark.parametrize("count", range(1, 7))
def test_a_kept_fact_that_is_least_like_the_question_crashes_nothing(count: int) -> None:
    """Published: an AssertionError, where the graph holds five facts or fewer."""
    model = ByRule(keep=lambda question, fact: True)
    memory, contexts = run(STORY[:count], (RUVO, QUEN, BELKA), settings(model))
    assert memory.counters()["facts"] == count
    for context in contexts:
        assert sorted(context.notes["ranking"]) == list(range(count))


def test_where_the_only_kept_fact_weighs_nothing_likeness_ranks() -> None:
    only_last = ByRule(keep=lambda question, fact: fact[0] == "belka")
    _, (ruvo,) = run(STORY[:2], (RUVO,), settings(only_last))
    assert ruvo.notes["facts"] == ()
    assert ruvo.notes["ranking"] == (0, 1)


def test_one_fact_alone_is_a_beginning() -> None:
    """Nothing to scale against: its share is 1, not 0 / 0."""
    _, (ruvo,) = run(("Rain fell.", STORY[0], "Snow fell."), (RUVO,))
    assert ruvo.notes["facts"] == ("ruvo went to hall",)
    assert ruvo.notes["ranking"][0] == 1


def test_a_walk_always_begins_somewhere() -> None:
    """Published: an all-zero reset vector makes the solver raise."""
    for keep in (True, False):
        model = ByRule(keep=lambda question, fact, keep=keep: keep)  # type: ignore[misc]
        _, contexts = run(STORY, given=settings(model, embedder=Nowhere()))
        assert [sorted(one.notes["ranking"]) for one in contexts] == [list(range(6))] * 2


def test_the_same_text_twice_is_two_chunks() -> None:
    """Published: texts are keyed by their hash, and counts of chunks and extractions disagree."""
    memory, (ruvo,) = run((STORY[0], STORY[1], STORY[0]), (RUVO,))
    assert sorted(ruvo.notes["ranking"][:2]) == [0, 2]
    assert memory._graph.edges()["hall", "ruvo"] == 4
    assert memory._graph.edges()["ruvo", 0] == memory._graph.edges()["ruvo", 2] == 1


def test_a_chunk_without_triples_can_still_be_found() -> None:
    _, (parrot, ruvo) = run(("Nobody saw where the parrot sat.", *STORY), (where("parrot"), RUVO))
    assert parrot.notes["ranking"][0] == 0
    assert 0 in ruvo.notes["ranking"]


def test_nothing_depends_on_the_seed_of_hashes() -> None:
    """Published: facts and phrases go through a set, and ties fall with PYTHONHASHSEED."""
    code = (
        "import asyncio, json\n"
        "from tests.memories.hipporag_made import reads\n"
        "from tests.memories.made import document\n"
        "given = document(12)\n"
        "memory = asyncio.run(reads(given.chunks, given.questions))\n"
        "print(json.dumps(memory.snapshot()))"
    )
    here = os.environ.get("PYTHONHASHSEED")
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={
            "PYTHONHASHSEED": "1" if here != "1" else "2",
            "PYTHONPATH": ":".join(filter(None, sys.path)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    given = document(12)
    memory = asyncio.run(reads(given.chunks, given.questions))
    assert there.stdout.strip() == json.dumps(memory.snapshot())


GOOD = [["Ruvo", "went to", "hall"], ["Ruvo", "has", "key"]]
"""What the replies below say of the first chunk."""
READABLE = {
    "fenced": f"```json\n{json.dumps({'triples': GOOD})}\n```",
    "fenced in prose": f"Here you are:\n```\n{json.dumps({'triples': GOOD})}\n```\nMore?",
    "top-level array": json.dumps(GOOD),
    "single quotes": str({"triples": GOOD}),
    "trailing comma": '{"triples": [["Ruvo", "went to", "hall"], ["Ruvo", "has", "key"],]}',
    "objects": json.dumps(
        {
            "triples": [
                dict(zip(("subject", "relation", "object"), row, strict=True)) for row in GOOD
            ]
        }
    ),
    "thinking": f"<think>[['a','b','c']]</think>{json.dumps({'triples': GOOD})}",
    "pairs, fours, empty parts": json.dumps(
        {
            "triples": [
                *GOOD,
                ["a", "b"],
                ["a", "b", "c", "d"],
                ["a", "b", ""],
                7,
                None,
                ["!", "b", "?"],
            ]
        }
    ),
    "an ellipsis": '{"triples": [["Ruvo", "went to", "hall"], ["Ruvo", "has", "key"], ...]}',
}


@pytest.mark.parametrize("reply", READABLE.values(), ids=READABLE)
def test_a_reply_in_other_dress_is_read(reply: str) -> None:
    memory, _ = run(STORY[:1], (), settings(ByRule({"triples": lambda _: reply})))
    assert [one.text for one in memory._graph.facts] == ["ruvo went to hall", "ruvo has key"]
    assert "triples_malformed" not in memory.counters()


def test_what_is_no_triple_is_counted() -> None:
    reply = READABLE["pairs, fours, empty parts"]
    memory, _ = run(STORY[:1], (), settings(ByRule({"triples": lambda _: reply})))
    assert memory.counters()["triples_dropped"] == 6


UNREADABLE = {
    "empty": "",
    "prose": "I am afraid that I cannot do that.",
    "a number": "7",
    "wrong types": '{"names": 7, "triples": 7, "facts": 7}',
    "wrong items": '{"names": [7], "triples": [7], "facts": [7]}',
    "other keys": '{"entities": []}',
    "cut at once": '{"',
    "code": '__import__("os").abort()',
    "deep": "[" * 5_000,
}


@pytest.mark.parametrize("reply", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("stage", ["names", "triples", "filter"])
def test_a_reply_without_sense_is_asked_for_once_more_and_counted(stage: str, reply: str) -> None:
    """Published: an empty list, cached for ever, and nobody learns of it."""
    model = ByRule({stage: lambda _: reply})
    memory, contexts = run(STORY, given=settings(model))
    counters = memory.counters()
    fallbacks = counters[f"{stage}_fallbacks"]
    assert fallbacks > 0
    assert counters[f"{stage}_malformed"] == counters[f"{stage}_calls"] == 2 * fallbacks
    assert {call[1] for call in model.calls if call[0] == stage} == {0, 1}
    if stage != "names":
        assert [one.notes["ranking"] for one in contexts] == dense_order((RUVO, QUEN))


def test_a_second_reply_is_taken() -> None:
    good = json.dumps({"triples": GOOD})
    replies: dict[str, Callable[[int], Completion | str]] = {
        "triples": lambda call: "Sorry." if call == 0 else good
    }
    memory, _ = run(STORY[:1], (), settings(ByRule(replies)))
    assert memory.counters()["facts"] == 2
    assert (memory.counters()["triples_malformed"], memory.counters()["triples_calls"]) == (1, 2)


def test_code_stays_text() -> None:
    """Published: `eval` of what the model wrote."""
    reply = '{"triples": [["Ruvo", "__import__(\'os\').abort()", "hall"]]}'
    memory, _ = run(STORY[:1], (), settings(ByRule({"triples": lambda _: reply})))
    assert [one.relation for one in memory._graph.facts] == ["import os abort"]


@pytest.mark.parametrize(
    "end", ['["Ruvo", "took", "ke', '["Ruvo", "took"', '["Ruvo", "took", "key"', '["Ru', "["]
)
def test_what_a_cut_reply_broke_off_in_is_no_fact(end: str) -> None:
    reply = '{"triples": [["Ruvo", "went to", "hall"], ' + end
    cut: dict[str, Callable[[int], Completion | str]] = {
        "triples": lambda _: Completion(reply, cut=True)
    }
    memory, _ = run(STORY[:1], (), settings(ByRule(cut)))
    assert [one.text for one in memory._graph.facts][1:] == []
    assert memory.counters()["triples_cut"] == 1


def test_a_reply_ten_times_too_long_is_read_and_fits_what_follows() -> None:
    names = [f"Name{n}" for n in range(4_000)]
    rows = [[f"Name{n}", "knows " * 20, f"Name{n + 1}"] for n in range(400)]
    model = ByRule(
        {
            "names": lambda _: json.dumps({"names": [*names, "x" * 9_999]}),
            "triples": lambda _: json.dumps({"triples": [*rows, ["a", "b" * 9_999, "c"]]}),
        }
    )
    memory, contexts = run(STORY[:2], given=settings(model, budget=Budget(4_000)))
    assert memory.counters()["facts"] == 400
    assert memory.counters()["triples_dropped"] == 2
    assert memory.counters()["triples_inputs_cut"] == 2
    assert [sorted(one.notes["ranking"]) for one in contexts] == [[0, 1]] * 2
    assert max(Budget().counter.count(str(call[3])) for call in model.calls) < 4_000


def test_a_fact_that_was_not_shown_is_dropped_and_a_reworded_one_is_known() -> None:
    """Published: whatever the model made up stands for the nearest of those shown."""
    said = {"facts": [["Ruvo", "went to", "the Hall"], ["Tove", "owns", "a yellow submarine"]]}
    model = ByRule({"filter": lambda _: json.dumps(said)})
    memory, (ruvo,) = run(STORY, (RUVO,), settings(model))
    assert ruvo.notes["facts"] == ("ruvo went to hall",)
    assert memory.counters()["filter_unknown"] == memory.counters()["filter_calls"]


def test_letters_of_all_scripts_stay_in_phrases() -> None:
    """Published: accents become spaces, and other scripts nothing at all."""
    rows = [["Zoë Čapek", "lebt in", "Ærø"], ["李雷", "去了", "北京"], ["राम", "गया", "दिल्ली"]]
    reply = json.dumps({"triples": rows}, ensure_ascii=False)
    model = ByRule({"triples": lambda _: reply})
    memory, _ = run(STORY[:1], (), settings(model))
    assert list(memory._graph.phrases) == ["zoë čapek", "ærø", "李雷", "北京", "राम", "दिल्ली"]

    class Published(HippoRag):
        ascii_only = True

    memory, _ = run(STORY[:1], (), settings(model), Published)
    assert list(memory._graph.phrases) == ["zo   apek", "r"]
    assert memory.counters()["triples_dropped"] == 2

"""`hipporag` reads, links, filters and walks as it says, and keeps what every memory must."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import networkx
import numpy as np
import pytest
from tests.memories.hipporag_made import (
    BELKA,
    QUEN,
    RUVO,
    STORY,
    ByRule,
    Nowhere,
    dense_order,
    reads,
    run,
    settings,
    where,
)
from tests.memories.made import document, marker

from supersede.corpus.tokens import Estimate
from supersede.errors import ModelError, UsageError
from supersede.memories import Budget, MemorySettings, make_memory, plan_stream
from supersede.memories.budget import TEMPLATE_TOKENS
from supersede.memories.hipporag import HippoRag, HippoRag30
from supersede.memories.hipporag_graph import Triple
from supersede.memories.hipporag_rank import phrase_seeds, scaled, walked
from supersede.memories.ranking import best
from supersede.memories.retrieval.embedder import HashingEmbedder, Kind, Vectors
from supersede.model.instance import Message
from supersede.model.memory import Chunk
from supersede.model.protocols import Completion
from supersede.streams.babi import Recipe, babi_streams
from supersede.streams.background import open_library


def test_each_chunk_is_asked_about_twice_and_each_question_when_its_facts_change() -> None:
    model = ByRule()
    memory, _ = run(STORY, given=settings(model))
    counted = model.counted()
    assert (counted["names"], counted["triples"]) == (len(STORY), len(STORY))
    assert counted["filter"] <= 2 * len(STORY)
    counters = memory.counters()
    assert [counters[f"{stage}_calls"] for stage in ("names", "triples", "filter")] == [
        len(STORY), len(STORY), counted["filter"],
    ]  # fmt: skip
    assert (counters["phrases"], counters["facts"]) == (9, 6)


def test_the_model_is_not_asked_again_about_the_same_facts() -> None:
    """The memo is the question and the facts, whatever their order and whatever came between."""
    model = ByRule()
    story = (*STORY, "Rain fell.", STORY[0], "Rain fell.")
    run(story, given=settings(model))
    asked = [call[3][-1].content for call in model.calls if call[0] == "filter"]
    assert len(asked) == len(set(asked))
    others = ByRule()
    run(STORY, given=settings(others))
    assert model.counted()["filter"] == others.counted()["filter"]


def test_names_and_triples_depend_on_the_chunk_alone() -> None:
    model = ByRule()
    run((*STORY, "Rain fell.", STORY[0]), given=settings(model))
    for stage in ("names", "triples"):
        prompts = [call[3] for call in model.calls if call[0] == stage]
        assert prompts[0] == prompts[-1]
        assert STORY[0] in prompts[0][-1].content
        assert not [one for one in STORY[1:] if one in str(prompts[0])]


def test_filters_of_an_interval_run_side_by_side() -> None:
    """All questions are asked before any is answered."""
    together = asyncio.Event()
    waiting = 0
    model = ByRule()

    async def generate(messages: Sequence[Message], **given: object) -> Completion:
        nonlocal waiting
        if given["stage"] == "filter":
            waiting += 1
            if waiting == 3:
                together.set()
            await asyncio.wait_for(together.wait(), 5)
        return await model(messages, **given)  # type: ignore[arg-type] # handed on

    asyncio.run(reads(STORY[:1], (RUVO, QUEN, BELKA), MemorySettings(generate=generate)))
    assert waiting == 3


def test_the_chunks_of_the_kept_facts_come_first() -> None:
    _, (ruvo, quen) = run(STORY)
    assert set(ruvo.notes["ranking"][:2]) == {0, 2}
    assert set(quen.notes["ranking"][:2]) == {4, 5}
    assert ruvo.notes["facts"] == ("ruvo went to hall", "ruvo went to garden")
    assert ruvo.chunks == tuple(sorted(ruvo.chunks))
    assert len(ruvo.chunks) == 5


def test_presets_show_five_and_thirty_chunks_unless_told_otherwise() -> None:
    texts = tuple(f"Ruvo went to the room{n}." for n in range(40))
    for kind, shown, number in ((HippoRag, None, 5), (HippoRag30, None, 30), (HippoRag, 7, 7)):
        _, contexts = run(texts, given=settings(shown=shown), kind=kind)
        assert [len(one.chunks) for one in contexts] == [number] * 2
        assert [len(one.notes["ranking"]) for one in contexts] == [40] * 2
    assert isinstance(make_memory("hipporag-30", settings()), HippoRag30)


def test_the_best_come_first_on_demand() -> None:
    _, (ruvo, _) = run(STORY, given=settings(order="score", shown=3))
    assert ruvo.chunks == ruvo.notes["ranking"][:3]
    assert [STORY[n] for n in ruvo.chunks] == [
        line.partition("context: ")[2] for line in ruvo.text.splitlines()[1:]
    ]


def test_the_latest_chunk_is_left_out_on_demand() -> None:
    _, (_, quen) = run(STORY, given=settings(retrieve_current=False))
    assert 5 not in quen.chunks


def test_without_a_kept_fact_likeness_ranks() -> None:
    model = ByRule(keep=lambda question, fact: False)
    memory, contexts = run(STORY, given=settings(model))
    assert [one.notes["ranking"] for one in contexts] == dense_order((RUVO, QUEN))
    assert [one.notes["facts"] for one in contexts] == [(), ()]
    assert memory.counters()["dense_fallbacks"] == 2 * len(STORY)


def test_seeds_are_scores_over_passages_averaged_and_the_best_five() -> None:
    """By hand: ruvo is in two passages and two facts, so (1.0 / 2 + 0.5 / 2) / 2."""
    memory, _ = run(STORY)
    graph = memory._graph
    facts = [Triple("ruvo", "went to", "hall"), Triple("ruvo", "went to", "garden")]
    names = {number: phrase for phrase, number in graph.phrases.items()}

    def seeds(scores: Sequence[float], chosen: Sequence[Triple] = facts) -> dict[str, float]:
        return {names[n]: weight for n, weight in phrase_seeds(graph, chosen, scores).items()}

    assert seeds([1.0, 0.5]) == {"ruvo": 0.375, "hall": 0.5, "garden": 0.5}  # hall: chunks 0, 5
    assert seeds([0.0, 0.0]) == {}
    every = seeds([1.0] * len(graph.facts), graph.facts)
    # Eight phrases: five of one passage each, ruvo, quen and hall of two; of equals, the later.
    assert every == dict.fromkeys(("barn", "attic", "tamsin", "garden", "cellar"), 1.0)


def test_the_whole_ranking_is_that_of_the_published_formulas() -> None:
    """From vectors to order, worked out apart: plain loops, and networkx for the walk."""
    given = document(14)
    memory, contexts = run(given.chunks, given.questions)
    edges = memory._graph.edges()
    graph = networkx.Graph()
    graph.add_nodes_from(range(14))
    graph.add_weighted_edges_from((one, other, weight) for (one, other), weight in edges.items())
    facts = [" ".join(fact) for fact in memory._graph.facts]

    def cosines(texts: Sequence[str], question: str) -> list[float]:
        async def embed() -> list[float]:
            hashing = HashingEmbedder()
            rows, asked = (
                await hashing.embed(texts, "passage"),
                await hashing.embed([question], "query"),
            )
            return [
                round(float(row @ asked[0] / np.linalg.norm(row) / np.linalg.norm(asked[0])), 5)
                for row in rows.astype(float)
            ]

        found = asyncio.run(embed())
        return [(one - min(found)) / (max(found) - min(found)) for one in found]

    for question, context in zip(given.questions, contexts, strict=True):
        likeness = cosines(facts, question.text)
        first = sorted(range(len(facts)), key=lambda n: (likeness[n], n))[-5:]
        kept = [n for n in first if facts[n].split()[0] in question.text.lower()]
        got: dict[str, list[float]] = {}
        for n in kept:
            subject, *_, place = facts[n].split()
            for phrase in (subject, place):
                told = sum(isinstance(node, int) for node in graph[phrase])
                got.setdefault(phrase, []).append(likeness[n] / told)
        means = {phrase: sum(each) / len(each) for phrase, each in got.items()}
        assert 0 < len(means) <= 5
        start: dict[str | int, float] = dict(means.items())
        start.update(enumerate(0.05 * one for one in cosines(given.chunks, question.text)))
        ranks = networkx.pagerank(graph, 0.5, start, tol=1e-14, max_iter=500)
        expected = sorted(range(14), key=lambda n: (round(ranks[n], 10), n), reverse=True)
        assert list(context.notes["ranking"]) == expected


def test_passages_are_beginnings_by_a_twentieth_of_their_likeness() -> None:
    """Two walks at once, in numbers, as networkx has them."""
    memory, _ = run(STORY)
    graph = memory._graph
    plain = networkx.Graph()
    plain.add_nodes_from(range(len(STORY)))
    plain.add_weighted_edges_from((one, other, w) for (one, other), w in graph.edges().items())
    likeness = [np.array([0, 1, 3, 1, 2, 2.0]) / 4, np.array([1, 0, 0, 0, 0, 0.5])]
    seeds = {"ruvo": 0.4, "hall": 0.1}
    found = walked(graph, [{graph.phrases[one]: w for one, w in seeds.items()}, {}], likeness)
    for column, begins in ((0, seeds), (1, {})):
        start: dict[str | int, float] = dict(begins.items())
        start.update(enumerate((likeness[column] / likeness[column].max() * 0.05).tolist()))
        ranks = networkx.pagerank(plain, 0.5, start, tol=1e-14, max_iter=500)
        assert np.abs(found[column] - [ranks[n] for n in range(len(STORY))]).max() < 1e-9


def test_the_order_of_chunks_changes_no_weight() -> None:
    given = document(15)
    order = [(7 * n + 4) % 15 for n in range(15)]
    one, _ = run(given.chunks, given.questions)
    other, _ = run([given.chunks[n] for n in order], given.questions)
    assert one._graph.edges() == {
        (phrase, order[end] if isinstance(end, int) else end): weight
        for (phrase, end), weight in other._graph.edges().items()
    }


# What every memory must keep


def test_a_call_that_fails_ends_the_run_as_it_is() -> None:
    for stage in ("names", "triples", "filter"):

        def fail(_: int) -> str:
            raise ModelError("nobody answers")

        with pytest.raises(ModelError, match="nobody answers"):
            run(STORY, given=settings(ByRule({stage: fail})))


def test_no_prompt_shows_a_chunk_that_has_not_come() -> None:
    given = document(20)
    model = ByRule()

    async def read() -> None:
        memory = HippoRag(settings(model))
        await memory.start(given.id, given.questions)
        for index, text in enumerate(given.chunks):
            await memory.observe(Chunk(given.id, index, text))
            shown = str([call[3] for call in model.calls])
            texts = [(await memory.context(one)).text for one in given.questions]
            assert not [n for n in range(index + 1, 20) if marker(n) in shown + str(texts)]

    asyncio.run(read())


def test_asking_changes_nothing_and_all_at_once_is_the_same() -> None:
    async def read() -> None:
        model = ByRule()
        memory = await reads(STORY, (RUVO, QUEN), settings(model))
        before = json.dumps(memory.snapshot()), memory.counters()
        first = [await memory.context(one) for one in (RUVO, QUEN)]
        assert first == await asyncio.gather(*(memory.context(one) for one in (RUVO, QUEN)))
        assert (json.dumps(memory.snapshot()), memory.counters()) == before
        calls = model.counted()["filter"]
        new = await asyncio.gather(*(memory.context(BELKA) for _ in range(3)))
        assert new == [new[0]] * 3
        assert model.counted()["filter"] == calls + 1

    asyncio.run(read())


def test_a_question_that_was_not_announced_finds_what_an_announced_one_finds() -> None:
    async def read() -> None:
        late = await reads(STORY, (RUVO,))
        early = await reads(STORY, (RUVO, BELKA))
        assert await late.context(BELKA) == await early.context(BELKA)

    asyncio.run(read())


def test_a_snapshot_goes_on_as_if_nothing_had_happened() -> None:
    given = document(24)

    async def read() -> None:
        memory = await reads(given.chunks[:11], given.questions)
        await memory.context(where("Nobody"))
        state = json.loads(json.dumps(memory.snapshot()))
        other = HippoRag(settings())
        other.restore(state)
        assert other.snapshot() == memory.snapshot()
        for index in range(11, 24):
            for one in (memory, other):
                await one.observe(Chunk("doc", index, given.chunks[index]))
            for question in given.questions:
                assert await other.context(question) == await memory.context(question)
        assert json.dumps(other.snapshot()) == json.dumps(memory.snapshot())
        assert other.counters() == memory.counters()

    asyncio.run(read())


def test_a_snapshot_of_another_embedder_is_refused() -> None:
    memory, _ = run(STORY[:2])
    with pytest.raises(UsageError, match="hashing-256"):
        HippoRag(settings(embedder=Nowhere())).restore(memory.snapshot())


class Counting(Nowhere):
    """Notes how often it is asked, and how long what it reads is."""

    limit = 8

    def __init__(self) -> None:
        self.calls: list[tuple[Kind, int]] = []
        self.longest = 0

    async def embed(self, texts: Sequence[str], kind: Kind) -> Vectors:
        self.calls.append((kind, len(texts)))
        self.longest = max(self.longest, *map(self.count, texts))
        rows = [[text.count("Ruvo"), text.count("Quen"), 1, 0] for text in texts]
        return np.array(rows, dtype=np.float32)


def test_embeddings_are_made_once_a_chunk_and_long_chunks_count_by_their_best_window() -> None:
    embedder = Counting()
    long = "Rain fell on the roof of the mill. " * 5 + "Ruvo Ruvo"
    memory, (ruvo, _) = run(("Rain.", long, "Snow."), given=settings(embedder=embedder))
    assert [kind for kind, _ in embedder.calls] == ["query", "passage", "passage", "passage"]
    assert embedder.longest <= 8
    assert ruvo.notes["ranking"][0] == 1
    assert memory.counters()["chunks_split"] == 1


def test_contexts_and_prompts_fit_a_short_window() -> None:
    given = document(20)
    long = [f"{text} Nothing else happened that day." * 30 for text in given.chunks]
    model = ByRule()
    memory, contexts = run(long, given.questions, settings(model, budget=Budget(600)))
    counters = memory.counters()
    assert counters["names_inputs_cut"] == counters["triples_inputs_cut"] == 20
    for stage, _, most, messages in model.calls:
        assert most is not None, stage
        assert most <= 150
        tokens = sum(Budget().counter.count(one.content) for one in messages)
        assert tokens + most + 32 <= 540, stage
    assert all(one.truncated for one in contexts)
    assert counters["contexts_cut"] > 0
    with pytest.raises(UsageError, match="no room"):
        run(long, (), settings(budget=Budget(150)))


def test_a_plan_knows_the_calls_and_bounds_those_of_the_filter() -> None:
    """On facts hidden in prose; the filter's calls depend on which facts there are."""
    recipe = Recipe(1, chunks=16, chunk_tokens=300, questions=20)
    library = open_library("builtin", Estimate(), longest=recipe.longest, need=recipe.need)
    (given,) = babi_streams(recipe, library, Estimate())
    plan = asyncio.run(plan_stream(given, HippoRag, MemorySettings()))
    model = ByRule()
    asyncio.run(reads(given.chunks, given.questions, settings(model)))
    calls, count = model.counted(), Budget().counter.count
    assert plan.stages["names"].calls == plan.stages["triples"].calls == calls["names"] == 16
    assert calls["filter"] <= plan.stages["filter"].calls <= 2 * calls["filter"]
    for stage, planned in plan.stages.items():
        sent = [sum(count(m.content) for m in call[3]) for call in model.calls if call[0] == stage]
        mean = sum(sent) / len(sent) + TEMPLATE_TOKENS
        assert planned.input_tokens / planned.calls == pytest.approx(mean, rel=0.15), stage
        most = max(call[2] or 0 for call in model.calls if call[0] == stage)
        assert planned.output_tokens == planned.calls * most


# Rules of ranking


def test_the_best_are_chosen_as_sorting_chooses_them() -> None:
    draw = np.random.default_rng(3)
    for _ in range(50):
        row = draw.integers(0, 6, size=draw.integers(1, 40)).astype(float)
        order = sorted(range(len(row)), key=lambda n: (row[n], n), reverse=True)
        assert best(row) == tuple(order)
        assert best(row, 5) == tuple(order[:5])


def test_scaling() -> None:
    row = np.array([0.25, 0.5, 0.75])
    assert scaled(row).tolist() == [0, 0.5, 1]
    assert scaled(row, (2, 1)).tolist() == [1, 0.5]
    assert scaled(np.array([0.3, 0.3])).tolist() == [1, 1]
    assert scaled(np.array([0.3, 0.3]), ()).tolist() == []

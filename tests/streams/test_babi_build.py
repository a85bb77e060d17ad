"""Built documents: the published figures, the same bytes again, facts once each in their prose."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from tests.streams.brute import answer
from tests.streams.novels import NOVELS, needs_novels

from supersede.corpus.tokens import Estimate
from supersede.errors import UsageError
from supersede.model.stream import QuestionType, Stream
from supersede.streams.babi.build import Recipe, babi_streams, document
from supersede.streams.babi.choose import SHARES, quotas, ratio_for
from supersede.streams.babi.document import spread
from supersede.streams.background import Library, open_library
from supersede.streams.prose import sentences
from supersede.streams.serialize import stream_to_json
from supersede.streams.statistics import statistics
from supersede.streams.validate import violations
from supersede.worlds.streams import stream

GOLDEN = "0e47519bb54a43ef4206121c95ce9482db967184b907cbec94124e0506099389"
"""Hash of the small documents; a change of it is a change of every built data set."""

SMALL = Recipe(documents=2, chunks=8, chunk_tokens=200, questions=10, seed=5)


@cache
def builtin(recipe: Recipe = SMALL) -> Library:
    return open_library("builtin", Estimate(), longest=recipe.longest, need=recipe.need)


@cache
def small() -> tuple[Stream, ...]:
    return tuple(babi_streams(SMALL, builtin(), Estimate()))


@cache
def published() -> tuple[Stream, ...]:
    recipe, counter = Recipe(), Estimate()
    library = open_library(str(NOVELS), counter, longest=recipe.longest, need=recipe.need)
    return tuple(babi_streams(recipe, library, counter))


@needs_novels
def test_the_published_figures_are_met_on_novels() -> None:
    found = statistics(published())
    assert (found.documents, found.chunks, found.questions) == (12, 12 * 65, 1224)
    shares = {kind: 100 * number / found.questions for kind, number in found.types.items()}
    for kind, share in (("tracking", 7), ("counting", 28), ("bridge", 30), ("comparison", 35)):
        assert abs(shares[kind] - share) < 3
    assert abs(found.facts_per_document - 87) < 10
    assert abs(found.changes_mean - 4.7) < 0.7
    assert found.changes_min == 2
    assert found.changes_max <= 20
    assert max(found.changes_by_type, key=found.changes_by_type.__getitem__) == "tracking"
    phases = [len(question.phases) for one in published() for question in one.questions]
    for first, last, share in ((2, 3, 40), (4, 5, 25), (6, 20, 35)):
        assert abs(100 * sum(first <= n <= last for n in phases) / len(phases) - share) < 5
    assert found.reuse.repeated == 0
    assert found.reuse.mean_documents > 1


@needs_novels
@pytest.mark.slow
def test_every_entry_of_the_published_size_agrees_with_brute_force() -> None:
    for one in published():
        for question in one.questions:
            for interval, accepted in enumerate(question.answers):
                told = [fact.text for fact in one.facts if fact.chunk <= interval]
                assert accepted[0] == answer(question.text, told), (question.text, interval)


@needs_novels
def test_documents_on_novels_keep_every_rule_and_size() -> None:
    counter = Estimate()
    assert list(violations(published())) == []
    for one in published():
        sizes = [counter.count(chunk) for chunk in one.chunks]
        assert max(sizes) <= 2000
        assert sum(sizes) / len(sizes) > 0.95 * 2000
        text = "\n".join(one.chunks)
        assert not re.search(r"gutenberg|\r|\ufeff", text, re.I)
        assert not re.search(
            r"^(chapter|letter|contents)\b.{0,12}$|^[ivxlc]+\.?$", text, re.I | re.M
        )


@needs_novels
def test_no_name_stands_in_the_prose() -> None:
    for one in published()[:3]:
        prose = "\n".join(one.chunks)
        for fact in one.facts:
            prose = prose.replace(fact.text, "", 1)
        words = set(re.findall(r"\w+", prose.casefold()))
        answers = {text for q in one.questions for accepted in q.answers for text in accepted} - {
            "Unknown",
            "Same",
            "Nobody",
            "No one",
            "None",
        }
        names = {text.casefold() for text in answers if not text.isdigit()}
        assert len(names) > 10
        assert not names & words


def test_facts_stand_once_each_in_the_order_of_the_story() -> None:
    for one in small():
        for number, chunk in enumerate(one.chunks):
            place = 0
            for fact in (fact for fact in one.facts if fact.chunk == number):
                place = chunk.index(fact.text, place) + len(fact.text)
        told = [sentence for chunk in one.chunks for part in chunk.split("\n\n")
                for sentence in sentences(part)]  # fmt: skip
        texts = {fact.text for fact in one.facts}
        assert [sentence for sentence in told if sentence in texts] == [f.text for f in one.facts]


def test_a_document_depends_on_the_recipe_and_its_index_alone() -> None:
    assert document(SMALL, builtin(), Estimate(), 1) == small()[1]
    assert small()[0].chunks != small()[1].chunks


def test_another_process_with_another_hash_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.jsonl"
        code = "from supersede.cli.main import main; main()"
        arguments = ["stream", "babi", str(path), "--documents", "2", "--chunks", "8"]
        arguments += ["--chunk-tokens", "200", "--questions-per-document", "10"]
        subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_the_bytes_are_those_of_every_machine() -> None:
    text = "".join(f"{json.dumps(stream_to_json(one))}\n" for one in small())
    assert sha256(text.encode()).hexdigest() == GOLDEN


def test_small_documents_keep_every_rule() -> None:
    assert list(violations(small())) == []
    assert {len(one.questions) for one in small()} == {10}
    counter = Estimate()
    assert max(counter.count(chunk) for one in small() for chunk in one.chunks) <= 200


class Doubling(Estimate):
    """Counts a whole text as longer than its parts, as a tokenizer may."""

    name = "doubling"

    def count(self, text: str) -> int:
        return super().count(text) + text.count("\n\n") * 5


def test_no_chunk_is_too_long_even_where_parts_count_less_than_the_whole() -> None:
    made = list(babi_streams(SMALL, builtin(), Doubling()))
    assert max(Doubling().count(chunk) for one in made for chunk in one.chunks) <= 200
    assert list(violations(made)) == []


def test_a_document_that_cannot_hold_the_questions_is_an_error() -> None:
    many = Recipe(documents=1, chunks=4, chunk_tokens=200, questions=400)
    with pytest.raises(UsageError, match="answers of only"):
        list(babi_streams(many, builtin(), Estimate()))


@pytest.mark.parametrize("wrong", [{"chunks": 1}, {"chunk_tokens": 50}, {"facts": 1}])
def test_a_recipe_below_its_bounds_is_an_error(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="is below"):
        list(babi_streams(Recipe(**wrong), builtin(), Estimate()))


@pytest.mark.parametrize("chunks", [2, 4, 7, 13, 30])
def test_the_most_facts_that_are_offered_fit_and_one_more_does_not(chunks: int) -> None:
    recipe = Recipe(documents=6, chunks=chunks, chunk_tokens=200, questions=1)
    with pytest.raises(UsageError, match=f"Ask for at most {recipe.most_facts}, or for larger"):
        replace(recipe, facts=recipe.most_facts + 1).check()
    full = replace(recipe, facts=recipe.most_facts)
    made = list(babi_streams(full, builtin(full), Estimate()))
    room = chunks * full.facts_in_chunk
    assert max(len(one.facts) for one in made) <= room
    assert list(violations(made)) == []


def test_facts_are_spread_in_order_and_never_too_densely() -> None:
    chunks = spread(stream("s", "chunks"), 87, 65, 3)
    assert chunks == sorted(chunks)
    assert max(chunks.count(n) for n in range(65)) <= 3
    with pytest.raises(UsageError, match="do not fit"):
        spread(stream("s", "chunks"), 9, 4, 2)


def test_quotas_add_up_to_the_number_of_questions() -> None:
    for number in (1, 8, 102, 1224):
        assert sum(quotas(number, SHARES).values()) == number
    assert quotas(102, SHARES)[QuestionType.TRACKING] == 7


def test_the_ratio_gives_the_mean_that_is_asked_for() -> None:
    phases = [2, 2, 2, 3, 5, 9]
    weights = [ratio_for(phases, 4.0) ** n for n in phases]
    mean = sum(w * n for w, n in zip(weights, phases, strict=True)) / sum(weights)
    assert mean == pytest.approx(4.0)

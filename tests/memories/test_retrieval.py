"""Retrievers: what they rank, what they split and cut, and how often they find the evidence."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import IncompleteRead
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, ClassVar

import bm25s
import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from tests.memories.made import document

from supersede.errors import ModelError, UsageError
from supersede.memories.retrieval import Ranked, make_retriever, needed_chunks, pass_at_k
from supersede.memories.retrieval.bm25 import Bm25
from supersede.memories.retrieval.choose import make_embedder
from supersede.memories.retrieval.dense import Dense
from supersede.memories.retrieval.embedder import HashingEmbedder, Kind, Vectors
from supersede.memories.retrieval.endpoint import EndpointEmbedder
from supersede.memories.retrieval.split import split

TEXTS = ("rain in the hall", "Ruvo took the lamp", "Ruvo went to the cellar", "nothing at all")


def ranked(retriever: Any, query: str, texts: Sequence[str] = TEXTS) -> tuple[int, ...]:
    async def run() -> tuple[int, ...]:
        for index, text in enumerate(texts):
            await retriever.add(index, text)
        (ranking,) = await retriever.rank([query])
        return tuple(ranking)

    return asyncio.run(run())


def naive_bm25(texts: Sequence[str], query: Sequence[str]) -> list[float]:
    """Lucene's BM25 with k1 = 1.5 and b = 0.75, word by word."""
    words = [f"chunk index {n} context {text}".casefold().split() for n, text in enumerate(texts)]
    mean = sum(map(len, words)) / len(words)
    scores = []
    for have in words:
        score = 0.0
        for word in query:
            holding = sum(word in other for other in words)
            idf = math.log(1 + (len(words) - holding + 0.5) / (holding + 0.5))
            tf = have.count(word)
            score += idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(have) / mean))
        scores.append(score)
    return scores


def test_bm25_scores_as_its_formula_says() -> None:
    retriever = Bm25()
    asyncio.run(retriever.add(0, TEXTS[0]))
    for index, text in enumerate(TEXTS[1:], start=1):
        asyncio.run(retriever.add(index, text))
    query = ["ruvo", "cellar", "chunk", "absent"]
    known = [word for word in query if word != "absent"]
    (scores,) = retriever._scores([" ".join(query)])
    assert scores.tolist() == pytest.approx(naive_bm25(TEXTS, known), rel=1e-5)


_TEXT = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=12).map(" ".join)


@drawn(st.lists(_TEXT, min_size=1, max_size=12), st.lists(_TEXT, min_size=1, max_size=4))
def test_bm25_scores_as_the_library_does_at_every_chunk(
    texts: list[str], queries: list[str]
) -> None:
    retriever, words = Bm25(), list[list[str]]()
    for index, text in enumerate(texts):
        asyncio.run(retriever.add(index, text))
        words.append(f"chunk index {index} context {text}".split())
        library = bm25s.BM25()
        library.index(words, show_progress=False)
        for query, scores in zip(queries, retriever._scores(queries), strict=True):
            known = [word for word in query.split() if any(word in one for one in words)]
            theirs = library.get_scores(known) if known else [0.0] * len(words)
            assert scores.tolist() == pytest.approx(list(theirs), rel=1e-6)


@pytest.mark.parametrize("name", ["bm25", "hashing"])
def test_a_chunk_that_has_the_words_comes_first(name: str) -> None:
    assert ranked(make_retriever(name)(), "did Ruvo go to the cellar")[0] == 2


@pytest.mark.parametrize("query", ["zzz", "", "chunk"])
def test_a_ranking_holds_every_chunk_once_and_later_ones_first_among_equals(query: str) -> None:
    assert ranked(Bm25(), query, ("one two",) * 4) == (3, 2, 1, 0)
    assert sorted(ranked(make_retriever("hashing")(), query)) == [0, 1, 2, 3]


class Stub:
    """Vectors by hand: a text's first letter after its index line."""

    name, limit = "stub", 100
    directions: ClassVar = {"a": (1.0, 0.0), "b": (3.0, 4.0), "c": (0.0, -2.0)}

    def count(self, text: str) -> int:
        return len(text.split())

    async def embed(self, texts: Sequence[str], kind: Kind) -> Vectors:
        rows = [self.directions[text.rpartition(": ")[2][0]] for text in texts]
        return np.asarray(rows, dtype=np.float32)


def test_dense_ranks_by_cosine_whatever_the_lengths() -> None:
    assert ranked(Dense(Stub()), "a", ("c", "b", "a")) == (2, 1, 0)
    assert ranked(Dense(Stub()), "b", ("c", "b", "a")) == (1, 2, 0)


def test_dense_splits_a_long_chunk_takes_its_best_window_and_counts_it() -> None:
    needle = "Ruvo holds the lamp"
    around = [f"rain{n}" for n in range(120)]
    long = " ".join([*around[:60], needle, *around[60:]])
    retriever = Dense(HashingEmbedder(limit=24))
    assert ranked(retriever, needle, ("Ruvo slept", long, "the sea"))[0] == 1
    counted = retriever.counters()
    assert (counted["chunks_split"], counted["characters_cut"]) == (1, 0)
    assert counted["windows"] == 2 + math.ceil(124 / 20)
    assert (counted["embedding_calls"], counted["queries_cut"]) == (4, 0)


def test_dense_counts_queries_that_are_too_long() -> None:
    retriever = Dense(HashingEmbedder(limit=8))
    ranked(retriever, "one two three four five six seven eight nine")
    assert retriever.counters()["queries_cut"] == 1


def test_an_embedder_that_cannot_even_read_the_index_line_is_refused() -> None:
    with pytest.raises(UsageError, match="too few"):
        ranked(Dense(HashingEmbedder(limit=4)), "x")


def test_dense_says_how_it_differs_from_the_published_one() -> None:
    stub = Stub()
    assert Dense(stub).deviation == "stub in place of Qwen/Qwen3-Embedding-0.6B"
    assert Bm25().deviation is not None


def test_a_dense_snapshot_of_another_embedder_is_refused() -> None:
    with pytest.raises(UsageError, match="stub"):
        Dense(HashingEmbedder()).restore(Dense(Stub()).snapshot())


@drawn(
    words=st.lists(st.text("abc", min_size=1, max_size=9), max_size=40),
    limit=st.integers(1, 12),
)
def test_windows_hold_every_word_in_order_and_none_is_too_long(
    words: list[str], limit: int
) -> None:
    text = " ".join(words)
    got = split(text, limit, lambda t: len(t.split()))
    assert " ".join(got.texts) == text
    assert all(len(window.split()) <= limit for window in got.texts)
    assert got.cut == 0


def test_a_word_longer_than_a_window_is_cut_and_counted() -> None:
    got = split("ab abcdefghij cd", 4, lambda t: len(t.replace(" ", "")))
    assert got.texts == ("ab", "abcd", "cd")
    assert got.cut == 6


def test_retrievers_are_made_by_name() -> None:
    for wrong, mend in (("bm52", "bm25"), ("bm25:x", "bm25"), ("endpoint:model", "host/v1")):
        with pytest.raises(UsageError, match=mend):
            make_retriever(wrong)
    assert make_retriever("hashing")().name == "dense:hashing-256"


@pytest.mark.parametrize(
    "url", ["nonsense", "file:///etc/v1", "http://", "http://a:b/v1", "http://[a/v1", "//a/v1"]
)
def test_a_server_of_embeddings_whose_address_is_none_is_refused_at_once(url: str) -> None:
    for make in (make_retriever, make_embedder):
        with pytest.raises(UsageError, match="names no server"):
            make(f"endpoint:m@{url}")


def test_dense_retrieval_without_its_library_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UsageError, match=r"supersede\[dense\]"):
        make_retriever("dense")()


class Library:
    """As much of sentence-transformers as is used: vectors of letters, counted by prompt."""

    def __init__(self, model: str) -> None:
        if model == "absent":
            raise OSError("no such folder")
        self.model, self.max_seq_length = model, 12
        self.prompts = {"query": "Find: "}
        self.asked: list[str | None] = []

    def tokenizer(self, text: str, **_: bool) -> SimpleNamespace:
        return SimpleNamespace(input_ids=text.split())

    def encode(self, texts: list[str], *, prompt_name: str | None, **_: bool) -> list[list[float]]:
        self.asked.append(prompt_name)
        return [[float(text.count("lamp")), 1.0] for text in texts]


def test_a_sentence_model_embeds_queries_with_its_own_prompt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "carried_model"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    fake = SimpleNamespace(SentenceTransformer=Library)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    retriever: Any = make_retriever("dense:carried-model")()
    assert ranked(retriever, "lamp")[0] == 1
    library = retriever.embedder._model
    assert library.model == str(package / "model")
    assert library.asked == [None] * 4 + ["query"]
    assert retriever.embedder.limit == 10
    with pytest.raises(UsageError, match="no embedding model 'absent'"):
        make_retriever("dense:absent")()


class Embeddings(BaseHTTPRequestHandler):
    """A server of embeddings: one number, the length of a text; answers in reverse."""

    failures: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.failures.pop(0) if self.failures else 200
        rows = [{"index": n, "embedding": [len(t), 1]} for n, t in enumerate(body["input"])]
        answer = json.dumps({"data": rows[::-1]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(*failures: int) -> Iterator[str]:
    handler = type("Handler", (Embeddings,), {"failures": list(failures)})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def test_an_embeddings_server_is_asked_in_batches_and_again_where_it_fails_for_now() -> None:
    with serving(429, 503) as url:
        embedder = EndpointEmbedder("m", url, wait=0.0)
        rows = asyncio.run(embedder.embed(["x" * n for n in range(70)], "passage"))
    assert rows[:, 0].tolist() == list(range(70))


@pytest.mark.parametrize(("failures", "said"), [((401,), "401"), ((500,) * 4, "500")])
def test_an_embeddings_server_that_refuses_is_one_clear_error(
    failures: tuple[int, ...], said: str
) -> None:
    with serving(*failures) as url, pytest.raises(ModelError, match=said):
        asyncio.run(EndpointEmbedder("m", url, wait=0.0).embed(["x"], "query"))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (("[NaN, 1]", "[1, 2]"), "finite"),
        (("[1e999, 1]", "[1, 2]"), "finite"),
        (("[1e300, 1]", "[1, 2]"), "finite"),
        (("[1]", "[1, 2]"), "length"),
        (("[]", "[]"), "length"),
        (('["x"]', "[1]"), "no embeddings"),
    ],
)
def test_embeddings_that_cannot_be_compared_are_one_clear_error(
    rows: tuple[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = ", ".join(f'{{"index": {n}, "embedding": {row}}}' for n, row in enumerate(rows))
    answer = f'{{"data": [{data}]}}'
    embedder = EndpointEmbedder("m", "http://127.0.0.1/v1")
    monkeypatch.setattr(embedder, "_post", lambda texts: answer.encode())
    with pytest.raises(ModelError, match=said):
        asyncio.run(embedder.embed(["x", "y"], "query"))


def test_embeddings_of_another_length_than_before_are_one_clear_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter([b"[1, 2]", b"[1, 2]", b"[1, 2, 3]"])
    embedder = EndpointEmbedder("m", "http://127.0.0.1/v1")
    frame = b'{"data": [{"index": 0, "embedding": %s}]}'
    monkeypatch.setattr(embedder, "_post", lambda texts: frame % next(answers))
    asyncio.run(embedder.embed(["x"], "passage"))
    asyncio.run(embedder.embed(["x"], "query"))
    with pytest.raises(ModelError, match="length"):
        asyncio.run(embedder.embed(["x"], "query"))


def test_an_embeddings_server_that_breaks_off_is_asked_again_and_then_one_clear_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(texts: list[str]) -> bytes:
        raise IncompleteRead(b"")

    embedder = EndpointEmbedder("m", "http://127.0.0.1/v1", wait=0.0)
    monkeypatch.setattr(embedder, "_post", broken)
    with pytest.raises(ModelError, match="IncompleteRead"):
        asyncio.run(embedder.embed(["x"], "query"))


def test_pass_at_k_never_falls_and_is_one_where_k_is_all() -> None:
    async def run() -> list[list[Ranked]]:
        given, retriever = document(12), make_retriever("bm25")()
        rows: list[list[Ranked]] = []
        for n, text in enumerate(given.chunks):
            await retriever.add(n, text)
            rankings = await retriever.rank([one.text for one in given.questions])
            rows.append(
                [
                    Ranked(ranking, needed_chunks(one, n))
                    for ranking, one in zip(rankings, given.questions, strict=True)
                ]
            )
        return rows

    for n, row in enumerate(asyncio.run(run())):
        curve = pass_at_k(row, range(1, n + 2))
        shares = [point.share for point in curve]
        assert shares == sorted(shares)
        assert shares[-1] == 1
        assert all(point.rankings == min(n + 1, 5) for point in curve)


def test_pass_at_k_on_a_toy_index() -> None:
    rows = [Ranked((2, 0, 1), {0}), Ranked((2, 0, 1), {1, 2}), Ranked((2, 0, 1), set())]
    assert [point.share for point in pass_at_k(rows, (1, 2, 3))] == [0, 0.5, 1]


def test_pass_at_k_of_nothing_is_undefined_and_says_so() -> None:
    (point,) = pass_at_k([Ranked((0,), ())], (1,))
    assert math.isnan(point.share)
    assert point.rankings == 0


def test_a_chunk_that_no_ranking_holds_is_never_found() -> None:
    assert pass_at_k([Ranked((0, 1), {7})], (99,))[0].share == 0

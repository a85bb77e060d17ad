from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.request import Request

import pytest
from tests.evaluation.conftest import Write
from tests.evaluation.stream_made import marked
from tests.evaluation.test_stream_ladder import run
from tests.evaluation.test_stream_memory_model import Mind

from supersede.corpus.lock import locked
from supersede.errors import ModelError, UsageError
from supersede.evaluation.stream_launch import (
    StreamLaunch,
    _ended,
    _lock_name,
    plan_stream_run,
    run_stream,
)
from supersede.streams import write_streams


def launch(folder: Path, memory: str = "base") -> StreamLaunch:
    source = folder / "streams.jsonl"
    write_streams(source, (marked("one", 2, 1),))
    return StreamLaunch(source, "supersede/unknown", memory=memory, log_dir=folder / "logs")


def test_a_second_run_of_the_kind_is_refused(tmp_path: Path) -> None:
    first = launch(tmp_path)
    first.log_dir.mkdir()
    with locked(first.log_dir, _lock_name(first), work="run"):
        with pytest.raises(UsageError, match="another run of this memory and model"):
            run_stream(first)
        assert run_stream(launch(tmp_path, memory="window")).status == "success"
    assert run_stream(first).status == "success"
    assert not list(first.log_dir.glob("*.lock"))


@pytest.mark.parametrize(
    ("dies_at", "role", "said"),
    [
        (0, None, "Nothing was answered"),
        (1, None, "1 answer and 1 reply to the memory are kept in"),
        (4, None, "4 answers and 4 replies to the memory are kept in"),
        (2, "scripted/other", "2 answers and 2 replies to the memory are kept in"),
    ],
)
def test_what_is_kept_of_a_run_that_ended_is_told_with_the_replies_to_its_memory(
    dies_at: int,
    role: str | None,
    said: str,
    scripted: Callable[[Write], None],
    tmp_path: Path,
) -> None:
    """With three questions at each interval, whose notes are written before any is answered."""
    scripted(Mind(dies_at))
    theirs = {"model_roles": {"memory": role}} if role else {}
    options = {"memory": "memagent", "context_limit": 100_000, "max_retries": 0}
    stream = (marked("one", 2, 3),)
    run(tmp_path, "scripted/model", stream, max_connections=1, **options, **theirs)
    launched = StreamLaunch(
        tmp_path / "streams.jsonl",
        "scripted/model",
        memory="memagent",
        context_limit=100_000,
        log_dir=tmp_path / "logs",
        inspect_options=("--model-role", f"memory={role}") if role else (),
    )
    assert said in str(_ended(launched, ModelError("the server is gone")))


def test_a_dry_run_asks_no_server_of_embeddings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(request: Request, timeout: float) -> None:
        raise AssertionError(request.full_url)

    monkeypatch.setattr("supersede.memories.retrieval.endpoint.urlopen", no)
    server = "endpoint:m@http://127.0.0.1:9/v1"
    for memory, option in (("hipporag", "embedder"), ("amem", "embedder"), ("rag", "retriever")):
        launched = launch(tmp_path, memory)
        found, plain = (
            plan_stream_run(
                replace(launched, model="gpt-oss-20b/x", embedder=name)
                if option == "embedder"
                else replace(launched, model="gpt-oss-20b/x", retriever=name)
            )
            for name in (server, "hashing")
        )
        assert (found.plan, found.unasked) == (plain.plan, server)
        assert found.memory == f"{memory} ({server})"
        assert plain.unasked == ""
    base = replace(launch(tmp_path), model="gpt-oss-20b/x", embedder=server)
    assert plan_stream_run(base).unasked == ""
    with pytest.raises(UsageError, match="names no server"):
        plan_stream_run(replace(launched, model="gpt-oss-20b/x", embedder="endpoint:m"))


def test_a_folder_is_told_from_a_file_that_is_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    given = StreamLaunch(folder, "supersede/oracle")
    with pytest.raises(UsageError, match=r"this is a folder, .* Build one in it: ") as caught:
        plan_stream_run(given)
    assert str(caught.value).startswith(f"{folder}: ")
    for name in ("b.jsonl", "a.json", "notes.txt"):
        (folder / name).touch()
    with pytest.raises(UsageError, match=r"Name .*a\.json or .*b\.jsonl\.$"):
        plan_stream_run(given)
    for n in range(5):
        (folder / f"c{n}.jsonl").touch()
    with pytest.raises(UsageError, match=r"c0\.jsonl or 4 others in it\.$"):
        plan_stream_run(given)

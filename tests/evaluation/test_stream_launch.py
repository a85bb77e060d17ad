from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluation.stream_made import marked

from supersede.corpus.lock import locked
from supersede.errors import UsageError
from supersede.evaluation.stream_launch import StreamLaunch, _lock_name, run_stream
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

from __future__ import annotations

from pathlib import Path

import pytest

from supersede.corpus.build import build
from supersede.corpus.files import read_lines
from supersede.corpus.plan import Configuration, configure
from supersede.corpus.stats import files_of, statistics
from supersede.corpus.verify import verify
from supersede.errors import DataError, UsageError


def configured(form: str, *, history: bool = False) -> Configuration:
    return configure(
        "heldout",
        tiers=["very_short", "short"],
        prototypes=["soccer-timeline", "insurance-claims-flow"],
        per_cell=3,
        history=history,
        format=form,
    )


@pytest.mark.parametrize("history", [False, True])
def test_rows_are_the_instances_of_the_lines(tmp_path: Path, history: bool) -> None:
    both = []
    for form in ("jsonl", "parquet"):
        build(tmp_path / form, configured(form, history=history))
        both.append([data for path in files_of([tmp_path / form]) for _, data in read_lines(path)])
    assert both[0] == both[1]
    assert len(both[0]) == 12


def test_a_parquet_corpus_is_verified_resumed_and_described(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    before = build(folder, configured("parquet"))
    assert verify([folder]) == (12, 0)
    files_of([folder])[1].unlink()
    assert build(folder, configured("parquet"), workers=2) == before
    assert statistics([folder]).instances == 12
    with pytest.raises(UsageError, match="format parquet, not jsonl"):
        build(folder, configured("jsonl"))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    build(tmp_path / "corpus", configured("parquet"))
    path = files_of([tmp_path / "corpus"])[0]
    whole = path.read_bytes()
    for content in (whole[:-40], whole[:20], b"", b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="no sound Parquet file") as caught:
            list(read_lines(path))
        assert path.name in str(caught.value)


def test_files_that_are_no_part_of_it_are_told(tmp_path: Path) -> None:
    build(tmp_path / "corpus", configured("parquet"))
    (tmp_path / "corpus" / "more.parquet").write_bytes(b"")
    said: list[str] = []
    verify([tmp_path / "corpus"], on_failure=lambda failure: said.append(str(failure)))
    assert any("the folder holds more.parquet" in line for line in said)


def test_an_unknown_format_is_one_line() -> None:
    with pytest.raises(UsageError, match="unknown format 'parket'"):
        configured("parket")

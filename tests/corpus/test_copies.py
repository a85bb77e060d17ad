"""A corpus copied through PyArrow's file systems, as one copies it to an object store."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.corpus.small import PROTOTYPES, TIERS, built, bytes_of

from supersede.corpus.plan import configure
from supersede.corpus.verify import verify

pytest.importorskip("pyarrow")


def test_a_corpus_is_copied_read_in_place_and_verified(tmp_path: Path) -> None:
    import pyarrow.dataset as ds
    from pyarrow import fs

    chosen = configure(tiers=TIERS, prototypes=PROTOTYPES, per_cell=2, format="parquet")
    folder = built(tmp_path / "corpus", chosen)
    bucket, _ = fs.FileSystem.from_uri((tmp_path / "bucket").as_uri())
    remote = fs.SubTreeFileSystem(str(tmp_path / "bucket"), bucket)
    remote.create_dir("corpus", recursive=True)
    fs.copy_files(str(folder), "corpus", destination_filesystem=remote)
    table = ds.dataset(
        "corpus", filesystem=remote, format="parquet", exclude_invalid_files=True
    ).to_table(columns=["id", "answer"])
    assert table.num_rows == 8
    fs.copy_files("corpus", str(tmp_path / "back"), source_filesystem=remote)
    assert bytes_of(tmp_path / "back") == bytes_of(folder)
    assert verify([tmp_path / "back"]) == (8, 0)

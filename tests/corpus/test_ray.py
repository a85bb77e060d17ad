"""Shards made by Ray: the same bytes as those of processes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import TIERS, built, bytes_of, small

from supersede.cli.main import main
from supersede.corpus import cluster
from supersede.corpus.build import build
from supersede.corpus.files import Journal, read_manifest
from supersede.corpus.plan import configure
from supersede.errors import UsageError


def test_without_ray_the_mend_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'supersede\[ray\]'"):
        build(tmp_path / "corpus", small(), engine="ray")


def test_an_address_without_ray_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "build", str(tmp_path / "x"), "--address", "auto"])
    assert ended.value.code == 2
    assert "--address is for --engine ray" in capsys.readouterr().err


def test_a_worker_of_another_release_is_refused() -> None:
    shard = next(small().shards())
    with pytest.raises(UsageError, match="Install the same release on every machine"):
        cluster._made(small(), shard, "0.0.0", {})


@pytest.fixture(scope="module")
def ray() -> Any:
    return pytest.importorskip("ray", reason="pip install 'supersede[ray]'")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Ray warns of its own future
def test_ray_makes_the_bytes_that_processes_make(ray: Any, tmp_path: Path) -> None:
    chosen = configure(
        tiers=TIERS,
        prototypes=["soccer-timeline", "warehouse-inventory-ops"],
        per_cell=6,
        max_tokens=2300,
    )
    here = built(tmp_path / "here", chosen)
    assert read_manifest(here).left_out
    build(tmp_path / "there", chosen, engine="ray", workers=2)
    assert not ray.is_initialized()
    assert bytes_of(tmp_path / "there") == bytes_of(here)
    begun = tmp_path / "begun"
    first = read_manifest(here).shards[0]
    (begun / first.path).parent.mkdir(parents=True)
    (begun / first.path).write_bytes((here / first.path).read_bytes())
    Journal(begun, chosen, [first])
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        build(begun, chosen, engine="ray")
        assert ray.is_initialized()
    finally:
        ray.shutdown()
    assert bytes_of(begun) == bytes_of(here)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_that_is_not_there_is_named(ray: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no cluster of Ray answers"):
        build(tmp_path / "corpus", small(), engine="ray", address="auto")

"""Shards made by Ray, on this machine or on a cluster; needs the extra `ray`.

A task makes one shard and sends its bytes back; whoever builds writes them. So the machines of the
cluster need Supersede and nothing else: no storage in common, no file of the corpus.
"""

from __future__ import annotations

import importlib
import os
from collections import deque
from collections.abc import Generator, Iterable
from itertools import islice
from typing import Any

from supersede import __version__
from supersede.corpus.files import Entry
from supersede.corpus.plan import Configuration, Shard, fingerprint
from supersede.corpus.shards import shard_bytes
from supersede.errors import SupersedeError, UsageError

_AHEAD = 2
"""Tasks handed out for each worker; more wait here."""


def shards_by_ray(
    configuration: Configuration,
    shards: Iterable[Shard],
    *,
    address: str | None = None,
    workers: int | None = None,
) -> Generator[tuple[Entry, bytes], None, None]:
    """Entry and content of shards, in their order.

    Args:
        configuration: What the corpus holds.
        shards: Those to be made.
        address: That of a cluster, as `ray.init` takes it (`auto`, `ray://host:10001`). Where left
            out, the Ray that runs in this process, else one of our own on this machine, which
            ends with the work.
        workers: Most tasks at a time; as many as there are processors where left out.

    Raises:
        UsageError: Ray is not installed, there is no cluster, or it has another release of
            Supersede or other specifications.
        SupersedeError: A worker was lost. What a task raises comes through as it is.
    """
    waiting = iter(shards)
    first = next(waiting, None)
    if first is None:
        return
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        _begin(ray, address, workers)
    try:
        given = ray.put(configuration)
        make = ray.remote(_made)
        most = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        running: deque[Any] = deque()

        def hand_out(shard: Shard) -> None:
            stamp = fingerprint(configuration.specification(shard.prototype))
            running.append(make.remote(given, shard, __version__, stamp))

        hand_out(first)
        for shard in islice(waiting, most * (_AHEAD if workers is None else 1) - 1):
            hand_out(shard)
        while running:
            yield _result(ray, running.popleft())
            for shard in islice(waiting, 1):
                hand_out(shard)
    finally:
        if ours:
            ray.shutdown()


def _made(
    configuration: Configuration, shard: Shard, version: str, stamp: dict[str, Any]
) -> tuple[Entry, bytes]:
    """One shard, made where the same release and specification are at hand.

    Raises:
        UsageError: Others are.
    """
    here = (__version__, fingerprint(configuration.specification(shard.prototype)))
    if here != (version, stamp):
        raise UsageError(
            f"a worker of the cluster has Supersede {__version__} and another specification of "
            f"{shard.prototype!r} or another release than {version}",
            mend="Install the same release on every machine of the cluster.",
        )
    return shard_bytes(configuration, shard)


def _result(ray: Any, task: Any) -> tuple[Entry, bytes]:
    try:
        entry, content = ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise SupersedeError(
            f"a worker of Ray was lost: {str(error).splitlines()[0]}",
            mend="Run the same command again to go on.",
        ) from None
    return entry, content


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError:
        raise UsageError(
            "--engine ray needs Ray", mend="Install it with: pip install 'supersede[ray]'"
        ) from None


def _begin(ray: Any, address: str | None, workers: int | None) -> None:
    """Join a cluster, or begin one on this machine, which tells nobody of it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        ray.init(num_cpus=workers, include_dashboard=False, **quiet)
        return
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"no cluster of Ray answers: {str(error).splitlines()[0]}",
            where=f"--address {address}",
            mend="Begin one with `ray start --head`, or leave --address out for this machine.",
        ) from None

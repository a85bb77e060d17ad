"""The shards of a data set folder, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from supersede.model.instance import Split, Tier


class Shard(NamedTuple):
    """A Parquet file of one split and tier."""

    split: Split
    tier: Tier
    number: int
    """Zero-based among those of its split and tier."""
    total: int
    """How many there are of its split and tier."""
    rows: int
    bytes: int
    sha256: str

    @property
    def path(self) -> str:
        """Its file, relative to the folder of the data set, with forward slashes."""
        return f"data/{self.tier}/{self.split}-{self.number:05d}-of-{self.total:05d}.parquet"


def splits_of(shards: Sequence[Shard]) -> list[Split]:
    """The splits that there are, training first."""
    there = {shard.split for shard in shards}
    return [split for split in Split if split in there]


def tiers_of(shards: Sequence[Shard]) -> list[Tier]:
    """The tiers that there are, easiest first."""
    there = {shard.tier for shard in shards}
    return [tier for tier in Tier if tier in there]

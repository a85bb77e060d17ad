"""What the task `supersede/evolve` is run on: its options, and the instances of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from supersede.corpus.files import JOURNAL, read_lines
from supersede.corpus.specifications import adopt_copies
from supersede.errors import DataError, UsageError, did_you_mean, location
from supersede.model.instance import Instance, Tier
from supersede.model.serialize import instance_from_json

__all__ = ["EvolveOptions", "Item", "chosen_items", "evolve_options", "read_items"]


class EvolveOptions(BaseModel):
    """Options of the task `supersede/evolve`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Path
    """A JSONL file of instances, one a line, or a directory of such files."""
    tiers: tuple[Tier, ...] = tuple(Tier)
    """Tiers to run; all by default."""
    limit_per_tier: int | None = Field(default=None, ge=1)
    """Most instances of a tier, spread over its prototypes; all by default."""
    context: int | None = Field(default=None, ge=1)
    """Tokens of prompt and reply together that the model can take; instances that are longer
    are left out and counted. By default that of an embedded model; no check for any other,
    whose provider refuses what is too long."""
    seconds: float | None = Field(default=None, gt=0)
    """Time for the run. When it is over no sample starts, those in flight are cut off as errors,
    and the log counts what is left."""

    @field_validator("tiers", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """One name, a list of names, or names with commas between, as a command line has them."""
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, list | tuple):
            return value
        known = [tier.value for tier in Tier]
        for name in names:
            if name not in known:
                raise ValueError(
                    f"unknown tier {name!r}. {did_you_mean(str(name), known, in_order=True)}"
                )
        return names


@dataclass(frozen=True, slots=True)
class Item:
    """An instance of a corpus under its id."""

    id: str
    instance: Instance

    @property
    def tier(self) -> Tier:
        """The tier of the instance."""
        return self.instance.key.tier


def evolve_options(given: Mapping[str, Any]) -> EvolveOptions:
    """The options of the task, checked.

    Raises:
        UsageError: An option is unknown (says which is near), missing or out of its range.
    """
    try:
        return EvolveOptions.model_validate(dict(given))
    except ValidationError as error:
        wrong = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
        first = wrong[0]  # an unknown option may be why another one is missing
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            mend = did_you_mean(name, EvolveOptions.model_fields)
            raise UsageError(
                f"unknown option {name!r} of the task supersede/evolve", mend=mend
            ) from None
        if first["type"] == "missing":
            raise UsageError(
                f"the task supersede/evolve needs the option {name!r}",
                mend="Name a JSONL file of instances: -T data=FILE",
            ) from None
        what = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"option {name}={first['input']!r}: {what}") from None


def read_items(data: Path) -> list[Item]:
    """The instances of a JSONL or Parquet file, or of all below a directory in order of names.

    Specifications that lie with them, of worlds that the catalogue does not have, are known to the
    baselines from then on.

    Raises:
        UsageError: There is no such file or directory.
        DataError: A line is no instance, an id occurs twice, the corpus is unfinished or empty.
    """
    if not data.exists():
        raise UsageError("there is no such file or directory", where=str(data))
    if (data / JOURNAL).exists():
        raise DataError(
            "this corpus is not finished",
            where=str(data),
            mend="Run the command again that builds it, which goes on where it was.",
        )
    shards = (*data.rglob("*.jsonl"), *data.rglob("*.parquet"))
    files = sorted(shards) if data.is_dir() else [data]
    seen: dict[str, str] = {}
    items: list[Item] = []
    for file in files:
        for number, line in read_lines(file):
            where = location(file, number)
            item = _item(line, where)
            if item.id in seen:
                raise DataError(
                    f"instance {item.id} is here a second time; it is also at {seen[item.id]}",
                    where=where,
                )
            seen[item.id] = where
            items.append(item)
    if not items:
        raise DataError(
            "there are no instances here",
            where=str(data),
            mend=f"Build some: supersede corpus build {data}",
        )
    adopt_copies(data, {item.instance.key.prototype for item in items})
    return items


def _item(data: Mapping[str, Any], where: str) -> Item:
    if not isinstance(data.get("id"), str):
        raise DataError("not an instance: 'id' is missing", where=where)
    try:
        return Item(data["id"], instance_from_json(data))
    except DataError as error:
        raise DataError(error.what, where=where) from None


def chosen_items(items: list[Item], options: EvolveOptions) -> list[Item]:
    """The instances that the options ask for, chosen in each tier with prototypes taking turns.

    They are asked prototype by prototype: its instances share their system message, which a
    server with a prefix cache then reads once.

    Raises:
        DataError: None of the tiers occurs.
    """
    found: list[Item] = []
    for tier in Tier:
        if tier in options.tiers:
            inside = [item for item in items if item.tier is tier]
            found += _in_turns(inside)[: options.limit_per_tier]
    if not found:
        names = ", ".join(options.tiers)
        there = ", ".join(tier for tier in Tier if any(item.tier is tier for item in items))
        raise DataError(
            f"no instance of tier {names}", where=str(options.data), mend=f"There are {there}."
        )
    places: dict[str, int] = {}
    for item in found:
        places.setdefault(item.instance.key.prototype, len(places))
    return sorted(found, key=lambda item: places[item.instance.key.prototype])


def _in_turns(items: list[Item]) -> list[Item]:
    """First one instance of each prototype, then a second of each, and so on."""
    queues: dict[str, list[Item]] = {}
    for item in items:
        queues.setdefault(item.instance.key.prototype, []).append(item)
    rounds = zip_longest(*queues.values())
    return [item for turn in rounds for item in turn if item is not None]

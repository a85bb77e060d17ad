"""Which instances a corpus holds, in which order, and in which files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from supersede import __version__
from supersede.corpus.instances import member
from supersede.corpus.selection import EVERYTHING, Selection, select
from supersede.corpus.specifications import checked_specification, specification_in
from supersede.errors import UsageError, did_you_mean
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.model.serialize import canonical
from supersede.prototypes import load_prototype, own_text, prototype_ids, slug
from supersede.specs.schema import Specification

PER_CELL: Mapping[Split, int] = {Split.TRAIN: 60, Split.HELDOUT: 1}
"""Instances for each prototype and tier (E-079, E-080)."""

SHARD_SIZE = 100
"""Most instances in a file: what is lost when a build is cut short is a second or two."""

Format: TypeAlias = Literal["jsonl", "parquet"]
"""How shards are written, and how their names end."""

_TIERS = tuple(Tier)


@dataclass(frozen=True, slots=True)
class Shard:
    """A run of indices of one prototype and tier, which make one file."""

    prototype: str
    tier: Tier
    number: int
    """Zero-based among the shards of its prototype and tier."""
    first: int
    """First index."""
    size: int
    """How many instances, before the selection."""
    format: Format = "jsonl"

    @property
    def path(self) -> str:
        """Its file, relative to the folder of the corpus."""
        return f"{self.prototype}/{self.tier}-{self.number:04d}.{self.format}"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a corpus is a function of; make it with `configure`."""

    split: Split
    prototypes: tuple[str, ...]
    """Ids in alphabetical order."""
    tiers: tuple[Tier, ...]
    """Easiest first."""
    per_cell: int
    """Instances for each prototype and tier, those that the selection leaves out included."""
    history: bool = False
    """Whether the machine-readable records go along."""
    own: tuple[tuple[str, str], ...] = ()
    """Id and YAML text of each specification that is not of the catalogue."""
    format: Format = "jsonl"
    """JSON lines, or Parquet, which needs PyArrow."""
    selection: Selection = EVERYTHING
    """What is left out, and how tokens are counted."""

    def specification(self, prototype: str) -> Specification:
        """The specification of one of the prototypes."""
        text = dict(self.own).get(prototype)
        return load_prototype(prototype) if text is None else specification_in(text, prototype)

    def cells(self) -> Iterator[tuple[Specification, Tier]]:
        """Specification and tier, without the tiers that a world is too short for."""
        for name in self.prototypes:
            spec = self.specification(name)
            for tier in self.tiers:
                if _TIERS.index(tier) <= _TIERS.index(spec.difficulty.longest):
                    yield spec, tier

    def instance_keys(self) -> Iterator[InstanceKey]:
        """The keys of all instances, in the order of the corpus, before the selection."""
        for spec, tier in self.cells():
            for index in range(self.per_cell):
                yield InstanceKey(spec.id, spec.version, tier, self.split, index)

    def shards(self) -> Iterator[Shard]:
        """The files, in the order of the corpus."""
        for spec, tier in self.cells():
            for number, first in enumerate(range(0, self.per_cell, SHARD_SIZE)):
                size = min(SHARD_SIZE, self.per_cell - first)
                yield Shard(spec.id, tier, number, first, size, self.format)

    def to_json(self) -> dict[str, Any]:
        """All that decides the bytes of the corpus, as plain JSON data."""
        return {
            "format": self.format,
            "supersede": __version__,
            "dataset_version": InstanceKey.__dataclass_fields__["dataset_version"].default,
            "split": self.split.value,
            "tiers": [tier.value for tier in self.tiers],
            "per_cell": self.per_cell,
            "history": self.history,
            **self.selection.to_json(),
            "prototypes": {name: fingerprint(self.specification(name)) for name in self.prototypes},
        }


def configure(
    split: Split | str = Split.TRAIN,
    *,
    tiers: Sequence[Tier | str] | None = None,
    prototypes: Sequence[str | PathLike[str]] | None = None,
    themes: Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    max_tokens: int | None = None,
    tokenizer: Path | str | None = None,
    per_cell: int | None = None,
    history: bool = False,
    format: str = "jsonl",
) -> Configuration:
    """A configuration with its names checked and put in order.

    Args:
        split: `train` or `heldout`.
        tiers: All of them where left out.
        prototypes: Ids, or paths of YAML files; the whole catalogue where left out.
        themes: Only prototypes of these, named as in the catalogue or as their folders.
        families: Only instances whose final question is of these, named like `ranking`.
        max_tokens: Only instances of so many tokens at most.
        tokenizer: What counts tokens: a file, a name, or `estimate`; they are counted where it is
            given, and by the estimate where there is a budget.
        per_cell: Instances for each prototype and tier; 60 for training, 1 held out. What families
            and tokens leave out is not made up for.
        history: Whether the machine-readable records go along.
        format: `jsonl` or `parquet`.

    Raises:
        UsageError: A name is unknown, two files have one id, nothing is named or left, or a number
            is below 1.
        SpecError: A file is no specification, or one with errors.
        DataError: The tokenizer's file is none.
    """
    which = member(Split, split)
    for name, given in (("tiers", tiers), ("prototypes", prototypes), ("themes", themes)):
        if given is not None and not given:
            mend = f"Name one at least, or leave {name} out for all of them."
            raise UsageError(f"{name} names none", mend=mend)
    own = _own(prototypes or ())
    ids = prototype_ids() if prototypes is None else sorted(own)
    ids = ids if themes is None else _of_themes(ids, themes)
    chosen = {member(Tier, tier) for tier in (Tier if tiers is None else tiers)}
    count = PER_CELL[which] if per_cell is None else per_cell
    forms: dict[str, Format] = {form: form for form in get_args(Format)}
    if format not in forms:
        raise UsageError(f"unknown format {format!r}", mend=did_you_mean(format, forms))
    if count < 1:
        raise UsageError(f"per_cell={count} is below 1", mend="Ask for at least one instance.")
    found = Configuration(
        which,
        tuple(ids),
        tuple(tier for tier in Tier if tier in chosen),
        count,
        history,
        tuple((name, text) for name in ids if (text := own.get(name)) is not None),
        forms[format],
        select(families=families, max_tokens=max_tokens, tokenizer=tokenizer),
    )
    if next(found.cells(), None) is None:
        raise UsageError(
            "none of these prototypes goes on for as long as these tiers",
            mend="Name an easier tier, or another prototype.",
        )
    return found


def _of_themes(ids: Sequence[str], themes: Sequence[str]) -> list[str]:
    """Those of the prototypes that belong to themes.

    Raises:
        UsageError: A theme is unknown, or none of them belongs to one.
    """
    theme_of = {name: load_prototype(name).theme for name in (*prototype_ids(), *ids)}
    known = {slug(theme): theme for theme in theme_of.values()}
    for theme in themes:
        if slug(theme) not in known:
            raise UsageError(f"unknown theme {theme!r}", mend=did_you_mean(theme, known))
    chosen = {known[slug(theme)] for theme in themes}
    found = [name for name in ids if theme_of[name] in chosen]
    if not found:
        raise UsageError(
            "none of these prototypes belongs to these themes",
            mend="Name themes or prototypes, not both.",
        )
    return found


def _own(prototypes: Sequence[str | PathLike[str]]) -> dict[str, str | None]:
    """Id of each prototype named -> its text; None where the catalogue has it.

    Raises:
        UsageError: A name is unknown, or two files have one id and differ.
        SpecError: A file is no specification, or one with errors.
    """
    found: dict[str, str | None] = {}
    for name in prototypes:
        spec = checked_specification(name)
        text = own_text(spec.id)
        if found.setdefault(spec.id, text) != text:
            raise UsageError(
                f"two specifications have the id {spec.id!r}",
                where=str(name),
                mend="Give each world an id of its own.",
            )
    return found


def fingerprint(spec: Specification) -> dict[str, Any]:
    """Version of a specification, and SHA-256 of all that it says."""
    text = canonical(spec.model_dump(mode="json", by_alias=True))
    return {"version": spec.version, "sha256": sha256(text.encode()).hexdigest()}

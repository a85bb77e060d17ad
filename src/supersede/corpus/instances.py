"""One instance from one key: sampled, asked, answered and rendered."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from os import PathLike
from typing import TypeVar

from supersede.corpus.collector import collector_at_rest
from supersede.corpus.realised import realised
from supersede.corpus.specifications import checked_specification
from supersede.errors import UsageError, did_you_mean
from supersede.model.identity import Same
from supersede.model.instance import Instance, InstanceKey, Split, Tier
from supersede.prototypes import load_prototype
from supersede.questions import ask, intermediate
from supersede.rendering.writer import Writer
from supersede.specs.schema import Specification
from supersede.worlds.program import compile_specification
from supersede.worlds.sample import Sampler
from supersede.worlds.streams import stream


def make_instance(key: InstanceKey, spec: Specification | None = None) -> Instance:
    """The instance of a key: the same bytes wherever and whenever it is made.

    Args:
        key: What the instance is a function of.
        spec: The specification, where it is not one of the catalogue.

    Raises:
        UsageError: The prototype, its version, an operator or a dial is unknown.
        SampleError: The world cannot go on.
    """
    spec = load_prototype(key.prototype) if spec is None else spec
    if key.prototype_version != spec.version:
        raise UsageError(
            f"prototype {key.prototype!r} is at version {spec.version}, "
            f"not {key.prototype_version}",
            mend="Install the release of Supersede that made the key, or ask for this version.",
        )
    with collector_at_rest():
        return _make(key, spec)


def instance_key(
    prototype: str | PathLike[str],
    tier: Tier | str = Tier.SHORT,
    index: int = 0,
    *,
    split: Split | str = Split.TRAIN,
    operator: str = "*",
    dials: Mapping[str, float] | None = None,
) -> InstanceKey:
    """The key of an instance of a prototype, at its present version.

    Args:
        prototype: An id of the catalogue, or the path of a YAML file. The key holds the id alone:
            in this process `make_instance` finds the file by it, in another one give it the
            specification too, `load_prototype(path)`.
        tier: Difficulty.
        index: Which instance, from 0.
        split: `train` or `heldout`.
        operator: What to ask; `*` draws one.
        dials: Dials of the tier to replace.

    Raises:
        UsageError: The prototype, tier or split is unknown, or the index is negative.
        SpecError: The file is no specification, or one with errors.
    """
    if index < 0:
        raise UsageError(f"index={index} is negative", mend="Indices start at 0.")
    spec = checked_specification(prototype)
    return InstanceKey(
        spec.id,
        spec.version,
        member(Tier, tier),
        member(Split, split),
        index,
        operator,
        tuple(sorted((dials or {}).items())),
    )


Choice = TypeVar("Choice", bound=StrEnum)


def member(choices: type[Choice], name: str) -> Choice:
    """The member of that name.

    Raises:
        UsageError: There is none.
    """
    values = [choice.value for choice in choices]
    if name not in values:
        word = choices.__name__.lower()
        mend = did_you_mean(str(name), values, in_order=True)
        raise UsageError(f"unknown {word} {name!r}", mend=mend)
    return choices(name)


def _make(key: InstanceKey, spec: Specification) -> Instance:
    sampler = Sampler(spec, key)
    try:
        return _asked(sampler, key, spec)
    finally:
        sampler.release()


def _asked(sampler: Sampler, key: InstanceKey, spec: Specification) -> Instance:
    """The instance of a history that is still to be sampled."""
    world = sampler.program.world
    turns = stream(sampler.seed, "turns")
    asked: list[tuple[int, str, str]] = []
    for block in sampler.blocks():
        if sampler.plan.asked[block - 1]:
            asked.append((block, *intermediate(spec, world, sampler.ledger, block, turns)))
    history = sampler.history()
    question, answer = ask(
        spec,
        world,
        sampler.ledger,
        stream(f"{sampler.seed}/{key.operator}", "question"),
        operator=key.operator,
        depth=int(sampler.dials.depth),
    )
    messages = writer_of(spec).messages(
        history,
        stream(sampler.seed, "phrasing"),
        question=question.text,
        intermediate=asked,
    )
    return Instance(
        key,
        spec.theme,
        spec.macro_group,
        messages,
        question,
        answer,
        history,
        {
            **realised(history, sampler.ledger, len(asked)),
            "shortfall": sampler.revisions.shortfall,
        },
        sampler.dials.to_json(),
    )


def writer_of(spec: Specification) -> Writer:
    """The writer of a specification, built once."""
    return _writer(Same(spec))


@lru_cache(maxsize=256)
def _writer(same: Same[Specification]) -> Writer:
    return Writer(same.value, compile_specification(same.value).world)

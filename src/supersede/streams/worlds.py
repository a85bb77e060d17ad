"""World streams: any prototype, tier and key as a document that is revealed block by block.

Chunks are the texts of the blocks, questions are the prototype's operators with parameters drawn
from the whole history. The answer at an interval is that of the history cut off there; it is
Unknown while the log has not come to something that the question names. Evidence is the line whose
record changed the answer last.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from supersede.corpus.instances import writer_of
from supersede.errors import SampleError, UsageError, did_you_mean
from supersede.model.instance import InstanceKey
from supersede.model.stream import Stream, StreamQuestion
from supersede.prototypes import load_prototype
from supersede.questions import all_operators, ask, operators_for
from supersede.specs.schema import Specification
from supersede.streams.telling import Telling, Told
from supersede.worlds.replay import replay
from supersede.worlds.sample import sample
from supersede.worlds.streams import Draw, history_seed, stream
from supersede.worlds.tiers import dials_for

QUESTIONS = 12
"""Questions of a stream unless another number is asked for."""
_ROUNDS = 2
"""How often each operator may be asked."""

_NOTE = (
    "The log is read part by part. A question asks for the answer at the end of what has been read "
    "so far. If it names a record, an entity or a part of the log that has not come yet, the "
    "answer is Unknown. A stretch of several parts has come once its first part has, and is then "
    "taken as far as the log has been read."
)


def world_stream(
    key: InstanceKey,
    *,
    blocks_per_chunk: int = 1,
    questions: int = QUESTIONS,
    spec: Specification | None = None,
) -> Stream:
    """A world as a stream: a function of its arguments alone.

    Args:
        key: The history's key; its operator may be a pattern that narrows what is asked.
        blocks_per_chunk: How many blocks one chunk shows.
        questions: At most so many; only those whose answer changes are asked.
        spec: The specification, where it is not one of the catalogue.

    Raises:
        UsageError: The prototype, its version, an operator or a dial is unknown, or a number is
            too small.
        SampleError: The world cannot go on, or no answer changes.
    """
    for name, value in (("blocks_per_chunk", blocks_per_chunk), ("questions", questions)):
        if value < 1:
            raise UsageError(f"{name}={value} is below 1", mend="Ask for 1 or more.")
    spec = load_prototype(key.prototype) if spec is None else spec
    if key.prototype_version != spec.version:
        raise UsageError(
            f"prototype {spec.id!r} is at version {spec.version}, not {key.prototype_version}",
            mend="Ask for this version.",
        )
    seed = history_seed(key)
    history = sample(spec, key)
    blocks = writer_of(spec).blocks(history, stream(seed, "phrasing"))
    telling = Telling(spec, history, blocks, blocks_per_chunk)
    draw = stream(f"{seed}/{key.operator}", "stream-questions")
    asked = _choose(telling, key, draw, questions)
    if not asked:
        raise SampleError(
            f"no answer changes over {len(telling.ends)} chunks",
            where=f"{spec.id}, {key.tier.value}, {key.index}",
            mend="Take a longer tier, fewer blocks for each chunk, or another index.",
        )
    evidence = telling.evidence(asked)
    name = f"{spec.id}-{key.tier.value.replace('_', '-')}-{key.split.value}-{key.index}"
    return Stream(
        name,
        telling.chunks,
        tuple(
            StreamQuestion(
                f"{name}_q{n}", one.text, one.question.family.value, one.answers, evidence[n]
            )
            for n, one in enumerate(asked)
        ),
        "world",
        (),
        {
            "prototype": spec.id,
            "prototype_version": spec.version,
            "tier": key.tier.value,
            "split": key.split.value,
            "index": key.index,
            "dataset_version": key.dataset_version,
            "blocks_per_chunk": blocks_per_chunk,
            **{f"dial_{dial}": value for dial, value in key.dials},
            "system": f"{writer_of(spec).system}\n\n{_NOTE}",
        },
    )


def _choose(telling: Telling, key: InstanceKey, draw: Draw, number: int) -> list[Told]:
    """Up to `number` questions whose answers change: each operator once, then once more."""
    spec, world, history = telling.spec, telling.world, telling.history
    usable = _operators(spec, telling, key.operator)
    ledger = replay(world, history)
    depth = int(dials_for(key.tier, dict(key.dials)).depth)
    chosen: dict[str, Told] = {}
    for _ in range(_ROUNDS):
        names = list(usable)
        while names and len(chosen) < number:
            name = names.pop(int(draw() * len(names)))
            try:
                question, _ = ask(spec, world, ledger, draw, name, depth, blocks=history.blocks)
            except SampleError:
                continue  # this history has nothing that the operator could ask about
            told = telling.told(question)
            if told is not None and len(set(told.answers)) > 1:
                chosen.setdefault(told.text, told)
    return list(chosen.values())


def _operators(spec: Specification, telling: Telling, pattern: str) -> Sequence[str]:
    """Names of the operators that fit a specification and a pattern."""
    usable = [operator.name for operator in operators_for(spec, telling.world)]
    found = [name for name in usable if fnmatchcase(name, pattern)]
    known = all_operators()
    if not any(fnmatchcase(name, pattern) for name in known):
        raise UsageError(
            f"unknown operator {pattern!r}",
            mend=did_you_mean(pattern, known, see="supersede operators"),
        )
    if not found:
        raise UsageError(
            f"operator {pattern!r} does not fit {spec.id!r}",
            mend=did_you_mean(pattern, usable, see=f"supersede operators {spec.id}"),
        )
    return found

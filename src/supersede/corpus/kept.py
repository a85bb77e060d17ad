"""Whether a shard holds what its selection keeps, all of it and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from supersede.corpus.files import Entry
from supersede.corpus.instances import make_instance
from supersede.corpus.selection import Selection
from supersede.errors import SupersedeError
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.specs.schema import Specification


def faults_of_selection(data: Mapping[str, Any], selection: Selection) -> Iterator[str]:
    """Where an instance is not as a selection has it, or its tokens are not what it says."""
    tokens, counting = data.get("tokens"), selection.counting
    if (tokens is None) == (counting is not None):
        has = "no tokens" if tokens is None else "tokens"
        yield f"it has {has}, the manifest says otherwise"
    elif tokens is not None and type(tokens) is not int:
        yield f"tokens is {tokens!r}"
    elif tokens is not None and counting is not None and counting.source:
        found = counting.count([message["content"] for message in data["messages"]])
        if found != tokens:
            yield f"tokens is {tokens}, {counting.name} counts {found}"
    if not selection.keeps(data["family"], tokens if type(tokens) is int else None):
        yield "the selection of the corpus leaves it out"


def faults_of_indices(indices: Sequence[int], first: int, planned: int) -> Iterator[str]:
    """Where indices are not rising among those of a shard."""
    if any(later <= earlier for earlier, later in pairwise(indices)):
        yield "the indices of its instances do not rise"
    stray = [index for index in indices if not first <= index < first + planned]
    if stray:
        yield f"index {stray[0]} belongs to another shard"


def faults_of_gaps(
    indices: Sequence[int],
    entry: Entry,
    planned: int,
    split: Split,
    selection: Selection,
    spec: Specification,
) -> Iterator[str]:
    """Instances that the selection keeps and the shard lacks: those of the gaps are made again.

    Args:
        indices: Those of the instances that the shard holds.
        entry: The shard.
        planned: How many instances it has before the selection.
        split: Its split.
        selection: What is kept. A budget is looked at only where its tokens can be counted.
        spec: Its specification.
    """
    countable = selection.counting is None or selection.counting.source
    if selection.max_tokens is not None and not countable:
        return
    there = set(indices)
    for index in range(entry.first, entry.first + planned):
        if index in there:
            continue
        key = InstanceKey(spec.id, spec.version, Tier(entry.tier), split, index)
        try:
            instance = make_instance(key, spec)
        except SupersedeError as error:
            yield f"index {index} cannot be made from its key: {error}"
            continue
        if selection.keeps(instance.question.family, selection.tokens(instance)):
            yield f"lacks index {index}, which its selection keeps"

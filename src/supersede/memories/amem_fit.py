"""What `amem` asks its model, short enough for the model's window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from supersede.errors import UsageError
from supersede.memories.amem_prompts import (
    Messages,
    analyse_prompt,
    evolve_prompt,
    neighbour_part,
    note_part,
    query_prompt,
)
from supersede.memories.asking import Stage
from supersede.memories.budget import Budget
from supersede.memories.lengths import beginning, call_room
from supersede.memories.notes import Note

ANALYSE = Stage("analyse", 1000)
EVOLVE = Stage("evolve", 1000)
QUERY = Stage("query", 1000)
"""Replies have at most what is published; less where the window is short."""

_MARK = "."
"""Stands for a passage where a prompt is measured without it, so that line ends count."""
_FEWEST_TOKENS = 16
"""Of a passage among several; with less, fewer neighbours are shown."""


class Call(NamedTuple):
    """A call that fits the window."""

    stage: Stage
    """With the most tokens that the reply may have."""
    prompt: Messages
    cut: bool
    """Whether something was shortened or left out."""
    shown: int = 0
    """Neighbours in it, the nearest; none where the window cannot hold one beside the rules."""


def analysis(budget: Budget, passage: str) -> Call:
    """Asks what a passage is about, or the beginning of one that is too long."""
    stage, room = _room(budget, ANALYSE, analyse_prompt(_MARK))
    text = passage if room is None else beginning(passage, room, budget.counter)
    return Call(stage, analyse_prompt(text), text != passage)


def query(budget: Budget, question: str) -> Call:
    """Asks what to look for to answer a question."""
    prompt = query_prompt(question)
    return Call(_room(budget, QUERY, prompt)[0], prompt, False)


def evolution(budget: Budget, new: Note, near: Sequence[Note]) -> Call:
    """Asks what a new note changes, with as much of the passages as the window holds.

    Where not all do, the new passage keeps at least half of the room if it needs it, and the
    neighbours are shortened to one length.

    Args:
        budget: The window.
        new: The new note.
        near: Its neighbours, the nearest first.
    """
    for number in range(len(near), 0, -1):
        shown = near[:number]
        try:
            stage, room = _room(budget, EVOLVE, _prompt(new, shown, [_MARK] * (number + 1)))
        except UsageError:  # not even without passages: with fewer neighbours, perhaps
            continue
        texts = [note.content for note in (new, *shown)]
        sizes = [note.size for note in (new, *shown)]
        fewer = number < len(near)
        if room is None or sum(sizes) <= room:
            return Call(stage, _prompt(new, shown, texts), fewer, number)
        if room < _FEWEST_TOKENS * (number + 1):
            continue
        own = min(sizes[0], max(room // 2, room - sum(sizes[1:])))
        limits = [own, *shares(sizes[1:], room - own)]
        short = [
            text if size <= limit else beginning(text, limit, budget.counter)
            for text, size, limit in zip(texts, sizes, limits, strict=True)
        ]
        return Call(stage, _prompt(new, shown, short), True, number)
    return Call(EVOLVE, (), True)


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """What each of some sizes may keep of a room: all, or as much as each other that is cut.

    Args:
        sizes: What each would take.
        room: What they may take together; at least 0.
    """
    given, left = [0] * len(sizes), room
    smallest_first = sorted(range(len(sizes)), key=sizes.__getitem__)
    for place, n in enumerate(smallest_first):
        given[n] = min(sizes[n], left // (len(sizes) - place))
        left -= given[n]
    return given


def _room(budget: Budget, stage: Stage, prompt: Messages) -> tuple[Stage, int | None]:
    """A stage whose reply fits, and tokens that may be added to a prompt; None for any number.

    Raises:
        UsageError: Nothing fits beside the prompt.
    """
    taken = sum(budget.counter.count(message.content) for message in prompt)
    reply, room = call_room(budget, taken, stage.max_tokens)
    return stage._replace(max_tokens=reply), room


def _prompt(new: Note, shown: Sequence[Note], texts: Sequence[str]) -> Messages:
    """The prompt with these passages, the new one's first."""
    parts = [
        neighbour_part(number, text, one.context, one.keywords, one.tags)
        for number, (one, text) in enumerate(zip(shown, texts[1:], strict=True), start=1)
    ]
    return evolve_prompt(note_part("New note", texts[0], new.context, new.keywords), parts)

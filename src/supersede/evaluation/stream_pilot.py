"""The earlier run by which a dry run goes: its replies to the memory, from its journal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from supersede.corpus.tokens import TokenCounter
from supersede.errors import DataError, UsageError
from supersede.evaluation.stream_journal import (
    JOURNAL_NAME,
    Journal,
    KeptReply,
    MemoryReply,
    call_sha,
)
from supersede.memories.follow import Heard
from supersede.memories.pilot import Call, Recall
from supersede.model.instance import Message
from supersede.model.protocols import Completion

__all__ = ["Earlier", "earlier_run"]


class Earlier(NamedTuple):
    """The replies of an earlier run."""

    path: Path
    """Its journal."""
    replies: Sequence[KeptReply]

    def recall(self, thinking: int = 0) -> Recall:
        """Knows what was said to a call of a document.

        Args:
            thinking: Tokens that the model may have thought before each reply.
        """
        known = {(one.stream, one.sha): one.reply for one in self.replies}

        def said(
            stream: str,
            messages: Sequence[Message],
            stage: str,
            max_tokens: int | None,
            attempt: int,
        ) -> Completion | None:
            most = None if max_tokens is None else max_tokens + thinking
            found = known.get((stream, call_sha(messages, stage, most, attempt)))
            return None if found is None else _completion(found)

        return said

    def others(self, counter: TokenCounter) -> dict[Call, list[Heard]]:
        """All of it, for a plan to none of whose prompts a reply was given."""
        found: dict[Call, list[Heard]] = {}
        for one in self.replies:
            text, written = one.reply.text, one.reply.output_tokens
            heard = Heard(one.stream, text, counter.count(text), written, None, "")
            found.setdefault(Call(one.stage, 0), []).append(heard)
        return found


def _completion(reply: MemoryReply) -> Completion:
    return Completion(reply.text, reply.cut, reply.input_tokens, reply.output_tokens)


def earlier_run(given: Path | None, log_dir: Path, memory: str, model: str) -> Earlier | None:
    """The earlier run of a memory and a model.

    Args:
        given: A journal or a folder of logs that has one; that of the run itself where left out.
        log_dir: Where the run has its logs.
        memory: The memory and its settings.
        model: The model that it asks, without its settings.

    Returns:
        None where none is given and the run has none.

    Raises:
        UsageError: There is no such journal, or nothing of this memory and model in it.
        DataError: It is no journal.
    """
    place = given or log_dir
    path = place / JOURNAL_NAME if place.is_dir() or given is None else place
    if not path.is_file():
        if given is None:
            return None
        raise UsageError(
            "there is no journal of an earlier run", where=str(path), mend="Check its name."
        )
    try:
        with Journal(path) as journal:
            replies = journal.replies(memory, model)
    except DataError as error:
        mend = error.mend if given is None else "Name the journal of an earlier run, as it was."
        raise DataError(error.what, where=error.where, mend=mend) from None
    if replies:
        return Earlier(path, replies)
    if given is None:
        return None
    raise UsageError(
        f"has no reply of {model} to the memory {memory}",
        where=str(path),
        mend="Run it on a part first: --limit-chunks 6, with the same model and settings.",
    )

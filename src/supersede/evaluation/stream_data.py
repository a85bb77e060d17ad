"""What the task `supersede/stream` is run on: its options, and the streams of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supersede.errors import DataError, UsageError, did_you_mean
from supersede.model.stream import Stream, StreamQuestion
from supersede.streams.files import load_streams
from supersede.streams.scoring import MAX_ERROR_RATE
from supersede.streams.validate import check_askable

__all__ = ["StreamOptions", "chosen_streams", "cut", "stream_options"]


_SUFFIXES = (".jsonl", ".json")
_LISTED = 3


class StreamOptions(BaseModel):
    """Options of the task `supersede/stream`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Path
    """A file of streams: ours, or the official OAKS JSON."""
    memory: str = "base"
    """How much of the past a prompt shows, and how."""
    retriever: str = "bm25"
    """What memories search with that retrieve chunks, as `rag` does."""
    embedder: str = "hashing"
    """What memories compare texts by that keep vectors, as `hipporag` does."""
    shown: int | None = Field(default=None, ge=2)
    """Most chunks or notes that a memory of a given size shows; each has its own number where it
    is left out. `rag+window` halves it, the larger half retrieved."""
    context_limit: int | None = Field(default=None, ge=1)
    """Tokens of prompt and reply together that the model can take; by default what is known of
    it."""
    confidence: Literal["none", "stated"] = "none"
    """Whether the model is asked to state how sure it is of each answer."""
    thinking_tokens: int | None = Field(default=None, ge=0)
    """Tokens that the model of a memory may think before each reply to it, beside the reply's own;
    by default what is known of it."""
    documents: int | None = Field(default=None, ge=1)
    """Only the first so many streams."""
    chunks: int | None = Field(default=None, ge=1)
    """Only the first so many intervals of each."""
    questions: int | None = Field(default=None, ge=1)
    """Only the first so many questions of each."""
    journal: Path | None = None
    """The file of answers; `stream-journal.db` beside the log by default."""
    fresh: bool = False
    """Ask everything again, whatever the journal holds."""
    lean: bool | None = None
    """Ask the provider directly, without records of calls in the log; by default only
    models without a language model behind them are asked so."""
    max_error_rate: float = Field(default=MAX_ERROR_RATE, ge=0, le=1)
    """Share of failed calls above which the run counts as failed."""


def stream_options(given: Mapping[str, Any]) -> StreamOptions:
    """The options of the task, checked.

    Raises:
        UsageError: An option is unknown (says which is near), missing or out of its range.
    """
    try:
        return StreamOptions.model_validate(dict(given))
    except ValidationError as error:
        wrong = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
        first = wrong[0]  # an unknown option may be why another one is missing
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            mend = did_you_mean(name, StreamOptions.model_fields)
            raise UsageError(
                f"unknown option {name!r} of the task supersede/stream", mend=mend
            ) from None
        if first["type"] == "missing":
            raise UsageError(
                f"the task supersede/stream needs the option {name!r}",
                mend="Name a file of streams: -T data=FILE",
            ) from None
        raise UsageError(f"option {name}={first['input']!r}: {first['msg']}") from None


def chosen_streams(options: StreamOptions) -> tuple[Stream, ...]:
    """The streams that the options ask for, cut to size.

    Raises:
        DataError: The file is no file of streams, two have one id, or one asks nothing, or what
            could not be scored.
        UsageError: There is no such file, or it is a folder (says which files in it it may be).
    """
    if options.data.is_dir():
        raise UsageError(
            "this is a folder, where a file of streams is due",
            where=str(options.data),
            mend=_named_in(options.data),
        )
    if not options.data.is_file():
        raise UsageError(
            "there is no such file",
            where=str(options.data),
            mend=f"Build one: supersede stream babi {options.data.with_suffix('.jsonl').name}",
        )
    streams = load_streams(options.data)[: options.documents]
    name, count = Counter(stream.id for stream in streams).most_common(1)[0]
    if count > 1:
        raise DataError(
            f"{count} streams have the id {name!r}",
            where=str(options.data),
            mend="Give each its own.",
        )
    for stream in streams:
        if not stream.chunks or not stream.questions:
            raise DataError(f"stream {stream.id!r} has nothing to ask", where=str(options.data))
    check_askable(streams, str(options.data))
    return tuple(cut(stream, options.chunks, options.questions) for stream in streams)


def _named_in(folder: Path) -> str:
    """What to name in place of a folder."""
    found = sorted(one for one in folder.iterdir() if one.suffix in _SUFFIXES and one.is_file())
    if not found:
        return f"Build one in it: supersede stream babi {folder / 'babi.jsonl'}"
    more = f" or {len(found) - _LISTED:,} others in it" if len(found) > _LISTED else ""
    return f"Name {' or '.join(map(str, found[:_LISTED]))}{more}."


def cut(stream: Stream, chunks: int | None, questions: int | None) -> Stream:
    """The beginning of a stream.

    Args:
        stream: Any stream.
        chunks: Most intervals; all where left out.
        questions: Most questions; all where left out.
    """
    if chunks is None and questions is None:
        return stream
    revealed = stream.chunks[:chunks]
    return replace(
        stream,
        chunks=revealed,
        questions=tuple(_begun(question, chunks) for question in stream.questions[:questions]),
        facts=tuple(fact for fact in stream.facts if fact.chunk < len(revealed)),
    )


def _begun(question: StreamQuestion, chunks: int | None) -> StreamQuestion:
    return replace(question, answers=question.answers[:chunks], evidence=question.evidence[:chunks])

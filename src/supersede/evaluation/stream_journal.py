"""Every answer of a stream run, written down the moment it is there.

What a model said to a memory while that was reading is written down beside it, so that a memory
comes out the same when its run goes on.

A SQLite file in WAL mode beside the log. A process that is killed loses what was in flight and
nothing else; the next run of the same kind asks only what is missing here. An answer is taken
again only where the digest of its prompt is still the same: another template, other data or other
settings of the model make it an answer to something else.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from supersede.errors import DataError
from supersede.model.instance import Message

__all__ = ["JOURNAL_NAME", "Answer", "Journal", "MemoryReply", "Place", "RunKey", "call_sha"]

JOURNAL_NAME = "stream-journal.db"
"""Of the file beside the logs."""

_VERSION = 1
_WAIT_SECONDS = 60.0  # for another sample or process that is writing its row

_TABLES = """
CREATE TABLE IF NOT EXISTS model (
    name TEXT PRIMARY KEY,
    settings TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS call (
    stream TEXT NOT NULL,
    interval INTEGER NOT NULL,
    question TEXT NOT NULL,
    memory TEXT NOT NULL,
    model TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    prompt_sha BLOB NOT NULL,
    completion TEXT,
    error TEXT,
    stop TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER,
    output_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    created REAL NOT NULL,
    probability REAL,
    PRIMARY KEY (stream, interval, question, memory, model, epoch)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memory_call (
    stream TEXT NOT NULL,
    memory TEXT NOT NULL,
    model TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    sha BLOB NOT NULL,
    stage TEXT NOT NULL,
    text TEXT NOT NULL,
    cut INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    cached_tokens INTEGER,
    output_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    created REAL NOT NULL,
    PRIMARY KEY (stream, memory, model, epoch, sha)
) WITHOUT ROWID;
"""
# `memory_call` and `probability` came after journals of version 1 were about. They get them when
# they are opened.
_ADD_PROBABILITY = "ALTER TABLE call ADD COLUMN probability REAL"

_INSERT = f"INSERT OR REPLACE INTO call VALUES ({', '.join('?' * 16)})"
_SELECT = (
    "SELECT interval, question, prompt_sha, completion, error, stop, prompt_tokens, cached_tokens,"
    " output_tokens, seconds, created, probability FROM call"
    " WHERE stream = ? AND memory = ? AND model = ? AND epoch = ?"
)

_INSERT_REPLY = f"INSERT OR REPLACE INTO memory_call VALUES ({', '.join('?' * 13)})"
_SELECT_REPLY = (
    "SELECT text, cut, input_tokens, cached_tokens, output_tokens, seconds, created"
    " FROM memory_call WHERE stream = ? AND memory = ? AND model = ? AND epoch = ? AND sha = ?"
)


_SELECT_ALL_REPLIES = (
    "SELECT stream, sha, stage, text, cut, input_tokens, cached_tokens, output_tokens, seconds,"
    " created FROM memory_call WHERE memory = ? AND model = ? ORDER BY created, epoch DESC"
)
_SELECT_LATEST = (
    "SELECT model FROM memory_call WHERE memory = ? AND substr(model, 1, ?) = ?"
    " ORDER BY created DESC LIMIT 1"
)


class RunKey(NamedTuple):
    """What the answers of one kind of run have in common."""

    memory: str
    """The memory and its settings."""
    model: str
    """The model, with a digest of where it is and how it generates."""
    epoch: int


class Place(NamedTuple):
    """Which question of a stream, and when."""

    interval: int
    question: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one call."""

    completion: str | None
    """All that the model wrote; None where the call failed."""
    error: str | None = None
    """Why the call failed."""
    stop: str = ""
    """Why the model stopped, as Inspect names it."""
    prompt_tokens: int = 0
    """All tokens of the prompt, cached ones included; 0 where the server does not say."""
    cached_tokens: int | None = None
    """How many of them the server had computed before; None where it does not say."""
    output_tokens: int = 0
    seconds: float = 0.0
    created: float = 0.0
    """When it was there, in seconds since 1970."""
    probability: float | None = None
    """Of the words of its answer, 0 to 1; None where the server does not say."""


class MemoryReply(NamedTuple):
    """What a model said to a memory."""

    text: str
    cut: bool
    """Whether it had written the most tokens that it may."""
    input_tokens: int
    """Of the prompt, cached ones included; counted by us where the server does not say."""
    cached_tokens: int | None
    """How many of them the server had computed before; None where it does not say."""
    output_tokens: int
    seconds: float
    created: float
    """When it was there, in seconds since 1970."""


def call_sha(
    messages: Sequence[Message], stage: str, max_tokens: int | None, attempt: int
) -> bytes:
    """The digest of a memory's call."""
    data = [[[one.role, one.content] for one in messages], stage, max_tokens, attempt]
    return hashlib.sha256(json.dumps(data).encode()).digest()[:16]


class KeptReply(NamedTuple):
    """A reply to a memory, with what it was given to."""

    stream: str
    sha: bytes
    """The digest of the call."""
    stage: str
    reply: MemoryReply


class Journal:
    """The answers so far, as a context manager.

    Args:
        path: The file; made where there is none.

    Raises:
        DataError: It is no journal of ours, or damaged, or cannot be written; any method may find
            that out later.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._told():
            self._rows = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            with self._told():
                self._prepare()
        except DataError:
            self._rows.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._rows.close()

    def _prepare(self) -> None:
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute("PRAGMA synchronous = NORMAL")  # safe against kill, if not power loss
        (version,) = self._rows.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise DataError(
                f"a journal of version {version}, not {_VERSION}",
                where=str(self.path),
                mend="Use the release that wrote it, or move the file away: all is asked again.",
            )
        self._rows.executescript(_TABLES)
        with closing(self._rows.execute("SELECT name FROM pragma_table_info('call')")) as columns:
            if ("probability",) not in columns.fetchall():
                self._rows.execute(_ADD_PROBABILITY)
        self._rows.execute(f"PRAGMA user_version = {_VERSION}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite says, as an error that says what to do."""
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise  # a mistake of ours
        except sqlite3.OperationalError as error:
            raise DataError(
                f"the journal of replies cannot be used: {error}",
                where=str(self.path),
                mend="Its folder must be open to write in, and the disk have room.",
            ) from None
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"no journal of replies, or a damaged one: {error}",
                where=str(self.path),
                mend="Restore it, or move it away: then all that it kept is asked again.",
            ) from None

    def _execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that a statement gives."""
        with self._told(), closing(self._rows.execute(sql, parameters)) as found:
            return found.fetchall()

    def describe(self, model: str, settings: Mapping[str, Any]) -> None:
        """Notes in words what a model's name with digest stands for."""
        text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        self._execute("INSERT OR IGNORE INTO model VALUES (?, ?)", (model, text))

    def answers(self, stream: str, run: RunKey) -> dict[Place, tuple[bytes, Answer]]:
        """The answers to a stream's questions, each with the digest of its prompt."""
        return {
            Place(interval, question): (sha, Answer(*rest))
            for interval, question, sha, *rest in self._execute(_SELECT, (stream, *run))
        }

    def count(self, memory: str, model: str) -> int:
        """How many calls of a memory and a model were answered, whatever its settings."""
        ((number,),) = self._execute(
            "SELECT COUNT(*) FROM call WHERE memory = ? AND substr(model, 1, ?) = ?"
            " AND error IS NULL",
            (memory, len(model) + 1, f"{model}#"),
        )
        return int(number)

    def count_replies(self, memory: str, model: str) -> int:
        """How many replies of a model to a memory there are, whatever its settings."""
        ((number,),) = self._execute(
            "SELECT COUNT(*) FROM memory_call WHERE memory = ? AND substr(model, 1, ?) = ?",
            (memory, len(model) + 1, f"{model}#"),
        )
        return int(number)

    def replies(self, memory: str, model: str) -> list[KeptReply]:
        """All that a model said to a memory, in the order in which it did.

        Args:
            memory: The memory and its settings.
            model: The model without its settings; of several settings the latest count.
        """
        latest = self._execute(_SELECT_LATEST, (memory, len(model) + 1, f"{model}#"))
        if not latest:
            return []
        return [
            KeptReply(stream, sha, stage, MemoryReply(text, bool(cut), *rest))
            for stream, sha, stage, text, cut, *rest in self._execute(
                _SELECT_ALL_REPLIES, (memory, *latest[0])
            )
        ]

    def write(self, stream: str, run: RunKey, place: Place, sha: bytes, answer: Answer) -> None:
        """Writes an answer down, in place of an older one."""
        self._execute(
            _INSERT,
            (
                stream,
                *place,
                *run,
                sha,
                answer.completion,
                answer.error,
                answer.stop,
                answer.prompt_tokens,
                answer.cached_tokens,
                answer.output_tokens,
                answer.seconds,
                answer.created,
                answer.probability,
            ),
        )

    def memory_reply(self, stream: str, run: RunKey, sha: bytes) -> MemoryReply | None:
        """What a model said to a memory's call of a digest; None where it was not asked."""
        for text, cut, *rest in self._execute(_SELECT_REPLY, (stream, *run, sha)):
            return MemoryReply(text, bool(cut), *rest)
        return None

    def write_memory_reply(
        self, stream: str, run: RunKey, sha: bytes, stage: str, reply: MemoryReply
    ) -> None:
        """Writes down what a model said to a memory, in place of what it said before."""
        self._execute(_INSERT_REPLY, (stream, *run, sha, stage, *reply))

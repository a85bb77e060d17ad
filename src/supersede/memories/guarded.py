"""A memory of another package behind a fence: where it breaks, it is named, with what it did.

Errors of ours, and those of the model that it asks, go through untouched: they are not its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from numbers import Real
from reprlib import Repr
from typing import Any, NoReturn

from supersede.errors import SupersedeError
from supersede.memories.follow import Follow, Heard
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context
from supersede.model.protocols import Completion, Generate
from supersede.model.stream import StreamQuestion

Broken = Callable[[str], SupersedeError]
"""From what a memory did to the error that names it."""

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 80


class Watched:
    """`Generate` that knows the errors which went through it, so that nobody else is blamed.

    Args:
        generate: The model.
    """

    def __init__(self, generate: Generate) -> None:
        self._generate = generate
        self._failed: list[BaseException] = []

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        """The model's reply.

        Raises:
            BaseException: What the model raised.
        """
        try:
            return await self._generate(
                messages, stage=stage, max_tokens=max_tokens, attempt=attempt
            )
        except BaseException as error:
            self._failed.append(error)
            raise

    def behind(self, error: BaseException) -> BaseException | None:
        """The model's own error in another one; None where the model did not fail."""
        return next((one for one in _leaves(error) if any(one is f for f in self._failed)), None)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors that a group is of, or the one itself."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


class Guarded:
    """A memory of another package.

    Args:
        memory: The memory, with all methods of one.
        name: What a user types for it.
        broken: Makes the error that names its package.
        model: The model that it asks; None where it has none.
    """

    def __init__(self, memory: Any, name: str, broken: Broken, model: Watched | None) -> None:
        self.name = name
        self._memory = memory
        self._broken = broken
        self._model = model
        self._observed = 0
        if callable(getattr(memory, "rehearse", None)):
            self.rehearse = self._rehearse
        if callable(getattr(memory, "follow", None)):
            self.follow = self._follow

    def __getattr__(self, name: str) -> Any:
        """What else it has: settings of its class, as `question_aware_writes`."""
        return getattr(self._memory, name)

    async def start(self, stream: str, questions: Sequence[StreamQuestion]) -> None:
        """Forget everything and begin a document.

        Raises:
            SupersedeError: It cannot; says which memory and why.
        """
        self._observed = 0
        await self._awaited("start", stream, questions)

    async def observe(self, chunk: Chunk) -> None:
        """Take in the next chunk.

        Raises:
            SupersedeError: It cannot; says which memory and why.
        """
        await self._awaited("observe", chunk)
        self._observed = chunk.index + 1

    async def context(self, question: StreamQuestion) -> Context:
        """The context of a question now.

        Raises:
            SupersedeError: There is none, or what came is none; says which memory, and what came.
        """
        found = await self._awaited("context", question)
        wrong = wrong_context(found, self._observed)
        if wrong:
            raise self._broken(f"its context() returned {wrong}")
        return found  # type: ignore[no-any-return] # checked just now

    def counters(self) -> Mapping[str, float]:
        """What it counted.

        Raises:
            SupersedeError: That are no counts; says which memory, and what came.
        """
        found = self._called("counters")
        if not isinstance(found, Mapping) or not all(
            isinstance(key, str) and isinstance(value, Real) for key, value in found.items()
        ):
            raise self._broken(f"its counters() returned {_SHORT.repr(found)}, which is no counts")
        return found

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data.

        Raises:
            SupersedeError: It cannot, or what came is no state; says which memory and why.
        """
        found = self._called("snapshot")
        if not isinstance(found, dict):
            raise self._broken(f"its snapshot() returned {_SHORT.repr(found)}, which is no state")
        return found

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot.

        Raises:
            SupersedeError: It cannot; says which memory and why.
        """
        self._called("restore", state)
        chunks = state.get("chunks")
        self._observed = len(chunks) if isinstance(chunks, list) else self._observed

    def _rehearse(self, stage: str, messages: Sequence[Message]) -> str:
        """A reply of common length, for plans."""
        return self.text_of("rehearse", self._called("rehearse", stage, messages))

    def text_of(self, method: str, found: Any) -> str:
        """What a method returned, which must be a text.

        Raises:
            SupersedeError: It is none; says which memory, and what came.
        """
        if not isinstance(found, str):
            raise self._broken(f"its {method}() returned {_SHORT.repr(found)}, which is no text")
        return found

    def _follow(self, stage: str, heard: Sequence[Heard]) -> Follow:
        """How replies go on, for plans."""
        return _GuardedFollow(self._called("follow", stage, heard), self)

    def _called(self, method: str, *given: Any) -> Any:
        return self.call(self._memory, method, *given)

    def call(self, what: Any, method: str, *given: Any) -> Any:
        """What a method of something of its package returns.

        Raises:
            SupersedeError: It fails; says which memory and why.
        """
        try:
            return getattr(what, method)(*given)
        except (Exception, SystemExit) as error:  # whatever goes wrong in somebody else's code
            self._blame(method, error)

    async def _awaited(self, method: str, *given: Any) -> Any:
        coming = self._called(method, *given)
        if not isinstance(coming, Awaitable):
            raise self._broken(
                f"its {method}() returned {_SHORT.repr(coming)}, which cannot be awaited: write "
                f"`async def {method}`"
            )
        try:
            return await coming
        except (Exception, SystemExit) as error:  # as above
            self._blame(method, error)

    def _blame(self, method: str, error: BaseException) -> NoReturn:
        """Raises the error that a person is to see: the model's, one of ours, or the memory's."""
        ours = self._model.behind(error) if self._model else None
        if ours is None:
            ours = next((one for one in _leaves(error) if isinstance(one, SupersedeError)), None)
        if ours is error:
            raise ours
        if ours is not None:
            raise ours from None
        raise self._broken(f"its {method}() failed: {_said(error)}") from error


class _GuardedFollow:
    """How replies go on as a memory of another package says."""

    def __init__(self, follow: Any, memory: Guarded) -> None:
        self._follow = follow
        self._memory = memory

    def hear(self, asked: str, said: str) -> None:
        """Takes note of a reply of the document, given or made."""
        self._memory.call(self._follow, "hear", asked, said)

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """A reply to a prompt."""
        found = self._memory.call(self._follow, "reply", like, messages, now)
        return self._memory.text_of("reply", found)


def _said(error: BaseException) -> str:
    """An error in one line, with the place in the package where it came from."""
    first = next(_leaves(error))
    words = " ".join(f"{type(first).__name__}: {first}".split()).removesuffix(":")
    trace = first.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return words
    return f"{words} (line {trace.tb_lineno} of {trace.tb_frame.f_code.co_filename})"


def wrong_context(found: Any, observed: int) -> str:
    """What is wrong with something that stands for a context; empty where nothing is.

    Args:
        found: What a memory returned.
        observed: Chunks that it has observed.
    """
    if not isinstance(found, Context):
        return f"{_SHORT.repr(found)}, which is no Context"
    fields = {
        "text": (isinstance(found.text, str), "a text"),
        "chunks": (_places(found.chunks, observed), "a tuple of indices of observed chunks"),
        "head": (found.head is None or isinstance(found.head, str), "a text or None"),
        "shared": (isinstance(found.shared, bool), "True or False"),
        "truncated": (_count(found.truncated), "a number of chunks"),
        "closed_book": (isinstance(found.closed_book, bool), "True or False"),
        "notes": (isinstance(found.notes, Mapping), "a mapping"),
    }
    for name, (right, wanted) in fields.items():
        if not right:
            return f"a Context whose {name} is {_SHORT.repr(getattr(found, name))}, not {wanted}"
    ranking = found.notes.get("ranking")
    if ranking is not None and not _places(ranking, observed):
        ranked = _SHORT.repr(ranking)
        return f"a Context whose notes['ranking'] is {ranked}, not indices of observed chunks"
    return ""


def _count(given: Any) -> bool:
    return isinstance(given, int) and given >= 0


def _places(given: Any, observed: int) -> bool:
    """Whether something is a tuple or list of indices of chunks."""
    return isinstance(given, tuple | list) and all(_count(n) and n < observed for n in given)

"""How long a text is: an estimate that needs nothing, or the tokenizer of a file or of a name.

The estimate takes one token for a run of up to eight letters or three digits, one more for each
further run of eight or three, and one for every other printed sign and for a paragraph's end. On
English prose it lies within a tenth of tokenizers with 50,000 entries; where exact lengths matter,
give the tokenizer's own file, or its name on the Hugging Face hub.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from supersede.errors import DataError, UsageError

ESTIMATE = "estimate"
"""What stands for the estimate where a tokenizer may be named."""

_PIECE = re.compile(r"[^\W\d_]{1,8}|\d{1,3}|[^\w\s]|_")
_BREAK = re.compile(r"\n+")
_HUB_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?")


class TokenCounter(Protocol):
    """Anything that counts tokens."""

    name: str
    """What the `meta` of a stream and the manifest of a corpus say of it."""

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        ...


class Estimate:
    """The estimate that this module describes."""

    name = ESTIMATE

    def count(self, text: str) -> int:
        """About how many tokens a text has."""
        return sum(map(_WORDS.__getitem__, text.split())) + len(_BREAK.findall(text))


class _Words(dict[str, int]):
    """Word -> its tokens: no piece goes over a space, and logs say the same words again."""

    def __missing__(self, word: str) -> int:
        if len(self) > 1_000_000:
            self.clear()
        pieces = self[word] = len(_PIECE.findall(word))
        return pieces


_WORDS = _Words()


class Tokenizer:
    """A tokenizer of the library `tokenizers`."""

    def __init__(self, name: str, inner: Any) -> None:
        """A tokenizer that counts.

        Args:
            name: What the `meta` of a stream and the manifest of a corpus say of it.
            inner: The library's own `Tokenizer`.
        """
        self.name = name
        self._inner = inner

    @property
    def sha256(self) -> str:
        """Hash of all that decides its counts, which a name alone does not."""
        return sha256(self._inner.to_str().encode()).hexdigest()

    def count(self, text: str) -> int:
        """How many tokens a text has, without special ones."""
        return len(self._inner.encode(text, add_special_tokens=False).ids)


def token_counter(tokenizer: Path | str = ESTIMATE) -> TokenCounter:
    """The counter that a name stands for.

    Args:
        tokenizer: A `tokenizer.json`; or, where no file has that name, a tokenizer of the Hugging
            Face hub (`EleutherAI/gpt-neox-20b`), which is fetched once and kept in the hub's
            cache; or `estimate`.

    Raises:
        UsageError: The library for tokenizers is not installed, or there is no such file.
        DataError: The file is no tokenizer, or the hub cannot be reached or has none.
    """
    name, path = str(tokenizer), Path(tokenizer)
    if name == ESTIMATE:
        return Estimate()
    if path.is_dir():
        path /= "tokenizer.json"
    if path.is_file():
        return _of_file(path)
    if path.suffix == ".json" or not _HUB_NAME.fullmatch(name):
        raise UsageError(
            "there is no such file",
            where=f"--tokenizer {name}",
            mend="Name a tokenizer.json, or a tokenizer of the Hugging Face hub.",
        )
    return _of_hub(name)


def _of_file(path: Path) -> Tokenizer:
    data = path.read_bytes()
    inner = _made(
        lambda library: library.Tokenizer.from_buffer(data),
        str(path),
        "Give a tokenizer.json as the library 'tokenizers' writes it.",
    )
    return Tokenizer(path.stem if path.stem != "tokenizer" else path.absolute().parent.name, inner)


def _of_hub(name: str) -> Tokenizer:
    inner = _made(
        lambda library: library.Tokenizer.from_pretrained(name),
        f"--tokenizer {name}",
        "Is that its name on the Hugging Face hub? A tokenizer.json will do too, or the estimate.",
    )
    return Tokenizer(name, inner)


def _made(make: Callable[[Any], Any], where: str, mend: str) -> Any:
    """A tokenizer of the library.

    Raises:
        UsageError: The library is not installed.
        DataError: It makes none.
    """
    try:
        library = importlib.import_module("tokenizers")
    except ModuleNotFoundError:
        raise UsageError(
            "a tokenizer needs the library 'tokenizers'",
            where=where,
            mend="pip install 'supersede[tokenizers]', or leave it out for the estimate.",
        ) from None
    try:
        return make(library)
    except Exception as error:  # the library raises bare `Exception` for whatever is wrong
        raise DataError(f"no tokenizer: {error}", where=where, mend=mend) from None

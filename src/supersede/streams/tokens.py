"""How long a text is: an estimate that needs nothing, or the tokenizer of a file.

The estimate takes one token for a run of up to eight letters or three digits, one more for each
further run of eight or three, and one for every other printed sign and for a paragraph's end. On
English prose it lies within a tenth of tokenizers with 50,000 entries; where exact lengths matter,
give the tokenizer's own file.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any, Protocol

from supersede.errors import DataError, UsageError

_PIECE = re.compile(r"[^\W\d_]{1,8}|\d{1,3}|[^\w\s]|_|\n+")


class TokenCounter(Protocol):
    """Anything that counts tokens."""

    name: str
    """What a stream's `meta` says of it."""

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        ...


class Estimate:
    """The estimate that this module describes."""

    name = "estimate"

    def count(self, text: str) -> int:
        """About how many tokens a text has."""
        return len(_PIECE.findall(text))


class TokenizerFile:
    """A `tokenizer.json` of the library `tokenizers`."""

    def __init__(self, path: Path) -> None:
        """The tokenizer in a file.

        Raises:
            UsageError: The library is not installed.
            DataError: The file is no tokenizer.
        """
        try:
            library: Any = importlib.import_module("tokenizers")
        except ModuleNotFoundError:
            raise UsageError(
                "a tokenizer file needs the library 'tokenizers'",
                mend="pip install tokenizers, or leave the option out for the estimate.",
            ) from None
        data = path.read_bytes()
        try:
            self._tokenizer: Any = library.Tokenizer.from_buffer(data)
        except Exception as error:  # the library raises bare `Exception` for whatever is wrong
            raise DataError(
                f"no tokenizer: {error}",
                where=str(path),
                mend="Give a tokenizer.json as the library 'tokenizers' writes it.",
            ) from None
        self.name = path.stem if path.stem != "tokenizer" else path.absolute().parent.name

    def count(self, text: str) -> int:
        """How many tokens a text has, without special ones."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


def token_counter(path: Path | None = None) -> TokenCounter:
    """The tokenizer of a file; the estimate where there is none.

    Raises:
        UsageError: The library for tokenizer files is not installed.
        DataError: The file is no tokenizer.
    """
    return Estimate() if path is None else TokenizerFile(path)

"""Text as it is compared: one fold for the lint of names and for the reader of answers."""

from __future__ import annotations

import unicodedata

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        "\uff1a": ":",
        "\uff1b": ";",
        "\uff1d": "=",
        "*": None,
        "`": None,
    }
)
_ENDS = " \"'<>[]_"
_LONGEST_NAME = 500
"""To compose a longer text may take the square of its length."""
_UNSEEN = frozenset({"Cc", "Cf", "Cs"})


def plain(text: str) -> str:
    """Text with one sign for every dash and quote, without bold, zero-width and direction marks.

    Case, spaces and length stay much as they are; text that is plain already comes back as it is.
    """
    if text.isascii():
        return text.translate(_SIGNS)
    seen = "".join([sign for sign in text if unicodedata.category(sign) != "Cf"])
    return seen.translate(_SIGNS)


def fold(text: str) -> str:
    """A name as it is compared: two texts of one fold are one name to a reader of answers.

    Case, kinds of dash and quote, bold and italics, marks that nobody sees, brackets and quotes
    around the whole, an article before it and a full stop behind it make no odds.
    """
    folded = plain(text).casefold()
    if not folded.isascii() and len(folded) <= _LONGEST_NAME:
        folded = unicodedata.normalize("NFC", folded)
    folded = " ".join(folded.split()).strip(_ENDS).rstrip(".").strip(_ENDS)
    return folded.removeprefix("the ")


def whole(text: str) -> str:
    """A text with `?` for each half of a surrogate pair, which no file and no request can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def unseen(text: str) -> str | None:
    """The first control, format or surrogate character of a text; None where all can be seen."""
    return next((sign for sign in text if unicodedata.category(sign) in _UNSEEN), None)

"""HTML that cannot be broken by what it shows: every text is escaped unless it is HTML already."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from supersede.model.text import whole

__all__ = ["NOTHING", "Html", "element", "embedded", "join", "text"]


class Html(str):
    """A piece of HTML, which goes into the page as it is."""

    __slots__ = ()


NOTHING = Html("")

_VOID = frozenset({"meta", "br", "col"})


def text(value: str) -> Html:
    """A text as HTML. Halves of surrogate pairs, which no file can hold, become question marks."""
    if isinstance(value, Html):
        return value
    return Html(escape(whole(value)))


def join(parts: Iterable[str], between: str = "") -> Html:
    """Pieces one after the other, each escaped unless it is HTML."""
    return Html(text(between).join(text(part) for part in parts))


def element(tag: str, /, *children: str, **attributes: str | int | float | bool | None) -> Html:
    """An element.

    Args:
        tag: Its name.
        children: Texts, which are escaped, and HTML.
        attributes: An underscore stands for a hyphen and one at the end for nothing; True is an
            attribute without a value, None and False are none.
    """
    given = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _VOID:
        return Html(f"<{tag}{given}>")
    return Html(f"<{tag}{given}>{join(children)}</{tag}>")


def _attribute(name: str, value: str | int | float | bool) -> str:
    return f" {name}" if value is True else f' {name}="{text(str(value))}"'


def embedded(data: Any, identity: str) -> Html:
    """Data for a script, as JSON that no text in it can end.

    Args:
        data: Plain JSON data.
        identity: The id of the element.
    """
    packed = json.dumps(data, separators=(",", ":"), allow_nan=False)
    safe = packed.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return element("script", Html(safe), type="application/json", id=identity)

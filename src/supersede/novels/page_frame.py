"""What the pages of a project share: one file that opens offline, with a list of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from supersede import __version__
from supersede.reports.markup import Html, element, embedded

__all__ = ["framed"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The page can fetch and run nothing, whatever a text in it says."""


def framed(
    title: str, lead: str, sections: Sequence[tuple[str, Html]], *, data: Any, style: str = ""
) -> str:
    """A page as HTML.

    Args:
        title: Of the page.
        lead: Its first paragraph.
        sections: Their names and what stands in them.
        data: Plain JSON data, kept in the page for programs.
        style: CSS beside that of reports.
    """
    css = files("supersede.reports").joinpath("page.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("title", title),
        element("style", Html(css + style)),
    )
    links = [
        element("li", element("a", name, href=f"#s{n}")) for n, (name, _) in enumerate(sections)
    ]
    parts = [
        element("section", element("h2", name), inner, id=f"s{n}")
        for n, (name, inner) in enumerate(sections)
    ]
    nav = element("nav", element("ul", *links), aria_label="Sections")
    body = element(
        "body",
        element("header", element("h1", title), element("p", lead), nav),
        element("main", *parts),
        element("footer", element("p", f"Made by supersede {__version__}.", class_="quiet")),
        embedded(data, "data"),
    )
    return f"<!doctype html>\n{element('html', head, Html(chr(10)), body, lang='en')}\n"

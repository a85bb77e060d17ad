"""A page as a test reads it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

_VOID = {"meta", "br", "col"}


@dataclass
class Node:
    """An element with what is in it."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Node | str] = field(default_factory=list)

    def all(self, tag: str, look: str | None = None) -> list[Node]:
        """The elements below of a kind, and of a class."""
        found = []
        for child in self.children:
            if isinstance(child, Node):
                classes = (child.attributes.get("class") or "").split()
                if child.tag == tag and (look is None or look in classes):
                    found.append(child)
                found += child.all(tag, look)
        return found

    def one(self, tag: str, **attributes: str) -> Node:
        """The one element below with these attributes."""
        (found,) = [n for n in self.all(tag) if attributes.items() <= n.attributes.items()]
        return found

    def text(self) -> str:
        """All text below."""
        parts = (c if isinstance(c, str) else c.text() for c in self.children)
        return "".join(parts)

    def rows(self) -> list[list[str]]:
        """The cells of all rows of a table below, head first."""
        return [[c.text() for c in row.children if isinstance(c, Node)] for row in self.all("tr")]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> ends <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(page: str) -> Node:
    """The page as a tree; every element must be closed in its place."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    (root,) = parser.open
    return root


def embedded(page: Node, identity: str) -> Any:
    """The data that a script of the page holds."""
    return json.loads(page.one("script", id=identity).text())

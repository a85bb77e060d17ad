"""Small corpora for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from supersede.corpus.build import build
from supersede.corpus.plan import Configuration, configure

PROTOTYPES = ("soccer-timeline", "warehouse-inventory-ops")
TIERS = ("very_short", "short")


def small(per_cell: int = 2, *, split: str = "train", history: bool = False) -> Configuration:
    """Two prototypes, two tiers."""
    return configure(split, tiers=TIERS, prototypes=PROTOTYPES, per_cell=per_cell, history=history)


def built(folder: Path, configuration: Configuration | None = None) -> Path:
    """The folder of a small corpus."""
    build(folder, configuration or small())
    return folder


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The instances of a file as plain data."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """Write instances to a file."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")

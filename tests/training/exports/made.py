"""Corpora to export, and replies to what is exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supersede.corpus.build import build
from supersede.corpus.files import Manifest
from supersede.corpus.plan import configure

PROTOTYPES = ("library-lending-records", "soccer-timeline", "warehouse-inventory-ops")
TIERS = ("very_short", "short")


def corpus(folder: Path, split: str, *, per_cell: int = 1, form: str = "jsonl") -> Manifest:
    """Build a corpus of three prototypes and two tiers."""
    made = configure(split, tiers=TIERS, prototypes=PROTOTYPES, per_cell=per_cell, format=form)
    return build(folder, made)


def both(folder: Path) -> list[Path]:
    """A training corpus in Parquet, twelve rows, and a held-out one in JSON lines, six rows."""
    corpus(folder / "train", "train", per_cell=2, form="parquet")
    corpus(folder / "heldout", "heldout")
    return [folder / "train", folder / "heldout"]


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def files(folder: Path) -> set[str]:
    """Every file below a folder, hidden ones included."""
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def changed(text: str) -> str:
    """An answer in its form with every value another."""
    slots = text.removeprefix("Answer: ").split("; ")
    return "Answer: " + "; ".join(f"{slot.split(' = ')[0]} = 424242" for slot in slots)


def needs(module: str) -> Any:
    """A package of the extra `dev`; the test is left out where it is not installed."""
    return pytest.importorskip(module, reason="not installed: make setup")

"""Lint of a catalogue file: its folder, and the sizes that a corpus world should have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from supersede.errors import did_you_mean
from supersede.specs.lint_report import Report

THEMES: Mapping[str, tuple[str, ...]] = {
    "Content & social": ("Everyday & travel",),
    "Education & work": ("Public & education",),
    "Finance & business": ("Business & finance",),
    "Food & dining": ("Everyday & travel",),
    "Games & entmt.": ("Games & sports",),
    "Healthcare": ("Public & education",),
    "Home & daily life": ("Everyday & travel",),
    "Logistics & mfg.": ("Business & finance",),
    "Office & software": ("Professional & tech",),
    "Public affairs": ("Professional & tech",),
    "Sports": ("Games & sports",),
    "Travel": ("Everyday & travel",),
}
"""Theme -> the macro-group that the published catalogue puts it in."""

_SIZES = (
    ("entities", "named entities", 19, 52),
    ("measures", "measures and registers", 4, 7),
    ("events", "events", 5, 15),
)


def is_catalogue_file(source: str) -> bool:
    """Whether a file lies in a theme folder of the catalogue."""
    return Path(source).suffix == ".yaml" and Path(source).parent.parent.name == "prototypes"


def lint_catalogue(report: Report, source: str) -> None:
    """Look at what only a specification of the catalogue must hold to."""
    spec, path = report.spec, Path(source)
    if spec.id != path.stem:
        report.error(("id",), f"id {spec.id!r} in a file named {path.name!r}",
                     "Name the file after the id.")  # fmt: skip
    if _slug(spec.title) != spec.id:
        report.error(("title",), f"title {spec.title!r} gives the id {_slug(spec.title)!r}, not "
                     f"{spec.id!r}", "Mend one of them.")  # fmt: skip
    if spec.theme not in THEMES:
        report.error(("theme",), f"unknown theme {spec.theme!r}", did_you_mean(spec.theme, THEMES))
    else:
        if _slug(spec.theme) != path.parent.name:
            report.error(("theme",), f"theme {spec.theme!r} in the folder {path.parent.name!r}",
                         f"Move it to {_slug(spec.theme)}.")  # fmt: skip
        if spec.macro_group not in THEMES[spec.theme]:
            report.error(("macro_group",), f"macro-group {spec.macro_group!r} does not hold the "
                         f"theme {spec.theme!r}", f"Write {THEMES[spec.theme][0]!r}."
                         )  # fmt: skip
    named = sum(len(entity.names) for entity in spec.entities.values())
    counts = (named, len(spec.measures) + len(spec.registers), len(spec.events))
    for count, (section, what, low, high) in zip(counts, _SIZES, strict=True):
        if not low <= count <= high:
            report.warn((section,), f"{count} {what}; a corpus world has {low} to {high}",
                        "Add some." if count < low else "Take some away.")  # fmt: skip


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")

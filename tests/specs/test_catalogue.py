"""Every world of the catalogue: sound, told from the text alone."""

from __future__ import annotations

import re

import pytest

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.text_proof import prove_instance
from supersede.model.instance import Split, Tier
from supersede.prototypes import load_prototype, prototype_files, prototype_ids
from supersede.specs.lint import lint
from supersede.specs.load import load_specification

EVERY = pytest.mark.parametrize("prototype", prototype_ids())

THINGS = (
    *(
        "name",
        "names",
        "person",
        "place",
        "sign",
        "callsign",
        "shirt",
        "jersey",
        "sweater",
        "number",
    ),
    *(
        "line",
        "row",
        "column",
        "card",
        "slip",
        "sheet",
        "page",
        "file",
        "folder",
        "thread",
        "branch",
    ),
    *("item", "object", "asset", "box", "bay", "tab", "tag", "slot", "site", "station", "channel"),
    *(
        "house",
        "houses",
        "home",
        "login",
        "handle",
        "hand",
        "side",
        "title",
        "call",
        "matter",
        "tube",
    ),
)
BLAMES = re.compile(rf"(?:wrong|mix\w* up|swapped)(?: \w+)?? (?:{'|'.join(THINGS)})\b")


@pytest.mark.every_world
@EVERY
def test_no_replacement_says_that_a_name_was_wrong(prototype: str) -> None:
    """It keeps the names, but for roles that may be amended, and what it changes is drawn anew."""
    corrects = load_prototype(prototype).revisions.correct
    assert [text for text in corrects if BLAMES.search(text)] == []


@pytest.mark.every_world
@EVERY
def test_the_lint_finds_no_mistake(prototype: str) -> None:
    """Units that move with what a register says are all that a warning is about."""
    findings = lint(load_specification(prototype_files()[prototype]))
    assert [str(f) for f in findings if "money or units that move" not in f"{f}"] == []


@pytest.mark.every_world
@EVERY
def test_short_instances_follow_from_their_text(prototype: str) -> None:
    for index in range(2):
        key = instance_key(prototype, Tier.SHORT, index, split=Split.HELDOUT)
        assert prove_instance(make_instance(key)) is None

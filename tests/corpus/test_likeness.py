from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import built, lines_of, small

from supersede.corpus.files import read_manifest
from supersede.corpus.likeness import Likeness, Near, print_of
from supersede.corpus.verify import verify


def told(*lines: str, name: str = "x", split: str = "train") -> dict[str, Any]:
    """What is compared of an instance with these lines of records."""
    log = "\n".join(f"R{number} Ann: {line}." for number, line in enumerate(lines))
    return {
        "id": name,
        "messages": [{"role": "user", "content": log}],
        "prototype": "p",
        "tier": "short",
        "split": split,
    }


def compared(*instances: dict[str, Any]) -> tuple[list[tuple[str, str]], list[Near]]:
    """What is the same, and what nearly."""
    seen = Likeness()
    same: list[tuple[str, str]] = []
    near: list[Near] = []
    for number, instance in enumerate(instances):
        mark = print_of(instance)
        same += [(str(number), reason) for reason in seen.same(str(number), mark)]
        near += seen.near(str(number), mark)
    return same, near


def test_the_same_records_under_other_noise_are_found() -> None:
    one = told("sold 3 pots")
    other = {**one, "id": "y", "messages": [{**one["messages"][0]}]}
    other["messages"][0]["content"] += "\nWhat a day!"
    assert compared(one, other)[0] == [("1", "has the record sequence of 0")]
    assert compared(one, {**one, "id": "y"})[0] == [("1", "has the messages of 0")]
    system = [{"role": "system", "content": "Rules."}, *one["messages"]]
    assert compared(one, {**one, "id": "y", "messages": system})[0] == [
        ("1", "has the user text of 0")
    ]
    assert compared(one, one)[0] == [("1", "has the id of 0"), ("1", "has the messages of 0")]


def test_what_is_said_between_and_where_turns_end_belongs_to_the_messages() -> None:
    def messages(*turns: str) -> bytes:
        roles = {"Q": "assistant", "S": "system"}
        data = told("sold 3 pots")
        data["messages"] = [{"role": roles.get(text[0], "user"), "content": text} for text in turns]
        return print_of(data).messages

    one = messages("S", "a\n\nb", "Q1", "c")
    assert messages("S", "a\n\nb", "Q1", "c") == one
    others = [
        messages("S", "a\n\nb", "Q2", "c"),
        messages("S", "a\n\nb", "c", "Q1"),
        messages("S", "a", "b", "Q1", "c"),
        messages("S", "a", "Q1", "b\n\nc"),
        messages("S", "a\n\nb", "Q1", "d"),
        messages("S2", "a\n\nb", "Q1", "c"),
    ]
    assert len({one, *others}) == 1 + len(others)


def test_records_that_are_the_same_up_to_figures_are_near() -> None:
    same, near = compared(
        told("sold 3 pots", "sold 1,204.50 pans"),
        told("sold 12 pots", "sold 7 pans", name="y", split="heldout"),
        told("sold 3 cups", "sold 4 lids", name="z"),
    )
    assert same == []
    assert near == [Near("1", "0", 0.0, same_plot=True, across=True)]


def test_the_share_of_lines_is_a_jaccard_index() -> None:
    lines = [f"sold {number} pots" for number in range(10)]
    _, near = compared(told(*lines), told(*lines[:8], "left", "went", name="y"))
    assert near == [Near("1", "0", 8 / 12, same_plot=False, across=False)]  # 8 of 10 + 10 - 8
    assert compared(told(*lines), told(*lines[:6], *("abcd"), name="y"))[1] == []  # 6 of 14


def test_the_share_of_many_lines_is_near_the_index() -> None:
    lines = [f"sold {number} pots" for number in range(900)]
    changed = [
        f"lost {number} pans" if number % 5 == 0 else line for number, line in enumerate(lines)
    ]
    _, (near,) = compared(told(*lines), told(*changed, name="y"))
    assert near.share == pytest.approx(720 / 1080, abs=0.18)  # three standard deviations


def test_other_worlds_and_tiers_are_not_compared() -> None:
    one = told("sold 3 pots")
    assert compared(one, {**told("sold 4 pots", name="y"), "tier": "long"})[1] == []


def test_instances_of_a_corpus_are_neither_the_same_nor_near(tmp_path: Path) -> None:
    train = built(tmp_path / "train", small(30))
    heldout = built(tmp_path / "heldout", small(3, split="heldout"))
    near: list[Near] = []
    assert verify([train, heldout], text_only=True, on_near=near.append)[1] == 0
    assert near == []


def _other_figures(content: str) -> str:
    return re.sub(r"\d+", lambda found: str(int(found[0]) + 1), content)


@pytest.mark.parametrize("change", [_other_figures, lambda content: content])
def test_a_near_copy_in_the_other_split_is_named(
    change: Callable[[str], str], tmp_path: Path
) -> None:
    folder = built(tmp_path / "corpus")
    path = folder / read_manifest(folder).shards[0].path
    copy = lines_of(path)[1]
    for message in copy["messages"]:
        message["content"] = change(message["content"])
    (tmp_path / "copy.jsonl").write_text(json.dumps({**copy, "id": "0", "split": "heldout"}) + "\n")
    near: list[Near] = []
    verify([folder, tmp_path / "copy.jsonl"], on_near=near.append)
    assert [(one.where, one.before) for one in near] == [
        (f"{tmp_path / 'copy.jsonl'}:1", f"{path}:2")
    ]
    assert near[0].across

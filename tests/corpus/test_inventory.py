from __future__ import annotations

import json

import pytest

from supersede.cli.main import main
from supersede.corpus.inventory import THEMES, inventory, inventory_table
from supersede.prototypes import load_prototype, prototype_ids


def test_figures_are_sums_and_distinct_counts_over_the_worlds() -> None:
    names = ("soccer-timeline", "travel-group-discussion")
    found = inventory(map(load_prototype, names))
    figures = {figure.name: figure for figure in found.figures}
    # 13 events with 42 wordings, and 11 with 34; 7 and 7 measures and registers
    assert figures["event types"].total == 24
    assert figures["event types"].to_json()["median"] == 12
    assert figures["phrasings"].total == 76
    assert figures["measures and registers"].total == 14
    assert figures["labels that count"].total == 4 + 3
    assert figures["clock schemes"].total == 2
    assert dict(found.themes) == {"Sports": 1, "Travel": 1}


def test_published_figures_are_those_of_the_paper() -> None:
    assert sum(THEMES.values()) == 117
    found = inventory(())
    published = {figure.name: figure.published for figure in found.figures}
    assert published["operators"] == 159
    assert sum(row["published"] for row in found.to_json()["operators"].values()) == 159
    assert "0-0" not in "\n".join(inventory_table(found))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "stats", *arguments])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_without_a_corpus_the_catalogue_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, "--json"))
    assert data["figures"]["prototypes"]["total"] == len(prototype_ids())
    assert sum(theme["prototypes"] for theme in data["themes"].values()) == len(prototype_ids())
    assert "named entities" in run(capsys)

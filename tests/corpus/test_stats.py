from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import built, lines_of, write_lines

from supersede.corpus.stats import FAMILIES, MACRO_GROUPS, Spread, Statistics, statistics
from supersede.corpus.tables import statistics_table
from supersede.errors import DataError
from supersede.model.instance import Tier
from supersede.model.question import Family


def line(tier: str, family: Family, **realised: float) -> dict[str, Any]:
    """What statistics read of an instance."""
    measured = {"blocks": 3, "events": 6, "entries": 5, "invalid": 0.2, "backfill": 0.0, "noise": 0}
    return {
        "tier": tier,
        "family": family.value,
        "operator": f"{family.name}/x",
        "macro_group": "Games & sports",
        "theme": "Sports",
        "prototype": "soccer-timeline",
        "messages": [{"role": "system", "content": "abc"}, {"role": "user", "content": "de"}],
        "checklist": [{}, {}],
        "evidence": ["a"],
        "realised": {**measured, "distance": 0.0, "interleaving": 0.5, **realised},
    }


def described(*lines: dict[str, Any]) -> Statistics:
    found = Statistics()
    for one in lines:
        found.add(one)
    return found


def test_means_and_rates_are_those_worked_out_by_hand() -> None:
    found = described(
        line("short", Family.RANKING, blocks=3, events=6, entries=5, invalid=0.2),
        line("short", Family.AUDIT, blocks=5, events=18, entries=15, invalid=0.4, backfill=0.0667),
        line("long", Family.AUDIT, blocks=25, events=355, entries=300, invalid=0.1),
    )
    short = found.tiers[Tier.SHORT]
    assert short.mean("events") == 12  # (6 + 18) / 2
    assert short.events_per_block == 3  # 12 / ((3 + 5) / 2)
    assert short.rate("invalid") == 7 / 20  # (0.2 * 5 + 0.4 * 15) / (5 + 15)
    assert short.rate("backfill") == 1 / 20
    assert short.characters.mean == 5
    assert short.claims.mean == 2
    assert [tier for tier, _ in found.in_order()] == [Tier.SHORT, Tier.LONG]
    data = found.to_json()
    assert data["families"]["Audit & exclusion"]["instances"] == 2
    assert data["families"]["Audit & exclusion"]["share"] == 0.6667
    assert data["families"]["Ranking / Top-N"]["published_share"] == 0.21  # 737 / 3,510
    assert data["tiers"]["short"]["published"]["events"] == 27.0  # 6 blocks x 4.5
    assert data["macro_groups"]["Games & sports"]["share"] == 1.0


def test_the_distance_of_no_backfill_is_no_distance() -> None:
    found = described(
        line("short", Family.RANKING, distance=0.0), line("short", Family.RANKING, distance=3.0)
    )
    assert found.tiers[Tier.SHORT].mean("distance") == 3.0
    none = described(line("short", Family.RANKING))
    assert isnan(none.tiers[Tier.SHORT].mean("distance"))


def test_a_spread_is_undefined_until_there_is_enough() -> None:
    spread = Spread()
    nothing = {"count": 0, "mean": None, "deviation": None, "least": None, "most": None}
    assert spread.to_json() == nothing
    spread.add(2)
    assert isnan(spread.deviation)
    spread.add(4)
    # mean 3; deviation sqrt((1 + 1) / (2 - 1)) = 1.4142
    assert spread.to_json() == {
        "count": 2, "mean": 3.0, "deviation": 1.4142, "least": 2, "most": 4,
    }  # fmt: skip


def test_the_ring_counts_prototypes_by_group_and_theme() -> None:
    one = line("short", Family.RANKING)
    other = {**one, "prototype": "board-game-moves", "theme": "Games & entmt."}
    ring = described(one, one, other).to_json()["ring"]
    assert ring == {"Games & sports": {"Games & entmt.": 1, "Sports": 1}}
    lines = [text.split() for text in statistics_table(described(one, one, other))]
    assert ["Games", "&", "sports", "2", "100.0%", "17", "14.5%"] in lines


def test_tokens_are_described_where_they_are_counted() -> None:
    one = line("short", Family.RANKING)
    found = described(one, {**one, "tokens": 900}, {**one, "tokens": 1100})
    assert found.tiers[Tier.SHORT].tokens.mean == 1000
    lines = [text.split() for text in statistics_table(found)]
    assert ["short", "2", "1,000", "900", "1,100"] in lines
    assert "tokens" not in {text.split(" ")[0] for text in statistics_table(described(one))}


def test_published_figures_add_up() -> None:
    assert sum(FAMILIES.values()) == 3510
    assert set(FAMILIES) == set(Family)
    assert sum(MACRO_GROUPS.values()) == 117


def test_statistics_of_a_corpus_count_its_instances(tmp_path: Path) -> None:
    folder = built(tmp_path / "corpus")
    found = statistics([folder])
    assert found.instances == 8
    assert dict(found.prototypes) == {"soccer-timeline": 4, "warehouse-inventory-ops": 4}
    assert found.tiers[Tier.SHORT].mean("blocks") == 6
    json.dumps(found.to_json(), allow_nan=False)
    lines = list(statistics_table(found))
    assert [text.split()[0] for text in lines[:3]] == ["tier", "very_short", "short"]
    assert "6.0 / 6" in lines[2]
    assert lines[-1].startswith("8 instances, 2 prototypes, ")
    assert statistics([folder, folder]).instances == 16


def test_a_line_that_is_no_instance_is_named(tmp_path: Path) -> None:
    folder = built(tmp_path / "corpus")
    path = folder / "soccer-timeline" / "short-0000.jsonl"
    first, second = lines_of(path)
    del second["realised"]
    write_lines(path, [first, second])
    with pytest.raises(DataError, match=r"short-0000\.jsonl:2: not an instance: 'realised'"):
        statistics([folder])


def test_a_table_shows_no_nan_and_explains_its_columns() -> None:
    lines = list(statistics_table(described(line("short", Family.RANKING))))
    shown = "\n".join(lines)
    assert "nan" not in shown.split()
    assert " - " in lines[1]  # the distance of no backfill
    for column in lines[0].split()[2:]:
        assert f"{column}:" in shown or column in ("events/block",)
    assert lines[-1] == "1 instance, 1 prototype, 1 operator"
    assert "nan" not in " ".join(statistics_table(described())).split()

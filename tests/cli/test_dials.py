import json

import pytest

from supersede.cli.main import main
from supersede.errors import UsageError
from supersede.model.instance import Tier
from supersede.worlds.tiers import DIALS, MEANINGS, TIERS, allowed, dials_for


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Standard output."""
    with pytest.raises(SystemExit) as ended:
        main(["dials", *arguments])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_every_dial_has_its_meaning_its_range_and_the_preset_of_every_tier(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = {row["dial"]: row for row in json.loads(run(capsys, "--json"))}
    assert list(rows) == list(DIALS) == list(MEANINGS)
    for name, row in rows.items():
        assert list(row["presets"]) == [tier.value for tier in Tier]
        assert row["presets"]["medium"] == getattr(TIERS[Tier.MEDIUM], name)
    shown = run(capsys)
    assert shown.splitlines()[0].split() == [tier.value for tier in Tier]
    for name in DIALS:
        assert f"{MEANINGS[name]} ({allowed(name)})" in shown


def test_one_tier_is_shown_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--tier", "long").splitlines()[0].split() == ["long"]


@pytest.mark.parametrize("name", DIALS)
def test_the_range_that_is_told_is_the_range_that_is_checked(name: str) -> None:
    words = allowed(name).removeprefix("whole number, ").split()
    low, high = float(words[0]), float(words[2]) if words[1] == "to" else 1e6
    for value in (low, high):
        dials_for(Tier.MEDIUM, {name: value})
    beyond = [low - 1] + [high + 1] * (words[1] == "to")
    beyond += [low + 0.5] * allowed(name).startswith("whole")
    for value in beyond:
        with pytest.raises(UsageError, match="is out of range"):
            dials_for(Tier.MEDIUM, {name: value})


def test_an_unknown_dial_leads_to_the_command_that_lists_them() -> None:
    with pytest.raises(UsageError, match=r"and 8 more: supersede dials$"):
        dials_for(Tier.MEDIUM, {"zzzzzz": 1})

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import built
from tests.corpus.test_stats import described, line

from supersede.cli.main import main
from supersede.corpus import checks as module
from supersede.corpus.checks import Check, checks
from supersede.model.question import Family

EVERY = {
    "correct": 0.1, "amend": 0.1, "void": 0.1, "confirm": 0.1, "reinstate": 0.1, "repost": 0.1,
    "rules": 1, "noise": 0.2,
}  # fmt: skip
SHORT = {**EVERY, "blocks": 6, "events": 27, "entries": 100, "invalid": 0.12, "backfill": 0.03}


def told(**changed: float) -> dict[str, Any]:
    return line("short", Family.RANKING, **{**SHORT, **changed})


def by_name(*lines: dict[str, Any]) -> dict[str, Check]:
    return {check.name: check for check in checks(described(*lines))}


def test_a_tier_like_the_published_one_meets_all() -> None:
    found = by_name(told())
    assert set(found) == {
        "kinds of records", "mean events, short", "invalid rate, short", "backfill rate, short",
    }  # fmt: skip
    assert all(check.met for check in found.values())
    assert str(found["mean events, short"]).split() == [
        *("mean", "events,", "short", "27.0", "27.0", "within", "5%", "met"),
    ]


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"events": 25.6}, "mean events, short"),  # 27 x 0.95 = 25.65
        ({"events": 28.4}, "mean events, short"),  # 27 x 1.05 = 28.35
        ({"invalid": 0.09}, "invalid rate, short"),
        ({"backfill": 0.06}, "backfill rate, short"),
        ({"reinstate": 0.0}, "kinds of records"),
    ],
)
def test_what_is_missed_is_named(changed: dict[str, float], missed: str) -> None:
    found = by_name(told(**changed))
    assert [name for name, check in found.items() if not check.met] == [missed]
    assert str(found[missed]).endswith("NOT MET")


def test_a_missing_kind_is_named() -> None:
    assert by_name(told(confirm=0.0, rules=0))["kinds of records"].measured == "no confirm, rule"


def test_a_rate_may_fall_by_chance_alone() -> None:
    def medium(invalid: float, entries: int) -> dict[str, Any]:
        made = {**SHORT, "events": 109, "blocks": 16, "entries": entries, "invalid": invalid}
        return line("medium", Family.RANKING, **made)

    # from 12 of 100 to 10 of 100: 2 standard errors are 2 sqrt(.1056/100 + .09/100) = .088
    assert by_name(told(), medium(0.1, 100))["invalid rate by tier"].met
    # to 200 of 2,000 from 2,400 of 20,000: 2 sqrt(.1056/20000 + .09/2000) = .0142
    many = told(entries=20000)
    assert not by_name(many, medium(0.1, 2000))["invalid rate by tier"].met
    assert by_name(many, medium(0.13, 2000))["invalid rate by tier"].met


def test_families_are_compared_on_as_many_questions_as_were_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "shares of families" not in by_name(told())
    monkeypatch.setattr(module, "_ENOUGH", 1)
    found = by_name(told())["shares of families"]
    assert (found.measured, found.met) == ("+79.0 points, Ranking", False)  # 100 % - 737 / 3,510


def test_the_command_fails_on_a_missed_check_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = built(tmp_path / "corpus")
    for arguments, code in (([], 0), (["--check"], 1), (["--check", "--json"], 1)):
        with pytest.raises(SystemExit) as ended:
            main(["corpus", "stats", str(folder), *arguments])
        assert ended.value.code == code
    assert capsys.readouterr().err.endswith("of the corpus not met\n")

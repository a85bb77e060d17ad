from math import isnan

import pytest

from supersede.metrics.evolve import Trial, evolve_report
from supersede.model.instance import Tier
from supersede.model.question import ErrorLabel, Family, Outcome

RIGHT, WRONG = Outcome.RIGHT, Outcome.WRONG


def trials(
    instance: str, pattern: str, tier: Tier = Tier.SHORT, prototype: str = "p"
) -> list[Trial]:
    """One trial for each letter: r right, w wrong, u unparsable, f refused, e error."""
    outcomes = dict(zip("rwufe", Outcome, strict=True))
    return [
        Trial(
            instance,
            tier,
            prototype,
            Family.RANKING,
            outcomes[letter],
            ErrorLabel.RANKING if letter == "w" else None,
        )
        for letter in pattern
    ]


def test_pass_and_average_at_five_by_hand() -> None:
    # a: 2 of 5, b: 0 of 5, c: 5 of 5. avg = 7/15, pass = 2/3.
    rows = [
        *trials("a", "rwwrw", prototype="p"),
        *trials("b", "wwufe", prototype="q"),
        *trials("c", "rrrrr", prototype="r"),
    ]
    report = evolve_report(rows, 5)
    (tier,) = report.tiers
    assert tier.average.value == pytest.approx(7 / 15)
    assert tier.passed.value == pytest.approx(2 / 3)
    assert (tier.instances, tier.trials) == (3, 15)
    assert list(tier.outcomes.values()) == [7, 5, 1, 1, 1]
    assert report.labels.counts[ErrorLabel.RANKING] == 5


def test_overall_is_the_mean_of_the_tiers_not_of_the_instances() -> None:
    rows = [
        *trials("a", "r", Tier.VERY_SHORT),
        *trials("b", "r", Tier.VERY_SHORT),
        *trials("c", "r", Tier.VERY_SHORT),
        *trials("d", "w", Tier.LONG),
    ]
    report = evolve_report(rows, 1)
    assert report.overall.average.value == 0.5
    assert report.overall.passed.value == 0.5
    assert [row.name for row in report.tiers] == ["very_short", "long"]


def test_an_instance_with_too_few_replies_has_no_pass_and_is_counted() -> None:
    report = evolve_report([*trials("a", "wwwww"), *trials("b", "rrr")], 5)
    assert report.overall.passed.value == 0
    assert report.overall.passed.undefined == 1
    assert report.overall.average.value == 0.5


def test_families_are_split_like_tiers() -> None:
    audit = Trial("x", Tier.SHORT, "p", Family.AUDIT, RIGHT)
    report = evolve_report([*trials("a", "w"), audit], 1)
    assert [(row.name, row.average.value) for row in report.families] == [
        (Family.RANKING.value, 0.0),
        (Family.AUDIT.value, 1.0),
    ]


def test_no_trials_give_nan_throughout() -> None:
    report = evolve_report([], 5)
    assert report.tiers == ()
    assert isnan(report.overall.average.value)
    assert isnan(report.overall.passed.value)

from supersede.evaluation.results import Reply
from supersede.evaluation.tables import (
    error_line,
    estimate_text,
    label_table,
    legend,
    report_data,
    tier_table,
)
from supersede.metrics.evolve import Trial, evolve_report
from supersede.metrics.intervals import Estimate
from supersede.model.instance import Tier
from supersede.model.question import ErrorLabel, Family, Outcome

NAN = float("nan")


TRIALS = [
    Trial("a", Tier.SHORT, "p", Family.RANKING, Outcome.RIGHT),
    Trial("b", Tier.SHORT, "q", Family.RANKING, Outcome.WRONG, ErrorLabel.RANKING),
    Trial("c", Tier.SHORT, "q", Family.RANKING, Outcome.UNPARSABLE),
]


def test_undefined_numbers_are_dashes() -> None:
    assert estimate_text(Estimate(NAN, NAN, NAN, 0)) == "-"
    assert estimate_text(Estimate(0.5, NAN, NAN, 1)) == "0.500 [-, -]"
    assert estimate_text(Estimate(0.5, 0.25, 0.75, 3)) == "0.500 [0.250, 0.750]"


def test_a_table_has_a_line_a_tier_and_one_for_the_mean() -> None:
    header, short, overall = tier_table(evolve_report(TRIALS, 1)).splitlines()
    assert header.split()[:2] == ["tier", "n"]
    assert short.split()[0] == "short"
    assert overall.split()[0] == "overall"
    assert short.split()[-5:] == ["1", "1", "1", "0", "0"]
    assert "0.333" in short


def test_instances_without_enough_replies_are_told() -> None:
    assert "(3 undefined)" in tier_table(evolve_report(TRIALS, 5))


def failed(reason: str, outcome: Outcome = Outcome.ERROR) -> Reply:
    trial = Trial("d", Tier.LONG, "p", Family.RANKING, outcome)
    return Reply(trial, 1, "?", "", "Answer: 1", reason, 0.0, False)


def test_one_reply_an_instance_has_no_pass_beside_the_average() -> None:
    once, often = evolve_report(TRIALS, 1), evolve_report(TRIALS, 5)
    assert "pass@" not in tier_table(once)
    assert "pass@" not in legend(1)
    assert "pass@5" in tier_table(often)
    assert "pass@5" in legend(5)
    assert all(len(legend(k).splitlines()) == 2 for k in (1, 5))


def test_a_row_of_nothing_but_errors_has_no_score() -> None:
    trials = [*TRIALS, failed("boom").trial]
    short, long, overall = tier_table(evolve_report(trials, 1)).splitlines()[1:]
    assert long.split() == ["long", "1", "-", "0", "0", "0", "0", "1"]
    assert "0.333" in short
    assert "0.167" in overall  # the arithmetic stays: an error counts 0
    report = evolve_report([failed("boom").trial] * 2, 2)
    assert tier_table(report).splitlines()[1].split()[2:4] == ["-", "-"]


def test_the_most_frequent_error_is_named_with_its_count() -> None:
    fine = failed("every claim is satisfied", Outcome.RIGHT)
    assert error_line([fine]) == ""
    boom, bang = failed("the generation failed: boom"), failed("bang")
    assert error_line([fine, boom]) == "1 of 2 replies are errors: the generation failed: boom"
    said = error_line([bang, fine, boom, boom])
    assert said == "3 of 4 replies are errors: most often (2) the generation failed: boom"
    assert "\n" not in error_line([failed("one\ntwo " * 99)])


def test_labels_come_with_their_caveat_and_what_is_left_out() -> None:
    text = label_table(evolve_report(TRIALS, 1))
    assert "ranking & tie-breaking" in text
    assert "100.0 %" in text
    assert "not independent error rates" in text
    assert "Left out: 1 unparsable" in text
    assert "No wrong reply" in label_table(evolve_report(TRIALS[:1], 1))


def test_data_has_null_for_what_is_undefined() -> None:
    data = report_data(evolve_report(TRIALS[:1], 1))
    assert data["overall"]["avg"]["value"] == 1
    assert data["overall"]["avg"]["low"] is None
    assert data["error_labels"]["shares"]["ranking & tie-breaking"] is None
    assert data["tiers"]["short"]["outcomes"] == {
        "right": 1, "wrong": 0, "unparsable": 0, "refused": 0, "error": 0,
    }  # fmt: skip

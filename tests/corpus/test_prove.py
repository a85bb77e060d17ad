"""Proofs of specifications: what they count, and what makes them fail."""

from __future__ import annotations

from tests.specs.shop import SOURCE, line_of, shop, spoilt

from supersede.corpus.prove import prove, supported_tiers
from supersede.model.instance import Tier
from supersede.specs.lint import lint
from supersede.specs.load import Loaded

SHORT = (Tier.VERY_SHORT, Tier.SHORT, Tier.MEDIUM)


def failures(loaded: Loaded, seeds: int = 4) -> list[str]:
    assert [f for f in lint(loaded) if f.severity == "error"] == [], "the lint sees it already"
    proof = prove(loaded, seeds=seeds)
    errors = [str(f) for f in proof.findings if f.severity == "error"]
    assert proof.passed == (not errors)
    return errors


def test_a_sound_specification_is_proved_in_all_tiers_that_it_supports() -> None:
    proof = prove(shop(), seeds=2)
    assert proof.passed
    assert proof.findings == ()
    assert proof.tiers == (Tier.VERY_SHORT, Tier.SHORT, Tier.MEDIUM, Tier.LONG)
    assert proof.never == ()
    assert proof.events > 2 * 300
    assert sum(proof.fired.values()) < proof.events
    assert proof.events_per_second > 0


def test_all_tiers_are_supported_unless_a_longest_is_named() -> None:
    assert supported_tiers(shop(("longest: long, ", "")).spec) == tuple(Tier)


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    prove(shop(), seeds=2, tiers=SHORT[:2], progress=lambda *done: told.append(done))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_world_that_cannot_go_on_says_so_in_one_line() -> None:
    change = ("- id: pay\n", "- id: pay\n    limit: {total: 2}\n")
    loaded = shop(change, *((f"- id: {event}\n", f"- id: {event}\n    limit: {{total: 1}}\n")
                            for event in ("deliver", "goodwill", "change_rate", "start_shift",
                                          "end_shift", "follow", "share_out")))  # fmt: skip
    (line, *_) = failures(loaded)
    assert "no event is possible in Day" in line
    assert line.endswith("whose guard can always be met, or a shorter `longest` tier.")


def test_events_that_never_happen_are_named_with_their_lines() -> None:
    change = ("== 'delivered' and", "== 'delivered' and escrow < 0 and")
    (line,) = failures(shop(change), seeds=20)
    at = line_of(spoilt(change), "- id: goodwill")
    assert line.startswith(f"{SOURCE}:{at}:5: error: event 'goodwill' never happened in ")


def test_events_that_wait_for_one_another_are_named_together() -> None:
    # Deliveries ask for a refund paid, refunds for a delivery: each guard could be met alone.
    changes = (("\"stage[target] == 'paid up' and", "\"refunds[target] > 0 and"),
               ("== 'delivered' and", "!= 'paid up' and"),
               ("start: paid up}", "start: paid up}"))  # fmt: skip
    lines = failures(shop(*changes), seeds=20)
    assert len(lines) == 2
    assert all("So it was with deliver, goodwill" in line for line in lines)


def test_a_rare_event_is_a_warning() -> None:
    guard = "floor_div(escrow - 100, 5000) * 5000 == escrow - 100"
    change = ("- id: share_out\n", f'- id: share_out\n    weight: 3\n    when: "{guard}"\n')
    proof = prove(shop(change), seeds=4)
    (finding,) = [f for f in proof.findings if "'share_out'" in f.what]
    assert proof.passed
    assert finding.severity == "warning"
    assert "its weight asks for" in finding.what


def test_a_guard_that_cannot_be_evaluated_is_told_with_its_event() -> None:
    changes = (("int: [1, 9], start: 2}", "int: [1, 9]}"),)
    lines = failures(shop(*changes))
    at = line_of(spoilt(*changes), "- id: change_rate")
    assert lines[0].startswith(f"{SOURCE}:{at}:5: error: ")
    assert ": an expression cannot be evaluated: " in lines[0]


def test_a_cell_that_a_record_changes_twice_is_told() -> None:
    changes = (
        ("seen: record(pay)}", "seen: record(pay), helper: seen.actor}"),
        ("{actor} goes home after {seen}", "{actor} goes home after {seen}, {helper} knows"),
        ("{seen} was the last for {actor}", "{seen} was the last for {actor}, {helper}"),
        ("{actor} signs off with {seen}", "{actor} signs off with {seen} of {helper}"),
        (
            "    leave:\n      - {roster: shift, member: actor}\n",
            "    leave:\n      - {roster: shift, member: actor}\n    post:\n"
            "      - {measure: calls, on: actor, delta: 1}\n"
            "      - {measure: calls, on: helper, delta: 1}\n",
        ),
    )
    assert any("changes 'calls' of" in line for line in failures(shop(*changes), seeds=12))


def test_in_a_short_look_an_event_that_never_happens_is_only_doubtful() -> None:
    loaded = shop(("== 'delivered' and", "== 'delivered' and escrow < 0 and"))
    proof = prove(loaded, seeds=20, tiers=SHORT)
    (finding,) = proof.findings
    assert proof.passed
    assert finding.severity == "warning"
    assert "event 'goodwill' never happened" in finding.what

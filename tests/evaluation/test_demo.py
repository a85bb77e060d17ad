import json
import socket
from pathlib import Path
from typing import Any

import pytest

from supersede.errors import CheckFailed
from supersede.evaluation.demo import Demo, DemoPlan, build_instances, prove, run_demo
from supersede.evaluation.tables import demo_table, reply_text
from supersede.model.instance import Message, Tier
from supersede.model.question import Outcome
from supersede.prototypes import load_prototype

SMALL = DemoPlan(tiers=(Tier.VERY_SHORT, Tier.LONG), per_tier=2, model=None)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A demonstration with baselines alone, during which nothing but loopback can be reached."""
    patch = pytest.MonkeyPatch()
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
            raise AssertionError(f"a connection to {address!r}")
        connect(self, address)

    def resolve(host: Any, *_: Any, **__: Any) -> Any:
        raise AssertionError(f"the address of {host!r} was looked up")

    patch.setattr(socket.socket, "connect", guarded)
    patch.setattr(socket, "getaddrinfo", resolve)
    try:
        return run_demo(tmp_path_factory.mktemp("demo"), SMALL)
    finally:
        patch.undo()


def test_the_ladder_stands_in_every_tier(small: Demo) -> None:
    runs = {run.model: run for run in small.runs}
    assert list(runs) == [
        "supersede/oracle",
        "supersede/count-everything",
        "supersede/last-mention",
        "supersede/unknown",
    ]
    for row in runs["supersede/oracle"].report.tiers:
        assert row.average.value == 1
        assert row.instances == 2
    assert runs["supersede/unknown"].report.overall.outcomes[Outcome.REFUSED] == 4


def test_instances_and_logs_lie_in_the_folder(small: Demo) -> None:
    lines = small.data.read_text().splitlines()
    assert [json.loads(line)["tier"] for line in lines] == ["very_short"] * 2 + ["long"] * 2
    for run in small.runs:
        assert Path(run.log).is_file()
        assert Path(run.log).parent == small.data.parent / "logs"


def test_the_table_has_a_line_for_each_tier_and_model(small: Demo) -> None:
    lines = demo_table(small.runs).splitlines()
    assert len(lines) == 1 + 3 * 4
    assert lines[1].split()[:3] == ["very_short", "supersede/oracle", "2"]
    assert lines[-1].split()[:2] == ["overall", "supersede/unknown"]


def test_one_reply_is_shown_in_full(small: Demo) -> None:
    shown = small.shown()
    assert shown is not None
    text = reply_text(*shown)
    assert "supersede/last-mention replies:" in text
    assert f"Computed: {shown[1].answer}" in text
    assert f"Graded: {shown[1].trial.outcome}" in text


def test_it_says_why_there_is_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Demo
) -> None:
    assert small.no_model == "no model was asked for"
    monkeypatch.setenv("SUPERSEDE_CACHE", str(tmp_path / "empty"))
    found = run_demo(tmp_path, DemoPlan(tiers=(Tier.VERY_SHORT,), per_tier=1))
    assert "supersede model get smollm2" in found.no_model
    assert len(found.runs) == 4


def test_a_text_that_does_not_give_its_answer_fails_the_check() -> None:
    plan = DemoPlan(tiers=(Tier.SHORT,), per_tier=1)
    (one,) = build_instances(plan)
    prove([one])
    torn = Message("user", one.messages[1].content.replace("\n", "\nOne line more.\n", 1))
    broken = type(one)(
        one.key,
        one.theme,
        one.macro_group,
        (one.messages[0], torn, *one.messages[2:]),
        one.question,
        one.answer,
        one.history,
        one.realised,
        one.requested,
    )
    with pytest.raises(CheckFailed, match="One line more"):
        prove([broken])


def test_instances_are_spread_over_themes() -> None:
    found = build_instances(DemoPlan(tiers=(Tier.VERY_SHORT,), per_tier=6))
    assert len({load_prototype(one.key.prototype).theme for one in found}) == 6


@pytest.mark.model
def test_the_real_model_is_asked_and_graded(tmp_path: Path) -> None:
    plan = DemoPlan(
        tiers=(Tier.VERY_SHORT, Tier.LONG),
        per_tier=1,
        model_tiers=(Tier.VERY_SHORT,),
        model_prototypes=1,
        model_per_tier=1,
        reply_tokens=16,
    )
    found = run_demo(tmp_path, plan)
    assert not found.no_model
    run = found.runs[-1]
    assert run.model == "supersede/smollm2"
    assert len(run.replies) + run.skipped == 1
    assert found.seconds < 300

"""The worked examples of the paper: every stated answer by the project's replay and operators.

Each file holds one example as data of our own: what the log says, the state that the document
states, and its questions with the operator that asks them here. `says` quotes the document.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from supersede.model.question import Outcome, Question
from supersede.model.record import Assignment, History, Kind, Mint, Posting, Record
from supersede.model.world import EntityType, EventType, Measure, Register, World
from supersede.questions import all_operators, answer, grade
from supersede.worlds.replay import replay

HERE = Path(__file__).parent
EXAMPLES: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted(HERE.glob("*.yaml"))
}
QUESTIONS = [(name, n) for name, data in EXAMPLES.items() for n in range(len(data["questions"]))]


def world_of(name: str, data: dict[str, Any]) -> World:
    kinds = {entity: kind for kind, names in data["types"].items() for entity in names}
    kinds |= {row["mint"]: data["minted"] for row in data["records"] if "mint" in row}
    events: dict[str, EventType] = {}
    for row in data["records"]:
        if "event" in row:
            known = events.get(row["event"], EventType(row["event"], "", ""))
            label = row["event"].replace("_", " ")
            roles = {role: kinds[entity] for role, entity in row.get("roles", {}).items()}
            measures = dict.fromkeys((*known.measures, *row.get("post", {})))
            registers = dict.fromkeys((*known.registers, *row.get("set", {})))
            events[row["event"]] = EventType(
                row["event"],
                label,
                f"{label}s",
                {**known.roles, **roles},
                measures=tuple(measures),
                registers=tuple(registers),
            )
    starts = data.get("starts", {})
    return World(
        name=name,
        block=data["block"],
        types={
            kind: EntityType(
                kind, kind, f"{kind}s", tuple(names), "#{n}" if kind == data.get("minted") else None
            )
            for kind, names in data["types"].items()
        },
        measures={
            m: Measure(m, label, start=starts.get(m, 0)) for m, label in data["measures"].items()
        },
        events=events,
        statuses=data["statuses"],
        registers={r: Register(r, label) for r, label in data.get("registers", {}).items()},
        timed="time" in data["records"][0],
    )


def history_of(data: dict[str, Any]) -> History:
    records: list[Record] = []
    for position, row in enumerate(data["records"]):
        roles: dict[str, str] = row.get("roles", {})
        hour, _, minute = row.get("time", "").partition(":")
        mint = (Mint(row["mint"], data["minted"]),) if "mint" in row else ()
        records.append(
            Record(
                row["id"],
                row["block"],
                position,
                row["block"],
                60 * int(hour) + int(minute) if hour else position + 1,
                row.get("status"),
                Kind(row.get("kind", "entry")),
                row.get("event"),
                dict(roles),
                {},
                tuple(row.get("refs", ())),
                tuple(Posting(m, d, tuple(roles.values())) for m, d in row.get("post", {}).items()),
                tuple(Assignment(r, (), value) for r, value in row.get("set", {}).items()),
                (),
                mint,
            )
        )
    return History(records[-1].block, tuple(records))


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_state_is_the_one_that_the_document_states(name: str) -> None:
    data = EXAMPLES[name]
    ledger = replay(world_of(name, data), history_of(data))
    assert {measure: ledger.state.measure(measure) for measure in data["state"]} == data["state"]
    excluded = [ledger.records[i].id for i in ledger.exclusion_list()]
    assert excluded == data["invalid"]


@pytest.mark.parametrize(("name", "n"), QUESTIONS, ids=[f"{name}-{n}" for name, n in QUESTIONS])
def test_answer_is_the_one_that_the_document_states(name: str, n: int) -> None:
    data = EXAMPLES[name]
    row = data["questions"][n]
    given = {k: tuple(v) if isinstance(v, list) else v for k, v in row["given"].items()}
    question = Question(row["operator"], all_operators()[row["operator"]].family, given, "")
    history = history_of(data)
    if "cut" in row:
        history = history.cut(row["cut"])
    known = answer(world_of(name, data), history, question)
    assert known.text == f"Answer: {row['answer']}"
    assert grade(question, known.checklist, known.text).outcome is Outcome.RIGHT
    if "rests on" in row:
        assert list(known.contributing) == row["rests on"]
    if "also" in row:
        assert set(row["also"]) <= set(known.evidence)


def test_all_seven_families_are_asked_of_one_history() -> None:
    """One history can be queried through all seven families (E-046)."""
    families = {row["operator"].split("/")[0] for row in EXAMPLES["warehouse"]["questions"]}
    assert len(families) == 7

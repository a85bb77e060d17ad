"""The system message says what a reader of the log must know."""

from __future__ import annotations

import re

import pytest
from tests.rendering.depot import depot, writer

from supersede.corpus.instances import writer_of
from supersede.prototypes import load_prototype
from supersede.rendering.writer import Writer
from supersede.specs.world import world_of

TEXT = writer().system


def test_every_status_label_stands_with_its_class() -> None:
    assert "counts if its status is signed or stamped, or if it has none" in TEXT
    assert "does not count if its status is in pencil or drill" in TEXT


@pytest.mark.parametrize("kind", ["void", "correct", "amend", "confirm", "reinstate", "repost"])
def test_every_wording_of_a_revision_is_explained(kind: str) -> None:
    for wording in getattr(depot()[0].revisions, kind):
        assert f'"{wording.replace("{ref}", "X")}"' in TEXT


def test_kinds_of_record_stand_in_declared_order() -> None:
    labels = "arrival, move, loan, shared lunch, refund, plan, inspection"
    assert f"in the order that breaks ties between them: {labels}. Voids" in TEXT
    assert [event.label for event in depot()[1].events.values()] == labels.split(", ")


def test_names_stand_in_declared_order_with_their_attributes() -> None:
    assert "- Bays: Bay 4 (room 12 m2), Bay 12 (room 8 m2), North yard (room 30 m2)" in TEXT
    assert "- Crates: C-7 and so on, in the order in which they are brought in, each with" in TEXT


@pytest.mark.parametrize(
    "line",
    [
        "- moves, starting at 0",
        "- cash box in EUR, starting at 500.00",
        "- stock for each bay and good, starting at 0",
        "- open load in kg for each crate: load",
        "- state of each crate: open, in transit or nailed shut; open at the start",
        "- keys: a porter; Ada Brandt at the start",
        "- due of each crate: a day; unset at the start",
        "- warmth of each bay: a number in C; Bay 4: 18.0 C at the start",
        "- crates per bay: for each place, how many crates have it",
        "- crew: porters; at the start all porters",
        "- waiting line for each bay: porters, in the order in which they joined; at the start "
        "empty",
    ],
)
def test_what_is_tracked_stands_with_unit_key_and_start(line: str) -> None:
    assert f"\n{line}\n" in TEXT


def test_only_what_the_world_has_is_spoken_of() -> None:
    spec, world = depot()
    plain = spec.model_copy(update={"rules": (), "events": spec.events[:3]})
    text = Writer(plain, world).system
    assert "rule can change" not in text
    assert "amount is shared" not in text
    assert "rule can change" in TEXT
    assert "Where an amount is shared" in TEXT


def test_the_reach_of_a_rule_with_a_name_is_told_where_there_is_one() -> None:
    told = '"for records that name Boiler Hall", reaches only the records that name it'
    assert told in writer_of(load_prototype("sensor-stream-monitoring")).system
    assert "A rule that ends in a name" not in writer_of(load_prototype("soccer-timeline")).system


def test_the_x_of_a_revision_cancels_nothing_on_its_own() -> None:
    told = "X of a revision below"
    assert told in writer_of(load_prototype("travel-group-discussion")).system
    assert told not in TEXT  # no record is named in it


@pytest.mark.parametrize("prototype", ["spreadsheet-ledger-rows", "travel-group-discussion"])
def test_of_each_record_that_others_name_it_is_told_whether_it_takes_them_along(
    prototype: str,
) -> None:
    spec = load_prototype(prototype)
    world, text = world_of(spec), writer_of(spec).system
    stood_on = {name for event in world.events.values() for name in event.records.values()}
    for event in world.events.values():
        for told, takes in (
            (r"A record that names the id of [^.]*\b{} [^.]*in what happened does not count", True),
            (r"A record is not left out for naming, in what happened, the id of [^.]*\b{} ", False),
        ):
            found = re.search(told.format(re.escape(event.label)), text) is not None
            assert found is (event.name in stood_on and event.cascade is takes)


def test_the_preposition_of_a_block_is_the_one_of_the_clock() -> None:
    spec, _ = depot()
    clock = spec.clock.model_copy(update={"preposition": "on"})
    spec = spec.model_copy(update={"clock": clock})
    text = Writer(spec, world_of(spec)).system
    assert "it took place on the day that it names" in text
    assert "not to the one on which it was entered" in text
    assert "it took place in the day that it names" in TEXT


def test_late_entries_without_times_are_said_to_keep_their_order() -> None:
    spec, _ = depot()
    clock = spec.clock.model_copy(update={"time": None})
    spec = spec.model_copy(update={"clock": clock})
    told = "Late entries for one day follow each other as entered."
    assert told in Writer(spec, world_of(spec)).system
    assert told not in TEXT


def test_an_amendment_keeps_what_was_brought_in() -> None:
    assert "the ones given here. What X brought in stays." in TEXT


def test_the_shortest_lead_of_what_is_brought_in_shows_a_whole_name() -> None:
    text = writer_of(load_prototype("contract-negotiation")).system
    assert 'as in "new Rider-11", does not count' in text


def test_no_sentence_is_left_half_filled() -> None:
    assert "{" not in TEXT
    assert "  " not in TEXT
    assert "None" not in TEXT

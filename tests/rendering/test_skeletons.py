"""Wordings that cannot be read back, or told apart, are found (R35)."""

from __future__ import annotations

import pytest
from tests.rendering.depot import depot, history, reader, written

from supersede.errors import DataError, SpecError
from supersede.model.record import Kind
from supersede.rendering.forms import Number
from supersede.rendering.reader import Reader
from supersede.rendering.skeletons import MARK, Knife, collisions, skeletons
from supersede.rendering.strip import stripped
from supersede.rendering.templates import filler
from supersede.rendering.vocabulary import Vocabulary
from supersede.rendering.wordings import event_wordings
from supersede.rendering.writer import Writer
from supersede.specs.schema import IntParameter, Specification


def vocabulary(spec: Specification) -> Vocabulary:
    return Vocabulary(stripped(spec), depot()[1])


def swapped() -> Specification:
    one, other = "{giver} and {taker} share {amount}", "{taker} and {giver} share {amount}"
    return with_phrasings("lend", one, other)


def with_phrasings(event: str, *phrasings: str, spec: Specification | None = None) -> Specification:
    spec = spec or depot()[0]
    events = tuple(
        e.model_copy(update={"phrasings": phrasings}) if e.id == event else e for e in spec.events
    )
    return spec.model_copy(update={"events": events})


def test_the_depot_has_no_collisions() -> None:
    assert collisions(vocabulary(depot()[0])) == ()


def test_every_wording_has_a_skeleton_with_its_place() -> None:
    spec = depot()[0]
    origins = {origin for s in skeletons(vocabulary(spec)) for origin in s.origins}
    assert ("events", 1, "phrasings", 2) in origins
    assert ("rules", 2, "text", 0) in origins
    assert len(origins) == (
        sum(len(event.phrasings) for event in spec.events)
        + sum(len(texts) for _, texts in spec.revisions)
        + sum(len(rule.text) for rule in spec.rules)
        + len(spec.noise)
    )


def test_a_skeleton_shows_words_without_names_and_numbers() -> None:
    found = {s.text for s in skeletons(vocabulary(depot()[0])) if s.kind is Kind.VOID}
    assert {"\0 is struck", "strike \0 from the log", "each of \0, \0 and \0 is struck"} <= found


def test_phrasings_that_differ_only_in_which_name_is_which_collide() -> None:
    ((one, other), *_) = collisions(vocabulary(swapped()))
    assert one.origins == (("events", 2, "phrasings", 0),)
    assert other.origins == (("events", 2, "phrasings", 1),)


def test_the_same_words_about_names_of_other_types_do_not_collide() -> None:
    spec = with_phrasings("plan", "{bay} and {good} share 5")
    spec = with_phrasings("lend", "{giver} and {taker} share {amount}", spec=spec)
    assert collisions(vocabulary(spec)) == ()  # a bay is no porter


def test_the_same_words_for_an_event_and_a_noise_line_do_not_collide() -> None:
    """A record has an id before its words and a noise line has none."""
    spec = with_phrasings("plan", "{bay} needs sweeping, {good}")
    assert collisions(vocabulary(spec)) == ()


def test_a_line_that_two_wordings_could_have_made_is_refused() -> None:
    spec = swapped()
    messages = Writer(spec, depot()[1]).messages(history(), iter([0.1] * 99).__next__, question="?")
    with pytest.raises(DataError, match="can be read in 2 ways"):
        Reader(spec, depot()[1]).read(messages)


@pytest.mark.parametrize(
    ("phrasing", "complaint"),
    [
        ("{bay}s get {good}", "cannot be told from the words around it"),
        ("{bay}{good}", "cannot be told from the words around it"),
        ("{bay} gets {goods}", r"no slot \{goods\} here. Did you mean 'good'"),
        ("{bay.size} gets {good}", "bay has no attribute 'size'"),
        ("{bay} gets {good", "expected '}'"),
        ("{bay:>9} gets {good}", "a slot takes no format"),
    ],
)
def test_a_wording_that_cannot_be_read_back_is_refused(phrasing: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=complaint) as caught:
        Reader(with_phrasings("plan", phrasing), depot()[1])
    assert caught.value.where == "events[5].phrasings[0]"


def test_a_noise_line_that_opens_like_a_record_is_refused() -> None:
    spec = depot()[0].model_copy(update={"noise": ("D1-R1 is a nice id",)})
    with pytest.raises(SpecError, match="opens with what could be a record's id"):
        Reader(spec, depot()[1])


def test_names_and_numbers_in_the_words_themselves_must_be_there_as_they_are() -> None:
    spec = with_phrasings("note", "rug number 5 is inspected")
    messages = Writer(spec, depot()[1]).messages(history(), lambda: 0.0, question="?")
    assert Reader(spec, depot()[1]).read(messages)
    changed = [
        m._replace(content=m.content.replace("rug number 5", "tent number 5")) for m in messages
    ]
    with pytest.raises(DataError):
        Reader(spec, depot()[1]).read(changed)


def test_the_reader_of_one_world_refuses_the_log_of_another() -> None:
    messages = written(history())
    other = with_phrasings("plan", "a wholly different plan for {good} in {bay}")
    with pytest.raises(DataError):
        Reader(other, depot()[1]).read(messages)
    assert reader().read(messages)


@pytest.mark.parametrize(("number", "printed"), [(1, "1 crate"), (-1, "-1 crate"), (7, "7 crates")])
def test_a_unit_in_the_words_is_in_the_singular_behind_a_one_and_cut_out_with_it(
    number: int, printed: str
) -> None:
    spec = with_phrasings("lend", "{giver} lends {taker} {amount}", "{amount} for {taker}: {giver}")
    lend = next(n for n, event in enumerate(spec.events) if event.id == "lend")
    amount = {"amount": IntParameter(unit="crates of beer", scale=1)}
    event = spec.events[lend].model_copy(update={"parameters": amount})
    events = (*spec.events[:lend], event, *spec.events[lend + 1 :])
    form = vocabulary(spec.model_copy(update={"events": events}))
    roles = {"giver": "Chen Li", "taker": "Ada Brandt"}
    for wording in event_wordings(form, lend):
        knife = Knife(form, [wording])
        part = knife.part(wording.pieces, wording.origin)
        cut = knife.split(filler(wording)(roles, {"amount": number}, {}))
        assert part.text == MARK.join(cut[::2])
        assert f"{printed} of beer" in cut
        said = {hole.slot.name: hole.values[text]
                for hole, text in zip(part.holes, cut[1::2], strict=True) if hole.slot}  # fmt: skip
        assert said == {**roles, "amount": number}


@pytest.mark.parametrize("wrong", ["1 points", "7 point", "-1 points", "0 point"])
def test_a_number_with_the_wrong_form_of_its_unit_is_none(wrong: str) -> None:
    points = Number(unit="points")
    assert [points.write(n) for n in (0, 1, -1, 7)] == [
        "0 points",
        "1 point",
        "-1 point",
        "7 points",
    ]
    assert points.values[wrong] is None
    assert Number(100, "crowns").write(100) == "1.00 crowns"

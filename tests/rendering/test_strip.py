"""The reader is denied effects: what they are is not in what it is given (R34)."""

from __future__ import annotations

from tests.rendering.depot import depot, history, written

from supersede.rendering.reader import Reader
from supersede.rendering.strip import stripped, stripped_world
from supersede.specs.schema import IntParameter


def test_a_stripped_specification_has_no_effects_guards_or_ranges() -> None:
    for event in stripped(depot()[0]).events:
        assert (event.post, event.sets, event.join, event.leave, event.when) == (
            (),
            (),
            (),
            (),
            None,
        )
        for parameter in event.parameters.values():
            assert not isinstance(parameter, IntParameter) or parameter.range is None


def test_stripping_keeps_how_a_parameter_is_printed() -> None:
    lend, share = stripped(depot()[0]).events[2:4]
    assert lend.parameters["amount"] == IntParameter(scale=100)  # as the measure that takes it
    assert share.parameters["price"] == IntParameter(scale=100, unit="EUR")


def test_stripping_twice_is_stripping_once() -> None:
    spec, world = depot()
    assert stripped(stripped(spec)) == stripped(spec)
    assert stripped_world(stripped_world(world)) == stripped_world(world)


def test_a_reader_of_the_stripped_world_reads_the_same() -> None:
    spec, world = depot()
    messages = written(history())
    denied = Reader(stripped(spec), stripped_world(world))
    assert denied.read(messages) == Reader(spec, world).read(messages)

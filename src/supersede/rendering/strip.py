"""The specification that a reader is given: all wording, no effects."""

from __future__ import annotations

import re
from dataclasses import replace

from supersede.model.world import World
from supersede.specs.schema import Event, IntParameter, Specification, SymbolParameter


def stripped(spec: Specification) -> Specification:
    """The specification without what its events do (R34).

    Events keep their ids, labels, roles and phrasings. Postings, assignments, joins, leaves,
    guards, limits, weights and everything that a parameter may be are gone; of a parameter
    there remains how it is printed. Invariants and bounds are gone too.
    """
    return spec.model_copy(
        update={
            "events": tuple(_stripped(spec, event) for event in spec.events),
            "invariants": (),
            "measures": {
                name: measure.model_copy(update={"min": None, "max": None})
                for name, measure in spec.measures.items()
            },
        }
    )


def stripped_world(world: World) -> World:
    """The world without which measures and registers an event changes."""
    bare = {
        name: replace(event, measures=(), registers=(), cascade=False)
        for name, event in world.events.items()
    }
    return replace(world, events=bare)


def _stripped(spec: Specification, event: Event) -> Event:
    return event.model_copy(
        update={
            "weight": 1.0,
            "parameters": {name: _printed(spec, event, name) for name in event.parameters},
            "when": None,
            "post": (),
            "sets": (),
            "join": (),
            "leave": (),
            "voidable": None,
            "amendable": True,
            "backfill": None,
            "limit": None,
            "every": None,
            "for_": None,
        }
    )


def _printed(spec: Specification, event: Event, name: str) -> IntParameter | SymbolParameter:
    """A parameter as it is printed: its symbols, or its scale and unit."""
    parameter = event.parameters[name]
    if isinstance(parameter, SymbolParameter):
        return parameter
    if not isinstance(parameter, IntParameter):
        return IntParameter(scale=_scale(spec, event, name))
    scale = parameter.scale or _scale(spec, event, name)
    return IntParameter(scale=scale, unit=parameter.unit)


def _scale(spec: Specification, event: Event, name: str) -> int:
    """The scale of the measure or register that takes the parameter as it is, or negated."""
    alone = re.compile(rf"-?\s*{re.escape(name)}")
    for post in event.post:
        for amount in (post.delta, post.split):
            if isinstance(amount, str) and alone.fullmatch(amount.strip()):
                return spec.measures[post.measure].scale
    for assignment in event.sets:
        if isinstance(assignment.value, str) and alone.fullmatch(assignment.value.strip()):
            return spec.registers[assignment.register_].scale
    return 1

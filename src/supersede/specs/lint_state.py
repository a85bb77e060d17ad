"""Lint of the state: measures, derived views, registers, rosters, tallies, relations, clock."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator

from supersede.errors import did_you_mean
from supersede.specs.functions import FUNCTIONS
from supersede.specs.lint_report import Report, listed
from supersede.specs.load import Place
from supersede.specs.schema import IntAttribute, Measure, NamedAttribute, Register, Specification
from supersede.specs.value_types import types

SECTIONS = ("entities", "measures", "derived", "registers", "rosters", "tallies", "relations")
"""Sections whose names an expression may use."""

RESERVED = {*keyword.kwlist, *FUNCTIONS}
"""Words of the expression language, which name no role and no parameter."""
_RESERVED = {*RESERVED, *keyword.softkwlist, "block", "e", "f"}

_BLOCK = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
"""The noun of a block: words of letters, since it stands in headings and brackets."""


def lint_state(report: Report) -> None:
    """Look through everything that a history's state is made of."""
    _names(report)
    _entities(report)
    _clock(report)
    _measures(report)
    _registers(report)
    _lists(report)
    _labels(report)


def names_in(spec: Specification, section: str) -> list[str]:
    """The names that a section declares."""
    return list(getattr(spec, section))


def known_type(report: Report, name: str, path: Place, what: str) -> bool:
    """Whether an entity type exists; notes it where it does not."""
    if name in report.spec.entities:
        return True
    what = f"{what}: unknown type {name!r}"
    report.error(path, what, did_you_mean(name, report.spec.entities), missing=name)
    return False


def _names(report: Report) -> None:
    """No name means two things, and none is a word of the expression language."""
    owner: dict[str, str] = {}
    for section in SECTIONS:
        for name in names_in(report.spec, section):
            path: Place = (section, name)
            if name in _RESERVED:
                report.error(path, f"{name!r} is a word of the expression language", "Rename it.")
                report.broken.add(name)
            elif name in owner:
                report.error(path, f"{name!r} stands in {owner[name]} as well as in {section}",
                             "Rename one of them.")  # fmt: skip
            owner.setdefault(name, section)
    for kind, entity in report.spec.entities.items():
        for name in entity.attributes:
            if keyword.iskeyword(name):
                report.error(("entities", kind, "attributes", name),
                             f"attribute {name!r} is a word of the expression language",
                             "Rename it.")  # fmt: skip
                report.broken |= {name, f".{name}"}
            if owner.get(name, "entities") != "entities":
                report.error(("entities", kind, "attributes", name),
                             f"{name!r} is an attribute and stands in {owner[name]} too: "
                             f"{name}[e] would be unclear", "Rename one of them.")  # fmt: skip


def _entities(report: Report) -> None:
    for kind, entity in report.spec.entities.items():
        path: Place = ("entities", kind)
        if not entity.names and entity.minted is None:
            report.error(path, f"type {kind!r} has no entities",
                         'Give it `names: [..]` or `minted: "#{n}"`.')  # fmt: skip
        if entity.names and entity.minted is not None:
            report.error(path, f"type {kind!r} has names and is minted too", "Choose one.")
        for name, declared in entity.attributes.items():
            at: Place = (*path, "attributes", name)
            if entity.minted is None:
                _named_attribute(report, at, name, declared, len(entity.names))
            elif isinstance(declared, str):
                if not known_type(report, declared, at, f"attribute {name!r}"):
                    report.broken |= {name, f".{name}"}
            elif isinstance(declared, IntAttribute):
                _range(report, (*at, "int"), declared.range, declared.step)
            scale = getattr(declared, "scale", 1)
            _scale(report, (*at, "scale"), scale)


def _named_attribute(report: Report, at: Place, name: str, declared: object, wanted: int) -> None:
    """An attribute of a named type has one value per name."""
    if isinstance(declared, str | IntAttribute):
        report.error(at, f"attribute {name!r} of a type with names needs a list of values",
                     f"Write one value per name: {wanted} in all.")  # fmt: skip
        report.broken |= {name, f".{name}"}
        return
    values = declared.values if isinstance(declared, NamedAttribute) else declared
    assert isinstance(values, tuple)
    if len(values) != wanted:
        report.error(at, f"attribute {name!r} has {len(values)} values for {wanted} names",
                     "Give one value per name, in the order of the names.")  # fmt: skip
    elif len({isinstance(value, int) for value in values}) > 1:
        report.error(at, f"attribute {name!r} mixes numbers and words", "Use one or the other.")
    elif not _strangers(report, at, name, declared, values):
        return
    report.broken |= {name, f".{name}"}


def _strangers(
    report: Report, at: Place, name: str, declared: object, values: tuple[int | str, ...]
) -> bool:
    """Values that are no names of a type where the others are; whether there are such."""
    for kind, entity in report.spec.entities.items():
        known = [value for value in values if value in entity.names]
        if len(values) > len(known) > len(values) / 2:
            for n, value in enumerate(values):
                if value not in entity.names:
                    inner: Place = ("values", n) if isinstance(declared, NamedAttribute) else (n,)
                    report.error((*at, *inner), f"attribute {name!r}: {value!r} is no {kind}",
                                 did_you_mean(str(value), entity.names))  # fmt: skip
            return True
    return False


def _range(report: Report, path: Place, bounds: tuple[int, int], step: int) -> None:
    low, high = bounds
    if low > high:
        report.error(path, f"range [{low}, {high}] is empty", "Put the lower bound first.")
    elif -(-low // step) > high // step:
        report.error(path, f"no multiple of {step} lies in [{low}, {high}]", "Widen the range.")


def _scale(report: Report, path: Place, scale: int | None) -> None:
    if scale is not None and str(scale).rstrip("0") != "1":
        report.error(path, f"scale {scale} does not give whole decimal places",
                     "Use 1, 10, 100 or 1000.")  # fmt: skip


def _clock(report: Report) -> None:
    clock = report.spec.clock
    if clock.time is not None and int(clock.time[:2]) * 60 + int(clock.time[3:]) >= 24 * 60:
        report.error(("clock", "time"), f"{clock.time!r} is no time of day", "00:00 to 23:59.")
    if clock.step[0] > clock.step[1]:
        report.error(("clock", "step"), f"step {list(clock.step)} is empty",
                     "Put the lower bound first.")  # fmt: skip
    if not _BLOCK.fullmatch(clock.block):
        report.error(("clock", "block"), f"block {clock.block!r} is no word or words",
                     "Use letters, such as Day or Working day.")  # fmt: skip
    path: Place = ("clock", "record")
    slots = re.findall(r"\{(.*?)\}", clock.record)
    for slot in ("block", "n"):
        if slots.count(slot) != 1:
            report.error(path, f"record id template {clock.record!r} needs one {{{slot}}}",
                         'For example: "{block}-R{n}".')  # fmt: skip
    for slot in dict.fromkeys(slots):
        if slot not in ("block", "n"):
            report.error(path, f"record id template {clock.record!r} has no use for {{{slot}}}",
                         "It takes {block} and {n}.")  # fmt: skip
    bare = re.sub(r"\{.*?\}", "\0", clock.record)
    if sorted(slots) != ["block", "n"]:
        return
    if "\0\0" in bare or re.search(r"\0\d|\d\0", bare):
        report.error(path, f"record id template {clock.record!r} runs numbers together",
                     "Put a letter or dash between them.")  # fmt: skip
    elif not re.search(r"[A-Za-z#]", bare):
        report.error(path, f"record ids such as {clock.record.format(block=3, n=2)!r} read as "
                     "numbers", "Put a letter into the template.")  # fmt: skip


def _key(report: Report, path: Place, name: str, per: str | tuple[str, str] | None) -> None:
    for kind in types(per):
        if not known_type(report, kind, path, name):
            report.broken.add(name)
    if isinstance(per, tuple) and per[0] == per[1]:
        report.error(path, f"{name!r} has two keys of one type {per[0]!r}",
                     "Declare a second type, or use a relation.")  # fmt: skip
        report.broken.add(name)


def _measures(report: Report) -> None:
    spec = report.spec
    for section in ("measures", "derived"):
        parts = getattr(spec, section)
        for name, part in parts.items():
            _key(report, (section, name, "per"), name, part.per)
            _scale(report, (section, name, "scale"), part.scale)
            if isinstance(part, Measure):
                _start(report, name, part)
    posted = {post.measure for event in spec.events for post in event.post}
    for name in spec.measures:
        if name not in posted:
            report.warn(("measures", name), f"no event posts to measure {name!r}",
                        "Post to it, or remove it.")  # fmt: skip


def _start(report: Report, name: str, part: Measure) -> None:
    for word, bound, broken in (
        ("min", part.min, isinstance(part.min, int) and part.start < part.min),
        ("max", part.max, isinstance(part.max, int) and part.start > part.max),
    ):
        if broken:
            report.error(("measures", name, word),
                         f"measure {name!r} starts at {part.start}, outside its {word} {bound}",
                         "Change `start` or the bound.")  # fmt: skip


def _registers(report: Report) -> None:
    spec = report.spec
    for name, part in spec.registers.items():
        path: Place = ("registers", name)
        _key(report, (*path, "on"), name, part.on)
        _scale(report, (*path, "scale"), part.scale)
        kinds = [part.values is not None, part.range is not None, part.block]
        if sum(kinds) != 1:
            report.error(path, f"register {name!r} needs one of `values`, `int` and `block: true`",
                         "Say what it holds.")  # fmt: skip
            report.broken.add(name)
        elif isinstance(part.values, str):
            if not known_type(report, part.values, (*path, "values"), f"register {name!r}"):
                report.broken.add(name)
                continue
        elif part.values is not None and len(set(part.values)) < len(part.values):
            report.error((*path, "values"), f"register {name!r} lists a value twice", "Keep one.")
        elif part.range is not None:
            _range(report, (*path, "int"), part.range, 1)
        if name not in report.broken:
            _register_start(report, path, name, part)
    _never_set(report)


def _register_start(report: Report, path: Place, name: str, part: Register) -> None:
    spec = report.spec
    at: Place = (*path, "start")
    starts: dict[str, int | str] = part.start if isinstance(part.start, dict) else {}
    if isinstance(part.start, dict):
        owner = types(part.on)[0] if isinstance(part.on, str) else None
        names = spec.entities[owner].names if owner else ()
        for cell in part.start:
            if cell not in names:
                report.error((*at, cell), f"register {name!r} starts for {cell!r}, which is no "
                             f"name of its type", did_you_mean(cell, names))  # fmt: skip
    elif part.start is not None:
        starts = {"": part.start}
    names = spec.entities[part.values].names if isinstance(part.values, str) else ()
    for cell, value in starts.items():
        place = (*at, cell) if cell else at
        if isinstance(part.values, tuple) and value not in part.values:
            report.error(place, f"register {name!r} starts at {value!r}, which it never holds",
                         did_you_mean(str(value), part.values))  # fmt: skip
        elif isinstance(part.values, str) and value not in names:
            report.error(place, f"register {name!r} starts at {value!r}, which is no "
                         f"{part.values}", did_you_mean(str(value), names)
                         )  # fmt: skip
        elif part.range is not None and not (
            type(value) is int and part.range[0] <= value <= part.range[1]
        ):
            report.error(place, f"register {name!r} starts at {value!r}, outside its range "
                         f"{list(part.range)}", "Change `start` or `int`.")  # fmt: skip
        elif part.block and type(value) is not int:
            report.error(place, f"register {name!r} holds block numbers, not {value!r}",
                         "Start it at a number.")  # fmt: skip
    if part.unique and len(set(starts.values())) < len(starts):
        report.error(at, f"register {name!r} is unique, but two cells start alike",
                     "Start each at a value of its own.")  # fmt: skip


def _never_set(report: Report) -> None:
    spec = report.spec
    for name, part in spec.registers.items():
        path: Place = ("registers", name)
        values = [s.value for e in spec.events for s in e.sets if s.register_ == name]
        if not values:
            report.warn(path, f"no event sets register {name!r}", "Set it, or remove it.")
        elif isinstance(part.values, tuple) and name not in report.broken:
            starts = part.start.values() if isinstance(part.start, dict) else [part.start]
            if all(value is None or value in part.values for value in (*values, *starts)):
                unused = [v for v in part.values if v not in {*values, *starts}]
                if unused:
                    report.warn((*path, "values"), f"no event sets {name!r} to {listed(unused)}",
                                "Set it somewhere, or leave it out.")  # fmt: skip


def _lists(report: Report) -> None:
    spec = report.spec
    for name, roster in spec.rosters.items():
        path: Place = ("rosters", name)
        for word, kind in (("of", roster.of), ("per", roster.per)):
            if kind is not None and not known_type(report, kind, (*path, word), f"roster {name!r}"):
                report.broken.add(name)
        if name not in report.broken and roster.start != "all":
            names = spec.entities[roster.of].names
            for n, member in enumerate(roster.start):
                if member not in names:
                    report.error((*path, "start", n), f"roster {name!r} starts with {member!r}, "
                                 f"which is no {roster.of}", did_you_mean(member, names)
                                 )  # fmt: skip
                elif member in roster.start[:n]:
                    report.error((*path, "start", n), f"roster {name!r} starts with {member!r} "
                                 "twice", "Keep one.")  # fmt: skip
        if not any(m.roster == name for e in spec.events for m in (*e.join, *e.leave)):
            report.warn(path, f"no event joins or leaves roster {name!r}", "Use it, or remove it.")
    for name, tally in spec.tallies.items():
        if tally.of not in spec.registers:
            report.error(("tallies", name, "of"), f"tally {name!r}: unknown register {tally.of!r}",
                         did_you_mean(tally.of, spec.registers), missing=tally.of)  # fmt: skip
            report.broken.add(name)
        elif tally.of in report.broken:
            report.broken.add(name)
        elif spec.registers[tally.of].on is None:
            report.error(("tallies", name, "of"), f"tally {name!r} counts cells of {tally.of!r}, "
                         "which has only one", "Tally a register with `on`.")  # fmt: skip
    everyone = {entity for part in spec.entities.values() for entity in part.names}
    for name, relation in spec.relations.items():
        for n, pair in enumerate(relation.pairs):
            for member in pair:
                if member not in everyone:
                    report.error(("relations", name, "pairs", n), f"relation {name!r}: unknown "
                                 f"name {member!r}", did_you_mean(member, everyone))  # fmt: skip


def _labelled(spec: Specification) -> Iterator[tuple[Place, str]]:
    for section in ("measures", "derived", "registers", "rosters", "tallies"):
        for name, part in getattr(spec, section).items():
            yield (section, name), part.label
    for n, event in enumerate(spec.events):
        yield ("events", n), event.noun


def _labels(report: Report) -> None:
    """Labels stand in questions and lines: no two alike, none with a sign of the line form."""
    seen: dict[str, Place] = {}
    for path, label in _labelled(report.spec):
        at: Place = (*path, "label")
        if label.casefold() in seen:
            report.error(at, f"label {label!r} is that of {_dotted(seen[label.casefold()])} too",
                         "Give each a label of its own.")  # fmt: skip
        seen.setdefault(label.casefold(), path)
        if bad := _signs(label):
            report.error(at, f"label {label!r} contains {bad!r}, a sign of the line form",
                         "Use words only.")  # fmt: skip


def _signs(label: str) -> str | None:
    found: Iterable[str] = re.findall(r"[;=:{}()\n]| [+-]\d|\d", label)
    return next(iter(found), None)


def _dotted(path: Place) -> str:
    return ".".join(str(part) for part in path)

"""The system message: what a reader of the log must know, as an instruction in plain English.

It states the setting, how a line is read, which status labels count (R37), what revisions and
rule notices do (R2 to R12, R15, R16), what is tracked and from which start, and every name in
the order that breaks ties (R33). It promises no bounds (R19).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from supersede.model.record import Kind, Value
from supersede.model.world import EntityType, Register
from supersede.rendering.forms import Number, joined
from supersede.rendering.vocabulary import Vocabulary
from supersede.specs.schema import Specification

_EXAMPLE = "X"
"""Stands for a record's id in quoted wordings."""


def system_message(spec: Specification, vocabulary: Vocabulary) -> str:
    """The system message of every instance of a specification.

    Args:
        spec: The specification, whole: a stripped one cannot say what is shared or cascades.
        vocabulary: Its forms.
    """
    sections = (
        ("", [" ".join(spec.setting.split())]),
        ("How to read the log", [_lines(spec, vocabulary)]),
        ("Which records count", list(_validity(spec, vocabulary))),
        ("How records are revised", list(_revisions(spec, vocabulary))),
        ("What is tracked", list(_state(spec, vocabulary))),
        ("Names", list(_names(vocabulary))),
    )
    return "\n\n".join(
        "\n".join([title, *body] if title else body) for title, body in sections if body
    )


def _lines(spec: Specification, vocabulary: Vocabulary) -> str:
    """How one line is taken apart."""
    world = vocabulary.world
    block = world.block.lower()
    unit = next((m for m in world.measures.values()), None)
    change = "" if unit is None else f', such as "{unit.label} {_change(vocabulary, unit.name)}"'
    meta = "the time and, if it has one, its status" if world.timed else "its status, if it has one"
    return (
        f"Each message brings one {block}: its name, then one line after another in the order in "
        f"which they were entered. A line that reports something opens with the id of its record, "
        f"then in brackets {meta}. Words follow, and after them, behind semicolons, what the "
        f"record changes{change}. Lines show changes only, never totals, so keep track yourself. "
        f"A change counts for the names beside it, and for each other name in the line that is "
        f"the only one of its kind there. A line without an id is talk and changes nothing."
    )


def _change(vocabulary: Vocabulary, measure: str) -> str:
    form = vocabulary.measures[measure]
    return form.write(12 * form.scale)


def _validity(spec: Specification, vocabulary: Vocabulary) -> Iterator[str]:
    world = vocabulary.world
    good = [label for label, counts in world.statuses.items() if counts]
    bad = [label for label, counts in world.statuses.items() if not counts]
    yield (
        f"A record counts if its status is {_either(good)}, or if it has no status. It does not "
        f"count if its status is {_either(bad)}. Leave out of every figure and every list what "
        f"does not count, however it reads."
    )
    if spec.rules:
        yield _rules(spec, vocabulary)
    minted = [kind for kind in world.types.values() if kind.minted is not None]
    for kind in minted:
        yield (
            f'A line with "new" brings in {_a(kind.label)}. If the record that brings it in does '
            f"not count, no record that names this {kind.label} counts either."
        )
    stood_on = {event for e in world.events.values() for event in e.records.values()}
    for event in world.events.values():
        if event.cascade and event.name in stood_on:
            yield (
                f"If a record of {_a(event.label)} does not count, no record that rests on it by "
                f"naming its id counts either."
            )


def _rules(spec: Specification, vocabulary: Vocabulary) -> str:
    """What rule notices do, as far as the specification has such (R9)."""
    reaches = {rule.reach for rule in spec.rules}
    text = "A notice may change whether one status counts; the words behind its semicolon say how."
    if "from_here" in reaches:
        text += (
            ' "From here on" means every record entered after the notice, late entries included.'
        )
    if "all" in reaches:
        text += ' "Earlier records included" means every record with the status, whenever entered.'
    if any(rule.where is not None for rule in spec.rules):
        text += " A notice for records that name one thing or person leaves all others as they are."
    return (
        f"{text} Where several notices apply to a record, the last of them decides. A notice "
        f"itself counts by its own status as listed above."
    )


def _revisions(spec: Specification, vocabulary: Vocabulary) -> Iterator[str]:
    """What each kind of revision does, beside the words that announce it."""
    quoted = {kind: _quoted(vocabulary, kind) for kind in _QUOTED}
    block = vocabulary.world.block
    place = (
        "at the time given" if vocabulary.world.timed else f"after all else of that {block.lower()}"
    )
    yield (
        f"In these wordings {_EXAMPLE} is the id of an earlier record. Under a status that does "
        f"not count, a revision does nothing."
    )
    yield f"- Strike: {quoted[Kind.VOID]}. {_EXAMPLE} no longer counts."
    yield (
        f"- Replacement: {quoted[Kind.CORRECT]}. {_EXAMPLE} no longer counts; the new line is a "
        f"record of its own and counts in its own place."
    )
    yield (
        f"- Restatement: {quoted[Kind.AMEND]}. {_EXAMPLE} goes on counting under its own id and in "
        f"its own place, but with the changes of the restatement in place of its own. The last "
        f"restatement that counts is in force. It does not bring a struck record back. If a strike "
        f"names a restatement, only that restatement falls away."
    )
    yield (
        f"- Confirmation: {quoted[Kind.CONFIRM]}. {_EXAMPLE} counts after all, in its own place "
        f"and with its own changes, unless it is struck."
    )
    yield (
        f"- Reinstatement: {quoted[Kind.REINSTATE]}. The strike of {_EXAMPLE} is taken back. Of "
        f"strikes, replacements and reinstatements of one record the last that counts decides."
    )
    yield (
        f"- Copy: {quoted[Kind.REPOST]}. It repeats {_EXAMPLE} as first entered and never counts."
    )
    yield (
        f"- Late entry: {quoted[Kind.BACKFILL]}. It took place in the {block.lower()} that it "
        f"names, {place}, and belongs there in the order of events."
    )
    yield (
        "When a question speaks of records, it means those that report something: plain entries, "
        "late entries and replacements. A restated record is one of them. Strikes, restatements, "
        "confirmations, reinstatements and notices are not, and are never counted or listed. "
        "Among the records that do not count, copies are listed too."
    )
    yield (
        "Revisions and late entries can change the past, so do not assume that a figure always "
        "stayed within its usual limits."
    )


_QUOTED = (
    Kind.VOID,
    Kind.CORRECT,
    Kind.AMEND,
    Kind.CONFIRM,
    Kind.REINSTATE,
    Kind.REPOST,
    Kind.BACKFILL,
)


def _quoted(vocabulary: Vocabulary, kind: Kind) -> str:
    """The wordings of a kind of revision in quotation marks."""
    texts: tuple[str, ...] = getattr(vocabulary.spec.revisions, kind.value)
    block = f"{vocabulary.world.block} 3"
    filled = [text.replace("{ref}", _EXAMPLE).replace("{block}", block) for text in texts]
    return _either([f'"{text}"' for text in filled])


def _state(spec: Specification, vocabulary: Vocabulary) -> Iterator[str]:
    world = vocabulary.world
    yield "Figures, to which the changes of all counting records are added:"
    for measure in world.measures.values():
        form = Number(measure.scale)
        figure = _figure(vocabulary, measure.label, measure.unit, measure.per)
        yield f"- {figure}, starting at {form.write(measure.start)}"
    for derived in world.derived.values():
        terms = [(world.measures[name].label, factor) for name, factor in derived.terms]
        yield f"- {_figure(vocabulary, derived.label, derived.unit, derived.per)}: {_sum(terms)}"
    if any(event.post and any(post.split for post in event.post) for event in spec.events):
        yield (
            "Where an amount is shared, each share is printed; what does not divide evenly goes "
            "to those named first."
        )
    if world.registers:
        yield (
            "Settings, each of which holds what the counting record that took place last gave it:"
        )
        for register in world.registers.values():
            yield f"- {_register(vocabulary, register)}"
        for tally in world.tallies.values():
            register = world.registers[tally.of]
            holders = _plural(vocabulary, register.on[0]) if register.on else "settings"
            yield f"- {tally.label}: for each {register.label}, how many {holders} hold it"
    if world.rosters:
        yield (
            "Lists, on which a member stands if its last counting join or leave, in the order in "
            "which things took place, was a join:"
        )
        for roster in world.rosters.values():
            of, per = _plural(vocabulary, roster.of), "".join(_each(vocabulary, roster.per))
            order = ", in the order in which they joined" if roster.ordered else ""
            start = joined(roster.start) if roster.start else "empty"
            if roster.start and roster.start == world.types[roster.of].names:
                start = f"all {of}"
            yield f"- {roster.label}{per}: {of}{order}; at the start {start}"


def _figure(vocabulary: Vocabulary, label: str, unit: str, per: tuple[str, ...]) -> str:
    said = not unit or unit.casefold() in label.casefold().split()
    return f"{label}{'' if said else f' in {unit}'}{_each(vocabulary, per)}"


def _each(vocabulary: Vocabulary, per: tuple[str, ...]) -> str:
    if not per:
        return ""
    return f" for each {' and '.join(vocabulary.world.types[name].label for name in per)}"


def _sum(terms: Iterable[tuple[str, int]]) -> str:
    """Measures with coefficients: `reserve - indemnity`."""
    text = ""
    for label, factor in terms:
        sign = " - " if factor < 0 else " + " if text else ""
        times = "" if abs(factor) == 1 else f"{abs(factor)} x "
        text += f"{sign}{times}{label}"
    return text.strip()


def _register(vocabulary: Vocabulary, register: Register) -> str:
    kinds = vocabulary.world.types
    form = vocabulary.registers[register.name]
    of = "".join(
        f" of each {' and '.join(kinds[name].label for name in register.on)}" if register.on else ""
    )
    if register.symbols:
        values = f"{_either(register.symbols)}"
    elif register.type is not None:
        values = _a(kinds[register.type].label)
    elif register.block:
        values = _a(vocabulary.world.block.lower())
    else:
        values = f"a number{f' in {register.unit}' if register.unit else ''}"
    starts = [f"{', '.join(key)}: {form.write(value)}" for key, value in register.starts.items()]
    start = ", ".join(starts) or (
        "nothing" if register.start is None else form.write(register.start)
    )
    return f"{register.label}{of}: {values}; {start} at the start"


def _names(vocabulary: Vocabulary) -> Iterator[str]:
    yield "Where two are level, the one that is named first here comes first."
    for kind in vocabulary.world.types.values():
        if kind.minted is not None:
            yield f"- {_capital(kind.plural)}: {_minted(vocabulary, kind)}"
        if kind.names:
            yield f"- {_capital(kind.plural)}: {', '.join(_described(vocabulary, kind))}"


def _minted(vocabulary: Vocabulary, kind: EntityType) -> str:
    first = vocabulary.spec.entities[kind.name].first
    template = kind.minted or "{n}"
    shown = [template.replace("{n}", str(first + n)) for n in range(2)]
    text = f"{', '.join(shown)} and so on, in the order in which they are brought in"
    named = [attribute.name.replace("_", " ") for attribute in vocabulary.attributes[kind.name]]
    return f"{text}, each with its {joined(named)} in brackets" if named else text


def _described(vocabulary: Vocabulary, kind: EntityType) -> Iterator[str]:
    """Each name, with its attributes in brackets."""
    attributes = vocabulary.attributes[kind.name]
    for name in kind.names:
        values: tuple[Value, ...] = tuple(kind.values.get(name, ()))
        shown = [
            f"{label} {form.write(value)}" if label else form.write(value)
            for (_, label, form, _), value in zip(attributes, values, strict=False)
        ]
        yield f"{name} ({', '.join(shown)})" if shown else name


def _plural(vocabulary: Vocabulary, type_name: str) -> str:
    return vocabulary.world.types[type_name].plural


def _either(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].casefold() in 'aeiou' else 'a'} {noun}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

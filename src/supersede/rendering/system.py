"""The system message: what a reader of the log must know, as an instruction in plain English.

It states the setting, how a line is read, which status labels count (R37), what revisions and
rule notices do (R2 to R12, R15, R16), what is tracked and from which start, and every name in
the order that breaks ties (R33). It promises no bounds (R19).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from supersede.model.record import Kind, Value
from supersede.model.world import EntityType, Register
from supersede.questions.conventions import conventions
from supersede.questions.wording import article
from supersede.rendering.effects import mint_lead
from supersede.rendering.forms import Number, joined
from supersede.rendering.vocabulary import Vocabulary
from supersede.specs.schema import Specification

_REF = "X"
"""Stands for a record's id in quoted wordings."""


def system_message(spec: Specification, vocabulary: Vocabulary) -> str:
    """The system message of every instance of a specification.

    Args:
        spec: The specification, whole: a stripped one cannot say what is shared or cascades.
        vocabulary: Its forms.
    """
    sections = (
        ("", [" ".join(spec.setting.split())]),
        ("How to read the log", list(_lines(vocabulary))),
        ("Which records count", list(_validity(spec, vocabulary))),
        ("How records are revised", list(_revisions(vocabulary))),
        ("What questions mean", list(conventions(vocabulary.world))),
        ("What is tracked", list(_state(spec, vocabulary))),
        ("Names", list(_names(vocabulary))),
    )
    return "\n\n".join(
        "\n".join([title, *body] if title else body) for title, body in sections if body
    )


def _lines(vocabulary: Vocabulary) -> Iterator[str]:
    """How a message and one of its lines are taken apart."""
    world = vocabulary.world
    block = world.block.lower()
    measure = next(iter(world.measures.values()))
    form = vocabulary.measures[measure.name]
    key = ", ".join(_first_name(vocabulary, kind) for kind in measure.per)
    change = " ".join(filter(None, (measure.label, key, form.write(12 * form.scale))))
    meta = "its time and its status" if world.timed else "its status"
    yield (
        f"Each message is one {block}: its name, then its lines in the order in which they were "
        f"entered. A record's line gives its id, its kind, in brackets {meta} (a record may have "
        f'none), what happened, and behind semicolons what it changes, such as "{change}". Only '
        f"changes are shown, never totals. A line without an id changes nothing. A question at the "
        f"end of a message is about all records down to there."
    )
    labels = ", ".join(event.label for event in world.events.values())
    yield (
        f"Kinds of record, in the order that breaks ties between them: {labels}. Voids, "
        f"confirmations, restorations and rules show none."
    )
    described = [
        f"the {name.replace('_', ' ')} of {article(kind.label)}"
        for kind in world.types.values()
        for name, _, _, of in vocabulary.attributes[kind.name]
        if of is not None
    ]
    aside = ["names in an enumeration, such as A, B and C,"]
    if described:
        aside.append(f"names that only describe another, as {described[0]} does,")
    yield (
        f"A change counts for the names beside it. Of every other kind of name listed below it "
        f"counts for the one in what happened, before the semicolons, if there is just one; "
        f"{' and '.join(aside)} are left aside."
    )


def _validity(spec: Specification, vocabulary: Vocabulary) -> Iterator[str]:
    world = vocabulary.world
    good = [label for label, counts in world.statuses.items() if counts]
    bad = [label for label, counts in world.statuses.items() if not counts]
    yield (
        f"A record counts if its status is {_either(good)}, or if it has none. It does not count "
        f"if its status is {_either(bad)}: leave it out of everything, however it reads."
    )
    if spec.rules:
        yield (
            'A rule can change whether a status counts. "From here on" covers records entered '
            'after the rule, late entries included; "earlier records included" covers all '
            "records with the status. The last rule that applies to a record decides. A rule "
            "itself counts by its own status as listed above."
        )
    limited = next((rule.where for rule in spec.rules if rule.where is not None), None)
    if limited is not None:
        yield (
            f"A rule that ends in a name, as in "
            f'"for records that name {_first_name(vocabulary, limited)}", reaches only the records '
            f"that name it on their own line; an amendment changes nothing about that."
        )
    for kind in world.types.values():
        if kind.minted is not None:
            yield (
                f"A record that names {article(kind.label)} in what happened, before the "
                f"semicolons, does not count if the record that "
                f'brought it in, as in "{mint_lead(vocabulary, kind.name)}'
                f'{_first_name(vocabulary, kind.name)}", does not count.'
            )
    stood_on = {event for e in world.events.values() for event in e.records.values()}
    cascading = {e.name for e in world.events.values() if e.cascade}
    labels = [article(e.label) for e in world.events.values() if e.name in stood_on & cascading]
    if labels:
        yield (
            f"A record that names the id of {_either(labels)} in what happened does not count if "
            f"the record with that id does not count. The {_REF} of a revision below is no part of "
            f"what happened."
        )
    labels = [article(e.label) for e in world.events.values() if e.name in stood_on - cascading]
    if labels:
        yield (
            f"A record is not left out for naming, in what happened, the id of {_either(labels)} "
            f"that does not count."
        )


def _revisions(vocabulary: Vocabulary) -> Iterator[str]:
    """What each kind of revision does, beside the words that announce it."""
    world = vocabulary.world
    block = world.block.lower()
    place = "at the time given" if world.timed else "after all else in it"
    together = "" if world.timed else f" Late entries for one {block} follow each other as entered."
    minting = any(kind.minted is not None for kind in world.types.values())
    kept = f" What {_REF} brought in stays." if minting else ""
    yield (
        f"{_REF} is the id of an earlier record. A revision under a status that does not count "
        f"does nothing."
    )
    for title, kind, effect in (
        (
            "Void",
            Kind.VOID,
            f"{_REF} no longer counts. If {_REF} is an amendment, only that falls away. A void may "
            f'name two records at once, as "each of X and Y": then neither counts.',
        ),
        (
            "Replacement",
            Kind.CORRECT,
            f"{_REF} no longer counts; the new line counts as a record of its own.",
        ),
        (
            "Amendment",
            Kind.AMEND,
            f"{_REF} keeps its id and its place, but its changes are the ones given here.{kept} "
            f"The last amendment that counts is in force. It does not bring back a record that is "
            f"void.",
        ),
        (
            "Confirmation",
            Kind.CONFIRM,
            f"{_REF} counts in spite of its status, in its own place, unless it is void.",
        ),
        (
            "Restoration",
            Kind.REINSTATE,
            f"{_REF} is no longer void. Of all voids, replacements and restorations of {_REF} that "
            f"count, the last decides.",
        ),
        ("Copy", Kind.REPOST, f"{_REF} once more, as first entered. A copy never counts."),
        (
            "Late entry",
            Kind.BACKFILL,
            f"it took place {world.preposition} the {block} that it names, {place}, not where it "
            f"stands.{together}",
        ),
    ):
        yield f"- {title} ({_quoted(vocabulary, kind)}): {effect}"
    yield "Do not assume that figures keep within limits."


def _quoted(vocabulary: Vocabulary, kind: Kind) -> str:
    """The wordings of a kind of revision in quotation marks."""
    texts: tuple[str, ...] = getattr(vocabulary.spec.revisions, kind.value)
    block = f"{vocabulary.world.block} 3"
    filled = [text.replace("{ref}", _REF).replace("{block}", block) for text in texts]
    return _either([f'"{text}"' for text in filled])


def _state(spec: Specification, vocabulary: Vocabulary) -> Iterator[str]:
    world = vocabulary.world
    yield "Figures, which add up the changes of all records that count:"
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
            "Settings, which hold what the last record that counts gave them, in the order in "
            "which things took place. Unset means that a setting holds nothing; a record that "
            "makes it unset sets it like any other:"
        )
        for register in world.registers.values():
            yield f"- {_register(vocabulary, register)}"
        for tally in world.tallies.values():
            register = world.registers[tally.of]
            holders = _plural(vocabulary, register.on[0]) if register.on else "settings"
            yield f"- {tally.label}: for each {register.label}, how many {holders} have it"
    if world.rosters:
        yield "Lists, on which a name stands if its last join or leave that counts was a join:"
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
        values = article(kinds[register.type].label)
    elif register.block:
        values = article(vocabulary.world.block.lower())
    else:
        values = f"a number{f' in {register.unit}' if register.unit else ''}"
    starts = [f"{', '.join(key)}: {form.write(value)}" for key, value in register.starts.items()]
    start = ", ".join(starts) or ("unset" if register.start is None else form.write(register.start))
    return f"{register.label}{of}: {values}; {start} at the start"


def _names(vocabulary: Vocabulary) -> Iterator[str]:
    for kind in vocabulary.world.types.values():
        if kind.minted is not None:
            yield f"- {_capital(kind.plural)}: {_minted(vocabulary, kind)}"
        if kind.names:
            yield f"- {_capital(kind.plural)}: {', '.join(_described(vocabulary, kind))}"


def _minted(vocabulary: Vocabulary, kind: EntityType) -> str:
    first = _first_name(vocabulary, kind.name)
    text = f"{first} and so on, in the order in which they are brought in"
    named = [attribute.name.replace("_", " ") for attribute in vocabulary.attributes[kind.name]]
    return f"{text}, each with its {joined(named)} in brackets" if named else text


def _first_name(vocabulary: Vocabulary, type_name: str) -> str:
    """The first name of a type: as declared, or as minted."""
    entity = vocabulary.spec.entities[type_name]
    if entity.names:
        return entity.names[0]
    return (entity.minted or "{n}").replace("{n}", str(entity.first))


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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

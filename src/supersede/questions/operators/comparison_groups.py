"""Comparison & leader: two groups of names, by an attribute or by what a register holds."""

from __future__ import annotations

from supersede.model.record import Value
from supersede.questions.attributes import described, grouped
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.facts import Facts
from supersede.questions.forms import Line, count, margin, value, winner_of_two
from supersede.questions.needs import NOW
from supersede.questions.operators.comparison import EQUAL
from supersede.questions.operators.ranking_attributes import measured_group
from supersede.questions.operators.ranking_state import keyed, shared
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import article


def _two_groups(d: Draw) -> Parameters | None:
    given = measured_group(d)
    if given is None:
        return None
    kind = str(given["type"])
    said = described(d.index, kind, str(given["attribute"]))
    source = d.reading.source
    rows = d.index.postings(str(given["measure"]), kind)
    changed = [said[r[3]] for r in rows if r[3] in said and source[r[0]] == r[1]]
    focused = [said[name] for name in d.focus_names(kind) if name in said]
    first = d.near(list(dict.fromkeys(changed)), focused)
    rest = [group for group in dict.fromkeys(changed) if group != first]
    rest = rest or [group for group in dict.fromkeys(said.values()) if group != first]
    return complete(**given, group=first, group2=d.pick(rest))


@operator(
    "comparison/two-attribute-groups",
    needs=lambda f: bool(grouped(f)),
    draw=_two_groups,
    phrasings=(
        "Which {types} have the higher net {measure} between them, those with {attribute} {group} "
        "or those with {attribute} {group2}, and by how much?",
        "Compare the net {measure} of all {types} whose {attribute} is {group} with that of those "
        "whose {attribute} is {group2}.",
        "Add up the net {measure} of the {types} by {attribute}: is there more under {group} or "
        "under {group2}, and what is the margin?",
    ),
    notes=(
        "The {attribute} of {a_type} is the one in the brackets behind its name where it is listed "
        "or brought in.",
        "Count only valid records.",
        EQUAL,
    ),
)
def two_attribute_groups(v: View, p: Given) -> list[Line]:
    """Two groups of entities, by an attribute, by net change of a measure."""
    kind, attribute = p.text("type"), p.text("attribute")
    part, groups = v.world.measures[p.text("measure")], (p.text("group"), p.text("group2"))
    said = described(v.index, kind, attribute)
    nets: list[int] = []
    for group in groups:
        rows = v.index.postings(part.name, kind)
        nets.append(v.net(v.take([row for row in rows if said.get(row[3]) == group])))
    plural, what = v.world.types[kind].plural, attribute.replace("_", " ")
    lines = [
        value(group, net, f"net {part.label} of {plural} with {what} {group}", part.scale)
        for group, net in zip(groups, nets, strict=True)
    ]
    lead, by = nets[0] - nets[1], f"by net {part.label} of {plural}"
    lines.append(winner_of_two("higher", *groups, lead, f"the higher {what} {by}", what))
    return [*lines, margin("margin", abs(lead), f"margin between the two {by}", part.scale)]


def _several(facts: Facts) -> list[str]:
    """Registers of which each value may be held by several, and of which there are two values."""
    registers, types = facts.world.registers, facts.world.types
    found: list[str] = []
    for name in shared(facts):
        register = registers[name]
        names = register.symbols if register.type is None else types[register.type].names
        if len(names) > 1:
            found.append(name)
    return found


def _two_values(d: Draw) -> Parameters | None:
    name = keyed(d, _several(d.facts))
    if name is None:
        return None
    register = d.facts.world.registers[name]
    cells = View(d.index, d.reading).cells(name)
    held: list[Value] = [x for x in dict.fromkeys(cells.values()) if x is not None]
    known = register.symbols if register.type is None else d.index.entities(register.type)
    first = d.near(held or list(known), [a.value for a in d.settings() if a.register == name])
    rest = [x for x in held if x != first] or [x for x in known if x != first]
    return complete(register=name, value=first, value2=d.pick(rest))


@operator(
    "comparison/two-values-by-holders",
    needs=lambda f: bool(_several(f)),
    draw=_two_values,
    phrasings=(
        "Do more {holders} have {value} or {value2} as their {register} at the end of the log, and "
        "how many each?",
        "Compare the number of {holders} whose {register} is now {value} with the number of those "
        "for which it is {value2}.",
        "Count the {holders} by present {register}: {value} on the one side and {value2} on the "
        "other. Which are more?",
    ),
    notes=("Say also how many valid records set {a_register} in all.", NOW, EQUAL),
)
def two_values_by_holders(v: View, p: Given) -> list[Line]:
    """Two values of a register by how many entities hold them."""
    register, values = v.world.registers[p.text("register")], (p.text("value"), p.text("value2"))
    held = list(v.cells(register.name).values())
    counts = [held.count(wanted) for wanted in values]
    plural = v.world.types[register.on[0]].plural
    lines = [
        count(wanted, number, f"{plural} whose {register.label} is {wanted}")
        for wanted, number in zip(values, counts, strict=True)
    ]
    text = f"the {register.label} of more {plural}"
    lines.append(winner_of_two("more", *values, counts[0] - counts[1], text, "value"))
    number = v.count(v.take(v.index.assignments(register.name)))
    return [*lines, count("records", number, f"valid records that set {article(register.label)}")]

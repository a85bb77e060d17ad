"""What an author writes: a specification as frozen pydantic models over YAML.

Each of the ten primitives (Table 1, E-009 to E-019) is one or more fields of `Specification`:
entities; clock; events; state (measures, derived, registers, rosters, tallies); constraints
(guards, ranges, bounds, invariants); validity (statuses, rules, revisions); noise; difficulty;
operators; and the answer program, which is not written but follows from the others.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from supersede.model.instance import Tier

Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
"""An identifier of the specification: lower case, digits, underscores."""
Slug: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Expression: TypeAlias = str
"""A Python expression of the small language of `specs.expressions`."""
Range: TypeAlias = tuple[int | Expression, int | Expression]
Symbol: TypeAlias = Annotated[str, StringConstraints(min_length=1)]


class Part(BaseModel):
    """Base of all parts: frozen, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, use_attribute_docstrings=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_value(cls, value: object, info: ValidationInfo) -> object:
        """Refuse true and false for numbers, which pydantic would read as 1 and 0."""
        kind = cls.model_fields[info.field_name or ""].annotation
        if kind is not bool and bool not in get_args(kind) and _holds_truth_value(value):
            raise ValueError("true and false are neither number nor word")
        return value


def _holds_truth_value(value: object, depth: int = 2) -> bool:
    """Whether a value is true or false, or a list or mapping with such a value in it."""
    if not isinstance(value, list | dict):
        return isinstance(value, bool)
    inner = value.values() if isinstance(value, dict) else value
    return depth > 0 and any(
        _holds_truth_value(part, depth - 1) for part in inner if not isinstance(part, dict)
    )


class IntAttribute(Part):
    """An integer attribute drawn when the entity is minted."""

    range: Annotated[tuple[int, int], Field(alias="int")]
    step: Annotated[int, Field(ge=1)] = 1
    unit: str = ""
    scale: Annotated[int, Field(ge=1)] = 1


class NamedAttribute(Part):
    """Attribute values of named entities, one per name, with a unit."""

    values: tuple[int | Symbol, ...]
    unit: str = ""
    scale: Annotated[int, Field(ge=1)] = 1


class Entity(Part):
    """A type of entity: its names, or how its names are minted."""

    label: Text
    """Singular noun: `crew`."""
    plural: Text | None = None
    """Default: the label and an s."""
    article: bool = False
    """Whether a sentence says `the` before its names: `the hallway`, but `Ann`."""
    names: tuple[Symbol, ...] = ()
    """Named entities in declared order, which breaks ties."""
    minted: Text | None = None
    """Template with one `{n}`, such as `#{n}` or `T-{n}`: events bring entities into the world."""
    first: Annotated[int, Field(ge=0, alias="from")] = 1
    """The first minted number."""
    attributes: dict[Name, Name | IntAttribute | NamedAttribute | tuple[int | Symbol, ...]] = Field(
        default_factory=dict
    )
    """Of a minted type: an entity type, an integer range, or a list of symbols to draw from.
    Of a named type: a list with one value per name."""


class Clock(Part):
    """Blocks, times of day and record ids."""

    block: Text
    """Noun for a block: `Day`, `Wave`, `Round`."""
    preposition: Literal["in", "on", "at"] = "in"
    """What stands before a block in a sentence: `on Day 3`, `in Round 3`."""
    time: Annotated[str, StringConstraints(pattern=r"^\d\d:\d\d$")] | None = None
    """When a block's first record is logged; left out: records show no time of day."""
    step: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] = (3, 25)
    """Minutes between two records, least and most."""
    record: Text = "{block}-R{n}"
    """Template of record ids with `{block}` (number) and `{n}` (running number in the block)."""


class Measure(Part):
    """A quantity that adds up (R29, R20)."""

    label: Text
    unit: str = ""
    scale: Annotated[int, Field(ge=1)] = 1
    """Minor units per printed unit: 100 prints two places."""
    per: Name | tuple[Name, Name] | None = None
    """Entity type or types whose entities each have a cell; none: one cell in all."""
    start: int = 0
    min: int | Expression | None = None
    """Bound of every cell, checked after every posted record; `e` is the cell's entity."""
    max: int | Expression | None = None


class Derived(Part):
    """A view computed from cells of the same key, never posted (R32)."""

    label: Text
    unit: str = ""
    scale: Annotated[int, Field(ge=1)] = 1
    per: Name | tuple[Name, Name] | None = None
    value: Annotated[Expression, Field(alias="is")]
    """Integer expression; `e` is the entity (`e` and `f` with two types)."""


class Register(Part):
    """A value that the last counting assignment decides (R11)."""

    label: Text
    on: Name | tuple[Name, Name] | None = None
    values: tuple[Symbol, ...] | Name | None = None
    """A list of symbols, or an entity type."""
    range: Annotated[tuple[int, int] | None, Field(alias="int")] = None
    """Integer values between these bounds."""
    block: bool = False
    """Block numbers as values (a due day)."""
    unit: str = ""
    scale: Annotated[int, Field(ge=1)] = 1
    start: int | Symbol | dict[str, int | Symbol] | None = None
    """Value before the first assignment: one for all cells, or per entity name."""
    unique: bool = False
    """At most one cell holds a given value: one piece on a square."""


class Roster(Part):
    """A list of members (R12)."""

    label: Text
    of: Name
    per: Name | None = None
    ordered: bool = False
    """A queue: `head` and `rank` mean something."""
    start: tuple[Symbol, ...] | Literal["all"] = ()


class Tally(Part):
    """Counts the cells of a register by value: beds taken per ward, copies out."""

    label: Text
    of: Name
    max: int | Expression | None = None
    """Bound for each value `e`, such as `beds[e]`."""


class Relation(Part):
    """A static table of pairs of names, asked as `near(a, b)`."""

    pairs: tuple[tuple[Symbol, Symbol], ...]
    symmetric: bool = True


class ListRole(Part):
    """A role that holds several different entities."""

    of: Annotated[str, Field(alias="list")]
    """Role text, such as `traveler in going`."""
    size: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]


class IntParameter(Part):
    """An integer drawn uniformly, or as the next step of a walk."""

    range: Annotated[Range | None, Field(alias="int")] = None
    step: Annotated[int, Field(ge=1)] = 1
    """Only multiples of this number."""
    walk: Expression | None = None
    """Start from this value and move by at most `by`, inside `int`."""
    by: tuple[int, int] | None = None
    unit: str = ""
    scale: Annotated[int, Field(ge=1)] | None = None
    """How it is printed; default: as the measure or register that takes it."""


class SymbolParameter(Part):
    """A symbol drawn from a list, or from the values of a register."""

    one_of: tuple[Symbol, ...] | Name


class Post(Part):
    """One posting of an event. Exactly one of `delta` and `split`."""

    measure: Name
    on: str | tuple[str, str] | None = None
    """Role, `role.attribute` or list role that it counts for; default: the only role of its key."""
    delta: int | Expression | None = None
    """Signed amount; on a list role: for every member."""
    split: Expression | None = None
    """Amount shared by the members of a list role, shares summing to it exactly (R30)."""


class Set(Part):
    """One assignment of an event."""

    register_: Annotated[Name, Field(alias="register")]
    on: str | tuple[str, str] | None = None
    value: int | Symbol | None
    """A symbol of the register, a role, a parameter, an integer expression, or null for unset."""


class Member(Part):
    """A join or leave."""

    roster: Name
    key: str | None = None
    member: str
    if_member: bool = False
    """Leave only if a member, join only if not; else the event is not possible (R12)."""


class Limit(Part):
    """How often an event may count."""

    total: Annotated[int, Field(ge=1)] | None = None
    per_block: Annotated[int, Field(ge=1)] | None = None


Voidable: TypeAlias = Literal["free", "leaf", "cascade", "last", "never"]


class Event(Part):
    """A kind of thing that happens: roles, guard, parameters, effects, wordings."""

    id: Name
    label: Text | None = None
    """Noun phrase for one record of it; default: the id with spaces."""
    plural: Text | None = None
    weight: Annotated[float, Field(gt=0)] = 1.0
    roles: dict[Name, str | ListRole] = Field(default_factory=dict)
    """Role -> `type`, `type.new`, `type in roster`, `type != other_role`, `record(event)`, or an
    expression that names an entity (`holder[target]`). Drawn in this order."""
    parameters: dict[Name, IntParameter | SymbolParameter | Expression | int] = Field(
        default_factory=dict
    )
    when: Expression | None = None
    """Guard: checked once, when posted, on the counting state (R17)."""
    phrasings: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Free wordings with every role as `{role}`; effects are appended in canonical form (R34)."""
    post: tuple[Post, ...] = ()
    sets: Annotated[tuple[Set, ...], Field(alias="set")] = ()
    join: tuple[Member, ...] = ()
    leave: tuple[Member, ...] = ()
    voidable: Voidable | None = None
    """What a void of it does while others stand on it (R16); default: `leaf` if it mints,
    assigns, joins or leaves, else `free`."""
    amendable: bool | tuple[Name, ...] = True
    """Whether an amend may restate it; a list: also with these roles changed (R8)."""
    backfill: bool | None = None
    """Whether it may be logged late; default: yes unless it mints, joins, leaves, or assigns a
    register that a guard reads."""
    limit: Limit | None = None
    every: Literal["block"] | None = None
    """Posted once at the start of each block, when its guard allows."""
    for_: Annotated[str | None, Field(alias="for")] = None
    """`l in loan if stage[l] == 'active'`: its postings are made for each such entity."""

    @property
    def noun(self) -> str:
        """What one of its records is called: its label, else its id in words."""
        return self.label or self.id.replace("_", " ")

    @property
    def nouns(self) -> str:
        """What several of its records are called."""
        return self.plural or f"{self.noun}s"


class Statuses(Part):
    """Status labels by what they do (R37). Records without a label count (S2)."""

    counts: Annotated[tuple[Symbol, ...], Field(min_length=1)]
    does_not_count: Annotated[
        dict[
            Symbol,
            Literal["pending", "test", "replay", "superseded", "retracted", "estimate", "hearsay"],
        ],
        Field(min_length=1),
    ]
    """Label -> why it does not count; only `pending` records may be confirmed later."""


class Revisions(Part):
    """Wordings of revision records, three or more each; `{ref}` is the record named."""

    void: Annotated[tuple[Text, ...], Field(min_length=3)]
    correct: Annotated[tuple[Text, ...], Field(min_length=3)]
    amend: Annotated[tuple[Text, ...], Field(min_length=3)]
    confirm: Annotated[tuple[Text, ...], Field(min_length=3)]
    reinstate: Annotated[tuple[Text, ...], Field(min_length=3)]
    repost: Annotated[tuple[Text, ...], Field(min_length=3)]
    backfill: Annotated[tuple[Text, ...], Field(min_length=3)]
    """`{block}` is the block in which it took place, such as `Day 3`."""


class Rule(Part):
    """A change of the validity rules that may be announced in the log (R9)."""

    label: Symbol
    becomes: Literal["counts", "does_not_count"]
    reach: Literal["from_here", "all"] = "from_here"
    where: Name | None = None
    """Entity type: the rule holds for records that name one entity of it, `{where}` in the text."""
    text: Annotated[tuple[Text, ...], Field(min_length=3)]


class Invariant(Part):
    """What holds after every posted record, as known then (R19)."""

    name: Text
    holds: Expression


class Difficulty(Part):
    """How this world narrows the tier presets."""

    longest: Tier = Tier.VERY_LONG
    """The longest tier that it can fill."""
    dials: dict[str, float] = Field(default_factory=dict)
    """Dial -> value that replaces the preset in every tier."""


class Specification(Part):
    """A whole specification: one YAML file, pure data."""

    id: Slug
    version: Annotated[int, Field(ge=1)]
    """Raised whenever a change alters the bytes of an instance."""
    title: Text
    theme: Text
    macro_group: Text
    setting: Text
    """Opens the system message: who keeps this log, and of what."""
    entities: Annotated[dict[Name, Entity], Field(min_length=1)]
    clock: Clock
    measures: Annotated[dict[Name, Measure], Field(min_length=1)]
    derived: dict[Name, Derived] = Field(default_factory=dict)
    registers: dict[Name, Register] = Field(default_factory=dict)
    rosters: dict[Name, Roster] = Field(default_factory=dict)
    tallies: dict[Name, Tally] = Field(default_factory=dict)
    relations: dict[Name, Relation] = Field(default_factory=dict)
    events: Annotated[tuple[Event, ...], Field(min_length=1)]
    statuses: Statuses
    revisions: Revisions
    rules: tuple[Rule, ...] = ()
    noise: Annotated[tuple[Text, ...], Field(min_length=3)]
    """Lines that change nothing, with `{type}` slots for a name of that entity type."""
    invariants: tuple[Invariant, ...] = ()
    difficulty: Difficulty = Difficulty()
    operators: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Operator names or patterns: `ranking/*`."""

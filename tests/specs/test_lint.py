"""One test for each kind of mistake: what is told, on which line, and that it is told alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from tests.specs.shop import SHOP, SOURCE, changed_line, line_of, shop, spoilt

from supersede.corpus.examine import examine
from supersede.corpus.prove import prove
from supersede.errors import SpecError
from supersede.prototypes import prototype_files
from supersede.specs.lint import lint
from supersede.specs.load import load_specification, parse_specification
from supersede.worlds.program import compile_specification


@dataclass(frozen=True)
class Case:
    """A change of the sound specification, and the one finding that it gives."""

    name: str
    old: str
    new: str
    told: tuple[str, ...]
    """Parts of the finding, in order."""
    at: str = ""
    """Words of the line that it points at; those of the change where empty."""
    severity: str = "error"
    alone: bool = True
    """Whether it is all that is found: not so where the change spoils two things."""


REF = '["{ref} is confirmed", "{ref} is now final", "green light for {ref}"]'

NAMES = [
    Case(
        "a name that is part of another",
        "[kettle, rug,",
        "[kettle, rain,",
        ("product 'rain' is part of product 'rain jacket'",),
    ),
    Case(
        "a name twice in one type",
        "Femi Okoro]}",
        "Femi Okoro, Ada Brandt]}",
        ("clerk 'Ada Brandt' is named twice",),
    ),
    Case(
        "two types share a name",
        "Femi Okoro]}",
        "Femi Okoro, Southgate]}",
        ("'Southgate' is a clerk and a depot",),
        at="depot: {label",
    ),
    Case(
        "a name that is a status",
        "Femi Okoro]}",
        "Femi Okoro, test run]}",
        ("status 'test run' is also the name of a clerk",),
        at="test run: test",
    ),
    Case(
        "a name that is a register value",
        "Femi Okoro]}",
        "Femi Okoro, delivered]}",
        ("value of stage 'delivered' is also the name of a clerk",),
        at="  stage: {label",
    ),
    Case(
        "a name that is part of a status",
        "Femi Okoro]}",
        "Femi Okoro, till]}",
        ("clerk 'till' is part of status 'till receipt'",),
    ),
    Case(
        "a status that is part of another",
        "test run: test",
        "receipt: test",
        ("status 'receipt' is part of status 'till receipt'",),
    ),
    Case(
        "a name in a label",
        "{label: calls taken,",
        "{label: calls of Chen Li,",
        ("label 'calls of Chen Li' contains the clerk 'Chen Li'",),
    ),
    Case(
        "a name with a sign of the line form",
        "Femi Okoro]}",
        "Femi; Okoro]}",
        ("'Femi; Okoro' contains ';'",),
    ),
    *[
        Case(
            f"a name that folds like another, {other!a}",
            "Femi Okoro]}",
            f'"Femi Okoro", "{other}"]}}',
            (f"clerk {shown!r} differs from 'Femi Okoro' only in what answers are read without",),
        )
        for other, shown in (
            ("femi okoro", "femi okoro"),
            ("Fe*mi Okoro", "Fe*mi Okoro"),
            ("Femi\\u00a0Okoro", "Femi\u00a0Okoro"),
        )
    ],
    Case(
        "a value that folds like another",
        "delivered, refunded]",
        "delivered, Delivered]",
        ("value of stage 'Delivered' differs from 'delivered'",),
        alone=False,
    ),
    Case(
        "labels that fold alike",
        "{label: calls taken,",
        "{label: the refunds,",
        ("label 'the refunds' differs from 'refunds'",),
    ),
    *[
        Case(
            f"a name with {text!a}",
            "Femi Okoro]}",
            f'"{text}"]}}',
            (told,),
        )
        for text, told in (
            ("Fe\\u200bmi", "contains the character '\\u200b', which nobody sees"),
            ("Fe\\u202emi", "contains the character '\\u202e', which nobody sees"),
            ("Fe\\u0007mi", "contains the character '\\x07', which nobody sees"),
            ("Femi <think>", "contains a mark of thinking text"),
            ("Femi:", "begins or ends with ':'"),
            ("Femi = Okoro", "contains '='"),
            ("***", "consists of signs that an answer may leave out"),
        )
    ],
    Case("a name that reads as a number", "Femi Okoro]}", '"12.5"]}', ("reads as a number",)),
    Case(
        "a value called unset",
        "delivered, refunded]",
        "delivered, refunded, unset]",
        ("'unset' is how an empty register is printed",),
        alone=False,
    ),
    Case(
        "two labels alike",
        "{label: calls taken,",
        "{label: Refunds,",
        ("label 'Refunds' is that of measures.refunds too",),
    ),
    Case("a label with digits", "{label: calls taken,", "{label: calls 24,", ("contains '2'",)),
    Case("a minted template without its number", '"#{n}"', '"order"', ("needs one {n}",)),
    Case("a minted name that is a number", '"#{n}"', '"{n}"', ("read as numbers",)),
    Case(
        "a minted name that looks like a record id",
        '"#{n}"',
        '"R{n}"',
        ("an order named after 'R{n}' looks like part of the record id 'D1-R1'",),
    ),
    Case(
        "a minted name that looks like a name",
        "Femi Okoro]}",
        'Femi Okoro, "#7"]}',
        ("an order named after '#{n}' looks like part of the clerk '#7'",),
        at="minted:",
    ),
    Case("record ids without a running number", "D{block}-R{n}", "D{block}", ("needs one {n}",)),
    Case("record ids without the block", "D{block}-R{n}", "R{n}", ("needs one {block}",)),
    Case(
        "record ids that run together", "D{block}-R{n}", "D{block}{n}", ("runs numbers together",)
    ),
    Case("record ids that are numbers", "D{block}-R{n}", "{block}.{n}", ("read as numbers",)),
    Case(
        "record ids with a slot of their own",
        "D{block}-R{n}",
        "D{block}-R{n}{x}",
        ("no use for {x}",),
    ),
    Case(
        "a status in the label of an event",
        "label: goodwill credit",
        "label: credit on hold",
        ("label 'credit on hold' contains the status 'on hold'", "Reword"),
    ),
    Case(
        "a name in the label of an event",
        "label: goodwill credit",
        "label: Kettle credit",
        ("label 'Kettle credit' contains the product 'kettle'",),
    ),
    Case(
        "brackets in the label of an event",
        "label: goodwill credit",
        'label: "goodwill [credit]"',
        ("label 'goodwill [credit]' contains '['",),
    ),
    Case(
        "a comma in the label of an event",
        "label: goodwill credit",
        'label: "goodwill, credit"',
        ("contains ','",),
    ),
    Case(
        "a colon in the label of an event",
        "label: goodwill credit",
        'label: "goodwill: credit"',
        ("contains ':'",),
    ),
    Case(
        "a digit in the label of an event",
        "label: goodwill credit",
        'label: "2nd credit"',
        ("contains '2'",),
        alone=False,
    ),
    Case(
        "a label that starts with a sign",
        "label: goodwill credit",
        'label: "- credit"',
        ("label '- credit' starts with '-'",),
    ),
    Case(
        "two events with one label",
        "label: goodwill credit",
        "label: Payment",
        ("label 'Payment' is that of events.0 too",),
    ),
]

STATE = [
    Case(
        "a type without entities",
        "depot: {label: depot, names: [Northgate, Southgate]",
        "yard: {label: yard, names: []}\n  depot: {label: depot, names: [Northgate, Southgate]",
        ("type 'yard' has no entities",),
        at="yard:",
    ),
    Case(
        "a type with names and a template",
        'minted: "#{n}"',
        'minted: "#{n}"\n    names: [first order]',
        ("has names and is minted too",),
        at="  order:",
    ),
    Case(
        "a list of attributes that is too short",
        "room: [6, 9]",
        "room: [6]",
        ("attribute 'room' has 1 values for 2 names",),
    ),
    Case(
        "an attribute that mixes kinds",
        "room: [6, 9]",
        "room: [6, big]",
        ("attribute 'room' mixes numbers and words",),
    ),
    Case(
        "an attribute that is no list",
        "room: [6, 9]",
        "room: product",
        ("attribute 'room' of a type with names needs a list of values",),
    ),
    Case(
        "an attribute of an unknown type",
        "item: product",
        "item: prodcut",
        ("unknown type 'prodcut'", "Did you mean 'product'?"),
    ),
    Case(
        "an empty attribute range",
        "{int: [100, 900], step: 50}",
        "{int: [900, 100], step: 50}",
        ("range [900, 100] is empty",),
    ),
    Case(
        "an attribute range without a multiple",
        "{int: [100, 900], step: 50}",
        "{int: [101, 149], step: 50}",
        ("no multiple of 50",),
    ),
    Case(
        "a scale that is no power of ten",
        "escrow: {label: escrow, unit: USD, scale: 100",
        "escrow: {label: escrow, unit: USD, scale: 60",
        ("scale 60",),
    ),
    Case(
        "a key of an unknown type",
        "{label: calls taken, per: clerk}",
        "{label: calls taken, per: clrek}",
        ("calls: unknown type 'clrek'", "'clerk'"),
    ),
    Case(
        "two keys of one type",
        "{label: calls taken, per: clerk}",
        "{label: calls taken, per: [clerk, clerk]}",
        ("two keys of one type",),
    ),
    Case(
        "a start outside a bound",
        "start: 1800000, min: 0",
        "start: 10, min: 20",
        ("'escrow' starts at 10, outside its min 20",),
    ),
    Case(
        "a name of two sections",
        "  half_open: {",
        "  kept_at: {",
        ("'kept_at' stands in derived as well as in registers",),
        at="kept_at: {label: shelf",
    ),
    Case(
        "a name of the expression language",
        "  near: {pairs",
        "  rank: {pairs",
        ("'rank' is a word of the expression language",),
    ),
    Case(
        "an attribute named like state",
        "room: [6, 9]",
        "room: [6, 9], rate: [1, 2]",
        ("'rate' is an attribute and stands in registers too",),
    ),
    Case(
        "a register that holds nothing",
        "int: [1, 9], start: 2}",
        "start: 2}",
        ("register 'rate' needs one of",),
    ),
    Case(
        "a register of an unknown type",
        "on: order, values: depot}",
        "on: order, values: deopt}",
        ("unknown type 'deopt'", "'depot'"),
    ),
    Case(
        "a register with a value twice",
        "delivered, refunded]",
        "delivered, refunded, delivered]",
        ("lists a value twice",),
    ),
    Case(
        "a start that a register never holds",
        "start: paid up}",
        "start: payd up}",
        ("starts at 'payd up', which it never holds", "'paid up'"),
    ),
    Case(
        "a start outside a register's range",
        "int: [1, 9], start: 2}",
        "int: [1, 9], start: 12}",
        ("starts at 12, outside its range [1, 9]",),
    ),
    Case(
        "a start for an unknown cell",
        "int: [1, 9], start: 2}",
        "on: clerk, int: [1, 9], start: {Chen Lee: 2}}",
        ("'Chen Lee'", "'Chen Li'"),
        alone=False,
    ),
    Case(
        "an unknown member at the start",
        "start: [Ada Brandt, Chen Li]}",
        "start: [Ada Brand, Chen Li]}",
        ("starts with 'Ada Brand'", "'Ada Brandt'"),
    ),
    Case(
        "a roster of an unknown type",
        "{label: shift, of: clerk,",
        "{label: shift, of: clerks,",
        ("roster 'shift': unknown type 'clerks'", "'clerk'"),
    ),
    Case(
        "a tally of an unknown register",
        "of: kept_at,",
        "of: kept,",
        ("unknown register 'kept'", "'kept_at'"),
    ),
    Case("a tally of a single cell", "of: kept_at,", "of: rate,", ("has only one",), alone=False),
    Case(
        "a relation of unknown names",
        "[[Northgate, Southgate]]",
        "[[Northgate, Southgaet]]",
        ("unknown name 'Southgaet'", "'Southgate'"),
    ),
    Case(
        "a measure that nothing posts to",
        "  calls: {label",
        "  idle: {label: idle hours}\n  calls: {label",
        ("no event posts to measure 'idle'",),
        at="idle:",
        severity="warning",
    ),
    Case(
        "a value that nothing sets",
        "delivered, refunded]",
        "delivered, refunded, lost]",
        ("no event sets 'stage' to 'lost'",),
        severity="warning",
    ),
    Case("an empty step of the clock", "step: [4, 25]", "step: [25, 4]", ("is empty",)),
    Case("a time that is none", '"08:30"', '"28:30"', ("no time of day",)),
]

EXPRESSIONS = [
    Case(
        "an undeclared measure in a guard",
        "open_value[target] >= 500",
        "opn_value[target] >= 500",
        ("unknown name 'opn_value'", "Did you mean 'open_value'?"),
    ),
    Case(
        "an undeclared attribute",
        'place.room"',
        'place.rooms"',
        ("a depot has no attribute 'rooms'", "'room'"),
    ),
    Case("a wrong index", "stored[place]", "stored[place, target]", ("takes one value",)),
    Case(
        "an index of another type",
        "\"stage[target] == 'paid up'",
        "\"stage[actor] == 'paid up'",
        ("'stage' is indexed by order, but 'actor' is a clerk",),
    ),
    Case(
        "a word that a register never holds",
        "== 'delivered'",
        "== 'delivred'",
        ("register 'stage' never holds 'delivred'", "'delivered'"),
    ),
    Case(
        "a list of words that a register never holds",
        "== 'delivered'",
        "in ('paid up', 'lost')",
        ("register 'stage' never holds 'lost'",),
    ),
    Case(
        "a value that a tally never counts",
        "stored[place]",
        "stored['Eastgate']",
        ("register 'kept_at' never holds 'Eastgate'",),
    ),
    Case(
        "a word that an attribute never is",
        "size(shift) > 1",
        "seen.target.speed == 'fast'",
        ("'seen.target.speed' never is 'fast'",),
    ),
    Case(
        "a number compared with a word",
        "rate > 0",
        "rate == 'high'",
        ("'rate' is an integer and never 'high'",),
    ),
    Case(
        "a division",
        'int: [500, "open_value[target]"]',
        'int: [500, "open_value[target] / 2"]',
        ("use + - * or floor_div",),
    ),
    Case("a call of something else", "rate > 0", "open('x') > 0", ("unknown function 'open'",)),
    Case("a syntax error", "rate > 0", "rate >", ("is not an expression",)),
    Case(
        "an unknown relation",
        "size(shift) > 1",
        "naer(seen, seen)",
        ("unknown function 'naer'", "'near'"),
    ),
    Case(
        "left of an event without amount",
        "size(shift) > 1",
        "left(actor) > 1",
        ("'actor' is not a record role",),
    ),
    Case(
        "a derived view of itself",
        "floor_div(open_value[e], 2)",
        "half_open[e] - 1",
        ("derived 'half_open' is defined by itself: half_open -> half_open",),
    ),
    Case(
        "a derived view of another scale",
        "open_value: {label: open value, unit: USD, scale: 100",
        "open_value: {label: open value, unit: USD, scale: 10",
        ("derived 'open_value' has scale 10, but adds 'paid' with scale 100",),
    ),
    Case(
        "a derived view in another unit",
        "open_value: {label: open value, unit: USD",
        "open_value: {label: open value, unit: EUR",
        ("derived 'open_value' is in EUR, but adds 'paid' in USD",),
    ),
    Case(
        "an index that a derived view lacks",
        'is: "paid[e] - refunds[e]"',
        'is: "paid - refunds[e]"',
        ("'paid' takes [order]",),
    ),
    Case("a bound that is no number", 'max: "paid[e]"', 'max: "stage[e]"', ("not an integer",)),
    Case(
        "a bound of itself",
        'max: "paid[e]"',
        'max: "refunds[e] + 1"',
        ("the max of 'refunds' reads 'refunds' itself",),
    ),
    Case(
        "an invariant that is no truth value",
        '"escrow >= 1000"',
        '"escrow + 1000"',
        ("is an integer, not a truth value",),
    ),
    Case(
        "an invariant over what is not there",
        '"escrow >= 1000"',
        '"escrw >= 1000"',
        ("unknown name 'escrw'", "'escrow'"),
    ),
    Case(
        "a free void under the guard of another",
        "    set:\n      - {register: stage, value: deli",
        "    voidable: free\n    set:\n      - {register: stage, value: deli",
        ("a void of 'deliver' may leave a 'goodwill' standing whose guard read 'stage'",),
        at="voidable",
        severity="warning",
    ),
]

EVENTS = [
    Case(
        "an event twice", "- id: follow\n", "- id: deliver\n", ("event 'deliver' is there twice",)
    ),
    Case(
        "a role of an unknown type",
        "{actor: clerk, target: order, place: depot}",
        "{actor: clerk, target: order, place: deopt}",
        ("role 'place': unknown type 'deopt'", "'depot'"),
    ),
    Case(
        "a role of an unknown roster",
        "{actor: clerk in shift, seen",
        "{actor: clerk in shft, seen",
        ("unknown name 'shft'", "'shift'"),
    ),
    Case(
        "a role of a roster of others",
        "{actor: clerk in shift, seen",
        "{actor: depot in shift, seen",
        ("'shift' is no roster of depot",),
    ),
    Case(
        "a role of an unknown event",
        "record(pay)",
        "record(payment)",
        ("unknown event 'payment'", "'pay'"),
    ),
    Case(
        "a role of the same event",
        "record(pay)",
        "record(end_shift)",
        ("names a record of the same event",),
    ),
    Case(
        "a role that differs from a later one",
        "helper: clerk != actor",
        "helper: clerk != target",
        ("differs from 'target', which is a later role",),
        alone=False,
    ),
    Case(
        "a new entity of a named type",
        "roles: {actor: clerk}",
        "roles: {actor: clerk.new}",
        ("'clerk' is not a minted type",),
    ),
    Case(
        "a list role that is too long",
        "size: [2, 3]",
        "size: [4, 5]",
        ("no list of 4 to 5 of 3 entities",),
    ),
    Case(
        "a role that hides state",
        "{actor: clerk, target: order, place: depot}",
        "{actor: clerk, target: order, place: depot, stage: depot}",
        ("role 'stage' hides the name 'stage' of registers",),
        alone=False,
    ),
    Case(
        "a parameter that hides state",
        "fee: {int: [1, 9]}",
        "escrow: {int: [1, 9]}",
        ("parameter 'escrow' hides the name 'escrow' of measures",),
        alone=False,
    ),
    Case(
        "a parameter without a range",
        "fee: {int: [1, 9]}",
        "fee: {unit: USD}",
        ("needs `int` or `walk`",),
    ),
    Case("an empty range", "fee: {int: [1, 9]}", "fee: {int: [9, 1]}", ("range [9, 1] is empty",)),
    Case(
        "a range without a multiple",
        "fee: {int: [1, 9]}",
        "fee: {int: [1, 9], step: 20}",
        ("no multiple of 20 lies in [1, 9]",),
    ),
    Case(
        "a walk that is none",
        "fee: {int: [1, 9]}",
        "fee: {int: [1, 9], by: [-1, 1]}",
        ("`by` without `walk`",),
    ),
    Case(
        "a parameter before what it uses",
        "fee: {int: [1, 9]}",
        'fee: "more"\n      more: 3',
        ("parameter 'fee' uses 'more', which comes later",),
        alone=False,
    ),
    Case(
        "values of an unknown register",
        "{one_of: [calm, cross]}",
        "{one_of: stages}",
        ("unknown register 'stages'", "'stage'"),
    ),
    Case(
        "values of a register without symbols",
        "{one_of: [calm, cross]}",
        "{one_of: kept_at}",
        ("register 'kept_at' holds no symbols",),
    ),
    Case(
        "an unknown measure",
        "{measure: paid, delta",
        "{measure: payd, delta",
        ("unknown measure 'payd'", "'paid'"),
        alone=False,
    ),
    Case(
        "a posting of nothing",
        "{measure: calls, on: actor, delta: 1}",
        "{measure: calls, on: actor, delta: 0}",
        ("changes nothing",),
    ),
    Case(
        "a posting without an amount",
        "{measure: calls, on: actor, delta: 1}",
        "{measure: calls, on: actor}",
        ("needs one of `delta` and `split`",),
    ),
    Case(
        "a posting of a word",
        "{measure: calls, on: actor, delta: 1}",
        "{measure: calls, on: actor, delta: mood}",
        ("'mood' is a symbol, not an integer",),
    ),
    Case(
        "a split without a list",
        "{measure: calls, on: callers, split: minutes}",
        "{measure: escrow, split: minutes}",
        ("`split` to 'escrow' needs `on:` with a list role",),
    ),
    Case(
        "a posting that could be for either",
        "{measure: calls, on: helper, delta: 1}",
        "{measure: calls, delta: 1}",
        ("'calls' is kept per clerk, and actor and helper are one", "Say which with `on:`"),
    ),
    Case(
        "a posting for nobody",
        "{measure: calls, on: callers, split: minutes}",
        "{measure: paid, delta: minutes}",
        ("'paid' is kept per order, but no role is one",),
    ),
    Case(
        "a posting on an unknown role",
        "{measure: calls, on: helper, delta: 1}",
        "{measure: calls, on: helpr, delta: 1}",
        ("on: 'helpr' is no role", "'helper'"),
    ),
    Case(
        "two effects on one cell",
        "{measure: calls, on: helper, delta: 1}",
        "{measure: calls, on: actor, delta: 1}",
        ("changes 'calls' of the same cell twice",),
    ),
    Case(
        "two roles that may be one",
        "helper: clerk != actor",
        "helper: clerk",
        ("roles 'actor' and 'helper' of 'goodwill' may be one", "Add ` != actor`"),
        at="{measure: calls, on: helper",
    ),
    Case(
        "a place that is posted too",
        "{register: stage, value: refunded}",
        "{register: stage, value: refunded}\n      - {register: desk, value: helper}",
        ("'goodwill' sets 'desk' to 'helper' and posts 'calls' to it too", "with a tally"),
        at="{measure: calls, on: helper",
    ),
    Case(
        "an unknown register",
        "{register: rate, value",
        "{register: rat, value",
        ("unknown register 'rat'", "'rate'"),
        alone=False,
    ),
    Case(
        "a value that a register never holds",
        "{register: stage, value: delivered}",
        "{register: stage, value: delivrd}",
        ("register 'stage' never holds 'delivrd'",),
        alone=False,
    ),
    Case(
        "a value of another kind",
        "{register: kept_at, value: place}",
        "{register: kept_at, value: actor}",
        ("holds a depot, but 'actor' is a clerk",),
    ),
    Case(
        "a number outside a register's range",
        "{register: rate, value: fee}",
        "{register: rate, value: 12}",
        ("register 'rate' never holds 12",),
        alone=False,
    ),
    Case(
        "an unknown roster",
        "{roster: watch, key",
        "{roster: wach, key",
        ("unknown roster 'wach'", "'watch'"),
        alone=False,
    ),
    Case(
        "a member of another type",
        "key: actor, member: target}",
        "key: actor, member: actor}",
        ("'actor' is a clerk, not an order",),
    ),
    Case(
        "a roster without its key",
        "{roster: watch, key: actor, member: target}",
        "{roster: watch, member: target}",
        ("needs `key`, a clerk",),
    ),
    Case(
        "a key of another type",
        "key: actor, member: target}",
        "key: target, member: target}",
        ("'target' is an order, not a clerk",),
    ),
    Case(
        "a limit without a number",
        "- id: follow\n",
        "- id: follow\n    limit: {}\n",
        ("a limit without",),
        at="limit:",
    ),
    Case(
        "an amendable role that is none",
        "- id: follow\n",
        "- id: follow\n    amendable: [acter]\n",
        ("has no role 'acter'", "'actor'"),
        at="amendable:",
    ),
    Case(
        "an amendable role that is minted",
        "- id: pay\n",
        "- id: pay\n    amendable: [target]\n",
        ("role 'target' is minted",),
        at="amendable:",
    ),
    Case(
        "a loop that nothing uses",
        "- id: follow\n",
        "- id: follow\n    for: o in order\n",
        ("no posting of 'follow' is `on: o`",),
        at="for:",
    ),
    Case(
        "a loop over what is not there",
        "- id: follow\n",
        "- id: follow\n    for: o in ordre\n",
        ("unknown name 'ordre'", "'order'"),
        at="for:",
    ),
    Case(
        "a cascade on which nothing stands",
        "- id: follow\n",
        "- id: follow\n    voidable: cascade\n",
        ("nothing can stand on a record of 'follow'",),
        at="voidable:",
        severity="warning",
    ),
    Case(
        "a role that is a function",
        "seen: record(pay)}",
        "seen: record(pay), size: depot}",
        ("role 'size' is a word of the expression language",),
        alone=False,
    ),
    Case(
        "a parameter that is a keyword",
        "minutes: {int: [4, 40]}",
        "minutes: {int: [4, 40]}\n      in: minutes + 1\n      much: in + 1",
        ("parameter 'in' is a word of the expression language",),
        alone=False,
    ),
    Case(
        "an attribute that is a keyword",
        "speed: [express, standard]",
        "class: [express, standard]",
        ("attribute 'class' is a word of the expression language",),
    ),
    Case(
        "money for a place that is set",
        "{register: desk, value: actor}",
        "{register: desk, value: actor}\n    post:\n      - {measure: calls, on: actor, delta: 3}",
        ("'deliver' sets 'desk' to 'actor' and posts 'calls' to it too", "a tally of 'desk'"),
        at="{measure: calls, on: actor, delta: 3}",
        severity="warning",
        alone=False,
    ),
]

POSSIBLE = [
    Case(
        "a type that nothing mints",
        "target: order.new}",
        "target: order}",
        ("event 'pay' can never happen: nothing brings about a first order",),
        at="- id: pay",
    ),
    Case(
        "a guard that nothing meets",
        "start: paid up}",
        "start: refunded}",
        (
            "event 'deliver' can never happen: nothing brings about stage[target] == 'paid up'",
            "Add an event or a start that does.",
        ),
        at="- id: deliver",
        alone=False,
    ),
    Case(
        "events that wait for one another",
        "\"stage[target] == 'paid up' and",
        "\"stage[target] == 'refunded' and",
        (
            "event 'deliver' can never happen: it needs stage[target] == 'refunded', which only "
            "'goodwill' brings about, and that waits in turn",
        ),
        at="- id: deliver",
    ),
]

WORDINGS = [
    Case(
        "too few phrasings",
        '      - "{actor} has another fee printed"\n',
        "",
        ("event 'change_rate' has 2 phrasings",),
        at='phrasings:\n      - "{actor} changes',
    ),
    Case(
        "a phrasing without its slots",
        "{actor} pins {target} to the board",
        "{actor} pins it to the board",
        ("does not show {target}",),
    ),
    Case(
        "an unknown slot",
        "{actor} pins {target} to",
        "{actr} pins {target} to",
        ("unknown slot {actr}", "'actor'"),
    ),
    Case(
        "an unknown attribute in a slot",
        'a {target.item}"',
        'a {target.itm}"',
        ("order has no attribute 'itm'", "'item'"),
    ),
    Case(
        "a brace that does not close",
        "{actor} pins {target} to",
        "{actor} pins {target to",
        ("Every { needs its }",),
    ),
    Case(
        "a slot with a format",
        "{actor} pins {target} to",
        "{actor!r} pins {target} to",
        ("a slot has a format",),
    ),
    Case(
        "digits in a phrasing",
        "{actor} pins {target} to",
        "{actor} pins 2 of {target} to",
        ("digits outside slots",),
    ),
    Case(
        "a full stop",
        "{actor} pins {target} to the board",
        "{actor} pins {target} to the board.",
        ("'.' at the end",),
    ),
    Case(
        "a semicolon",
        "is settled in cash, {actor} files it",
        "is settled in cash; {actor} files it",
        ("a semicolon, behind which a log tells effects",),
    ),
    Case(
        "a semicolon in a revision",
        "{ref} is restated",
        "{ref} is restated; read",
        ("a semicolon, behind which a log tells effects",),
    ),
    Case(
        "a semicolon in a rule",
        "Records entered on hold from here on count if they name {where}.",
        "On hold is enough; so records that name {where} count from here on.",
        ("a semicolon, behind which a log tells effects",),
    ),
    Case(
        "a semicolon in noise",
        "Lunch at noon, says {clerk}.",
        "Lunch at noon; {clerk} says so.",
        ("a semicolon, behind which a log tells effects",),
    ),
    Case(
        "a status in a phrasing",
        "{actor} pins {target} to",
        "{actor} pins {target} on hold to",
        ("says 'on hold', a status",),
    ),
    Case(
        "a name in a phrasing",
        "{actor} pins {target} to",
        "{actor} pins {target} at Northgate to",
        ("names the depot 'Northgate'",),
        severity="warning",
    ),
    Case(
        "a parameter that is shown nowhere",
        "{helper} asks, {actor} grants on {target}, {mood} as ever",
        "{helper} asks, {actor} grants on {target}",
        ("parameter 'mood' of 'goodwill' is neither printed by an effect",),
        at="mood: {one_of",
    ),
    Case(
        "a revision without its record",
        '"green light for {ref}"',
        '"green light"',
        ("does not show {ref}",),
    ),
    Case(
        "a revision that shows its record twice",
        '"green light for {ref}"',
        '"green light for {ref}, yes {ref}"',
        ("shows {ref} twice",),
    ),
    Case(
        "a revision with another slot",
        '"green light for {ref}"',
        '"green light for {record}"',
        ("unknown slot {record}", "ref"),
    ),
    Case(
        "a late entry without its block",
        '"belongs to {block}"',
        '"belongs earlier"',
        ("does not show {block}",),
    ),
    Case(
        "a status in a revision",
        '"green light for {ref}"',
        '"{ref} was a draft slip"',
        ("says 'draft slip', a status",),
    ),
    Case(
        "a rule without its place",
        '"For {where} on hold is enough',
        '"There on hold is enough',
        ("does not show {where}",),
    ),
    Case(
        "a rule that names no status",
        '"For {where} on hold is enough',
        '"For {where} less is enough',
        ("does not name the status 'on hold'",),
    ),
    Case(
        "noise about an unknown type",
        "A dog waits outside for {clerk}.",
        "A dog waits for {clrek}.",
        ("unknown slot {clrek}", "'clerk'"),
    ),
    Case(
        "noise with a record id",
        "A dog waits outside for {clerk}.",
        "A dog waits for D3-R2.",
        ("carries a record id",),
    ),
    Case(
        "noise that says a status",
        "A dog waits outside for {clerk}.",
        "A dog is put on hold.",
        ("says 'on hold', a status",),
        severity="warning",
    ),
    Case(
        "little noise",
        '  - "{clerk} looks for the stapler."\n',
        "",
        ("7 noise lines",),
        at="noise:",
        severity="warning",
    ),
]

VALIDITY = [
    Case(
        "a status both valid and invalid",
        "bank-matched, QC-signed]",
        "bank-matched, QC-signed, test run]",
        ("status 'test run' both counts and does not",),
    ),
    Case(
        "a status twice",
        "bank-matched, QC-signed]",
        "bank-matched, bank-matched]",
        ("status 'bank-matched' is listed twice",),
    ),
    Case(
        "a rule about an unknown status",
        "- label: on hold",
        "- label: on hld",
        ("unknown status 'on hld'", "'on hold'"),
    ),
    Case(
        "a rule that changes nothing",
        "becomes: counts",
        "becomes: does_not_count",
        ("rule changes nothing: 'on hold' does not count anyway",),
    ),
    Case(
        "a rule about an unknown type",
        "where: depot",
        "where: deopt",
        ("unknown type 'deopt'", "'depot'"),
    ),
    Case(
        "no pending status",
        "    draft slip: pending\n",
        "",
        ("no pending status that no rule names",),
        at="does_not_count:",
    ),
    Case(
        "no other status",
        "    test run: test\n",
        "",
        ("no other status that does not count",),
        at="does_not_count:",
    ),
]

ENGINE = [
    Case(
        "phrasings that cannot be told apart",
        "{actor} pins {target} to the board",
        "{actor} keeps an eye on {target}",
        ("cannot be told from",),
    ),
    Case(
        "phrasings of two events alike",
        "payment for {target} reaches {actor}",
        "{target} stays on the mind of {actor}",
        ("'{target} stays on the mind of {actor}' cannot be told from",),
        at='"{target} stays on the mind of {actor}"\n      - "{actor} pins',
    ),
    Case(
        "slots that run together",
        "{actor} pins {target} to",
        "{actor}{target} is pinned to",
        ("what fills a slot cannot be told",),
    ),
    Case(
        "an operator that is not there",
        '"ranking/*"',
        '"rankings/*"',
        ("'rankings/*' matches no operator",),
    ),
    Case("an unknown dial", "noise: 0.2}", "noice: 0.2}", ("unknown dial 'noice'", "'noise'")),
    Case("a dial out of range", "noise: 0.2}", "void: 1.2}", ("dial void=1.2 is out of range",)),
    Case(
        "an invariant that the start breaks",
        '"escrow >= 1000"',
        '"escrow >= 99000000"',
        ("the start breaks 'escrow is enough'",),
    ),
    Case(
        "an invariant that costs a walk",
        '"escrow >= 1000"',
        '"all(paid[o] <= escrow for o in order)"',
        ("costs a walk over every order after each record that changes paid, escrow",),
        severity="warning",
    ),
    Case(
        "an event that is asked for by the words of a measure",
        "label: goodwill credit",
        "label: refund",
        ("'refunds' is both what records of 'goodwill' are called and the label of a measure",),
        severity="warning",
    ),
    Case(
        "noise that says what an event says",
        '"A dog waits outside for {clerk}."',
        '"Carrier brings {product} to {depot} for {clerk}."',
        ("'Carrier brings {product} to {depot} for {clerk}.' cannot be told from", "Reword"),
    ),
    Case(
        "noise that says what a rule says",
        '"A dog waits outside for {clerk}."',
        '"For {depot} on hold is enough from this line on."',
        ("cannot be told from 'For {where} on hold is enough from this line on.'",),
        alone=False,
    ),
]


def tells(case: Case, findings: list[str]) -> None:
    text = spoilt((case.old, case.new))
    line = line_of(text, case.at) if case.at else changed_line(text)
    fitting = [f for f in findings if f.startswith(f"{SOURCE}:{line}:") and case.told[0] in f]
    assert fitting, findings
    assert f": {case.severity}: " in fitting[0]
    assert "\n" not in fitting[0]
    for part in case.told:
        assert part in fitting[0]
    assert findings == fitting[:1] or not case.alone


@pytest.mark.parametrize(
    "case",
    [
        c
        for table in (NAMES, STATE, EXPRESSIONS, EVENTS, POSSIBLE, WORDINGS, VALIDITY)
        for c in table
    ],
    ids=lambda case: case.name.replace(" ", "-"),
)
def test_each_mistake_is_told_with_its_line_and_mend(case: Case) -> None:
    findings = [str(finding) for finding in lint(shop((case.old, case.new)))]
    tells(case, findings)


@pytest.mark.parametrize("case", ENGINE, ids=lambda case: case.name.replace(" ", "-"))
def test_what_only_the_engine_sees_is_told_likewise(case: Case) -> None:
    tells(case, [str(finding) for finding in examine(shop((case.old, case.new)))])


@pytest.mark.parametrize(
    ("change", "folder", "told"),
    [
        (("id: returns-desk", "id: return-desk"), "finance-business", "id 'return-desk' in a file"),
        (("title: Returns desk", "title: Desk"), "finance-business", "title 'Desk' gives the id"),
        (("Finance & business\nmacro", "Finance\nmacro"), "finance-business", "unknown theme"),
        (("version: 1", "version: 1"), "sports", "in the folder 'sports'"),
        (("p: Business & finance", "p: Games & sports"), "finance-business", "does not hold the"),
    ],
)
def test_a_catalogue_file_lies_where_its_theme_says(
    change: tuple[str, str], folder: str, told: str
) -> None:
    loaded = shop(change, source=f"prototypes/{folder}/returns-desk.yaml")
    errors = [str(finding) for finding in lint(loaded) if finding.severity == "error"]
    assert told in errors[0]


def test_a_catalogue_world_has_its_usual_size() -> None:
    loaded = shop(source="prototypes/finance-business/returns-desk.yaml")
    found = lint(loaded)
    assert [finding.severity for finding in found] == ["warning", "warning"]
    assert [finding.what for finding in found] == [
        "8 named entities; a corpus world has 19 to 52",
        "8 measures and registers; a corpus world has 4 to 7",
    ]


def test_a_sound_specification_gives_no_finding() -> None:
    assert examine(shop()) == []


@pytest.mark.parametrize("prototype", prototype_files())
def test_the_catalogue_has_no_errors(prototype: str) -> None:
    findings = examine(load_specification(prototype_files()[prototype]))
    assert [str(f) for f in findings if f.severity == "error"] == []


def test_findings_come_in_file_order_and_all_at_once() -> None:
    loaded = shop(("Femi Okoro]}", "Femi Okoro, Ada Brandt]}"), ("rate > 0", "rate > high"),
                  ("- label: on hold", "- label: on hld"))  # fmt: skip
    lines = [int(finding.where.split(":")[1]) for finding in lint(loaded)]
    assert len(lines) == 3
    assert lines == sorted(lines)


def test_a_name_that_is_missing_in_many_places_is_told_once_with_all_lines() -> None:
    text = spoilt(("  shift: {label", "  crew: {label"))
    (finding,) = [f for f in lint(parse_specification(text)) if f.severity == "error"]
    assert "unknown name 'shift'" in finding.what
    assert "(also lines " in finding.what


@pytest.mark.parametrize("word", ["from", "in", "size", "count", "lambda"])
def test_a_role_that_is_a_word_of_the_language_is_told_once_and_nothing_else(word: str) -> None:
    text = SHOP.replace("helper", word).replace("and open_", f"and {word} != actor and open_")
    (finding,) = lint(parse_specification(text))
    assert f"role {word!r} is a word of the expression language" in finding.what
    assert finding.mend == "Rename it."


@pytest.mark.parametrize("word", ["from", "is", "size", "left"])
def test_a_parameter_that_is_a_word_of_the_language_likewise(word: str) -> None:
    text = SHOP.replace("minutes", word)
    (finding,) = lint(parse_specification(text))
    assert f"parameter {word!r} is a word of the expression language" in finding.what


def test_the_example_of_the_documentation_is_sound_and_is_proved() -> None:
    page = (Path(__file__).parents[2] / "docs" / "specification.md").read_text(encoding="utf-8")
    example = parse_specification(page.split("```yaml\n")[1].split("```")[0])
    (finding,) = examine(example)
    assert "costs a walk over every order" in finding.what
    assert prove(example, seeds=2).passed


def places(data: object, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The places of all values inside some data."""
    parts = data if isinstance(data, list) else []
    inner = data.items() if isinstance(data, dict) else enumerate(parts)
    return [place for key, value in inner for place in ((*at, key), *places(value, (*at, key)))]


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("other", [None, "clerk", "stage", "1 +", 0, []], ids=str)
def test_whatever_is_spoilt_is_told_and_never_raises(start: int, other: object) -> None:
    # Every 31st value is left out or replaced; what passes the lint compiles.
    for place in places(yaml.safe_load(SHOP))[start * 7 :: 31]:
        data = yaml.safe_load(SHOP)
        holder = data
        for key in place[:-1]:
            holder = holder[key]
        if other is None:
            del holder[place[-1]]
        else:
            holder[place[-1]] = other
        try:
            loaded = parse_specification(yaml.safe_dump(data, sort_keys=False), SOURCE)
        except SpecError:
            continue
        if not any(finding.severity == "error" for finding in lint(loaded)):
            compile_specification(loaded.spec)

"""A small correct specification, and a way to spoil it."""

from __future__ import annotations

from supersede.specs.load import Loaded, parse_specification

SOURCE = "shop.yaml"

SHOP = """\
id: returns-desk
version: 1
title: Returns desk
theme: Finance & business
macro_group: Business & finance
setting: Follow the returns desk of a small shop.
entities:
  clerk: {label: clerk, names: [Ada Brandt, Chen Li, Femi Okoro]}
  product: {label: product, names: [kettle, rug, rain jacket], attributes: {price: [12, 40, 25]}}
  depot: {label: depot, names: [Northgate, Southgate], attributes: {room: [6, 9]}}
  order:
    label: order
    minted: "#{n}"
    from: 301
    attributes: {item: product, cover: {int: [100, 900], step: 50}, speed: [express, standard]}
clock: {block: Day, time: "08:30", step: [4, 25], record: "D{block}-R{n}"}
measures:
  paid: {label: amount paid, unit: USD, scale: 100, per: order, min: 0}
  refunds: {label: refunds, unit: USD, scale: 100, per: order, min: 0, max: "paid[e]"}
  escrow: {label: escrow, unit: USD, scale: 100, start: 1800000, min: 0}
  calls: {label: calls taken, per: clerk}
derived:
  open_value: {label: open value, unit: USD, scale: 100, per: order, is: "paid[e] - refunds[e]"}
  half_open: {label: half of it, per: order, is: "floor_div(open_value[e], 2)"}
registers:
  stage: {label: stage, on: order, values: [paid up, delivered, refunded], start: paid up}
  kept_at: {label: shelf, on: order, values: depot}
  desk: {label: desk, on: order, values: clerk}
  rate: {label: fee rate, int: [1, 9], start: 2}
rosters:
  shift: {label: shift, of: clerk, start: [Ada Brandt, Chen Li]}
  watch: {label: watch list, of: order, per: clerk}
tallies:
  stored: {label: orders on shelf, of: kept_at, max: "room[e]"}
relations:
  near: {pairs: [[Northgate, Southgate]]}
events:
  - id: pay
    label: payment
    weight: 3
    roles: {actor: clerk in shift, target: order.new}
    parameters:
      amount: {int: [1000, 9000], step: 100}
    phrasings:
      - "{actor} books the payment for {target}, a {target.item}"
      - "payment for {target} reaches {actor}"
      - "{target} is settled in cash, {actor} files it"
    post:
      - {measure: paid, delta: amount}
      - {measure: escrow, delta: amount}
  - id: deliver
    label: delivery
    weight: 2
    roles: {actor: clerk, target: order, place: depot}
    when: "stage[target] == 'paid up' and stored[place] < place.room"
    phrasings:
      - "{actor} hands over {target} at {place}"
      - "carrier brings {target} to {place} for {actor}"
      - "{place} has {target}, says {actor}"
    set:
      - {register: stage, value: delivered}
      - {register: kept_at, value: place}
      - {register: desk, value: actor}
  - id: goodwill
    label: goodwill credit
    roles: {actor: clerk, helper: clerk != actor, target: order}
    when: "stage[target] == 'delivered' and open_value[target] >= 500"
    parameters:
      mood: {one_of: [calm, cross]}
      amount: {int: [500, "open_value[target]"], step: 100}
    phrasings:
      - "{actor} and {helper} grant a {mood} customer credit on {target}"
      - "{target} goes back in part, {mood} customer, signed {actor}, {helper}"
      - "{helper} asks, {actor} grants on {target}, {mood} as ever"
    post:
      - {measure: refunds, delta: amount}
      - {measure: escrow, delta: -amount}
      - {measure: calls, on: actor, delta: 1}
      - {measure: calls, on: helper, delta: 1}
    set:
      - {register: stage, value: refunded}
  - id: change_rate
    label: new fee
    roles: {actor: clerk}
    parameters:
      fee: {int: [1, 9]}
    when: "rate > 0"
    phrasings:
      - "{actor} changes the fee"
      - "new fee on the door, put up by {actor}"
      - "{actor} has another fee printed"
    set:
      - {register: rate, value: fee}
  - id: start_shift
    label: start of work
    roles: {actor: clerk not in shift}
    phrasings:
      - "{actor} comes in"
      - "{actor} takes a seat at the desk"
      - "good morning from {actor}"
    join:
      - {roster: shift, member: actor}
  - id: end_shift
    label: end of work
    weight: 0.5
    roles: {actor: clerk in shift, seen: record(pay)}
    when: "size(shift) > 1"
    phrasings:
      - "{actor} goes home after {seen}"
      - "{seen} was the last for {actor}"
      - "{actor} signs off with {seen}"
    leave:
      - {roster: shift, member: actor}
  - id: follow
    label: follow-up
    roles: {actor: clerk, target: "order not in watch[actor]"}
    phrasings:
      - "{actor} keeps an eye on {target}"
      - "{target} stays on the mind of {actor}"
      - "{actor} pins {target} to the board"
    join:
      - {roster: watch, key: actor, member: target}
  - id: share_out
    label: shared call
    roles:
      callers: {list: clerk, size: [2, 3]}
    parameters:
      minutes: {int: [4, 40]}
    phrasings:
      - "{callers} share the phone"
      - "a long call for {callers}"
      - "{callers} talk to one customer"
    post:
      - {measure: calls, on: callers, split: minutes}
statuses:
  counts: [till receipt, bank-matched, QC-signed]
  does_not_count:
    on hold: pending
    draft slip: pending
    test run: test
revisions:
  void: ["{ref} is taken off the books", "{ref} was booked in error", "strike {ref} from the log"]
  correct: ["{ref} was wrong, instead", "this stands in for {ref}", "{ref} is void and booked anew"]
  amend: ["{ref} is restated", "correction to {ref}", "{ref} now reads"]
  confirm: ["{ref} is confirmed", "{ref} is now final", "green light for {ref}"]
  reinstate: ["{ref} stands after all", "{ref} is restored", "the strike of {ref} is taken back"]
  repost: ["copy of {ref} for the file", "{ref} forwarded again", "{ref}, second copy"]
  backfill: ["entered late for {block}", "missed on {block}, booked now", "belongs to {block}"]
rules:
  - label: on hold
    becomes: counts
    where: depot
    text:
      - "Records entered on hold from here on count if they name {where}."
      - "From now on whatever names {where} counts even on hold."
      - "For {where} on hold is enough from this line on."
noise:
  - "{clerk} jokes that every order should be refunded."
  - "Someone asks about the {product}, nothing is decided."
  - "Lunch at noon, says {clerk}."
  - "The lamp over the desk flickers."
  - "{depot} reports a leaking roof."
  - "A dog waits outside for {clerk}."
  - "The radio plays the same song again."
  - "{clerk} looks for the stapler."
invariants:
  - {name: escrow is enough, holds: "escrow >= 1000"}
  - {name: refunds are covered, holds: "all(refunds[o] <= paid[o] for o in order)"}
difficulty: {longest: long, dials: {noise: 0.2}}
operators: ["ranking/*", "*"]
"""
"""Every feature that the lint looks at, and not one finding."""


def shop(*changes: tuple[str, str], source: str = SOURCE) -> Loaded:
    """The specification with some of its text replaced, each text being there exactly once."""
    return parse_specification(spoilt(*changes), source)


def spoilt(*changes: tuple[str, str]) -> str:
    """The text of the specification with some of it replaced."""
    text = SHOP
    for old, new in changes:
        if text.count(old) != 1:
            raise LookupError(f"{old!r} stands there {text.count(old)} times")
        text = text.replace(old, new)
    return text


def line_of(text: str, words: str) -> int:
    """The 1-based number of the line on which some words first begin."""
    return text[: text.index(words)].count("\n") + 1


def changed_line(text: str) -> int:
    """The 1-based number of the first line that differs from that of the sound specification."""
    lines = zip(SHOP.splitlines(), text.splitlines(), strict=False)
    return next(n for n, (old, new) in enumerate(lines, start=1) if old != new)

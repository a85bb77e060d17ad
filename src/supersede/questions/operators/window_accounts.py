"""Window & range as an account: what stood, what came and went, what was restated later."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import goes_down
from supersede.questions.facts import Facts
from supersede.questions.forms import Line, margin, value
from supersede.questions.needs import TOOK_PLACE
from supersede.questions.operators.profile_measures import ONE_BY_ONE, both_ways
from supersede.questions.registry import Given, operator
from supersede.questions.validity import Variant
from supersede.questions.view import View
from supersede.questions.wording import block_phrase, window_phrase


def _accounts(facts: Facts) -> list[str]:
    """Measures with a value of their own for each entity of a type."""
    measures = facts.world.measures
    return [m for m in facts.measured if len(measures[m].per) == 1 and measures[m].per[0] in
            facts.measured_types(m)]  # fmt: skip


def _account(d: Draw) -> Parameters | None:
    kept = _accounts(d.facts)
    measure = d.measure(goes_down(d, kept) or kept)
    if measure is None:
        return None
    kind = d.facts.world.measures[measure].per[0]
    touched = [row[3] for row in d.index.postings(measure, kind) if row[3] is not None]
    entity = d.near(list(dict.fromkeys(touched)), d.focus_names(kind))
    first, last = d.window()
    return complete(measure=measure, entity=entity, first=first, last=last)


@operator(
    "window/account-statement",
    needs=lambda f: bool(_accounts(f)),
    draw=_account,
    phrasings=(
        "Draw up an account of the {measure} of {entity} for {window}: what it was right before, "
        "the sum of the rises, the sum of the falls, and what it was at the end.",
        "For {window}, give the {measure} of {entity} at the start and at the end of that stretch, "
        "with the sums of its rises and falls in between.",
        "How did the {measure} of {entity} develop {in_window}: value before, all rises, all "
        "falls, value after?",
    ),
    notes=(
        "Values include what it started at before the first record.",
        "Judge all records as known at the end of the log.",
        ONE_BY_ONE,
        "The sum of the falls keeps its minus sign.",
        TOOK_PLACE,
    ),
)
def account_statement(v: View, p: Given) -> list[Line]:
    """The level of a measure of one entity before and after a window, its rises and falls."""
    part, entity = v.world.measures[p.text("measure")], p.text("entity")
    first, last = p.number("first"), p.number("last")
    before = v.net(v.postings(part.name, entity=entity, scope=v.window(1, first - 1)))
    up, down = both_ways(v, v.postings(part.name, entity=entity, scope=v.window(first, last)))
    opening = part.start + before
    what, phrase = f"{part.label} of {entity}", window_phrase(v.world, first, last)
    return [
        value("before", opening, f"{what} before {block_phrase(v.world, first)}", part.scale),
        value("rises", up, f"sum of the rises of {what} within {phrase}", part.scale),
        value("falls", down, f"sum of the falls of {what} within {phrase}", part.scale),
        value("after", opening + up + down, f"{what} at the end of "
              f"{block_phrase(v.world, last)}", part.scale),
    ]  # fmt: skip


def _restated(d: Draw) -> Parameters | None:
    final = d.index.last_block
    if final < 2:
        return None
    first, last = d.window()
    last = min(last, final - 1)
    return complete(measure=d.measure(), first=min(first, last), last=last)


@operator(
    "window/restated-window",
    needs=needs.anything,
    draw=_restated,
    phrasings=(
        "What was the net change of {measure} over {window} as known when {block_noun} {last} "
        "ended, what is it as known now, and what is the difference?",
        "Compare the net {measure} of {window} by all that had been entered by the end of "
        "{block_noun} {last} with the one by the whole log.",
        "By how much was the net {measure} of {window} restated after {block_noun} {last}?",
    ),
    notes=(
        "What was entered later, late entries and revisions included, was not known then.",
        "The difference is the net change as known now less the one as known then.",
        TOOK_PLACE,
    ),
)
def restated_window(v: View, p: Given) -> list[Line]:
    """The net change of a measure in a window as known at its end, and as known now."""
    part, first, last = v.world.measures[p.text("measure")], p.number("first"), p.number("last")
    known = v.changed(Variant(cut=last))
    then = known.net(known.postings(part.name, scope=known.window(first, last)))
    now = v.net(v.postings(part.name, scope=v.window(first, last)))
    what = f"net {part.label} within {window_phrase(v.world, first, last)}"
    return [
        value("then", then, f"{what} as known at the end of {block_phrase(v.world, last)}",
              part.scale),
        value("now", now, f"{what} as known at the end of the log", part.scale),
        margin("difference", now - then, "net change as known now less then", part.scale),
    ]  # fmt: skip

"""Asking: an operator drawn uniformly, with parameters that careless readers get wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import compress, count
from operator import ne
from typing import NamedTuple

from supersede.errors import SampleError, UsageError, did_you_mean
from supersede.model.question import Answer, Question
from supersede.model.record import Record
from supersede.model.world import World
from supersede.questions.answering import proven
from supersede.questions.draw import Draw, Parameters, Random
from supersede.questions.facts import Facts, facts_of
from supersede.questions.forms import Line, form_text, tells
from supersede.questions.index import Index
from supersede.questions.reading import Reading, Shortcut, readings, true_reading
from supersede.questions.registry import Given, Operator, all_operators, holes, matching
from supersede.questions.trace import Trace
from supersede.questions.view import View
from supersede.specs.schema import Specification
from supersede.worlds.ledger import Ledger

TRIES = 3
"""How many sets of parameters are compared before the best of them is taken."""

SIBLINGS = 4
"""How many more operators of a family are drawn while the answer has nothing to tell."""

_USUAL = (Shortcut.NO_REVISIONS, Shortcut.EVERYTHING, Shortcut.LAST_MENTION)
"""Readers that a question is to catch, those that get away most often first."""

_TELLS = 100
"""Score of an answer that has something to tell, above all that careless readers add to it."""

_AIMED = (Shortcut.NO_BACKFILL, Shortcut.NO_RULES)
"""Readers that few questions can catch: a question that does is preferred."""


def operators_for(spec: Specification, world: World) -> tuple[Operator, ...]:
    """The operators that a specification lists and whose needs its world meets."""
    return _usable(facts_of(world, spec), spec.operators, len(all_operators()))


@lru_cache(maxsize=512)
def _usable(facts: Facts, patterns: tuple[str, ...], _registered: int) -> tuple[Operator, ...]:
    return tuple(op for op in matching(patterns) if op.needs(facts))


def ask(
    spec: Specification,
    world: World,
    ledger: Ledger,
    rnd: Random,
    operator: str = "*",
    depth: int = 1,
    shortcut_aware: bool = True,
    *,
    blocks: int | None = None,
) -> tuple[Question, Answer]:
    """A question on the history in a ledger, and its answer.

    The operator is drawn uniformly from those of the prototype (E-068); one that finds nothing
    to ask about in this history is drawn again. One whose answer has nothing to tell (see
    `forms.tells`) gives way to others of its family, so that the shares of families stay; where
    they have no more to tell, it is asked after all. Only a zero that every usual careless reader
    gets wrong is worth asking.

    Args:
        spec: The specification of the world.
        world: The world of the history.
        ledger: The ledger that has replayed the history.
        rnd: The `question` stream.
        operator: A name or a pattern to choose from.
        depth: Most entities that a counterfactual takes away.
        shortcut_aware: Whether parameters are chosen that careless readers get wrong.
        blocks: Number of blocks of the history; default: the block of its last record.

    Raises:
        UsageError: The pattern matches no operator of the specification.
        SampleError: The history has nothing that any of the operators could ask about.
    """
    facts = facts_of(world, spec)
    choice = list(_choice(facts, spec, operator))
    index = Index(facts, ledger.records, blocks, ledger)
    asker = _Asker(index, true_reading(index, ledger), rnd, depth)
    while choice:
        drawn = choice.pop(int(rnd() * len(choice)))
        tried = asker.parameters(drawn, TRIES if shortcut_aware else 1)
        if tried is not None:
            if shortcut_aware and not asker.telling:
                siblings = [op for op in choice if op.family is drawn.family]
                drawn, tried = asker.sibling(siblings) or (drawn, tried)
            found = proven(drawn, Given(tried.given), index, asker.true, tried.lines, tried.trace)
            return asker.question(drawn, tried.given, tried.lines), found
    raise SampleError(
        f"no operator like {operator!r} has anything to ask about in this history",
        mend="Take a longer tier, or list more operators.",
    )


def _choice(facts: Facts, spec: Specification, pattern: str) -> Sequence[Operator]:
    choice = _fitting(facts, spec.operators, pattern, len(all_operators()))
    if choice:
        return choice
    if not matching([pattern]):
        raise UsageError(
            f"unknown operator {pattern!r}",
            mend=did_you_mean(pattern, all_operators(), see="supersede operators"),
        )
    usable = [op.name for op in operators_for(spec, facts.world)]
    raise UsageError(
        f"operator {pattern!r} does not fit {spec.id!r}",
        mend=did_you_mean(pattern, usable, see=f"supersede operators {spec.id}"),
    )


@lru_cache(maxsize=512)
def _fitting(
    facts: Facts, patterns: tuple[str, ...], pattern: str, registered: int
) -> tuple[Operator, ...]:
    """Those of the usable operators that match a pattern."""
    wanted = {op.name for op in matching([pattern])}
    return tuple(op for op in _usable(facts, patterns, registered) if op.name in wanted)


class _Tried(NamedTuple):
    """A set of parameters, and what they give on the true reading."""

    given: Parameters
    lines: list[Line]
    trace: Trace


class _Asker:
    """Draws and compares parameters on one history."""

    def __init__(self, index: Index, true: Reading, rnd: Random, depth: int) -> None:
        self.index = index
        self.true = true
        self.rnd = rnd
        self.depth = depth
        self._aims: dict[Shortcut, list[int]] = {}
        self.telling = False
        """Whether the answer to the parameters chosen last has something to tell."""

    def sibling(self, choice: list[Operator]) -> tuple[Operator, _Tried] | None:
        """One of a few drawn operators whose answer has something to tell, if there is one."""
        for _ in range(min(SIBLINGS, len(choice))):
            drawn = choice.pop(int(self.rnd() * len(choice)))
            tried = self.parameters(drawn, TRIES)
            if tried is not None and self.telling:
                return drawn, tried
        return None

    @cached_property
    def others(self) -> Mapping[Shortcut, Reading]:
        """The readings of careless readers, made when first needed."""
        return readings(self.index, self.true)

    def parameters(self, operator: Operator, tries: int) -> _Tried | None:
        """The best of a few drawn parameter sets; None where none could be drawn."""
        best: _Tried | None = None
        best_score = -1
        aimed = self.rnd() < 0.5
        drawn: list[tuple[_Tried, tuple[int, int]]] = []
        for n in range(tries + 2):
            focus = self._focus(n, aimed) if tries > 1 else None
            misread = self._aim(Shortcut.NO_REVISIONS) if tries > 1 else ()
            draw = Draw(self.index, self.true, self.rnd, focus, self.depth, misread)
            given = operator.draw(draw)
            if given is None:
                continue
            known = next((before for before in drawn if before[0].given == given), None)
            if known is None:
                tried = self._tried(operator, given)
                if tries == 1:
                    return tried
                known = (tried, self._score(operator, tried, best_score))
            drawn.append(known)
            tried, (score, enough) = known
            if score > best_score:
                best, best_score = tried, score
            if best_score >= enough or (len(drawn) >= tries and best_score >= _TELLS):
                break
        self.telling = best_score >= _TELLS
        return best

    def _tried(self, operator: Operator, given: Parameters) -> _Tried:
        trace = Trace()
        lines = operator.solve(View(self.index, self.true, trace), Given(given))
        return _Tried(given, lines, trace)

    def _score(self, operator: Operator, tried: _Tried, best: int) -> tuple[int, int]:
        """How well a parameter set tells careful readers from careless ones, and what will do.

        An answer with something to tell is better than any other; so is a zero that every usual
        reader gets wrong. A set that cannot get above the best score so far is not looked at to
        the end.
        """
        told = tells(tried.lines)
        enough = most = _TELLS + 4 * len(_USUAL)
        for shortcut in _USUAL:
            if not self._misled(shortcut, operator, tried):
                most -= 4 if told or most < _TELLS else 4 + _TELLS
                if most <= best:
                    break
        if most < enough:
            return most, enough
        rare = [shortcut for shortcut in _AIMED if shortcut in self.others]
        misled = [self._misled(shortcut, operator, tried) for shortcut in rare]
        return enough + sum(misled), enough + bool(rare)

    def _misled(self, shortcut: Shortcut, operator: Operator, tried: _Tried) -> bool:
        """Whether a careless reader answers anything but what is right."""
        reading = self.others[shortcut]
        if reading is self.true or (shortcut is Shortcut.NO_BACKFILL and not tried.trace.placed):
            return False
        lines = operator.solve(View(self.index, reading), Given(tried.given))
        return values(lines) != values(tried.lines)

    def _focus(self, n: int, aimed: bool) -> Record | None:
        """A record to aim at: one that a rare mistake moves, later one of any mistake."""
        order = (Shortcut.NO_BACKFILL, Shortcut.NO_RULES) if aimed else _AIMED[::-1]
        wanted = (order[0], order[1], Shortcut.NO_REVISIONS)[n % 3]
        for shortcut in (wanted, Shortcut.NO_REVISIONS, Shortcut.EVERYTHING):
            found = self._aim(shortcut)
            if found:
                return self.index.records[found[int(self.rnd() * len(found))]]
        return None

    def _aim(self, shortcut: Shortcut) -> list[int]:
        """Entries that a careless reader gets wrong."""
        known = self._aims.get(shortcut)
        if known is None:
            known = self._aims[shortcut] = self._misread(shortcut)
        return known

    def _misread(self, shortcut: Shortcut) -> list[int]:
        if shortcut not in self.others:
            return []
        true, read = self.true.source, self.others[shortcut].source
        records, validity = self.index.records, self.index.validity
        if shortcut is Shortcut.NO_BACKFILL:
            found = [i for i in validity.backfills if true[i] >= 0]
        else:
            found = list(compress(count(), map(ne, read, true)))
        return [i for i in found if records[i][7] is not None]

    def question(self, operator: Operator, given: Parameters, lines: list[Line]) -> Question:
        """The question in words; `lines` show the form of its answer."""
        wordings = operator.wordings(given)
        phrasing = wordings[int(self.rnd() * len(wordings))]
        text = worded(self.index, operator, phrasing, given, lines)
        return Question(operator.name, operator.family, given, text)


def values(lines: list[Line]) -> list[str]:
    """What the slots of an answer are filled with."""
    return [line.expected for line in lines]


def worded(
    index: Index, operator: Operator, phrasing: str, given: Parameters, lines: list[Line]
) -> str:
    """A question's text: the wording, what one must know to answer, and the answer form."""
    filled = holes(index.facts.world, given)
    sentences = [phrasing.format_map(filled)]
    sentences += [note.format_map(filled).strip() for note in operator.notes]
    body = " ".join(sentence for sentence in sentences if sentence)
    return f"{body}\nEnd with one line of this form: {form_text(lines)}"

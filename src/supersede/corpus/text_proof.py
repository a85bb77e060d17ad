"""The first check of an instance: proved from its text alone.

An instance is proved when the records read back from its messages, by a reader that is denied
the specification's effects, give the stored answer, checklist, evidence and difficulty once more.
That uses nothing of what wrote it.
"""

from __future__ import annotations

from functools import lru_cache

from supersede.corpus.realised import realised
from supersede.errors import SupersedeError
from supersede.model.identity import Same
from supersede.model.instance import Instance
from supersede.model.question import Answer, Outcome
from supersede.model.record import History
from supersede.model.world import World
from supersede.prototypes import load_prototype
from supersede.questions import answer, grade
from supersede.rendering.lines import FINAL
from supersede.rendering.reader import Reader
from supersede.specs.schema import Specification
from supersede.worlds.ledger import Ledger
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay
from supersede.worlds.replayed_laws import broken_law


def prove_instance(instance: Instance, spec: Specification | None = None) -> str | None:
    """Why the text of an instance does not prove its answer; None where it does.

    Args:
        instance: What is to be proved; of its records nothing is used to find the answer.
        spec: Its specification, where that is neither of the catalogue nor read from a file by
            this process.
    """
    key = instance.key
    spec = load_prototype(key.prototype) if spec is None else spec
    if spec.version != key.prototype_version:
        return f"is of version {key.prototype_version} of {spec.id}, which is at {spec.version}"
    try:
        world = _world(spec)
        history = reader_of(spec).read(instance.messages)
        ledger = replay(world, history)
        again = answer(world, ledger, instance.question, blocks=history.blocks)
        broken = broken_law(spec, ledger, history.blocks)
    except SupersedeError as error:
        return str(error)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        return f"the question cannot be answered from the text: {error!r}"
    return (
        _difference_of_records(instance.history, history)
        or (None if broken is None else f"{broken!r} does not hold at the end of the text")
        or _difference_of_answers(instance.answer, again)
        or _difference_of_difficulty(instance, history, ledger)
        or _fault_of_question(instance)
    )


def reader_of(spec: Specification) -> Reader:
    """The reader of a specification, built once."""
    return _reader(Same(spec))


@lru_cache(maxsize=256)
def _reader(same: Same[Specification]) -> Reader:
    return Reader(same.value, _world(same.value))


def _world(spec: Specification) -> World:
    return compile_specification(spec).world


def _difference_of_records(stored: History, read: History) -> str | None:
    """Where stored records, if there are any, are not those that the text shows.

    Parameters are left out: what matters of them is printed as effects.
    """
    if stored.blocks != read.blocks:
        return f"shows {read.blocks} blocks and stores {stored.blocks}"
    if not stored.records:
        return None
    if len(stored.records) != len(read.records):
        return f"shows {len(read.records)} records and stores {len(stored.records)}"
    for one, other in zip(stored.records, read.records, strict=True):
        if one._replace(parameters={}) != other._replace(parameters={}):
            return f"record {one.id} is stored in another way than it is shown"
    return None if stored.noise == read.noise else "stores other noise than it shows"


def _difference_of_answers(stored: Answer, found: Answer) -> str | None:
    if stored.text != found.text:
        return f"the answer from the text is {found.text!r}, not {stored.text!r}"
    if stored.checklist != found.checklist:
        return "the checklist from the text is another"
    if stored.evidence != found.evidence:
        return "the evidence from the text is another"
    return None


def _difference_of_difficulty(instance: Instance, read: History, ledger: Ledger) -> str | None:
    """Where the stored measures of difficulty are not those of the text.

    Interleaving is left out: it looks at the role that was drawn first, which no text shows.
    """
    asked = sum(message.role == "assistant" for message in instance.messages)
    for name, value in realised(read, ledger, asked).items():
        if name != "interleaving" and instance.realised.get(name) != value:
            return f"realised {name} is {instance.realised.get(name)}, the text shows {value}"
    return None


def _fault_of_question(instance: Instance) -> str | None:
    """Whether the question is not what is asked, or its answer is not graded right."""
    _, _, asked = instance.messages[-1].content.partition("\n\n")
    if asked != f"{FINAL}{instance.question.text}":
        return "the last turn asks another question"
    graded = grade(instance.question, instance.answer.checklist, instance.answer.text)
    if graded.outcome is not Outcome.RIGHT:
        return f"the answer is graded {graded.outcome}: {graded.reason}"
    return None

"""The gallery: each world with a short instance of it, as one page of Markdown.

The instance is the first of the tier `very_short` whose answer hangs on a revision: a record that
voids, replaces, amends, confirms or restores another is in its evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from supersede.corpus.instances import make_instance
from supersede.corpus.show import counted
from supersede.model.instance import Instance, InstanceKey, Split, Tier
from supersede.model.record import Kind
from supersede.rendering.lines import FINAL
from supersede.specs.schema import Specification

TIER = Tier.VERY_SHORT
TRIES = 60
"""Instances among which the first with a revision is looked for: those of the training split."""

_REVISIONS = frozenset({Kind.VOID, Kind.CORRECT, Kind.AMEND, Kind.CONFIRM, Kind.REINSTATE})


def gallery_page(shown: Iterable[tuple[Specification, Instance]]) -> str:
    """The page of Markdown.

    Args:
        shown: Each world with an instance of it, in any order.
    """
    ordered = sorted(shown, key=lambda pair: (pair[0].theme, pair[0].title))
    contents = "\n".join(_contents(spec for spec, _ in ordered))
    parts = [_HEAD.format(worlds=counted(len(ordered), "world")), contents]
    for theme, pairs in groupby(ordered, key=lambda pair: pair[0].theme):
        parts.append(f"## {theme}")
        parts += [_section(spec, instance) for spec, instance in pairs]
    return "\n\n".join(parts) + "\n"


_HEAD = """# Gallery

{worlds}, each with a short instance that code made: a log in which later records revise earlier \
ones, the question at its end, and the answer, its checklist and its evidence. What a model reads \
besides, the rules of the log and the names in it, is left out here; `supersede sample` prints it. \
Longer logs have up to 1,200 records.

This page is generated: `supersede gallery -o GALLERY.md`"""


def _contents(specs: Iterable[Specification]) -> Iterator[str]:
    for theme, members in groupby(specs, key=lambda spec: spec.theme):
        yield f"- {theme}: {', '.join(f'[{spec.title}](#{spec.id})' for spec in members)}"


def chosen_instance(spec: Specification) -> Instance:
    """The instance of a world that the gallery shows.

    Returns:
        The first whose evidence holds a revision; where none of `TRIES` has one, the first whose
        log does; where none of them has that either, the first.

    Raises:
        SampleError: The world cannot go on.
    """
    made = [_instance(spec, 0)]
    while not revisions(made[-1]).intersection(made[-1].answer.evidence):
        if len(made) == TRIES:
            return next(filter(revisions, made), made[0])
        made.append(_instance(spec, len(made)))
    return made[-1]


def _instance(spec: Specification, index: int) -> Instance:
    return make_instance(InstanceKey(spec.id, spec.version, TIER, Split.TRAIN, index), spec)


def revisions(instance: Instance) -> set[str]:
    """The ids of the records that revise others."""
    return {record.id for record in instance.history.records if record.kind in _REVISIONS}


def _section(spec: Specification, instance: Instance) -> str:
    """A world: title, where it is from, setting, log, question, answer, checklist, evidence."""
    key, answer = instance.key, instance.answer
    command = f"supersede sample {spec.id} --tier {key.tier} --index {key.index}"
    return "\n\n".join(
        [
            f'<a id="{spec.id}"></a>\n\n### {spec.title}',
            " ".join(spec.setting.split()),
            f"`{command}`",
            _fenced(_log(instance)),
            f"Question, by the operator `{instance.question.operator}`:",
            _fenced(instance.question.text),
            "Answer and checklist:",
            _fenced("\n".join([answer.text, "", *_checklist(instance)])),
            f"Evidence: {', '.join(answer.evidence) or 'none'}",
        ]
    )


def _log(instance: Instance) -> str:
    """The conversation without the system message and the final question."""
    turns = [message.content for message in instance.messages if message.role != "system"]
    turns[-1] = turns[-1].removesuffix(f"{FINAL}{instance.question.text}").rstrip()
    return "\n\n".join(turns)


def _checklist(instance: Instance) -> Iterator[str]:
    for number, claim in enumerate(instance.answer.checklist, start=1):
        yield f"{number}. [{claim.kind}] {claim.text}"


def _fenced(text: str) -> str:
    """A text shown as it is; names and forms hold signs that Markdown would take for its own."""
    return f"```text\n{text}\n```"

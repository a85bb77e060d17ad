"""Lint of names: what is printed in a log must be told apart by its text alone (R35, R36)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from supersede.model.text import fold, unseen
from supersede.specs.lint_report import Report, an
from supersede.specs.load import Place
from supersede.specs.schema import Event, NamedAttribute, Specification, SymbolParameter

_SIGNS = re.compile(r"[;={}()\[\]\"\n\t]|: |, |^\s|\s$")
_NO_LABEL = re.compile(r'[,\[\]"]')
"""Signs that no label of an event may hold, beside those that no label may."""
_ONLY_A_NUMBER = re.compile(r"[-+]?\d+([.,:]\d+)*")
_THINKING = re.compile(r"</?think", re.IGNORECASE)
_SAMPLES = (1, 12, 305)


class Word(NamedTuple):
    """A name, label or value that a log prints."""

    text: str
    path: Place
    what: str
    """For people: `product`, `status`, `value of stage`."""
    is_name: bool
    """Whether it is an entity's name, printed in free wording."""


def words_of(spec: Specification) -> Iterator[Word]:
    """Every name, status label, register value, attribute and parameter symbol."""
    for kind, entity in spec.entities.items():
        for n, name in enumerate(entity.names):
            yield Word(name, ("entities", kind, "names", n), kind, True)
    for n, label in enumerate(spec.statuses.counts):
        yield Word(label, ("statuses", "counts", n), "status", False)
    for label in spec.statuses.does_not_count:
        yield Word(label, ("statuses", "does_not_count", label), "status", False)
    for name, register in spec.registers.items():
        if isinstance(register.values, tuple):
            for n, value in enumerate(register.values):
                path: Place = ("registers", name, "values", n)
                yield Word(value, path, f"value of {name}", False)
    yield from _attribute_words(spec)
    for n, event in enumerate(spec.events):
        for name, part in event.parameters.items():
            if isinstance(part, SymbolParameter) and isinstance(part.one_of, tuple):
                for m, value in enumerate(part.one_of):
                    path = ("events", n, "parameters", name, "one_of", m)
                    yield Word(value, path, f"value of {event.id}.{name}", False)


def _attribute_words(spec: Specification) -> Iterator[Word]:
    names = {name for entity in spec.entities.values() for name in entity.names}
    for kind, entity in spec.entities.items():
        for name, declared in entity.attributes.items():
            named = isinstance(declared, NamedAttribute)
            values = declared.values if isinstance(declared, NamedAttribute) else declared
            if not isinstance(values, tuple):
                continue
            for n, value in enumerate(values):
                if isinstance(value, str) and value not in values[:n] and value not in names:
                    inner: Place = ("values", n) if named else (n,)
                    path: Place = ("entities", kind, "attributes", name, *inner)
                    yield Word(value, path, f"{name} of {kind}", False)


def lint_names(report: Report) -> None:
    """Look through all names, labels and values, and the templates of minted names."""
    words = list(words_of(report.spec))
    for word in words:
        _form(report, word)
    _twice(report, words)
    _alike(report, words)
    _parts(report, words)
    _in_labels(report, words)
    _minted(report, words)
    _asked_alike(report)


def _asked_alike(report: Report) -> None:
    """No event is asked for by the words of a measure: the number of valid games is one of two."""
    spec = report.spec
    measured = {part.label for part in spec.measures.values()}
    measured.update(part.label for part in spec.derived.values())
    for n, event in enumerate(spec.events):
        if event.nouns in measured:
            report.warn(("events", n, "label"), f"{event.nouns!r} is both what records of "
                        f"{event.id!r} are called and the label of a measure: questions read two "
                        "ways",
                        "Give one of them another name.")  # fmt: skip


def _form(report: Report, word: Word) -> None:
    if _unread(report, word.path, word.what, word.text):
        return
    if found := _SIGNS.search(word.text):
        report.error(word.path, f"{word.what} {word.text!r} contains {found[0]!r}, a sign of the "
                     "line form", "Use words, dashes and apostrophes.")  # fmt: skip
    elif _ONLY_A_NUMBER.fullmatch(word.text):
        report.error(word.path, f"{word.what} {word.text!r} reads as a number",
                     "Put a word beside it.")  # fmt: skip
    elif word.text == "unset":
        report.error(word.path, "'unset' is how an empty register is printed", "Rename it.")


def _unread(report: Report, path: Place, what: str, text: str) -> bool:
    """Whether a text holds what an answer cannot give back; says so."""
    sign = unseen(text)
    if sign is not None and sign not in "\n\t":
        report.error(path, f"{what} {text!r} contains the character {sign!a}, which nobody "
                     "sees", "Leave it out.")  # fmt: skip
    elif _THINKING.search(text):
        report.error(path, f"{what} {text!r} contains a mark of thinking text", "Leave it out.")
    elif text.startswith(":") or text.endswith(":"):
        report.error(path, f"{what} {text!r} begins or ends with ':'", "Leave it out.")
    elif text and not fold(text):
        report.error(path, f"{what} {text!r} consists of signs that an answer may leave out",
                     "Use words.")  # fmt: skip
    else:
        return False
    return True


def _alike(report: Report, words: list[Word]) -> None:
    """No two names or values, and no two labels, that answers do not tell apart."""
    _differ(report, [(word.text, word.what, word.path) for word in words])
    labels: list[tuple[str, str, Place]] = []
    for section in ("measures", "derived", "registers", "rosters", "tallies"):
        for name, part in getattr(report.spec, section).items():
            labels.append((part.label, "label", (section, name, "label")))
    for n, event in enumerate(report.spec.events):
        labels.append((event.noun, "label", ("events", n, "label")))
    for text, what, path in labels:
        if not _unread(report, path, what, text) and (found := re.search("[=;]", text)):
            report.error(path, f"label {text!r} contains {found[0]!r}, a sign of the line form",
                         "Use words only.")  # fmt: skip
    _differ(report, labels)


def _differ(report: Report, texts: list[tuple[str, str, Place]]) -> None:
    seen: dict[str, str] = {}
    for text, what, path in texts:
        before = seen.setdefault(fold(text), text)
        same = before.casefold() == text.casefold() if what == "label" else before == text
        if not same and fold(text):
            report.error(path, f"{what} {text!r} differs from {before!r} only in what answers "
                         "are read without: case, kinds of dash, bold, articles, marks",
                         "Rename one of them.")  # fmt: skip


def _twice(report: Report, words: list[Word]) -> None:
    """No name twice, and no name that is also a status label or a value."""
    seen: dict[str, Word] = {}
    for word in words:
        before = seen.setdefault(word.text, word)
        if before is word or not (before.is_name or word.is_name):
            continue
        if before.what == word.what:
            what = f"{word.what} {word.text!r} is named twice"
        elif before.is_name and word.is_name:
            what = f"{word.text!r} is {an(before.what)} and {an(word.what)}"
        else:
            what = f"{word.what} {word.text!r} is also the name of {an(before.what)}"
        report.error(word.path, what, "Rename one of them.")


def _parts(report: Report, words: list[Word]) -> None:
    """No name or status is, as whole words, part of another (R35)."""
    texts = {word.text: word for word in reversed(words)}
    for word in words:
        if not word.is_name and word.what != "status":
            continue
        whole = _whole(word.text)
        for text, other in texts.items():
            if text != word.text and word.text in text and whole(text):
                if not word.is_name and not other.is_name and other.what != "status":
                    continue
                report.error(word.path, f"{word.what} {word.text!r} is part of {other.what} "
                             f"{text!r}", "Rename one of them.")  # fmt: skip
                break


def _whole(text: str) -> Callable[[str], object]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)").search


def _in_labels(report: Report, words: list[Word]) -> None:
    """No name stands inside a label, and no status inside that of an event."""
    names = {word.text: word for word in words if word.is_name}
    for section in ("measures", "derived", "registers", "rosters", "tallies"):
        for name, part in getattr(report.spec, section).items():
            for text, word in names.items():
                if text in part.label and _whole(text)(part.label):
                    report.error((section, name, "label"), f"label {part.label!r} contains the "
                                 f"{word.what} {text!r}", "Reword the label.")  # fmt: skip
    for n, event in enumerate(report.spec.events):
        _event_label(report, n, event, [w for w in words if w.is_name or w.what == "status"])


def _event_label(report: Report, n: int, event: Event, words: list[Word]) -> None:
    """The label of an event stands between a record's id and its status, and in a list."""
    label = event.noun
    path: Place = ("events", n, "label")
    if found := _NO_LABEL.search(label):
        report.error(path, f"label {label!r} contains {found[0]!r}, a sign of the line form",
                     "Use words only.")  # fmt: skip
    elif not label[0].isalpha():
        report.error(path, f"label {label!r} starts with {label[0]!r}", "Start it with a letter.")
    for word in words:
        if _whole(word.text.casefold())(label.casefold()):
            report.error(path, f"label {label!r} contains the {word.what} {word.text!r}",
                         "Reword the label.")  # fmt: skip
            break


def _minted(report: Report, words: list[Word]) -> None:
    """Minted names collide neither with record ids nor with names nor with each other."""
    spec = report.spec
    patterns: dict[str, str] = {}
    for kind, entity in spec.entities.items():
        if entity.minted is None:
            continue
        path: Place = ("entities", kind, "minted")
        slots = re.findall(r"\{(.*?)\}", entity.minted)
        if slots != ["n"]:
            report.error(path, f"template {entity.minted!r} needs one {{n}} and no other slot",
                         'For example: "#{n}" or "T-{n}".')  # fmt: skip
        elif _ONLY_A_NUMBER.fullmatch(entity.minted.format(n=1)):
            report.error(path, f"{kind} names such as {entity.minted.format(n=1)!r} read as "
                         "numbers", "Put a letter or # before {n}.")  # fmt: skip
        elif re.search(r"\d\{|\}\d", entity.minted):
            report.error(path, f"template {entity.minted!r} runs numbers together",
                         "Put a letter or dash between them.")  # fmt: skip
        else:
            patterns[kind] = entity.minted
    ids = [spec.clock.record.replace("{block}", str(b)).replace("{n}", str(n))
           for b in _SAMPLES for n in _SAMPLES]  # fmt: skip
    for kind, template in patterns.items():
        others = {"record id": ids}
        for other, made in patterns.items():
            if other != kind:
                others[other] = [made.format(n=n) for n in _SAMPLES]
        for word in words:
            others.setdefault(word.what, []).append(word.text)
        part = re.compile(rf"(?<!\w){_pattern(template)}(?!\w)")
        for what, texts in others.items():
            hit = next((text for text in texts if part.search(text)), None)
            if hit is not None:
                report.error(("entities", kind, "minted"), f"{an(kind)} named after {template!r} "
                             f"looks like part of the {what} {hit!r}",
                             "Choose another template.")  # fmt: skip
                break


def _pattern(template: str) -> str:
    before, _, after = template.partition("{n}")
    return rf"{re.escape(before)}\d+{re.escape(after)}"

"""Forms of an audit read back: how often people and the stored answers agree (E-041)."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb
from pathlib import Path

from supersede.corpus.audit import FIELDS, INSTANCES
from supersede.corpus.files import read_lines
from supersede.corpus.show import counted
from supersede.errors import DataError, location
from supersede.model.instance import Instance
from supersede.model.question import Grade, Outcome
from supersede.model.serialize import instance_from_json
from supersede.questions import grade

_SAID = {"yes": True, "y": True, "no": False, "n": False, "": None}
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Row:
    """What one reader says of one instance."""

    where: str
    """`form:row`."""
    instance: Instance
    natural: bool | None
    """None where the field is empty; so below."""
    conventions: bool | None
    answer: str
    agrees: bool | None
    """The reader's last word, the stored answer seen."""
    remarks: str
    grade: Grade | None
    """Of the answer by hand; None where there is none."""

    @property
    def error(self) -> bool | None:
        """Whether the stored answer is wrong, by the reader's last word or else by the grade."""
        if self.agrees is not None:
            return not self.agrees
        return None if self.grade is None else self.grade.outcome is not Outcome.RIGHT


@dataclass(frozen=True, slots=True)
class Audit:
    """All forms of one audit."""

    asked: int
    """Instances of the audit."""
    rows: tuple[Row, ...]
    """In the order of the forms; those that say nothing are left out."""

    @property
    def judged(self) -> int:
        """Rows that say whether the stored answer is right."""
        return sum(row.error is not None for row in self.rows)

    @property
    def errors(self) -> int:
        """Rows by which the stored answer is wrong."""
        return sum(bool(row.error) for row in self.rows)


def read_audit(folder: Path) -> Audit:
    """What readers have written into the forms of an audit.

    Args:
        folder: That of the audit; every `form*.csv` in it is read.

    Raises:
        DataError: There is no form, a row is of no instance of the audit, or a field says something
            else than it may.
    """
    sealed = folder / INSTANCES
    if not sealed.is_file():
        raise DataError(
            f"holds no audit: there is no {INSTANCES}",
            where=str(folder),
            mend="Name a folder that `supersede corpus audit CORPUS -o FOLDER` has written.",
        )
    instances = {str(data["id"]): instance_from_json(data) for _, data in read_lines(sealed)}
    forms = sorted(folder.glob("form*.csv"))
    if not forms:
        raise DataError("holds no form*.csv", where=str(folder), mend="Put the forms back.")
    rows = tuple(row for form in forms for row in _rows(form, instances))
    return Audit(len(instances), rows)


def _rows(form: Path, instances: Mapping[str, Instance]) -> Iterator[Row]:
    with form.open(encoding="utf-8-sig", newline="") as file:
        try:
            first = file.readline()
            separator = ";" if first.count(";") > first.count(",") else ","
            file.seek(0)
            reader = csv.DictReader(file, delimiter=separator, strict=True)
            lacking = [name for name in FIELDS if name not in (reader.fieldnames or ())]
            if lacking:
                raise DataError(
                    f"lacks the column {lacking[0]!r}",
                    where=str(form),
                    mend="Keep the columns of the form as they were written.",
                )
            for fields in reader:
                said = {name: (fields[name] or "").strip() for name in FIELDS}
                if any(said[name] for name in FIELDS[4:]):
                    yield _row(said, location(form, reader.line_num), instances)
        except (csv.Error, UnicodeDecodeError) as error:
            raise DataError(
                f"no CSV in UTF-8: {error}", where=str(form), mend="Save it as CSV in UTF-8."
            ) from None


def _row(said: Mapping[str, str], where: str, instances: Mapping[str, Instance]) -> Row:
    instance = instances.get(said["id"])
    if instance is None:
        raise DataError(f"{said['id']!r} is no instance of this audit", where=where)
    for name in ("natural", "conventions", "agrees"):
        if said[name].lower() not in _SAID:
            raise DataError(f"{name} is {said[name]!r}", where=where, mend="Write yes or no.")
    natural, conventions, agrees = (
        _SAID[said[name].lower()] for name in ("natural", "conventions", "agrees")
    )
    answer = said["answer"]
    return Row(
        where, instance, natural, conventions, answer, agrees, said["remarks"],
        _graded(instance, answer) if answer else None,
    )  # fmt: skip


def _graded(instance: Instance, answer: str) -> Grade:
    """The grade of an answer by hand, which may lack the word that a model has to write."""
    marked = any(line.strip().lower().startswith("answer:") for line in answer.splitlines())
    reply = answer if marked else f"Answer: {answer}"
    return grade(instance.question, instance.answer.checklist, reply)


def audit_lines(found: Audit) -> Iterator[str]:
    """The result in words: agreement, then every row with something to look at."""
    graded = [row.grade.outcome for row in found.rows if row.grade is not None]
    outcomes = Counter(graded)
    forms = len({row.where.rpartition(":")[0] for row in found.rows})
    yield (
        f"{counted(found.asked, 'instance')}, {counted(forms, 'form')} with entries: "
        f"{counted(len(graded), 'answer')} by hand"
    )
    if graded:
        others = ", ".join(f"{outcomes[one]} {one}" for one in Outcome if one in outcomes)
        yield f"graded against the stored answers: {others}"
    for name in ("natural", "conventions"):
        said = [getattr(row, name) for row in found.rows if getattr(row, name) is not None]
        title = "text natural" if name == "natural" else "conventions complete"
        if said:
            yield f"{title}: {sum(said)} of {len(said)}"
    if found.judged:
        most = upper_bound(found.errors, found.judged)
        yield (
            f"errors: {found.errors} of {found.judged} judged ({found.errors / found.judged:.1%}); "
            f"at most {most:.1%} with {_CONFIDENCE:.0%} confidence"
        )
    for row in found.rows:
        yield from _looked_at(row)


def _looked_at(row: Row) -> Iterator[str]:
    """A row in words, where it disagrees or finds fault or remarks something."""
    faults = []
    if row.grade is not None and row.grade.outcome is not Outcome.RIGHT:
        faults.append(f"by hand {row.answer!r} is {row.grade.outcome}: {row.grade.reason}")
    if row.agrees is False:
        faults.append("the reader finds the stored answer wrong")
    if row.natural is False:
        faults.append("the text is not natural")
    if row.conventions is False:
        faults.append("conventions are missing")
    if faults or row.remarks:
        key = row.instance.key
        remark = f" [{row.remarks}]" if row.remarks else ""
        yield f"{row.where}: {key.prototype}, {key.tier}: {'; '.join(faults) or 'remark'}{remark}"


def upper_bound(errors: int, of: int) -> float:
    """Most that a rate can be, by the exact one-sided bound with 95 % confidence, 0 to 1."""
    if errors >= of:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        few = sum(comb(of, n) * middle**n * (1 - middle) ** (of - n) for n in range(errors + 1))
        low, high = (middle, high) if few > 1 - _CONFIDENCE else (low, middle)
    return high

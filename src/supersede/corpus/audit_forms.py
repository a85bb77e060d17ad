"""Forms of an audit read back: how often people and the stored answers agree (E-041)."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

from supersede.corpus.audit import FIELDS, INSTANCES, SEALED
from supersede.corpus.files import read_lines
from supersede.corpus.show import counted
from supersede.errors import DataError, location
from supersede.model.instance import Instance
from supersede.model.question import Grade, Outcome
from supersede.model.serialize import instance_from_json
from supersede.questions import grade

_SAID = {"yes": True, "y": True, "no": False, "n": False, "": None}
_CONFIDENCE = 0.95
_COPY = "form-<name>.csv"


@dataclass(frozen=True, slots=True)
class Row:
    """What one reader says of one instance."""

    where: str
    """`form:row`."""
    name: str
    """Number of the instance's files in the audit: `007`."""
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
        """Whether the stored answer is wrong; None while nobody can tell.

        The reader's last word says so. Without it the same answer by hand clears the stored one;
        another answer may be a slip of the reader's and decides nothing.
        """
        if self.agrees is not None:
            return not self.agrees
        return False if self.is_same else None

    @property
    def is_same(self) -> bool:
        """Whether the answer by hand is the stored one."""
        return self.grade is not None and self.grade.outcome is Outcome.RIGHT

    @property
    def is_open(self) -> bool:
        """Whether the answer by hand is another than the stored one, without a last word."""
        return self.grade is not None and not self.is_same and self.agrees is None


@dataclass(frozen=True, slots=True)
class Audit:
    """All forms of one audit."""

    asked: int
    """Instances of the audit."""
    rows: tuple[Row, ...]
    """In the order of the forms; those that say nothing are left out."""

    @property
    def judged(self) -> int:
        """Instances of which some row says whether the stored answer is right."""
        return len(self._verdicts())

    @property
    def errors(self) -> int:
        """Instances whose stored answer is wrong by one row or more."""
        return sum(map(any, self._verdicts().values()))

    @property
    def open(self) -> int:
        """Rows whose answer by hand is another than the stored one, without a last word."""
        return sum(row.is_open for row in self.rows)

    def _verdicts(self) -> Mapping[str, Sequence[bool]]:
        """Number of an instance -> whether its stored answer is wrong, by each row that tells."""
        verdicts: defaultdict[str, list[bool]] = defaultdict(list)
        for row in self.rows:
            if row.error is not None:
                verdicts[row.name].append(row.error)
        return verdicts


def read_audit(folder: Path) -> Audit:
    """What readers have written into the forms of an audit.

    Args:
        folder: That of the audit; every `form*.csv` in it is read.

    Raises:
        DataError: There is no form, none is filled in, a row is of no instance of the audit or of
            one that the form had before, or a field says something else than it may.
    """
    sealed = folder / INSTANCES
    if not sealed.is_file():
        raise DataError(
            f"holds no audit: there is no {INSTANCES}",
            where=str(folder),
            mend="Name a folder that `supersede corpus audit CORPUS -o FOLDER` has written.",
        )
    instances = {
        str(data["id"]): (f"{number:03d}", instance_from_json(data))
        for number, (_, data) in enumerate(read_lines(sealed), start=1)
    }
    forms = sorted(folder.glob("form*.csv"))
    if not forms:
        raise DataError("holds no form*.csv", where=str(folder), mend="Put the forms back.")
    rows = tuple(row for form in forms for row in _rows(form, instances))
    if not rows:
        raise DataError(
            "no form is filled in",
            where=str(folder),
            mend=f"Fill {forms[0].name} in as README.md there tells.",
        )
    return Audit(len(instances), rows)


def _rows(form: Path, instances: Mapping[str, tuple[str, Instance]]) -> Iterator[Row]:
    seen: set[str] = set()
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
                where = location(form, reader.line_num)
                if None in fields:
                    raise DataError(
                        "has more fields than the form has columns",
                        where=where,
                        mend=f"Put what has a {separator!r} in it into double quotes.",
                    )
                said = {name: (fields[name] or "").strip() for name in FIELDS}
                if not any(said[name] for name in FIELDS[4:]):
                    continue
                row = _row(said, where, instances)
                if row.name in seen:
                    raise DataError(
                        f"the form has instance {row.name} before",
                        where=where,
                        mend=f"Keep one row of it; another reader has a {_COPY} of their own.",
                    )
                seen.add(row.name)
                yield row
        except (csv.Error, UnicodeDecodeError) as error:
            raise DataError(
                f"no CSV in UTF-8: {error}", where=str(form), mend="Save it as CSV in UTF-8."
            ) from None


def _row(said: Mapping[str, str], where: str, instances: Mapping[str, tuple[str, Instance]]) -> Row:
    if said["id"] not in instances:
        raise DataError(
            f"{said['id']!r} is no instance of this audit",
            where=where,
            mend=f"Take the id that {INSTANCES} has, or the form as it was written.",
        )
    name, instance = instances[said["id"]]
    fields = ("natural", "conventions", "agrees")
    for field in fields:
        if said[field].lower() not in _SAID:
            raise DataError(f"{field} is {said[field]!r}", where=where, mend="Write yes or no.")
    natural, conventions, agrees = (_SAID[said[field].lower()] for field in fields)
    answer = said["answer"]
    return Row(
        where, name, instance, natural, conventions, answer, agrees, said["remarks"],
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
            f"errors: {found.errors} of {counted(found.judged, 'instance')} judged "
            f"({found.errors / found.judged:.1%}); at most {most:.1%} with {_CONFIDENCE:.0%} "
            f"confidence"
        )
    else:
        yield "errors: no instance is judged yet"
    for row in found.rows:
        yield from _looked_at(row)


def _looked_at(row: Row) -> Iterator[str]:
    """A row in words, where it disagrees or finds fault or remarks something."""
    faults = []
    if row.grade is not None and row.grade.outcome is not Outcome.RIGHT:
        faults.append(f"by hand {row.answer!r} is {row.grade.outcome}: {row.grade.reason}")
    if row.is_open:
        faults.append(f"see {SEALED}/{row.name}.txt and fill in agrees")
    if row.agrees is False:
        same = ", with the same answer by hand" if row.is_same else ""
        faults.append(f"the reader finds the stored answer wrong{same}")
    if row.natural is False:
        faults.append("the text is not natural")
    if row.conventions is False:
        faults.append("conventions are missing")
    if faults or row.remarks:
        key = row.instance.key
        remark = f" [{row.remarks}]" if row.remarks else ""
        said = "; ".join(faults) or "remark"
        yield f"{row.where}: {row.name}, {key.prototype}, {key.tier}: {said}{remark}"


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

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.corpus.small import built, bytes_of, lines_of, small

from supersede.cli.main import main
from supersede.corpus.audit import FIELDS, FORM, INSTANCES, export_audit
from supersede.corpus.audit_forms import audit_lines, read_audit, upper_bound
from supersede.errors import DataError, UsageError
from supersede.model.question import Outcome


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("audited") / "corpus", small(4))


@pytest.fixture
def audit(corpus: Path, tmp_path: Path) -> Path:
    export_audit([corpus], tmp_path / "audit", count=6, seed=1)
    return tmp_path / "audit"


def rows_of(form: Path) -> list[dict[str, str]]:
    with form.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(form: Path, changes: dict[int, dict[str, str]], *, delimiter: str = ",") -> None:
    """Write what a reader says into rows of a form, as a spreadsheet would."""
    rows = rows_of(form)
    for number, said in changes.items():
        rows[number] |= said
    with form.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def test_texts_and_form_say_nothing_of_the_answers(audit: Path) -> None:
    rows = rows_of(audit / FORM)
    sealed = lines_of(audit / INSTANCES)
    assert [row["id"] for row in rows] == [one["id"] for one in sealed]
    assert {row["prototype"] for row in rows} == {"soccer-timeline", "warehouse-inventory-ops"}
    form = (audit / FORM).read_text(encoding="utf-8")
    for row, instance in zip(rows, sealed, strict=True):
        text = (audit / "texts" / f"{row['number']}.txt").read_text(encoding="utf-8")
        after = (audit / "sealed" / f"{row['number']}.txt").read_text(encoding="utf-8")
        assert instance["question"].splitlines()[0] in text
        assert instance["answer"] not in form
        assert instance["answer"] not in text
        assert instance["answer"] in after
        assert after.count("state after") == instance["blocks"]
        assert all(record in after for record in instance["evidence"])
        assert not any(row[name] for name in FIELDS[4:])


def test_the_same_seed_draws_the_same_and_another_other(corpus: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        export_audit([corpus], tmp_path / name, count=6, seed=seed)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "again")
    assert bytes_of(tmp_path / "one") != bytes_of(tmp_path / "other")


def test_prototypes_are_drawn_evenly(corpus: Path, tmp_path: Path) -> None:
    for count in (2, 4, 16):
        export_audit([corpus], tmp_path / str(count), count=count)
        names = [row["prototype"] for row in rows_of(tmp_path / str(count) / FORM)]
        assert names.count("soccer-timeline") == count // 2
    with pytest.raises(UsageError, match="there are 16 instances, 17 are asked for"):
        export_audit([corpus], tmp_path / "x", count=17)
    shard = next(corpus.rglob("*.jsonl"))
    assert export_audit([shard], tmp_path / "lone", count=4) == 1


def test_answers_by_hand_are_graded(audit: Path) -> None:
    answers = [one["answer"] for one in lines_of(audit / INSTANCES)]
    yes = {"natural": "yes", "conventions": "Yes", "agrees": "y"}
    fill(
        audit / FORM,
        {
            0: {**yes, "answer": answers[0]},
            1: {**yes, "answer": answers[1].removeprefix("Answer: ")},
            2: {**yes, "answer": "I do not get it", "remarks": "a slip of mine"},
            3: {"natural": "no", "answer": "Answer: none of it", "agrees": "no"},
        },
    )
    found = read_audit(audit)
    assert (found.asked, len(found.rows), found.judged, found.errors) == (6, 4, 4, 1)
    grades = [row.grade.outcome for row in found.rows if row.grade is not None]
    assert grades[:2] == [Outcome.RIGHT, Outcome.RIGHT]
    assert Outcome.RIGHT not in grades[2:]
    lines = list(audit_lines(found))
    assert lines[0] == "6 instances, 1 form with entries: 4 answers by hand"
    assert lines[1].startswith("graded against the stored answers: 2 right, ")
    assert lines[2:4] == ["text natural: 3 of 4", "conventions complete: 3 of 3"]
    bound = "(25.0%); at most 75.1% with 95% confidence"
    assert lines[4] == f"errors: 1 of 4 instances judged {bound}"
    assert "[a slip of mine]" in lines[5]
    assert "the reader finds the stored answer wrong; the text is not natural" in lines[6]
    assert len(lines) == 7


def test_several_forms_and_semicolons_are_read(audit: Path) -> None:
    answers = [one["answer"] for one in lines_of(audit / INSTANCES)]
    (audit / "form-ann.csv").write_bytes((audit / FORM).read_bytes())
    fill(audit / FORM, {0: {"answer": answers[0]}})
    fill(audit / "form-ann.csv", {0: {"answer": answers[0]}}, delimiter=";")
    assert next(audit_lines(read_audit(audit))) == (
        "6 instances, 2 forms with entries: 2 answers by hand"
    )


def test_without_the_readers_word_another_answer_decides_nothing(audit: Path) -> None:
    fill(audit / FORM, {0: {"answer": "Answer: 0"}, 1: {"natural": "yes"}})
    found = read_audit(audit)
    assert (found.judged, found.errors, found.open) == (0, 0, 1)
    lines = list(audit_lines(found))
    assert lines[3] == "errors: no instance is judged yet"
    assert f"{FORM}:2: 001, " in lines[4]
    assert lines[4].endswith("see sealed/001.txt and fill in agrees")
    for word, errors in (("yes", 0), ("no", 1)):
        fill(audit / FORM, {0: {"agrees": word}})
        found = read_audit(audit)
        assert (found.judged, found.errors, found.open) == (1, errors, 0)


def test_an_instance_that_several_judge_is_one_and_wrong_if_one_says_so(audit: Path) -> None:
    answers = [one["answer"] for one in lines_of(audit / INSTANCES)]
    (audit / "form-ann.csv").write_bytes((audit / FORM).read_bytes())
    (audit / "form-ben.csv").write_bytes((audit / FORM).read_bytes())
    fill(audit / "form-ann.csv", {n: {"answer": answers[n]} for n in range(3)})
    said = {n: {"answer": answers[n]} for n in range(2)}
    fill(audit / "form-ben.csv", said | {2: {"answer": answers[2], "agrees": "no"}})
    found = read_audit(audit)
    assert (len(found.rows), found.judged, found.errors) == (6, 3, 1)
    assert list(audit_lines(found))[-1].endswith("wrong, with the same answer by hand")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"natural": "maybe"}, r"form\.csv:2: natural is 'maybe'\. Write yes or no\."),
        (
            {"id": "x", "answer": "1"},
            r"form\.csv:2: 'x' is no instance of this audit\. Take the id",
        ),
    ],
)
def test_a_field_that_says_something_else_is_named(
    said: dict[str, str], message: str, audit: Path
) -> None:
    fill(audit / FORM, {0: said})
    with pytest.raises(DataError, match=message):
        read_audit(audit)


def test_an_answer_whose_comma_parts_it_is_named(audit: Path) -> None:
    lines = (audit / FORM).read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace(",,,,,", ",yes,yes,Answer: names = Ann, Ben,,")
    (audit / FORM).write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match=r"form\.csv:2: has more fields .* into double quotes"):
        read_audit(audit)


def test_an_instance_stands_in_a_form_once(audit: Path) -> None:
    rows = rows_of(audit / FORM)
    fill(audit / FORM, {0: {"answer": "1"}, 1: {**rows[0], "answer": "2"}})
    with pytest.raises(DataError, match=r"form\.csv:3: the form has instance 001 before\. Keep"):
        read_audit(audit)


def test_a_form_without_a_column_or_in_another_encoding_is_named(audit: Path) -> None:
    (audit / FORM).write_text("id,answer\n", encoding="utf-8")
    with pytest.raises(DataError, match="lacks the column 'number'"):
        read_audit(audit)
    (audit / FORM).write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="no CSV in UTF-8"):
        read_audit(audit)
    (audit / FORM).unlink()
    with pytest.raises(DataError, match=r"holds no form\*\.csv"):
        read_audit(audit)


def test_the_bound_is_the_exact_one() -> None:
    # none in n: 1 - 0.05 ** (1 / n); all in n: 1
    assert upper_bound(0, 117) == pytest.approx(1 - 0.05 ** (1 / 117))
    assert upper_bound(1, 1) == 1.0
    # P(at most 1 in 2) = 1 - p * p = 0.05
    assert upper_bound(1, 2) == pytest.approx(0.95**0.5)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "audit", *arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_the_command_writes_and_reads(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "audit"
    code, out, _ = run(capsys, str(corpus), "--n", "2", "-o", str(folder))
    assert (code, out) == (
        0,
        f"{folder}: 2 instances of 2 prototypes; see {folder / 'README.md'}\n",
    )
    assert run(capsys, str(corpus), "--n", "2", "-o", str(folder))[0] == 2
    code, out, err = run(capsys, "--read", str(folder))
    assert (code, out) == (2, "")
    assert err == (
        f"error: {folder}: no form is filled in. Fill {FORM} in as README.md there tells.\n"
    )
    fill(folder / FORM, {0: {"answer": "?"}})
    code, out, err = run(capsys, "--read", str(folder))
    assert code == 1
    assert err == (
        "error: 1 answer by hand, other than stored, without a last word. "
        "Fill in agrees: yes if the stored answer is right, no if it is wrong.\n"
    )
    fill(folder / FORM, {0: {"agrees": "yes"}})
    assert run(capsys, "--read", str(folder))[0] == 0
    fill(folder / FORM, {0: {"agrees": "no"}})
    code, out, err = run(capsys, "--read", str(folder))
    assert (code, err) == (1, "error: 1 stored answer found wrong\n")
    for wrong in ([], ["--read", str(folder), "-o", "x"], [str(corpus)], ["--read", str(corpus)]):
        assert run(capsys, *wrong)[0] == 2


def test_a_stored_instance_is_the_whole_of_it(corpus: Path, audit: Path) -> None:
    stored = {one["id"]: one for path in corpus.rglob("*.jsonl") for one in lines_of(path)}
    for one in lines_of(audit / INSTANCES):
        assert json.dumps(one, sort_keys=True) == json.dumps(stored[one["id"]], sort_keys=True)

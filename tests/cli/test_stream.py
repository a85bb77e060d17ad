"""`supersede stream` as people type it."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from supersede.cli.main import main
from supersede.streams.files import load_streams, write_streams

BABI = ("--documents", "2", "--chunks", "6", "--chunk-tokens", "200",
        "--questions-per-document", "8")  # fmt: skip


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as ended:
        main(["stream", *arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.fixture
def babi(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "babi.jsonl"
    assert run(capsys, "babi", str(path), *BABI) == (
        0,
        f"{path}: 2 documents, 16 questions\n",
        "",
    )
    return path


def test_babi_is_built_validated_and_described(
    babi: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "validate", str(babi)) == (0, "2 streams, 0 violations\n", "")
    code, out, _ = run(capsys, "stats", str(babi), "--json")
    found = json.loads(out)
    assert code == 0
    assert list(found)[:9] == [
        "documents", "chunks", "questions", "types", "facts_per_document", "changes_mean",
        "changes_min", "changes_max", "transitions_mean",
    ]  # fmt: skip
    assert (found["documents"], found["chunks"], found["questions"]) == (2, 12, 16)
    assert found["bins"] == {"sparse": 3, "moderate": 5}
    assert sum(found["subsets"].values()) == sum(found["changes_histogram"].values()) == 16
    code, out, _ = run(capsys, "stats", str(babi))
    assert code == 0
    assert "changes (phases)" in out
    assert f"  sparse            {found['subsets']['sparse']:>9}" in out


def test_a_stream_and_one_question_of_it_are_shown(
    babi: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "show", str(babi))
    assert code == 0
    assert out.startswith("babi-0-00  (babi: ")
    code, out, _ = run(
        capsys, "show", str(babi), "--stream", "babi-0-01", "--question", "babi-0-01_q3"
    )
    assert code == 0
    assert out.startswith("babi-0-01_q3  [")
    code, _, err = run(capsys, "show", str(babi), "--question", "babi-0-00_q33")
    assert code == 2
    assert "Did you mean 'babi-0-00_q3'?" in err


def test_the_official_form_is_written_and_taken_by_every_command(
    babi: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    oaks, ours, again = (tmp_path / name for name in ("o.json", "b.jsonl", "p.json"))
    code, out, _ = run(capsys, "convert", str(babi), "--to", "oaks", "-o", str(oaks))
    assert (code, out) == (0, f"{oaks}: 2 documents\n")
    assert json.loads(oaks.read_text(encoding="utf-8"))[0]["meta"]["num_qas"] == 8
    assert run(capsys, "convert", str(oaks), "--to", "supersede", "-o", str(ours))[0] == 0
    assert run(capsys, "convert", str(ours), "--to", "oaks", "-o", str(again))[0] == 0
    assert oaks.read_bytes() == again.read_bytes()
    for command in ("show", "stats", "validate"):
        assert run(capsys, command, str(oaks))[0] == 0


def test_worlds_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "worlds.jsonl"
    names = "soccer-timeline, warehouse-inventory-ops"
    code, out, err = run(
        capsys, "world", str(path), "--prototype", names, "--tier", "short", "--count", "2",
        "--questions-per-document", "5",
    )  # fmt: skip
    assert (code, out, err) == (0, f"{path}: 4 documents, 20 questions\n", "")
    assert [stream.id for stream in load_streams(path)][1] == "soccer-timeline-short-train-1"
    assert run(capsys, "validate", str(path))[0] == 0


def test_dials_and_a_world_of_ones_own_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "mine.yaml"
    with as_file(files("supersede.prototypes") / "sports" / "soccer-timeline.yaml") as known:
        text = known.read_text(encoding="utf-8")
    spec.write_text(text.replace("id: soccer-timeline", "id: my-soccer", 1), encoding="utf-8")
    path = tmp_path / "world.jsonl"
    code, out, err = run(
        capsys, "world", str(path), "--prototype", str(spec), "--tier", "short", "--dial",
        "noise=0", "--questions-per-document", "1",
    )  # fmt: skip
    assert (code, out, err) == (0, f"{path}: 1 document, 1 question\n", "")
    (stream,) = load_streams(path)
    assert stream.id == "my-soccer-short-train-0"
    assert stream.meta["dial_noise"] == 0


def test_a_broken_rule_is_a_line_and_exit_code_1(
    babi: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    streams = load_streams(babi)
    write_streams(babi, [*streams, streams[0]])
    assert run(capsys, "validate", str(babi)) == (
        1,
        "babi-0-00: unique-stream-id: stands twice in the file\n3 streams, 1 violation\n",
        f"error: {babi}: 1 violation of rules\n",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("babi", "x.jsonl", "--background", "nowhere"), "no folder 'nowhere'"),
        (("babi", "x.jsonl", "--chunk-tokens", "10"), "--chunk-tokens"),
        (("babi", "x.jsonl", *BABI, "--facts", "99"), "Ask for at most 23, or for larger"),
        (("babi", "x.jsonl", "--chunks", "100000000"), "writes at most 5,000,000 tokens"),
        (("babi", "x.jsonl", "--tokenizer", "no.json"), "--tokenizer no.json: there is no such"),
        (("world", "x.jsonl", "--prototype", "soccer-timeline,soccer-timeline"), "twice"),
        (("world", "no/x.jsonl", "--prototype", "soccer-timeline"), "the folder does not exist"),
        (
            ("world", "x.jsonl", "--prototype", "soccer-timeline", "--operator", "nope/*"),
            "more: supersede operators",
        ),
        (
            (
                "world",
                "x.jsonl",
                "--prototype",
                "soccer-timeline",
                "--operator",
                "ranking/derived-level-ranking",
            ),
            "does not fit 'soccer-timeline'",
        ),
        (
            ("world", "x.jsonl", "--prototype", "soccer-timeline", "--dial", "noise"),
            "is no NAME=VALUE",
        ),
        (("babi", "no/where/x.jsonl", *BABI), "the folder does not exist"),
        (("world", "x.jsonl", "--prototype", "socer-timeline"), "Did you mean 'soccer-timeline'?"),
        (("world", "x.jsonl", "--prototype", ","), "--prototype names none"),
        (("show", "absent.jsonl"), "absent.jsonl: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("show",), ("stats",), ("convert", "--to", "oaks", "-o", "x")])
@pytest.mark.parametrize(
    ("answers", "told"), [([], "the list of answers is empty"), (None, "an interval has no answer")]
)
def test_a_question_without_answers_is_one_line(
    babi: Path,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    answers: list[list[str]] | None,
    told: str,
) -> None:
    first = json.loads(babi.read_text(encoding="utf-8").splitlines()[0])
    question = first["questions"][0]
    question["answers"] = [[] for _ in question["answers"]] if answers is None else answers
    babi.write_text(json.dumps(first) + "\n", encoding="utf-8")
    code, out, err = run(capsys, command[0], str(babi), *command[1:])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err

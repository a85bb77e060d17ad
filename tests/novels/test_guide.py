"""The guide to novels prints what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from tests.cli.test_main import commands, run
from tests.docs.test_commands import ROOT, blocks, examples_of, typed

from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.novels.project import Project
from supersede.streams.files import write_streams
from supersede.streams.oaks import CATCH_ALLS

GUIDE = ROOT / "docs" / "novels.md"


def stream_of(project: Path) -> Stream:
    """A stream of the guide's story."""
    with Project(project) as opened:
        chunks = tuple(chunk.text for chunk in opened.book("the-mill").chunks)
    first = Evidence(0, chunks[0].split("\n\n")[0])
    moved = Evidence(1, chunks[1].split("\n\n")[-1])
    back = Evidence(2, chunks[2].split("\n\n")[-1])
    options = ("In the mill", "At the inn", "On a boat", "With Tom", CATCH_ALLS[0])
    question = StreamQuestion(
        "q1",
        "Where does Anna live now?",
        "multiple-choice",
        (("In the mill",), ("At the inn",), ("In the mill",)),
        (first, moved, back),
        options,
        4,
        ((first, back), (moved,), (), (), ()),
    )
    return Stream("the-mill", chunks, (question,), "novel")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (text,) = blocks(GUIDE, "text")
    Path("mill.txt").write_text(text, encoding="utf-8")
    (asked,) = blocks(GUIDE, "yaml")
    Path("questions.yaml").write_text(asked, encoding="utf-8")
    return tmp_path


def test_the_guide_prints_what_it_says(desk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    prepare, *others = typed(GUIDE)
    code, out, err = run(capfd, *prepare.words[1:])
    assert (code, err, out.splitlines()) == (0, "", prepare.printed)
    write_streams(Path("mill.jsonl"), [stream_of(desk / "project")])
    parser = doctest.DocTestParser()
    session = parser.get_doctest("\n".join(blocks(GUIDE, "pycon")), {}, "novels.md", "novels.md", 0)
    assert len(session.examples) >= 25
    complaints: list[str] = []
    outcome = doctest.DocTestRunner().run(session, out=complaints.append)
    assert outcome.failed == 0, "".join(complaints)
    assert len(others) >= 6
    for words, printed in others:
        code, out, err = run(capfd, *words[1:])
        assert code == 0, err
        assert printed == ["..."] or out.splitlines() == printed, words
        if words[1] == "compare":
            accuracy = next(line for line in out.splitlines() if line.startswith("accuracy"))
            assert accuracy.split()[1:4] == ["1.000", "1.000", "+0.000"]


def test_every_example_of_the_help_runs(desk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = Path("mill.txt").read_text(encoding="utf-8")
    for name in ("treasure-island", "frankenstein"):
        changed = text.replace("Title: The Mill", f"Title: {name}")
        Path(f"{name}.txt").write_text(changed, encoding="utf-8")
    short = ("--chunk-tokens", "50")
    assert run(capfd, "novel", "prepare", "mill.txt", "-o", "made", *short)[0] == 0
    write_streams(Path("mill.jsonl"), [stream_of(desk / "made")])
    ran = 0
    for name, command in commands():
        if name not in ("supersede novel prepare", "supersede novel rename"):
            continue
        for line in examples_of(command):
            if "*.epub" in line:
                continue  # a shell spells it out, and the hub's tokenizer needs the network
            asked, _, kept = line.removeprefix("supersede ").partition(" > ")
            code, out, err = run(capfd, *asked.split())
            assert (code, err) == (0, ""), line
            if kept:
                Path(kept).write_text(out, encoding="utf-8")
            ran += 1
    assert ran == 5

"""The guide to exports is typed, and its code is run."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from tests.cli.test_main import commands, run
from tests.docs.test_commands import ROOT, blocks, examples_of, typed

EXPORTS = ROOT / "docs" / "exports.md"


def fits(shown: list[str], out: list[str]) -> bool:
    """Whether lines are those shown; `...` at the end of one stands for its rest or all others."""
    if shown == ["..."]:
        return True
    return len(shown) == len(out) and all(
        line.startswith(said[:-3]) if said.endswith("...") else line == said
        for said, line in zip(shown, out, strict=True)
    )


def test_the_guide_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = list(typed(EXPORTS))
    assert len(shown) >= 8
    for words, printed in shown:
        assert words[0] == "supersede"
        code, out, err = run(capfd, *words[1:])
        assert code == 0, f"{words}: {err}"
        assert fits(printed, out.splitlines()), f"{words} printed {out}"
    made: dict[str, Any] = {}
    exec(compile(blocks(EXPORTS, "python")[0], str(EXPORTS), "exec"), made)
    task = made["mine"]()
    assert isinstance(task, Task)
    (log,) = inspect_eval(
        task, model="mockllm/model", model_args={"custom_outputs": replies()}, display="none",
        log_level="error", log_dir=str(tmp_path / "own"), log_realtime=False,
    )  # fmt: skip
    assert log.status == "success", log.error
    assert [s.scores["evolve_scorer"].value for s in log.samples or () if s.scores] == [0] * 4
    session = doctest.DocTestParser().get_doctest(
        blocks(EXPORTS, "pycon")[0], {}, "exports.md", "exports.md", 0
    )
    complaints: list[str] = []
    outcome = doctest.DocTestRunner().run(session, out=complaints.append)
    assert outcome.failed == 0, "".join(complaints)


def replies() -> Any:
    """Replies that do not answer; with their usage, or Inspect would count tokens."""
    from inspect_ai.model import ModelOutput, ModelUsage

    for _ in range(4):
        output = ModelOutput.from_content("mockllm/model", "I have read it.")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        yield output


def test_every_example_of_the_help_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    small = ("--tiers", "very_short", "--prototypes", "soccer-timeline", "--per-cell")
    for name, split, count in (("train", "train", "1"), ("heldout", "heldout", "1")):
        built = run(capfd, "corpus", "build", f"data/{name}", "--split", split, *small, count)
        assert built[0] == 0
    ran = 0
    for name, command in commands():
        if not name.startswith("supersede export"):
            continue
        for line in examples_of(command):
            words = shlex.split(line)[1:]
            for number, word in enumerate(words):
                if word in ("hub", "train.jsonl", "samples.jsonl", "all.jsonl"):
                    words[number] = f"{ran}/{word}"  # two examples may name one file
            code, _, err = run(capfd, *words)
            assert (code, err) == (0, ""), line
            ran += 1
    assert ran >= 8

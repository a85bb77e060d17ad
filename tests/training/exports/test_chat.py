"""Chat JSONL: the shape that services take, and our grader on it."""

from pathlib import Path

import pytest
from tests.training.exports.made import changed, corpus, lines

from supersede.errors import CheckFailed
from supersede.model.instance import Split, Tier
from supersede.model.question import Grade, Outcome
from supersede.model.serialize import CANARY
from supersede.training.exports import chat
from supersede.training.exports.chat import export_chat, grade_chat


@pytest.fixture(scope="module")
def out(corpora: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chat") / "all.jsonl"
    exported = export_chat(corpora, path)
    assert exported.rows == 18
    assert exported.cells[Split.HELDOUT, Tier.SHORT] == 3
    assert exported.graded > 3 * 18
    return path


def test_messages_end_with_the_user_and_all_else_is_flat_text(out: Path) -> None:
    rows = lines(out)
    assert len({tuple(row) for row in rows}) == 1
    for row in rows:
        messages = row["messages"]
        assert all(message.keys() == {"role", "content"} for message in messages)
        assert messages[0]["role"] == "system"
        assert messages[-1]["role"] == "user"
        assert messages[-1]["content"].endswith(row["question"])
        assert all(isinstance(value, str) for name, value in row.items() if name != "messages")
        assert row["canary"] == (CANARY if row["split"] == "heldout" else "")


def test_the_grader_of_a_row_tells_right_empty_and_wrong_apart(out: Path) -> None:
    for row in lines(out):
        answer = row["reference_answer"]
        assert grade_chat(row, f"Well.\n\n**{answer}**").outcome is Outcome.RIGHT
        assert grade_chat(row, "").outcome is Outcome.UNPARSABLE
        assert grade_chat(row, changed(answer)).outcome is Outcome.WRONG


def test_a_format_whose_grader_errs_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus(tmp_path / "corpus", "train")
    always = Grade(Outcome.RIGHT, (), None, "")
    monkeypatch.setattr(chat, "grade", lambda *_: always)
    with pytest.raises(CheckFailed, match="calls '' right for the row"):
        export_chat([tmp_path / "corpus"], tmp_path / "out.jsonl")
    assert {path.name for path in tmp_path.iterdir()} == {"corpus"}

import sqlite3
from pathlib import Path

import pytest

from supersede.errors import DataError
from supersede.evaluation.stream_journal import Answer, Journal, MemoryReply, Place, RunKey

RUN = RunKey("base", "toy/m#abc", 1)
SHA = b"0123456789abcdef"


def test_an_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    full = Answer("## Answer: hall", None, "stop", 120, 80, 4, 0.25, 1700000000.5)
    failed = Answer(None, "HTTP 500: oh no")
    with Journal(tmp_path / "journal.db") as journal:
        journal.write("s", RUN, Place(3, "q"), SHA, full)
        journal.write("s", RUN, Place(4, "q"), SHA, failed)
    with Journal(tmp_path / "journal.db") as journal:
        assert journal.answers("s", RUN) == {
            Place(3, "q"): (SHA, full),
            Place(4, "q"): (SHA, failed),
        }
        assert journal.count("base", "toy/m") == 1


def test_runs_do_not_see_one_another(tmp_path: Path) -> None:
    others = [RUN._replace(memory="rag"), RUN._replace(model="toy/m#abd"), RUN._replace(epoch=2)]
    with Journal(tmp_path / "journal.db") as journal:
        journal.write("s", RUN, Place(0, "q"), SHA, Answer("x"))
        assert [journal.answers("s", other) for other in others] == [{}, {}, {}]
        assert journal.answers("t", RUN) == {}


def test_a_second_answer_takes_the_place_of_the_first(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        journal.write("s", RUN, Place(0, "q"), SHA, Answer(None, "HTTP 429"))
        journal.write("s", RUN, Place(0, "q"), SHA, Answer("y"))
        ((_, answer),) = journal.answers("s", RUN).values()
        assert answer.completion == "y"


def test_what_is_written_is_there_before_the_journal_is_closed(tmp_path: Path) -> None:
    with Journal(tmp_path / "a" / "journal.db") as journal:
        journal.write("s", RUN, Place(0, "q"), SHA, Answer("x"))
        with Journal(tmp_path / "a" / "journal.db") as other:
            assert len(other.answers("s", RUN)) == 1


def test_another_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(b"something else entirely, and long enough to look like a page" * 20)
    before = path.read_bytes()
    with pytest.raises(DataError, match="no journal"):
        Journal(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", [4_096, 20_000, 100_000])
def test_damage_in_the_middle_is_one_error_when_it_is_met(tmp_path: Path, place: int) -> None:
    path = tmp_path / "journal.db"
    shas = [bytes([number]) * 16 for number in range(60)]
    long = REPLY._replace(text="word " * 600)
    with Journal(path) as journal:
        for sha in shas:
            journal.write_memory_reply("s", RUN, sha, "update", long)
            journal.write("s", RUN, Place(sha[0], "q"), sha, Answer("word " * 600))
    data = bytearray(path.read_bytes())
    assert len(data) > 2 * place
    data[place : place + 80_000] = bytes(80_000)
    path.write_bytes(data)

    def read() -> None:
        with Journal(path) as journal:
            for sha in shas:
                journal.memory_reply("s", RUN, sha)
            journal.answers("s", RUN)

    with pytest.raises(DataError, match=r"journal\.db: .*damaged one: .*Restore it, or move it"):
        read()


def test_a_journal_that_cannot_be_written_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be used: unable to open.*must be open to write"):
        Journal(tmp_path)  # a folder
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal._rows.execute("PRAGMA max_page_count = 1")  # as on a full disk
        with pytest.raises(DataError, match=r"cannot be used: .*full.*the disk have room"):
            journal.write("s", RUN, Place(0, "q"), SHA, Answer("word " * 9_000))


def test_a_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    rows = sqlite3.connect(path)
    rows.execute("PRAGMA user_version = 7")
    rows.close()
    with pytest.raises(DataError, match="version 7, not 1"):
        Journal(path)


REPLY = MemoryReply("Ruvo: hall", False, 120, None, 4, 0.25, 1700000000.5)


def test_a_reply_to_a_memory_comes_back_as_it_was_and_to_its_run_alone(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        journal.write_memory_reply("s", RUN, SHA, "update", REPLY)
        cut = REPLY._replace(cut=True, cached_tokens=80)
        journal.write_memory_reply("s", RUN, b"other", "update", cut)
    with Journal(tmp_path / "journal.db") as journal:
        assert journal.memory_reply("s", RUN, SHA) == REPLY
        assert journal.memory_reply("s", RUN, b"other") == cut
        others = [RUN._replace(memory="rag"), RUN._replace(model="m#1"), RUN._replace(epoch=2)]
        assert [journal.memory_reply("s", other, SHA) for other in others] == [None] * 3
        assert journal.memory_reply("t", RUN, SHA) is None
        assert journal.answers("s", RUN) == {}


def test_a_journal_from_before_memories_asked_models_gets_their_table(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        journal.write("s", RUN, Place(0, "q"), SHA, Answer("x"))
    rows = sqlite3.connect(tmp_path / "journal.db")
    rows.execute("DROP TABLE memory_call")
    rows.close()
    with Journal(tmp_path / "journal.db") as journal:
        assert len(journal.answers("s", RUN)) == 1
        journal.write_memory_reply("s", RUN, SHA, "update", REPLY)
        assert journal.memory_reply("s", RUN, SHA) == REPLY

"""Counting tokens."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from supersede.errors import DataError, UsageError
from supersede.streams.tokens import Estimate, token_counter


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("A word.", 3), ("extraordinary", 2), ("12345", 2), ("“No,” he_said\n\nso", 9)],
)
def test_the_estimate_is_what_it_says(text: str, tokens: int) -> None:
    assert Estimate().count(text) == tokens


def test_the_estimate_of_parts_is_that_of_the_whole() -> None:
    parts = ["It rained.", "Nobody minded, it seems.", "So it went."]
    assert sum(Estimate().count(f" {part}") for part in parts) == Estimate().count(" ".join(parts))


def test_a_tokenizer_file_counts_with_its_own_rules(tmp_path: Path) -> None:
    library = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    path = tmp_path / "spaces.json"
    tokenizer = library.Tokenizer(library.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(path))
    counter = token_counter(path)
    assert (counter.name, counter.count("one two, three")) == ("spaces", 3)
    path.write_text(json.dumps({"no": "tokenizer"}), encoding="utf-8")
    with pytest.raises(DataError, match="no tokenizer"):
        token_counter(path)


def test_without_the_library_a_tokenizer_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(UsageError, match="pip install tokenizers"):
        token_counter(tmp_path / "tokenizer.json")

from __future__ import annotations

import json
from pathlib import Path

import pytest

from supersede.cli.main import main
from supersede.corpus.build import build
from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.overlap import WORDS, hashes_of, overlap, record_lines
from supersede.corpus.plan import configure
from supersede.corpus.stats import files_of
from supersede.errors import UsageError
from supersede.model.instance import Instance, Tier
from supersede.model.record import RULE


def made(folder: Path, split: str) -> Path:
    out = folder / split
    build(out, configure(split, tiers=["short"], prototypes=["soccer-timeline"], per_cell=4))
    return out


def runs(lines: list[str]) -> set[tuple[str, ...]]:
    """All runs of 13 words, the slow way."""
    found = set()
    for line in lines:
        words = line.split()
        found |= {tuple(words[n : n + WORDS]) for n in range(len(words) - WORDS + 1)}
    return found


def instance(index: int) -> Instance:
    return make_instance(instance_key("soccer-timeline", Tier.MEDIUM, index))


def lines_of(made: Instance) -> list[str]:
    return list(record_lines(m.content for m in made.messages if m.role == "user"))


def test_lines_of_records_are_all_but_rules_and_noise() -> None:
    for index in range(5):
        made = instance(index)
        ids = [record.id for record in made.history.records if record.kind is not RULE]
        assert [line.split()[0].rstrip(":") for line in lines_of(made)] == ids


def test_hashes_stand_for_the_runs_within_lines() -> None:
    one, other = lines_of(instance(0)), lines_of(instance(1))
    shared = set(hashes_of(one).tolist()) & set(hashes_of(other).tolist())
    assert len(hashes_of(one)) == len(runs(one))
    assert len(shared) == len(runs(one) & runs(other))
    assert len(hashes_of(["too short a line"])) == 0


def test_a_held_out_instance_that_is_in_training_is_found(tmp_path: Path) -> None:
    train, heldout = made(tmp_path, "train"), made(tmp_path, "heldout")
    files = files_of([train, heldout])
    assert max(nearest.jaccard for nearest in overlap(files)) < 0.1
    held = next(path for path in files if "heldout" in path.parts)
    first, *rest = held.read_text().splitlines()
    leaked = json.loads(first) | {"split": "train", "id": "leaked"}
    path = tmp_path / "leak.jsonl"
    path.write_text(json.dumps(leaked) + "\n")
    found = overlap([*files, path])
    assert (found[0].training, found[0].jaccard) == ("leaked", 1.0)
    assert overlap(files, workers=2) == overlap(files)
    assert len(found) == 1 + len(rest)


def test_both_splits_are_needed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="finds no training instances"):
        overlap(files_of([made(tmp_path, "heldout")]))


def test_the_command_prints_the_nearest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(made(tmp_path, split)) for split in ("train", "heldout")]
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "verify", *folders, "--overlap"])
    assert ended.value.code == 0
    assert "overlap of 4 held-out instances with training" in capsys.readouterr().out

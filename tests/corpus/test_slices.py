"""Slices of a corpus: by theme, family and token budget."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import PROTOTYPES, TIERS, built, bytes_of, lines_of, small, write_lines

from supersede.cli.main import main
from supersede.corpus.build import build, iter_corpus
from supersede.corpus.files import MANIFEST, Journal, read_manifest
from supersede.corpus.plan import Configuration, configure
from supersede.corpus.selection import EVERYTHING, select, selection_from_json
from supersede.corpus.stats import statistics
from supersede.corpus.tokens import ESTIMATE, Estimate
from supersede.corpus.verify import verify
from supersede.corpus.verify_file import Failure, Verified
from supersede.errors import DataError, UsageError
from supersede.model.instance import Tier
from supersede.model.question import Family
from supersede.prototypes import load_prototype

FAMILIES = ("ranking", "audit", "comparison")
BUDGET = 3000
SOCCER = ("--prototypes", "soccer-timeline", "--tiers", "short")


def slice_of(per_cell: int = 6, **others: Any) -> Configuration:
    """The small corpus without some families, and without what is long."""
    given = {"families": FAMILIES, "max_tokens": BUDGET, **others}
    return configure(tiers=TIERS, prototypes=PROTOTYPES, per_cell=per_cell, **given)


def all_lines(folder: Path) -> list[dict[str, Any]]:
    return [
        line for entry in read_manifest(folder).shards for line in lines_of(folder / entry.path)
    ]


def failures_of(*folders: Path, **options: Any) -> list[str]:
    found: list[Failure] = []
    verify(folders, on_failure=found.append, **options)
    return [str(failure) for failure in found]


@pytest.fixture(scope="module")
def sliced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("sliced") / "corpus", slice_of())


def test_a_slice_has_the_instances_of_the_whole_that_it_keeps(sliced: Path, tmp_path: Path) -> None:
    whole = all_lines(built(tmp_path / "whole", small(6)))
    kept, manifest = all_lines(sliced), read_manifest(sliced)
    assert 0 < len(kept) < len(whole)
    wanted = {Family.RANKING, Family.AUDIT, Family.COMPARISON}
    for line in whole:
        line["tokens"] = sum(Estimate().count(one["content"]) for one in line["messages"])
    fitting = [line for line in whole if line["family"] in wanted and line["tokens"] <= BUDGET]
    assert any(line["tokens"] > BUDGET for line in whole if line["family"] in wanted)
    assert kept == fitting
    assert (manifest.instances, manifest.left_out) == (len(kept), len(whole) - len(kept))
    assert manifest.tokens == sum(line["tokens"] for line in kept)
    said = json.loads((sliced / MANIFEST).read_bytes())
    assert (said["max_tokens"], said["tokenizer"]) == (BUDGET, {"name": "estimate"})
    assert set(said["families"]) == wanted
    in_memory = iter_corpus(
        tiers=TIERS, prototypes=PROTOTYPES, per_cell=6, families=FAMILIES, max_tokens=BUDGET
    )
    assert [one.id for one in in_memory] == [line["id"] for line in kept]


def test_a_slice_is_verified_and_its_tokens_are_described(sliced: Path) -> None:
    assert failures_of(sliced) == []
    kept = all_lines(sliced)
    found = statistics([sliced]).tiers[Tier.VERY_SHORT].tokens
    tokens = [line["tokens"] for line in kept if line["tier"] == "very_short"]
    assert found.mean == pytest.approx(sum(tokens) / len(tokens))


def test_workers_and_format_change_no_instance(sliced: Path, tmp_path: Path) -> None:
    build(tmp_path / "two", slice_of(), workers=2)
    assert bytes_of(tmp_path / "two") == bytes_of(sliced)
    pytest.importorskip("pyarrow")
    columns = built(tmp_path / "columns", slice_of(format="parquet"))
    assert failures_of(columns) == []
    assert read_manifest(columns).tokens == read_manifest(sliced).tokens


def test_a_cell_of_which_nothing_is_left_has_no_file(tmp_path: Path) -> None:
    chosen = configure(tiers=TIERS, prototypes=PROTOTYPES, per_cell=2, max_tokens=2300)
    folder = tmp_path / "corpus"
    told: list[int] = []
    manifest = build(folder, chosen, on_shard=lambda entry: told.append(entry.instances))
    assert manifest.empty
    assert len(told) == 4
    assert told.count(0) == len(manifest.empty)
    assert not [path for path in manifest.empty if (folder / path).exists()]
    assert read_manifest(folder) == manifest
    assert failures_of(folder) == []
    before = bytes_of(folder)
    build(folder, chosen)
    assert bytes_of(folder) == before
    stray = folder / manifest.empty[0]
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"")
    assert "which is no part of the corpus" in " ".join(failures_of(folder))


def test_a_slice_that_was_cut_short_goes_on(sliced: Path, tmp_path: Path) -> None:
    folder, manifest = tmp_path / "corpus", read_manifest(sliced)
    first = manifest.shards[0]
    (folder / first.path).parent.mkdir(parents=True)
    (folder / first.path).write_bytes((sliced / first.path).read_bytes())
    Journal(folder, slice_of(), [first])
    build(folder, slice_of())
    assert bytes_of(folder) == bytes_of(sliced)


def test_nothing_left_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of 4 instances is of these families and within"):
        build(tmp_path / "corpus", slice_of(1, max_tokens=1))
    assert bytes_of(tmp_path / "corpus") == {}


def forged(sliced: Path, folder: Path, change: str) -> Path:
    """A copy of the slice with one file changed, and a manifest that says nothing of it."""
    for name, content in bytes_of(sliced).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    data = json.loads((folder / MANIFEST).read_bytes())
    entry = next(shard for shard in data["shards"] if shard["instances"] > 1)
    path = folder / entry["path"]
    lines = lines_of(path)
    if change == "lost":
        lost = lines.pop()
        entry["instances"] -= 1
        entry["events"] -= lost["events"]
        entry["tokens"] -= lost["tokens"]
        data["instances"] -= 1
        data["events"] -= lost["events"]
        data["tokens"] -= lost["tokens"]
        data["left_out"] += 1
    elif change == "turned":
        lines.reverse()
    elif change == "counted":
        lines[0]["tokens"] += 1
    elif change == "uncounted":
        del lines[0]["tokens"]
    elif change == "budget":
        data["max_tokens"] = min(line["tokens"] for line in lines) - 1
    elif change == "left out":
        data["left_out"] += 1
    write_lines(path, lines)
    content = path.read_bytes()
    entry |= {"sha256": sha256(content).hexdigest(), "bytes": len(content)}
    (folder / MANIFEST).write_text(json.dumps(data))
    return folder


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("lost", "which its selection keeps"),
        ("turned", "the indices of its instances do not rise"),
        ("counted", "estimate counts"),
        ("uncounted", "it has no tokens, the manifest says otherwise"),
        ("budget", "the selection of the corpus leaves it out"),
        ("left out", "left_out, its shards have"),
    ],
)
def test_a_slice_that_is_not_what_it_says_is_found(
    change: str, said: str, sliced: Path, tmp_path: Path
) -> None:
    assert said in " ".join(failures_of(forged(sliced, tmp_path / "corpus", change)))


def test_a_tokenizer_of_a_file_is_needed_again_to_count_again(tmp_path: Path) -> None:
    library = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    tokenizer = library.Tokenizer(library.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
    path = tmp_path / "spaces.json"
    tokenizer.save(str(path))
    folder = built(tmp_path / "corpus", slice_of(2, max_tokens=None, tokenizer=path))
    line = all_lines(folder)[0]
    assert line["tokens"] == sum(len(one["content"].split()) for one in line["messages"])
    notes: list[str] = []

    def note(_: Path, found: Verified) -> None:
        notes.extend(found.notes)

    verify([folder], on_file=note)
    assert "name the tokenizer 'spaces' with --tokenizer" in notes[0]
    assert failures_of(folder, tokenizer=path) == []
    with pytest.raises(UsageError, match="its tokens were counted by 'spaces'"):
        failures_of(folder, tokenizer=ESTIMATE)


def test_themes_are_named_as_in_the_catalogue_or_as_their_folders() -> None:
    theme = load_prototype("soccer-timeline").theme
    chosen = configure(themes=[theme])
    assert chosen == configure(themes=["sports"])
    assert {load_prototype(name).theme for name in chosen.prototypes} == {theme}
    assert "soccer-timeline" in chosen.prototypes
    both = configure(themes=["sports"], prototypes=PROTOTYPES)
    assert both.prototypes == ("soccer-timeline",)
    with pytest.raises(UsageError, match="none of these prototypes belongs to these themes"):
        configure(themes=["travel"], prototypes=PROTOTYPES)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--themes", "sport"], "unknown theme 'sport'. Did you mean 'sports'?"),
        (["--families", "rankin"], "unknown family 'rankin'. Did you mean 'ranking'?"),
        (["--families", ","], "families names none"),
        (["--themes", ","], "themes names none"),
        (["--max-tokens", "0"], "Invalid value for '--max-tokens'"),
        (["--tokenizer", "no.json"], "--tokenizer no.json: there is no such file."),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "build", "x", *arguments])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {said}")
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sliced = ("--families", "audit,ranking", "--tokenizer", "estimate", "--per-cell", "4")
    with pytest.raises(SystemExit) as ended:
        main(["corpus", "build", str(tmp_path / "x"), *SOCCER, *sliced])
    assert ended.value.code == 0
    manifest = read_manifest(tmp_path / "x")
    assert capsys.readouterr().out.endswith(
        f"{manifest.tokens:,} tokens, {manifest.left_out} left out\n"
    )


def test_a_selection_comes_back_from_its_manifest() -> None:
    for chosen in (EVERYTHING, select(families=["audit"]), select(max_tokens=9)):
        assert selection_from_json(chosen.to_json(), "x") == chosen
    for broken in ({"families": ["x"]}, {"max_tokens": 5}, {"tokenizer": "estimate"}):
        with pytest.raises(DataError, match="selects in no way that is known"):
            selection_from_json(broken, "x")

"""The data set folder: its files, its rows, its Croissant, and Inspect running it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

import anyio
import pytest
import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai._eval.task.hf import HFTask, task_create_from_hf
from inspect_ai.model import ChatMessage, ModelName, ModelOutput
from inspect_ai.scorer import Target, pattern
from inspect_ai.solver import TaskState
from tests.evaluation.conftest import Scripted
from tests.training.exports.made import changed, corpus, files, needs

from supersede.corpus.build import build
from supersede.corpus.files import read_lines
from supersede.corpus.plan import configure
from supersede.corpus.verify import verify
from supersede.errors import CheckFailed
from supersede.evaluation.evolve_data import read_items
from supersede.model.instance import Split, Tier
from supersede.model.question import Outcome
from supersede.model.serialize import CANARY, instance_from_json
from supersede.prototypes import prototype_files
from supersede.questions import grade
from supersede.training.exports import hub as hub_module
from supersede.training.exports.card import COLUMNS, size_category
from supersede.training.exports.eval_yaml import PATTERN, pattern_accepts
from supersede.training.exports.hub import export_hub
from supersede.training.exports.source import rows_of

SHARDS = {
    f"data/{tier}/{split}-00000-of-00001.parquet"
    for tier in ("very_short", "short")
    for split in ("train", "heldout")
}


def card(folder: Path) -> dict[str, Any]:
    text = (folder / "README.md").read_text(encoding="utf-8")
    front = re.match(r"---\n(.*?)---\n\n# ", text, re.DOTALL)
    assert front is not None
    found = yaml.safe_load(front[1])
    assert isinstance(found, dict)
    return found


def rows(folder: Path) -> list[dict[str, Any]]:
    return [row for path in sorted(folder.rglob("*.parquet")) for _, row in read_lines(path)]


def test_the_folder_has_shards_and_what_describes_them(hub: Path) -> None:
    assert files(hub) == SHARDS | {"README.md", "croissant.json", "eval.yaml"}


def test_its_rows_are_those_of_the_corpora(hub: Path, corpora: list[Path]) -> None:
    given = {row.id: row.data for row in rows_of(corpora)}
    found = {row["id"]: row for row in rows(hub)}
    assert found == given
    assert all(row.keys() == COLUMNS.keys() for row in found.values())
    canaries = {row["canary"] for row in found.values() if row["split"] == "heldout"}
    assert canaries == {CANARY}


def test_its_shards_are_verified_and_evaluated_like_a_corpus(hub: Path) -> None:
    faults: list[object] = []
    assert verify(sorted(hub.rglob("*.parquet")), on_failure=faults.append) == (18, 0), faults
    assert len(read_items(hub)) == 18


def test_the_card_says_where_the_splits_lie(hub: Path) -> None:
    front = card(hub)
    assert front["license"] == "apache-2.0"
    assert front["size_categories"] == ["n<1K"]
    assert [config["config_name"] for config in front["configs"]] == [
        "default", "very_short", "short",
    ]  # fmt: skip
    for config in front["configs"]:
        found = {
            path.relative_to(hub).as_posix(): entry["split"]
            for entry in config["data_files"]
            for path in hub.glob(entry["path"])
        }
        tier = config["config_name"]
        assert found == {
            path: path.rpartition("/")[2].partition("-")[0]
            for path in SHARDS
            if tier in ("default", path.split("/")[1])
        }
    assert CANARY in (hub / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (1, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (35_100, "10K<n<100K"),
        (999_999, "100K<n<1M"), (10**9, "1B<n<10B"), (10**12, "n>1T"), (10**15, "n>1T"),
    ],
)  # fmt: skip
def test_the_size_is_one_of_the_words_of_the_hub(number: int, word: str) -> None:
    assert size_category(number) == word


def test_shards_are_closed_in_time_and_numbered(
    corpora: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "SHARD_CHARACTERS", 30_000)
    export_hub(corpora, tmp_path / "hub")
    found = sorted(path.name for path in (tmp_path / "hub/data/short").glob("train-*"))
    assert len(found) > 1
    assert found == [f"train-{n:05d}-of-{len(found):05d}.parquet" for n in range(len(found))]
    assert sorted(row["id"] for row in rows(tmp_path / "hub")) == sorted(
        row.id for row in rows_of(corpora)
    )
    listed = json.loads((tmp_path / "hub/croissant.json").read_bytes())["distribution"]
    assert len([one for one in listed if "sha256" in one]) == len(rows_files(tmp_path / "hub"))


def rows_files(folder: Path) -> list[Path]:
    return list(folder.rglob("*.parquet"))


def test_a_row_that_the_pattern_misses_stops_the_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus(tmp_path / "corpus", "heldout")
    monkeypatch.setattr(hub_module, "pattern_accepts", lambda target, reply: False)
    with pytest.raises(CheckFailed, match="not right for the row"):
        export_hub([tmp_path / "corpus"], tmp_path / "hub")
    assert {path.name for path in tmp_path.iterdir()} == {"corpus"}


def test_croissant_lists_every_shard_with_its_hash(hub: Path) -> None:
    data = json.loads((hub / "croissant.json").read_bytes())
    listed = {one["contentUrl"]: one["sha256"] for one in data["distribution"] if "sha256" in one}
    assert listed == {path: sha256((hub / path).read_bytes()).hexdigest() for path in SHARDS}
    assert [name for name in data if name.startswith("rai:")]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # those of mlcroissant, of its parts
def test_croissant_is_valid_and_gives_the_rows(hub: Path) -> None:
    mlc = needs("mlcroissant")
    described = mlc.Dataset(str(hub / "croissant.json"))  # raises where it is not valid
    issues = described.metadata.ctx.issues
    assert (issues.errors, issues.warnings) == (set(), set())
    for split, number in (("train", 12), ("heldout", 6)):
        found = list(described.records(split))
        assert len(found) == number
        given = {row["id"]: row for row in rows(hub) if row["split"] == split}
        for record in found:
            row = given.pop(record[f"{split}/id"].decode())
            assert record[f"{split}/answer"].decode() == row["answer"]
            assert record[f"{split}/events"] == row["events"]
            assert [value.decode() for value in record[f"{split}/evidence"]] == row["evidence"]
            said = record[f"{split}/messages"]
            assert [part[f"{split}/messages/content"].decode() for part in said] == [
                message["content"] for message in row["messages"]
            ]
        assert given == {}


def test_the_tasks_are_ones_that_inspect_takes(hub: Path) -> None:
    tasks = yaml.safe_load((hub / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    parsed = [HFTask.model_validate(task) for task in tasks]
    assert [(task.id, task.config, task.split) for task in parsed] == [
        ("very_short", "very_short", "heldout"),
        ("short", "short", "heldout"),
    ]


def test_training_data_alone_is_what_the_tasks_ask(corpora: list[Path], tmp_path: Path) -> None:
    export_hub(corpora[:1], tmp_path / "hub")
    tasks = yaml.safe_load((tmp_path / "hub/eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert {task["split"] for task in tasks} == {"train"}
    assert CANARY not in (tmp_path / "hub/README.md").read_text(encoding="utf-8")


@pytest.fixture
def offline(hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The place of the data set, found in the folder that one is in instead of on the Hub."""
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    for name in ("HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    needs("datasets")
    hub_client = needs("huggingface_hub")

    def local(*, repo_id: str, filename: str, **_: object) -> str:
        return str(hub.parents[1] / repo_id / filename)

    monkeypatch.setattr(hub_client, "hf_hub_download", local)
    monkeypatch.chdir(hub.parents[1])
    return "my-org/my-data"


@pytest.mark.parametrize(
    ("write", "accuracy"),
    [(lambda answer: f"So it is.\n\n{answer}", 1.0), (lambda answer: "", 0.0), (changed, 0.0)],
    ids=["gold", "empty", "wrong"],
)
def test_inspect_runs_it_from_the_hub(
    write: Callable[[str], str],
    accuracy: float,
    offline: str,
    hub: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = {row["messages"][-1]["content"]: row["answer"] for row in rows(hub)}

    def answer(messages: list[ChatMessage]) -> str:
        return write(right[messages[-1].text])

    monkeypatch.setattr(Scripted, "write", staticmethod(answer), raising=False)
    tasks = task_create_from_hf(f"hf/{offline}")
    assert len(tasks) == 2
    logs = inspect_eval(
        tasks, model="scripted/model", log_dir=str(tmp_path / "logs"), display="none",
        log_level="error", log_realtime=False,
    )  # fmt: skip
    assert sum(len(log.samples or ()) for log in logs) == 6
    for log in logs:
        assert log.status == "success", log.error
        assert log.results is not None
        assert log.results.scores[0].metrics["accuracy"].value == accuracy
        assert all(s.metadata["canary"] == CANARY for s in log.samples or ())


def test_datasets_loads_every_config(offline: str, tmp_path: Path) -> None:
    load = needs("datasets").load_dataset
    for config, train, heldout in (("default", 12, 6), ("very_short", 6, 3), ("short", 6, 3)):
        found = load(offline, config, cache_dir=str(tmp_path / "cache"))
        assert {name: len(split) for name, split in found.items()} == {
            "train": train, "heldout": heldout,
        }  # fmt: skip
        instance_of(found["heldout"][0])


def instance_of(row: dict[str, Any]) -> None:
    """A row as `datasets` gives it has its answer and its claims."""
    assert row["messages"][-1]["role"] == "user"
    assert json.loads(row["checklist"])[0]["expected"] in row["answer"]


ANSWER = "Answer: best = Ann Inc.; value = 3"
REPLIES = {
    ANSWER: True,
    f"{ANSWER}\n": True,
    f"Let me see.\r\n{ANSWER}\r\n": True,
    f"**{ANSWER}**": True,
    f"> `{ANSWER}`.": True,
    ANSWER.lower(): True,
    f"Answer: best = Bob; value = 3\n\nNo.\n{ANSWER}": True,
    f"{ANSWER}\nI am sure.": True,
    f"{ANSWER}\nAnswer: best = Bob; value = 3": False,
    f"I think: {ANSWER}": False,
    f"{ANSWER} or 4": False,
    "Answer: best = Ann Inc.; value = 30": False,
    "": False,
    "\n": False,
    "Answer:": False,
}


@pytest.mark.parametrize(("said", "right"), REPLIES.items())
def test_the_pattern_reads_the_last_answer_line_as_inspect_does(said: str, right: bool) -> None:
    assert pattern_accepts(ANSWER, said) is right
    state = TaskState(ModelName("scripted/model"), "1", 1, "?", [], output=ModelOutput())
    state.output = ModelOutput.from_content("scripted/model", said)
    score = pattern(pattern=PATTERN)

    async def scored() -> object:
        found = await score(state, Target(ANSWER))
        return found.value if found else None

    assert anyio.run(scored) == ("C" if right else "I")


def test_an_answer_that_ends_with_a_stop_is_found() -> None:
    assert pattern_accepts("Answer: best = Ann Inc.", "Answer: best = Ann Inc.")
    assert pattern_accepts("Answer: best = Ann Inc.", "**Answer: best = Ann Inc.**")


def test_what_the_pattern_calls_right_our_grader_does(hub: Path) -> None:
    for row in rows(hub):
        instance = instance_from_json(row)
        for dress in ("{}", "**{}**", "> {}.", "x\n{}\ny", "`{}`\n"):
            said = dress.format(row["answer"])
            assert pattern_accepts(row["answer"], said), said
            graded = grade(instance.question, instance.answer.checklist, said)
            assert graded.outcome is Outcome.RIGHT, said


def test_a_long_reply_without_an_answer_takes_no_time_of_its_square() -> None:
    began = process_time()
    for said in ("a" * 200_000, "\n" * 200_000, "x\n" * 100_000, "Answer: " + "y" * 200_000):
        assert not pattern_accepts(ANSWER, said)
    assert process_time() - began < 10  # by the square it would be hours


def test_a_world_of_ones_own_goes_along(tmp_path: Path) -> None:
    text = prototype_files()["soccer-timeline"].read_text(encoding="utf-8")
    world = tmp_path / "my-game.yaml"
    world.write_text(text.replace("id: soccer-timeline", "id: my-game", 1), encoding="utf-8")
    made = configure(tiers=["very_short"], prototypes=[world], per_cell=1)
    build(tmp_path / "corpus", made)
    exported = export_hub([tmp_path / "corpus"], tmp_path / "hub")
    assert exported.cells == {(Split.TRAIN, Tier.VERY_SHORT): 1}
    copy = tmp_path / "hub" / "specifications" / "my-game.yaml"
    assert copy.read_text(encoding="utf-8") == world.read_text(encoding="utf-8")


def test_counts_of_tokens_are_a_column_of_their_own(tmp_path: Path) -> None:
    made = configure(tiers=["short"], prototypes=["soccer-timeline"], per_cell=2,
                     tokenizer="estimate")  # fmt: skip
    build(tmp_path / "corpus", made)
    out = tmp_path / "hub"
    export_hub([tmp_path / "corpus"], out)
    assert {row["id"]: row["tokens"] for row in rows(out)} == {
        row.id: row.data["tokens"] for row in rows_of([tmp_path / "corpus"])
    }
    assert "| `tokens` | length of the messages in tokens, counted by `estimate`" in (
        out / "README.md"
    ).read_text(encoding="utf-8")
    (held,) = json.loads((out / "croissant.json").read_bytes())["recordSet"]
    assert "tokens" in {field["name"] for field in held["field"]}
    assert verify(sorted(out.rglob("*.parquet"))) == (2, 0)

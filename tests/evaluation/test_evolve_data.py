import json
from itertools import groupby
from pathlib import Path

import pytest
from tests.evaluation.conftest import write_corpus

from supersede.errors import DataError, UsageError
from supersede.evaluation.evolve_data import chosen_items, evolve_options, read_items
from supersede.model.instance import Instance, Tier


def test_instances_come_back_under_their_ids(corpus: Path, instances: list[Instance]) -> None:
    items = read_items(corpus)
    assert [item.id for item in items] == [one.to_json()["id"] for one in instances]
    assert [item.instance.messages for item in items] == [one.messages for one in instances]


def test_a_directory_is_read_in_order_of_names(instances: list[Instance], tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    write_corpus(tmp_path / "b" / "x.jsonl", instances[:1])
    write_corpus(tmp_path / "a.jsonl", instances[1:3])
    (tmp_path / "manifest.json").write_text("{}")
    items = read_items(tmp_path)
    assert [item.instance.question for item in items] == [
        one.question for one in (*instances[1:3], instances[0])
    ]


def test_a_file_cut_short_is_named_with_its_line(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(corpus.read_bytes()[:-2000])
    with pytest.raises(DataError, match=r"cut\.jsonl:12: the file ends in the middle of a line"):
        read_items(path)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{}", "'id' is missing"),
        ('{"id": "x"}', "not an instance: 'key' is missing"),
        ("[1]", "not a JSON object"),
        ("{'id'}", "not JSON"),
    ],
)
def test_a_line_that_is_no_instance_is_named(line: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(DataError, match=what) as caught:
        read_items(path)
    assert "bad.jsonl:1" in str(caught.value)


def test_an_instance_that_is_there_twice_is_refused(
    instances: list[Instance], tmp_path: Path
) -> None:
    path = write_corpus(tmp_path / "twice.jsonl", [instances[0], instances[1], instances[0]])
    with pytest.raises(DataError, match=r"twice\.jsonl:3: .* also at .*twice\.jsonl:1"):
        read_items(path)


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no instances here"):
        read_items(tmp_path)
    with pytest.raises(UsageError, match="no such file"):
        read_items(tmp_path / "absent.jsonl")


def test_an_unfinished_corpus_is_refused(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(corpus.read_bytes())
    (tmp_path / "manifest.partial").write_text("")
    with pytest.raises(DataError, match="not finished"):
        read_items(tmp_path)


def test_tiers_and_limits_choose_evenly(corpus: Path) -> None:
    items = read_items(corpus)
    options = evolve_options({"data": str(corpus), "tiers": "short", "limit_per_tier": 4})
    chosen = chosen_items(items, options)
    assert [item.tier for item in chosen] == [Tier.SHORT] * 4
    prototypes = [item.instance.key.prototype for item in chosen]
    assert sorted(prototypes.count(name) for name in set(prototypes)) == [1, 1, 2]


def test_instances_of_a_prototype_are_asked_one_after_the_other(corpus: Path) -> None:
    chosen = chosen_items(read_items(corpus), evolve_options({"data": str(corpus)}))
    prototypes = [item.instance.key.prototype for item in chosen]
    assert [name for name, _ in groupby(prototypes)] == list(dict.fromkeys(prototypes))


def test_a_tier_that_does_not_occur_is_an_error_that_says_which_do(corpus: Path) -> None:
    options = evolve_options({"data": str(corpus), "tiers": ["long"]})
    with pytest.raises(DataError, match=r"no instance of tier long\. There are very_short, short"):
        chosen_items(read_items(corpus), options)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"data": "x", "teirs": "short"}, "unknown option 'teirs'.*Did you mean 'tiers'"),
        ({"dat": "x"}, "unknown option 'dat'.*Did you mean 'data'"),
        ({}, "needs the option 'data'"),
        ({"data": "x", "tiers": "shrot"}, "unknown tier 'shrot'"),
        ({"data": "x", "tiers": 3}, "option tiers=3"),
        ({"data": "x", "limit_per_tier": 0}, "greater than or equal to 1"),
        ({"data": "x", "context": "many"}, "option context='many'"),
        ({"data": "x", "seconds": -1}, "option seconds=-1"),
    ],
)
def test_options_that_are_wrong_are_refused(options: dict[str, object], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        evolve_options(options)


def test_an_instance_survives_being_written_and_read(instances: list[Instance]) -> None:
    line = json.dumps(instances[0].to_json())
    assert json.loads(line)["answer"] == instances[0].answer.text

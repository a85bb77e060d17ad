import pytest

from supersede.corpus import plan
from supersede.corpus.plan import Configuration, configure, fingerprint
from supersede.errors import UsageError
from supersede.model.instance import Split, Tier
from supersede.prototypes import load_prototype, prototype_ids
from supersede.specs.schema import Difficulty


def test_the_whole_corpus_has_sixty_instances_a_cell_and_one_held_out() -> None:
    for split, per_cell in (("train", 60), ("heldout", 1)):
        whole = configure(split)
        assert whole.per_cell == per_cell
        assert sum(1 for _ in whole.instance_keys()) == per_cell * 5 * len(prototype_ids())


def test_names_are_put_in_the_order_of_the_catalogue_and_of_difficulty() -> None:
    one = configure(tiers=["long", "short"], prototypes=["soccer-timeline", "ci-cd-deployment-log"])
    other = configure(
        tiers=[Tier.SHORT, Tier.LONG, Tier.SHORT],
        prototypes=["ci-cd-deployment-log", "soccer-timeline", "soccer-timeline"],
    )
    assert one == other
    assert one.tiers == (Tier.SHORT, Tier.LONG)
    assert one.prototypes == ("ci-cd-deployment-log", "soccer-timeline")


def test_shards_hold_the_keys_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "SHARD_SIZE", 3)
    chosen = configure(tiers=["short", "long"], prototypes=["soccer-timeline"], per_cell=7)
    in_shards = [
        (shard.prototype, shard.tier, index)
        for shard in chosen.shards()
        for index in range(shard.first, shard.first + shard.size)
    ]
    assert in_shards == [(key.prototype, key.tier, key.index) for key in chosen.instance_keys()]
    assert [shard.path for shard in chosen.shards()][:4] == [
        "soccer-timeline/short-0000.jsonl",
        "soccer-timeline/short-0001.jsonl",
        "soccer-timeline/short-0002.jsonl",
        "soccer-timeline/long-0000.jsonl",
    ]


def test_a_world_gives_no_tier_that_it_is_too_short_for(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load_prototype("soccer-timeline")
    brief = spec.model_copy(update={"difficulty": Difficulty(longest=Tier.SHORT)})
    monkeypatch.setattr(plan, "load_prototype", lambda name: brief)
    chosen = Configuration(Split.TRAIN, (spec.id,), tuple(Tier), 1)
    assert [tier for _, tier in chosen.cells()] == [Tier.VERY_SHORT, Tier.SHORT]


def test_a_fingerprint_changes_with_any_word_of_the_specification() -> None:
    spec = load_prototype("soccer-timeline")
    assert fingerprint(spec) == fingerprint(spec.model_copy())
    other = spec.model_copy(update={"noise": (*spec.noise, "The floodlights hum.")})
    assert fingerprint(spec) != fingerprint(other)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"split": "trian"}, "unknown split 'trian'. Did you mean 'train'?"),
        ({"tiers": ["shrt"]}, "unknown tier 'shrt'. Did you mean 'short'?"),
        ({"tiers": ["xyz"]}, "Choose from very_short, short, medium, long, very_long."),
        ({"prototypes": ["soccer-timelin"]}, "Did you mean 'soccer-timeline'?"),
        ({"per_cell": 0}, "per_cell=0 is below 1"),
    ],
)
def test_a_wrong_name_leads_to_the_right_one(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        configure(**arguments)  # type: ignore[arg-type]  # each row has the type of its argument
    assert said in str(raised.value)

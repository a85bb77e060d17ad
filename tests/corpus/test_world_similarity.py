"""The script that measures how alike the worlds read, and that no wording stands in two."""

import runpy
from pathlib import Path

import pytest

from supersede.prototypes import load_prototype, prototype_ids

SCRIPT = runpy.run_path(
    str(Path(__file__).parents[2] / "benchmarks" / "world_similarity.py"), run_name="script"
)
Text, pairs, spread = SCRIPT["Text"], SCRIPT["pairs"], SCRIPT["spread"]
blanked, repeated = SCRIPT["blanked"], SCRIPT["repeated"]


def test_names_ids_and_numbers_are_blanked() -> None:
    spec = load_prototype("insurance-claims-flow")
    line = "M3-N12 release (draft): Greta Lindqvist frees CL-2051; reserve CL-2051 -1200.50 EUR."
    assert list(blanked(spec, [line])) == ["_ release (draft): _ frees _; reserve _ _ eur."]


def test_alike_is_one_and_unlike_is_nought() -> None:
    one = Text({"goal": 2, "kick": 1}, frozenset({("a", "goal", "is")}))
    other = Text({"court": 3}, frozenset({("the", "court", "sits")}))
    found = {(p.one, p.other): p for p in pairs({"a": one, "b": one, "c": other, "d": other})}
    assert found["a", "b"].words == pytest.approx(1)
    assert found["a", "b"].phrases == 1
    assert (found["a", "c"].words, found["a", "c"].phrases) == (0, 0)


def test_a_word_of_all_worlds_weighs_nothing() -> None:
    texts = {name: Text({"the": 9, name: 1}, frozenset({(name,)})) for name in "abc"}
    assert [pair.words for pair in pairs(texts)] == [0, 0, 0]


def test_the_spread_goes_from_least_to_most() -> None:
    row = spread([n / 100 for n in range(101)])
    assert list(row.values()) == sorted(row.values())
    assert (row["least"], row["median"], row["most"]) == (0, 0.5, 1)


def test_a_wording_of_two_worlds_is_told() -> None:
    spec = load_prototype("insurance-claims-flow")
    event = spec.events[0].model_copy(update={"phrasings": ("{actor} OPENS, {target}",)})
    twin = spec.model_copy(update={"id": "twin", "events": (event,), "rules": (), "noise": ()})
    third = twin.model_copy(
        update={
            "id": "third",
            "events": (event.model_copy(update={"phrasings": ("{x} opens {y}",)}),),
        }
    )
    assert repeated([twin, third])["_ opens _"] == ["twin", "third"]
    assert "_ opens _" not in repeated([spec, twin])


@pytest.mark.every_world
def test_no_wording_stands_in_two_worlds() -> None:
    assert repeated(map(load_prototype, prototype_ids())) == {}

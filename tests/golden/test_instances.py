import pytest
from tests.golden.regenerate import COMMAND, Golden, complaint, golden_of, recorded

from supersede.prototypes import prototype_ids


@pytest.mark.every_world
@pytest.mark.parametrize("prototype", prototype_ids())
def test_the_bytes_of_a_version_never_change(prototype: str) -> None:
    said = complaint(prototype, recorded().get(prototype), golden_of(prototype))
    assert said is None, said


def test_no_hash_is_on_file_for_a_prototype_that_is_gone() -> None:
    assert set(recorded()) <= set(prototype_ids())


def golden(version: int, digest: str) -> Golden:
    return {"version": version, "tiers": {"short": digest}}


def test_changed_bytes_demand_a_new_version() -> None:
    assert complaint("a", golden(1, "x"), golden(1, "x")) is None
    same_version = complaint("a", golden(1, "x"), golden(1, "y"))
    assert same_version is not None
    assert "raise `version` in its YAML" in same_version
    for before in (None, golden(1, "x")):
        raised = complaint("a", before, golden(2, "y"))
        assert raised == f"a: version 2 is not recorded. Run: {COMMAND}"

import pickle

import pytest

from supersede import errors
from supersede.errors import (
    CheckFailed,
    SpecError,
    SupersedeError,
    UsageError,
    did_you_mean,
    location,
)


def test_an_error_is_one_line_of_where_what_and_mend() -> None:
    error = SpecError("weight=-1 is negative", where="shop.yaml:12", mend="Use 0 or more.")
    assert str(error) == "shop.yaml:12: weight=-1 is negative. Use 0 or more."


def test_parts_that_are_left_out_leave_no_marks() -> None:
    assert str(UsageError("no such tier")) == "no such tier"
    assert str(UsageError("no such tier", mend="")) == "no such tier"
    assert str(UsageError("no such tier", where="sample")) == "sample: no such tier"


def test_line_breaks_in_the_parts_do_not_break_the_line() -> None:
    error = SpecError("bad\n  indent", where="a.yaml:1", mend="Use\tspaces.")
    assert str(error) == "a.yaml:1: bad indent. Use spaces."


@pytest.mark.parametrize(
    ("what", "line"), [("odd.", "odd. Mend."), ("odd?", "odd? Mend."), ("odd", "odd. Mend.")]
)
def test_what_and_mend_are_two_sentences(what: str, line: str) -> None:
    assert str(UsageError(what, mend="Mend.")) == line


def test_an_error_survives_the_way_between_processes() -> None:
    error = SpecError("odd", where="a.yaml:1", mend="Mend.")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.where) == (SpecError, str(error), "a.yaml:1")


def test_a_failed_check_exits_with_1_and_everything_else_with_2() -> None:
    codes = {
        kind.__name__: kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, SupersedeError)
    }
    assert codes.pop(CheckFailed.__name__) == 1
    assert set(codes.values()) == {2}


def test_the_tree_in_the_docstring_names_every_error() -> None:
    for kind in SupersedeError.__subclasses__():
        if kind.__module__ == errors.__name__:
            assert f"── {kind.__name__} " in (errors.__doc__ or "")


def test_a_location_is_what_editors_understand() -> None:
    assert location("a.yaml") == "a.yaml"
    assert location("a.yaml", 3) == "a.yaml:3"
    assert location("a.yaml", 3, 7) == "a.yaml:3:7"


def test_a_near_name_is_suggested_in_its_own_spelling() -> None:
    assert did_you_mean("INVENTRY", ["Inventory", "chess"]) == "Did you mean 'Inventory'?"


def test_a_far_name_gets_the_choices() -> None:
    assert did_you_mean("zzz", ["b", "a"]) == "Choose from a, b."
    assert did_you_mean("zzz", []) == ""


def test_many_choices_are_cut_after_eight() -> None:
    line = did_you_mean("zzz", [f"k{n}" for n in range(10)])
    assert line == "Choose from k0, k1, k2, k3, k4, k5, k6, k7 and 2 more."


def test_choices_keep_their_order_where_it_says_something() -> None:
    tiers = ["very_short", "short", "medium"]
    said = did_you_mean("zzz", tiers, in_order=True)
    assert said == "Choose from very_short, short, medium."


def test_a_list_that_is_cut_names_the_command_that_shows_all() -> None:
    line = did_you_mean("zzz", [f"k{n}" for n in range(10)], see="supersede dials")
    assert line.endswith("k7 and 2 more: supersede dials")
    assert did_you_mean("zzz", ["b", "a"], see="supersede dials") == "Choose from a, b."

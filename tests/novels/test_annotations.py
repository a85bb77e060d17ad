"""Answers at every chunk, from what was said at some."""

from __future__ import annotations

from dataclasses import replace

from tests.novels.made import question

from supersede.novels.annotations import Mark, MarkKind, Option, Timeline, resolved

C, K = MarkKind.CHOICE, MarkKind.CONFIRMATION


def line(*marks: Mark, chunks: int = 4) -> Timeline:
    return Timeline("ann", "q1", resolved({mark.chunk: mark for mark in marks}, chunks))


def test_an_answer_is_carried_until_the_next_choice() -> None:
    made = line(Mark(1, C, "a"), Mark(3, C, "b"))
    assert made.answers == (None, "a", "a", "b")
    assert made.change_points == (1, 3)
    assert [cell.confirmed for cell in made.cells] == [False, True, False, True]
    assert not made.complete


def test_a_confirmation_of_what_is_no_longer_carried_lapses() -> None:
    confirmed = (Mark(0, C, "a"), Mark(1, K, "a"), Mark(2, K, "a"), Mark(3, K, "a"))
    assert line(*confirmed).complete
    changed = line(*confirmed, Mark(1, C, "b"))
    assert changed.answers == ("a", "b", "b", "b")
    assert [cell.confirmed for cell in changed.cells] == [True, True, False, False]


def test_choosing_what_is_carried_is_no_change() -> None:
    assert line(Mark(0, C, "a"), Mark(2, C, "a")).change_points == (0,)


def test_options_that_say_the_same_count_as_one() -> None:
    made = question()
    two = (*made.options, Option("x", "Mill", same_as="a"), Option("y", "The mill", same_as="x"))
    more = replace(made, options=two)
    assert [more.canonical(name) for name in "abxy"] == ["a", "b", "a", "a"]
    ring = replace(made, options=(Option("a", "1", same_as="b"), Option("b", "2", same_as="a")))
    assert ring.canonical("a") in "ab"

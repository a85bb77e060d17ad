"""Texts from outside: what is kept of them, and what may name something."""

from __future__ import annotations

import pytest

from supersede.novels.typed import can_be_kept, is_name, says_something, tidy


def test_control_signs_become_spaces_and_halves_of_signs_question_marks() -> None:
    assert tidy("a\0b\x1b[31mc\x85d") == "a b [31mc d"
    assert tidy("one\n\ttwo\r\n") == "one\n\ttwo\r\n"
    assert tidy("cut \ud83d") == "cut ?"
    assert tidy("\u202eright to left\u202c \U0001f469\u200d\U0001f467") == (
        "\u202eright to left\u202c \U0001f469\u200d\U0001f467"
    )


@pytest.mark.parametrize("text", ["", "  ", "\u200b\u200e", "\n\t", "\u00a0\u2060"])
def test_what_nobody_sees_says_nothing(text: str) -> None:
    assert not says_something(text)
    assert says_something(f"{text}?")


def test_half_of_a_sign_cannot_be_kept() -> None:
    assert can_be_kept("caf\u00e9 \U0001f469")
    assert not can_be_kept("\ud83d")


@pytest.mark.parametrize(
    "name", ["", ".", "..", " q", "q ", "q\n1", "q\0", "q\u200b1", "\ud83d", "q" * 101]
)
def test_what_is_no_id(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize("name", ["q1", "Who is she?", "chapter 1/q2", "\u5f7c-1", "q" * 100])
def test_what_is_an_id(name: str) -> None:
    assert is_name(name)

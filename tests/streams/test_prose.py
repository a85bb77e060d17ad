"""Books as people have them become clean paragraphs."""

from __future__ import annotations

import re

import pytest
from tests.streams.novels import NOVELS, needs_novels

from supersede.streams.prose import decoded, gaps, paragraphs, sentences

BOOK = """The Project Gutenberg EBook of A Tale, by Some Body

Title: A Tale

*** START OF THIS PROJECT GUTENBERG EBOOK A TALE ***

Produced by Somebody Kind and another one.

A TALE

by Some Body

     CONTENTS

     1.  THE OLD HOUSE . . . . . . . 11
     2.  THE NEW HOUSE . . . . . . . 47

Chapter 1. In Which It Begins

It was a dark _and_ stormy night, says the
author, and nobody believed a word of it.

     Thus sang the sailor on the sea,
       In verse that stands apart.

[Illustration: a dark night]

“You are late,” said he. “Sit down.” She sat.

II

Mr. Smith met Dr. J. Jones at St. Mary's. They talked.

It was a dark _and_ stormy night, he says to us, and
never after did it rain so hard.

THE END

*** END OF THIS PROJECT GUTENBERG EBOOK A TALE ***

This file is licensed to everybody under terms that nobody reads.
"""


def test_only_the_prose_of_a_book_stays() -> None:
    assert paragraphs(BOOK) == [
        "It was a dark and stormy night, says the author, and nobody believed a word of it.",
        "“You are late,” said he. “Sit down.” She sat.",
        "Mr. Smith met Dr. J. Jones at St. Mary's. They talked.",
        "It was a dark and stormy night, he says to us, and never after did it rain so hard.",
    ]


def test_a_text_without_a_licence_is_taken_whole() -> None:
    assert paragraphs("One day it rained.\n\nThe next day it did not.\n") == [
        "One day it rained.",
        "The next day it did not.",
    ]


@pytest.mark.parametrize(
    "data",
    [
        "Café, said he.\r\n\r\nYes.".encode(),
        b"\xef\xbb\xbf" + "Café, said he.\r\n\r\nYes.".encode(),
        "Café, said he.\r\rYes.".encode("latin-1"),
        "Café, said he.\n\nYes.".encode("utf-16"),
    ],
)
def test_every_usual_encoding_is_read(data: bytes) -> None:
    assert decoded(data) == "Café, said he.\n\nYes."


def test_sentences_end_where_they_do() -> None:
    text = "Mr. Smith met Dr. J. Jones at noon. “Late again!” said he. “Sit down.” She sat."
    assert sentences(text) == (
        "Mr. Smith met Dr. J. Jones at noon.",
        "“Late again!” said he.",
        "“Sit down.”",
        "She sat.",
    )
    assert " ".join(sentences(text)) == text


def test_nothing_goes_in_inside_a_quotation() -> None:
    assert list(gaps(["He rose.", "“Stay.", "Sit.”", "He sat."])) == [0, 1, 3, 4]
    assert list(gaps(['He rose. "Stay.', 'Sit."', "He sat."])) == [0, 2, 3]


@needs_novels
def test_the_novels_come_out_clean() -> None:
    files = sorted(NOVELS.glob("*.txt"))
    assert len(files) == 6
    for file in files:
        text = decoded(file.read_bytes())
        found = paragraphs(text)
        kept = sum(len(paragraph.split()) for paragraph in found)
        assert kept > 0.85 * len(text.split()), file.name
        for paragraph in found:
            assert not re.search(r"gutenberg|[\r\n\ufeff\ufffd_]", paragraph, re.I), paragraph
            assert not re.fullmatch(r"(chapter|letter|book|part) \w+\.?", paragraph, re.I)
            assert not paragraph.isupper()
            assert " ".join(sentences(paragraph)) == paragraph

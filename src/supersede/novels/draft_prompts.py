"""What a model is asked when it drafts questions about a book (O-081 to O-083).

Two prompts: whom and what the book is about, then questions about one of them. The text comes
first, so that a server which keeps the beginning of a prompt reads a book once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from supersede.model.instance import Message
from supersede.novels.book import Book, Chunk

__all__ = ["Passages", "entities_prompt", "questions_prompt"]

_WHOLE = 'Below is the whole of "{title}", in {chunks} sections.'
_PART = (
    'Below are {shown} of the {chunks} sections of "{title}", in the order of the book; others, '
    "before, between and after them, are left out."
)

_ENTITIES = """\
Name the most important characters and objects of this text: those that its story turns on, and \
whose situation, knowledge, feelings, place or owner changes while it goes on. Name at most \
{most}, the most important first, each by the name that the text uses most.

Write the names in one line, separated by |, and nothing else: NAME | NAME | NAME"""

_QUESTIONS = """\
Write up to {most} questions about {entity}.

Somebody will read this book section by section and answer each question again after every \
section, from what has been told by then. So the right answer must become another one as the story \
goes on, at least once and better several times, and no single section may tell all of it. Good \
questions follow how the situation, plans, knowledge, feelings, place or possessions of {entity} \
change, or a mystery whose clues lie in different sections.

Ask for the state at the point of reading, and never for the whole course: "Where does X live \
now?", not "How does the home of X change?". Where things gather, ask for the newest of them: \
"What is the last name that X has taken?", not "Which names does X take?". Do not give away in a \
question what is only told later.

Give each question two or more different answers, in the order in which they become right. With \
each answer comes its source: one sentence that tells it, copied from the text word for word. \
Sources of different answers come from different sections.

Write JSON and nothing else, in this form:
{{"questions": [{{"question": "...", "answers": [{{"answer": "...", "source": "..."}}, \
{{"answer": "...", "source": "..."}}]}}]}}"""


class Passages(NamedTuple):
    """Some chunks of a book that fit one prompt."""

    book: Book
    chunks: Sequence[Chunk]
    """In the order of the book."""


def entities_prompt(shown: Passages, most: int) -> tuple[Message, ...]:
    """Asks whom and what the text is about.

    Args:
        shown: What of the book is shown.
        most: Most names.
    """
    return _asked(shown, _ENTITIES.format(most=most))


def questions_prompt(shown: Passages, entity: str, most: int) -> tuple[Message, ...]:
    """Asks for questions about somebody or something.

    Args:
        shown: What of the book is shown.
        entity: Whom or what they are about.
        most: Most questions.
    """
    return _asked(shown, _QUESTIONS.format(entity=entity, most=most))


def _asked(shown: Passages, task: str) -> tuple[Message, ...]:
    chunks = len(shown.book.chunks)
    head = (_WHOLE if len(shown.chunks) == chunks else _PART).format(
        title=shown.book.title, shown=len(shown.chunks), chunks=chunks
    )
    sections = "\n\n".join(
        f'<section number="{chunk.index + 1}">\n{chunk.text}\n</section>' for chunk in shown.chunks
    )
    return (Message("user", f"{head}\n\n{sections}\n\n{task}"),)

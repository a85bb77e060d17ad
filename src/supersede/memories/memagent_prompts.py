"""What MemAgent is asked, and how its replies become memories.

One message and no system message, with problem, memory and section in blocks of their own and the
whole reply as the memory: the layout that its models were trained on. The words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from supersede.memories.prompts import option_line
from supersede.memories.replies import plain
from supersede.model.instance import Message
from supersede.model.stream import StreamQuestion

Style: TypeAlias = Literal["upstream", "tracking"]
"""As published, or with a word on what changes."""

NO_MEMORY = "Nothing has been noted yet."
"""Stands for a memory that holds nothing."""

_ASK = """\
Below are a problem, the memory that you kept of a text so far, and the next section of that \
text. Read the section and write the memory anew: take over from the old memory whatever may still \
serve the problem, and add what the section brings to it. The section is not shown again; when \
the problem is to be solved, only your memory is there. Write the memory and nothing else."""

_TRACK = """ \
Later sections outweigh earlier ones: where this section changes something that the memory holds, \
let the new state take its place, and say in brackets in which section it changed. What the \
section does not touch stays as it is."""

_GENERAL = (
    "Keep track of the people, places and things of the text, of how they stand to each other, and "
    "of how all this changes."
)


def update_prompt(
    style: Style, problem: str, memory: str, section: str, index: int
) -> tuple[Message, ...]:
    """What is asked at each chunk.

    Args:
        style: Which words it has; only `tracking` names the section's number.
        problem: What the memory is for.
        memory: The memory so far; empty where there is none.
        section: The chunk.
        index: Its index.
    """
    number = f' number="{index}"' if style == "tracking" else ""
    text = (
        f"{_ASK}{_TRACK if style == 'tracking' else ''}\n\n"
        f"<problem>\n{problem}\n</problem>\n\n"
        f"<memory>\n{memory or NO_MEMORY}\n</memory>\n\n"
        f"<section{number}>\n{section}\n</section>\n\n"
        "Updated memory:"
    )
    return (Message("user", text),)


def problem_of(question: StreamQuestion, preamble: str) -> str:
    """A question as the problem that a memory is kept for, with its options."""
    lines = [question.text]
    if question.options:
        lines += ["Options:", *map(option_line, range(26), question.options)]
    return _about(preamble) + "\n".join(lines)


def problem_of_all(questions: Sequence[str], preamble: str) -> str:
    """All questions as one problem; without any, to keep track of everything."""
    if not questions:
        return _about(preamble) + _GENERAL
    listed = "\n".join(f"- {text}" for text in questions)
    return f"{_about(preamble)}Be able to answer each of these questions at any time:\n{listed}"


def _about(preamble: str) -> str:
    return f"About the text: {preamble}\n\n" if preamble else ""


_BOLD = r"(?:\*\*|__)?"
_HEADING = re.compile(
    rf"\A\s*(?:#+\s*)?{_BOLD}(?:here(?: is|'s) )?(?:the |my )?(?:updated |new |current )?memory"
    rf"{_BOLD}[ \t]*(?::{_BOLD}|(?=\n|\Z))\s*",
    re.I,
)
_OPENED = re.compile(r"\A\s*<(?:updated[_ ])?memory>\s*", re.I)
_CLOSED = re.compile(r"\s*</(?:updated[_ ])?memory>\s*\Z", re.I)


def memory_of(reply: str) -> str:
    """The memory that a reply is: without thinking, fence, and what it echoes of the prompt.

    Empty where nothing is left, and where the reply only repeats that there is none.
    """
    text = _OPENED.sub("", plain(reply))
    text = _OPENED.sub("", _HEADING.sub("", text))
    text = _CLOSED.sub("", text).strip()
    return "" if text == NO_MEMORY else text


_SECTION = re.compile(r"<section[^>]*>\n(.*)\n</section>", re.DOTALL)
_SHARE, _FEWEST, _MOST = 5, 12, 400


def rehearsed(messages: Sequence[Message]) -> str:
    """A memory of common length: a fifth of the section's words, from 12 to 400 of them."""
    found = _SECTION.search(messages[-1].content)
    words = found[1].split() if found else []
    return " ".join(words[: min(_MOST, max(_FEWEST, len(words) // _SHARE))]) or NO_MEMORY

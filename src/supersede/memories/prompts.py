"""The prompts: rules, then context, then question, so that what is shared comes first.

The system message holds the rules; an exchange follows that shows the form of a reply; the last
user message holds the context and then the question. Rules and exchange are the same for all open
questions of a stream, and so for all of multiple choice. So all prompts of an interval begin
alike, and where a context only grows, as that of `base` does until it is cut, each interval's
prompts begin with the whole shared part of the last.

Two sets of rules: for open questions (the published Prompt 3, O-140) and for multiple choice (the
published Prompt 4, O-141). The wording is ours, and so is the exchange: without it, small models
leave out the line of the answer, in whatever words it is asked for (SmolLM2-135M in 47 of 48
replies). Where a memory shows no text on purpose, rules and exchange speak of none (X-020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from supersede.corpus.tokens import TokenCounter
from supersede.model.instance import Message
from supersede.model.memory import Context
from supersede.model.stream import StreamQuestion

_TASK = """\
You read a text that arrives piece by piece. The message below holds what has arrived so far, \
earlier pieces first, and after it one question. Answer it as things stand at the end of what you \
have been given.

Rules
1. Only the text counts. Take every fact from the text you are given; what you know from elsewhere \
does not count, even where it disagrees.
2. What holds goes on holding. Something that was so stays so until the text changes or \
contradicts it; that it is not mentioned again is no change.
3. The last state wins. Where something changed more than once, answer with what it came to in the \
end, not with what it was before."""

_CLOSED_BOOK = """\
You are asked about a text that you are not shown. The message below holds one question. Answer it \
from what you know.

Rules
1. There is no text to look at. If you recognise the text that the question is about, take the \
answer from what you remember of it; else from whatever else you know.
2. Do not ask for the text, and do not say that it is missing.
3. The last state wins. Where something changes in the course of the text, answer with what it \
comes to in the end."""

_OPEN = """
4. Form of the answer. Close your reply with one line of this form, and write nothing after it:
## Answer: <short answer>
The short answer is one or two words or a number, unless the question asks for more or names \
another form.
5. If {unless}, answer Unknown. If the question compares two things and they are equal, answer \
Same."""

_CHOICE = """
4. Form of the answer. Close your reply with one line of this form, and write nothing after it:
## Answer: <letter>
The letter is that of exactly one of the options listed with the question.
5. If {unless}{yet}, choose the option that says that it cannot be answered."""

_UNTOLD = "the text does not tell the answer"
_NOT_KNOWN = "you do not know the answer"

_OPEN_END = "Close with a line that begins with ## Answer: and gives the short answer."
_CHOICE_END = "Close with a line that begins with ## Answer: and gives the letter of one option."

_STATED = """
6. Before the line of the answer write one that begins with ## Confidence: and says, as a number \
from 0 to 100, how sure you are of the answer."""
_STATED_END = (
    "Before it, a line that begins with ## Confidence: and says how sure you are, 0 to 100."
)
_STATED_EXAMPLE = "## Confidence: 95\n"

_EXAMPLE_TEXT = "Odile went to the pantry. It rained all day. Odile went on to the lighthouse."
_EXAMPLE_QUESTION = "Where is Odile?"
_EXAMPLE_OPTIONS = (
    "In the cellar",
    "In the attic",
    "The question cannot be answered at this point",
)
"""Of the example, where questions are multiple choice."""
_KNOWN_QUESTION = "Which planet is nearest to the sun?"
_KNOWN_OPTIONS = ("Venus", "Mercury", "The question cannot be answered at this point")
"""Of the example, where there is no text."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked."""

    system: str
    example: tuple[Message, Message]
    """A question about another text, and its reply."""
    context: str
    """First part of the last user message; the shared one, where the context is shared."""
    question: str
    """Rest of the last user message."""

    def messages(self) -> tuple[Message, ...]:
        """The prompt as chat messages: rules, the example and its reply, context and question."""
        last = Message("user", self.context + self.question)
        return (Message("system", self.system), *self.example, last)


@dataclass(frozen=True, slots=True)
class Prompts:
    """Makes the prompts of one document."""

    preamble: str = ""
    """What a reader must know of the document beforehand: `meta["system"]` of a world stream."""
    stated: bool = False
    """Whether the model is asked to say how sure it is of each answer (X-029)."""

    def prompt(self, question: StreamQuestion, context: Context) -> Prompt:
        """The prompt of a question with what a memory shows."""
        return Prompt(
            self.system(question, closed_book=context.closed_book),
            self.example(question, closed_book=context.closed_book),
            context.text,
            self.question(question, head=context.head, closed_book=context.closed_book),
        )

    def system(self, question: StreamQuestion, *, closed_book: bool = False) -> str:
        """The rules; other ones where there is no text."""
        task, unless = (_CLOSED_BOOK, _NOT_KNOWN) if closed_book else (_TASK, _UNTOLD)
        form = _CHOICE if question.options else _OPEN
        rules = task + form.format(unless=unless, yet="" if closed_book else " yet")
        rules += _STATED if self.stated else ""
        return f"{rules}\n\nAbout the text\n{self.preamble}" if self.preamble else rules

    def example(
        self, question: StreamQuestion, *, closed_book: bool = False
    ) -> tuple[Message, Message]:
        """A question of the same form about another text, and a reply in the demanded form."""
        if closed_book:
            asked, said = _CHOICE_KNOWN if question.options else _OPEN_KNOWN
        else:
            asked, said = _CHOICE_EXAMPLE if question.options else _OPEN_EXAMPLE
        if not self.stated:
            return asked, said
        return (
            asked._replace(content=f"{asked.content}\n{_STATED_END}"),
            said._replace(content=_STATED_EXAMPLE + said.content),
        )

    def question(
        self, question: StreamQuestion, head: str | None = None, *, closed_book: bool = False
    ) -> str:
        """The question, with its options by letter.

        Args:
            question: What is asked.
            head: The question line, where a memory words it.
            closed_book: Whether no context stands before it.
        """
        part = _question_part(head or question.text, question.options)
        part += f"\n{_STATED_END}" if self.stated else ""
        return part if closed_book else _BREAK + part

    def tokens(
        self,
        question: StreamQuestion,
        counter: TokenCounter,
        head: str | None = None,
        *,
        closed_book: bool = False,
    ) -> int:
        """Tokens of a prompt without its context."""
        before = self.shared_tokens(question, counter, closed_book=closed_book)
        return before + counter.count(self.question(question, head, closed_book=closed_book))

    def shared_tokens(
        self, question: StreamQuestion, counter: TokenCounter, *, closed_book: bool = False
    ) -> int:
        """Tokens that stand before the context, for all questions of a form."""
        example = self.example(question, closed_book=closed_book)
        texts = [self.system(question, closed_book=closed_book), *(one.content for one in example)]
        return sum(map(counter.count, texts))


_BREAK = "\n\n"
"""Stands between context and question."""


def _question_part(text: str, options: Sequence[str]) -> str:
    """The question as a prompt has it."""
    lines = ["# Question", text]
    if options:
        lines += ["Options:", *map(option_line, range(26), options)]
    lines.append(_CHOICE_END if options else _OPEN_END)
    return "\n".join(lines)


def option_line(index: int, option: str) -> str:
    """An option behind its letter: `B. The cook`."""
    return f"{chr(ord('A') + index)}. {option}"


def _example(asked: str, answer: str) -> tuple[Message, Message]:
    return Message("user", asked), Message("assistant", f"## Answer: {answer}")


def _from_text(options: Sequence[str]) -> str:
    return _EXAMPLE_TEXT + _BREAK + _question_part(_EXAMPLE_QUESTION, options)


_OPEN_EXAMPLE = _example(_from_text(()), "lighthouse")
_CHOICE_EXAMPLE = _example(_from_text(_EXAMPLE_OPTIONS), "B")
_OPEN_KNOWN = _example(_question_part(_KNOWN_QUESTION, ()), "Mercury")
_CHOICE_KNOWN = _example(_question_part(_KNOWN_QUESTION, _KNOWN_OPTIONS), "B")


def blanked(questions: Sequence[StreamQuestion]) -> tuple[StreamQuestion, ...]:
    """Questions without anything that tells when or how they are answered, as memories get them."""
    return tuple(
        replace(question, answers=(), evidence=(), sources=(), catch_all=None)
        for question in questions
    )

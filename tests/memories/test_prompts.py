"""The prompts: every demanded rule, the shared part first, and what each prompt begins with."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from tests.memories.made import NAMES, begun, choice, document, hashing, told

from supersede.corpus.tokens import Estimate
from supersede.memories import Budget, MemorySettings, Prompts
from supersede.model.memory import Context
from supersede.model.stream import Reply, StreamQuestion
from supersede.streams.matching import read_reply

OPEN, CHOICE = document().questions[0], choice()


@pytest.mark.parametrize("question", [OPEN, CHOICE], ids=["open", "choice"])
@pytest.mark.parametrize(
    "rule",
    [
        "Only the text counts",
        "stays so until the text changes or contradicts it",
        "The last state wins",
        "## Answer: <",
    ],
)
def test_both_prompts_have_the_four_rules(question: object, rule: str) -> None:
    assert rule in Prompts().system(question)  # type: ignore[arg-type] # one of the two above


def test_open_questions_have_unknown_and_same() -> None:
    system = Prompts().system(OPEN)
    assert "answer Unknown" in system
    assert "answer Same" in system
    assert "letter" not in system


def test_multiple_choice_has_its_options_by_letter_and_asks_for_one() -> None:
    assert "exactly one of the options" in Prompts().system(CHOICE)
    assert "Unknown" not in Prompts().system(CHOICE)
    assert Prompts().question(CHOICE) == (
        "\n\n# Question\nWho has the map?\nOptions:\nA. The cook\n"
        "B. The question cannot be answered yet\nC. A sailor\n"
        "Close with a line that begins with ## Answer: and gives the letter of one option."
    )


def test_a_prompt_is_rules_then_context_then_question() -> None:
    system, *example, user = Prompts().prompt(OPEN, Context("It rained.")).messages()
    assert (system.role, user.role) == ("system", "user")
    assert [message.role for message in example] == ["user", "assistant"]
    assert user.content == (
        "It rained.\n\n# Question\nWhere is Ruvo?\n"
        "Close with a line that begins with ## Answer: and gives the short answer."
    )


@pytest.mark.parametrize(("question", "answer"), [(OPEN, "lighthouse"), (CHOICE, "B")])
def test_the_example_has_the_form_of_the_question_and_a_readable_reply(
    question: StreamQuestion, answer: str
) -> None:
    asked, said = Prompts().example(question)
    end = Prompts().question(question).rpartition("\n")[2]
    assert asked.content.endswith(end)
    assert ("Options:" in asked.content) is bool(question.options)
    assert read_reply(question, said.content) == (Reply.ANSWERED, answer)


def test_the_example_is_the_same_for_all_questions_and_tells_nothing_of_them() -> None:
    examples = {Prompts().example(one) for one in document().questions}
    assert len(examples) == 1
    ((asked, _),) = examples
    assert not any(one.text in asked.content for one in document().questions)


def test_tokens_count_every_message_but_the_context() -> None:
    counter = Estimate()
    for question in (OPEN, CHOICE):
        messages = Prompts().prompt(question, Context("")).messages()
        assert Prompts().tokens(question, counter) == sum(
            counter.count(m.content) for m in messages
        )


def test_a_memory_may_word_the_question_line() -> None:
    prompt = Prompts().prompt(OPEN, Context("x", head="Current Head Index: 3, question: y"))
    assert prompt.question.splitlines()[3] == "Current Head Index: 3, question: y"


def test_what_a_reader_must_know_of_a_world_stands_with_the_rules() -> None:
    assert Prompts("Voids undo.").system(OPEN).endswith("\n\nAbout the text\nVoids undo.")


def test_a_reply_in_the_demanded_form_is_read() -> None:
    assert read_reply(OPEN, "It rained.\n## Answer: hall") == (Reply.ANSWERED, "hall")
    assert read_reply(CHOICE, "## Answer: B") == (Reply.ANSWERED, "B")


def prompts_by_interval(name: str, settings: MemorySettings | None = None) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(40)]

    async def run() -> None:
        memory = await begun(name, document(), settings)
        await told(memory, document(), lambda n, _, text: rows[n].append(text))

    asyncio.run(run())
    return rows


def shared(texts: list[str]) -> str:
    return texts[0].partition("\n\n# Question")[0]


@pytest.mark.parametrize("name", ["base", "window"])
def test_the_questions_of_an_interval_share_every_byte_before_the_question(name: str) -> None:
    for texts in prompts_by_interval(name, hashing(budget=Budget(700, 64))):
        assert len({text.partition("\n\n# Question")[0] for text in texts}) == 1
        assert len(set(texts)) == 5


def test_the_shared_part_of_base_begins_that_of_the_next_interval() -> None:
    rows = prompts_by_interval("base")
    for before, after in pairwise(rows):
        assert all(text.startswith(shared(before)) for text in after)


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_are_the_same_for_all_questions_of_a_document(name: str) -> None:
    assert len({Prompts().system(one) for one in document().questions}) == 1

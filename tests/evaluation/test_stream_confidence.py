"""Confidence as a model states it, and as its words had it (X-029)."""

import math
from pathlib import Path

import pytest
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput
from inspect_ai.model._model_output import Logprob, Logprobs
from tests.streams.made import choice, small

from supersede.evaluation.stream_confidence import answer_probability, confidence_of
from supersede.evaluation.stream_journal import Answer, Journal, Place, RunKey
from supersede.evaluation.stream_rows import StreamRow, get_rows, predictions, put_rows
from supersede.memories import Prompts
from supersede.model.memory import Context


def output(*tokens: tuple[str, float]) -> ModelOutput:
    """A reply with the probabilities of its tokens."""
    text = "".join(token for token, _ in tokens)
    content = [Logprob(token=token, logprob=math.log(p)) for token, p in tokens]
    message = ChatMessageAssistant(content=text)
    one = ChatCompletionChoice(message=message, logprobs=Logprobs(content=content))
    return ModelOutput(model="m", choices=[one])


def test_the_probability_is_of_the_tokens_of_the_answer_alone() -> None:
    found = answer_probability(
        output(("So", 0.1), (":\n##", 0.2), (" Answer", 0.3), (":", 0.9), (" the", 0.5))
    )
    assert found == pytest.approx(0.5)
    found = answer_probability(
        output(
            ("## Answer:", 0.1), (" ", 0.2), ("hall", 0.5), ("way", 0.5), ("\n", 0.1), ("x", 0.1)
        )
    )
    assert found == pytest.approx(0.25)


def test_the_last_marker_counts() -> None:
    found = answer_probability(
        output(("## Answer: a\n", 0.1), ("## Answer:", 0.3), ("\n", 0.3), ("b", 0.75))
    )
    assert found == pytest.approx(0.75)


def test_without_an_answer_or_probabilities_there_is_none() -> None:
    assert answer_probability(output(("no marker", 0.5))) is None
    assert answer_probability(output(("## Answer:", 0.5), ("\n", 0.5))) is None
    assert answer_probability(ModelOutput.from_content("m", "## Answer: hall")) is None
    assert answer_probability(ModelOutput(model="m")) is None


@pytest.mark.parametrize(
    ("reply", "stated"),
    [
        ("## Confidence: 85\n## Answer: hall", 0.85),
        ("**Confidence:** 100%\n## Answer: hall", 1.0),
        ("confidence: 7.5 / 100\n## Answer: hall", 0.075),
        ("## Confidence: 20\n## Confidence: 60\n## Answer: hall", 0.6),
        ("## Confidence: 850\n## Answer: hall", None),
        ("## Confidence: high\n## Answer: hall", None),
        ("## Answer: hall", None),
    ],
)
def test_stated_confidence_is_read_from_the_reply(reply: str, stated: float | None) -> None:
    assert confidence_of(Answer(reply)) == stated
    assert confidence_of(Answer(reply, probability=0.5)) == (0.5 if stated is None else stated)


def test_it_comes_through_store_and_predictions() -> None:
    store: dict[str, object] = {}

    class Kept:
        """A store."""

        def get(self, key: str, default: object) -> object:
            return store.get(key, default)

        def set(self, key: str, value: object) -> None:
            store[key] = value

    rows = [
        StreamRow(0, "mo", Answer("## Answer: hall", probability=0.25)),
        StreamRow(1, "mo", Answer("## Confidence: 40\n## Answer: hall")),
        StreamRow(2, "mo", Answer("nothing", probability=0.25)),
    ]
    put_rows(Kept(), small(), rows, {})
    kept = get_rows(Kept())
    assert [row.answer.probability for row in kept] == [0.25, None, 0.25]
    assert [p.confidence for p in predictions(small(), kept)] == [0.25, 0.4, None]


def test_a_journal_of_before_gets_its_column(tmp_path: Path) -> None:
    path, run, place = tmp_path / "j.db", RunKey("base", "m#1", 1), Place(0, "q")
    with Journal(path) as journal:
        journal.write("s", run, place, b"x", Answer("## Answer: a"))
        journal._rows.execute("ALTER TABLE call DROP COLUMN probability")
    with Journal(path) as journal:
        assert journal.answers("s", run)[place][1].probability is None
        journal.write("s", run, place, b"x", Answer("## Answer: a", probability=0.5))
        assert journal.answers("s", run)[place][1].probability == 0.5


@pytest.mark.parametrize("closed_book", [False, True])
def test_a_prompt_asks_for_it_and_shows_how(closed_book: bool) -> None:
    prompts = Prompts(stated=True)
    for stream in (small(), choice()):
        context = Context("", closed_book=closed_book)
        asked = prompts.prompt(stream.questions[0], context)
        assert "## Confidence:" in asked.system
        assert "## Confidence:" in asked.question
        said = asked.example[1].content
        assert confidence_of(Answer(said)) == 0.95
        plain = Prompts().prompt(stream.questions[0], context)
        assert said.endswith(plain.example[1].content)
        assert "Confidence" not in plain.system + plain.question + plain.example[1].content

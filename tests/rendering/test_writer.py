"""How messages look, and what the writer refuses."""

from __future__ import annotations

from random import Random

import pytest
from tests.rendering.depot import DATA, depot, history, writer, written

from supersede.errors import DataError
from supersede.model.instance import Message
from supersede.model.record import History, Posting, RuleChange
from supersede.rendering.writer import Writer


def printed(messages: tuple[Message, ...]) -> str:
    return "\n\n".join(f"[{role}]\n{content}" for role, content in messages) + "\n"


def test_the_depot_reads_as_it_always_has() -> None:
    golden = DATA / "depot.txt"  # a change of these bytes raises the version of every prototype
    assert printed(written(history())) == golden.read_text(encoding="utf-8")


def test_a_question_in_the_middle_is_answered_after_its_block() -> None:
    messages = writer().messages(
        history(),
        Random(1).random,
        question="Who?",
        intermediate=[(1, "How many so far?", "3"), (3, "And now?", "4")],
    )
    assert [message.role for message in messages] == [
        *("system", "user", "assistant", "user", "user", "assistant", "user")
    ]
    assert messages[1].content.endswith("\n\nQuestion: How many so far?")
    assert messages[5] == Message("assistant", "4")
    assert messages[6].content.endswith("\n\nFinal question: Who?")


def test_questions_change_no_line_of_the_log() -> None:
    plain = writer().blocks(history(), Random(5).random)
    asked = writer().messages(
        history(), Random(5).random, question="Who?", intermediate=[(2, "What?", "That.")]
    )
    turns = [message.content for message in asked if message.role == "user"]
    assert all(turn.startswith(block) for turn, block in zip(turns, plain, strict=True))


@pytest.mark.parametrize("blocks", [[0], [4], [2, 2], [9]])
def test_a_question_without_a_place_is_refused(blocks: list[int]) -> None:
    with pytest.raises(DataError, match="no place for an intermediate question"):
        writer().messages(
            history(),
            Random(1).random,
            question="Who?",
            intermediate=[(block, "What?", "That.") for block in blocks],
        )


def test_phrasings_are_drawn_from_the_stream_alone() -> None:
    assert written(history(), seed=3) == written(history(), seed=3)
    assert len({written(history(), seed=seed) for seed in range(5)}) == 5


def test_each_phrasing_is_used() -> None:
    blocks = [writer().blocks(history(), Random(seed).random) for seed in range(40)]
    text = "\n".join("\n".join(block) for block in blocks)
    for words in ("lends Femi Okoro", "borrows 5.00 of", "from Jonas Weil for"):
        assert words in text


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"event": "flood"}, "flood"),
        ({"roles": {"actor": "Ada Brandt"}}, "target"),
        ({"postings": (Posting("gold", 1),)}, "gold"),
        ({"postings": (Posting("moves", 1, ("Bay 4",)),)}, "leaves out one of the roles"),
        ({"parameters": {"trips": "many", "mood": "grumbling"}}, "not an integer|int object"),
    ],
)
def test_a_record_that_no_line_can_show_is_named(change: dict[str, object], complaint: str) -> None:
    given = history()
    record = given.records[1]._replace(**change)  # type: ignore[arg-type]  # wrong on purpose
    wrong = given._replace(records=(given.records[0], record))
    with pytest.raises(DataError, match=complaint):
        written(wrong)


def test_signs_of_program_text_are_words_like_others() -> None:
    spec, world = depot()
    signs = r"""{giver} lends {taker} "100 %s" of {{{amount}}}, it's \n ''' {taker}"""
    events = [e.model_copy(update={"phrasings": (signs,)}) for e in spec.events if e.id == "lend"]
    words = Writer(spec.model_copy(update={"events": tuple(events)}), world)
    loan = history().records[3]._replace(position=0)
    (text,) = words.blocks(History(1, (loan,)), Random(1).random)
    said = r"""Jonas Weil lends Femi Okoro "100 %s" of {5.00}, it's \n ''' Femi Okoro"""
    assert f": {said}; owed Femi Okoro +5.00 EUR; " in text


def test_a_rule_that_the_specification_has_no_words_for_is_refused() -> None:
    rule = history().records[6]._replace(rule=RuleChange("drill", True, False))
    with pytest.raises(DataError, match="drill"):
        written(History(2, (*history().records[:6], rule)))


def test_every_line_of_an_event_shows_its_label_and_no_other_line_does() -> None:
    events = depot()[1].events
    blocks = "\n".join(writer().blocks(history(), Random(1).random))
    for record in history().records:
        shown = f" {events[record.event].label}" if record.event is not None else ""
        assert f"\n{record.id}{shown} (" in blocks


def test_without_time_and_status_the_label_stands_before_the_colon() -> None:
    bare = history().records[12]._replace(status=None)
    given = History(3, (*history().records[:12], bare))
    (*_, text) = writer(timed=False).blocks(given, Random(1).random)
    assert "\nD3-R4 inspection: " in text


def test_a_writer_needs_no_more_than_once_to_be_built() -> None:
    spec, world = depot()
    assert type(writer())(spec, world).system == writer().system

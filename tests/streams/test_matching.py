import pytest

from supersede.model.stream import Evidence, Reply, StreamQuestion
from supersede.questions.normalise import NUMBER_WORDS
from supersede.streams.matching import (
    SAME,
    UNKNOWN,
    answer_key,
    before_evidence,
    canonical,
    normalised,
    read_reply,
)


def asked(kind: str = "tracking", *answers: str, known: bool = True) -> StreamQuestion:
    """A question with one accepted answer an interval; evidence from the first known one on."""
    answers = answers or ("Unknown", "Kitchen")
    evidence = tuple(None if a in ("Unknown", "0", "Same") else Evidence(0, a) for a in answers)
    rows = tuple((answer,) for answer in answers)
    return StreamQuestion("q", "Where is Mo?", kind, rows, evidence if known else ())


def accepted(question: StreamQuestion) -> list[set[str]]:
    """What is right at each interval."""
    return [set(answers) for answers in answer_key(question).accepted]


CHOICE = StreamQuestion(
    "c",
    "Who has the map?",
    "choice",
    (("Nobody can tell yet",), ("A sailor",), ("The cook",)),
    options=("A sailor", "The cook", "Nobody can tell yet"),
    catch_all=2,
)


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("## Answer: kitchen", "kitchen"),
        ("She left the hall.\n\n## Answer: kitchen\nBecause she moved there.", "kitchen"),
        ("## answer: KITCHEN.", "KITCHEN."),
        ("**## Answer:** kitchen", "kitchen"),
        ("## **Answer**: kitchen", "kitchen"),
        ("##Answer:kitchen", "kitchen"),
        ("### Final Answer: kitchen", "kitchen"),
        ("Answer: kitchen", "kitchen"),
        ("The final answer: kitchen", "kitchen"),
        ("> **Answer:** kitchen", "kitchen"),
        ("So it must be so. ## Answer: kitchen", "kitchen"),
        ("## Answer: hall\nNo, wait.\n## Answer: kitchen", "kitchen"),
        ("## Answer:\n\n  kitchen\n", "kitchen"),
        ("## Answer:\r\nkitchen\r\n", "kitchen"),
        ("## Answer: **\n**kitchen**", "kitchen"),
        ("## Answer: kitchen ## Explanation: she moved", "kitchen"),
        ("## Answer: kitchen<|im_end|>", "kitchen"),
        (r"## Answer: \boxed{kitchen}", "kitchen"),
        ("## Answer\uff1a kitchen", "kitchen"),
        ("<think>## Answer: hall</think>\n## Answer: kitchen", "kitchen"),
        ("## Answer: hall</think>\n## Answer: kitchen", "kitchen"),
    ],
)
def test_the_answer_is_what_follows_the_last_marker(completion: str, answer: str) -> None:
    assert read_reply(asked(), completion) == (Reply.ANSWERED, answer)


@pytest.mark.parametrize(
    ("completion", "reply"),
    [
        ("", Reply.UNPARSABLE),
        ("She is in the kitchen.", Reply.UNPARSABLE),
        ("My answer is the kitchen", Reply.UNPARSABLE),
        ("In short, the answer: kitchen", Reply.UNPARSABLE),
        ("## Answer:", Reply.UNPARSABLE),
        ("## Answer: ...", Reply.UNPARSABLE),
        ("## Answer: kitchen\n## Answer:", Reply.UNPARSABLE),
        ("## Answer:\n## Explanation\nShe moved.", Reply.UNPARSABLE),
        ("<think>Perhaps ## Answer: kitchen", Reply.UNPARSABLE),
        ("I'm sorry, but I cannot help with that.", Reply.REFUSED),
    ],
)
def test_a_reply_without_an_answer_says_which_kind_it_is(completion: str, reply: Reply) -> None:
    assert read_reply(asked(), completion) == (reply, None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Kitchen.", "kitchen"),
        (" a  kitchen ", "Kitchen!"),
        ("[kitchen]", "'kitchen'"),
        ("**kitchen**", "`kitchen`"),
        ("kitchen (east)", "Kitchen, east"),
        ("1,200", "1200"),
        ("R3,R1", "R3, R1"),
        ("net=-3;count=2", "Net = -3; count = 2."),
        ("$12.50", "12.50"),
        ("\u22123", "-3"),
        ("\uff2b\uff49\uff54", "kit"),
        ("\u00c9t\u00e9", "\u00e9te\u0301"),
        ("the", "The"),
    ],
)
def test_what_exact_match_ignores(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kitchen", "kitchen garden"),
        ("kitchen", "kitchens"),
        ("12.50", "1250"),
        ("-3", "3"),
        ("R3, R1", "R1, R3"),
        ("1/2", "12"),
        ("\u00bd", "12"),
        ("12:30", "1230"),
        ("the", "a"),
        ("\u00e9t\u00e9", "ete"),
    ],
)
def test_what_exact_match_does_not_ignore(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


WORDS = [word for word, number in NUMBER_WORDS.items() if int(number) <= 20]


@pytest.mark.parametrize(("number", "word"), list(enumerate(WORDS)))
def test_counting_takes_numerals_and_words_for_one(number: int, word: str) -> None:
    counting = asked("counting", "Unknown", str(number))
    assert canonical(counting, word.title()) == canonical(counting, str(number)) == str(number)
    spelt = asked("counting", "Unknown", word)
    assert answer_key(spelt).truth[1] == str(number)


def test_number_words_stay_words_in_other_questions() -> None:
    assert canonical(asked("tracking"), "three") != canonical(asked("tracking"), "3")


def test_before_evidence_counting_takes_unknown_for_zero() -> None:
    counting = asked("counting", "Unknown", "0", "2")
    assert accepted(counting) == [{UNKNOWN, "0"}, {UNKNOWN, "0"}, {"2"}]
    assert answer_key(counting).truth == (UNKNOWN, "0", "2")


def test_after_evidence_counting_does_not() -> None:
    there = Evidence(0, "Mo dropped nothing.")
    zero = StreamQuestion("q", "How many?", "counting", (("0",), ("Unknown",)), (there, there))
    assert accepted(zero) == [{"0"}, {UNKNOWN}]


def test_before_evidence_comparison_takes_unknown_for_same() -> None:
    comparison = asked("comparison", "Unknown", "Same", "Mo")
    assert accepted(comparison) == [{UNKNOWN, SAME}, {UNKNOWN, SAME}, {"mo"}]


def test_without_known_evidence_only_unknown_is_before_it() -> None:
    assert accepted(asked("counting", "Unknown", "0", known=False)) == [{UNKNOWN, "0"}, {"0"}]
    assert not before_evidence(asked("comparison", "Same", known=False), 0)


def test_tracking_takes_neither_zero_nor_same_for_unknown() -> None:
    assert accepted(asked("tracking", "Unknown", "hall")) == [{UNKNOWN}, {"hall"}]


def test_alternatives_of_the_data_are_all_accepted() -> None:
    both = StreamQuestion("q", "?", "bridge", (("The hall", "lobby"),))
    assert answer_key(both).truth == ("hall",)
    assert accepted(both) == [{"hall", "lobby"}]


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("B", "B"),
        ("b.", "B"),
        ("[B]", "B"),
        ("(b)", "B"),
        ("**B**", "B"),
        ("B. The cook", "B"),
        ("B) because he said so", "B"),
        ("B - The cook", "B"),
        ("B The cook", "B"),
        ("Option B", "B"),
        ("option (B)", "B"),
        ("B, since it was his", "B"),
        ("C", UNKNOWN),
        ("A", "A"),
        ("A. A sailor", "A"),
        ("A sailor", "A"),  # its letter or its text: the same option
        ("A cook", None),
        ("The cook", None),
        ("I'm not sure", None),
        ("D", None),
        ("BC", None),
        ("B, C", None),
        ("A or B", None),
        ("A/B", None),
        ("A) and B)", None),
        ("", None),
        ("3", None),
    ],
)
def test_an_option_is_named_by_its_letter_alone(written: str, form: str | None) -> None:
    assert canonical(CHOICE, written) == form


def test_options_of_the_key_may_stand_as_text_or_as_letter() -> None:
    letters = StreamQuestion("c", "?", "choice", (("C",), ("A",)), (), CHOICE.options, 2)
    assert answer_key(letters).truth == (UNKNOWN, "A")
    assert answer_key(CHOICE).truth == (UNKNOWN, "A", "B")


def test_a_letter_beyond_the_options_is_unparsable() -> None:
    assert read_reply(CHOICE, "## Answer: F") == (Reply.UNPARSABLE, None)
    assert read_reply(CHOICE, "## Answer: [B]") == (Reply.ANSWERED, "[B]")


def test_an_annotated_answer_that_is_no_option_is_named() -> None:
    wrong = StreamQuestion("c", "?", "choice", (("The captain",),), (), CHOICE.options, 2)
    with pytest.raises(ValueError, match="'The captain' is no answer to 'c'"):
        answer_key(wrong)

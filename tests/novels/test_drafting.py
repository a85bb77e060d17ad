"""A scripted model drafts questions; what is kept and dropped, and why, is exactly right."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st
from tests.novels.made import book as small
from tests.streams.novels import NOVELS

from supersede.corpus.tokens import Estimate
from supersede.errors import ModelError, UsageError
from supersede.memories.budget import Budget
from supersede.model.instance import Message
from supersede.model.protocols import Completion
from supersede.novels.annotations import OptionRole
from supersede.novels.book import Book, Chunk
from supersede.novels.draft_parts import in_a_row, mentioning, merged, spread
from supersede.novels.draft_prompts import Passages, entities_prompt, questions_prompt
from supersede.novels.draft_replies import entities_of, questions_of
from supersede.novels.drafting import DraftReport, DraftSettings, draft
from supersede.novels.prepare import prepare
from supersede.novels.project import Project
from supersede.novels.quoting import Quotable
from supersede.streams.oaks import CATCH_ALLS

TOLD = NOVELS / "the-time-machine.txt"
novels = pytest.mark.skipif(not TOLD.is_file(), reason="no novels beside the checkout")

Reply = Callable[[str, str, int], str]
"""What a stage is answered to a prompt, at which attempt."""


class Scripted:
    """A model that says what a function says, and notes what it was asked."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[tuple[str, int, int | None]] = []

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        (message,) = messages
        self.asked.append((stage, attempt, max_tokens))
        text = self.reply(stage, message.content, attempt)
        return Completion(text, False, len(message.content.split()), len(text.split()))


def given(question: str, *answers: tuple[str, str]) -> dict[str, object]:
    return {"question": question, "answers": [{"answer": a, "source": s} for a, s in answers]}


def entity_in(prompt: str) -> str:
    """Whom a prompt asks about."""
    return prompt.rpartition("questions about ")[2].partition(".\n")[0]


@cache
def time_machine() -> Book:
    return prepare(TOLD, Estimate()).book


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project(tmp_path / "project", create=True) as made:
        yield made


def drafted(
    project: Project, book: Book, model: Scripted, settings: DraftSettings | None = None,
    budget: Budget | None = None,
) -> DraftReport:  # fmt: skip
    if book.id not in [card.id for card in project.books()]:
        project.add_book(book)
    return asyncio.run(
        draft(project, book.id, model, model="script/one", budget=budget, settings=settings)
    )


WHERE = given(
    "Where is the Time Machine now?",
    ("On the lawn", "The Time Machine was left deserted on the turf among the rhododendrons."),
    # Other marks of quotation, other spaces, and marks around it.
    ("Inside the pedestal", '"It took no very great mental  effort to infer that my\nTime Machine '
     'was inside that pedestal."'),
    ("On the lawn", "“The Time Machine was gone!"),
)  # fmt: skip
LONG = "But it was the lawn. For the white leprous face of the sphinx was towards it."
WEENA = given(
    "What has become of Weena?",
    ("She is his friend", "That was the beginning of a queer friendship"),
    ("She is gone", "With that I looked for Weena, but she was gone."),
    ("She is dead", "It was plain that they had left her poor little body in the forest."),
)
GONE = ("She is gone", "With that I looked for Weena, but she was gone.")
FRIEND = ("She is his friend", "That was the beginning of a queer friendship")

WEENA_BAD: list[tuple[dict[str, object] | str, str]] = [
    (given("", FRIEND, GONE), "no-question"),
    (given("Who is Weena?", FRIEND), "one-answer"),
    (given("Is Weena dear?", ("Yes.", FRIEND[1]), ("yes", GONE[1])), "one-answer"),
    (given("Is she there?", FRIEND, ("?", GONE[1]), ("No", LONG)), "empty-answer"),
    (given("Where is Weena?", FRIEND, ("Lost", "Weena was nowhere to be found.")),
     "source-not-found"),
    (given("Where was Weena?", FRIEND, ("Lost", "")), "source-not-found"),
    (given("Did Weena like him?", FRIEND, ("Yes", "The Time Traveller")),
     "source-in-several-chunks"),
    (given("What does he have of Weena?", ("Her name", "found that her name was Weena"), FRIEND),
     "sources-in-one-chunk"),
    (given("How does what Weena feels for him change?", FRIEND, GONE), "not-anchored-in-time"),
    (given("What are the different things that Weena fears?", FRIEND, GONE), "not-incremental"),
    (given("what has become of  Weena", FRIEND, GONE), "asked-already"),
    ("Where is she?", "one-answer"),
]  # fmt: skip


def script(stage: str, prompt: str, attempt: int) -> str:
    if stage == "entities":
        names = "1. **The Time Machine** | Weena | the Sphinx | weena | Filby | Mr. Nobody"
        return f"<think>Let me see.</think>Here they are: {names} | "
    entity = entity_in(prompt)
    if entity == "The Time Machine":
        # Prose around a fence, single quotes and a comma too many.
        return f"Sure!\n```json\n{{'questions': [{json.dumps(WHERE)},]}}\n```\nI hope it helps."
    if entity == "Weena":
        return json.dumps({"questions": [WEENA, *(one for one, _ in WEENA_BAD)]})
    if entity == "the Sphinx":  # without sense at first
        asked = given("What is the Sphinx to him?", ("A threat", LONG), ("A gate", GONE[1]))
        return "I would rather not." if attempt == 0 else json.dumps(asked)
    return "As a model I cannot write questions."


@novels
def test_what_is_kept_and_dropped_of_a_real_book_is_exactly_right(project: Project) -> None:
    model = Scripted(script)
    report = drafted(project, time_machine(), model)
    assert report.entities == ("The Time Machine", "Weena", "the Sphinx", "Filby")
    assert report.passed_over == ("Mr. Nobody",)
    drafts = project.drafts("the-time-machine")
    reasons = {(one.text, len(one.answers)): one.reason for one in drafts}
    wanted: dict[tuple[str, int], str] = {
        ("Where is the Time Machine now?", 3): "",
        ("What has become of Weena?", 3): "",
        ("What is the Sphinx to him?", 2): "",
        ("As a model I cannot write questions.", 0): "malformed-reply",
    }
    for one, reason in WEENA_BAD:
        if isinstance(one, str):
            wanted[one, 0] = reason
        else:
            text = " ".join(str(one["question"]).split())
            answers = one["answers"]
            assert isinstance(answers, list)
            wanted[text, len(answers)] = reason
    assert reasons == wanted
    assert (report.drafted, report.kept, report.known) == (16, 3, 0)
    assert report.dropped == {
        "one-answer": 3, "source-not-found": 2, "no-question": 1, "empty-answer": 1,
        "source-in-several-chunks": 1, "sources-in-one-chunk": 1, "not-anchored-in-time": 1,
        "not-incremental": 1, "asked-already": 1, "malformed-reply": 1,
    }  # fmt: skip
    assert {one.kept for one in drafts if one.reason} == {False}
    # Filby's replies and the first of the sphinx made no sense.
    calls = report.counters
    assert (calls["entities_calls"], calls["questions_calls"]) == (1, 6)
    assert (calls["questions_malformed"], calls["questions_fallbacks"]) == (3, 1)


@novels
def test_a_draft_that_holds_becomes_a_question_with_its_sources_found(project: Project) -> None:
    drafted(project, time_machine(), Scripted(script))
    questions = {one.entity: one for one in project.questions("the-time-machine")}
    assert set(questions) == {"The Time Machine", "Weena", "the Sphinx"}
    where = questions["The Time Machine"]
    assert where.author == "model:script/one"
    assert [(one.text, one.role) for one in where.options] == [
        ("On the lawn", OptionRole.ANSWER),
        ("Inside the pedestal", OptionRole.ANSWER),
        (CATCH_ALLS[0], OptionRole.CATCH_ALL),
    ]
    (made,) = [one for one in project.drafts("the-time-machine") if one.question == where.id]
    chunks = time_machine().chunks
    assert [one.span and one.span.chunk for one in made.answers] == [5, 8, 7]
    for answer in made.answers:
        assert answer.span is not None
        span = answer.span
        assert chunks[span.chunk].text[span.start : span.end] == span.quote
        assert span.chunk_sha256 == chunks[span.chunk].sha256
        folded = " ".join(answer.source.strip('"').split()).replace("“", "")
        assert " ".join(span.quote.split()) == folded


@novels
def test_drafting_again_changes_nothing_and_says_so(project: Project) -> None:
    first = drafted(project, time_machine(), Scripted(script))
    events = len(list(project.store.events()))
    again = drafted(project, time_machine(), Scripted(script))
    assert (again.drafted, again.known, again.kept) == (16, 16, 3)
    assert again.dropped == first.dropped
    assert len(list(project.store.events())) == events


@novels
def test_a_short_window_sees_the_book_in_parts_from_all_over_it(project: Project) -> None:
    book = time_machine()
    prompts: list[str] = []

    def reply(stage: str, prompt: str, attempt: int) -> str:
        prompts.append(prompt)
        if stage == "entities":
            return "Weena | Filby" if "Weena" in prompt else "Filby"
        return '{"questions": []}'

    budget = Budget(8_192)
    model = Scripted(reply)
    report = drafted(project, book, model, DraftSettings(entities=2), budget)
    # Filby is named by every part, and Weena stood first where she was named.
    assert report.entities == ("Filby", "Weena")
    assert all(Estimate().count(prompt) + tokens <= 8_192 * 0.9
               for prompt, (_, _, tokens) in zip(prompts, model.asked, strict=True)
               if tokens is not None)  # fmt: skip
    numbers = [
        [int(part.partition('"')[0]) - 1 for part in prompt.split('<section number="')[1:]]
        for prompt in prompts
    ]
    naming = [n for n, (stage, _, _) in enumerate(model.asked) if stage == "entities"]
    assert sorted(n for row in naming for n in numbers[row]) == list(range(22))
    weena = [n for n, prompt in enumerate(prompts) if entity_in(prompt) == "Weena"]
    assert len(weena) > 1
    mentioned = [chunk.index for chunk in book.chunks if "Weena" in chunk.text]
    assert sorted({n for row in weena for n in numbers[row]}) == mentioned
    for row in weena:
        assert numbers[row] == sorted(numbers[row])
        assert len(numbers[row]) >= 2
        assert numbers[row][0] in mentioned[: len(weena)]  # each begins near the beginning
    assert (report.drafted, report.kept, report.dropped) == (0, 0, {})


def test_a_window_without_room_is_refused_with_the_mend(project: Project) -> None:
    silent = Scripted(lambda stage, prompt, attempt: "Anna")
    with pytest.raises(UsageError, match="no room"):
        drafted(project, small(), silent, None, Budget(300))
    assert project.drafts("mill") == ()


@pytest.mark.parametrize("said", ["", "I do not know.", "Nobody | Nothing", "Bert"])
def test_a_model_that_names_nobody_is_told_of(said: str, project: Project) -> None:
    model = Scripted(lambda stage, prompt, attempt: said)
    with pytest.raises(ModelError, match=r"mill: script/one gave nobody .* --entity NAME"):
        drafted(project, small(), model)


def test_who_is_named_by_a_person_is_not_asked_for(project: Project) -> None:
    model = Scripted(lambda stage, prompt, attempt: "")
    report = drafted(project, small(), model, DraftSettings(named=("Anna", "Bert")))
    assert [stage for stage, _, _ in model.asked] == ["questions", "questions"]
    assert (report.entities, report.passed_over) == (("Anna",), ("Bert",))
    assert report.dropped == {"malformed-reply": 1}
    (only,) = project.drafts("mill")
    assert only.text == "(nothing)"


def test_a_call_that_fails_leaves_the_project_as_it_was(project: Project) -> None:
    def reply(stage: str, prompt: str, attempt: int) -> str:
        raise ModelError("gone")

    with pytest.raises(ModelError, match="gone"):
        drafted(project, small(), Scripted(reply))
    assert project.drafts("mill") == ()


def test_the_prompts_ask_for_what_the_checks_look_for() -> None:
    book = small()
    (naming,) = entities_prompt(Passages(book, book.chunks), 7)
    (asking,) = questions_prompt(Passages(book, book.chunks[1:3]), "Anna {x}", 4)
    assert 'Below is the whole of "The Mill", in 4 sections.' in naming.content
    assert "most important characters and objects" in naming.content
    assert "at most 7" in " ".join(naming.content.split())
    assert naming.content.endswith("separated by |, and nothing else: NAME | NAME | NAME")
    assert asking.content.startswith('Below are 2 of the 4 sections of "The Mill"')
    assert '<section number="2">\nAnna moved to the inn. It rained.\n</section>' in asking.content
    assert "Write up to 4 questions about Anna {x}." in asking.content
    for wanted in ("word for word", "different sections", "two or more different answers",
                   "at the point of reading", "the newest of them"):  # fmt: skip
        assert wanted in asking.content
    # The form that is shown is one that is read.
    form = asking.content[asking.content.index('{"questions"') :]
    assert questions_of(form) is not None


def chunks_of(*texts: str) -> tuple[Chunk, ...]:
    return small(texts=texts).chunks


@given_any(st.lists(st.integers(1, 9), min_size=2, max_size=12), st.integers(18, 40))
def test_parts_fit_show_everything_and_have_two_chunks_at_least(
    sizes: list[int], room: int
) -> None:
    chunks = chunks_of(*("x" * size for size in sizes))
    parts = spread(chunks, sizes, room)
    assert {chunk.index for part in parts for chunk in part} == set(range(len(sizes)))
    for part in parts:
        places = [chunk.index for chunk in part]
        assert sum(sizes[place] for place in places) <= room
        assert len(places) >= 2
        assert places == sorted(set(places))


def test_a_chunk_that_fits_nowhere_is_named() -> None:
    with pytest.raises(UsageError, match="chunk 1 of 9 tokens and no room for more than 8"):
        in_a_row(chunks_of("a", "b"), [3, 9], 8)
    assert [[c.index for c in run] for run in in_a_row(chunks_of("a", "b", "c"), [3, 5, 1], 8)] == [
        [0, 1],
        [2],
    ]


def test_names_of_parts_are_merged_by_how_many_gave_them() -> None:
    named = [("Bert", "Tom"), ("Tom", "the Mill"), ("mill", "Mill")]
    assert merged(named, 9) == ("Tom", "the Mill", "Bert")
    assert merged(named, 1) == ("Tom",)


def test_a_mention_is_the_whole_name_or_a_word_of_it() -> None:
    chunks = chunks_of("Annabel came.", "ANNA\nHarte came.", "Mr. Harte left.", "Ann")
    assert [c.index for c in mentioning(chunks, "the Anna Harte")] == [1]
    assert [c.index for c in mentioning(chunks, "Bella Harte")] == [1, 2]
    assert mentioning(chunks, "Bert") == []
    assert mentioning(chunks, "") == []


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("the door", [(1, "the door")]),
        ("``Go,\u00b4 said  she", [(0, "Go,\u2019 said\n\n she")]),
        ('he said "Go," and', []),
        ("'Go,' said she", [(0, "Go,\u2019 said\n\n she")]),
        ("doo", []),  # neither begins nor ends in a word
        ("Anna", [(0, "Anna"), (1, "Anna")]),
        ("anna", []),
        ("...", []),
        ("", []),
    ],
)
def test_a_quotation_is_found_whatever_its_spaces_and_marks(
    quote: str, found: list[tuple[int, str]]
) -> None:
    chunks = chunks_of("\u2018Go,\u2019 said\n\n she to Anna.", "Anna shut the door.")
    spans = Quotable(chunks).found(quote)
    assert [(span.chunk, span.quote) for span in spans] == found
    for span in spans:
        assert chunks[span.chunk].text[span.start : span.end] == span.quote


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("Anna | the mill | Tom", ("Anna", "the mill", "Tom")),
        ("Characters: Anna|Tom.", ("Anna", "Tom")),
        ("- Anna\n- **Tom**\n3) \u201cthe mill\u201d", ("Anna", "Tom", "the mill")),
        ("```\nAnna | anna | ANNA\n```", ("Anna",)),
        ("<think>Anna? Tom?</think>Anna", ("Anna",)),
        ("These are the most important characters of the book that I found for you", ()),
        (" | | ", ()),
    ],
)
def test_names_are_read_however_they_are_written(reply: str, names: tuple[str, ...]) -> None:
    assert entities_of(reply) == names


@given_any(st.text(max_size=200))
def test_no_reply_is_too_odd_to_be_read(reply: str) -> None:
    for name in entities_of(reply):
        assert name.strip() == name != ""
    found = questions_of(reply)
    assert found is None or all(isinstance(one.text, str) for one in found)


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ('["Weena", "the Time Traveller"]', ("Weena", "the Time Traveller")),
        ('```json\n{"names": ["Weena", "Filby"]}\n```', ("Weena", "Filby")),
        ("Weena, Filby, the Time Traveller", ("Weena", "Filby", "the Time Traveller")),
        ("Weena | Filby, the host | Time Machine", ("Weena", "Filby, the host", "Time Machine")),
        ("Weena [a friend] | Filby", ("Weena [a friend]", "Filby")),
        ("Weena\0 | \x1bFilby", ("Weena", "Filby")),
        ("We\ud83dena | Filby", ("We?ena", "Filby")),
    ],
)
def test_names_in_other_forms_than_asked_for(reply: str, names: tuple[str, ...]) -> None:
    assert entities_of(reply) == names


def test_prose_names_nobody_by_a_common_word() -> None:
    chunks = [Chunk(0, "I think that none of them knew Anna.", "", "", 9)]
    assert mentioning(chunks, "I think none") == []
    assert mentioning(chunks, "the old Anna") == chunks
    assert mentioning(chunks, "those knew") == chunks


HOME = (
    ("In the mill", "Anna lived in the mill."),
    ("At the inn", "Anna moved to the inn."),
)


def asked_about_anna(project: Project, reply: str) -> dict[str, list[str]]:
    """Reasons of what a reply drafts about Anna; the empty one for what is kept."""
    model = Scripted(lambda stage, prompt, attempt: reply)
    drafted(project, small(), model, DraftSettings(questions=2, named=("Anna",)))
    reasons: dict[str, list[str]] = {}
    for one in project.drafts("mill"):
        reasons.setdefault(one.reason, []).append(one.text)
    assert len(project.questions("mill")) == len(reasons.get("", []))
    return reasons


def test_no_more_is_kept_of_a_reply_than_was_asked_for(project: Project) -> None:
    bad = given("How does the home of Anna change?", *HOME)
    good = [given(f"Where is Anna now, by clock {n}?", *HOME) for n in range(5)]
    reply = json.dumps({"questions": [bad, *good]})
    reasons = asked_about_anna(project, reply)
    assert sorted(reasons[""]) == [f"Where is Anna now, by clock {n}?" for n in range(2)]
    assert sorted(reasons["more-than-asked-for"]) == [
        f"Where is Anna now, by clock {n}?" for n in range(2, 5)
    ]
    assert len(reasons["not-anchored-in-time"]) == 1
    assert asked_about_anna(project, reply) == reasons  # and drafting again keeps no more


def test_a_question_of_pages_is_dropped(project: Project) -> None:
    long = given("Where is Anna now? " * 100, *HOME)
    answer = given("Where is Anna?", ("In the mill " * 100, HOME[0][1]), HOME[1])
    reasons = asked_about_anna(project, json.dumps({"questions": [long, answer]}))
    assert sorted(map(len, reasons["too-long"])) == [14, 1_899]


def test_control_signs_and_halves_of_signs_are_no_part_of_a_draft(project: Project) -> None:
    reply = json.dumps({"questions": [given("Where\x1b is Anna\0 now?", *HOME)]})
    assert asked_about_anna(project, reply) == {"": ["Where is Anna now?"]}


def test_a_malformed_reply_is_kept_whatever_signs_it_has(project: Project) -> None:
    reasons = asked_about_anna(project, "I cannot \ud83d do\0 it.")
    assert reasons == {"malformed-reply": ["I cannot ? do  it."]}

"""Fact sentences, the database that they give, and the stories that are told."""

from __future__ import annotations

import pytest

from supersede.errors import DataError
from supersede.streams.babi.extract import Got, Seen, Step, at, extract
from supersede.streams.babi.names import _PERSON_ENDS, _PLACE_ENDS, cast, invented
from supersede.streams.babi.story import tell
from supersede.streams.babi.verbs import VERBS, Fact, Group, parse, sentence
from supersede.worlds.streams import stream

STORY = [
    "Ann went to the kitchen.",
    "Ben travelled to the garden.",
    "Ann picked up the lamp.",
    "Ann moved from the kitchen to the garden.",
    "Ann gave the lamp to Ben.",
    "Ben dropped the lamp.",
    "Ben walked to the hall.",
    "Ann grabbed the lamp.",
]


@pytest.mark.parametrize(
    ("verb", "group"), [(verb, group) for group, verbs in VERBS.items() for verb in verbs]
)
def test_every_verb_reads_back_as_its_group(verb: str, group: Group) -> None:
    to = "Ben" if group is Group.TRANSFER else None
    fact = Fact(group, "Ann", "thing", to)
    assert parse(sentence(fact, verb)) == fact


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "Mary moved from kitchen to hallway.",
            Fact(Group.MOVE, "Mary", "hallway", None, "kitchen"),
        ),
        ("Sandra gave the box to Daniel.", Fact(Group.TRANSFER, "Sandra", "box", "Daniel")),
        ("Mary went back to the hallway.", Fact(Group.MOVE, "Mary", "hallway")),
        ("Mary got the football there.", Fact(Group.ACQUIRE, "Mary", "football")),
        ("John put down the milk there.", Fact(Group.DISCARD, "John", "milk")),
        ("John left the milk.", Fact(Group.DISCARD, "John", "milk")),
    ],
)
def test_the_wordings_of_babi_are_read(text: str, fact: Fact) -> None:
    assert parse(text) == fact


@pytest.mark.parametrize("text", ["Ann admired the lamp.", "Ann gave the lamp.", "the lamp"])
def test_an_unknown_verb_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="states no fact"):
        parse(text)


def test_the_database_logs_by_person_and_group() -> None:
    db = extract(STORY)
    assert db.log["Ann"][Group.MOVE] == (Seen("kitchen", 0), Seen("garden", 3))
    assert db.log["Ann"][Group.ACQUIRE] == (Seen("lamp", 2), Seen("lamp", 7))
    assert db.log["Ann"][Group.TRANSFER] == (Seen("lamp", 4),)
    assert db.log["Ben"][Group.DISCARD] == (Seen("lamp", 5),)
    assert db.received == {"Ben": (Got("lamp", "Ann", 4),)}
    assert db.holder["lamp"] == (Step(2, "Ann"), Step(4, "Ben"), Step(5, None), Step(7, "Ann"))
    assert [at(db.lies["lamp"], time) for time in range(8)] == [
        None, None, "kitchen", "garden", "garden", "garden", "garden", "garden",
    ]  # fmt: skip
    assert (db.people, db.places, db.objects) == (
        ("Ann", "Ben"),
        ("kitchen", "garden", "hall"),
        ("lamp",),
    )


def test_a_story_is_consistent() -> None:
    for seed in map(str, range(8)):
        told = tell(stream(seed, "story"), cast(stream(seed, "names"), 5, 6, 5, taken=()), 120)
        place: dict[str, str] = {}
        holder: dict[str, str] = {}
        lies: dict[str, str] = {}
        for fact in map(parse, told):
            if fact.group is Group.MOVE:
                assert fact.object != place.get(fact.subject)
                assert fact.origin in (None, place.get(fact.subject))
                place[fact.subject] = fact.object
            elif fact.group is Group.ACQUIRE:
                assert fact.object not in holder
                assert lies.get(fact.object, place[fact.subject]) == place[fact.subject]
                holder[fact.object] = fact.subject
            else:
                assert holder.pop(fact.object) == fact.subject
                lies[fact.object] = place[fact.subject]
            if fact.recipient is not None:
                assert place[fact.recipient] == place[fact.subject]
                holder[fact.object] = fact.recipient


def test_no_name_stands_twice_or_is_taken() -> None:
    plain = cast(stream("x", "names"), 5, 6, 45, taken=())
    taken = {plain.people[0].casefold(), plain.places[2].casefold(), plain.objects[3]}
    other = cast(stream("x", "names"), 5, 6, 45, taken=taken)
    for who in (plain, other):
        names = [*who.people, *who.places, *who.objects]
        assert len({name.casefold() for name in names}) == 5 + 6 + 45
    assert not taken & {n.casefold() for n in (*other.people, *other.places, *other.objects)}


def test_no_made_up_name_is_an_english_word() -> None:
    english = pytest.importorskip("english_words", reason="pip install english-words")
    words = english.get_english_words_set(["web2"], lower=True, alpha=True)
    assert len(words) > 200_000
    draw = stream("all", "names")
    made = {invented(draw, ends) for ends in (_PERSON_ENDS, _PLACE_ENDS) for _ in range(60_000)}
    assert len(made) > 20_000
    assert not made & words

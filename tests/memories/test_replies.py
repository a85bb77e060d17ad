"""What models write for memories is mended, checked, and never evaluated."""

import json

import pytest

from supersede.memories.replies import ReplyData, Sentence, Words, parsed, plain, words


class Names(ReplyData):
    """One field, which a bare array may stand for."""

    names: Words


class Note(ReplyData):
    """Two fields."""

    context: Sentence
    tags: Words = ()


@pytest.mark.parametrize(
    "reply",
    [
        '{"names": ["Ada", "Bo"]}',
        '```json\n{"names": ["Ada", "Bo"]}\n```',
        "Sure! Here it is:\n```\n{'names': ['Ada', 'Bo',]}\n```\nAnything else?",
        '<think>{"names": ["Eve"]}</think>{"names": ["Ada", "Bo"]}',
        '["Ada", "Bo"]',
        '{"names": ["Ada", "Bo", 7, null, "Ada"]}',
        '{"names": "Ada, Bo"}',
        '{"names": ["Ada", "Bo"',
    ],
)
def test_a_readable_reply_is_read(reply: str) -> None:
    found = parsed(reply, Names)
    assert found is not None
    assert found.names == ("Ada", "Bo")


@pytest.mark.parametrize(
    "reply", ["", "I cannot say.", "7", "null", "{", '{"other": 1}', "[" * 5_000, "<think>{}"]
)
def test_what_says_nothing_is_none_or_empty(reply: str) -> None:
    found = parsed(reply, Names)
    assert found is None or found.names == ()


def test_code_stays_text() -> None:
    found = parsed('{"names": ["__import__(\'os\').getcwd()"]}', Names)
    assert found is not None
    assert found.names == ("__import__('os').getcwd()",)


def test_an_array_of_objects_gives_its_first() -> None:
    found = parsed('[{"context": "a  b", "tags": "x; y"}, {"context": "c"}]', Note)
    assert found == Note(context="a b", tags=("x", "y"))


def test_a_field_of_another_type_is_empty() -> None:
    found = parsed('{"context": ["a"], "tags": {"x": 1}}', Note)
    assert found == Note(context="", tags=())


def test_plain_takes_off_thinking_and_fences() -> None:
    assert plain("thoughts without an opening tag</think>\n```\nkept\n```") == "kept"
    assert plain("kept <think>never closed") == "kept"


def test_halves_of_surrogate_pairs_that_a_reply_spells_become_question_marks() -> None:
    for reply in ('{"names": ["A\\ud83d", "Bo"]}', '{"names": ["A\ud83d", "Bo",]'):
        found = parsed(reply, Names)
        assert found is not None
        assert found.names == ("A?", "Bo")
    found = parsed('{"names": ["\\ud83d\\ude00 \u00e9"]}', Names)
    assert found is not None
    assert found.names == ("\U0001f600 \u00e9",)


@pytest.mark.parametrize("piece", ["{", '{"', '"a', "{names: I think that "])
def test_of_a_long_reply_that_is_no_json_only_the_beginning_is_mended(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def mended(text: str) -> dict[str, object]:
        seen.append(len(text))
        return {}

    monkeypatch.setattr("json_repair.loads", mended)
    parsed("{" + piece * 100_000, Names)
    assert 0 < seen[0] <= 16_000


def test_a_long_reply_that_is_json_is_read_to_its_end() -> None:
    names = [f"name{n}" for n in range(9_000)]
    found = parsed(json.dumps({"names": names}), Names)
    assert found is not None
    assert found.names == tuple(names)


def test_words_of_anything() -> None:
    assert words(' "a" ,b\nc; a') == ("a", "b", "c")
    assert words(None) == ()

"""Other names for people and places, the same everywhere in a text."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.streams.novels import NOVELS

from supersede.corpus.tokens import Estimate
from supersede.errors import DataError, UsageError
from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.novels.naming import proposed
from supersede.novels.prepare import prepare
from supersede.novels.renaming import Renaming, renamed_stream, texts_of
from supersede.streams.files import load_streams, write_streams
from supersede.streams.oaks import CATCH_ALLS
from supersede.streams.validate import violations

CHUNKS = (
    "At first Anna Long lived in Vale Mill. “Anna!” said Mr. Bert. It was a long day for Anna.",
    "Later Anna moved to Oak Inn. Bert's brother met Anna and the Longs there, at Oak Inn.",
    "ANNA LONG wrote to Bert\u2019s sister. Long ago she had known Bert and Mrs. Long of Oak Inn.",
)


def evidence(chunk: int, text: str) -> Evidence:
    assert text in CHUNKS[chunk]
    return Evidence(chunk, text)


FIRST = evidence(0, "At first Anna Long lived in Vale Mill.")
LATER = evidence(1, "Later Anna moved to Oak Inn.")
STREAM = Stream(
    "mill",
    CHUNKS,
    (
        StreamQuestion(
            "q1",
            "Where does Anna live now?",
            "multiple-choice",
            (("Vale Mill",), ("Oak Inn",), ("Oak Inn",)),
            (FIRST, LATER, LATER),
            ("Vale Mill", "Oak Inn", "With Bert", "On a boat", CATCH_ALLS[0]),
            4,
            ((FIRST,), (LATER,), (), (), ()),
        ),
    ),
    "novel",
    meta={"title": "The Mill", "system": "Anna is the heroine."},
)
NAMES = {"Anna": "Tilda", "Bert": "Corm", "Anna Long": "Tilda Fennick", "Oak Inn": "Elm Hall",
         "Mrs. Long": "Mrs. Fennick", "Vale": "Dorrin"}  # fmt: skip


def test_names_change_alike_in_all_texts_of_a_stream() -> None:
    renaming = Renaming(NAMES)
    renaming.check(texts_of([STREAM]))
    new = renamed_stream(STREAM, renaming)
    assert new.chunks == (
        "At first Tilda Fennick lived in Dorrin Mill. “Tilda!” said Mr. Corm. It was a long day for"
        " Tilda.",
        "Later Tilda moved to Elm Hall. Corm's brother met Tilda and the Longs there, at Elm Hall.",
        "TILDA FENNICK wrote to Corm\u2019s sister. Long ago she had known Corm and Mrs. Fennick of"
        " Elm Hall.",
    )
    (question,) = new.questions
    assert question.text == "Where does Tilda live now?"
    assert question.answers == (("Dorrin Mill",), ("Elm Hall",), ("Elm Hall",))
    assert question.options[:3] == ("Dorrin Mill", "Elm Hall", "With Corm")
    assert question.evidence[2] == Evidence(1, "Later Tilda moved to Elm Hall.")
    assert question.sources[0] == (Evidence(0, "At first Tilda Fennick lived in Dorrin Mill."),)
    assert (new.id, question.id, question.catch_all) == ("mill", "q1", 4)
    assert new.meta["system"] == "Tilda is the heroine."
    other = renamed_stream(STREAM, Renaming({"Anna": "Tilda"}))
    assert new.meta["renamed"] != other.meta["renamed"]
    assert list(violations([new])) == list(violations([STREAM])) == []


def test_words_that_only_contain_a_name_stay_and_plurals_and_capitals_go_along() -> None:
    renaming = Renaming({"Ann": "Tilda", "Lucas": "Frey", "Jo": "Moss"})
    assert renaming("Anna, Ann-like, ANN's; the Lucases and Jos; lucas, Joan") == (
        "Anna, Tilda-like, TILDA's; the Freys and Mosses; lucas, Joan"
    )


def test_names_are_swapped_at_once_and_longest_first() -> None:
    renaming = Renaming({"New York": "Harbour", "York": "Minster", "Minster": "York"})
    assert renaming("New York, York, Minster, New\nYork") == "Harbour, Minster, York, Harbour"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"Anna": "Bert"}, "new name 'Bert' collides with the word 'Bert'"),
        ({"Anna": "Brother"}, "collides with the word 'Brother'"),
        ({"Anne": "Tilda"}, "'Anne' stands nowhere in the text. Did you mean 'Anna'?"),
        ({"Later": "Tilda", "Anna": "Tilda"}, "'Later' and 'Anna' would both be 'Tilda'"),
        ({"Mr": "Tilda"}, "is a title, which stays"),
        ({"Anna": " "}, "' ' is a new name without a letter"),
        ({"Day": "Tilda"}, "'Day' stands nowhere"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(names: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        Renaming(names).check([*texts_of([STREAM]), "his Brother"])


def test_a_name_that_is_a_common_word_needs_more_words() -> None:
    texts = ["A long road, a long day. Long ago Mrs. Long came. So long!"]
    with pytest.raises(UsageError, match=r"common word of the text: 3 times .* 'Mrs\. Long'"):
        Renaming({"Long": "Fennick"}).check(texts)
    renaming = Renaming({"Mrs. Long": "Mrs. Fennick"})
    renaming.check(texts)
    assert renaming(texts[0]) == "A long road, a long day. Long ago Mrs. Fennick came. So long!"


def test_the_same_name_may_stand_with_and_without_its_title() -> None:
    Renaming({"Mrs. Long": "Mrs. Fennick", "Miss Long": "Miss Fennick", "Long": "Fennick"})


def test_evidence_that_cuts_a_name_is_refused() -> None:
    cut = Evidence(1, "Anna moved to Oak")
    question = replace(STREAM.questions[0], evidence=(None, cut, cut), sources=())
    with pytest.raises(DataError, match="begins or ends inside of a name"):
        renamed_stream(replace(STREAM, questions=(question,)), Renaming(NAMES))


def test_names_are_proposed_from_the_text_and_the_seed() -> None:
    text = (
        "Then Elizabeth went to Netherfield. She met Darcy, and Elizabeth spoke. Miss Elizabeth"
        " asked Darcy about Netherfield, which Darcy liked. In May the Darcys left Netherfield with"
        " Mrs. Long. A long, long way, a long day, a long night, with Mrs. Long and by Mrs. Long."
        " However, the English. The English. The English. However, However. He went by Silver"
        " Street to the City, by Silver Street to the City, by Silver Street to the City, with"
        " silver in a street of a city."
    )
    found = proposed([text])
    assert set(found.names) == {"Elizabeth", "Darcy", "Netherfield", "Mrs. Long"}
    assert found.names["Elizabeth"][0] in "AEIOU"  # an Elizabeth
    assert found.names["Darcy"][0] not in "AEIOU"  # a Darcy
    assert found.names["Mrs. Long"].startswith("Mrs. ")
    assert proposed([text]) == found
    assert not set(proposed([text], 1).names.values()) & set(found.names.values())
    found.check([text])
    new = found(text)
    assert f"the {found.names['Darcy']}s left" in new
    assert not re.search("Elizabeth|Darcy|Netherfield|Mrs. Long", new)


@pytest.mark.skipif(not NOVELS.is_dir(), reason="no novels beside the checkout")
def test_the_people_of_a_real_book_are_found_and_none_is_left() -> None:
    made = prepare(NOVELS / "pride-and-prejudice.txt", Estimate()).book
    texts = [chunk.text for chunk in made.chunks]
    found = proposed(texts)
    found.check(texts)
    people = ("Elizabeth", "Darcy", "Bennet", "Bingley", "Jane", "Collins", "Wickham", "Lydia")
    places = ("Longbourn", "Netherfield", "Meryton", "Pemberley", "Rosings", "London")
    assert {*people, *places, "Mrs. Long"} <= set(found.names)
    whole = "\n".join(map(found, texts))
    left = re.findall(rf"\b(?:{'|'.join((*people, *places))})(?:s|es)?\b", whole, re.I)
    assert left == []
    assert len(set(found.names.values())) == len(found.names)


def test_a_file_is_renamed_and_its_map_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_streams(Path("mill.jsonl"), [STREAM])
    code, out, _ = run(capsys, "novel", "rename", "mill.jsonl", "--propose", "--least", "2")
    assert code == 0
    names = json.loads(out)
    assert {"Anna", "Bert", "Oak", "Inn"} <= set(names)
    code, out, err = run(capsys, "novel", "rename", "mill.jsonl", "-o", "new.jsonl", "--least", "2")
    assert (code, err) == (0, "")
    assert out.startswith(f"new.jsonl: 1 document, {len(names)} names in ")
    assert json.loads(Path("new.jsonl.names.json").read_text(encoding="utf-8")) == names
    (new,) = load_streams("new.jsonl")
    assert "Anna" not in " ".join(texts_of([new]))
    Path("names.json").write_text(json.dumps(NAMES), encoding="utf-8")
    typed = ("novel", "rename", "mill.jsonl", "--names", "names.json", "-o", "new.jsonl")
    assert run(capsys, *typed)[0] == 0
    assert load_streams("new.jsonl")[0].chunks[1].startswith("Later Tilda moved to Elm Hall.")


def test_a_name_that_maps_to_itself_is_no_change() -> None:
    renaming = Renaming({"Anna Long": "Anna Long", "Anna": "Tilda"})
    text = "Anna, Anna\nLong and Anna. ANNA LONG, the Anna Longs."
    assert renaming(text) == "Tilda, Anna\nLong and Tilda. ANNA LONG, the Tilda Longs."
    assert renaming.changed == ("Anna",)
    assert renaming.count(text) == {"Anna": 3}
    same = Renaming({"Anna": "Anna", "Jo": "Jo"})
    assert renamed_stream(STREAM, same) == STREAM
    assert same(text := "Anna, ANNA and the Annas; the Joes and Jos") == text
    assert same.count(text) == {}


def test_names_that_stay_are_told_apart_from_those_that_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_streams(Path("mill.jsonl"), [STREAM])
    typed = ("novel", "rename", "mill.jsonl", "--names", "names.json", "-o", "new.jsonl")
    for names, changed, kept in (
        ({"Anna": "Anna"}, "0 names in 0 places", "1 name, 1 of them the same as before"),
        ({"Bert": "Bert", "Oak Inn": "Elm Hall"}, "1 name in 5 places", "2 names, 1 of them"),
        ({"Oak Inn": "Elm Hall"}, "1 name in 5 places", "1 name\n"),
    ):
        Path("names.json").write_text(json.dumps(names), encoding="utf-8")
        code, out, err = run(capsys, *typed)
        assert (code, err) == (0, "")
        first, second = out.split("\n", 1)
        assert first == f"new.jsonl: 1 document, {changed}"
        assert second.startswith(f"new.jsonl.names.json: {kept}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mill.jsonl"], "Missing option '-o' / '--output'."),
        (["nil.jsonl", "-o", "o"], "nil.jsonl: No such file"),
        (["mill.jsonl", "-o", "nil/o"], "nil: the folder does not exist"),
        (["mill.jsonl", "-o", "o", "--names", "list.json"], "list.json: is no object of texts"),
        (["mill.jsonl", "-o", "o", "--names", "bad.json"], "bad.json: not JSON"),
        (["mill.jsonl", "-o", "o", "--names", "off.json"], "'Anne' stands nowhere in the text."),
        (["mill.jsonl", "-o", "o", "--names", "deep.json"], "deep.json: not JSON"),
        (["mill.jsonl", "-o", "o", "--names", "twice.json"], "twice.json: not JSON: 'Anna' stands"),
        (["mill.jsonl", "-o", "o", "--names", "lines.json"], "'Ki\\nm' is a new name with signs"),
        (["mill.jsonl", "-o", "./mill.jsonl"], "mill.jsonl: would be written over"),
        (["mill.jsonl", "-o", "base.db"], "base.db: is a database, and would be lost"),
    ],
)
def test_a_mistake_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_streams(Path("mill.jsonl"), [STREAM])
    before = Path("mill.jsonl").read_bytes()
    sqlite3.connect("base.db").execute("CREATE TABLE kept (it)").connection.close()
    base = Path("base.db").read_bytes()
    for name, text in (
        ("list", "[]"),
        ("bad", "{"),
        ("off", '{"Anne": "Tilda"}'),
        ("deep", "[" * 100_000),
        ("twice", '{"Anna": "Kim", "Anna": "Lee"}'),
        ("lines", '{"Anna": "Ki\\nm"}'),
    ):
        Path(f"{name}.json").write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "novel", "rename", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1
    assert not Path("o").exists()
    assert (Path("mill.jsonl").read_bytes(), Path("base.db").read_bytes()) == (before, base)

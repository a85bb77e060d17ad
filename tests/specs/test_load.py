"""Reading YAML 1.2: what is plain, what is refused, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.specs.shop import SHOP, SOURCE, line_of, shop, spoilt

from supersede.errors import SpecError
from supersede.prototypes import prototype_files, prototype_ids
from supersede.specs import load
from supersede.specs.load import SchemaError, load_specification, parse_specification


def refusal(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        parse_specification(text, SOURCE)
    return str(caught.value)


def complaints(*changes: tuple[str, str]) -> list[str]:
    with pytest.raises(SchemaError) as caught:
        parse_specification(spoilt(*changes), SOURCE)
    return [str(complaint) for complaint in caught.value.complaints]


@pytest.mark.parametrize("word", ["on", "yes", "no", "off", "08:30", "0x1F", "1_000", "2024-01-01"])
def test_words_that_older_yaml_took_for_something_else_are_plain(word: str) -> None:
    loaded = shop(("start: paid up}", f"start: {word}}}"), ("[paid up,", f"[{word},"),
                  ("== 'paid up'", f"== '{word}'"))  # fmt: skip
    assert loaded.spec.registers["stage"].start == word


def test_numbers_and_null_are_no_words() -> None:
    loaded = shop(("{register: rate, value: fee}", "{register: rate, value: null}"))
    assert loaded.spec.events[3].sets[0].value is None
    assert loaded.spec.measures["escrow"].start == 1800000


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        (SHOP.replace("  clerk:", "\tclerk:"), "8:1", "Indent with spaces, not tabs."),
        (SHOP.replace("version: 1", "id: other"), "2:1", "key 'id' is given twice"),
        (SHOP.replace("version: 1", "version: &one 1"), "2:10", "anchors and aliases"),
        (SHOP.replace("version: 1", "version: *one"), "2:10", "anchors and aliases"),
        (SHOP.replace("version: 1", "version: [1"), "3:6", "not YAML"),
        (SHOP.replace("version: 1", "{a: b}: 1"), "2:1", "a key is not a plain word"),
        (SHOP + "---\nid: second\n", f"{SHOP.count(chr(10)) + 1}:1", "not YAML"),
        ("a: " + "[" * 5000, "1:43", "more than 40 levels"),
        ("a: !!python/object:os.system {}", None, None),
    ],
    ids=["tab", "twice", "anchor", "alias", "open", "key", "second", "deep", "tag"],
)
def test_what_is_no_plain_data_is_refused_with_its_place(
    text: str, at: str | None, said: str | None
) -> None:
    line = refusal(text)
    if at is not None and said is not None:
        assert line.startswith(f"{SOURCE}:{at}: ")
        assert said in line
    assert "\n" not in line


@pytest.mark.parametrize("text", ["", "# nothing\n", "- id: x\n", "word", "7"])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    assert refusal(text) == (
        f"{SOURCE}: not a mapping of keys to values. "
        "Start from the example in docs/specification.md."
    )


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    path.write_bytes("title: Café".encode("latin-1"))
    with pytest.raises(SpecError, match="is not UTF-8 text"):
        load_specification(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        load_specification(tmp_path / "world.yaml")


def test_an_unknown_key_is_told_with_the_nearest_one() -> None:
    (line,) = complaints(('    when: "rate > 0"', '    whem: "rate > 0"'))
    at = line_of(spoilt(), '    when: "rate > 0"')
    assert line == (
        f"{SOURCE}:{at}:5: unknown key 'whem' in events.3. Did you mean 'when'? "
        "Remove or rename it."
    )


def test_a_missing_key_is_told() -> None:
    (line,) = complaints(("title: Returns desk\n", ""))
    assert line == f"{SOURCE}:1:1: 'title' is missing. Add it."


def test_all_complaints_come_at_once_in_file_order() -> None:
    lines = complaints(
        ("version: 1", "version: 0"),
        ("fee: {int: [1, 9]}", "fee: {int: [1, 9], stepp: 2}"),
        ("longest: long", "longest: eternal"),
    )
    assert len(lines) == 3
    assert "version" in lines[0]
    assert "unknown key 'stepp'" in lines[1]
    assert "longest" in lines[2]


@pytest.mark.parametrize("quote", ['"{}"', "'{}'", "{}", ">-\n      {}", "|-\n      {}"])
def test_a_column_inside_a_text_is_found_however_it_is_quoted(quote: str) -> None:
    value = "rate > 0 and nothing > 1"
    text = spoilt(('when: "rate > 0"', f"when: {quote.format(value)}"))
    loaded = parse_specification(text, SOURCE)
    line, column = loaded.place(("events", 3, "when"), value, value.index("nothing"))
    assert text.splitlines()[line - 1][column - 1 :].startswith("nothing")


def test_a_column_is_found_behind_escapes_and_folds() -> None:
    value = "rate == 'it''s' and rate > 1"
    text = spoilt(('when: "rate > 0"', "when: 'rate == ''it''''s''\n      and rate > 1'"))
    loaded = parse_specification(text, SOURCE)
    assert loaded.spec.events[3].when == value
    line, column = loaded.place(("events", 3, "when"), value, value.index("rate > 1"))
    assert text.splitlines()[line - 1][column - 1 :].startswith("rate > 1")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('["{ref} is confirmed", "{ref} is now final", ', "["),
         "'revisions.confirm' has 1 wording. 3 wordings or more."),
        (("  counts: [till receipt, bank-matched, QC-signed]", "  counts: []"),
         "'statuses.counts' has 0 status labels. 1 status label or more."),
        (("setting: Follow the returns desk of a small shop.", 'setting: ""'),
         "'setting' is empty. Write it."),
    ],
)  # fmt: skip
def test_what_is_too_short_is_told_in_the_words_of_an_author(
    change: tuple[str, str], told: str
) -> None:
    assert [line.partition(": ")[2] for line in complaints(change)] == [told]


def test_too_few_noise_lines_are_told_as_such() -> None:
    start, _, rest = spoilt().partition("noise:\n")
    end = rest[rest.index("invariants:") :]
    with pytest.raises(SchemaError) as caught:
        parse_specification(f'{start}noise:\n  - "It rains."\n{end}')
    assert [str(c).partition(": ")[2] for c in caught.value.complaints] == [
        "'noise' has 1 noise line. 3 noise lines or more."
    ]


@pytest.mark.skipif(load._QuickLoader is None, reason="PyYAML is here without libyaml")
@pytest.mark.parametrize("prototype", prototype_ids()[::9])
def test_both_loaders_find_the_same_in_the_same_places(prototype: str) -> None:
    text = prototype_files()[prototype].read_text(encoding="utf-8")
    assert load._QuickLoader is not None
    quick, slow = (load._composed(kind, text, "x") for kind in (load._QuickLoader, load._Loader))
    assert quick == slow


def test_without_libyaml_a_specification_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = prototype_files()["soccer-timeline"].read_text(encoding="utf-8")
    quick = load.parse_specification(text)
    monkeypatch.setattr(load, "_QuickLoader", None)
    assert load.parse_specification(text) == quick

"""What is wrong in the published code of A-Mem, and that ours does not have it."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import numpy as np
from tests.memories.amem_made import ByRule, notes_of, read, where

from supersede.memories.amem import Amem
from supersede.memories.retrieval.embedder import HashingEmbedder

CROWD = [f"Person{n} went to the place{n}." for n in "abcdefgh"]
"""Notes that have nothing to do with what is asked about."""


def vectors(memory: Amem) -> Any:
    return memory._box._vectors.rows.copy()


def always(reply: dict[str, Any]) -> ByRule:
    return ByRule({"evolve": lambda *_: reply})


def last_only(number: int, reply: dict[str, Any]) -> ByRule:
    """A model whose evolution of one call alone changes anything."""
    return ByRule({"evolve": lambda _, call: reply if call == number else {"should_evolve": False}})


def test_ranks_are_not_taken_for_places_so_that_retrieved_notes_evolve_and_no_others() -> None:
    reply = {"should_evolve": True, "updates": [{"note": 1, "context": "Changed.", "tags": ["x"]}]}
    texts = [*CROWD, "Ruvo went to the hall.", "Ruvo went to the attic."]
    memory = asyncio.run(read(texts, last_only(8, reply)))
    changed = [n for n, note in enumerate(notes_of(memory)) if note["context"] == "Changed."]
    assert changed == [8]


def test_what_is_shown_under_a_number_is_what_the_number_changes() -> None:
    model = ByRule({"evolve": lambda *_: {"should_evolve": False}})
    asyncio.run(read([*CROWD, "Ruvo went to the hall.", "Ruvo went to the attic."], model))
    for prompt in model.prompts("evolve"):
        numbers = [int(n) for n in re.findall(r"^## Note (\d+)$", prompt, re.MULTILINE)]
        assert numbers == list(range(1, len(numbers) + 1))
    assert "## Note 1\nRuvo went to the hall." in model.prompts("evolve")[-1]


def test_links_are_places_of_notes_go_both_ways_and_are_followed() -> None:
    linked = {"should_evolve": True, "links": [1]}
    texts = [*CROWD, "Ruvo went to the hall.", "Ruvo went to the attic, a lamp in hand."]
    memory = asyncio.run(read(texts, last_only(8, linked), shown=1))
    notes = notes_of(memory)
    assert (notes[8]["links"], notes[9]["links"]) == ([9], [8])
    shown = asyncio.run(memory.context(where("Ruvo")))
    assert shown.chunks == (8, 9)
    assert shown.notes["linked"] == 1


def test_a_note_is_shown_once_however_many_link_to_it() -> None:
    texts = ["Ruvo went to the hall."] * 12
    memory = asyncio.run(read(texts, always({"should_evolve": True, "links": [1, 2, 3, 4, 5]})))
    shown = asyncio.run(memory.context(where("Ruvo")))
    assert len(set(shown.chunks)) == len(shown.chunks) == shown.text.count("# chunk index: ")


def test_numbers_of_no_note_are_dropped_and_counted() -> None:
    reply = {
        "should_evolve": True,
        "links": [-1, 0, 99, "a", "2", 1.0, True, None, 1.5],
        "updates": [
            {"note": 99, "context": "Nobody."},
            {"note": "note 1", "context": "First."},
            {"note": 1, "context": "Again."},
            {"context": "No number."},
        ],
    }
    memory = asyncio.run(read([*CROWD[:3], "Ruvo is here."], last_only(2, reply)))
    notes = notes_of(memory)
    assert len(notes[3]["links"]) == 2
    assert [note["context"] for note in notes].count("First.") == 1
    assert not {"Nobody.", "Again.", "No number."} & {note["context"] for note in notes}
    dropped = memory.counters()["evolve_numbers_dropped"]
    assert dropped == len({-1, 0, 99, None}) + 3
    shown = asyncio.run(memory.context(where("Ruvo")))
    assert len(shown.chunks) == 4


def test_well_formed_analyses_are_taken_as_they_are() -> None:
    said = {"keywords": ["key"], "context": "All of it.", "tags": ["tag"]}
    memory = asyncio.run(read(["Rain."], ByRule({"analyse": lambda *_: said})))
    (note,) = notes_of(memory)
    assert (note["keywords"], note["context"], note["tags"]) == (["key"], "All of it.", ["tag"])
    assert "analyse_filled" not in memory.counters()


def test_what_is_empty_overwrites_nothing() -> None:
    reply = {"should_evolve": True, "tags": [], "updates": [{"note": 1, "context": "", "tags": []}]}
    changed = asyncio.run(read(CROWD[:2], always(reply)))
    same = asyncio.run(read(CROWD[:2], always({"should_evolve": False})))
    assert notes_of(changed) == notes_of(same)
    assert changed.counters()["neighbours_changed"] == 0


def test_lists_that_are_too_short_or_too_long_change_what_they_name() -> None:
    updates = [{"note": n, "context": f"Number {n}."} for n in range(1, 9)]
    for given in (updates[:1], updates):
        reply = {"should_evolve": True, "updates": given}
        memory = asyncio.run(read(CROWD[:4], last_only(2, reply)))
        changed = [note for note in notes_of(memory) if note["context"].startswith("Number")]
        assert len(changed) == min(3, len(given))


def test_should_evolve_may_be_a_word() -> None:
    for word, links in (("True", 1), ("yes", 1), ("false", 0), ("no", 0)):
        memory = asyncio.run(read(CROWD[:2], always({"should_evolve": word, "links": [1]})))
        assert memory.counters()["links"] == links


def test_a_changed_neighbour_is_embedded_anew_at_once_and_the_others_keep_their_vectors() -> None:
    reply = {"should_evolve": True, "updates": [{"note": 1, "context": "A zebra.", "tags": ["z"]}]}
    texts = [*CROWD, "Ruvo went to the hall.", "Ruvo went to the attic."]
    before = vectors(asyncio.run(read(texts, always({"should_evolve": False}))))
    after = vectors(asyncio.run(read(texts, last_only(8, reply))))
    differ = [n for n in range(10) if not np.allclose(before[n], after[n])]
    assert differ == [8]


def test_passages_never_change() -> None:
    reply = {
        "should_evolve": True,
        "updates": [{"note": 1, "context": "New.", "content": "New.", "tags": ["new"]}],
    }
    memory = asyncio.run(read(CROWD, always(reply)))
    assert [note["content"] for note in notes_of(memory)] == CROWD


def test_the_whole_of_a_passage_and_its_card_are_in_the_vector() -> None:
    """The published embedder reads some 256 word pieces; card and end of a chunk are beyond."""
    long = "Rain fell on the roof. " * 200
    same = {"keywords": ["k"], "context": "C.", "tags": ["t"]}
    plain = ByRule({"analyse": lambda *_: same})
    other = ByRule({"analyse": lambda *_: {**same, "keywords": ["zebra"]}})
    short = HashingEmbedder(limit=64)
    one = vectors(asyncio.run(read([long], plain, embedder=short)))
    end = vectors(asyncio.run(read([long + "Tamsin sang of Belka."], plain, embedder=short)))
    card = vectors(asyncio.run(read([long], other, embedder=short)))
    assert not np.allclose(one, end)
    assert not np.allclose(one, card)


def test_the_first_note_makes_one_call() -> None:
    model = ByRule()
    asyncio.run(read(CROWD[:1], model))
    assert model.counted() == {"analyse": 1}


def test_runs_are_the_same_to_the_byte() -> None:
    states = [asyncio.run(read(CROWD * 3, ByRule(), [where("Persona")])).snapshot() for _ in "ab"]
    assert states[0] == states[1]

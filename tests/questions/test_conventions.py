"""What the system message must say for questions to be answerable from the text."""

from __future__ import annotations

from tests.questions.town import TOWN

from supersede.prototypes import load_prototype
from supersede.questions import conventions, kinds


def test_conventions_name_the_block() -> None:
    text = " ".join(conventions(TOWN))
    assert "belongs to the Day" in text
    for word in ("valid", "Net change", "Ties", "invalid record"):
        assert word in text


def test_every_kind_of_record_is_listed_with_all_its_wordings() -> None:
    spec = load_prototype("warehouse-inventory-ops")
    lines = kinds(spec)
    assert len(lines) == 1 + len(spec.events)
    for event, line in zip(spec.events, lines[1:], strict=True):
        assert line.startswith(f"- {event.label or event.id.replace('_', ' ')}: ")
        assert line.count('"') == 2 * len(event.phrasings)
        assert "{" not in line

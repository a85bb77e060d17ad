"""What the system message must say for questions to be answerable from the text."""

from __future__ import annotations

from tests.questions.town import TOWN

from supersede.questions import conventions


def test_conventions_name_the_block() -> None:
    text = " ".join(conventions(TOWN))
    assert "belongs to the Day" in text
    for word in ("valid", "Net change", "Ties", "invalid record"):
        assert word in text

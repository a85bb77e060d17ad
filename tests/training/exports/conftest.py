from pathlib import Path

import pytest
from tests.training.exports.made import both

from supersede.training.exports.card import Card
from supersede.training.exports.hub import export_hub


@pytest.fixture(scope="session")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A training corpus and a held-out one; not to be changed."""
    return both(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="session")
def hub(corpora: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both as a data set folder at `my-org/my-data`; not to be changed."""
    out = tmp_path_factory.mktemp("hub") / "my-org" / "my-data"
    card = Card(repo="my-org/my-data", creator="A lab", date="2026-11-30")
    export_hub(corpora, out, card)
    return out

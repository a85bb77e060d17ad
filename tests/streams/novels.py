"""The novels that lie beside a checkout, where they do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

NOVELS = Path(__file__).parents[3] / "shared" / "data" / "novels"


def needs_novels(test: Callable[[], None]) -> Callable[[], None]:
    """Skips a test without novels, and keeps those with them on one worker: they share a build."""
    absent = pytest.mark.skipif(not NOVELS.is_dir(), reason="no novels beside the checkout")
    together: Callable[[], None] = pytest.mark.xdist_group("novels")(absent(test))
    return together

"""The novels that lie beside a checkout, where they do."""

from __future__ import annotations

from pathlib import Path

import pytest

NOVELS = Path(__file__).parents[3] / "shared" / "data" / "novels"

needs_novels = pytest.mark.skipif(not NOVELS.is_dir(), reason="no novels beside the checkout")

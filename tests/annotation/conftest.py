"""One browser for all tests of the web app; each person has cookies and storage of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.reports.browser import Browser, open_browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("profile")) as found:
        yield found

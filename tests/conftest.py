"""What a test may need and what happens where it is absent: skip, or fail when asked for."""

import importlib.util
import os
import shutil
from collections.abc import Callable

import pytest

from supersede.evaluation.weights import has_weights
from supersede.prototypes import prototype_ids

MODEL = "smollm2"
"""The model that tests marked `model` talk to."""

REQUIRE = "SUPERSEDE_REQUIRE"
"""Names, comma separated, of needs whose absence fails instead of skipping."""


def missing_model() -> str | None:
    """Why the local model cannot run here, or None where it can."""
    for module in ("xllamacpp", "inspect_ai", "openai"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: pip install 'supersede[eval,local]'"
    return None if has_weights(MODEL) else f"no weights: supersede model get {MODEL}"


def missing_browser() -> str | None:
    """Why no headless browser can run here, or None where one can."""
    if shutil.which("chromium") is None:
        return "chromium is not on the PATH: apt-get install chromium"
    return None


EXERCISED = frozenset(
    [
        "apartment-chores-chat",
        "chess-like-match-log",
        "ci-cd-deployment-log",
        "clinical-trial-visit-log",
        "contract-negotiation",
        "editorial-board-chat",
        "election-count-updates",
        "group-chat-scheduling",
        "insurance-claims-flow",
        "library-lending-records",
        "loan-portfolio-updates",
        "restaurant-planning-chat",
        "roleplay-rpg-combat",
        "sensor-stream-monitoring",
        "soccer-timeline",
        "trading-ledger-updates",
        "travel-group-discussion",
        "warehouse-inventory-ops",
    ]
)
"""Worlds that use all of the language between them: tests that run over every prototype run over
these, and over the rest with `-m slow`. A test marked `every_world` runs over all of them."""

NEEDS: dict[str, Callable[[], str | None]] = {"model": missing_model, "browser": missing_browser}


def required_needs() -> set[str]:
    """The needs named by SUPERSEDE_REQUIRE; an unknown name is an error, not a silent skip."""
    named = {name.strip() for name in os.environ.get(REQUIRE, "").split(",") if name.strip()}
    if unknown := named - NEEDS.keys():
        raise pytest.UsageError(f"{REQUIRE} names {sorted(unknown)}; known: {sorted(NEEDS)}")
    return named


def pytest_runtest_setup(item: pytest.Item) -> None:
    for need, missing in NEEDS.items():
        if item.get_closest_marker(need) is None:
            continue
        reason = missing()
        if reason is None:
            continue
        if need in required_needs():
            pytest.fail(f"{need} is required here, but {reason}", pytrace=False)
        pytest.skip(f"no {need}: {reason}")


def worlds_of(item: pytest.Item) -> set[str]:
    """The words among the parameters of a test, names of prototypes perhaps."""
    parameters = (
        item.callspec.params.values()
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else ()
    )
    return {value for value in parameters if isinstance(value, str)}


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of one need on one worker, so that they share its server.

    Tests of a prototype that is not among the exercised ones are slow ones.
    """
    required_needs()
    others = set(prototype_ids()) - EXERCISED
    for item in items:
        if others & worlds_of(item) and item.get_closest_marker("every_world") is None:
            item.add_marker(pytest.mark.slow)
        for need in NEEDS:
            if item.get_closest_marker(need) is not None:
                item.add_marker(pytest.mark.xdist_group(need))

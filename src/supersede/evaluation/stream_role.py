"""Which model a memory asks, as far as the command line tells before Inspect is started."""

from __future__ import annotations

from argparse import ArgumentError, ArgumentParser
from collections.abc import Sequence

import yaml

__all__ = ["ROLE", "role_model"]

ROLE = "memory"
"""The role of Inspect whose model memories ask: `--model-role memory=MODEL`."""


def role_model(inspect_options: Sequence[str]) -> str | None:
    """The model of memories that is named among options of Inspect, without its settings.

    Returns:
        None where none is named, and memories ask the model of the run.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--model-role", action="append", default=[])
    try:
        found, _ = parser.parse_known_args(list(inspect_options))
    except ArgumentError:  # an option without its value, of which Inspect tells
        return None
    for role in reversed(found.model_role):
        name, _, value = role.partition("=")
        if name.strip() == ROLE:
            return _named(value.strip())
    return None


def _named(value: str) -> str:
    """The model of a role that stands for itself, or with settings: `{model: a/b, ...}`."""
    try:
        given = yaml.safe_load(value)
    except yaml.YAMLError:  # of which Inspect tells
        return value
    return str(given.get("model", "")) if isinstance(given, dict) else value

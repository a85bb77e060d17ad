"""Options that name an instance: what is behind `--dial`."""

from collections.abc import Iterable
from math import isfinite, nan

from supersede.errors import UsageError

__all__ = ["as_dials"]


def as_dials(texts: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """The overrides that `NAME=VALUE` texts give, sorted by name.

    Raises:
        UsageError: A text has no `=`, or its value is no number.
    """
    values: dict[str, float] = {}
    for text in texts:
        name, equals, number = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise UsageError(
                f"--dial {text!r} is no NAME=VALUE", mend="Write it as in --dial noise=0.5."
            )
        try:
            value = float(number)
        except ValueError:
            value = nan
        if not isfinite(value):
            raise UsageError(
                f"--dial {name}: the value {number!r} is no number",
                mend="Write it as in --dial noise=0.5. See the ranges with: supersede dials",
            )
        values[name] = value
    return tuple(sorted(values.items()))

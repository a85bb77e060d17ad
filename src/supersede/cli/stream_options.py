"""Options that the commands about runs on streams share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from supersede.errors import UsageError
from supersede.memories.plan import Prices
from supersede.streams.scoring import MAX_ERROR_RATE

__all__ = ["as_prices", "json_option", "limit_option", "prices_option", "stream_option"]

C = TypeVar("C", bound=Callable[..., Any])


def stream_option(*, required: bool) -> Callable[[C], C]:
    """`--stream FILE`, handed on as `stream_file`."""
    return click.option(
        "--stream",
        "stream_file",
        required=required,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The streams that were asked: a file of ours or the official OAKS JSON.",
    )


def limit_option(consequence: str, *, of_log: bool = False) -> Callable[[C], C]:
    """`--max-error-rate SHARE`.

    Args:
        consequence: What happens above it: `the exit code is 1`.
        of_log: Whether a log's own limit stands where the option is left out, which is then None.
    """
    text = f"Share of failed or missing answers above which {consequence}."
    return click.option(
        "--max-error-rate",
        type=click.FloatRange(0, 1),
        default=None if of_log else MAX_ERROR_RATE,
        show_default=not of_log,
        help=f"{text}  [default: that of the log, or {MAX_ERROR_RATE}]" if of_log else text,
    )


def json_option() -> Callable[[C], C]:
    """`--json`, handed on as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON; shares are fractions.")


def prices_option(use: str) -> Callable[[C], C]:
    """`--prices IN,OUT[,CACHED]`, to be read with `as_prices`.

    Args:
        use: What the prices are for: `the cost in a dry run`.
    """
    return click.option(
        "--prices", metavar="IN,OUT[,CACHED]", help=f"Dollars per million tokens, for {use}."
    )


def as_prices(text: str | None) -> Prices | None:
    """The prices that the option names; None where it is left out.

    Raises:
        UsageError: They are not two or three numbers.
    """
    if text is None:
        return None
    try:
        return Prices(*(float(part) for part in text.split(",")))
    except (TypeError, ValueError):
        raise UsageError(
            f"prices {text!r} are not two or three numbers", mend="As in: --prices 0.15,0.6,0.075"
        ) from None

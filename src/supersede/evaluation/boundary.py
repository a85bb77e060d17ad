"""Where our errors meet Inspect: a person's mistake stays one line there too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai._util.error import PrerequisiteError  # the public interface has no such error

from supersede.errors import SupersedeError

__all__ = ["user_errors"]


@contextmanager
def user_errors() -> Iterator[None]:
    """Turns our errors into the one that Inspect prints without a traceback."""
    try:
        yield
    except SupersedeError as error:
        raise PrerequisiteError(str(error)) from error

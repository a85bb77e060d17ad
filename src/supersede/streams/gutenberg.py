"""Books of Project Gutenberg, fetched when asked for."""

from __future__ import annotations

from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from supersede.errors import DataError, UsageError

SITE = "https://www.gutenberg.org"
"""Where books are fetched from unless a mirror is named."""

_SECONDS = 60


def fetch(number: str, site: str = SITE) -> bytes:
    """The plain text of a book, as the site has it.

    Args:
        number: Its number at Project Gutenberg.
        site: The site, or a mirror with the same addresses.

    Raises:
        UsageError: The number is none, or the site is no web address.
        DataError: The site does not answer or has no such book.
    """
    if not number.isdecimal():
        raise UsageError(
            f"{number!r} is no number of a book", mend="Write it as in gutenberg:1661,84."
        )
    if not site.startswith(("http://", "https://")):
        raise UsageError(f"site={site!r} is no web address", mend="Begin it with https://.")
    address = f"{site.rstrip('/')}/cache/epub/{number}/pg{number}.txt"
    request = Request(address, headers={"User-Agent": "supersede"})
    try:
        with urlopen(request, timeout=_SECONDS) as reply:
            data: bytes = reply.read()
    except HTTPError as error:
        raise DataError(
            f"the site answers {error.code}", where=address, mend="Is that the number of a book?"
        ) from None
    except (URLError, OSError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise DataError(
            f"cannot be fetched: {reason}",
            where=address,
            mend="Name a folder of texts with --background, or --background builtin.",
        ) from None
    return data

"""Libraries: folders, books fetched from a server, made-up prose."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.streams.test_prose import BOOK

from supersede.corpus.tokens import Estimate
from supersede.errors import DataError, UsageError
from supersede.streams.background import Library, open_library
from supersede.worlds.streams import stream


class Site(BaseHTTPRequestHandler):
    """A mirror with one book."""

    def do_GET(self) -> None:
        found = self.path == "/cache/epub/84/pg84.txt"
        self.send_response(200 if found else 404)
        self.end_headers()
        if found:
            self.wfile.write(BOOK.encode("utf-8-sig"))

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def opened(background: str, need: int = 10, longest: int = 100, **more: str) -> Library:
    return open_library(background, Estimate(), longest=longest, need=need, **more)  # type: ignore[arg-type]  # all of `more` are texts


def texts(library: Library) -> list[str]:
    return [" ".join(part.sentences) for book in library.books for part in book]


def test_a_book_is_fetched_and_cleaned(site: str) -> None:
    library = opened("gutenberg:84", site=site)
    assert len(texts(library)) == 4
    assert library.name == "gutenberg:84"


def test_a_book_that_is_not_there_is_one_line(site: str) -> None:
    with pytest.raises(DataError, match=r"pg99\.txt: the site answers 404\. Is that"):
        opened("gutenberg:84,99", site=site)


def test_a_site_that_does_not_answer_is_one_line() -> None:
    with pytest.raises(DataError, match=r"cannot be fetched: .*--background builtin"):
        opened("gutenberg:84", site="http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("background", "site", "said"),
    [
        ("gutenberg:pride", "http://x", "no number of a book"),
        ("gutenberg:84", "ftp://x", "no web address"),
        ("nowhere", "http://x", "no folder 'nowhere'"),
    ],
)
def test_a_mistaken_background_is_one_line(background: str, site: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        opened(background, site=site)


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"The second book is short.\r\n")
    (tmp_path / "a.txt").write_bytes("The first book is caf\xe9.\n".encode("latin-1"))
    (tmp_path / "c.md").write_bytes(b"This is no text file at all.")
    (tmp_path / "d.txt").mkdir()
    (tmp_path / "E.TXT").write_bytes(b"The third book has a name in capitals.")
    assert texts(opened(str(tmp_path))) == [
        "The third book has a name in capitals.",
        "The first book is café.",
        "The second book is short.",
    ]
    assert texts(opened(str(tmp_path / "b.txt"), need=5)) == ["The second book is short."]


def test_a_folder_without_texts_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no \.txt file"):
        opened(str(tmp_path))


def test_too_small_a_background_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One sentence is not enough.\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"holds 7 tokens of prose, and a document needs 1,000"):
        opened(str(tmp_path), need=1000)


def test_no_more_prose_is_made_up_than_takes_a_minute() -> None:
    with pytest.raises(UsageError, match=r"writes at most 5,000,000 tokens.* one needs 5,000,001"):
        opened("builtin", need=5_000_001)


def test_a_paragraph_that_recurs_is_kept_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("It rained all day.\n\nIt rained all day.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("It rained all day.\n\nThen it did not.\n", encoding="utf-8")
    assert texts(opened(str(tmp_path))) == ["It rained all day.", "Then it did not."]


def test_paragraphs_with_a_sentence_that_is_too_long_go(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        f"Short and good it is.\n\n{'very ' * 50}long.\n", encoding="utf-8"
    )
    assert texts(opened(str(tmp_path), need=1, longest=20)) == ["Short and good it is."]


def test_each_document_has_an_order_of_its_own_and_nothing_twice() -> None:
    library = opened("builtin", need=3000)
    first = list(library.shuffled(stream("a", "passages"), 300))
    second = list(library.shuffled(stream("b", "passages"), 300))
    assert first != second
    assert len(set(first)) == len(first) == len(texts(library))
    assert set(first) == set(second)


def test_made_up_prose_is_enough_and_depends_on_the_seed() -> None:
    one, same = opened("builtin", need=2000), opened("builtin", need=2000)
    other = open_library("builtin", Estimate(), longest=100, need=2000, seed=1)
    assert texts(one) == texts(same) != texts(other)
    assert one.tokens >= 4000

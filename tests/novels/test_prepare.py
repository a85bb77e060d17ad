"""Books in the state in which people have them, and what is left of them: the narrative."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.novels.books import STORY, TOLD, epub, pieces_of, web_page
from tests.streams.novels import NOVELS

from supersede.corpus.tokens import Estimate
from supersede.errors import SupersedeError
from supersede.novels.book import digest
from supersede.novels.licence import unwrapped
from supersede.novels.markup import markup_source
from supersede.novels.prepare import Prepared, add_prepared, prepare
from supersede.novels.project import Project
from supersede.streams.prose import decoded

novels = pytest.mark.skipif(not NOVELS.is_dir(), reason="no novels beside the checkout")


@cache
def prepared(name: str) -> Prepared:
    return prepare(NOVELS / name, Estimate())


def made(path: Path, data: bytes | str, tokens: int = 2_000) -> Prepared:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return prepare(path, Estimate(), tokens=tokens)


def told(one: Prepared) -> tuple[str, ...]:
    return tuple("\n\n".join(chunk.text for chunk in one.book.chunks).split("\n\n"))


EXPECTED = {
    "frankenstein.txt": (
        49,
        28,
        "To Mrs. Saville, England.\n\nSt. Petersburgh, Dec. 11th, 17—.\n\nYou will rejoice to hear",
        "He was soon borne away by the waves and lost in darkness and distance.",
        ("Letter 1", "Chapter 24"),
    ),
    "pride-and-prejudice.txt": (
        82,
        61,
        "It is a truth universally acknowledged, that a single man in possession of a good",
        "had been the means of uniting them.",
        ("Chapter 1", "Chapter 61"),
    ),
    "the-adventures-of-sherlock-holmes.latin1.txt": (
        71,
        14,
        "To Sherlock Holmes she is always THE woman.",
        "where I believe that she has met with considerable success.",
        ("ADVENTURE I. A SCANDAL IN BOHEMIA / I.", "XII. THE ADVENTURE OF THE COPPER BEECHES"),
    ),
    "the-time-machine.txt": (
        22,
        17,
        "The Time Traveller (for so it will be convenient to speak of him) was",
        "gratitude and a mutual tenderness still lived on in the heart of man.",
        ("I: Introduction", "Epilogue"),
    ),
    "the-war-of-the-worlds.txt": (
        39,
        27,
        "No one would have believed in the last years of the nineteenth century",
        "and to think that I have counted her, and that she has counted me, among the dead.",
        (
            "BOOK ONE: THE COMING OF THE MARTIANS / I. THE EVE OF THE WAR.",
            "BOOK TWO: THE EARTH UNDER THE MARTIANS. / X. THE EPILOGUE.",
        ),
    ),
    "treasure-island.txt": (
        46,
        34,
        "SQUIRE TRELAWNEY, Dr. Livesey, and the rest of these gentlemen having asked me",
        "Captain Flint still ringing in my ears: “Pieces of eight! Pieces of eight!”",
        (
            "PART ONE--The Old Buccaneer / 1: The Old Sea-dog at the Admiral Benbow",
            "PART SIX--Captain Silver / 34: And Last",
        ),
    ),
}
"""Chunks, chapters, first and last words, first and last chapter: read in the files."""


@novels
@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_book_is_its_narrative_from_the_first_to_the_last_sentence(name: str) -> None:
    chunks, chapters, first, last, ends = EXPECTED[name]
    book = prepared(name).book
    assert (len(book.chunks), len(book.chapters)) == (chunks, chapters)
    assert book.chunks[0].text.startswith(first)
    assert book.chunks[-1].text.endswith(last)
    assert (book.chapters[0], book.chapters[-1]) == ends
    assert all(chunk.tokens == Estimate().count(chunk.text) for chunk in book.chunks)
    assert all(chunk.sha256 == digest(chunk.text) for chunk in book.chunks)


@novels
@pytest.mark.parametrize("name", EXPECTED)
def test_nothing_of_a_real_book_is_lost(name: str) -> None:
    """Every block of the source is told, left out or a heading: its words are counted."""
    one = prepared(name)
    plain = unwrapped(decoded((NOVELS / name).read_bytes())).text

    def words(text: str) -> Counter[str]:
        return Counter(re.findall(r"[^\W_]+", text))

    there = words(" ".join(told(one)))
    rest = words(plain) - there
    assert not there - words(plain)
    headings = words(" ".join(one.book.chapters))
    out = words(" ".join(piece.text for piece in one.left_out))
    assert not rest - out - headings


@novels
@pytest.mark.parametrize("name", EXPECTED)
def test_no_chunk_of_a_real_book_has_what_is_no_narrative(name: str) -> None:
    one = prepared(name)
    paragraphs = told(one)
    for word in ("gutenberg", "ebook", "[illustration", "[footnote", "www."):
        assert not [text for text in paragraphs if word in text.casefold()]
    assert not [text for text in paragraphs if text.startswith("Produced by")]
    headings = {part.casefold() for chapter in one.book.chapters for part in chapter.split(" / ")}
    parts = {part for heading in headings for part in (heading, *heading.split(": ", 1))}
    short = [text for text in paragraphs if text.casefold().strip(".") in parts]
    assert short == []
    front = {piece.text for piece in one.left_out if piece.why == "before the narrative"}
    assert not front & set(paragraphs)
    assert one.book.title.upper() not in paragraphs


@novels
@pytest.mark.parametrize("name", EXPECTED)
def test_chunks_are_as_large_as_whole_paragraphs_allow(name: str) -> None:
    """No chunk is over 2,000 tokens, and none could have taken the next paragraph too."""
    chunks = prepared(name).book.chunks
    count = Estimate().count
    assert max(chunk.tokens for chunk in chunks) <= 2_000
    for chunk, after in pairwise(chunks):
        assert count(f"{chunk.text}\n\n{after.text.split(chr(10) * 2)[0]}") > 2_000


@novels
def test_verse_letters_and_signs_in_a_story_stay() -> None:
    island = told(prepared("treasure-island.txt"))
    assert "“Fifteen men on the dead man's chest--\nYo-ho-ho, and a bottle of rum!”" in island
    assert "P.P.S.--Hawkins may stay one night with his mother.\nJ. T." in island
    assert any(text.endswith("that's as bad to bear.”") for text in island)
    monster = told(prepared("frankenstein.txt"))
    assert "Your affectionate brother,\nRobert Walton" in monster
    assert any(text.startswith("We rest; a dream has power to poison sleep.\n") for text in monster)
    holmes = told(prepared("the-adventures-of-sherlock-holmes.latin1.txt"))
    place = holmes.index("THE RED-HEADED LEAGUE")
    assert holmes[place : place + 4] == (
        "THE RED-HEADED LEAGUE",
        "IS",
        "DISSOLVED.",
        "October 9, 1890.",
    )
    assert '"Very truly yours,\n"IRENE NORTON, née ADLER."' in holmes


FORMATS = {
    "frankenstein.txt": (r"(?:Letter|Chapter) \d+", 1),
    "the-adventures-of-sherlock-holmes.latin1.txt": (
        r"(?:ADVENTURE )?[IVX]+\. [^a-z]+|[IVX]+\.",
        2,
    ),
    "pride-and-prejudice.txt": (r"Chapter \d+", 1),
}
"""How headings read, and how many stand above the first words."""


@novels
@pytest.mark.parametrize("name", FORMATS)
def test_text_web_page_and_epub_of_a_real_book_give_the_same_chunks(
    name: str, tmp_path: Path
) -> None:
    plain = prepared(name).book
    body = unwrapped(decoded((NOVELS / name).read_bytes())).text
    pattern, above = FORMATS[name]
    pieces = pieces_of(body, re.compile(pattern))
    first = plain.chunks[0].text.split(" ")[0]
    start = next(n for n, (kind, text) in enumerate(pieces) if kind == "p" and first in text[:20])
    pieces = pieces[start - above :]
    page = made(tmp_path / "book.html", web_page(plain.title, plain.author, pieces)).book
    packed = made(tmp_path / "book.epub", epub(plain.title, plain.author, pieces)).book
    assert (page.title, page.author) == (packed.title, packed.author) == (plain.title, plain.author)
    assert page.chunks == packed.chunks
    assert page.chapters == plain.chapters
    ours, theirs = (" ".join(told(Prepared(one, ()))).split() for one in (plain, page))
    assert ours == theirs  # signatures may be broken elsewhere: markup says where
    if name.startswith("pride"):
        assert page.chunks == plain.chunks


def test_all_that_is_no_narrative_is_left_out_and_named(tmp_path: Path) -> None:
    one = made(tmp_path / "mill.txt", STORY)
    assert told(one) == TOLD
    assert one.book.chapters == ("I. The Wheel", "II. Rain in the Night", "Epilogue")
    assert (one.book.title, one.book.author, one.book.id) == ("The Mill", "A. Writer", "the-mill")
    out = {piece.text.split("\n")[0]: piece.why for piece in one.left_out}
    assert out["[1] Some say for ten years."] == "note"
    assert out["*It rained until the morning."] == "note"
    assert out["[Footnote: It had been stopping for years.]"] == "note"
    assert out["[Illustration: The mill]"] == "illustration or remark"
    assert out["* * * * *"] == "ornament"
    assert out["THE END"] == "the end"
    assert out["PREFACE"] == "before the narrative"
    assert out["The mill is a real one."] == "after the narrative"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_make_no_difference(
    tmp_path: Path, encoding: str, ends: str
) -> None:
    text = STORY.removeprefix("\ufeff").replace("\n", ends)
    assert told(made(tmp_path / "mill.txt", text.encode(encoding))) == TOLD


def test_a_book_of_one_byte_a_sign_is_read(tmp_path: Path) -> None:
    text = STORY.removeprefix("\ufeff")
    assert told(made(tmp_path / "mill.txt", text.encode("cp1252"))) == TOLD


def test_a_web_page_with_everything_to_leave_out(tmp_path: Path) -> None:
    page = """<html><head><title>The Mill</title>
    <meta name="author" content="A. Writer"></head><body>
    <div class="pg-boilerplate"><p>This eBook is for anyone anywhere, and costs nothing at all.
    </div><h1>The Mill</h1><p class="center">by A. Writer</p>
    <p>To my mother, who read all of this before anybody else did, and liked it.</p>
    <h2>CONTENTS</h2><p><a href="#c1">I. The Wheel</a><p><a href="#c2">II. Rain in the Night</a>
    <h2>PREFACE</h2><p>I wrote this in the winter, and it is not a true story at all, as they say.
    <h2 id="c1">I.<br>The Wheel</h2>
    <p>Anna lived in the <span class="pagenum">[12]</span>mill by the river<a class="fnanchor"
    href="#f1">[1]</a>, and nobody knew how long.
    <div class="figcenter"><img src="mill.png" alt="m"><p class="caption">The mill</p></div>
    <div class="poem"><div class="stanza"><div class="line">The wheel goes round,</div>
    <div class="line">And I am bound.</div></div></div>
    <p>She&nbsp;laughed &amp; went&#8212;<em>out</em>.<script>alert("x")</script>
    <h2 id="c2">II.<br>Rain in the Night</h2><p>It rained.<br>All night.</p>
    <hr><p>*&nbsp;*&nbsp;*</p><p>Then it was over, and Anna slept.</p>
    <div class="footnotes"><p id="f1">[1] Some say for ten years.</p></div></body></html>"""
    one = made(tmp_path / "mill.html", page)
    assert told(one) == (
        "Anna lived in the mill by the river, and nobody knew how long.",
        "The wheel goes round,\nAnd I am bound.",
        "She laughed & went—out.",
        "It rained.\nAll night.",
        "Then it was over, and Anna slept.",
    )
    assert one.book.chapters == ("I. The Wheel", "II. Rain in the Night")
    assert one.book.author == "A. Writer"


def test_a_story_that_begins_under_no_heading_is_whole(tmp_path: Path) -> None:
    opening = "The story had held us, round the fire, sufficiently breathless, but nobody spoke. "
    text = f"THE TURN\n\nby H. J.\n\n\n{opening * 20}\n\n\n\nI\n\nI remember the whole beginning."
    one = made(tmp_path / "turn.txt", text)
    assert told(one) == ((opening * 20).strip(), "I remember the whole beginning.")
    assert [chunk.chapter for chunk in one.book.chunks] == [""]
    assert one.book.chapters == ("I",)


def test_a_book_without_headings_is_whole(tmp_path: Path) -> None:
    lines = [
        f"On day {n} nothing happened at all, and so we waited for the next." for n in range(9)
    ]
    assert told(made(tmp_path / "days.txt", "\n\n".join(lines))) == tuple(lines)


@pytest.mark.parametrize(
    "heading",
    [
        "CHAPTER I.\nTREATS OF THE PLACE WHERE OLIVER TWIST WAS BORN",
        "CHAPTER I.\n\nTREATS OF THE PLACE WHERE OLIVER TWIST WAS BORN AND OF THE CIRCUMSTANCES",
        "CHAPTER I. In Which Phileas Fogg and Passepartout Accept Each Other",
        "Chapter the First",
        "STAVE ONE",
        "BOOK THE FIRST--Recalled to Life\n\n\n\nCHAPTER I.--The Period",
        "PART I\n\n\n1",
        "Prologue",
        "VOLUME I\n\n\n\nLETTER I",
    ],
)
def test_headings_of_many_kinds_are_chapters_and_no_text(tmp_path: Path, heading: str) -> None:
    prose = "It was the best of times, and it was the worst of times, and so on and on."
    one = made(
        tmp_path / "book.txt", f"A BOOK\n\n\n\n{heading}\n\n{prose}\n\n\n\nChapter II\n\n{prose}"
    )
    assert told(one) == (prose, prose)
    assert len(one.book.chapters) == 2


CONTENTS = [
    "CONTENTS\n\nI. The Wheel\nII. The Flood",
    "CONTENTS\n\nI. The Wheel\n\nII. The Flood",
    "CONTENTS\n\n\nI. The Wheel . . . . 3\n\n\nII. The Flood . . . . 27",
    "  I. The Wheel\n II. The Flood",
    "TABLE OF CONTENTS\n\nI\n\nThe Wheel\n\nII\n\nThe Flood",
    "Contents.\n\nPREFACE\n\nCHAPTER I. The Wheel\n\nCHAPTER II. The Flood\n\n\nLIST OF"
    " ILLUSTRATIONS\n\nThe Mill 3\n\nThe Bridge, and Anna on the bridge, as seen from the inn 27",
]
BODIES = ["I.\n\nThe Wheel", "I. THE WHEEL", "CHAPTER I\n\n\nThe Wheel", "CHAPTER I.--THE WHEEL"]


@pytest.mark.parametrize("contents", CONTENTS)
@pytest.mark.parametrize("body", BODIES)
def test_no_entry_of_a_table_of_contents_is_text_or_chapter(
    tmp_path: Path, contents: str, body: str
) -> None:
    prose = "It was the best of times, and it was the worst of times, and so on and on."
    second = body.replace("I", "II", 1).replace("Wheel", "Flood").replace("WHEEL", "FLOOD")
    text = f"THE MILL\n\n{contents}\n\n\n\n{body}\n\n{prose}\n\n\n\n{second}\n\n{prose}"
    one = made(tmp_path / "book.txt", text)
    assert told(one) == (prose, prose)
    assert len(one.book.chapters) == 2
    assert all(" / " not in chapter for chapter in one.book.chapters)
    assert "wheel" in one.book.chapters[0].casefold()


@pytest.mark.parametrize(
    "line",
    [
        "Part of him was glad.",
        "Letter 4 came in the morning.",
        "Book I read last was dull.",
        "I.O.U.",
        "1. Knowledge of Literature.--Nil.",
        "I saw her on the bridge,\nI saw her at the inn.",
        "“NO ADMITTANCE”",
        "Act one was over.",
        "Chapter and verse.",
        "A note from Carl:",
    ],
)
def test_lines_that_look_like_headings_and_are_none_stay(tmp_path: Path, line: str) -> None:
    prose = "It was the best of times, and it was the worst of times, and so on and on."
    text = f"Chapter I\n\n{prose}\n\n{line}\n\n{prose}\n\n\n\nChapter II\n\n{prose}"
    assert told(made(tmp_path / "book.txt", text)) == (
        prose,
        line.replace("\n", " "),
        prose,
        prose,
    )


def test_emphasis_goes_and_blanks_in_names_and_years_stay(tmp_path: Path) -> None:
    prose = "It was the best of times, and it was the worst of times, and so on and on."
    text = (
        "In the year 17__ Mr. ____ of W___ _never_ saw the __great__ _Daily\nMail_.\n\n"
        "_Two paragraphs lean.\n\nBoth of them._"
    )
    assert told(made(tmp_path / "book.txt", f"Chapter I\n\n{prose}\n\n{text}\n\n{prose}")) == (
        prose,
        "In the year 17__ Mr. ____ of W___ never saw the great Daily Mail.",
        "Two paragraphs lean.",
        "Both of them.",
        prose,
    )


@novels
def test_the_year_that_treasure_island_leaves_open_stays_open() -> None:
    first = prepared("treasure-island.txt").book.chunks[0].text
    assert "in the year of grace 17__ and go back" in first


def test_only_a_paragraph_that_fills_a_chunk_is_cut_and_after_a_sentence(tmp_path: Path) -> None:
    sentence = "Mr. Smith went up the hill and came down again before it was dark."
    long = " ".join([sentence] * 12)  # 14 tokens each by the estimate
    short = "He was tired."
    one = made(tmp_path / "book.txt", f"Chapter I\n\n{short}\n\n{long}\n\n{short}", tokens=60)
    texts = [chunk.text for chunk in one.book.chunks]
    assert texts[0] == short
    assert texts[-1].endswith(f"\n\n{short}")
    pieces = [*texts[1:-1], texts[-1].removesuffix(f"\n\n{short}")]
    assert " ".join(pieces) == long
    assert all(piece.endswith("dark.") for piece in pieces)
    assert max(chunk.tokens for chunk in one.book.chunks) <= 60


def test_a_sentence_that_fills_a_chunk_is_cut_between_words(tmp_path: Path) -> None:
    long = " and ".join(["on"] * 300) + "."
    one = made(tmp_path / "book.txt", f"Chapter I\n\nIt went so:\n\n{long}", tokens=50)
    assert " ".join(chunk.text for chunk in one.book.chunks) == f"It went so: {long}"
    assert max(chunk.tokens for chunk in one.book.chunks) <= 50


SUBSETS = (
    '<!ENTITY house "the house">',
    "<!ENTITY a 'x ]> y'> <!ENTITY b \"it's > ]>\">\n",
    "<!-- don't [ ]> \" --><?target isn't ]> ?>%more; <!ATTLIST p lang CDATA #IMPLIED>",
    "",
)


@pytest.mark.parametrize("subset", SUBSETS)
@pytest.mark.parametrize("kind", ["html", 'html PUBLIC "-//W3C//DTD XHTML 1.1//EN"\n"xhtml11.dtd"'])
def test_the_declarations_of_a_document_type_are_no_text(subset: str, kind: str) -> None:
    page = (
        f'<?xml version="1.0"?>\n<!DOCTYPE {kind} [\n{subset}] >\n<html><head><title>T</title>'
        '</head><body><h1>I.</h1><p>He said [so]> to "them".</p></body></html>'
    )
    source = markup_source(page)
    assert source.title == "T"
    assert [block.lines for block in source.blocks] == [("I.",), ('He said [so]> to "them".',)]


@pytest.mark.parametrize("begun", ["<!DOCTYPE html [", "<!DOCTYPE html [ <!-- ", '<!DOCTYPE a [ "'])
def test_a_document_type_that_never_ends_takes_no_text_with_it(begun: str) -> None:
    source = markup_source(f"{begun}\n><html><body><p>One.</p><p>Two.</p></body></html>")
    assert [block.lines for block in source.blocks][-2:] == [("One.",), ("Two.",)]


JUNK = (
    *(b"<![foo", b"<![CDATA[x]]>", b"<!DOCTYPE [", b"<!--", b"<", b"</p>", b'<div class="toc">'),
    *(b"&#xfffffff;", b"\0", b"\r", b"\xff\xfe", b"[1]", b"*", b"CONTENTS\n\n", b"I.\n\n"),
)
MILL = pieces_of(STORY.split("THE MILL\n")[1], re.compile(r"[IVX]+\.|Epilogue"))
SOURCES = (STORY.encode(), web_page("T", "A", MILL).encode(), epub("T", "A", MILL))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@given(
    source=st.sampled_from(SOURCES),
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 300), st.sampled_from(JUNK))),
)
def test_a_damaged_file_is_a_book_or_one_line(
    source: bytes, edits: list[tuple[float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    for place, gone, junk in edits:
        at = int(place * len(source))
        source = source[:at] + junk + source[at + gone :]
    said = ""
    try:
        one = made(tmp_path_factory.mktemp("book") / "book", source, tokens=50)
    except SupersedeError as error:
        said = str(error)
    assert "\n" not in said
    assert said or max(chunk.tokens for chunk in one.book.chunks) <= 50


def zipped(files: dict[str, str]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.epub", SOURCES[2][:-300], "no EPUB"),
        ("a.epub", SOURCES[2][200:], "cannot read .* in the EPUB"),
        ("a.pdf", b"%PDF-1.7 ...", "is no text, web page or EPUB"),
        ("a.txt", b"MZ\x90\0\0\0", "is no text, web page or EPUB"),
        ("a.epub", b"PK\x03\x04 broken", "no EPUB"),
        ("a.docx", zipped({"word/document.xml": "<a/>"}), "is no EPUB: a ZIP file or a document"),
        ("a.txt", b"", "holds no narrative"),
        ("a.html", b"<html><body></body></html>", "holds no narrative"),
        ("a.epub", epub("T", "A", [("p", "One.")], package_at="OPS/nowhere"), "the EPUB lacks"),
        (
            "a.epub",
            epub("T", "A", [("p", "One.")], encrypted="OPS/text/c%200.xhtml"),
            "the text is encrypted",
        ),
    ],
)
def test_what_is_no_book_is_one_clear_line(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    with pytest.raises(SupersedeError, match=said) as refused:
        made(tmp_path / name, data)
    assert str(tmp_path / name) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_books_go_into_a_project_all_or_none(tmp_path: Path) -> None:
    one = made(tmp_path / "mill.txt", STORY)
    assert add_prepared(tmp_path / "project", [one]) == ("the-mill",)
    assert add_prepared(tmp_path / "project", [one]) == ()
    other = made(tmp_path / "other.txt", STORY.replace("Title: The Mill", "Title: Another"))
    changed = made(tmp_path / "mill.txt", STORY.replace("winter", "spring"))
    with pytest.raises(SupersedeError, match="the project has a book 'the-mill'"):
        add_prepared(tmp_path / "project", [other, changed])
    with Project(tmp_path / "project") as project:
        assert [card.id for card in project.books()] == ["the-mill"]
        assert project.book("the-mill") == one.book


SHORT = {
    "one line": "Anna lived in the mill.",
    "short paragraphs": "\n\n".join(f"Anna saw {n} mills." for n in range(40)),
    "a paragraph that does not end": "Anna went to the inn and it rained " * 200,
    "a script without spaces": "\u5f7c\u306f\u5bb6\u306b\u5e30\u3063\u305f\u3002" * 300,
    "another direction": "\n\n".join(
        ["\u0630\u0647\u0628 \u0625\u0644\u0649 \u0627\u0644\u0628\u064a\u062a."] * 9
    ),
}


@pytest.mark.parametrize("story", SHORT.values(), ids=SHORT.keys())
@pytest.mark.parametrize("licensed", [False, True])
def test_what_has_no_long_paragraph_is_told_too(tmp_path: Path, story: str, licensed: bool) -> None:
    start = "*** START OF THE PROJECT GUTENBERG EBOOK THE MILL ***\n\n"
    end = "\n\n*** END OF THE PROJECT GUTENBERG EBOOK THE MILL ***\n\nLicence.\n"
    text = f"{start}{story}{end}" if licensed else story
    found = made(tmp_path / "story.txt", text, tokens=100)
    assert "".join("".join(told(found)).split()) == "".join(story.split())
    assert all(chunk.tokens <= 100 for chunk in found.book.chunks)


LONG = "Then he met Anna, and they walked a long way along the river to the old mill."


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("", ("It was a dark night. Tom went out.",)),
        ("My story\n\n", ("It was a dark night. Tom went out.", "He met nobody.")),
        ("THE NIGHT\n\nby A. Writer\n\n", ("\u201cCome in!\u201d said Tom.", "\u201cNo.\u201d")),
        ("The Night.\n\nA. Writer, Esq.\n\nLondon, 1890.\n\n\n", ("It rained.",)),
        ("First published in 1900.\n\nTo my mother.\n\n", ("By night it rained.",)),
        ("All rights reserved.\n\n", ("\u00c9mile se leva.", "Il pleuvait.")),
        ("The Mill on the Floss.\n\n", ()),
    ],
)
@pytest.mark.parametrize("gap", ["\n\n", "\n\n\n"])
def test_a_short_first_paragraph_that_is_a_sentence_is_told(
    before: str, kept: tuple[str, ...], gap: str, tmp_path: Path
) -> None:
    one = made(tmp_path / "story.txt", before + gap.join((*kept, LONG, "He went home.")))
    assert told(one) == (*kept, LONG, "He went home.")
    front = [piece.text for piece in one.left_out]
    assert " ".join(front).split() == before.split()
    pieces = [("p", text) for text in (*filter(None, before.split("\n\n")), *kept, LONG)]
    assert told(made(tmp_path / "story.html", web_page("", "", pieces))) == (*kept, LONG)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\n\t",
        "CONTENTS\n\n" + "\n".join(f"Chapter {n}  The way" for n in range(1, 9)),
        "\n\n".join(f"CHAPTER {n}" for n in range(1, 9)),
        "*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK X ***",
    ],
)
def test_what_tells_nothing_is_no_book(tmp_path: Path, text: str) -> None:
    with pytest.raises(SupersedeError, match="holds no narrative"):
        made(tmp_path / "book.txt", text)


def test_control_signs_are_no_text(tmp_path: Path) -> None:
    story = "Anna went\x07 to the\x1b mill, and there she saw\x0bthat it was empty."
    page = f"<html><body><p>{story}</p></body></html>"
    late = f"{'Long ago. ' * 20_000}\n\n{story}\0"
    for name, text in (("a.txt", story), ("b.html", page), ("c.txt", late)):
        found = "\n".join(told(made(tmp_path / name, text)))
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", found)
        assert found.endswith("Anna went to the mill, and there she saw that it was empty.")


def test_a_word_longer_than_a_chunk_is_cut(tmp_path: Path) -> None:
    woman = "\U0001f469\u200d\U0001f467e\u0301"
    word = "ab" * 2_000 + woman * 500
    found = made(
        tmp_path / "b.txt", f"Anna said to the miller who lived there {word} and left.", 60
    )
    assert all(chunk.tokens <= 60 for chunk in found.book.chunks)
    assert "".join(chunk.text for chunk in found.book.chunks).count(woman) == 500


def test_a_file_without_a_name_still_makes_a_book_with_a_title(tmp_path: Path) -> None:
    assert made(tmp_path / "-.txt", "Anna lived in the mill.").book.title == "book"


def test_a_book_on_one_line_is_measured_a_few_times_for_each_chunk(tmp_path: Path) -> None:
    """Counted in signs measured, not in seconds; sentence by sentence it would be 113 times."""

    class Counting(Estimate):
        signs = 0

        def count(self, text: str) -> int:
            Counting.signs += len(text)
            return super().count(text)

    text = "Anna went to the inn and it rained. " * 5_000
    path = tmp_path / "line.txt"
    path.write_text(text, encoding="utf-8")
    found = prepare(path, Counting())
    assert " ".join(chunk.text for chunk in found.book.chunks) == text.strip()
    assert Counting.signs < 30 * len(text)

"""Books as people have them, made for tests: plain text, web page and EPUB of one story."""

from __future__ import annotations

import re
import zipfile
from html import escape
from io import BytesIO

STORY = """\
\ufeffThe Project Gutenberg EBook of The Mill, by A. Writer

This eBook is for the use of anyone anywhere at no cost.

Title: The Mill

Author: A. Writer

*** START OF THIS PROJECT GUTENBERG EBOOK THE MILL ***




Produced by Somebody and the Online Distributed Proofreading Team




THE MILL

A Story


by A. Writer




To my mother, who read all of this before anybody else did, and liked it.



Contents


 Preface
 I. The Wheel
 II. Rain in the Night
 Epilogue
 Notes



PREFACE

I wrote this in the winter, and it is not a true story at all, whatever they say.

A. W.



I.

The Wheel

Anna lived in the mill by the river, and nobody knew how long she had lived there.[1]

[Illustration: The mill]

She used to sing a song that went like this:

  The wheel goes round,
    The wheel goes round,
  And I am bound,
    And I am bound.

“Have you heard,” said Bert, “that the _wheel_ has stopped [Footnote: It had been
stopping for years.] for good and all?”

*       *       *       *       *

She had not. The letter lay on the table, and it said:

     My dear Anna--I am to be found at the inn from this day
     on, and shall be glad to see you.
     Yours,
     Carl

[1] Some say for ten years.



II.

Rain in the Night

1. was the number on the door of the room, and Anna laughed at it because it was the only
room that there was.

It rained. THE SIGN SAID:

BEWARE OF THE DOG

“Chapter two of my life,” said Anna, and then she went out into the rain that night.*

*It rained until the morning.



Epilogue

Anna went back to the mill, and the wheel went round and round until the end of time.


THE END



NOTES

The mill is a real one.

End of Project Gutenberg's The Mill, by A. Writer

*** END OF THIS PROJECT GUTENBERG EBOOK THE MILL ***

Updated editions will replace the previous one.
"""
"""Everything that there is to leave out, and everything that looks so and must stay."""

TOLD = (
    "Anna lived in the mill by the river, and nobody knew how long she had lived there.",
    "She used to sing a song that went like this:",
    "The wheel goes round,\nThe wheel goes round,\nAnd I am bound,\nAnd I am bound.",
    "“Have you heard,” said Bert, “that the wheel has stopped for good and all?”",
    "She had not. The letter lay on the table, and it said:",
    "My dear Anna--I am to be found at the inn from this day on, and shall be glad to see you."
    "\nYours,\nCarl",
    "1. was the number on the door of the room, and Anna laughed at it because it was the only room"
    " that there was.",
    "It rained. THE SIGN SAID:",
    "BEWARE OF THE DOG",
    "“Chapter two of my life,” said Anna, and then she went out into the rain that night.",
    "Anna went back to the mill, and the wheel went round and round until the end of time.",
)
"""Its narrative, by hand."""

_PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><title>The Project Gutenberg eBook of {title}, by {author}</title>
<style>p {{ margin: 0 }}</style></head>
<body>{body}</body></html>
"""


def _paragraph(block: str) -> str:
    text = re.sub(r"(?<!\w)_([^_]+)_(?!\w)", r"<i>\1</i>", escape(block, quote=False))
    return f"<p>{' '.join(text.split())}</p>"


def web_page(title: str, author: str, pieces: list[tuple[str, str]]) -> str:
    """A web page.

    Args:
        title: Of the book.
        author: Of the book.
        pieces: Each a kind and a text: `h2` for headings, `p` for paragraphs of prose, `verse` for
            lines, `raw` for markup.
    """
    entries = [text for kind, text in pieces if kind == "h2"]
    rows = [f'<li><a href="#c{n}">{escape(text)}</a></li>' for n, text in enumerate(entries)]
    body = [
        '<section id="pg-header"><p>*** START OF THE PROJECT GUTENBERG EBOOK ***</p></section>',
        f"<h1>{escape(title)}</h1>",
        f"<h2>by {escape(author)}</h2>",
        "<h2>Contents</h2>",
        f"<ul>{''.join(rows)}</ul>",
        *_elements(pieces),
        '<section id="pg-footer"><p>*** END OF THE PROJECT GUTENBERG EBOOK ***</p>'
        "<p>You may copy it.</p></section>",
    ]
    return _PAGE.format(title=escape(title), author=escape(author), body="\n".join(body))


def _elements(pieces: list[tuple[str, str]]) -> list[str]:
    found = []
    number = 0
    for kind, text in pieces:
        if kind == "h2":
            lines = "<br/>".join(map(escape, text.split("\n")))
            found.append(f'<h2 id="c{number}">{lines}</h2>')
            number += 1
        elif kind == "p":
            found.append(_paragraph(text))
        elif kind == "verse":
            lines = "<br/>\n".join(escape(line) for line in text.split("\n"))
            found.append(f'<p class="poem">{lines}</p>')
        else:
            found.append(text)
    return found


def epub(
    title: str,
    author: str,
    pieces: list[tuple[str, str]],
    *,
    package_at: str = "OPS/package.opf",
    encrypted: str = "",
) -> bytes:
    """An EPUB with a cover, a title page, a table of contents, and a document for each heading.

    Args:
        title: Of the book.
        author: Of the book.
        pieces: As for `web_page`.
        package_at: Where it says that its package is.
        encrypted: A path that it says is encrypted.
    """
    documents: dict[str, str] = {
        "cover.xhtml": '<div epub:type="cover"><img src="c.png" alt="Cover"/></div>',
        "title.xhtml": f'<section epub:type="titlepage"><h1>{escape(title)}</h1>'
        f"<p>By {escape(author)}, who has written a good many other books as well.</p></section>",
        "nav.xhtml": '<nav epub:type="toc"><h1>Contents</h1><ol><li>One</li></ol></nav>',
    }
    chapters: list[list[tuple[str, str]]] = []
    for piece in pieces:
        if piece[0] == "h2" or not chapters:
            chapters.append([])
        chapters[-1].append(piece)
    for number, chapter in enumerate(chapters):
        documents[f"text/c {number}.xhtml"] = "\n".join(_elements(chapter))
    manifest, spine = [], []
    for number, path in enumerate(documents):
        extra = ' properties="nav"' if path == "nav.xhtml" else ""
        href = path.replace(" ", "%20")
        kind = 'media-type="application/xhtml+xml"'
        manifest.append(f'<item id="i{number}" href="{href}" {kind}{extra}/>')
        spine.append(f'<itemref idref="i{number}"/>')
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator></metadata>"
        f"<manifest>{''.join(manifest)}</manifest><spine>{''.join(spine)}</spine></package>"
    )
    container = (
        '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        f'<rootfiles><rootfile full-path="{package_at}"/></rootfiles></container>'
    )
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("OPS/package.opf", package)
        if encrypted:
            archive.writestr(
                "META-INF/encryption.xml",
                '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:CipherReference '
                f'URI="{encrypted}"/></encryption>',
            )
        for path, body in documents.items():
            page = f'<?xml version="1.0" encoding="utf-8"?>\n<html><body>{body}</body></html>'
            archive.writestr(f"OPS/{path}", page)
    return file.getvalue()


def pieces_of(text: str, is_heading: re.Pattern[str]) -> list[tuple[str, str]]:
    """The pieces of a plain text that has nothing but headings, prose and indented verse."""
    found = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        plain = " ".join(block.split())
        if is_heading.fullmatch(plain):
            found.append(("h2", plain))
        elif len(lines) > 1 and all(line.startswith("  ") for line in lines):
            found.append(("verse", "\n".join(" ".join(line.split()) for line in lines)))
        else:
            found.append(("p", block))
    return found

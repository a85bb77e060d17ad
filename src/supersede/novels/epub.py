"""EPUB files: their documents in reading order, without a library."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from supersede.errors import DataError
from supersede.novels.blocks import CONTENTS, Block, Source
from supersede.novels.markup import markup_source
from supersede.streams.prose import decoded

__all__ = ["epub_source"]

_LARGEST = 64 * 2**20
"""Bytes of the largest document of an EPUB that is read; a novel has some hundred thousand."""
_APART = 4
"""Empty lines that the beginning of a document stands for."""
_GUIDE = {
    "toc": CONTENTS,
    "loi": CONTENTS,
    "cover": "outside of the narrative",
    "title-page": "outside of the narrative",
    "copyright-page": "outside of the narrative",
    "colophon": "outside of the narrative",
    "dedication": "outside of the narrative",
    "notes": "note",
}
_DAMAGED = (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, struct.error, zlib.error)
"""What zipfile raises for archives that are cut short, changed or of unknown kinds."""
_ENCRYPTED = "{http://www.w3.org/2001/04/xmlenc#}CipherReference"


def epub_source(data: bytes, where: str) -> Source:
    """An EPUB as a source.

    Args:
        data: The file.
        where: Its name, for messages.

    Raises:
        DataError: It is damaged, encrypted, or no EPUB.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except _DAMAGED as error:
        raise DataError(f"no EPUB: {error}", where=where, mend="Fetch it again.") from None
    with archive:
        return _Reader(archive, where).source()


class _Reader:
    def __init__(self, archive: zipfile.ZipFile, where: str) -> None:
        self._archive = archive
        self._where = where
        self._names = set(archive.namelist())

    def source(self) -> Source:
        """All documents in reading order."""
        if "META-INF/container.xml" not in self._names:
            raise DataError(
                "is no EPUB: a ZIP file or a document of another program",
                where=self._where,
                mend="Save the text as .txt, .html or .epub.",
            )
        container = self._xml("META-INF/container.xml")
        paths = [one.get("full-path", "") for one in container.iter() if _name(one) == "rootfile"]
        if not paths:
            raise DataError("the EPUB names no package", where=self._where)
        package = self._xml(paths[0])
        folder = PurePosixPath(paths[0]).parent
        title, author = (_field(package, name) for name in ("title", "creator"))
        blocks: list[Block] = []
        encrypted = self._encrypted()
        for path, why in self._documents(package, folder):
            if path in encrypted:
                raise DataError(
                    "the text is encrypted", where=self._where, mend="Take a copy without DRM."
                )
            found = markup_source(decoded(self._read(path))).blocks
            blocks += [replace(found[0], gap=_APART)] if found else []
            blocks += found[1:]
            if why:
                blocks[len(blocks) - len(found) :] = [
                    replace(block, out=block.out or why) for block in found
                ]
        return Source(title, author, tuple(blocks))

    def _documents(self, package: Element, folder: PurePosixPath) -> Iterator[tuple[str, str]]:
        """Paths in reading order, each with why all of it is no narrative."""
        items = {one.get("id", ""): one for one in package.iter() if _name(one) == "item"}
        guide = {
            _path(folder, one.get("href", "")): _GUIDE.get(one.get("type", "").casefold(), "")
            for one in package.iter()
            if _name(one) == "reference" and "#" not in one.get("href", "")
        }
        for one in package.iter():
            if _name(one) != "itemref" or one.get("linear") == "no":
                continue
            item = items.get(one.get("idref", ""))
            if item is None or "html" not in item.get("media-type", ""):
                continue
            path = _path(folder, item.get("href", ""))
            is_nav = "nav" in item.get("properties", "").split()
            yield path, CONTENTS if is_nav else guide.get(path, "")

    def _encrypted(self) -> set[str]:
        if "META-INF/encryption.xml" not in self._names:
            return set()
        found = self._xml("META-INF/encryption.xml").iter(_ENCRYPTED)
        return {normpath(unquote(one.get("URI", ""))) for one in found}

    def _read(self, path: str) -> bytes:
        if path not in self._names:
            raise DataError(f"the EPUB lacks {path!r}", where=self._where, mend="Fetch it again.")
        if self._archive.getinfo(path).file_size > _LARGEST:
            raise DataError(f"{path!r} in the EPUB is no text of a book", where=self._where)
        try:
            return self._archive.read(path)
        except (RuntimeError, *_DAMAGED) as error:  # the first for a password
            raise DataError(
                f"cannot read {path!r} in the EPUB: {error}",
                where=self._where,
                mend="Fetch it again, or take a copy without DRM.",
            ) from None

    def _xml(self, path: str) -> Element:
        try:
            return ElementTree.fromstring(self._read(path))
        except ElementTree.ParseError as error:
            raise DataError(f"{path!r} in the EPUB is broken: {error}", where=self._where) from None


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _field(package: Element, name: str) -> str:
    for one in package.iter():
        if _name(one) == name and (one.text or "").strip():
            return " ".join((one.text or "").split())
    return ""


def _path(folder: PurePosixPath, href: str) -> str:
    return normpath(str(folder / unquote(href.partition("#")[0])))

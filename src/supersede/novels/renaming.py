"""Other names for the people and places of a text, the same everywhere in it.

A novel that a model knows by heart can be told from one that it reads: with other names, what is
remembered no longer fits (X-020). Names are replaced as whole words, the longest first, in
chunks, questions, options and evidence alike; titles (`Mr.`, `Lady`), possessives, plurals of
families and capitals stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from supersede.errors import DataError, UsageError, did_you_mean
from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.novels.book import digest

__all__ = ["TITLES", "Renaming", "renamed_stream", "texts_of"]

TITLES = frozenset(
    re.findall(
        r"\w+",
        """
        mr mrs miss misses ms messrs master mistress madam madame mme monsieur m mademoiselle mlle
        sir dame lady lord dr doctor prof professor rev reverend father mother brother sister aunt
        uncle cousin captain capt colonel col major general gen lieutenant lieut sergeant sgt
        corporal inspector constable officer judge squire count countess baron baroness duke duchess
        earl marquis prince princess king queen emperor empress st saint herr frau fraulein don dona
        signor signora senor senora
        """,
    )
)
"""Words before a name that are kept, in small letters."""

_WORD = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"\w+")


@dataclass(frozen=True)
class Renaming:
    """A map of names, checked against the texts that it is for.

    Raises:
        UsageError: A name is empty, a title alone, or goes where another goes.
    """

    names: Mapping[str, str]
    """Old name -> new name. A name is one or more words."""

    def __post_init__(self) -> None:
        for old, new in self.names.items():
            _check_name(old, "an old name")
            _check_name(new, "a new name")
            if all(part.casefold() in TITLES for part in _PARTS.findall(old)):
                raise UsageError(f"{old!r} is a title, which stays", mend="Name a person or place.")
        taken: dict[str, str] = {}
        for old, new in self.names.items():
            other = taken.setdefault(_bare(new), old)
            if _bare(other) != _bare(old):
                raise UsageError(
                    f"{other!r} and {old!r} would both be {new!r}",
                    mend="Give each another name, or nobody could tell them apart.",
                )

    def check(self, texts: Iterable[str]) -> None:
        """Makes sure that the map fits some texts.

        Raises:
            UsageError: A name stands nowhere in them; or it is also a common word of theirs, which
                would be renamed too; or a new name is a word of theirs already.
        """
        words: Counter[str] = Counter()
        whole: list[str] = []
        for text in texts:
            whole.append(text)
            words.update(_WORD.findall(text))
        folded = {word.casefold() for word in words}
        everything = "\n".join(whole)
        for old, new in self.names.items():
            if not re.search(_pattern([old]), everything):
                near = did_you_mean(old, filter(str.istitle, words))
                mend = near if near.startswith("Did") else "Write it as the text does."
                raise UsageError(f"{old!r} stands nowhere in the text", mend=mend)
            common = words[old.casefold()]
            if old.isalpha() and common > words[old]:
                raise UsageError(
                    f"{old!r} is a common word of the text: {common} times without a capital",
                    mend=f"Write it with what stands before or after it, as in 'Mrs. {old}'.",
                )
            kept = {part.casefold() for part in _WORD.findall(old)}
            for part in _WORD.findall(new):
                if part.casefold() in folded and part.casefold() not in kept:
                    raise UsageError(
                        f"the new name {new!r} collides with the word {part!r} of the text",
                        mend="Choose one that does not stand in it.",
                    )

    def __call__(self, text: str) -> str:
        """A text with the new names."""
        return self._search.sub(self._new, text)

    @property
    def changed(self) -> tuple[str, ...]:
        """The old names that become others. One that maps to itself only keeps its place."""
        return tuple(old for old, new in self.names.items() if _spaced(old) != _spaced(new))

    def count(self, text: str) -> Counter[str]:
        """How often each old name stands in a text and becomes another one there."""
        return Counter(
            _spaced(found[0])
            for found in self._search.finditer(text)
            if self._new(found) != found[0]
        )

    def _new(self, found: re.Match[str]) -> str:
        """What stands in place of a name; one that stays keeps its line breaks too."""
        new = self._all[_spaced(found[0])]
        return found[0] if _spaced(new) == _spaced(found[0]) else new

    @cached_property
    def _all(self) -> dict[str, str]:
        """The map with plurals of single names and with names in capitals."""
        found = {_spaced(old): new for old, new in self.names.items()}
        for old, new in self.names.items():
            if old.isalpha():
                plural = new + ("es" if new.endswith("s") else "s")
                for ending in ("s", "es"):
                    found.setdefault(old + ending, old + ending if old == new else plural)
        for old, new in list(found.items()):
            found.setdefault(old.upper(), new.upper())
        return found

    @cached_property
    def _search(self) -> re.Pattern[str]:
        return _pattern(self._all)


def renamed_stream(stream: Stream, renaming: Renaming) -> Stream:
    """A stream with the new names in its chunks, facts, questions, answers, options and evidence.

    Raises:
        DataError: A piece of evidence no longer stands in its chunk, because it begins or ends
            inside of a name.
    """
    chunks = tuple(map(renaming, stream.chunks))

    def piece(evidence: Evidence) -> Evidence:
        new = renaming(evidence.text)
        stood = evidence.text in stream.chunks[evidence.chunk]
        if stood and new not in chunks[evidence.chunk]:
            raise DataError(
                f"evidence {evidence.text!r} begins or ends inside of a name",
                where=f"stream {stream.id}, chunk {evidence.chunk}",
                mend="Mark whole sentences.",
            )
        return Evidence(evidence.chunk, new)

    def question(asked: StreamQuestion) -> StreamQuestion:
        return replace(
            asked,
            text=renaming(asked.text),
            answers=tuple(tuple(map(renaming, accepted)) for accepted in asked.answers),
            evidence=tuple(e and piece(e) for e in asked.evidence),
            options=tuple(map(renaming, asked.options)),
            sources=tuple(tuple(map(piece, found)) for found in asked.sources),
        )

    meta = dict(stream.meta)
    system = meta.get("system")
    if isinstance(system, str):
        meta["system"] = renaming(system)
    if renaming.changed:
        names = sorted(renaming.names.items())
        meta["renamed"] = digest("\n".join(f"{old}\t{new}" for old, new in names))[:12]
    return replace(
        stream,
        chunks=chunks,
        questions=tuple(map(question, stream.questions)),
        facts=tuple(map(piece, stream.facts)),
        meta=meta,
    )


def texts_of(streams: Iterable[Stream]) -> Iterable[str]:
    """All texts of streams in which names may stand."""
    for stream in streams:
        yield from stream.chunks
        for question in stream.questions:
            yield question.text
            yield from question.options
            yield from dict.fromkeys(text for accepted in question.answers for text in accepted)


def _check_name(name: str, what: str) -> None:
    if not _WORD.search(name) or name != name.strip():
        raise UsageError(f"{name!r} is {what} without a letter, or with spaces around it")
    if not name.isprintable():
        raise UsageError(f"{name!r} is {what} with signs that one cannot see")


def _bare(name: str) -> str:
    """A name without titles."""
    parts = [part.casefold() for part in _PARTS.findall(name)]
    return " ".join(part for part in parts if part not in TITLES) or " ".join(parts)


def _spaced(name: str) -> str:
    return " ".join(name.split())


def _pattern(names: Collection[str]) -> re.Pattern[str]:
    """Finds any of some names as whole words, the longest first."""
    ordered = sorted(map(_spaced, names), key=lambda name: (-len(name), name))
    spelled = ["".join(r"\s+" if c == " " else re.escape(c) for c in name) for name in ordered]
    return re.compile(rf"(?<!\w)(?:{'|'.join(spelled) or '(?!)'})(?!\w)")

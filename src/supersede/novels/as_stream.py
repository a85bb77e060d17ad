"""Annotated books as streams: what `supersede eval stream` asks, and the official form holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from supersede.errors import DataError
from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.novels.annotations import BookAnnotations, Option, OptionRole, Question, Timeline
from supersede.novels.answers import offered, settled, shuffled
from supersede.novels.book import digest
from supersede.novels.importing import AnswerFile, Quote, Said
from supersede.streams.oaks import CATCH_ALLS, CHOICE, is_catch_all
from supersede.streams.serialize import shared

__all__ = ["Unfit", "book_stream", "chunks_digest", "split_questions", "stream_answers"]


class Unfit(DataError):
    """Questions that no stream can hold as they are."""

    questions: tuple[str, ...] = ()
    """Their ids."""


def book_stream(
    said: BookAnnotations, *, annotator: str = "", seed: int = 0, leave_out: bool = False
) -> tuple[Stream, tuple[str, ...]]:
    """A book as a stream, and why each question that was left out is.

    Dropped questions are not in it. Options are in the order of their letters, drawn anew for each
    seed and the same at all intervals (O-097); the catch-all reads as in the official form.

    Args:
        said: The book.
        annotator: Whose answers; what counts as the answer where left out.
        seed: Of the order of the options, kept in the stream's meta.
        leave_out: Whether to leave out what cannot be held, instead of refusing.

    Raises:
        Unfit: A question has no answer at some chunk, no catch-all, or options that read the same;
            or no question is left.
    """
    made: list[StreamQuestion] = []
    wrong: list[str] = []
    names: list[str] = []
    texts: set[str] = set()
    for question in said.questions:
        if question.dropped:
            continue
        why = "another question reads the same" if question.text in texts else ""
        line = settled(said, question, annotator)
        why = why or _unfit(question, line, annotator, said)
        if why or line is None:
            wrong.append(f"{said.book}, {question.id}: {why}")
            names.append(question.id)
            continue
        texts.add(question.text)
        made.append(_question(said, question, line, annotator, seed))
    if (wrong and not leave_out) or not made:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        error = Unfit(
            wrong[0].partition(": ")[2] + more if wrong else "no question is in",
            where=wrong[0].partition(": ")[0] if wrong else said.book,
            mend="See `supersede novel check`; --leave-out exports the others."
            if made
            else "See `supersede novel check`."
            if wrong
            else "Write some in `supersede annotate`, or by novel attach or draft.",
        )
        error.questions = tuple(names)
        raise error
    meta: dict[str, str | int | float] = {
        "title": said.title,
        "answers": annotator or "decided",
        "option_seed": seed,
        "chunks_sha256": chunks_digest(said.chunks),
    }
    return Stream(said.book, said.chunks, tuple(made), "novel", (), meta), tuple(wrong)


def chunks_digest(chunks: Sequence[str]) -> str:
    """One hash for all the chunks of a book, so that a text that drifted is found."""
    return digest("".join(digest(text) for text in chunks))


def _unfit(question: Question, line: Timeline | None, annotator: str, said: BookAnnotations) -> str:
    """Why a question cannot be in a stream; empty where it can."""
    if line is None:
        several = not annotator and len(said.of(question.id)) > 1
        return "annotators differ, and nobody has decided" if several else "nobody has answered it"
    if None in line.answers:
        return f"there is no answer at chunk {line.answers.index(None)}"
    options = offered(question, line, annotator)
    texts = [_text(option) for option in options]
    if sum(option.role is OptionRole.CATCH_ALL for option in options) != 1:
        return "there is not one catch-all"
    if sum(map(is_catch_all, texts)) != 1:
        return "an option reads like the catch-all and is none"
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        return f"two options read {twice!r}"
    return ""


def _question(
    said: BookAnnotations, question: Question, line: Timeline, annotator: str, seed: int
) -> StreamQuestion:
    options = shuffled(offered(question, line, annotator), seed, said.book, question.id)
    text = {option.id: _text(option) for option in options}
    answers = shared((text[option],) for option in line.answers if option is not None)
    sources = _sources(line, options)
    places = {option.id: n for n, option in enumerate(options)}
    catch_all = next(n for n, o in enumerate(options) if o.role is OptionRole.CATCH_ALL)
    told = any(sources)
    return StreamQuestion(
        question.id,
        question.text,
        question.type or CHOICE,
        answers,
        tuple(_evidence(line, sources, places)) if told else (),
        tuple(map(_text, options)),
        catch_all,
        sources if told else (),
    )


def _text(option: Option) -> str:
    """How an option reads in a stream, where a catch-all has a fixed wording."""
    if option.role is OptionRole.CATCH_ALL and not is_catch_all(option.text):
        return CATCH_ALLS[0]
    return option.text


def _sources(line: Timeline, options: Sequence[Option]) -> tuple[tuple[Evidence, ...], ...]:
    """The passages of each option, in order of their chunks."""
    found: dict[str, dict[Evidence, None]] = {option.id: {} for option in options}
    for cell in line.cells:
        for span in cell.evidence:
            if cell.option is not None:
                found[cell.option][Evidence(span.chunk, span.quote)] = None
    return tuple(tuple(sorted(found[o.id], key=lambda piece: piece.chunk)) for o in options)


def _evidence(
    line: Timeline, sources: Sequence[Sequence[Evidence]], places: dict[str, int]
) -> Iterator[Evidence | None]:
    """At each interval the last passage so far for what is right: as the official form is read."""
    for interval, option in enumerate(line.answers):
        pieces = sources[places[option or ""]]
        yield next((piece for piece in reversed(pieces) if piece.chunk <= interval), None)


def split_questions(stream: Stream, most: int) -> Iterator[Stream]:
    """A stream as several, each with all chunks and at most some of the questions.

    A stream is evaluated as one sample; one of a long book with many questions is a long sample.
    The parts are named `ID.1`, `ID.2` and so on, and their meta names the `book`.

    Args:
        stream: What to split; one with few enough questions stays as it is.
        most: Most questions of a part.
    """
    if len(stream.questions) <= most:
        yield stream
        return
    parts = -(-len(stream.questions) // most)
    size = -(-len(stream.questions) // parts)
    for part in range(parts):
        yield replace(
            stream,
            id=f"{stream.id}.{part + 1}",
            questions=stream.questions[part * size : (part + 1) * size],
            meta={**stream.meta, "book": stream.id},
        )


def stream_answers(streams: Sequence[Stream], where: str) -> tuple[AnswerFile, ...]:
    """What streams say about books, to be imported: the answer at each interval, and its sources.

    A source counts at the chunk that it stands in, where its option is the answer.

    Args:
        streams: Those of a file; of a book that was split, all parts or some.
        where: The file, for messages.
    """
    found: dict[str, tuple[list[Said], list[str], dict[int, str]]] = {}
    for stream in streams:
        said, questions, hashes = found.setdefault(
            str(stream.meta.get("book", stream.id)), ([], [], {})
        )
        hashes.update(enumerate(map(digest, stream.chunks)))
        for question in stream.questions:
            questions.append(question.id)
            sources = dict(zip(question.options, question.sources, strict=False))
            for chunk, accepted in enumerate(question.answers):
                told = [e.text for e in sources.get(accepted[0], ()) if e.chunk == chunk]
                quotes = tuple(map(Quote, told))
                said.append(Said(question.id, chunk, accepted[0], quotes, where=where))
    return tuple(
        AnswerFile(book, tuple(said), tuple(questions), hashes)
        for book, (said, questions, hashes) in found.items()
    )

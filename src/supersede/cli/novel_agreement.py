"""`supersede novel agreement`: how far annotators agree, and what their errors do."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isnan
from pathlib import Path
from textwrap import wrap

import click

from supersede.cli.groups import examples
from supersede.cli.novel_books import chosen, watched
from supersede.corpus.files import write_whole
from supersede.corpus.show import counted
from supersede.errors import DataError, UsageError
from supersede.evaluation.tables import text_table
from supersede.metrics.bootstrap import RESAMPLES
from supersede.model.stream import Trace
from supersede.novels.agreement import (
    WITHIN,
    Agreement,
    Measure,
    agreement,
    agreement_data,
)
from supersede.novels.agreement_page import (
    ANSWERS,
    EVIDENCE,
    SCORES,
    SCORES_NOTE,
    Shown,
    page,
)
from supersede.novels.annotations import BookAnnotations
from supersede.novels.as_stream import Unfit, book_stream
from supersede.novels.discussion import (
    Ambiguity,
    Retention,
    ambiguity,
    discussion_data,
    retention,
)
from supersede.novels.noise import MEASURES, READERS, Noise, noise, reader_traces
from supersede.novels.project import Project
from supersede.streams.files import check_output, load_streams
from supersede.streams.scoring import score_file

__all__ = ["agreement_command"]

_REPEATS, _FEWEST_REPEATS, _DRAWN = 100, 10, 5_000
"""How often noise is drawn: fewer times where many questions make each mean steadier."""
_MANY = 5
"""Books that take long enough for a progress bar."""
_WORST = 5
"""Questions that the table of ambiguity lists."""
_WIDTH = 100
"""Of a note under a table."""


@click.command(
    "agreement",
    epilog=examples(
        "supersede novel agreement project",
        "supersede novel agreement project -o agreement.html --noise 3",
        "supersede novel agreement project --json | jq .measures",
    ),
)
@click.argument("project", type=click.Path(file_okay=False, path_type=Path))
@click.option("--book", metavar="ID", help="Only this book.")
@click.option(
    "--within",
    type=click.IntRange(min=0),
    default=max(WITHIN),
    show_default=True,
    help="Most chunks that change points may be apart, to be the same.",
)
@click.option(
    "--noise",
    "distance",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Most chunks that change points are moved by, to see what it does; 0 for not at all.",
)
@click.option(
    "--predictions",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    metavar="FILE",
    help="Predictions of a model, whose scores the noise is tried on too; with --stream.",
)
@click.option(
    "--stream",
    "stream_file",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    metavar="FILE",
    help="The streams that the predictions answer.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=RESAMPLES,
    show_default=True,
    help="How often books are drawn again for intervals.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PAGE",
    help="Also write a page that shows every question's answers side by side.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def agreement_command(
    project: Path,
    book: str | None,
    within: int,
    distance: int,
    predictions: Path | None,
    stream_file: Path | None,
    resamples: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Measure how far annotators agree.

    Krippendorff's alpha, Cohen's and Fleiss' kappa over all chunks and over those where somebody
    changes the answer; change points matched within some chunks; evidence by words; what needs
    discussion, by question, type, book and annotator; what was dropped and why; and what moved
    change points do to AL, DS and PM. Rulings of adjudication are no part of agreement.
    """
    if (predictions is None) != (stream_file is None):
        raise UsageError("--predictions and --stream go together")
    if output is not None:
        check_output(output)
    with Project(project) as opened:
        books = chosen(opened, book)
        said = [opened.annotations(name) for name in watched(books, "reading", least=_MANY)]
    found = agreement(said, within=range(within + 1), resamples=resamples)
    if not found.questions:
        raise DataError(
            "no question has answers of two annotators",
            where=str(project),
            mend="Assign a book to two people; what one of them says is not compared.",
        )
    shaken = tuple(_shaken(said, distance, predictions, stream_file)) if distance else ()
    shown = Shown(said, found, ambiguity(said), retention(said), shaken)
    if output is not None:
        write_whole(output, [page(shown).encode()])
    if as_json:
        print(json.dumps(_data(shown), indent=2, ensure_ascii=False))
        return
    print("\n\n".join(_blocks(shown, distance)))
    if output is not None:
        print(f"\n{output}: the page")


def _shaken(
    said: Sequence[BookAnnotations],
    distance: int,
    predictions: Path | None,
    stream_file: Path | None,
) -> Iterator[Noise]:
    """The noise, tried on models whose scores are known and on the one whose answers are given."""
    streams = []
    for one in said:
        try:
            streams.append(book_stream(one, leave_out=True)[0])
        except Unfit:
            continue  # nothing of the book is decided yet
    runs: list[tuple[str, tuple[Trace, ...]]] = []
    if streams:
        runs += [(reader, reader_traces(streams, reader)) for reader in READERS]
    if predictions is not None and stream_file is not None:
        scored = score_file(load_streams(stream_file), predictions)
        runs.append((predictions.name, scored.traces))
    for name, traces in runs:
        if traces:
            repeats = min(_REPEATS, max(_FEWEST_REPEATS, _DRAWN // len(traces)))
            yield from noise(name, traces, range(distance + 1), repeats=repeats)


def _data(shown: Shown) -> dict[str, object]:
    return {
        **agreement_data(shown.agreement),
        **discussion_data(shown.ambiguity, shown.retention),
        "noise": [
            {key: _plain(value) for key, value in asdict(row).items()} for row in shown.noise
        ],
    }


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return None if isinstance(value, float) and isnan(value) else value


def _blocks(shown: Shown, distance: int) -> Iterator[str]:
    found = shown.agreement
    yield (
        f"{counted(found.questions, 'question')} of {counted(found.books, 'book')}, answered apart "
        f"by {', '.join(found.annotators)}"
    )
    yield _answers(found)
    yield _changes(found)
    yield text_table(
        ["evidence, where two marked something", "value", "95 %", "passages"],
        [
            [name, _value(one.value), _ends(one), f"{one.units:,}"]
            for key, name in EVIDENCE.items()
            for one in [found.measures[key]]
        ],
    )
    yield _pairs(found)
    yield _ambiguity(shown.ambiguity)
    yield _retention(shown.retention)
    if shown.noise:
        yield _noise(shown.noise)
    elif distance:
        yield "No answer counts yet, so that there are no change points to move: adjudicate first."


def _answers(found: Agreement) -> str:
    rows = []
    for key, name in ANSWERS.items():
        every, changes = found.measures[key], found.measures[f"{key}_at_changes"]
        rows.append(
            [name, _value(every.value), _ends(every), _value(changes.value), _ends(changes)]
        )
    units = [found.measures[name].units for name in ("alpha", "alpha_at_changes")]
    rows.append(["chunks of questions", f"{units[0]:,}", "", f"{units[1]:,}", ""])
    notes = "at changes: where one of the annotators changes the answer; 95 %: books drawn again"
    if found.books < 2:
        notes += "\nOnly one book: no interval."
    header = ["answers", "all chunks", "95 %", "at changes", "95 %"]
    return f"{text_table(header, rows)}\n{notes}"


def _changes(found: Agreement) -> str:
    rows = []
    for k in found.within:
        any_, same = found.measures[f"changes_{k}"], found.measures[f"changes_{k}_same"]
        rows.append(
            [
                f"at most {counted(k, 'chunk')} apart",
                _value(any_.value),
                _ends(any_),
                _value(same.value),
                _ends(same),
            ]
        )
    return text_table(["F1 of change points", "any answer", "95 %", "same answer", "95 %"], rows)


def _pairs(found: Agreement) -> str:
    widest = max(found.within)
    return text_table(
        [
            "pair",
            "chunks",
            "same",
            "kappa",
            "at changes",
            "changes",
            f"found within {widest}",
            "later",
        ],
        [
            [
                f"{pair.first}, {pair.second}",
                f"{pair.units:,}",
                _value(pair.same),
                _value(pair.kappa),
                _value(pair.kappa_at_changes),
                f"{pair.changes[0]:,}, {pair.changes[1]:,}",
                f"{_value(pair.recall[widest])}, {_value(pair.precision[widest])}",
                "-" if isnan(pair.offset) else f"{pair.offset:+.2f}",
            ]
            for pair in found.pairs
        ],
    )


def _ambiguity(rows: Sequence[Ambiguity]) -> str:
    worst = [row for row in rows if row.kind == "question"][:_WORST]
    shown = [row for row in rows if row.kind != "question" or row in worst]
    return text_table(
        ["needs discussion", "of", "share", "chunks", "overruled"],
        [
            [
                row.name,
                row.kind,
                _value(row.share),
                f"{row.needed:,} of {row.units:,}",
                f"{row.against:,} of {row.ruled:,}" if row.ruled else "",
            ]
            for row in shown
        ],
        left=2,
    )


def _retention(rows: Sequence[Retention]) -> str:
    whole = rows[0]
    lines = [
        text_table(
            ["kept", "by", "share", "of"],
            [[row.name, row.kind, _value(row.rate), f"{row.made:,}"] for row in rows],
            left=2,
        )
    ]
    lines += [f"  dropped: {why} ({count})" for why, count in whole.reasons.items()]
    return "\n".join(lines)


def _noise(rows: Sequence[Noise]) -> str:
    shown = text_table(
        ["change points moved", "up to", "answers changed", *(_small(SCORES[m]) for m in MEASURES)],
        [
            [
                row.reader,
                str(row.distance),
                f"{row.moved:.1%}",
                *(
                    f"{row.scores[name]:.3f}"
                    + (f" ({row.bias[name]:+.3f})" if row.distance else "")
                    for name in MEASURES
                ),
            ]
            for row in rows
        ],
    )
    return "\n".join([shown, *wrap(SCORES_NOTE, _WIDTH)])


def _small(name: str) -> str:
    """A name in small letters, unless it is an abbreviation."""
    return name if name.isupper() else name.lower()


def _value(value: float) -> str:
    return "-" if isnan(value) else f"{value:.3f}"


def _ends(one: Measure) -> str:
    low, high = one.interval
    return "-" if isnan(low) else f"{low:.3f} to {high:.3f}"

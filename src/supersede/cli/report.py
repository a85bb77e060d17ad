"""`supersede report`: runs on streams as one page."""

import shlex
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.corpus.files import write_whole
from supersede.errors import UsageError
from supersede.memories.plan import Prices
from supersede.reports import Request, named_sources, read_runs, render
from supersede.streams import load_streams

__all__ = ["report"]

_TITLE = Request(()).title


@click.command(
    epilog=examples(
        "supersede report logs/*.eval --stream babi.jsonl -o report.html",
        "supersede report base=base.jsonl rag=rag.jsonl --stream babi.jsonl",
    )
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCES...")
@click.option(
    "--stream",
    "stream_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The streams that were asked: a file of ours or the official OAKS JSON.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page; one of that name is replaced.",
)
@click.option("--title", default=_TITLE, show_default=True, help="The heading of the page.")
@click.option(
    "--prices",
    metavar="IN,OUT[,CACHED]",
    help="Dollars per million tokens, for the cost of runs that have a log.",
)
@click.option(
    "--max-error-rate",
    type=click.FloatRange(0, 1),
    help="Share of failed or missing answers above which a run is marked as failed.  "
    "[default: that of the log, or 0.01]",
)
def report(
    sources: tuple[str, ...],
    stream_file: Path | None,
    output: Path,
    title: str,
    prices: str | None,
    max_error_rate: float | None,
) -> None:
    """Show runs on streams as one page that opens offline.

    SOURCES are logs of `supersede eval stream` (.eval), or files of predictions as
    `supersede score` takes them, which need --stream; name=FILE gives a run its name. Logs do
    without --stream, but then questions are shown by their ids. A run with too many failed or
    missing answers is marked on the page.
    """
    if not output.parent.is_dir():
        raise UsageError(
            "the folder does not exist", where=str(output.parent), mend="Make it first."
        )
    price = _prices(prices)
    streams = load_streams(stream_file) if stream_file else None
    runs = read_runs(named_sources(sources), streams, max_error_rate)
    words = ["supersede", "report", *sources]
    words += ["--stream", str(stream_file)] if stream_file else []
    words += ["--title", title] if title != _TITLE else []
    words += ["--prices", prices] if prices else []
    words += ["--max-error-rate", f"{max_error_rate:g}"] if max_error_rate is not None else []
    command = shlex.join([*words, "-o", str(output)])
    page = render(Request(runs, streams, str(stream_file or ""), title, command, price))
    written = write_whole(output, [page.encode("utf-8")])
    print(f"{output}: {len(runs)} {'run' if len(runs) == 1 else 'runs'}, {written.bytes:,} bytes")


def _prices(text: str | None) -> Prices | None:
    if text is None:
        return None
    try:
        return Prices(*(float(part) for part in text.split(",")))
    except (TypeError, ValueError):
        raise UsageError(
            f"prices {text!r} are not two or three numbers", mend="As in: --prices 0.15,0.6,0.075"
        ) from None

"""`supersede report`: runs on streams as one page."""

import shlex
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.cli.stream_options import as_prices, limit_option, prices_option, stream_option
from supersede.corpus.files import write_whole
from supersede.corpus.show import counted
from supersede.reports import Request, named_sources, read_runs, render
from supersede.streams import load_streams
from supersede.streams.files import check_output

__all__ = ["report"]

_TITLE = Request(()).title


@click.command(
    epilog=examples(
        "supersede report logs --stream babi.jsonl -o report.html",
        "supersede report base=base.jsonl rag=rag.jsonl --stream babi.jsonl",
    )
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCES...")
@stream_option(required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page; one of that name is replaced.",
)
@click.option("--title", default=_TITLE, show_default=True, help="The heading of the page.")
@prices_option("the cost of runs that have a log")
@limit_option("a run is marked as failed", of_log=True)
def report(
    sources: tuple[str, ...],
    stream_file: Path | None,
    output: Path,
    title: str,
    prices: str | None,
    max_error_rate: float | None,
) -> None:
    """Show runs on streams as one page that opens offline.

    SOURCES are logs of `supersede eval stream` (.eval), folders of them, or files of predictions
    as `supersede score` takes them, which need --stream; name=FILE, or name=FOLDER of one log,
    gives a run its name. Logs do without --stream, but then questions are shown by their ids. A
    run with too many failed or missing answers is marked on the page.
    """
    check_output(output)
    price = as_prices(prices)
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
    print(f"{output}: {counted(len(runs), 'run')}, {written.bytes:,} bytes")

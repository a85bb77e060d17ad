"""`supersede export`: corpora in the formats that others read."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import click

from supersede.cli.groups import SuggestingGroup, examples
from supersede.corpus.show import counted
from supersede.errors import UsageError
from supersede.training.exports.card import LICENSES, Card
from supersede.training.exports.chat import export_chat
from supersede.training.exports.hub import export_hub
from supersede.training.exports.samples import export_samples
from supersede.training.exports.source import Exported, files_in

__all__ = ["export"]

_CORPORA = click.argument(
    "corpora", nargs=-1, required=True, metavar="CORPUS...", type=click.Path(path_type=Path)
)
_OUT = click.argument("out", type=click.Path(path_type=Path))
_CARD = Card()
_REPO = re.compile(r"[\w.-]+/[\w.-]+")


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "supersede export hf data/train data/heldout hub --repo my-org/my-data",
        "supersede export jsonl data/train train.jsonl",
    ),
)
def export() -> None:
    """Write corpora in the formats that others read.

    Every export is tried on every row before it appears: the row is read back, and the grader of
    the format has to call the reference answer right, and nothing at all and an answer with any
    one claim changed not right.
    """


@export.command(
    epilog=examples(
        "supersede export hf data/train data/heldout hub --repo my-org/my-data",
        "supersede export hf data/heldout hub --license cc-by-4.0 --date 2026-11-30",
    )
)
@_CORPORA
@_OUT
@click.option("--repo", metavar="ORG/NAME", help="Where it will lie on the Hub.")
@click.option("--name", default=_CARD.name, show_default=True, help="Its name for people to read.")
@click.option(
    "--license",
    "license_",
    type=click.Choice(list(LICENSES)),
    default=_CARD.license,
    show_default=True,
    help="Under which it is published.",
)
@click.option("--creator", metavar="NAME", help="Who publishes it.")
@click.option("--date", "day", metavar="YYYY-MM-DD", help="When it is published.")
def hf(
    corpora: tuple[Path, ...],
    out: Path,
    repo: str | None,
    name: str,
    license_: str,
    creator: str | None,
    day: str | None,
) -> None:
    """Write a data set folder for the Hugging Face Hub.

    OUT gets Parquet shards by tier and split, a card README.md with its YAML, croissant.json with
    responsible-AI fields, and an eval.yaml with which `inspect eval hf/ORG/NAME` runs it. CORPUS
    is the folder of a corpus, or a file of instances. Needs the extra corpus.
    """
    card = Card(name, license_, _repo(repo), creator, _day(day))
    with _progress(corpora) as read:
        exported = export_hub(corpora, out, card, read)
    _say(out, exported)


@export.command(
    "inspect",
    epilog=examples(
        "supersede export inspect data/heldout samples.jsonl",
        "supersede export inspect data/heldout data/train all.jsonl",
    ),
)
@_CORPORA
@_OUT
def inspect_(corpora: tuple[Path, ...], out: Path) -> None:
    """Write samples for tasks of Inspect.

    OUT is JSONL, a sample a line: what Inspect's json_dataset reads, with the metadata by which
    the scorer supersede/evolve_scorer grades. CORPUS is the folder of a corpus, or a file of
    instances.
    """
    with _progress(corpora) as read:
        exported = export_samples(corpora, out, read)
    _say(out, exported)


@export.command(
    epilog=examples(
        "supersede export jsonl data/train train.jsonl",
        "supersede export jsonl data/train data/heldout all.jsonl",
    )
)
@_CORPORA
@_OUT
def jsonl(corpora: tuple[Path, ...], out: Path) -> None:
    """Write chat JSONL for tuning services.

    OUT has a row a line: messages that end with the user's turn, reference_answer, and flat
    fields of text, the checklist as JSON among them. CORPUS is the folder of a corpus, or a file
    of instances.
    """
    with _progress(corpora) as read:
        exported = export_chat(corpora, out, read)
    _say(out, exported)


def _repo(text: str | None) -> str | None:
    if text is not None and not _REPO.fullmatch(text):
        raise UsageError(
            f"--repo={text} is no place on the Hub", mend="Name it as ORG/NAME: my-org/my-data"
        )
    return text


def _day(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(f"--date={text} is no day", mend="Write it as 2026-11-30.") from None


def _say(out: Path, exported: Exported) -> None:
    print(
        f"{out}: {counted(exported.rows, 'row')}; {exported.graded:,} replies graded as they "
        "should be"
    )


@contextmanager
def _progress(corpora: tuple[Path, ...]) -> Iterator[Callable[[Path], None]]:
    """Gives what is told of every file read, and moves a bar on that only a terminal shows."""
    if not sys.stderr.isatty():
        yield lambda path: None
        return
    files = len(files_in(corpora))
    with click.progressbar(length=files, label="exporting", file=sys.stderr) as bar:
        yield lambda path: bar.update(1)

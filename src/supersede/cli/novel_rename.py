"""`supersede novel rename`: other names for people and places."""

import json
from collections import Counter
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.corpus.files import write_whole
from supersede.corpus.show import counted
from supersede.errors import DataError, UsageError
from supersede.novels.naming import LEAST, proposed
from supersede.novels.renaming import Renaming, renamed_stream, texts_of
from supersede.streams.files import check_output, load_streams, write_streams

__all__ = ["rename_command"]


@click.command(
    "rename",
    epilog=examples(
        "supersede novel rename mill.jsonl -o renamed.jsonl",
        "supersede novel rename mill.jsonl --propose > names.json",
        "supersede novel rename mill.jsonl --names names.json -o renamed.jsonl",
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where it goes."
)
@click.option(
    "--names",
    "given",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    metavar="FILE",
    help="A JSON object, old name to new; made from the text where left out.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another one, other names.")
@click.option(
    "--least",
    type=click.IntRange(min=1),
    default=LEAST,
    show_default=True,
    help="Times that a name stands in the text, to be proposed.",
)
@click.option("--propose", is_flag=True, help="Only print the names.")
def rename_command(
    file: Path, output: Path | None, given: Path | None, seed: int, least: int, propose: bool
) -> None:
    """Give the people and places of a stream other names.

    A model that knows a novel answers as before where it should read; with other names it cannot.
    Chunks, questions, options and evidence change alike; ids stay, so that runs on both files
    compare. The names are written beside the output, as OUTPUT.names.json.
    """
    if output is None and not propose:
        raise click.UsageError("Missing option '-o' / '--output'.")
    if output is not None and output.exists() and output.samefile(file):
        raise UsageError(
            "would be written over", where=str(file), mend="Give the output another name."
        )
    streams = load_streams(file)
    texts = list(texts_of(streams))
    renaming = _read(given) if given else proposed(texts, seed, least=least)
    renaming.check(texts)
    spelled = json.dumps(dict(renaming.names), indent=2, ensure_ascii=False)
    if output is None:
        print(spelled)
        return
    check_output(output)
    write_streams(output, [renamed_stream(stream, renaming) for stream in streams])
    beside = output.with_name(f"{output.name}.names.json")
    write_whole(beside, [f"{spelled}\n".encode()])
    found = sum((renaming.count(text) for text in texts), Counter[str]())
    print(f"{output}: {counted(len(streams), 'document')}, {_total(renaming, found)}")
    kept = len(renaming.names) - len(renaming.changed)
    same = f", {kept} of them the same as before" if kept else ""
    print(f"{beside}: {counted(len(renaming.names), 'name')}{same}")


def _total(renaming: Renaming, found: Counter[str]) -> str:
    return f"{counted(len(renaming.changed), 'name')} in {counted(found.total(), 'place')}"


def _read(path: Path) -> Renaming:
    """The map of a file.

    Raises:
        DataError: It is no JSON object of texts.
    """
    mend = 'Write it as {"Old": "New"}; `--propose` prints one.'
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", where=str(path), mend=mend) from None
    if not isinstance(data, dict) or not all(isinstance(new, str) for new in data.values()):
        raise DataError("is no object of texts", where=str(path), mend=mend)
    return Renaming(data)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object in which no key comes twice."""
    data = dict(pairs)
    if len(data) < len(pairs):
        twice = next(
            name for name, times in Counter(name for name, _ in pairs).items() if times > 1
        )
        raise ValueError(f"{twice!r} stands in it twice")
    return data

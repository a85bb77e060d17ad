"""`supersede novel`: from a book to an annotated stream."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import click

from supersede.cli.groups import Entry, LazyGroup, examples
from supersede.cli.novel_books import watched
from supersede.corpus.show import counted
from supersede.corpus.tokens import ESTIMATE, token_counter
from supersede.errors import UsageError
from supersede.novels.chunking import CHUNK_TOKENS
from supersede.novels.prepare import FEWEST_TOKENS, Prepared, add_prepared, prepare

__all__ = ["novel"]

COMMANDS: dict[str, Entry] = {
    "prepare": Entry(
        "supersede.cli.novel:prepare_command",
        "Take the narrative out of books and cut it into chunks.",
    ),
    "rename": Entry(
        "supersede.cli.novel_rename:rename_command",
        "Give the people and places of a stream other names.",
    ),
    "draft": Entry(
        "supersede.cli.novel_draft:draft_command",
        "Have a model draft questions about BOOK, or about every book of the project.",
    ),
    "attach": Entry(
        "supersede.cli.novel_attach:attach_command",
        "Put questions and answers that came without the text on a prepared book.",
    ),
    "check": Entry(
        "supersede.cli.novel_check:check_command",
        "Check questions against the rules of verification.",
    ),
    "agreement": Entry(
        "supersede.cli.novel_agreement:agreement_command",
        "Measure how far annotators agree.",
    ),
    "timeline": Entry(
        "supersede.cli.novel_timeline:timeline_command",
        "Show the answers to a book's questions, chunk by chunk.",
    ),
    "stats": Entry(
        "supersede.cli.novel_timeline:stats_command",
        "Count books, questions, options and changes, beside the published figures.",
    ),
    "work": Entry(
        "supersede.cli.novel_work:work_command",
        "Note how long somebody worked on a book, and what it was paid; else print what is noted.",
    ),
    "export": Entry(
        "supersede.cli.novel_export:export_command",
        "Write annotated books as streams, rows, tasks or sheets.",
    ),
    "import": Entry(
        "supersede.cli.novel_export:import_command",
        "Read answers that were given elsewhere into a project.",
    ),
}
"""The commands by name, in the order of the help."""


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    epilog=examples(
        "supersede novel prepare treasure-island.txt -o project",
        "supersede novel rename mill.jsonl -o renamed.jsonl",
    ),
)
def novel() -> None:
    """Make annotated streams of books: OAKS-Novel.

    A project is a folder with one file, which holds books, questions, answers and the log of
    everything that anybody did.
    """


@click.command(
    "prepare",
    epilog=examples(
        "supersede novel prepare treasure-island.txt -o project",
        "supersede novel prepare *.epub -o project --tokenizer EleutherAI/gpt-neox-20b",
        "supersede novel prepare frankenstein.txt -o project --id frankenstein-1k "
        "--chunk-tokens 1000",
    ),
)
@click.argument(
    "books",
    nargs=-1,
    required=True,
    metavar="BOOK...",
    type=click.Path(path_type=Path),
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="PROJECT",
    help="The project; books are added where it exists.",
)
@click.option(
    "--chunk-tokens",
    type=click.IntRange(min=FEWEST_TOKENS),
    default=CHUNK_TOKENS,
    show_default=True,
    help="Most tokens of a chunk.",
)
@click.option(
    "--tokenizer",
    default=ESTIMATE,
    show_default=True,
    metavar=f"FILE|NAME|{ESTIMATE}",
    help="What counts tokens: a tokenizer.json, one of the Hugging Face hub "
    "(EleutherAI/gpt-neox-20b for the published sizes), or an estimate.",
)
@click.option("--id", "name", default="", help="Id of the book, made of its title by default.")
@click.option("--left-out", is_flag=True, help="Print what of the files is not in the narrative.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def prepare_command(
    books: tuple[Path, ...],
    output: Path,
    chunk_tokens: int,
    tokenizer: str,
    name: str,
    left_out: bool,
    as_json: bool,
) -> None:
    """Take the narrative out of books and cut it into chunks.

    Plain text, web pages and EPUBs are read. Licence, title page, table of contents, preface,
    notes and marks of illustrations are left out; headings become the chapters of the chunks. No
    paragraph is cut that fits a chunk.
    """
    if name and len(books) > 1:
        raise UsageError("--id names one book", mend="Prepare the others by themselves.")
    counter = token_counter(tokenizer)
    made = [
        prepare(path, counter, tokens=chunk_tokens, name=name)
        for path in watched(books, "preparing", least=2)
    ]
    new = add_prepared(output, made)
    if as_json:
        print(json.dumps([_described(one, new) for one in made], indent=2, ensure_ascii=False))
        return
    for one in made:
        print(_line(one, new))
        if left_out:
            for why, text in one.left_out:
                print(f"  {why}: {text}")


def _described(one: Prepared, new: Sequence[str]) -> dict[str, object]:
    book = one.book
    return {
        "id": book.id,
        "title": book.title,
        "author": book.author,
        "sha256": book.sha256,
        "new": book.id in new,
        "chunks": [
            {"chunk": chunk.index, "tokens": chunk.tokens, "chapters": list(chunk.chapters)}
            for chunk in book.chunks
        ],
        "chapters": list(book.chapters),
        "left_out": [piece._asdict() for piece in one.left_out],
    }


def _line(one: Prepared, new: Sequence[str]) -> str:
    book = one.book
    sizes = [chunk.tokens for chunk in book.chunks]
    parts = [
        f"{counted(len(sizes), 'chunk')} of {min(sizes):,} to {max(sizes):,} tokens"
        f" (median {median(sizes):,.0f})",
        counted(len(book.chapters), "chapter"),
    ]
    reasons = Counter(piece.why for piece in one.left_out)
    out = ", ".join(f"{count} {why}" for why, count in reasons.items())
    there = "" if book.id in new else "; is there already"
    return f"{book.id}: {', '.join(parts)}; left out: {out or 'nothing'}{there}"

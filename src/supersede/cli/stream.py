"""`supersede stream`: documents that are revealed chunk by chunk."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import click

from supersede.cli.groups import SuggestingGroup, examples
from supersede.cli.key_options import as_dials
from supersede.corpus.instances import instance_key
from supersede.corpus.show import counted
from supersede.corpus.tokens import ESTIMATE, token_counter
from supersede.errors import CheckFailed, UsageError, did_you_mean
from supersede.metrics.subsets import bins_for, subset_ranges, subset_sizes
from supersede.model.instance import Split, Tier
from supersede.streams.babi.build import FEWEST_TOKENS, Recipe, babi_streams
from supersede.streams.background import BUILT_IN, GUTENBERG, open_library
from supersede.streams.files import (
    FORMATS,
    check_output,
    load_stream,
    load_streams,
    write_streams,
)
from supersede.streams.gutenberg import SITE
from supersede.streams.show import overview, timeline
from supersede.streams.statistics import statistics, statistics_table
from supersede.streams.validate import check_askable, violations
from supersede.streams.worlds import QUESTIONS, world_stream

__all__ = ["stream"]

T = TypeVar("T")

_OUT = click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
_FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_RECIPE = Recipe()


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "supersede stream babi babi.jsonl --background novels",
        "supersede stream world wares.jsonl --prototype warehouse-inventory-ops --tier medium",
        "supersede stream show wares.jsonl",
    ),
)
def stream() -> None:
    """Make, check and show streams: documents told chunk by chunk.

    Every question of a stream has its right answer at every interval. Wherever a command takes a
    stream file, a file in the official OAKS form will do as well.
    """


@stream.command(
    epilog=examples(
        "supersede stream babi babi.jsonl --background novels",
        f"supersede stream babi babi.jsonl --background {GUTENBERG}1661,84 --documents 4",
        "supersede stream babi small.jsonl --chunks 8 --chunk-tokens 300 "
        "--questions-per-document 10",
    )
)
@_OUT
@click.option(
    "--background",
    default=BUILT_IN,
    show_default=True,
    metavar=f"DIR|{GUTENBERG}ID,...|{BUILT_IN}",
    help="Prose that the facts are hidden in: text files, books to fetch, or made up.",
)
@click.option(
    "--documents",
    type=click.IntRange(min=1),
    default=_RECIPE.documents,
    show_default=True,
    help="How many.",
)
@click.option(
    "--chunks",
    type=click.IntRange(min=2),
    default=_RECIPE.chunks,
    show_default=True,
    help="Chunks of each document.",
)
@click.option(
    "--chunk-tokens",
    type=click.IntRange(min=FEWEST_TOKENS),
    default=_RECIPE.chunk_tokens,
    show_default=True,
    help="Most tokens of a chunk.",
)
@click.option(
    "--questions-per-document",
    type=click.IntRange(min=1),
    default=_RECIPE.questions,
    show_default=True,
    help="Questions of each document.",
)
@click.option(
    "--facts",
    type=click.IntRange(min=2),
    help="Facts of each document on average.  [default: 87 for 65 chunks]",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Another one, other documents."
)
@click.option(
    "--tokenizer",
    default=ESTIMATE,
    show_default=True,
    metavar=f"FILE|NAME|{ESTIMATE}",
    help="What counts tokens: a tokenizer.json, one of the Hugging Face hub "
    "(EleutherAI/gpt-neox-20b for the published sizes), or an estimate.",
)
@click.option(
    "--mirror", default=SITE, show_default=True, help="Where books of Project Gutenberg are."
)
def babi(
    out: Path,
    background: str,
    documents: int,
    chunks: int,
    chunk_tokens: int,
    questions_per_document: int,
    facts: int | None,
    seed: int,
    tokenizer: str,
    mirror: str,
) -> None:
    """Hide facts in prose and ask about them: OAKS-BABI.

    Made-up people move between made-up places and take, drop and hand over objects. Questions of
    four types (tracking, counting, bridge, comparison) come in the published mix. The same options
    and the same background give the same bytes.
    """
    recipe = Recipe(documents, chunks, chunk_tokens, questions_per_document, facts, seed)
    recipe.check()
    check_output(out)
    counter = token_counter(tokenizer)
    library = open_library(
        background, counter, longest=recipe.longest, need=recipe.need, seed=seed, site=mirror
    )
    made = _watched("building", babi_streams(recipe, library, counter), documents)
    write_streams(out, made)
    asked = documents * questions_per_document
    print(f"{out}: {counted(documents, 'document')}, {counted(asked, 'question')}")


@stream.command(
    epilog=examples(
        "supersede stream world wares.jsonl --prototype warehouse-inventory-ops --tier medium",
        "supersede stream world many.jsonl --prototype soccer-timeline,ci-cd-deployment-log "
        "--count 5",
    )
)
@_OUT
@click.option(
    "--prototype",
    "prototypes",
    required=True,
    metavar="ID|FILE,...",
    help="Which worlds: ids of the catalogue, or specifications of your own.",
)
@click.option(
    "--tier",
    type=click.Choice([tier.value for tier in Tier]),
    default=Tier.MEDIUM.value,
    show_default=True,
    help="Difficulty.",
)
@click.option(
    "--index", type=click.IntRange(min=0), default=0, show_default=True, help="First instance."
)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Instances of each prototype.",
)
@click.option(
    "--split",
    type=click.Choice([split.value for split in Split]),
    default=Split.TRAIN.value,
    show_default=True,
    help="Held-out histories share no seed with training.",
)
@click.option("--operator", default="*", show_default=True, help="What to ask, as a pattern.")
@click.option(
    "--questions-per-document",
    type=click.IntRange(min=1),
    default=QUESTIONS,
    show_default=True,
    help="Most questions of each document.",
)
@click.option(
    "--blocks-per-chunk",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Blocks of the log in one chunk.",
)
@click.option(
    "--dial",
    "dials",
    multiple=True,
    metavar="NAME=VALUE",
    help="Replace one dial of the tier; may be given again.",
)
def world(
    out: Path,
    prototypes: str,
    tier: str,
    index: int,
    count: int,
    split: str,
    operator: str,
    questions_per_document: int,
    blocks_per_chunk: int,
    dials: tuple[str, ...],
) -> None:
    """Tell worlds block by block, and ask after every block.

    Answers come from replay with a cut-off, evidence is the line that changed the answer. Only
    questions whose answer changes are asked. What a reader must know of the log stands in the
    stream's meta, under `system`.
    """
    names = [name.strip() for name in prototypes.split(",") if name.strip()]
    if not names:
        raise UsageError("--prototype names none", mend="List them with: supersede prototypes")
    for name in names:
        if names.count(name) > 1:
            mend = "Name it once; --count takes more of its histories."
            raise UsageError(f"--prototype names {name!r} twice", mend=mend)
    check_output(out)
    keys = [
        instance_key(name, tier, n, split=split, operator=operator, dials=dict(as_dials(dials)))
        for name in names
        for n in range(index, index + count)
    ]
    made = (
        world_stream(key, blocks_per_chunk=blocks_per_chunk, questions=questions_per_document)
        for key in keys
    )
    streams = list(_watched("telling", made, len(keys)))
    write_streams(out, streams)
    asked = sum(len(one.questions) for one in streams)
    print(f"{out}: {counted(len(streams), 'document')}, {counted(asked, 'question')}")


@stream.command(
    epilog=examples(
        "supersede stream show wares.jsonl",
        "supersede stream show babi.jsonl --stream babi-0-03 --question babi-0-03_q7",
    )
)
@_FILE
@click.option("--stream", "name", metavar="ID", help="Which one; the first where left out.")
@click.option("--question", metavar="ID", help="Only this question.")
@click.option("--texts", is_flag=True, help="Print the chunks and what a reader is told too.")
def show(file: Path, name: str | None, question: str | None, texts: bool) -> None:
    """Show the answers of a stream over time.

    Each question comes with its phases: the intervals, the accepted answers and what they rest on.
    """
    one = load_streams(file)[0] if name is None else load_stream(file, name)
    check_askable([one], str(file))
    if question is None:
        for line in overview(one, texts=texts):
            print(line)
        return
    asked = {item.id: item for item in one.questions}
    if question not in asked:
        raise UsageError(
            f"stream {one.id!r} has no question {question!r}", mend=did_you_mean(question, asked)
        )
    for line in timeline(asked[question]):
        print(line)


@stream.command(
    epilog=examples(
        "supersede stream stats babi.jsonl",
        "supersede stream stats babi.jsonl --json | jq .changes_mean",
    )
)
@_FILE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def stats(file: Path, as_json: bool) -> None:
    """Describe the streams of a file.

    Changes count the phases of a question, as the published figures do; transitions are one less.
    Passages are paragraphs of the background, without the facts in them.
    """
    streams = load_streams(file)
    check_askable(streams, str(file))
    found = statistics(streams)
    bins = bins_for(streams)
    subsets = subset_sizes(streams, bins)
    if as_json:
        data = {**found.to_json(), "bins": bins._asdict(), "subsets": subsets}
        print(json.dumps(data, indent=2, ensure_ascii=False))
        return
    for line in statistics_table(found):
        print(line)
    print("by number of changes")
    for subset, span in subset_ranges(bins).items():
        share = subsets[subset] / found.questions if found.questions else 0.0
        print(f"  {subset:<18}{subsets[subset]:>9,}  {100 * share:4.1f} %  {span} phases")


@stream.command(
    epilog=examples(
        "supersede stream validate babi.jsonl",
        "supersede stream validate oaks-n.split_2k.json",
    )
)
@_FILE
def validate(file: Path) -> None:
    """Check the streams of a file against every rule.

    Prints one line for each violation, with the name of its rule.
    """
    streams = load_streams(file)
    broken = 0
    for violation in violations(streams):
        print(violation)
        broken += 1
    print(f"{counted(len(streams), 'stream')}, {counted(broken, 'violation')}")
    if broken:
        raise CheckFailed(f"{counted(broken, 'violation')} of rules", where=str(file))


@stream.command(
    epilog=examples(
        "supersede stream convert babi.jsonl --to oaks -o babi.json",
        "supersede stream convert oaks-b.128k_split_2k.json --to supersede -o oaks-b.jsonl",
    )
)
@_FILE
@click.option("--to", "form", type=click.Choice(FORMATS), required=True, help="The other form.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Where it goes.",
)
def convert(file: Path, form: str, output: Path) -> None:
    """Convert a file to the official OAKS form, or back.

    The official form has no place for the evidence of open questions.
    """
    streams = load_streams(file)
    check_askable(streams, str(file))
    write_streams(output, streams, form)
    print(f"{output}: {counted(len(streams), 'document')}")


def _watched(label: str, items: Iterable[T], length: int) -> Iterator[T]:
    """The items, with a progress bar that only a terminal shows."""
    if not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=length, label=label, file=sys.stderr) as bar:
        yield from bar

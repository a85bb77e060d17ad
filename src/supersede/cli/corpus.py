"""`supersede corpus`: instances in files, at scale."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import get_args

import click

from supersede.cli.groups import SuggestingGroup, examples
from supersede.corpus.audit import SAMPLE, export_audit
from supersede.corpus.audit_forms import audit_lines, read_audit
from supersede.corpus.build import Engine
from supersede.corpus.build import build as build_corpus
from supersede.corpus.checks import checks
from supersede.corpus.files import Manifest
from supersede.corpus.inventory import inventory, inventory_table
from supersede.corpus.inventory_checks import catalogue_checks
from supersede.corpus.likeness import Near
from supersede.corpus.overlap import LIMIT, WORDS, overlap
from supersede.corpus.plan import Format, configure
from supersede.corpus.show import counted
from supersede.corpus.stats import files_of, statistics
from supersede.corpus.tables import statistics_table
from supersede.corpus.tokens import ESTIMATE
from supersede.corpus.verify import verify as verify_corpora
from supersede.corpus.verify_file import Failure, Verified
from supersede.errors import CheckFailed, UsageError
from supersede.model.instance import Split
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions.registry import FAMILIES

__all__ = ["corpus"]


class _NamedPath(click.Path):
    """A path that is not the empty text, which would be taken for the folder one is in."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """The path; refuses the empty text."""
        if value == "":
            self.fail("the path is empty; name a folder", param, ctx)
        return super().convert(value, param, ctx)


_NAMED = _NamedPath(path_type=Path)
_WORKERS = click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes."
)
_CORPORA = click.argument("corpora", nargs=-1, required=True, metavar="DIR...", type=_NAMED)


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "supersede corpus build data/train --workers 2",
        "supersede corpus verify data/train data/heldout",
        "supersede corpus stats data/train",
    ),
)
def corpus() -> None:
    """Build, verify, describe and audit corpora of instances."""


@corpus.command(
    epilog=examples(
        "supersede corpus build data/train --workers 2",
        "supersede corpus build data/heldout --split heldout",
        "supersede corpus build data/small --tiers short,medium "
        "--prototypes soccer-timeline --per-cell 5",
        "supersede corpus build data/mine --prototypes my-world.yaml --per-cell 5",
        "supersede corpus build data/train --format parquet",
        "supersede corpus build data/train --engine ray --address auto",
        "supersede corpus build data/8k --themes sports,travel --families audit,window "
        "--max-tokens 8000",
    )
)
@click.argument("out", type=_NAMED)
@click.option(
    "--split",
    type=click.Choice([split.value for split in Split]),
    default=Split.TRAIN.value,
    show_default=True,
    help="Held-out instances share no seed with training and carry a canary.",
)
@click.option("--tiers", metavar="TIER,...", help="Only these tiers.")
@click.option(
    "--prototypes",
    metavar="ID|FILE,...",
    help="Only these: ids of the catalogue, or YAML files of your own.",
)
@click.option(
    "--themes", metavar="THEME,...", help="Only prototypes of these: 'Sports,Office & software'."
)
@click.option(
    "--families",
    metavar="FAMILY,...",
    help=f"Only instances that ask by these: {', '.join(FAMILIES)}.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="Only instances of so many tokens at most."
)
@click.option(
    "--tokenizer",
    metavar="NAME|FILE",
    help=f"Count tokens, and keep them with each instance: by a tokenizer.json, a tokenizer of the "
    f"Hugging Face hub, or the '{ESTIMATE}', which --max-tokens takes if nothing else is named.",
)
@click.option(
    "--per-cell",
    type=click.IntRange(min=1),
    help="Instances for each prototype and tier; what --families and --max-tokens leave out is not "
    "made up for.  [default: 60; 1 held out]",
)
@click.option("--history", is_flag=True, help="Add the machine-readable records.")
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(Format)),
    default="jsonl",
    show_default=True,
    help="How shards are written; parquet needs the extra corpus.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes.  [default: 1; with Ray all processors of the cluster]",
)
@click.option(
    "--engine",
    type=click.Choice(get_args(Engine)),
    default="process",
    show_default=True,
    help="What spreads the work: processes of this machine, or Ray (extra ray).",
)
@click.option(
    "--address",
    metavar="HOST",
    help="The cluster of Ray: auto, ray://host:10001.  [default: this machine]",
)
def build(
    out: Path,
    split: str,
    tiers: str | None,
    prototypes: str | None,
    themes: str | None,
    families: str | None,
    max_tokens: int | None,
    tokenizer: str | None,
    per_cell: int | None,
    history: bool,
    form: str,
    workers: int | None,
    engine: Engine,
    address: str | None,
) -> None:
    """Build a corpus in the folder OUT.

    One file for each prototype and tier, and a manifest that is written last. A build that
    was cut short goes on where it was, with the same command; the bytes do not depend on that,
    nor on the number of workers. A slice has the instances of the whole corpus, and the manifest
    says what it leaves out. A world of your own goes along as a copy in the folder
    `specifications`.
    """
    if address is not None and engine != "ray":
        raise UsageError("--address is for --engine ray", mend="Add --engine ray.")
    chosen = configure(
        split,
        tiers=_names(tiers),
        prototypes=_names(prototypes),
        themes=_names(themes),
        families=_names(families),
        max_tokens=max_tokens,
        tokenizer=tokenizer,
        per_cell=per_cell,
        history=history,
        format=form,
    )
    with _progress("building", sum(1 for _ in chosen.shards())) as advance:
        manifest = build_corpus(
            out,
            chosen,
            workers=workers,
            engine=engine,
            address=address,
            on_shard=lambda _: advance(1),
        )
    print(f"{out}: {', '.join(_totals(manifest))}")


def _totals(manifest: Manifest) -> Iterator[str]:
    """What a corpus holds, in words."""
    yield counted(manifest.instances, "instance")
    yield counted(manifest.events, "event")
    if manifest.tokens is not None:
        yield counted(manifest.tokens, "token")
    if manifest.left_out is not None:
        yield f"{manifest.left_out:,} left out"


@corpus.command(
    epilog=examples(
        "supersede corpus verify data/train --workers 2",
        "supersede corpus verify data/train data/heldout --overlap",
        "supersede corpus verify lone.jsonl --spec my-world.yaml",
        "supersede corpus verify data/of-last-year --text-only",
    )
)
@_CORPORA
@click.option(
    "--spec",
    "specs",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="YAML file of a world that the catalogue lacks, for JSONL files outside a corpus; may be "
    "given again.",
)
@click.option("--text-only", is_flag=True, help="Prove from the text, make nothing again.")
@click.option(
    "--overlap",
    "with_overlap",
    is_flag=True,
    help=f"Compare the records of held-out instances with all training ones, by runs of {WORDS} "
    f"words: a Jaccard index above {LIMIT} is a failure.",
)
@click.option(
    "--tokenizer",
    metavar="NAME|FILE",
    help="The tokenizer that counted, to count again; not needed for the estimate.",
)
@_WORKERS
def verify(
    corpora: tuple[Path, ...],
    specs: tuple[Path, ...],
    text_only: bool,
    with_overlap: bool,
    tokenizer: str | None,
    workers: int,
) -> None:
    """Verify corpora: prove every answer from the text, make every instance again.

    Each DIR is the folder of a corpus, or a JSONL file. The messages are read back without the
    specification's effects, replayed, and the question answered again: answer, checklist and
    evidence must be those stored, and every bound and invariant must hold at the end. Then each
    instance is made again from its key, and every field compared; --text-only leaves that out,
    for data whose prototypes have changed since. Hashes of files, ids, keys and canaries are
    checked, that each corpus is whole, and that no id, no user text and no sequence of records
    stands twice in all that is named. Instances of one world and tier that have the same
    records up to their figures, or share half of them, are named as near-duplicates, which are
    no failure. Prints one line for each failure.
    """
    files: list[Verified] = []
    likenesses: list[Near] = []

    def fail(failure: Failure) -> None:
        print(failure)

    with _progress("verifying", len(files_of(corpora))) as advance:

        def done(_: Path, found: Verified) -> None:
            files.append(found)
            advance(1)

        instances, failures = verify_corpora(
            corpora,
            specifications=specs,
            workers=workers,
            on_failure=fail,
            on_file=done,
            on_near=likenesses.append,
            text_only=text_only,
            tokenizer=tokenizer,
        )
    for note in dict.fromkeys(note for found in files for note in found.notes):
        print(f"note: {note}")
    for line in _near_lines(likenesses):
        print(line)
    proved, remade = (sum(found.proved for found in files), sum(found.remade for found in files))
    again = "none made again (--text-only)" if text_only else f"{remade:,} made again from the key"
    print(
        f"{counted(instances, 'instance')}: {proved:,} proved from the text, {again}; "
        f"{counted(failures, 'failure')}"
    )
    if with_overlap:
        failures += _print_overlap(corpora, workers)
    if failures:
        raise CheckFailed(
            f"{counted(failures, 'check')} of {counted(instances, 'instance')} failed"
        )


_SHOWN = 5
"""Most near-duplicates that are printed one by one."""


def _near_lines(found: Sequence[Near]) -> Iterator[str]:
    """The near-duplicates in words, those across splits and the nearest first."""
    order = sorted(found, key=lambda near: (not near.across, -near.share))
    yield from (f"near-duplicate: {near}" for near in order[:_SHOWN])
    across, plots = (sum(near.across for near in found), sum(near.same_plot for near in found))
    how = f": {across:,} across splits, {plots:,} the same up to figures" if found else ""
    yield f"{counted(len(found), 'near-duplicate')}{how}"


def _print_overlap(corpora: tuple[Path, ...], workers: int) -> int:
    """Print how near held-out instances come to training; how many come too near."""
    files = files_of(corpora)
    with _progress("comparing", len(files)) as advance:
        found = overlap(files, workers=workers, on_file=lambda _: advance(1))
    near = [nearest for nearest in found if nearest.jaccard > LIMIT]
    for nearest in near:
        print(f"{nearest.id}: shares {nearest.jaccard:.3f} of its records with {nearest.training}")
    most = max(found, key=lambda nearest: nearest.jaccard)
    print(
        f"overlap of {counted(len(found), 'held-out instance')} with training, by runs of "
        f"{WORDS} words in records: Jaccard at most {most.jaccard:.4f} "
        f"({most.id} with {most.training or 'none'}), "
        f"median {median(nearest.jaccard for nearest in found):.4f}; allowed {LIMIT}"
    )
    return len(near)


@corpus.command(
    epilog=examples(
        "supersede corpus stats --check",
        "supersede corpus stats data/train",
        "supersede corpus stats data/train --json | jq .families",
    )
)
@click.argument("corpora", nargs=-1, metavar="[DIR]...", type=_NAMED)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--check", is_flag=True, help="Fail where a check is not met.")
def stats(corpora: tuple[Path, ...], as_json: bool, check: bool) -> None:
    """Describe corpora, or the catalogue, next to the published figures.

    Of corpora: the figures of Figure 3, that is difficulty by tier as measured on the instances,
    and the shares of question families, macro-groups and themes; tokens, where they are counted;
    and checks of means, rates and kinds of records. Each DIR is the folder of a corpus, or a JSONL
    file. Without one: what the worlds of the catalogue hold, from names and events to labels and
    noise; with --check also whether that is what was published.
    """
    if not corpora:
        _describe_catalogue(as_json, check)
        return
    with _progress("reading", len(files_of(corpora))) as advance:
        found = statistics(corpora, on_file=lambda _: advance(1))
    if as_json:
        print(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
    else:
        print("\n".join(statistics_table(found)))
    missed = [one for one in checks(found) if not one.met]
    if check and missed:
        raise CheckFailed(f"{counted(len(missed), 'check')} of the corpus not met")


def _describe_catalogue(as_json: bool, check: bool) -> None:
    held = inventory(map(load_prototype, prototype_ids()))
    made = list(catalogue_checks(held)) if check else []
    if as_json:
        shown = {"checks": [one._asdict() for one in made]} if check else {}
        print(json.dumps(held.to_json() | shown, indent=2))
    else:
        print("\n".join(inventory_table(held)))
        for line in ["", *map(str, made)] if made else []:
            print(line)
    missed = [one for one in made if not one.met]
    if missed:
        raise CheckFailed(f"{counted(len(missed), 'check')} of the catalogue not met")


@corpus.command(
    epilog=examples(
        "supersede corpus audit data/heldout -o audit",
        "supersede corpus audit data/train --n 20 --seed 3 -o audit",
        "supersede corpus audit --read audit",
    )
)
@click.argument("corpora", nargs=-1, metavar="[DIR]...", type=_NAMED)
@click.option(
    "--n",
    "count",
    type=click.IntRange(min=1),
    default=SAMPLE,
    show_default=True,
    help="Instances, spread evenly over the prototypes.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another draws others.")
@click.option(
    "-o", "--output", metavar="FOLDER", type=_NAMED, help="Write texts and a form for readers."
)
@click.option("--read", "forms", metavar="FOLDER", type=_NAMED, help="Read forms back.")
def audit(
    corpora: tuple[Path, ...], count: int, seed: int, output: Path | None, forms: Path | None
) -> None:
    """Let people check a sample of instances: write it with a form, or read forms back.

    The folder holds the texts, a form in CSV (text natural, conventions complete, answer by hand,
    agrees, remarks), and apart from them, in `sealed`, the stored answers with every record and the
    state after each block; its README.md tells readers what to do. --read grades the answers by
    hand and prints where they disagree. Exit code 1: a stored answer is wrong, or an answer by hand
    is another and `agrees` is empty.
    """
    if forms is not None and (corpora or output):
        raise UsageError("--read takes nothing else", mend="Name the folder of the audit alone.")
    if forms is not None:
        found = read_audit(forms)
        for line in audit_lines(found):
            print(line)
        if found.errors:
            raise CheckFailed(f"{counted(found.errors, 'stored answer')} found wrong")
        if found.open:
            raise CheckFailed(
                f"{counted(found.open, 'answer')} by hand, other than stored, without a last word",
                mend="Fill in agrees: yes if the stored answer is right, no if it is wrong.",
            )
        return
    if not corpora or output is None:
        raise UsageError(
            "an audit needs a corpus and -o FOLDER, or --read FOLDER",
            mend="Try: supersede corpus audit data/heldout -o audit",
        )
    prototypes = export_audit(corpora, output, count=count, seed=seed)
    print(
        f"{output}: {counted(count, 'instance')} of {counted(prototypes, 'prototype')}; "
        f"see {output / 'README.md'}"
    )


def _names(text: str | None) -> list[str] | None:
    """The names in a list with commas."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def _progress(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """Gives what moves a progress bar on, which only a terminal shows."""
    if not sys.stderr.isatty():
        yield lambda steps: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update

"""`supersede gallery`: every world with a short instance, as one page."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.corpus.files import write_whole
from supersede.corpus.gallery import chosen_instance, gallery_page
from supersede.corpus.show import counted
from supersede.corpus.specifications import checked_specification
from supersede.model.instance import Instance
from supersede.prototypes import prototype_ids
from supersede.specs.schema import Specification

__all__ = ["gallery"]


@click.command(
    epilog=examples(
        "supersede gallery -o GALLERY.md",
        "supersede gallery soccer-timeline my-world.yaml",
    )
)
@click.argument("prototypes", nargs=-1, metavar="[PROTOTYPE]...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write it here instead of printing."
)
def gallery(prototypes: tuple[str, ...], output: Path | None) -> None:
    """Show every world with a short instance, as one page of Markdown.

    PROTOTYPE is an id of the catalogue, or the path of a specification of your own; all of the
    catalogue where none is named.
    """
    names = list(dict.fromkeys(prototypes)) or list(prototype_ids())
    specs = [checked_specification(name) for name in names]
    page = gallery_page(_shown(specs))
    if output is None or str(output) == "-":
        print(page, end="")
        return
    write_whole(output, [page.encode()])
    print(f"{output}: {counted(len(specs), 'world')}")


def _shown(specs: list[Specification]) -> Iterator[tuple[Specification, Instance]]:
    """Each world with its instance, under a progress bar that only a terminal shows."""
    if not sys.stderr.isatty():
        yield from ((spec, chosen_instance(spec)) for spec in specs)
        return
    with click.progressbar(specs, label="sampling", file=sys.stderr) as bar:
        yield from ((spec, chosen_instance(spec)) for spec in bar)

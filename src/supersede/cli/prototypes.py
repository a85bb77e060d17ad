"""`supersede prototypes`: the catalogue."""

import json
from itertools import groupby

import click

from supersede.cli.groups import examples
from supersede.prototypes import load_prototype, prototype_ids
from supersede.specs.schema import Specification

__all__ = ["prototypes"]


@click.command(
    epilog=examples("supersede prototypes", "supersede prototypes --json"),
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def prototypes(as_json: bool) -> None:
    """List the prototypes of worlds.

    Each is a specification that histories are sampled from; its id is what other commands take.
    """
    specs = [load_prototype(name) for name in prototype_ids()]
    if as_json:
        print(json.dumps([_row(spec) for spec in specs], indent=2, ensure_ascii=False))
        return
    width = max((len(spec.id) for spec in specs), default=0)
    for theme, members in groupby(sorted(specs, key=_place), key=lambda spec: spec.theme):
        print(theme)
        for spec in members:
            print(f"  {spec.id:{width}}  v{spec.version}  {spec.title}")


def _place(spec: Specification) -> tuple[str, str]:
    return spec.theme, spec.id


def _row(spec: Specification) -> dict[str, str | int]:
    return {
        "id": spec.id,
        "title": spec.title,
        "theme": spec.theme,
        "macro_group": spec.macro_group,
        "version": spec.version,
    }

"""`supersede operators`: what may be asked."""

import json
from itertools import groupby

import click

from supersede.cli.groups import examples
from supersede.corpus.specifications import checked_specification
from supersede.questions import all_operators, operators_for
from supersede.specs.world import world_of

__all__ = ["operators"]


@click.command(
    epilog=examples(
        "supersede operators",
        "supersede operators soccer-timeline --json",
    )
)
@click.argument("world", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def operators(world: str | None, as_json: bool) -> None:
    """List the operators, each a kind of question.

    WORLD is an id of the catalogue, or the path of a specification of your own: then only those
    are listed that fit it. `supersede sample WORLD --operator NAME` asks by one of them; a pattern
    such as 'audit/*' draws from several.
    """
    if world is None:
        found = tuple(all_operators().values())
    else:
        spec = checked_specification(world)
        found = operators_for(spec, world_of(spec))
    if as_json:
        rows = [
            {"operator": op.name, "family": op.family.value, "summary": op.summary} for op in found
        ]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max((len(op.name) for op in found), default=0)
    for family, members in groupby(found, key=lambda op: op.family.value):
        print(family)
        for op in members:
            print(f"  {op.name:{width}}  {op.summary}")

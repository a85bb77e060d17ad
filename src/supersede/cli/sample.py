"""`supersede sample`: one instance, to read or to pipe on."""

import json

import click

from supersede.cli.groups import examples
from supersede.cli.key_options import as_dials
from supersede.corpus.instances import make_instance
from supersede.corpus.show import conversation, evolution
from supersede.corpus.specifications import checked_specification
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.specs.world import world_of

__all__ = ["sample"]


@click.command(
    epilog=examples(
        "supersede sample warehouse-inventory-ops --tier medium --index 7",
        "supersede sample my-world.yaml --operator 'audit/*' --dial noise=0.5 --history",
        "supersede sample soccer-timeline --json | jq .answer",
    ),
)
@click.argument("prototype")
@click.option(
    "--tier",
    type=click.Choice([tier.value for tier in Tier]),
    default=Tier.SHORT.value,
    show_default=True,
    help="Difficulty.",
)
@click.option(
    "--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which instance."
)
@click.option("--operator", default="*", show_default=True, help="What to ask; * draws one.")
@click.option(
    "--split",
    type=click.Choice([split.value for split in Split]),
    default=Split.TRAIN.value,
    show_default=True,
    help="Held-out instances carry a canary.",
)
@click.option(
    "--dial",
    "dials",
    multiple=True,
    metavar="NAME=VALUE",
    help="Replace one dial of the tier; may be given again.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the instance as JSON.")
@click.option("--history", is_flag=True, help="Add the records and the state after each block.")
def sample(
    prototype: str,
    tier: str,
    index: int,
    operator: str,
    split: str,
    dials: tuple[str, ...],
    as_json: bool,
    history: bool,
) -> None:
    """Print one instance of a prototype.

    PROTOTYPE is an id of the catalogue, or the path of a specification of your own. The same
    arguments always give the same instance.
    """
    spec = checked_specification(prototype)
    key = InstanceKey(
        spec.id, spec.version, Tier(tier), Split(split), index, operator, as_dials(dials)
    )
    instance = make_instance(key, spec)
    if as_json:
        print(json.dumps(instance.to_json(history=history), indent=2, ensure_ascii=False))
        return
    for line in conversation(instance):
        print(line)
    if history:
        for line in evolution(instance, world_of(spec)):
            print(line)

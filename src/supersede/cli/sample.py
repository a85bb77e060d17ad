"""`supersede sample`: one instance, to read or to pipe on."""

import json
from math import isfinite, nan
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.corpus.examine import examine
from supersede.corpus.instances import make_instance
from supersede.corpus.show import conversation, evolution
from supersede.errors import SpecError, UsageError
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.prototypes import load_prototype
from supersede.specs.load import load_specification
from supersede.specs.schema import Specification
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
    spec = _specification(prototype)
    key = InstanceKey(
        spec.id, spec.version, Tier(tier), Split(split), index, operator, _dials(dials)
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


def _specification(prototype: str) -> Specification:
    """The prototype of that id, or the specification in that file.

    Raises:
        UsageError: There is no such prototype.
        SpecError: The file is no specification, or one that the lint finds errors in.
    """
    if not prototype.endswith((".yaml", ".yml")) and not Path(prototype).is_file():
        return load_prototype(prototype)
    loaded = load_specification(prototype)
    errors = [finding for finding in examine(loaded) if finding.severity == "error"]
    if errors:
        first, more = errors[0], len(errors) - 1
        rest = f" {more} more: supersede spec check {prototype}" if more else ""
        raise SpecError(first.what, where=first.where, mend=f"{first.mend}{rest}".strip())
    return loaded.spec


def _dials(texts: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """The overrides that `NAME=VALUE` texts give, sorted by name."""
    values: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = nan
        if not isfinite(value):
            raise UsageError(
                f"--dial {text!r} is no NAME=VALUE", mend="Write it as in --dial noise=0.5."
            )
        values[name.strip()] = value
    return tuple(sorted(values.items()))

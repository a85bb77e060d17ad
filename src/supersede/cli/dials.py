"""`supersede dials`: what makes a history hard."""

import json
from dataclasses import asdict

import click

from supersede.cli.groups import examples
from supersede.model.instance import Tier
from supersede.worlds.tiers import DIALS, MEANINGS, TIERS, allowed

__all__ = ["dials"]


@click.command(epilog=examples("supersede dials", "supersede dials --tier medium --json"))
@click.option("--tier", type=click.Choice([tier.value for tier in Tier]), help="Only this tier.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def dials(tier: str | None, as_json: bool) -> None:
    """List the dials of difficulty, their ranges and the presets of the tiers.

    `supersede sample WORLD --dial NAME=VALUE` replaces one, and so does `difficulty: {dials: ...}`
    in a specification. Where a world says nothing, the preset of the tier holds.
    """
    tiers = [one for one in Tier if tier in (None, one.value)]
    rows = [(name, [asdict(TIERS[one])[name] for one in tiers]) for name in DIALS]
    if as_json:
        data = [
            {
                "dial": name,
                "meaning": MEANINGS[name],
                "range": allowed(name),
                "presets": dict(zip([one.value for one in tiers], values, strict=True)),
            }
            for name, values in rows
        ]
        print(json.dumps(data, indent=2))
        return
    width = max(len(name) for name in DIALS) + 2
    print(" " * width + "".join(f"{one.value:>12}" for one in tiers))
    for name, values in rows:
        print(f"{name:{width}}" + "".join(f"{value:>12g}" for value in values))
        print(f"{'':{width}}{MEANINGS[name]} ({allowed(name)})")

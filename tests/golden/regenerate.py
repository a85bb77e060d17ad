"""The golden hashes: one instance of each prototype and tier, held down to the byte.

    python -m tests.golden.regenerate

Whoever changes the bytes of an instance raises the `version` in the prototype's YAML, runs this,
and says `[scores]` in the changelog. Where bytes have changed under the same version, it refuses.
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from supersede.corpus.instances import instance_key, make_instance
from supersede.model.instance import Tier
from supersede.model.serialize import canonical
from supersede.prototypes import load_prototype, prototype_ids

FILE = Path(__file__).with_name("instances.json")
COMMAND = "python -m tests.golden.regenerate"

Golden: TypeAlias = dict[str, int | dict[str, str]]
"""`version` of a prototype, and `tiers`: tier -> SHA-256 of its training instance 0."""


def golden_of(prototype: str) -> Golden:
    """The hashes as they are now, records and noise included."""
    hashes = {}
    for tier in Tier:
        instance = make_instance(instance_key(prototype, tier))
        text = canonical(instance.to_json(history=True))
        hashes[tier.value] = sha256(text.encode()).hexdigest()
    return {"version": load_prototype(prototype).version, "tiers": hashes}


def recorded() -> dict[str, Golden]:
    """The hashes on file; none where there is no file yet."""
    found: dict[str, Golden] = json.loads(FILE.read_bytes()) if FILE.exists() else {}
    return found


def complaint(prototype: str, before: Golden | None, now: Golden) -> str | None:
    """What is wrong with the bytes of a prototype, and the mend; None where they are as recorded.

    Args:
        prototype: Its id.
        before: What is on file.
        now: What it gives now.
    """
    if before == now:
        return None
    if before is None or before["version"] != now["version"]:
        return f"{prototype}: version {now['version']} is not recorded. Run: {COMMAND}"
    return (
        f"{prototype}: the bytes of its instances have changed under version {now['version']}. "
        f"If that is meant, raise `version` in its YAML, then run: {COMMAND}"
    )


def main() -> int:
    """Record all hashes; 1 where bytes have changed under the same version."""
    before = recorded()
    now = {name: golden_of(name) for name in prototype_ids()}
    changed = [
        line
        for name, golden in now.items()
        if name in before and before[name]["version"] == golden["version"]
        for line in [complaint(name, before[name], golden)]
        if line is not None
    ]
    for line in changed:
        sys.stderr.write(f"{line}\n")
    if not changed:
        FILE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measures what an instance costs: from key to finished JSON, and back from its text.

    python benchmarks/bench_generate.py
    python benchmarks/bench_generate.py --prototypes soccer-timeline --instances 20

One process, one core. Every run makes other instances than the runs before it, with all kinds of
records on, as the tiers have them; question, evidence and the choice of a question that careless
readers get wrong are included. The collector of cycles is at rest, as it is in `corpus build` and
`corpus verify`. CPU time is `process_time`, wall time `perf_counter`. After `make compiled`, with
`PYTHONPATH=.compiled/lib`, it measures the compiled modules; the first line says which they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from platform import python_version
from statistics import mean, median
from time import perf_counter, process_time

from supersede.corpus.collector import collector_at_rest
from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.text_proof import prove_instance, reader_of
from supersede.model.instance import Instance, Tier
from supersede.model.serialize import instance_to_line
from supersede.prototypes import load_prototype, prototype_ids
from supersede.worlds import sample

WARM_UP = 1_000_000
"""Indices from here on are made before the clock runs."""
FITTED = 2_000_000
"""Indices from here on are those of the line through the tiers."""


@dataclass
class Cost:
    """CPU and wall seconds for some events."""

    cpu: float = 0.0
    wall: float = 0.0
    events: int = 0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Take the time of some work."""
        wall, cpu = perf_counter(), process_time()
        yield
        self.cpu += process_time() - cpu
        self.wall += perf_counter() - wall


@dataclass
class Runs:
    """The runs of one figure."""

    costs: list[Cost] = field(default_factory=list)

    def shown(self) -> str:
        """Median of CPU and wall microseconds per event, with the least and the most."""
        parts = []
        for name in ("cpu", "wall"):
            values = [1e6 * getattr(cost, name) / cost.events for cost in self.costs]
            parts.append(f"{median(values):7.2f} ({min(values):.2f} to {max(values):.2f})")
        return "".join(f"{part:>28}" for part in parts)


def finished(prototype: str, tier: Tier, index: int) -> Instance:
    """An instance, once it is JSON text."""
    instance = make_instance(instance_key(prototype, tier, index))
    instance_to_line(instance)
    return instance


def generation(prototype: str, tier: Tier, indices: Sequence[int]) -> tuple[Cost, list[Instance]]:
    """What some instances cost, and the instances."""
    cost, made = Cost(), []
    for index in indices:
        with cost.timed():
            made.append(finished(prototype, tier, index))
        cost.events += len(made[-1].history.records)
    return cost, made


def reading(instances: Sequence[Instance]) -> Cost:
    """What it costs to read messages back."""
    cost = Cost()
    for instance in instances:
        reader = reader_of(load_prototype(instance.key.prototype))
        with cost.timed():
            history = reader.read(instance.messages)
        cost.events += len(history.records)
    return cost


def proving(instances: Sequence[Instance]) -> Cost:
    """What it costs to prove instances from their messages."""
    cost = Cost()
    for instance in instances:
        with cost.timed():
            reason = prove_instance(instance)
        if reason is not None:
            raise SystemExit(f"{instance.key}: {reason}")
        cost.events += len(instance.history.records)
    return cost


def together(costs: Sequence[Cost]) -> Cost:
    """The sum of costs."""
    return Cost(
        sum(cost.cpu for cost in costs),
        sum(cost.wall for cost in costs),
        sum(cost.events for cost in costs),
    )


def fitted(points: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Intercept, slope and R^2 of the least-squares line through (events, seconds)."""
    x_mean, y_mean = mean(x for x, _ in points), mean(y for _, y in points)
    sxx = sum((x - x_mean) ** 2 for x, _ in points)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in points) / sxx
    intercept = y_mean - slope * x_mean
    rest = sum((y - intercept - slope * x) ** 2 for x, y in points)
    return intercept, slope, 1 - rest / sum((y - y_mean) ** 2 for _, y in points)


def tier_points(prototype: str, instances: int) -> list[tuple[float, float]]:
    """(mean events, mean CPU seconds) of an instance, for each tier."""
    points = []
    for tier in Tier:
        indices = range(FITTED, FITTED + instances)
        cost, _ = generation(prototype, tier, indices)
        points.append((cost.events / instances, cost.cpu / instances))
    return points


def print_speeds(prototypes: Sequence[str], instances: int, runs: int) -> None:
    """Cost per event of the longest tier: for each prototype, and overall."""
    tier = Tier.VERY_LONG
    print(f"{tier}, {instances} instances a run, {runs} runs: microseconds per event,")
    print(f"median (least to most){'CPU':>32}{'wall':>28}")
    figures = {name: [Runs() for _ in prototypes] for name in ("make", "read", "prove")}
    for number, prototype in enumerate(prototypes):
        generation(prototype, tier, range(WARM_UP, WARM_UP + 2))
        for run in range(runs):
            cost, made = generation(prototype, tier, range(run * instances, (run + 1) * instances))
            figures["make"][number].costs.append(cost)
            figures["read"][number].costs.append(reading(made))
            figures["prove"][number].costs.append(proving(made))
        print(f"{prototype:26}{figures['make'][number].shown()}", flush=True)
    for name, title in (
        ("make", "key to JSON, overall"),
        ("read", "reading back"),
        ("prove", "reading back and proving"),
    ):
        overall = Runs([together([r.costs[run] for r in figures[name]]) for run in range(runs)])
        print(f"{title:26}{overall.shown()}")


def print_line(prototypes: Sequence[str], instances: int) -> None:
    """Time per instance as a line in events over the five tiers."""
    found = {name: tier_points(name, instances) for name in prototypes}
    tiers = [
        (mean(found[name][n][0] for name in prototypes), mean(found[name][n][1] for name in found))
        for n in range(len(Tier))
    ]
    a, b, fit = fitted(tiers)
    print(f"\nCPU time per instance over the five tiers, {instances} instances each:")
    for tier, (events, seconds) in zip(Tier, tiers, strict=True):
        print(f"  {tier:12}{events:8.1f} events{1e3 * seconds:9.2f} ms")
    print(f"  = {1e6 * a:.0f} us + {1e6 * b:.2f} us x events, R^2 = {fit:.4f}")
    each = {name: fitted(points)[2] for name, points in found.items()}
    worst = min(each, key=lambda name: each[name])
    print(f"  R^2 by prototype: {each[worst]:.4f} ({worst}) to {max(each.values()):.4f}")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--prototypes", default="", help="ids with commas; default: all")
    parser.add_argument("--instances", type=int, default=5, help="for each prototype and run")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    names = [name for name in options.prototypes.split(",") if name] or list(prototype_ids())
    how = "as Python" if str(sample.__file__).endswith(".py") else "compiled"
    print(f"CPython {python_version()}, worlds and reader {how}\n")
    with collector_at_rest():
        print_speeds(names, options.instances, options.runs)
        print_line(names, options.instances * 2)


if __name__ == "__main__":
    main()

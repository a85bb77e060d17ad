"""What the order of asking and a prefix cache are worth: a real model on a small OAKS-BABI.

    python benchmarks/real_stream.py [--threads N] [--uncached-every N]

The same prompts, those of the memory `base`, are asked of SmolLM2 in three ways: in the order of
`supersede eval stream` (document, interval, question), in shuffled order, and in order by a server
that keeps no prefix. Each way has a server of its own with one slot. The ways take turns, some
calls each, so that other work on the machine slows all of them alike. Printed are the tokens that
the servers say they computed, wall time, and the CPU time of the server processes, which other
work hardly moves; ratios are of the time of a call to that of the first way. The exit code is 1
where the first way computes more than a tenth of its prompt tokens.

Needs the weights: `supersede model get smollm2`.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from supersede.evaluation.local_model import LocalServer
from supersede.evaluation.tables import text_table
from supersede.memories import MemorySettings, Prompts, blanked, make_memory
from supersede.model.memory import Chunk
from supersede.model.stream import Stream
from supersede.streams import load_streams
from supersede.worlds.streams import stream

EXAMPLE = Path(__file__).parents[1] / "docs" / "examples" / "smollm2-babi.jsonl"
"""The small OAKS-BABI of the example report."""
MOST = 0.10
"""The largest share of prompt tokens that the ordered way may compute."""

Prompt = Sequence[dict[str, str]]


@dataclass(slots=True)
class Way:
    """One way of asking, and what it has taken so far."""

    title: str
    prompts: Sequence[Prompt]
    cache: bool
    calls: int = 0
    tokens: int = 0
    """Of all prompts."""
    computed: int = 0
    """Of these, tokens that the server did not have."""
    longest: int = 0
    """Tokens of the longest prompt with its reply."""
    wall: float = 0.0
    cpu: float = 0.0


def prompts_of(given: Stream) -> list[Prompt]:
    """All prompts of a document, interval by interval, as a run with `base` asks them."""
    prompts = Prompts(preamble=str(given.meta.get("system", "")))

    async def told() -> list[Prompt]:
        memory = make_memory("base", MemorySettings(prompts=prompts))
        questions = blanked(given.questions)
        await memory.start(given.id, questions)
        found: list[Prompt] = []
        for index, text in enumerate(given.chunks):
            await memory.observe(Chunk(given.id, index, text))
            for question in questions:
                prompt = prompts.prompt(question, await memory.context(question))
                found.append([message._asdict() for message in prompt.messages()])
        return found

    return asyncio.run(told())


def shuffled(prompts: Sequence[Prompt]) -> list[Prompt]:
    """The prompts in an order that is the same each time."""
    draw, left = stream("bench", "order"), list(prompts)
    found = []
    while left:
        found.append(left.pop(int(draw() * len(left))))
    return found


def ask(server: LocalServer, prompt: Prompt, way: Way, most: int) -> None:
    """Asks one question and adds what it took."""
    body = {
        "messages": prompt,
        "temperature": 0,
        "max_tokens": most,
        "cache_prompt": way.cache,
    }
    before, begin = cpu_seconds(server.pid), perf_counter()
    timings = _post(server, body)["timings"]
    way.wall += perf_counter() - begin
    way.cpu += cpu_seconds(server.pid) - before
    way.calls += 1
    way.tokens += timings["prompt_n"] + timings["cache_n"]
    way.computed += timings["prompt_n"]
    whole = timings["prompt_n"] + timings["cache_n"] + timings["predicted_n"]
    way.longest = max(way.longest, whole)


def _post(server: LocalServer, body: dict[str, Any]) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.base_url).port)
    headers = {"Authorization": f"Bearer {server.api_key}", "Content-Type": "application/json"}
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read()
    finally:
        connection.close()
    if response.status != http.HTTPStatus.OK:
        raise SystemExit(f"error: the server refused a prompt: {text.decode()}")
    return json.loads(text)


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(ways: Sequence[Way], turns: int, most: int, threads: int | None) -> int:
    """Asks everything, the ways taking turns, and returns the tokens of the servers' window."""
    with ExitStack() as servers:
        started = [servers.enter_context(LocalServer(threads=threads)) for _ in ways]
        pairs = list(zip(ways, started, strict=True))
        for n in range(turns):
            for way, server in pairs:
                begin, end = (len(way.prompts) * at // turns for at in (n, n + 1))
                for prompt in way.prompts[begin:end]:
                    ask(server, prompt, way, most)
            pairs = pairs[1:] + pairs[:1]
            print(f"turn {n + 1} of {turns} is done", file=sys.stderr)
        return started[0].context


def rows(ways: Sequence[Way]) -> list[list[str]]:
    """The table; wall and CPU time also as ratios per call to the first way."""
    wall, cpu = (value / ways[0].calls for value in (ways[0].wall, ways[0].cpu))
    return [
        [
            way.title,
            f"{way.calls}",
            f"{way.tokens:,}",
            f"{way.computed:,}",
            f"{way.computed / way.tokens:.1%}",
            f"{way.wall:.0f}",
            f"{way.wall / way.calls / wall:.1f}",
            f"{way.cpu:.0f}",
            f"{way.cpu / way.calls / cpu:.1f}",
        ]
        for way in ways
    ]


def main() -> int:
    """Print the table; 1 where the ordered way computes too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=EXAMPLE, help="streams; the first is asked")
    parser.add_argument("--max-tokens", type=int, default=16, help="of a reply")
    parser.add_argument("--threads", type=int, help="of each server; llama.cpp chooses by default")
    parser.add_argument(
        "--uncached-every",
        type=int,
        default=1,
        metavar="N",
        help="ask only every Nth question without the cache, which takes longest",
    )
    options = parser.parse_args()
    given = load_streams(options.data)[0]
    prompts = prompts_of(given)
    ways = [
        Way("in order", prompts, cache=True),
        Way("shuffled", shuffled(prompts), cache=True),
        Way("no prefix cache", prompts[:: options.uncached_every], cache=False),
    ]
    window = measure(ways, len(given.chunks), options.max_tokens, options.threads)
    print(
        f"{options.data.name}: {len(given.chunks)} chunks, {len(given.questions)} questions after "
        f"each; SmolLM2-135M, one slot, replies of at most {options.max_tokens} tokens"
    )
    header = ["way", "calls", "prompt tokens", "computed", "share", "wall s", "ratio", "CPU s"]
    print(text_table([*header, "ratio"], rows(ways)))
    longest = max(way.longest for way in ways)
    print(f"longest prompt and reply: {longest:,} of {window:,} tokens; nothing is truncated")
    if longest > window:
        raise SystemExit("error: a prompt did not fit")
    return 1 if ways[0].computed > MOST * ways[0].tokens else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measures what the harness adds to a call: 65 intervals, 102 questions, chunks of 8 KB.

    python benchmarks/bench_stream_harness.py
    python benchmarks/bench_stream_harness.py --whole      # 12 documents in one run as well

The model echoes at once, so all time and memory are ours and Inspect's. Each way of asking runs
in a process of its own, which runs a document of one question first: what a first run loads, a
second or two however many calls follow, is told apart. The rates hold all else: revealing, asking,
the journal, scoring, the log. Limits: 500 calls a second through `Model.generate` below 400 MB and
with a log below 2 MB a document, 3,000 on the lean path; all 12 documents below 700 MB. Rates are
told by CPU time and by wall time; the former is judged, since it means something on a machine that
does other work as well.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from supersede.model.stream import Stream, StreamQuestion
from supersede.streams import write_streams
from supersede.worlds.streams import pick, stream

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

PLACES = ("kitchen", "garden", "hallway", "office", "bathroom", "bedroom")
WORDS = ("it", "was", "said", "at", "first", "that", "things", "stood", "otherwise", "and", "yet")
CHUNK = 8192
MIB = 1024


def drawn_streams(documents: int, chunks: int, questions: int) -> Iterator[Stream]:
    """Documents of words without sense, whose answers change now and then."""
    draw = stream("bench", "harness")
    for document in range(documents):
        text = [" ".join(pick(draw, WORDS) for _ in range(2200))[:CHUNK] for _ in range(chunks)]
        rows = []
        for number in range(questions):
            answer, answers = "Unknown", []
            for _ in range(chunks):
                answer = pick(draw, PLACES) if draw() < 5 / chunks else answer
                answers.append((answer,))
            rows.append(StreamQuestion(f"q{number}", f"Where is {number}?", "x", tuple(answers)))
        yield Stream(f"d{document}", tuple(text), tuple(rows), "babi")


def measure(source: Path, lean: bool, documents: int) -> dict[str, float]:
    """Runs the task in this process, once for what a first run loads and once for the figures."""
    first = process_time()
    tiny = source.with_name("tiny.jsonl")
    write_streams(tiny, drawn_streams(1, 1, 1))
    run(tiny, lean, 1)
    begin, begin_cpu = perf_counter(), process_time()
    log = run(source, lean, documents)
    seconds, cpu = perf_counter() - begin, process_time() - begin_cpu
    place = Path(log.location.removeprefix("file://"))
    calls = log.eval.metadata["calls"] if log.eval.metadata else 0
    return {
        "calls": calls,
        "per_second": calls / seconds,
        "per_cpu_second": calls / cpu,
        "first_seconds": begin_cpu - first,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB,
        "log_mb": place.stat().st_size / MIB**2,
    }


def run(source: Path, lean: bool, documents: int) -> EvalLog:
    """One run of the task."""
    from inspect_ai import eval as inspect_eval

    import supersede.evaluation.registry  # noqa: F401 - what Inspect would find by entry point

    (log,) = inspect_eval(
        "supersede/stream",
        model=echo_model(),
        task_args={
            "data": str(source),
            "lean": lean,
            "documents": documents,
            "context_limit": 10**9,
        },
        log_dir=str(source.parent / f"logs-{lean}-{documents}-{source.stem}"),
        display="none",
        log_realtime=False,
        log_buffer=1,
        log_model_api=False,
        max_samples=1,
        max_connections=256,
    )
    assert log.status == "success", log.error
    return log


def echo_model() -> Model:
    """A model that says the same to everything, at once."""
    from inspect_ai.model import GenerateConfig, Model, ModelAPI, ModelOutput, ModelUsage, modelapi

    class Echo(ModelAPI):
        async def generate(
            self, input: object, tools: object, tool_choice: object, config: object
        ) -> ModelOutput:
            output = ModelOutput.from_content("echo", "## Answer: kitchen")
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output

    return Model(modelapi(name="echo")(Echo)("echo"), GenerateConfig())


def main() -> int:
    """Print all figures; 1 where a limit is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--whole", action="store_true", help="measure 12 documents in one run too")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        source, lean, documents = options.child
        print(json.dumps(measure(Path(source), lean == "lean", int(documents))))
        return 0
    broken = 0
    with TemporaryDirectory() as folder:
        source = Path(folder) / "streams.jsonl"
        write_streams(source, drawn_streams(12 if options.whole else 1, 65, 102))
        runs = [("generate", 1, 500, 400, 2.0), ("lean", 1, 3000, 400, 2.0)]
        if options.whole:
            runs += [("generate", 12, 500, 700, 24.0), ("lean", 12, 3000, 700, 24.0)]
        for way, documents, least, memory, log in runs:
            command = [sys.executable, __file__, "--child", str(source), way, str(documents)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            print(
                f"{way:8} {documents:2} documents, {found['calls']:6,} calls: "
                f"{found['per_cpu_second']:6,.0f} a CPU second (at least {least:,}), "
                f"{found['per_second']:6,.0f} a second of wall time, "
                f"peak {found['peak_mb']:.0f} MB (below {memory}), "
                f"log {found['log_mb']:.2f} MB (below {log:g}), "
                f"{found['first_seconds']:.1f} CPU seconds to start",
                flush=True,
            )
            slow = found["per_cpu_second"] < least
            broken += slow or found["peak_mb"] >= memory or found["log_mb"] >= log
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

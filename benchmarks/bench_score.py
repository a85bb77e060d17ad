"""Measures what scoring 80,000 predictions costs, from two files to the report.

    python benchmarks/bench_score.py
    python benchmarks/bench_score.py --documents 39 --chunks 78 --questions 22

Streams and predictions are drawn: as many documents, chunks of 8 KB and questions as OAKS-BABI
has, some five changes a question, and raw completions of some sixty words. The time to beat is
5 s for reading, matching, all metrics and 10,000 resamples, in one process.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from supersede.metrics.bootstrap import RESAMPLES
from supersede.metrics.stream_report import score_traces
from supersede.model.stream import Stream, StreamQuestion
from supersede.streams import load_streams, write_streams
from supersede.streams.scoring import score_file
from supersede.worlds.streams import pick, stream

LIMIT = 5.0
PLACES = ("kitchen", "garden", "hallway", "office", "bathroom", "bedroom")
TYPES = ("tracking", "counting", "bridge", "comparison")
PROSE = "It was said at first that things stood otherwise and nobody could tell for certain. " * 4


def drawn_streams(documents: int, chunks: int, questions: int) -> Iterator[Stream]:
    """Documents whose answers change now and then."""
    draw = stream("bench", "truth")
    for document in range(documents):
        rows = []
        for number in range(questions):
            answer, answers = "Unknown", []
            for _ in range(chunks):
                answer = pick(draw, PLACES) if draw() < 5 / chunks else answer
                answers.append((answer,))
            kind = TYPES[number % len(TYPES)]
            rows.append(StreamQuestion(f"q{number}", "Where?", kind, tuple(answers)))
        yield Stream(f"d{document}", (PROSE * 24,) * chunks, tuple(rows), "babi")


def write_predictions(path: Path, streams: tuple[Stream, ...]) -> int:
    """Writes replies that are right in two cases out of five; gives their number."""
    draw = stream("bench", "replies")
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        for given in streams:
            for question in given.questions:
                for interval, answers in enumerate(question.answers):
                    said = answers[0] if draw() < 0.4 else pick(draw, PLACES)
                    row = {
                        "stream": given.id,
                        "question": question.id,
                        "interval": interval,
                        "completion": f"{PROSE}\n## Answer: the **{said}**.",
                    }
                    file.write(f"{json.dumps(row)}\n")
                    rows += 1
    return rows


def main() -> int:
    """Print all figures; 1 where scoring takes too long."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=12)
    parser.add_argument("--chunks", type=int, default=65)
    parser.add_argument("--questions", type=int, default=103, help="for each document")
    options = parser.parse_args()
    streams = tuple(drawn_streams(options.documents, options.chunks, options.questions))
    with TemporaryDirectory() as folder:
        path, source = Path(folder) / "predictions.jsonl", Path(folder) / "streams.jsonl"
        write_streams(source, streams)
        rows = write_predictions(path, streams)
        begin = perf_counter()
        scored = score_file(load_streams(source), path)
        read = perf_counter()
        report = score_traces(scored.traces, resamples=RESAMPLES)
        end = perf_counter()
    print(f"{rows:,} predictions, {len(streams)} documents, {RESAMPLES:,} resamples")
    print(f"reading and matching {read - begin:.2f} s, metrics and bootstrap {end - read:.2f} s")
    print(f"accuracy {report.measures['accuracy'].estimate.value:.3f}")
    print(f"in all {end - begin:.2f} s; limit {LIMIT} s")
    return 0 if end - begin < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())

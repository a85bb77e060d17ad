"""Streams: documents revealed chunk by chunk, with the right answers at every interval.

`load_stream` and `load_streams` read files, ours or the official OAKS JSON; `world_stream` turns a
world into a stream; `supersede.streams.babi` hides facts in prose and asks about them.
"""

from supersede.streams.files import load_stream, load_streams, write_streams
from supersede.streams.statistics import StreamStatistics, statistics
from supersede.streams.validate import Violation, violations
from supersede.streams.worlds import world_stream

__all__ = [
    "StreamStatistics",
    "Violation",
    "load_stream",
    "load_streams",
    "statistics",
    "violations",
    "world_stream",
    "write_streams",
]

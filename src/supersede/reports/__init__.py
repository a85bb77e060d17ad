"""Reports: one self-contained HTML page about runs on streams."""

from supersede.reports.page import Request, render
from supersede.reports.runs import Run, Source, named_sources, read_runs

__all__ = ["Request", "Run", "Source", "named_sources", "read_runs", "render"]

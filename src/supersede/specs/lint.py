"""What is wrong with a specification, before anything is run: all findings at once.

The parts look at names, state, expressions, events, wordings and validity. What needs a world or
a reader to be seen is found further down, by `corpus.prove`.
"""

from __future__ import annotations

from supersede.specs.lint_bounds import lint_bounds
from supersede.specs.lint_catalogue import is_catalogue_file, lint_catalogue
from supersede.specs.lint_events import lint_events
from supersede.specs.lint_names import lint_names
from supersede.specs.lint_possible import lint_possible
from supersede.specs.lint_report import Finding, Report
from supersede.specs.lint_state import lint_state
from supersede.specs.lint_validity import lint_validity
from supersede.specs.lint_wordings import lint_wordings
from supersede.specs.load import Loaded

__all__ = ["Finding", "lint"]


def lint(loaded: Loaded) -> list[Finding]:
    """All findings about a specification in file order; none where all is well.

    A name that is wrong is told once: what uses it is not looked at.
    """
    report = Report(loaded)
    lint_state(report)
    lint_names(report)
    lint_validity(report)
    lint_bounds(report)
    lint_events(report)
    lint_wordings(report)
    if not report.failed:
        lint_possible(report)
    if is_catalogue_file(loaded.source):
        lint_catalogue(report, loaded.source)
    return report.findings()

"""Every example of the documentation is run, and what it says is what comes out."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from supersede.cli.main import COMMANDS
from supersede.specs.lint import lint
from supersede.specs.load import parse_specification

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
    "docs/specification.md",
    "docs/semantics.md",
    "docs/reports.md",
    "docs/streams.md",
    "docs/memories.md",
    "docs/hysteresis.md",
    "docs/exports.md",
    "docs/novels.md",
)


def test_the_session_of_the_readme_is_real() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    session = re.search(r"```pycon\n(.*?)```", text, re.DOTALL)
    assert session is not None
    example = doctest.DocTestParser().get_doctest(session[1], {}, "README.md", "README.md", 0)
    complaints: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    outcome = runner.run(example, out=complaints.append)
    assert len(example.examples) >= 5
    assert outcome.failed == 0, "".join(complaints)


def test_the_specification_of_the_guide_has_no_mistake() -> None:
    text = (ROOT / "docs/specification.md").read_text(encoding="utf-8")
    example = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    findings = lint(parse_specification(example[1], "docs/specification.md"))
    assert [str(finding) for finding in findings if finding.severity == "error"] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|\$ )supersede ([a-z]+)", text))
    assert named <= set(COMMANDS), f"{page} names {sorted(named - set(COMMANDS))}"


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"

"""What breaks a rule as one page that opens offline: each question with what was said about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from supersede.corpus.show import counted
from supersede.novels.annotations import BookAnnotations, Question
from supersede.novels.checking import RULES, Finding, Level
from supersede.novels.overview import timeline_lines
from supersede.novels.page_frame import framed
from supersede.reports.markup import Html, element, join
from supersede.reports.tables import table

__all__ = ["check_data", "check_page"]


def check_data(
    said: Sequence[BookAnnotations], found: Sequence[Finding], *, strict: bool = False
) -> dict[str, Any]:
    """The findings of some books as plain JSON data, with how many of them fail.

    Args:
        said: The books that were looked at.
        found: What was found in them.
        strict: Whether what is worth a look fails too.
    """
    return {
        "books": [one.book for one in said],
        "questions": sum(not question.dropped for one in said for question in one.questions),
        "fails": sum(_fails(finding.level, strict) for finding in found),
        "findings": [{**asdict(f), "level": f.level, "mend": f.mend} for f in found],
    }


def check_page(
    said: Sequence[BookAnnotations],
    found: Sequence[Finding],
    skipped: Sequence[str] = (),
    *,
    strict: bool = False,
) -> str:
    """The page as HTML.

    Args:
        said: The books that were looked at.
        found: What was found in them.
        skipped: Rules that were left out.
        strict: Whether what is worth a look fails too.
    """
    data = check_data(said, found, strict=strict)
    fails = data["fails"]
    lead = (
        f"{counted(len(said), 'book')}, {counted(data['questions'], 'question')}: "
        f"{counted(fails, 'failure')}, {len(found) - fails:,} worth a look. "
        "Whether a sentence supports its answer, a machine does not see."
    )
    sections = [
        *((f"{one.title} ({one.book})", _book(one, found, strict)) for one in said),
        ("Rules", _rules(found, skipped, strict)),
    ]
    return framed("Check of annotated questions", lead, sections, data=data)


def _fails(level: Level, strict: bool) -> bool:
    return strict or level is Level.FAILS


def _rules(found: Sequence[Finding], skipped: Sequence[str], strict: bool) -> Html:
    count = Counter(finding.rule for finding in found)
    rows = [
        [
            name,
            "left out" if name in skipped else f"{count[name]:,}",
            "fails" if _fails(rule.level, strict) else "worth a look",
            rule.says,
            rule.source,
        ]
        for name, rule in RULES.items()
    ]
    header = ["Rule", "Broken", "Then it", "What must hold", "From"]
    inner = table("Every rule that questions were held to.", header, rows)
    return element("div", inner, class_="text")


def _book(said: BookAnnotations, found: Sequence[Finding], strict: bool) -> Html:
    """The questions of a book, those that break rules first."""
    by_question: dict[str, list[Finding]] = {}
    for finding in found:
        if finding.book == said.book:
            by_question.setdefault(finding.question, []).append(finding)
    asked = {question.id: question for question in said.questions if not question.dropped}
    sound = [name for name in asked if name not in by_question]
    parts = list(_questions(said, asked, by_question, strict))
    if sound:
        parts.append(element("p", f"Nothing against: {', '.join(sound)}.", class_="quiet"))
    return join(parts or [element("p", "No question is in.", class_="quiet")])


def _questions(
    said: BookAnnotations,
    asked: Mapping[str, Question],
    found: Mapping[str, Sequence[Finding]],
    strict: bool,
) -> Iterator[Html]:
    for name, findings in found.items():
        question = asked[name]
        ordered = sorted(findings, key=lambda one: one.level is not Level.FAILS)
        lines = "\n".join(timeline_lines(said, question))
        rows = [_row(one, strict) for one in ordered]
        yield element("h3", f"{name}: {question.text}")
        yield element(
            "div",
            table("What speaks against it.", ["Rule", "What", "Mend", "Where"], rows),
            class_="text",
        )
        yield element("details", element("summary", "What was said"), element("pre", lines))


def _row(finding: Finding, strict: bool) -> list[str]:
    fails = _fails(finding.level, strict)
    mark = element("span", "fails" if fails else "look", class_="mark bad" if fails else "mark")
    places = [] if finding.chunk is None else [f"chunk {finding.chunk}"]
    places += [finding.annotator] if finding.annotator else []
    return [join([finding.rule, Html(" "), mark]), finding.what, finding.mend, ", ".join(places)]

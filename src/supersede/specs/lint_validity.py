"""Lint of validity: status labels, rules, and what the sampler needs of both."""

from __future__ import annotations

from supersede.errors import did_you_mean
from supersede.specs.lint_report import Report
from supersede.specs.load import Place


def lint_validity(report: Report) -> None:
    """Look through status labels and rules."""
    _statuses(report)
    _rules(report)
    _enough(report)


def _statuses(report: Report) -> None:
    statuses = report.spec.statuses
    for n, label in enumerate(statuses.counts):
        path: Place = ("statuses", "counts", n)
        if label in statuses.does_not_count:
            report.error(path, f"status {label!r} both counts and does not count", "Keep one.")
        elif label in statuses.counts[:n]:
            report.error(path, f"status {label!r} is listed twice", "Keep one.")


def _rules(report: Report) -> None:
    spec = report.spec
    labels = {**dict.fromkeys(spec.statuses.counts, True),
              **dict.fromkeys(spec.statuses.does_not_count, False)}  # fmt: skip
    seen: set[tuple[str, str, str, bool]] = set()
    for n, rule in enumerate(spec.rules):
        path: Place = ("rules", n)
        becomes = rule.becomes == "counts"
        if rule.label not in labels:
            report.error((*path, "label"), f"rule about an unknown status {rule.label!r}",
                         did_you_mean(rule.label, labels), missing=rule.label)  # fmt: skip
        elif labels[rule.label] == becomes and not any(
            other.label == rule.label and other.becomes != rule.becomes for other in spec.rules
        ):
            report.error((*path, "becomes"), f"rule changes nothing: {rule.label!r} "
                         f"{'counts' if becomes else 'does not count'} anyway",
                         "Turn `becomes` round, or remove the rule.")  # fmt: skip
        if rule.where is not None and rule.where not in spec.entities:
            report.error((*path, "where"), f"rule: unknown type {rule.where!r}",
                         did_you_mean(rule.where, spec.entities), missing=rule.where)  # fmt: skip
        key = (rule.label, rule.becomes, rule.reach, rule.where is not None)
        if key in seen:
            report.error(path, f"a second rule says the same of {rule.label!r}",
                         "Add its texts to the first one.")  # fmt: skip
        seen.add(key)


def _enough(report: Report) -> None:
    """The sampler needs labels that no rule of a history names."""
    spec = report.spec
    ruled = {rule.label for rule in spec.rules}
    inert = spec.statuses.does_not_count
    free = [label for label in inert if label not in ruled]
    path: Place = ("statuses", "does_not_count")
    pending = [label for label in free if inert[label] == "pending"]
    if not pending:
        report.error(path, "no pending status that no rule names: nothing can be confirmed",
                     "Add one, such as `draft: pending`.")  # fmt: skip
    if len(free) <= len(pending[:1]):
        report.error(path, "no other status that does not count and that no rule names: records "
                     "born not to count need one", "Add one, such as `test run: test`."
                     )  # fmt: skip
    if all(label in ruled for label in spec.statuses.counts):
        report.error(("statuses", "counts"), "every status that counts is named by a rule",
                     "Add one that no rule names.")  # fmt: skip

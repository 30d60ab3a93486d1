"""Checks for continuous integration: scores against limits, and systems against a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from errata.errors import visible
from errata.metrics.results import Results
from errata.significance.compare import SystemComparison


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one system; `failure` says why it fails and is empty if it passes."""

    about: str
    system: str
    value: float
    failure: str = ""


def score_checks(results: Results, limits: Mapping[str, float]) -> list[Check]:
    """Check the score of every system against limits by metric name, with or without parameters.

    A score fails if it is undefined or worse than its limit; a score without a limit passes.
    """
    by_number = {results.number_of(name): (name, limit) for name, limit in limits.items()}
    checks = []
    for number, metric in enumerate(results.metrics):
        name, limit = by_number.get(number, (str(metric), None))
        for system in results.systems:
            value = results.score(system, number).value
            failure = "" if limit is None else _worse_than(value, limit, metric.higher_is_better)
            checks.append(Check(name, system, value, failure and f"{name} of {system} is {failure}"))
    return checks


def _worse_than(value: float, limit: float, higher_is_better: bool) -> str:
    """A text that says how the value is worse than the limit; empty if it is not."""
    if value >= limit if higher_is_better else value <= limit:
        return ""
    shown = f"{value:.4f}"
    if float(shown) == round(limit, 4):  # rounding would hide the difference
        shown = repr(float(value))
    return f"{shown}, {'under' if higher_is_better else 'over'} {limit:g}"


def comparison_checks(comparisons: Iterable[SystemComparison], p: float) -> list[Check]:
    """Check every system against the baseline: it fails if it is worse with a corrected p-value ≤ p.

    If permutations stopped early, their decision counts instead of the p-value.
    """
    checks = []
    for comparison in comparisons:
        metric, plan = comparison.metric, comparison.plan
        about = str(metric) + ("" if comparison.group is None else f", {comparison.group}")
        for pair in comparison.pairs:
            worse = pair.difference < 0 if metric.higher_is_better else pair.difference > 0
            significant = pair.adjusted <= p if plan.risk is None else pair.decision == "significant"
            failure = (
                f"{pair.first} is worse than {pair.second} by {about} "
                f"({pair.difference:+.{metric.decimals}f}, p = {pair.adjusted:.4f})"
            )
            checks.append(Check(about, pair.first, pair.difference, failure if worse and significant else ""))
    return checks


def verdict(checks: Sequence[Check]) -> str:
    """The failures in one line; empty if all checks pass."""
    return "; ".join(check.failure for check in checks if check.failure)


def junit(checks: Sequence[Check], name: str) -> str:
    """A JUnit report for build servers: one test case per check."""
    failed = sum(bool(check.failure) for check in checks)
    counts = {"tests": str(len(checks)), "failures": str(failed), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **counts})
    for check in checks:
        names = {"classname": visible(f"{name}.{check.about}"), "name": visible(check.system)}
        case = ElementTree.SubElement(suite, "testcase", names)
        if check.failure:
            ElementTree.SubElement(case, "failure", {"message": visible(check.failure)})
        value = "undefined" if math.isnan(check.value) else repr(float(check.value))
        ElementTree.SubElement(case, "system-out").text = value
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"

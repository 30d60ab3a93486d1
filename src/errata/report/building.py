"""From results to the report: what is computed, in which order, and what is left out without texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from errata.human.judgments import Judgments
from errata.metrics.results import Results
from errata.report.page import render_page
from errata.report.payload import Settings, mark, report_data
from errata.report.sentences import chunk_count, sentence_chunk, sentence_index


def steps(results: Results) -> int:
    """How many steps of work `build_report` tells of."""
    return 2 * len(results.metrics) + 2


def build_report(
    results: Results,
    settings: Settings,
    judgments: Judgments | None = None,
    *,
    sentences: bool = True,
    advance: Callable[[int], None] = lambda steps: None,
) -> str:
    """The whole report as one HTML page; without `sentences` it has no explorer."""
    if results.corpus is not None:  # its segments are looked at many times: parse them once
        results = replace(results, corpus=results.corpus.select(range(len(results))))
    marked = mark(results, settings.jobs)
    advance(1)
    data = report_data(results, settings, marked, advance)
    items = {}
    if judgments is not None:
        from errata.report.people import items_by_line, people_data

        data["human"] = people_data(results, judgments, seed=settings.seed)
        items = items_by_line(results, judgments)
    advance(1)
    if results.corpus is None or results.outputs is None or not sentences:
        return render_page(data)
    chunks = (sentence_chunk(results, marked, number) for number in range(chunk_count(results)))
    return render_page(data, sentence_index(results, items), chunks)

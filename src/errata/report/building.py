"""From results to the report: what is computed, in which order, and what is left out without texts."""

from __future__ import annotations

from collections.abc import Callable

from errata.human.judgments import Judgments
from errata.metrics.results import Results
from errata.report.page import render_page
from errata.report.payload import Data, Marked, Settings, mark, report_data
from errata.report.sentences import chunk_count, sentence_chunk, sentence_index


def steps(results: Results) -> int:
    """How many steps of work `prepare` reports."""
    return 2 * len(results.metrics) + 2


def prepare(
    results: Results,
    settings: Settings,
    judgments: Judgments | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> tuple[Data, Data | None, Marked | None]:
    """The report's data, the explorer's index (None without texts), and the systems' edits."""
    marked = mark(results, settings.jobs)
    advance(1)
    data = report_data(results, settings, marked, advance)
    items = {}
    if judgments is not None:
        from errata.report.people import items_by_line, people_data

        data["human"] = people_data(results, judgments, seed=settings.seed)
        items = items_by_line(results, judgments)
    index = None if results.corpus is None or results.outputs is None else sentence_index(results, items)
    advance(1)
    return data, index, marked


def build_report(
    results: Results,
    settings: Settings,
    judgments: Judgments | None = None,
    *,
    sentences: bool = True,
    advance: Callable[[int], None] = lambda steps: None,
) -> str:
    """The whole report as one HTML page; without `sentences` it has no explorer."""
    data, index, marked = prepare(results, settings, judgments, advance)
    if index is None or not sentences:
        return render_page(data)
    chunks = (sentence_chunk(results, marked, number) for number in range(chunk_count(results)))
    return render_page(data, index, chunks)

"""The HTML report of an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from errata.meta.evaluation import Evaluation
from errata.report.page import render_page
from errata.report.payload import Heading, report_data
from errata.report.people import people_data
from errata.report.sentences import chunk_count, sentence_chunk, sentence_index

# What takes time to compute, in this order; `build_report` tells of each one that is done.
STEPS = ("marked", "comparisons", "groups", "planes", "types", "agreement", "curves", "people")


def build_report(
    evaluation: Evaluation,
    heading: Heading | None = None,
    *,
    sentences: bool = True,
    advance: Callable[[int], None] = lambda steps: None,
) -> str:
    """The whole report as one HTML page; without `sentences` it has no explorer."""
    results = evaluation.results
    if results.corpus is not None:  # its segments are looked at many times: parse them once
        results = replace(results, corpus=results.corpus.select(range(len(results))))
        evaluation = replace(evaluation, results=results)
    for step in STEPS:
        getattr(evaluation, step)
        advance(1)
    data = report_data(evaluation, heading or Heading())
    if evaluation.people is not None:
        data["human"] = people_data(evaluation.people)
    if results.corpus is None or results.outputs is None or not sentences:
        return render_page(data)
    marked = evaluation.marked
    chunks = (sentence_chunk(results, marked, number) for number in range(chunk_count(results)))
    return render_page(data, sentence_index(evaluation), chunks)

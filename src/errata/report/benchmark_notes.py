"""What a paper should say about scores on a benchmark, as text and as LaTeX."""

from __future__ import annotations

from errata.data.benchmarks import Benchmark, benchmark
from errata.metrics.labels import metric_names
from errata.metrics.results import Results
from errata.tables import latex_text


def paper_notes(results: Results, name: str) -> list[str]:
    """The benchmark with citation and licence, then every system's scores as a sentence and in LaTeX."""
    about = benchmark(name)
    entry = about.entry
    notes = [
        f"benchmark {name} = {about.title}, {len(results):,} segments, {about.tokens}; "
        f"licence: {entry.licence or 'see ' + entry.homepage}",
        f"cite: {entry.citation}",
    ]
    if about.note:
        notes.append(f"note: {about.note}")
    for system in results.systems:
        notes.append(f"text: {_sentence(results, system, about)}")
        notes.append(f"LaTeX: {_row(results, system)}")
    return notes


def _sentence(results: Results, system: str, about: Benchmark) -> str:
    """One system's scores by all metrics, as a paper may put them into its text."""
    found = []
    for number, (metric, label) in enumerate(
        zip(results.metrics, metric_names(results.metrics), strict=True)
    ):
        parts = results.score(system, number).parts
        shown = [f"{metric.label(part)} {parts[part]:.{metric.decimals}f}" for part in metric.shown]
        more = f" ({', '.join(shown)})" if shown else ""
        found.append(f"{label} = {parts[metric.parts[0]]:.{metric.decimals}f}{more}")
    return f"{system}: {'; '.join(found)} on {about.title} ({about.cite})."


def _row(results: Results, system: str) -> str:
    cells = [latex_text(system)]
    for number, metric in enumerate(results.metrics):
        parts = results.score(system, number).parts
        cells += [f"{parts[part]:.{metric.decimals}f}" for part in (*metric.shown, metric.parts[0])]
    return " & ".join(cells) + r" \\"

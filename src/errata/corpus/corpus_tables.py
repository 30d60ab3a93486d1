"""Tables of corpora: statistics, parts, and findings of checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.model import Corpus
from errata.corpus.statistics import ANNOTATORS, DEFAULT_ERROR_RATE, ERROR_RATES, CorpusStatistics
from errata.errors import ErrataError, plural
from errata.tables import Cell, Column, Table

Rate = tuple[str, str]  # definition, annotators
_LONGEST = 5  # tokens; longer edits share a row
_LINES_SHOWN = 5  # line numbers of findings in a row


def parse_rates(texts: Sequence[str]) -> list[Rate]:
    """Parse `DEF`, `DEF:ANNOTATORS` or `all` into pairs; unknown names are errors."""
    rates: list[Rate] = []
    for text in texts or (DEFAULT_ERROR_RATE,):
        if text == "all":
            rates += [
                (d, a) for d in ERROR_RATES for a in ANNOTATORS if a != "any" or d == DEFAULT_ERROR_RATE
            ]
            continue
        definition, _, annotators = text.partition(":")
        annotators = annotators or "pooled"
        if definition not in ERROR_RATES or annotators not in ANNOTATORS:
            raise ErrataError(
                f"there is no error rate {text!r}\n"
                f"  hint: use {', '.join(ERROR_RATES)}, perhaps with a colon and {', '.join(ANNOTATORS)}"
            )
        if annotators == "any" and definition != DEFAULT_ERROR_RATE:
            raise ErrataError(f"'any' is possible for {DEFAULT_ERROR_RATE} only, not for {definition}")
        rates.append((definition, annotators))
    return list(dict.fromkeys(rates))


def overview(statistics: Mapping[str, CorpusStatistics], by: str | None, rates: Sequence[Rate]) -> Table:
    """Sizes: one row per corpus and value of `by`, with totals."""
    numbers: list[tuple[str, int | None, Callable[[CorpusStatistics], Cell]]] = [
        ("segments", None, lambda s: len(s.segments)),
        ("paragraphs", None, lambda s: s.paragraphs),
        ("documents", None, lambda s: s.documents),
        ("tokens", None, lambda s: s.tokens),
        ("references", 2, lambda s: s.annotations / len(s.segments) if s.segments else None),
        ("edits", None, lambda s: s.edits),
        ("changed %", 1, lambda s: _percent(s.changed)),
    ]
    columns = [Column("corpus"), *([Column(by)] if by else [])]
    columns += [Column(name, decimals) for name, decimals, _ in numbers]
    columns += [Column("error rate %" if len(rates) == 1 else f"{d}:{a} %", 2) for d, a in rates]
    rows: list[Sequence[Cell]] = []
    rules: set[int] = set()
    for name, value, part, first in _parts(statistics, by):
        if first:
            rules.add(len(rows))
        cells: list[Cell] = [name, *([value] if by else [])]
        cells += [number(part) for _, _, number in numbers]
        cells += [_percent(part.error_rate(*rate)) for rate in rates]
        rows.append(cells)
    notes = ["references: per segment; edits and changed %: over all annotations"]
    for name, whole in statistics.items():
        if whole.without_paragraph:
            count = whole.without_paragraph
            notes.append(
                f"paragraphs: those to which a segment belongs; in {name} the paragraph of {count:,} "
                f"{plural(count, 'segment')} is unknown"
            )
    notes += [f"error rate {d}:{a}: {ERROR_RATES[d].meaning}; {ANNOTATORS[a]}" for d, a in rates[:3]]
    return Table(columns, rows, title="Corpora", notes=notes, rules=frozenset(rules))


def types(statistics: Mapping[str, CorpusStatistics], by: str | None) -> Table:
    """Edits by error type, most frequent first."""
    whole = CorpusStatistics.together(list(statistics.values()))
    groups = whole.groups(by) if by else {}
    columns = [Column("type"), Column("edits"), Column("%", 2), Column("per 1,000 tokens", 2)]
    columns += [Column(f"{_shown(value, by)} %", 2) for value in groups]
    rows: list[Sequence[Cell]] = []
    for kind, number in sorted(whole.types.items(), key=lambda item: (-item[1], item[0])):
        per_thousand = 1000 * number / whole.annotated_tokens if whole.annotated_tokens else None
        row: list[Cell] = [kind, number, 100 * number / whole.edits, per_thousand]
        row += [100 * g.types[kind] / g.edits if g.edits else None for g in groups.values()]
        rows.append(row)
    notes = ["per 1,000 tokens: source tokens, counted once for each annotation"]
    return Table(columns, rows, title="Error types", notes=notes)


def lengths(statistics: Mapping[str, CorpusStatistics]) -> Table:
    """Edits by their numbers of source tokens and of corrected tokens."""
    whole = CorpusStatistics.together(list(statistics.values()))
    sizes = [*map(str, range(_LONGEST)), f"{_LONGEST}+"]
    grid = [[0] * len(sizes) for _ in sizes]
    for (before, after), number in whole.lengths.items():
        grid[min(before, _LONGEST)][min(after, _LONGEST)] += number
    rows = [
        (size, *row, sum(row), 100 * sum(row) / whole.edits if whole.edits else None)
        for size, row in zip(sizes, grid, strict=True)
    ]
    columns = [Column("source tokens"), *(Column(f"→ {size}") for size in sizes)]
    columns += [Column("edits"), Column("%", 2)]
    return Table(columns, rows, title="Edits by length: source tokens → corrected tokens")


def references(statistics: Mapping[str, CorpusStatistics], by: str | None) -> Table:
    """Segments by number of references."""
    parts = list(_parts(statistics, by))
    sizes = sorted({size for _, _, part, _ in parts for size in part.references_per_segment})
    rows: list[Sequence[Cell]] = [
        [name, *([value] if by else []), *(part.references_per_segment.get(size, 0) for size in sizes)]
        for name, value, part, _ in parts
    ]
    columns = [Column("corpus"), *([Column(by)] if by else [])]
    columns += [Column(f"{size} {plural(size, 'reference')}") for size in sizes]
    return Table(columns, rows, title="Segments by number of references")


def _parts(
    statistics: Mapping[str, CorpusStatistics], by: str | None
) -> list[tuple[str, str, CorpusStatistics, bool]]:
    """(corpus, value of `by`, statistics, whether a block of rows begins); totals end each block."""
    parts: list[tuple[str, str, CorpusStatistics, bool]] = []
    everything = dict(statistics)
    if len(statistics) > 1:
        everything["all"] = CorpusStatistics.together(list(statistics.values()))
    for name, whole in everything.items():
        first = by is not None or name == "all"
        if by:
            groups = whole.groups(by)
            for value in sorted(groups):
                parts.append((name, _shown(value, by), groups[value], first))
                first = False
            if len(groups) == 1:
                continue
        parts.append((name, "all", whole, first))
    return parts


def _shown(value: str, by: str | None) -> str:
    return value or f"no {by}"


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def parts_table(
    corpus: Corpus, parts: Mapping[str, Corpus], by: str | None, notes: Sequence[str] = ()
) -> Table:
    """The sizes of the parts of a corpus, by the files they were written to."""
    values = list(corpus.groups(by)) if by else []
    rows = []
    for name, part in parts.items():
        documents = len({segment.document for segment in part} - {None}) or None
        groups = part.groups(by) if by else {}
        counts = [len(groups.get(value, ())) for value in values]
        rows.append((name, len(part), 100 * len(part) / len(corpus), documents, *counts))
    names = ("part", "segments", "%", "documents", *(_shown(value, by) for value in values))
    columns = [Column(name, decimals=1 if name == "%" else None) for name in names]
    return Table(columns, rows, notes=list(notes))


def findings_table(findings: Sequence[Finding], files: int, *, every: bool = False) -> Table:
    """Findings by file and code, or with `every` one row each."""
    rows: list[Sequence[Cell]] = []
    if every:
        names = ["file", "line", "code", "message"]
        rows += [[finding.path, finding.line, finding.code, finding.message] for finding in findings]
    else:
        names = ["where", "code", "lines", "message"]
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in findings:
            groups.setdefault((finding.path, finding.code), []).append(finding)
        for (path, code), (first, *others) in groups.items():
            message = first.message
            if others:
                shown = ", ".join(str(finding.line) for finding in others[:_LINES_SHOWN])
                message += f" (also {shown}{', …' if len(others) > _LINES_SHOWN else ''})"
            rows.append([f"{path}:{first.line}", code, 1 + len(others), message])
    errors = sum(finding.is_error for finding in findings)
    counts = {"errors": errors, "warnings": len(findings) - errors, "files": files}
    sizes = [f"{count:,} {plural(count, name[:-1])}" for name, count in counts.items()]
    note = f"{sizes[0]}, {sizes[1]} in {sizes[2]}"
    if findings:
        note += f"; `errata explain {findings[0].code}` explains it"
    return Table([Column(name) for name in names], rows, notes=[note], extra=counts)

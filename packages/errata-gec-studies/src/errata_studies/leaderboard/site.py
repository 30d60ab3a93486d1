"""The static site of a leaderboard: a page of all benchmarks, one per benchmark, and one per system.

The pages are those of `errata report` without sentences: an output is published only as a download, and only
if its licence and that of its test set permit it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from errata.corpus.files import file_sha256
from errata.corpus.parallel import read_outputs
from errata.meta.audit import gaming_table, score_attacks
from errata.meta.evaluation import Evaluation
from errata.metrics.results import Results
from errata.metrics.score_tables import score_table
from errata.report.page import STEPS, computed, render_page
from errata.report.report_data import Data, Heading, report_data, tables_data, tables_page
from errata.significance.compare import Plan
from errata.tables import Cell, Column, Estimate, Table
from errata_studies.leaderboard.entries import Benchmark, Entry
from errata_studies.leaderboard.verdicts import FIGURE_FIELDS, Verified, figure_table, verify

COMMAND = "errata leaderboard build"
INDEX = "index.html"
_FREQUENT = 20  # gold edits of a type, or sentences of a domain, below which a win means nothing
_MOST_WINS = 15
STEPS_PER_BENCHMARK = len(STEPS) + 2


def build(
    title: str,
    benchmarks: Sequence[Benchmark],
    plan: Plan,
    *,
    jobs: int | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> Iterator[tuple[str, bytes]]:
    """The files of the site: their paths and contents."""
    verified = {}
    summary: list[list[Cell]] = []
    for benchmark in benchmarks:
        results = Results.compute(benchmark.corpus, benchmark.outputs, benchmark.metrics, jobs=jobs)
        advance(1)
        evaluation = computed(Evaluation(results, plan=plan, jobs=jobs), advance)
        verified[benchmark.name] = figures = verify(benchmark, results)
        advance(1)
        data = report_data(evaluation, Heading(benchmark.title, COMMAND))
        yield (
            f"{benchmark.name}/{INDEX}",
            _encoded(
                _benchmark_page(benchmark, data, figures, attack_tables(benchmark, results, plan.seed, jobs))
            ),
        )
        for number, entry in enumerate(benchmark.entries):
            page = _system_page(
                benchmark, entry, number, data, [each for each in figures if each.entry == entry]
            )
            yield f"{benchmark.name}/{entry.name}.html", _encoded(page)
            if benchmark.may_share(entry):
                yield f"{benchmark.name}/{entry.output.name}", entry.output.read_bytes()
        summary.append(_summary(benchmark, data, figures))
    names = ("benchmark", "systems", "sentences", "metric", "best system", "its score", "published figures")
    columns = [Column(name, 4 if name == "its score" else None) for name in (*names, "equal")]
    tables = [Table(columns, summary, "Benchmarks"), figure_table(verified)]
    links = {each.title: f"{each.name}/{INDEX}" for each in benchmarks}
    sections = [
        tables_data("benchmarks", "Benchmarks", tables[:1]),
        tables_data("figures", "Published figures", tables[1:]),
    ]
    yield INDEX, _encoded(tables_page(title, sections, COMMAND, links=links))
    yield "published_figures.tsv", tables[1].render("tsv").encode()


def _encoded(data: Data) -> bytes:
    return render_page(data).encode()


def _summary(benchmark: Benchmark, data: Data, figures: Sequence[Verified]) -> list[Cell]:
    best = _order(data, 0)[0]
    equal = sum(each.verdict == "equal" for each in figures)
    return [
        benchmark.title, len(benchmark.entries), data["segments"], data["metrics"][0]["name"],
        data["systems"][best], data["board"][0]["scores"][best], len(figures), equal,
    ]  # fmt: skip


def _order(data: Data, metric: int) -> list[int]:
    """The numbers of the systems, the best by a metric first."""
    scores, sign = data["board"][metric]["scores"], -1 if data["metrics"][metric]["higher"] else 1
    return sorted(range(len(scores)), key=lambda i: (scores[i] is None, sign * (scores[i] or 0)))


def attack_tables(
    benchmark: Benchmark, results: Results, seed: int = 1, jobs: int | None = None
) -> list[Table]:
    """How far each metric can be gamed, and the scores of all attacks."""
    attacks = read_outputs(benchmark.attacks, benchmark.corpus) if benchmark.attacks else {}
    attacked = score_attacks(benchmark.corpus, benchmark.metrics, attacks, seed=seed, jobs=jobs)
    return [gaming_table(attacked, results), replace(score_table(attacked), title="All attacks", notes=[])]


def _benchmark_page(
    benchmark: Benchmark, data: Data, figures: Sequence[Verified], attacks: Sequence[Table]
) -> Data:
    """The report of all systems, with the printed figures, the origin of the outputs, and attacks."""
    links = {entry.name: f"{entry.name}.html" for entry in benchmark.entries}
    shared = {entry.output.name for entry in benchmark.entries if benchmark.may_share(entry)}
    columns = [
        Column(name)
        for name in ("system", "year", "licence", "output", "repository", "commit", "path", "note")
    ]
    rows: list[list[Cell]] = [
        [
            entry.name, entry.year, entry.licence,
            entry.output.name if entry.output.name in shared else "not shared",
            *entry.provenance.values(), entry.note,
        ]
        for entry in benchmark.entries
    ]  # fmt: skip
    note = (
        f"licence of the test set: {benchmark.licence or 'unknown'}; outputs are linked if they may be shared"
    )
    tables = [figure_table({benchmark.title: figures}), Table(columns, rows, "Outputs", [note])]
    sections = [
        tables_data("published", "Published figures", [_without_benchmark(tables[0]), tables[1]]),
        tables_data("attacks", "Attacks on the metrics", attacks),
    ]
    if benchmark.more:
        sections.insert(0, tables_data("more", "Scores without outputs", benchmark.more))
    return {
        **data,
        "links": links | {name: name for name in sorted(shared)},
        "up": {"href": f"../{INDEX}", "text": "all benchmarks"},
        "years": [entry.year for entry in benchmark.entries],
        "sections": sections,
    }


def _without_benchmark(table: Table) -> Table:
    return Table(table.columns[1:], [row[1:] for row in table.rows], table.title, table.notes)


def _system_page(
    benchmark: Benchmark, entry: Entry, number: int, data: Data, figures: Sequence[Verified]
) -> Data:
    """Scores, printed figures, edits and wins of one system."""
    published = _without_benchmark(figure_table({benchmark.title: figures}))
    if not figures:
        published = Table(
            [Column(name) for name in FIGURE_FIELDS[1:]], [], "", ["its authors print no figure of it"]
        )
    sections = [
        tables_data("scores", "Scores", [_scores(data, number)]),
        tables_data("published", "What its authors published", [published]),
        tables_data("changes", "What it changes", [table for table in _changes(data, number) if table.rows]),
    ]
    wins = _wins(data, number)
    if wins.rows:
        sections.append(tables_data("wins", "Where it wins", [wins]))
    shared = benchmark.may_share(entry)
    rows: list[list[Cell]] = [
        ["year", str(entry.year)], ["licence", entry.licence],
        ["SHA-256", file_sha256(entry.output)], ["note", entry.note],
        ["output", entry.output.name if shared else "not shared: its licence or that of the test set"],
    ]  # fmt: skip
    rows[2:2] = [[key, value] for key, value in entry.provenance.items() if value]
    origin = Table([Column("what"), Column("value")], [row for row in rows if row[1]], "Origin")
    sections.append(tables_data("origin", "Origin", [origin]))
    return tables_page(
        f"{entry.name} on {benchmark.title}",
        sections,
        COMMAND,
        metrics=data["metrics"],
        up={"href": INDEX, "text": benchmark.title},
        links={entry.output.name: entry.output.name} if shared else {},
    )


def _scores(data: Data, number: int) -> Table:
    rows: list[list[Cell]] = []
    for metric, (of_metric, board) in enumerate(zip(data["metrics"], data["board"], strict=True)):
        value = board["scores"][number]
        several = "low" in board
        score = Estimate(value, board["low"][number], board["high"][number]) if several else value
        rank = _order(data, metric).index(number) + 1
        cluster = board["clusters"][number] if board.get("clusters") else None
        rows.append(
            [
                of_metric["name"],
                score,
                rank,
                cluster,
                *(
                    board["parts"].get(part, [None] * (number + 1))[number]
                    for part in ("precision", "recall")
                ),
            ]
        )
    names = ("metric", "score", "rank", "cluster", "precision", "recall")
    columns = [Column(name, 4 if name in ("score", "precision", "recall") else None) for name in names]
    test = data["plan"]["test"]
    note = f"ranks among {len(data['systems'])} systems; 95 % bootstrap intervals; clusters: {test}"
    return Table(columns, rows, "All metrics", [note])


def _changes(data: Data, number: int) -> Iterator[Table]:
    """The system's edits beside the median of all systems: their number and kind, and over-correction."""
    columns = [Column("what"), Column("this system", 3), Column("median of all", 3)]
    counts = data.get("edits", [])
    rows: list[list[Cell]] = []
    measures: tuple[tuple[str, Callable[[Mapping[str, float]], float]], ...] = (
        ("sentences changed, share", lambda count: count["changed"] / data["segments"]),
        ("edits per sentence", lambda count: count["edits"] / data["segments"]),
        ("insertions, share of edits", lambda count: count["insertions"] / max(1, count["edits"])),
        ("deletions, share of edits", lambda count: count["deletions"] / max(1, count["edits"])),
        ("replacements, share of edits", lambda count: count["replacements"] / max(1, count["edits"])),
        ("source tokens per edit", lambda count: count["tokens"] / max(1, count["edits"])),
        ("right edits, share", lambda count: count["correct"] / max(1, count["correct"] + count["wrong"])),
    )
    for name, each in measures:
        values = [each(count) for count in counts]
        if values:
            rows.append([name, values[number], median(values)])
    yield Table(columns, rows, "Edits", ["counted by M²"])
    profile = data.get("profile")
    rates = [] if profile is None else [system["rates"] for system in profile["whole"]]
    rows = []
    for k, name in enumerate(profile["names"] if profile else ()):
        shares = [rate[k] for rate in rates if rate[k] is not None]
        rows.append([name, rates[number][k], median(shares) if shares else None])
    note = "hit, wrong, missed: shares of the needed changes; unnecessary: share of the changes made"
    yield Table(columns, rows, "Over-correction and under-correction", [note])


def _wins(data: Data, number: int) -> Table:
    """The error types and domains in which the system has the best ranks."""
    parts: list[tuple[str, int, list[float | None], bool]] = []
    types = data.get("types", {"names": [], "found": []})
    for k, name in enumerate(types["names"]):
        found = [row[k] for row in types["found"]]
        size = max(gold for _, gold in found)
        parts.append(
            (f"recall of {name}", size, [hits / gold if gold else None for hits, gold in found], True)
        )
    for group in data["groups"]:
        higher = data["metrics"][0]["higher"]
        for k, (name, size) in enumerate(zip(group["names"], group["sizes"], strict=True)):
            scores = [row[k] for row in group["scores"][0]]
            parts.append((f"{data['metrics'][0]['name']}, {group['label']} {name}", size, scores, higher))
    rows: list[tuple[float, list[Cell]]] = []
    for name, size, values, higher in parts:
        known = [value for value in values if value is not None]
        own = values[number]
        if own is None or size < _FREQUENT or len(known) < 2:
            continue
        rank = 1 + sum((value > own) if higher else (value < own) for value in known)
        best, middle = (max if higher else min)(known), median(known)
        rows.append((abs(own - middle), [name, size, own, middle, best, rank]))
    rows.sort(key=lambda row: (row[1][5], -row[0]))
    columns = [
        Column("part"), Column("gold edits or sentences"), Column("this system", 3), Column("median", 3),
        Column("best", 3), Column("rank"),
    ]  # fmt: skip
    note = (
        f"the {_MOST_WINS} best ranks among {len(data['systems'])} systems, in parts of at least {_FREQUENT} "
        "gold edits or sentences"
    )
    return Table(columns, [row for _, row in rows[:_MOST_WINS]], "Best ranks", [note])

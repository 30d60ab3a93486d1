"""The settings of a leaderboard and the systems of its benchmarks, read and checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from errata.corpus.files import read_lines
from errata.corpus.formats import read_gold
from errata.corpus.model import Corpus, Outputs
from errata.corpus.parallel import read_outputs
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.base import Metric
from errata.tables import Column, Table
from errata.toml import read_toml

SETTINGS = "leaderboard.toml"
SYSTEMS, BY_DOMAIN = "systems.tsv", "scores.tsv"
FIGURES = {
    "P": "precision",
    "R": "recall",
    "F": "",
}  # column published_P -> part of the score, "" is the score
REDISTRIBUTABLE = re.compile(
    r"MIT|ISC|Apache-2\.0|BSD-[23]-Clause|MPL-2\.0|A?GPL-[23]\.0|LGPL-[23]\.[01]|CC0-1\.0"
    r"|CC[ -]BY(-NC)?(-SA)?[ -]\d\.\d"
)
_KEYS = {
    "name", "title", "folder", "gold", "source", "references", "meta", "metrics", "licence", "golds",
    "attacks", "more",
}  # fmt: skip
_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,79}", re.ASCII)
_NUMBER = re.compile(r"\d*\.?\d+")


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that authors print: `part` of a metric, over all segments or those of one domain."""

    metric: str
    part: str  # P, R or F
    text: str  # digits as printed
    where: str
    domain: str = ""
    fitted: str = ""  # how the output was adjusted until it gave this figure; "" if it was not

    @property
    def scale(self) -> int:
        """The factor that turns a score between 0 and 1 into the unit of the figure."""
        return 1 if float(self.text) <= 1 else 100

    @property
    def name(self) -> str:
        return f"{self.metric} {self.part}" + (f", {self.domain}" if self.domain else "")


@dataclass(frozen=True, slots=True)
class Entry:
    """A system: its output file, its provenance and the figures that its authors print."""

    name: str
    year: int
    licence: str
    output: Path
    provenance: dict[str, str]  # repository, commit, path
    note: str = ""
    published: tuple[Published, ...] = ()


@dataclass(frozen=True)
class Benchmark:
    """A test set, its metrics, and its systems in the order of `systems.tsv`."""

    name: str
    title: str
    corpus: Corpus = field(repr=False)
    metrics: Sequence[Metric]
    licence: str
    entries: Sequence[Entry]
    golds: dict[str, Corpus] = field(repr=False)  # other gold standards, which may explain a figure
    attacks: Sequence[Path] = ()
    more: Sequence[Table] = ()  # scores of systems whose outputs are not at hand

    @cached_property
    def outputs(self) -> Outputs:
        return Outputs(read_outputs([entry.output for entry in self.entries], self.corpus))

    def may_share(self, entry: Entry) -> bool:
        """Whether an output may be passed on: its licence and that of its test set permit it."""
        return all(REDISTRIBUTABLE.fullmatch(text) for text in (entry.licence, self.licence))


def read_leaderboard(folder: Path, settings: Path | None = None) -> tuple[str, list[Benchmark]]:
    """The title and the benchmarks of a leaderboard; paths in the settings are relative to `folder`."""
    path = settings or folder / SETTINGS
    content = read_toml(path)
    tables = content.get("benchmark")
    if not isinstance(tables, list) or not tables or not all(isinstance(each, dict) for each in tables):
        raise DataError("it names no benchmark", path=path, hint="begin each with [[benchmark]]")
    unknown = sorted(set(content) - {"title", "benchmark"})
    if unknown:
        raise DataError(f"there is no setting {unknown[0]!r}", path=path, hint="title and [[benchmark]]")
    benchmarks = [_benchmark(table, folder, path) for table in tables]
    names = [each.name for each in benchmarks]
    if len(set(names)) < len(names):
        raise DataError("two benchmarks have the same name", path=path, hint="give each a name of its own")
    return str(content.get("title", "Leaderboard")), benchmarks


def _benchmark(table: dict[str, Any], folder: Path, path: Path) -> Benchmark:
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        hint = f"there are {', '.join(sorted(_KEYS))}"
        raise DataError(f"a benchmark has no setting {unknown[0]!r}", path=path, hint=hint)
    name, metrics, golds = table.get("name"), table.get("metrics", ["m2"]), table.get("golds", {})
    references, more = table.get("references", []), table.get("more", {})
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise DataError(
            f"a benchmark cannot have the name {name!r}", path=path, hint='such as name = "conll14"'
        )
    texts = [
        table.get(key, "") for key in ("title", "folder", "gold", "source", "meta", "licence", "attacks")
    ]
    named = isinstance(golds, dict) and isinstance(more, dict)
    lists = [*references, *metrics, *golds.values(), *more.values()] if named else [None]
    if not all(isinstance(each, str) for each in [*texts, *lists]):
        hint = (
            'references and metrics are lists of texts, golds and more are tables, all others are texts in ""'
        )
        raise DataError(f"a setting of {name} is not of its type", path=path, hint=hint)

    def place(key: str) -> Path | None:
        return folder / table[key] if table.get(key) else None

    corpus = read_gold(place("gold"), place("source"), [folder / each for each in references], place("meta"))
    outputs = folder / table.get("folder", name)
    return Benchmark(
        name,
        table.get("title", name),
        corpus,
        [metric(each) for each in metrics],
        table.get("licence", ""),
        _entries(outputs),
        {title: read_gold(folder / each) for title, each in golds.items()},
        sorted(folder.glob(table["attacks"])) if table.get("attacks") else (),
        [_more(title, path.parent / each) for title, each in more.items()],
    )


def _more(title: str, path: Path) -> Table:
    """A TSV file as a table of text."""
    lines = read_lines(path)
    rows = [row.values() for row in _rows(path, lines[0].split("\t") if lines else ["system"])]
    columns = [Column(name) for name in lines[0].split("\t")]
    return Table(columns, [[cell.replace("`", "") for cell in row] for row in rows], title)


def _entries(folder: Path) -> list[Entry]:
    """The rows of `systems.tsv`, with the figures by domain in `scores.tsv` if there is one."""
    path = folder / SYSTEMS
    by_domain = (
        _rows(folder / BY_DOMAIN, ("name", "domain", "published_F")) if (folder / BY_DOMAIN).exists() else []
    )
    entries: dict[str, Entry] = {}
    rows = _rows(path, ("name", "year", "licence"))
    for line, each in enumerate(by_domain, 2):
        if each["name"] not in {row["name"] for row in rows}:
            hint = f"{SYSTEMS} has one row for each system"
            raise DataError(
                f"no system is called {each['name']!r}", path=folder / BY_DOMAIN, line=line, hint=hint
            )
    for line, row in enumerate(rows, 2):
        name, output = row["name"], folder / f"{row['name']}.txt"
        if not _NAME.fullmatch(name) or name == "index" or name in entries:
            hint = "names are unique, begin with a letter or digit, and have no blanks and no slashes"
            raise DataError(f"a system cannot have the name {name!r}", path=path, line=line, hint=hint)
        if not re.fullmatch(r"(19|20)\d\d", row["year"]):
            raise DataError(f"the year is {row['year']!r}", path=path, line=line, hint="write it as 2019")
        if not output.is_file():
            raise DataError(f"the output of {name} is missing", path=path, line=line, hint=f"add {output}")
        own = [each for each in by_domain if each["name"] == name]
        entries[name] = Entry(
            name,
            int(row["year"]),
            row["licence"],
            output,
            {key: row.get(key, "") for key in ("repository", "commit", "path")},
            row.get("note", ""),
            tuple(_published(row, own, path, line)),
        )
    if not entries:
        raise DataError("it names no system", path=path, hint="add a row for each output")
    return list(entries.values())


def _published(
    row: dict[str, str], by_domain: Sequence[dict[str, str]], path: Path, line: int
) -> list[Published]:
    """The figures of a row, and those of single domains; the domain `All` adds how a figure was fitted."""
    where, name = row.get("published_where", ""), row.get("published_metric", "")
    texts = {part: row.get(f"published_{part}", "") for part in FIGURES}
    for text in [*texts.values(), *(each["published_F"] for each in by_domain)]:
        if text and not (_NUMBER.fullmatch(text) and name):
            hint = "write the digits as printed, such as 65.0, and the metric in published_metric"
            raise DataError(
                f"a published figure is {text!r} of the metric {name!r}", path=path, line=line, hint=hint
            )
    fitted = {each["domain"]: _fitted(each) for each in by_domain}
    figures = [
        Published(name, part, text, where, fitted=fitted.get("All", ""))
        for part, text in texts.items()
        if text
    ]
    return figures + [
        Published(name, "F", each["published_F"], where, each["domain"], fitted[each["domain"]])
        for each in by_domain
        if each["domain"] != "All"
    ]


def _fitted(row: dict[str, str]) -> str:
    text = row.get("fitted", "")
    return "" if text in ("", "no") else text.removeprefix("yes, ")


def _rows(path: Path, required: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a TSV file by the names of its columns."""
    lines = read_lines(path)
    header = lines[0].split("\t") if lines else []
    missing = [name for name in required if name not in header]
    if missing:
        raise DataError(f"the column {missing[0]!r} is missing", path=path, line=1, hint="see the first line")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(header):
            hint = "separate columns by tabs, and keep empty ones"
            problem = f"{len(cells)} columns instead of {len(header)}"
            raise DataError(problem, path=path, line=number, hint=hint)
        rows.append(dict(zip(header, cells, strict=True)))
    return rows

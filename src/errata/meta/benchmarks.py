"""Load benchmarks of metrics: outputs with human judgments (see `errata.meta.judged_outputs`)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from errata.array_types import Floats
from errata.corpus.files import display, read_lines
from errata.corpus.formats import read_corpus
from errata.corpus.model import Corpus
from errata.corpus.parallel import read_aligned, read_parallel, references_for
from errata.corpus.segment import Segment
from errata.data.benchmarks import JudgedBenchmark, select_judged
from errata.errors import DataError
from errata.human.appraise import read_appraise
from errata.human.judgments import Judgments, merge
from errata.human.pairs import pairs_of
from errata.human.rankings import scores_of
from errata.meta.judged_outputs import BenchmarkAgreement, Comparisons, JudgedOutputs, View
from errata.meta.levels import lines_of
from errata.metrics.api import as_metric
from errata.metrics.base import Metric

TRUESKILL_RUNS = 200


def load(benchmark: JudgedBenchmark) -> JudgedOutputs:
    """Read the outputs and judgments of a benchmark from the data folder."""
    return _LOADERS[benchmark.entry.name](benchmark)


def agreements(name: str, metrics: Sequence[str | Metric]) -> dict[str, BenchmarkAgreement]:
    """How far metrics agree with the judgments of a benchmark (`"seeda"`), by view."""
    chosen = [as_metric(each) for each in metrics]
    by_view: dict[str, BenchmarkAgreement] = {}
    for benchmark in select_judged(name):
        by_view |= load(benchmark).agreements(chosen)
    return by_view


# -- SEEDA (Kobayashi et al. 2024) ------------------------------------------------------------------

_SEEDA_SETS = {"base": ("INPUT", "REF-F", "GPT-3.5"), "+fluency": ("INPUT",)}  # the systems left out
_SEEDA_KINDS = {"edit": "edits", "sent": "sentences"}


def _seeda(benchmark: JudgedBenchmark) -> JudgedOutputs:
    """The 391 judged lines of CoNLL-2014, with the published human scores for both sets of systems."""
    folder, conll14 = benchmark.folders()
    corpus = read_corpus(conll14 / "test.m2")
    human = _seeda_human(folder)
    outputs = _outputs(corpus, {name: folder / "systems" / f"{name}.txt" for name in human})
    judged = {kind: read_appraise(folder / f"judgments_{kind}.xml") for kind in _SEEDA_KINDS}
    lines = sorted({int(line) for each in judged.values() for line in lines_of(each.segments, 1)})
    views = []
    for set_, left_out in _SEEDA_SETS.items():
        for kind, word in _SEEDA_KINDS.items():
            judgments = judged[kind].without_systems(left_out)
            comparisons = _comparisons(judgments, lines, "expanded", first_segment=1)
            scores = {
                method: np.array([human[name][f"{method}_{kind}"] for name in judgments.systems])
                for method in ("EW", "TS")
            }
            views.append(View(f"{set_}, {word}", judgments.systems, scores, comparisons, official_ties=True))
    return _selected(benchmark.name, corpus, outputs, lines, views)


def _seeda_human(folder: Path) -> dict[str, dict[str, float]]:
    """Published human scores by system: a table, or the files of the repository in alphabetical order."""
    table = folder / "human.tsv"
    if table.is_file():
        header, *rows = [line.split("\t") for line in read_lines(table)]
        return {
            row[0]: {name: float(row[header.index(name)]) for name in header if name[:3] in ("EW_", "TS_")}
            for row in rows
        }
    systems = sorted(path.stem for path in (folder / "systems").glob("*.txt"))
    human: dict[str, dict[str, float]] = {name: {} for name in systems}
    for path in sorted((folder / "human").glob("*.txt")):
        values = read_lines(path)
        if len(values) != len(systems):
            raise DataError(
                f"{len(values)} scores for {len(systems)} systems", path=display(path),
                hint="a line per system is expected, in alphabetical order",
            )  # fmt: skip
        for name, value in zip(systems, values, strict=True):
            human[name][path.stem] = float(value)
    return human


# -- rankings of the CoNLL-2014 systems (Grundkiewicz et al. 2015, Napoles et al. 2015) --------------


def _conll14(benchmark: JudgedBenchmark) -> JudgedOutputs:
    """The outputs of CoNLL-2014, with human scores computed from the judgments."""
    folder, conll14, systems = benchmark.folders()
    corpus = read_corpus(conll14 / "test.m2")
    texts = references_for(corpus, [conll14 / "refs" / f"nucle{i}.txt" for i in range(2)])
    judgments = _RANKINGS[benchmark.name](folder)
    files = {name: systems / f"{name}.txt" for name in judgments.systems if name != "INPUT"}
    outputs = {**_outputs(corpus, files), "INPUT": list(corpus.sources)}
    last = int(lines_of(judgments.segments).max())
    if last >= len(corpus):
        raise DataError(f"a judgment is about segment {last}, and there are {len(corpus)}", path=folder)
    pairs = pairs_of(judgments, "expanded")
    human = {"EW": scores_of(pairs, "ew"), "TS": scores_of(pairs, "trueskill", runs=TRUESKILL_RUNS)}
    view = View("all", judgments.systems, human, _comparisons(judgments, range(len(corpus)), "first"))
    return JudgedOutputs(benchmark.name, corpus.with_rewrites(texts), outputs, (view,))


def _gjg15(folder: Path) -> Judgments:
    return read_appraise(folder / "judgments.xml").filtered()


def _napoles15(folder: Path) -> Judgments:
    """The three judges of the paper, without the reference, which they ranked as well."""
    judgments = read_appraise(folder / "all_judgments.xml").filtered(exclude_judges=["non-native"])
    return merge(
        [judgments.without_systems(["refmix1"])], rename=lambda name: {"src": "INPUT"}.get(name, name)
    )


_RANKINGS = {"gjg15": _gjg15, "napoles15": _napoles15}


# -- ratings (Napoles et al. 2019, Yoshimura et al. 2020) ---------------------------------------------

_GMEG_SYSTEMS = ("amu", "lstm", "lstm-r", "marian", "nus", "source", "transformer")


def _gmeg(benchmark: JudgedBenchmark) -> JudgedOutputs:
    """One domain of GMEG: the mean rating of every output; segments without ratings are left out."""
    (folder,) = benchmark.folders()
    corpus = read_parallel(folder / "source.txt", [folder / f"ref{i}.txt" for i in range(4)])
    outputs = _outputs(corpus, {name: folder / f"{name}.txt" for name in _GMEG_SYSTEMS})
    path = folder / "segment_scores.csv"
    header, *rows = csv.reader(read_lines(path))
    if len(rows) != len(corpus):
        raise DataError(f"{len(rows)} rows of ratings for {len(corpus)} segments", path=display(path))
    columns = [header.index(name) for name in _GMEG_SYSTEMS]
    ratings = np.array([[float(row[k]) if row[k] else np.nan for k in columns] for row in rows]).T
    lines = np.flatnonzero(~np.isnan(ratings).any(axis=0))
    ratings = ratings[:, lines]
    views = [_rated("mean rating", _GMEG_SYSTEMS, ratings)]
    return _selected(benchmark.name, corpus, outputs, lines.tolist(), views)


_GFM = {"grammar": 2, "fluency": 3, "meaning": 4}  # columns of the five ratings


def _tmu_gfm(benchmark: JudgedBenchmark) -> JudgedOutputs:
    """TMU-GFM: five systems; an output that several systems share is rated once.

    A rating of 0 means that the rater could not judge. It is left out, as in the published averages.
    """
    (folder,) = benchmark.folders()
    path = next(iter(sorted(folder.glob("tmu-gfm*"))))
    delimiter = "," if path.suffix == ".csv" else "\t"
    _, *rows = csv.reader(read_lines(path), delimiter=delimiter)
    sources = list(dict.fromkeys(row[0] for row in rows))
    systems = sorted({name for row in rows for name in row[5].split(",")})
    line = {source: i for i, source in enumerate(sources)}
    number = {name: i for i, name in enumerate(systems)}
    outputs = {name: list(sources) for name in systems}
    ratings = {kind: np.full((len(systems), len(sources)), np.nan) for kind in _GFM}
    for row in rows:
        for name in row[5].split(","):
            outputs[name][line[row[0]]] = row[1]
            for kind, column in _GFM.items():
                values = [int(value) for value in row[column].split(",") if int(value)]
                ratings[kind][number[name], line[row[0]]] = np.mean(values) if values else np.nan
    # Scores of systems are over the segments with ratings of all outputs.
    complete = np.flatnonzero(~np.isnan(ratings["grammar"]).any(axis=0))
    views = [_rated(kind, tuple(systems), values[:, complete]) for kind, values in ratings.items()]
    corpus = Corpus([Segment(source) for source in sources])
    return _selected(benchmark.name, corpus, outputs, complete.tolist(), views, has_references=False)


def _rated(name: str, systems: tuple[str, ...], ratings: Floats) -> View:
    human = {"mean": np.nanmean(ratings, axis=1)}
    return View(name, systems, human, Comparisons.of_ratings(ratings))


# -- shared helpers -----------------------------------------------------------------------------------


def _outputs(corpus: Corpus, files: Mapping[str, Path]) -> dict[str, list[str]]:
    where = corpus.origin.path if corpus.origin else "the source"
    return {name: list(read_aligned(path, corpus.source_texts, where)) for name, path in files.items()}


def _comparisons(
    judgments: Judgments, lines: Iterable[int], kind: str, first_segment: int = 0
) -> Comparisons:
    numbers = {line: number for number, line in enumerate(lines)}
    return Comparisons.of_pairs(pairs_of(judgments, kind), numbers, first_segment)


def _selected(
    name: str,
    corpus: Corpus,
    outputs: Mapping[str, list[str]],
    lines: list[int],
    views: list[View],
    has_references: bool = True,
) -> JudgedOutputs:
    """Judged outputs on some lines of a corpus."""
    selected = {system: [texts[i] for i in lines] for system, texts in outputs.items()}
    return JudgedOutputs(name, corpus.select(lines), selected, tuple(views), has_references)


_LOADERS: dict[str, Callable[[JudgedBenchmark], JudgedOutputs]] = {
    "seeda": _seeda,
    "gjg15": _conll14,
    "napoles15": _conll14,
    "gmeg": _gmeg,
    "tmu-gfm": _tmu_gfm,
}

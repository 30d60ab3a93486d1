"""Kobayashi, Mita & Komachi (2024), *Revisiting Meta-evaluation for Grammatical Error Correction* (SEEDA).

The published figures are those of the authors' repository: the human scores of Table 2 and the metric scores
of its README, which are over all 1,312 sentences.
"""

from __future__ import annotations

from errata.corpus.files import read_lines
from errata.corpus.formats import read_outputs
from errata.corpus.model import Corpus, Outputs
from errata.human.appraise import read_appraise
from errata.human.pairs import resampled_tallies
from errata.human.rankings import expected_wins
from errata.metrics import metric
from errata.metrics.results import Results
from errata_studies.replicate.bench import Bench
from errata_studies.replicate.exhibits import Cause, Exhibit, Key, Paper, Reproduction, Value, cells, grid

KINDS = {"edits": "edit", "sentences": "sent"}
RESAMPLES = 1000
# How far two releases of ERRANT and its tagger were found to be apart: at most this much in F (of 100) over
# the 13 systems of CoNLL-2014, between the files that CLEME 1.1.0 ships and errant 3.0.2 with spaCy 3.8.
RELEASES = 0.11
METRICS = {"M²": "m2", "SentM²": "sentm2", "ERRANT": "errant", "SentERRANT": "senterrant", "GLEU": "gleu"}
HUMAN = grid(
    {
        "BART": "0.364 -0.231 0.363 -0.300",
        "BERT-fuse": "0.556 0.064 0.540 0.023",
        "GECToR-BERT": "0.441 -0.092 0.418 -0.178",
        "GECToR-ens": "0.403 -0.154 0.381 -0.234",
        "GPT-3.5": "0.792 0.583 0.781 0.743",
        "INPUT": "0.130 -0.797 0.068 -0.922",
        "LM-Critic": "0.443 -0.097 0.431 -0.163",
        "PIE": "0.450 -0.084 0.507 -0.034",
        "REF-F": "0.773 0.679 0.813 0.992",
        "REF-M": "0.549 0.078 0.556 0.067",
        "Riken-Tohoku": "0.563 0.067 0.527 -0.001",
        "T5": "0.571 0.097 0.634 0.179",
        "TemplateGEC": "0.354 -0.211 0.423 -0.168",
        "TransGEC": "0.653 0.173 0.647 0.175",
        "UEDIN-MS": "0.458 -0.076 0.411 -0.179",
    },
    [f"{method} {kind}" for kind in KINDS for method in ("EW", "TS")],
)
SCORES = grid(
    {
        "BART": "50.3 51.29 46.66 50.31 63.46",
        "BERT-fuse": "62.77 63.21 58.99 61.81 68.5",
        "GECToR-BERT": "61.83 61.23 58.05 59.76 66.56",
        "GECToR-ens": "63.53 60.37 61.43 59.64 65.08",
        "GPT-3.5": "53.5 53.28 44.12 49.23 65.93",
        "INPUT": "0.0 31.33 0.0 31.4 56.6",
        "LM-Critic": "55.5 58.0 52.38 56.41 64.39",
        "PIE": "59.93 60.7 55.89 59.35 67.83",
        "REF-F": "47.48 48.99 33.24 41.41 60.34",
        "REF-M": "60.12 62.3 54.77 60.11 67.27",
        "Riken-Tohoku": "64.74 64.22 61.88 63.13 68.37",
        "T5": "65.07 65.2 60.65 63.24 68.81",
        "TemplateGEC": "56.29 57.59 51.34 56.08 65.07",
        "TransGEC": "68.08 68.33 64.43 66.76 70.2",
        "UEDIN-MS": "64.55 62.68 61.33 61.38 67.41",
    },
    list(METRICS),
)


def table_2(bench: Bench) -> Reproduction:
    """Expected Wins and TrueSkill from the judgments."""
    found: dict[Key, Value] = {}
    causes: dict[Key, Cause] = {}
    for kind, name in KINDS.items():
        judgments = read_appraise(bench.path("seeda") / f"judgments_{name}.xml")
        runs = bench.trueskill(judgments)
        wins = bench.expected_wins(judgments)
        tallies = resampled_tallies(bench.pairs(judgments), samples=RESAMPLES, seed=bench.seed)
        resampled = expected_wins(tallies)
        for i, system in enumerate(judgments.systems):
            found[system, f"EW {kind}"] = float(wins[i])
            found[system, f"TS {kind}"] = float(runs[:, i].mean())
            # Means of so many resamples, and two means of so many random runs, are this far away in one case
            # of a thousand.
            away = float(3.3 * resampled[:, i].std() * RESAMPLES**-0.5)
            reach = float(3.3 * runs[:, i].std() * (2 / len(runs)) ** 0.5)
            causes[system, f"EW {kind}"] = Cause(_RESAMPLED, reach=away)
            causes[system, f"TS {kind}"] = Cause("TrueSkill plays pairs in random order", reach=reach)
    return Reproduction(cells(HUMAN, found, causes=causes))


_RESAMPLED = (
    "the authors refer to the program of Grundkiewicz et al. (2015), which resamples the comparisons; all 30 "
    "figures lie around the exact ones as means of 1,000 resamples do"
)


def readme(bench: Bench) -> Reproduction:
    """Scores of the 15 systems on all sentences; an annotator without edits gives no reference."""
    files = sorted((bench.path("seeda") / "systems").glob("*.txt"))
    outputs = read_outputs(files, bench.gold)
    results, found = _scored(bench.gold, outputs, list(METRICS), bench)
    # Two means of 500 random draws of references lie this far apart in one case of a thousand.
    number = list(METRICS).index("GLEU")
    spread = {system: results.score(system, number).parts["sd"] for system in results.systems}
    causes = {
        (system, "GLEU"): Cause("GLEU draws references at random", reach=330 * sd * (2 / 500) ** 0.5)
        for system, sd in spread.items()
    }
    other = _with_texts(bench, outputs)
    causes |= {key: Cause(_TEXTS, reach=RELEASES, gives=value) for key, value in other.items()}
    return Reproduction(cells(SCORES, found, other=other, causes=causes), other="with reference texts")


_TEXTS = (
    "references are corrected texts, with edits of type Um applied, and an empty text counts as no "
    "correction (SentERRANT of INPUT comes out so, 412 of 1,312); the release of the tagger is not known, "
    f"and two releases differ by up to {RELEASES} on the systems of CoNLL-2014"
)


def _with_texts(bench: Bench, outputs: Outputs) -> dict[Key, float]:
    """ERRANT and SentERRANT against reference texts; none if an annotator has no line."""
    texts = [read_lines(bench.path("seeda") / "refs" / f"m2_ann{number}.txt") for number in range(2)]
    references = [
        [texts[annotation.annotator][i] or segment.source for annotation in segment.annotations]
        for i, segment in enumerate(bench.gold)
    ]
    corpus = Corpus.from_lists(list(bench.gold.sources), references)
    return _scored(corpus, outputs, ["ERRANT", "SentERRANT"], bench)[1]


def _scored(
    corpus: Corpus, outputs: Outputs, labels: list[str], bench: Bench
) -> tuple[Results, dict[Key, float]]:
    """Results by these metrics, and their scores in percent."""
    results = Results.compute(corpus, outputs, [metric(METRICS[label]) for label in labels], jobs=bench.jobs)
    return results, {
        (system, label): 100 * results.score(system, number).value
        for system in results.systems
        for number, label in enumerate(labels)
    }


PAPER = Paper(
    "kobayashi2024",
    "Kobayashi, Mita & Komachi 2024, Revisiting Meta-evaluation for Grammatical Error Correction, TACL",
    [
        Exhibit("Table 2", "Human scores of the systems", table_2),
        Exhibit("README", "Metric scores of the systems", readme),
    ],
    absent=[
        "The paper's tables of correlations are not at hand; errata meta --benchmark seeda computes them"
    ],
)

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
from errata_studies.replicate.exhibits import Cause, Key, Reproduction, Value, cells, printed

KINDS = {"edits": "edit", "sentences": "sent"}
RESAMPLES = 1000
# How far two releases of ERRANT and its tagger were found to be apart: at most this much in F (of 100) over
# the 13 systems of CoNLL-2014, between the files that CLEME 1.1.0 ships and errant 3.0.2 with spaCy 3.8.
RELEASES = 0.11
METRICS = {"M²": "m2", "SentM²": "sentm2", "ERRANT": "errant", "SentERRANT": "senterrant", "GLEU": "gleu"}


def table_2(bench: Bench) -> Reproduction:
    """Expected Wins and TrueSkill from the judgments."""
    reproduced: dict[Key, Value] = {}
    causes: dict[Key, Cause] = {}
    for kind, name in KINDS.items():
        judgments = read_appraise(bench.path("seeda") / f"judgments_{name}.xml")
        runs = bench.trueskill(judgments)
        wins = bench.expected_wins(judgments)
        tallies = resampled_tallies(bench.pairs(judgments), samples=RESAMPLES, seed=bench.seed)
        resampled = expected_wins(tallies)
        for i, system in enumerate(judgments.systems):
            reproduced[system, f"EW {kind}"] = float(wins[i])
            reproduced[system, f"TS {kind}"] = float(runs[:, i].mean())
            # Two such means of resamples or of runs differ by this much in one case of a thousand.
            away = float(3.3 * resampled[:, i].std() * RESAMPLES**-0.5)
            reach = float(3.3 * runs[:, i].std() * (2 / len(runs)) ** 0.5)
            causes[system, f"EW {kind}"] = Cause(_RESAMPLED, reach=away)
            causes[system, f"TS {kind}"] = Cause("TrueSkill plays pairs in random order", reach=reach)
    return Reproduction(cells(printed("kobayashi2024", "Table 2"), reproduced, causes=causes))


_RESAMPLED = (
    "the authors refer to the program of Grundkiewicz et al. (2015), which resamples the comparisons; all 30 "
    "figures lie around the exact ones as means of 1,000 resamples do"
)


def readme(bench: Bench) -> Reproduction:
    """Scores of the 15 systems on all sentences; an annotator without edits gives no reference."""
    files = sorted((bench.path("seeda") / "systems").glob("*.txt"))
    outputs = read_outputs(files, bench.gold)
    results, reproduced = _scored(bench.gold, outputs, list(METRICS), bench)
    # Two means of 500 random draws of references differ by this much in one case of a thousand.
    number = list(METRICS).index("GLEU")
    spread = {system: results.score(system, number).parts["sd"] for system in results.systems}
    causes = {
        (system, "GLEU"): Cause("GLEU draws references at random", reach=330 * sd * (2 / 500) ** 0.5)
        for system, sd in spread.items()
    }
    other = _with_texts(bench, outputs)
    causes |= {key: Cause(_TEXTS, reach=RELEASES, gives=value) for key, value in other.items()}
    return Reproduction(
        cells(printed("kobayashi2024", "README"), reproduced, other=other, causes=causes),
        other="with reference texts",
    )


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

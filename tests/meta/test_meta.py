"""Meta-evaluation: a simulated study recovers the truth; correlations, sweeps, grids, windows, domains."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.human.agreement import scalar_agreement
from errata.human.judgments import JudgedItem, Judgments
from errata.human.pairs import expanded_pairs
from errata.human.rankings import scores_of
from errata.human.scalars import Scalars
from errata.meta.levels import SentenceLevel, SystemLevel, calibrate, lines_of, perm_both
from errata.meta.score_files import is_ranking, read_ranking, read_scores
from errata.meta.sensitivity import BETAS, domain_correlations, grid, jitter_reach, reference_curve, sweep
from errata.metrics.bleu import BLEU
from errata.metrics.gleu import GLEU
from errata.metrics.m2 import M2
from errata.metrics.simple_metrics import ExactMatch
from errata.metrics.statistics import Floats
from errata.significance.correlations import pearson

SYSTEMS, SEGMENTS, SCREENS = 12, 400, 4_000
JUDGE_NOISE, GOOD_NOISE, BAD_NOISE = 0.5, 0.5, 3.0


class Study:
    """Twelve systems of known quality, judges who see it through noise, a good and a bad metric."""

    def __init__(self) -> None:
        generator = np.random.default_rng(7)
        self.names = [f"S{i:02}" for i in range(SYSTEMS)]
        self.quality: Floats = generator.normal(0, 1, SYSTEMS)
        self.text: Floats = self.quality[:, None] + generator.normal(0, 1, (SYSTEMS, SEGMENTS))
        self.good: Floats = self.text + generator.normal(0, GOOD_NOISE, self.text.shape)
        self.bad: Floats = self.text + generator.normal(0, BAD_NOISE, self.text.shape)
        items = []
        for screen in range(SCREENS):
            segment = int(generator.integers(SEGMENTS))
            shown = generator.choice(SYSTEMS, 5, replace=False)
            seen = self.text[shown, segment] + generator.normal(0, JUDGE_NOISE, 5)
            ranks = 1 + np.argsort(np.argsort(-seen))
            items.append(
                JudgedItem(
                    f"J{screen % 4}",
                    str(segment),
                    tuple((self.names[s],) for s in shown),
                    tuple(ranks.tolist()),
                )
            )
        self.judgments = Judgments.from_items(items)


@pytest.fixture(scope="module")
def study() -> Study:
    return Study()


def expected_tau(study: Study, noise: float) -> float:
    """τ of two normal differences: (2/π) arcsin of their correlation (Greiner 1909)."""
    shared = 2 * study.text.var()
    correlation = shared / np.sqrt((shared + 2 * JUDGE_NOISE**2) * (shared + 2 * noise**2))
    return float(2 / np.pi * np.arcsin(correlation))


@pytest.mark.parametrize("method", ["ew", "bt", "trueskill-pass"])
def test_a_simulated_study_recovers_the_systems_qualities(study: Study, method: str) -> None:
    scores = scores_of(expanded_pairs(study.judgments), method)
    assert float(pearson(scores, study.quality)) > 0.97


def test_a_simulated_study_recovers_which_metric_is_better(study: Study) -> None:
    pairs = expanded_pairs(study.judgments)
    tables = {"good": study.good, "bad": study.bad}
    by_name = {m: dict(zip(study.names, table, strict=True)) for m, table in tables.items()}
    level = SentenceLevel.of(pairs, by_name)
    good, bad = level.counts()
    # 40,000 pairs of 4,000 screens: the stated error is 0.03
    assert good.noties == pytest.approx(expected_tau(study, GOOD_NOISE), abs=0.03)
    assert bad.noties == pytest.approx(expected_tau(study, BAD_NOISE), abs=0.03)
    assert level.stars("noties") == [True, True]
    same = SentenceLevel.of(pairs, {"one": by_name["good"], "other": by_name["good"]})
    assert same.stars("noties") == [False, False]


def test_metrics_of_known_correlation_are_told_apart() -> None:
    generator = np.random.default_rng(3)
    human = generator.normal(size=40)

    def with_correlation(r: float) -> Floats:
        noise = generator.normal(size=40)
        centred = human - human.mean()
        noise -= noise.mean() + centred * (noise @ centred) / (centred @ centred)
        made: Floats = r * centred / np.linalg.norm(centred) + np.sqrt(1 - r * r) * noise / np.linalg.norm(
            noise
        )
        return made

    scores = np.stack([with_correlation(0.95), with_correlation(0.5)])
    level = SystemLevel(tuple(map(str, range(40))), human, ("a", "b"), scores)
    assert level.correlations("pearson") == pytest.approx([0.95, 0.5])
    p = level.williams()
    assert p[0, 1] < 0.001
    assert np.isnan(p[1, 0])
    low, high = level.interval(0)
    assert low < 0.95 < high
    assert low > 0.85
    booted = level.interval(0, method="bootstrap")
    assert booted[0] < 0.95 < booted[1]


def test_leave_one_out_finds_the_outlier() -> None:
    human = np.array([0.0, 0.1, -0.1, 0.05, 10.0])
    scores = np.array([[0.1, -0.1, 0.05, 0.0, 9.0]])
    level = SystemLevel(("a", "b", "c", "d", "odd"), human, ("m",), scores)
    without = level.leave_one_out()[0]
    assert level.correlations()[0] > 0.99
    assert without[4] < 0.5
    assert min(without[:4]) > 0.99
    assert level.windows(3).shape == (1, 3)
    with pytest.raises(DataError, match="window"):
        level.windows(9)


def test_windows_run_over_neighbours_in_the_human_ranking() -> None:
    human = np.array([3.0, 9.0, 1.0, 7.0, 5.0])
    scores = np.array([[2.0, 8.0, 3.0, 9.0, 1.0]])
    level = SystemLevel(tuple("abcde"), human, ("m",), scores)
    # From the best to the worst, people have b d e a c; the metric gives them 8 9 1 2 3.
    ranked, given = [9.0, 7.0, 5.0, 3.0, 1.0], [8.0, 9.0, 1.0, 2.0, 3.0]
    expected = [np.corrcoef(ranked[k : k + 3], given[k : k + 3])[0, 1] for k in range(3)]
    assert level.windows(3)[0] == pytest.approx(expected)
    assert level.windows(3, "spearman")[0] == pytest.approx([0.5, 0.5, -1.0])
    assert level.windows(5)[:, 0] == pytest.approx(level.correlations())


def test_systems_that_do_not_match_are_an_error() -> None:
    human = {"A": 1.0, "B": 2.0, "C": 3.0}
    with pytest.raises(DataError, match="no score for C"):
        SystemLevel.of(human, {"m": {"A": 1.0, "B": 2.0}})
    with pytest.raises(DataError, match="D not judged"):
        SystemLevel.of(human, {"m": {**human, "D": 1.0}})
    with pytest.raises(DataError, match="too few for a correlation"):
        SystemLevel.of({"A": 1.0, "B": 1.0}, {"m": {"A": 1.0, "B": 1.0}})


def test_perm_both_prefers_the_metric_that_sees_more(study: Study) -> None:
    p = perm_both(study.quality, [study.good, -study.good], permutations=200)
    assert p[0, 1] < 0.01
    assert np.isnan(p[1, 0])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.integers(-4, 4)), min_size=1, max_size=30))
def test_tie_calibration_is_the_best_of_all_thresholds(rows: list[tuple[int, int]]) -> None:
    outcomes = np.array([row[0] for row in rows])
    differences = np.array([row[1] / 4 for row in rows])
    best = max(
        float(np.mean(np.where(np.abs(differences) <= epsilon, 0, np.sign(differences)) == outcomes))
        for epsilon in [0.0, *np.abs(differences)]
    )
    found = calibrate(outcomes, differences)
    assert found.accuracy == pytest.approx(best)
    called = np.where(np.abs(differences) <= found.epsilon, 0, np.sign(differences))
    assert float(np.mean(called == outcomes)) == pytest.approx(best)


def test_segments_out_of_range_are_told(study: Study) -> None:
    short = {"m": {name: np.zeros(10) for name in study.names}}
    with pytest.raises(DataError, match="has scores for 10"):
        SentenceLevel.of(expanded_pairs(study.judgments), short)
    with pytest.raises(DataError, match="no sentence scores"):
        SentenceLevel.of(expanded_pairs(study.judgments), {"m": {}})


def test_sentences_without_a_score_are_an_error_and_infinite_scores_tie(study: Study) -> None:
    pairs = expanded_pairs(study.judgments)
    endless = {name: np.full(1000, -np.inf) for name in study.names}
    assert not SentenceLevel.of(pairs, {"m": endless}).differences.any()
    missing = {name: np.full(1000, np.nan) for name in study.names}
    with pytest.raises(DataError, match="m has no score"):
        SentenceLevel.of(pairs, {"m": missing})


def test_a_segment_that_is_no_number_is_named() -> None:
    assert lines_of(["3", " 12 "], 1).tolist() == [2, 11]
    with pytest.raises(DataError, match="'²', which is not a number"):
        lines_of(["1", "²"])


# -- sweeps, grids, curves, domains ------------------------------------------------------------------------

SOURCES = ["a b c d", "e f g h", "i j k l", "m n o p"] * 5
REFERENCES = [[s.replace("b", "B").replace("f", "F"), s.replace("j", "J").replace("b", "X")] for s in SOURCES]
OUTPUTS = {
    "best": [row[0] for row in REFERENCES],
    "some": [row[0] if i % 3 else s for i, (s, row) in enumerate(zip(SOURCES, REFERENCES, strict=True))],
    "none": list(SOURCES),
    "worse": [s + " q" for s in SOURCES],
}
HUMAN = {"best": 3.0, "some": 2.0, "none": 1.0, "worse": 0.0}


def test_a_sweep_equals_scoring_with_every_beta() -> None:
    corpus = Corpus.from_lists(SOURCES, REFERENCES)
    statistics = {name: M2().statistics(corpus, lines) for name, lines in OUTPUTS.items()}
    made = sweep(M2(), statistics, HUMAN, [0.1, 0.5, 2.0])
    usual = sweep(M2(), statistics, HUMAN, BETAS).values.tolist()
    assert usual == sorted({*usual, 0.1, 0.5, 1.0, 2.0, 5.0})
    for row, beta in zip(made.scores, made.values, strict=True):
        expected = [replace(M2(), beta=beta).score(corpus, OUTPUTS[name]).value for name in HUMAN]
        assert row.tolist() == expected
    assert made.best() in (0.1, 0.5, 2.0)
    with pytest.raises(DataError, match="no parameter"):
        sweep(GLEU(), statistics, HUMAN, [1.0])


@pytest.mark.parametrize("metric", [M2(), BLEU()])  # a row a reference, and references pooled
def test_a_curve_ends_with_the_score_on_all_references(metric: M2 | BLEU) -> None:
    corpus = Corpus.from_lists(SOURCES, REFERENCES)
    made = reference_curve(metric, corpus, OUTPUTS, draws=3)
    assert made.counts == (1, 2)
    assert made.scores[-1] == pytest.approx([metric.score(corpus, lines).value for lines in OUTPUTS.values()])
    with pytest.raises(DataError, match="at least two"):
        reference_curve(metric, Corpus.from_lists(SOURCES, [row[:1] for row in REFERENCES]), OUTPUTS)


def test_a_grid_has_every_metric_on_every_set() -> None:
    sets = {
        "both": Corpus.from_lists(SOURCES, REFERENCES),
        "one": Corpus.from_lists(SOURCES, [r[:1] for r in REFERENCES]),
    }
    made = grid({"m2": M2(), "exact": ExactMatch()}, sets, OUTPUTS, HUMAN)
    assert made.scores.shape == (2, 2, 4)
    assert made.correlations["spearman"].shape == (2, 2)
    assert made.correlations["spearman"][1, 1] > 0.9
    assert jitter_reach(made.scores[0, 0], np.array(list(HUMAN.values())), 0.0, "pearson") == 0


@pytest.mark.slow
def test_domains_and_judges_of_a_simulated_campaign_recover_the_truth() -> None:
    """GECCC Tables 9 and 10 on judgments with known truth: a system is right as often as its rate says."""
    generator = np.random.default_rng(5)
    rates = {"A": 0.9, "B": 0.7, "C": 0.5, "D": 0.3, "E": 0.1}
    sources = [f"s {i} x" for i in range(400)]
    references = [f"s {i} y" for i in range(400)]
    right = {name: generator.random(400) < rate for name, rate in rates.items()}
    outputs = {
        name: [references[i] if ok else sources[i] for i, ok in enumerate(row)] for name, row in right.items()
    }
    rows = [
        (judge, "d", str(i), name, float(np.clip(4 + 5 * ok + generator.normal(0, 1), 0, 10)))
        for judge in ("J1", "J2")
        for name, row in right.items()
        for i, ok in enumerate(row)
    ]
    scalars = Scalars.from_rows(rows)
    agreed = scalar_agreement(scalars, samples=20)
    assert agreed.system_pearson > 0.98
    assert agreed.sentence_pearson > 0.6
    corpus = Corpus.from_lists(sources, references)
    statistics = {name: ExactMatch().statistics(corpus, lines) for name, lines in outputs.items()}
    domains = ["easy" if i < 200 else "hard" for i in range(400)]
    made = domain_correlations(ExactMatch(), statistics, scalars.table(), domains)
    assert [(each.domain, each.kind) for each in made][-1] == ("average", "spearman")
    for each in made:
        assert each.mean > 0.97
        assert each.deviation < 0.03
    useless = dict.fromkeys(rates, statistics["C"])
    assert np.isnan(domain_correlations(ExactMatch(), useless, scalars.table(), domains)[0].mean)


# -- tables and the command line -----------------------------------------------------------------------------


def test_score_tables_are_read_with_and_without_segments(tmp_path: Path) -> None:
    table = tmp_path / "scores.tsv"
    table.write_text("system\tm2\tgleu\nA\t1\t2\nB\t3\t4\n")
    assert read_scores(table).systems == {"m2": {"A": 1.0, "B": 3.0}, "gleu": {"A": 2.0, "B": 4.0}}
    table.write_text("system\tsegment\tm2\nA\t0\t1\nA\t1\t3\n")
    found = read_scores(table)
    assert found.systems == {"m2": {"A": 2.0}}
    assert found.sentences["m2"]["A"].tolist() == [1.0, 3.0]
    table.write_text("system\tscore\nA\t1\n")
    assert is_ranking(table)
    assert read_ranking(table) == {"A": 1.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("name\tm2\nA\t1\n", "not 'system'"),
        ("system\nA\n", "no column of scores"),
        ("system\tm2\nA\tx\n", "not a number"),
        ("system\tm2\nA\tnan\n", "not a number"),
        ("system\tm2\nA\t1\t2\n", "3 columns"),
        ("system\tm2\nA\t1\nA\t2\n", "second score"),
        ("system\tsegment\tm2\nA\t0\t1\nA\t2\t1\n", "2 segments out of 3"),
        ("system\tsegment\tm2\nA\t0\t1\nA\t1.5\t1\n", "'1.5' is not the number of a segment"),
        ("system\tsegment\tm2\n", "no scores under the header"),
        ("x" * 1000 + "\n", "'x{80}', not 'system'"),
    ],
)
def test_bad_score_tables_are_told_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "scores.tsv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_scores(tmp_path / "scores.tsv")


def test_a_ranking_has_one_score_per_system(tmp_path: Path) -> None:
    table = tmp_path / "ranking.tsv"
    table.write_text("system\tscore\nA\t1\nB\t3\nA\t2\n")
    with pytest.raises(DataError, match=r"ranking.tsv:4: a second score for A"):
        read_ranking(table)
    table.write_text("system\tscore\n")
    with pytest.raises(DataError, match="no scores under the header"):
        read_ranking(table)


def test_meta_on_the_command_line_prints_the_published_figures(run: Callable, data: Path) -> None:
    folder = data / "conll14"
    done = run(
        "meta", "--human", data / "gjg15" / "judgments.xml", "--m2", folder / "test.m2", "--hyp",
        *sorted((folder / "systems").glob("*.txt")), "--metric", "m2", "--leave-one-out", "--sweep",
        "--format", "markdown",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "| 0.623 [" in done.stdout.replace("**", "")
    assert "0.351 [" in done.stdout
    assert "| IPN | 0.594 |" in done.stdout
    assert "correlation by β" in done.stdout


def test_meta_from_tables_alone(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "human.tsv").write_text("system\tscore\nA\t1\nB\t2\nC\t3\nD\t4\n")
    (tmp_path / "scores.tsv").write_text("system\tx\ty\nA\t1\t4\nB\t2\t1\nC\t3\t2\nD\t4\t3\n")
    done = run("meta", "--human", "human.tsv", "--scores", "scores.tsv", "--window", 3, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert '"Williams\' test, pearson"' in done.stdout
    assert run("meta", "--human", "human.tsv", "--scores", "scores.tsv", "--hyp", "a").returncode == 2
    assert run("meta", "--human", "human.tsv", "--scores", "scores.tsv", "--sweep").returncode == 2
    assert run("meta", "--human", "human.tsv", "--scores", "scores.tsv", "--permute").returncode == 2
    (tmp_path / "scores.tsv").write_text("system\tx\nA\t1\n")
    failed = run("meta", "--human", "human.tsv", "--scores", "scores.tsv")
    assert failed.returncode == 1
    assert "of different systems" in failed.stderr
    assert run("meta", "--help").returncode == 0


def test_meta_by_domain_on_a_simulated_campaign(run: Callable, tmp_path: Path) -> None:
    generator = np.random.default_rng(9)
    rates = {"A": 0.9, "B": 0.6, "C": 0.4, "D": 0.1}
    (tmp_path / "src.txt").write_text("".join(f"s {i} x\n" for i in range(100)))
    (tmp_path / "ref.txt").write_text("".join(f"s {i} y\n" for i in range(100)))
    rows = ["judge\tdocument\tsegment\tsystem\tscore"]
    for name, rate in rates.items():
        right = generator.random(100) < rate
        (tmp_path / f"{name}.txt").write_text(
            "".join(f"s {i} {'xy'[int(ok)]}\n" for i, ok in enumerate(right))
        )
        rows += [f"J\td\t{i}\t{name}\t{3 + 5 * ok + generator.normal():.2f}" for i, ok in enumerate(right)]
    (tmp_path / "human.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "meta.tsv").write_text(
        "domain\n" + "".join(f"{'easy' if i < 50 else 'hard'}\n" for i in range(100))
    )
    done = run(
        "meta", "--human", "human.tsv", "--source", "src.txt", "--ref", "ref.txt", "--hyp",
        *(f"{n}.txt" for n in rates),
        "--meta", "meta.tsv", "--metric", "exact", "--by", "domain", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tables = {table["title"]: table["rows"] for table in json.loads(done.stdout)}
    found = next(rows for title, rows in tables.items() if title.endswith("correlation by domain"))
    assert [row["domain"] for row in found] == ["easy", "hard", "average"]
    assert all(row["r"] > 0.9 for row in found)
    words = (
        "meta", "--human", "human.tsv", "--source", "src.txt", "--ref", "ref.txt", "--hyp",
        *(f"{n}.txt" for n in rates), "--meta", "meta.tsv", "--by", "domain", "--sweep",
    )  # fmt: skip
    done = run(*words, "--metric", "m2", "--format", "json")
    assert done.returncode == 0, done.stderr
    tables = {table["title"]: table["rows"] for table in json.loads(done.stdout)}
    swept = next(rows for title, rows in tables.items() if title.endswith("mean over the values of domain"))
    assert [row["β"] for row in swept][:2] == [0, 0.05]
    assert len(swept) == 41
    assert all(row["r"] > 0.9 for row in swept[1:])
    for metric in ("imeasure", "exact"):  # the I-measure's β only chooses a reference
        failed = run(*words, "--metric", metric)
        assert failed.returncode == 1
        assert "β" in failed.stderr
    agreed = run("agree", "human.tsv", "--meta", "meta.tsv", "--by", "domain", "--format", "json")
    assert agreed.returncode == 0, agreed.stderr
    assert [(row["domain"], row["segments"]) for row in json.loads(agreed.stdout)[1]["rows"]] == [
        ("easy", 50), ("hard", 50)
    ]  # fmt: skip
    assert run("agree", "human.tsv", "--by", "domain").returncode == 2
    (tmp_path / "short.tsv").write_text("domain\neasy\n")
    short = run("agree", "human.tsv", "--meta", "short.tsv", "--by", "domain")
    assert short.returncode == 1
    assert "short.tsv" in short.stderr


def test_metrics_that_are_always_right_share_no_star() -> None:
    items = [JudgedItem("ann", str(i), (("A",), ("B",)), (1, 2)) for i in range(4)]
    scores = {"A": [1.0] * 4, "B": [0.0] * 4}
    level = SentenceLevel.of(expanded_pairs(Judgments.from_items(items)), {"one": scores, "other": scores})
    assert [each.interval("noties") for each in level.counts()] == [(1.0, 1.0)] * 2
    assert level.stars("noties") == [False, False]

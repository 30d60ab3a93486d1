"""GLEU+ and GLEU 2015: the official programs' numbers, and what must hold for any text."""

from __future__ import annotations

import json
import random
import unittest.mock
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import BLEU, GLEU, GLEU2015, Corpus
from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata.corpus.parallel import read_outputs, read_parallel
from errata.metrics import gleu_draws
from errata.metrics.explanation import NgramCounts
from errata.metrics.gleu_draws import RandomNumbers
from errata.metrics.statistics import Statistics
from errata.report.explanations import explanation_text

SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]
PROGRAMS = {"gleu_2016": GLEU(brevity="inverted"), "gec-ranking/scripts": GLEU()}


@pytest.fixture(scope="module")
def conll14(data: Path) -> Corpus:
    return read_parallel(data / "conll14/source.txt", [data / f"conll14/refs/nucle{i}.txt" for i in (0, 1)])


@pytest.fixture(scope="module")
def outputs(data: Path, conll14: Corpus):
    return read_outputs([data / f"conll14/systems/{system}.txt" for system in SYSTEMS], conll14)


def golden_rows(path: Path) -> Iterator[list[str]]:
    return (line.split() for line in path.read_text().splitlines())


@pytest.mark.parametrize("system", SYSTEMS)
def test_compute_gleu_prints_what_the_official_program_prints(system, data, golden, capsys) -> None:
    from errata.cli import cli

    folder = data / "conll14"
    arguments = ["compat", "compute_gleu", "-s", folder / "source.txt", "-r", folder / "refs/nucle0.txt"]
    arguments += [folder / "refs/nucle1.txt", "-o", folder / f"systems/{system}.txt", "-d"]
    cli.main([str(argument) for argument in arguments], standalone_mode=False)
    assert capsys.readouterr().out == (golden / f"gleu/{system}.txt").read_text()


@pytest.mark.slow
def test_sakaguchis_reference_sets_give_the_official_means_with_both_penalties(data, golden) -> None:
    folder = data / "conll14"
    left_out = {int(line) - 1 for line in read_lines(data / "reassess/merged_ids.txt")}
    kept = [i for i in range(1312) if i not in left_out]
    assert len(kept) == 1278
    source = folder / "source.txt"
    corpora = {"NUCLE": read_parallel(source, [folder / f"refs/nucle{i}.txt" for i in (0, 1)])}
    for who, short in (("expert", "E"), ("turker", "NE")):
        for how in ("fluency", "minimal"):
            texts = [data / f"reassess/{who}_{how}{version}.txt" for version in "AB"]
            corpora[f"{short}-{how}"] = read_parallel(source, texts)
    # Where an annotator is missing, one reference remains: the set is ragged.
    corpora["NUCLEum"] = read_m2(folder / "test.m2")
    corpora = {name: corpus.select(kept) for name, corpus in corpora.items()}
    hypotheses = {system: read_lines(folder / f"systems/{system}.txt") for system in SYSTEMS}
    rows = list(golden_rows(golden / "gleu/gleu_sakaguchi.txt"))
    assert len(rows) == 156
    found = {}
    for program, references, system, expected in rows:
        key = references, system
        if key not in found:
            lines = [hypotheses[system][i] for i in kept]
            found[key] = GLEU().statistics(corpora[references], lines)
        assert f"{PROGRAMS[program].score(found[key]).value:.6f}" == expected, (program, references, system)


def test_the_inverted_penalty_of_2016_on_all_sentences(conll14, outputs, golden) -> None:
    for system, expected in golden_rows(golden / "gleu/gleu2016_inverted_bp.txt"):
        score = GLEU(brevity="inverted").score(conll14, outputs[system])
        assert f"{score.value:.6f}" == expected


def test_one_four_and_eighteen_references_give_the_official_means(data, golden) -> None:
    nucle = [data / f"conll14/refs/nucle{i}.txt" for i in (0, 1)]
    fluency = [data / f"reassess/expert_fluency{version}.txt" for version in "AB"]
    rewrites = [*sorted(data.glob("reassess/expert_*.txt")), *sorted(data.glob("reassess/turker_*.txt"))]
    printed = (golden / "gleu/gleu_timing_clean.txt").read_text()
    hypotheses = read_lines(data / "conll14/systems/AMU.txt")
    sets = {1: nucle[:1], 4: nucle + fluency, 18: nucle + rewrites + rewrites}
    for count, paths in sets.items():
        assert len(paths) == count
        value = GLEU().score(read_parallel(data / "conll14/source.txt", paths), hypotheses).value
        line = next(row for row in printed.splitlines() if f" {count} ref" in row)
        assert f"{value:.6f}" in line


def test_gleu_2015_equals_its_program_for_every_lambda_from_one_set_of_statistics(
    conll14, outputs, golden
) -> None:
    statistics = {system: GLEU2015().statistics(conll14, outputs[system]) for system in SYSTEMS}
    for system, weight, expected in golden_rows(golden / "gleu/gleu2015.txt"):
        value = GLEU2015(lambda_=float(weight)).score(statistics[system]).value
        assert value == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("example", "corpus_scores", "sentence_scores"),
    [
        ("ex1", [0.3918, 0.7349], [0.3918, 0.7349]),
        ("ex2", [0.6614, 0.6560, 0.7756], [0.6719, 0.6446, 0.7761]),
    ],
)
def test_table_4_of_chollampatt_and_ng(example, corpus_scores, sentence_scores, golden) -> None:
    folder = golden / "table4"
    corpus = read_parallel(folder / f"{example}.src", sorted(folder.glob(f"{example}.ref*")))
    for number, (overall, alone) in enumerate(zip(corpus_scores, sentence_scores, strict=True), start=1):
        score = GLEU().score(corpus, read_lines(folder / f"{example}.hyp{number}"))
        assert round(score.value, 4) == overall
        assert round(score.sentences[0], 4) == alone
        everything = GLEU(sampling="all").score(score.statistics)
        assert everything.value == pytest.approx(score.sentences[0])  # all choices of one reference


def test_draws_are_those_of_pythons_generator_seeded_with_multiples_of_101() -> None:
    generators = [random.Random(101 * iteration) for iteration in range(6)]
    drawn = RandomNumbers(6)
    for places in (700, 0, 5, 16):  # the generators go on
        numbers = [[each.random() for _ in range(places)] for each in generators]
        assert drawn.next(places).tolist() == numbers
        for each in generators:
            for _ in range(9):
                each.random()
        drawn.skip(9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=4), min_size=1, max_size=40),
    st.lists(st.integers(0, 3), min_size=40, max_size=40),
    st.integers(1, 70),
)
def test_drawn_sums_are_those_of_rows_chosen_one_by_one(segments, weights, iterations) -> None:
    rows = [[number, 5, number % 7, 3, number % 2, 0, number % 3, 1] for some in segments for number in some]
    offsets = np.cumsum([0, *map(len, segments)])
    columns = tuple("abcdefgh")
    statistics = Statistics(columns, np.array(rows), offsets, np.zeros(len(rows), dtype=np.int64))
    sample = np.array(weights[: len(segments)])
    wanted = []
    for iteration in range(iterations if max(map(len, segments)) > 1 else 1):
        generator = random.Random(101 * iteration)
        chosen = [
            rows[offsets[segment] + int(generator.random() * len(segments[segment]))]
            for segment in np.repeat(np.arange(len(segments)), sample)
        ]
        wanted.append([sum(row[column] for row in chosen) for column in range(len(columns))])
    ones = np.ones_like(sample)
    metric = GLEU(n=3, iterations=iterations)  # as many columns
    for block, kept in ((gleu_draws.BLOCK_CELLS, 1 << 20), (16 * iterations, 1 << 20), (16 * iterations, 0)):
        with unittest.mock.patch.multiple(gleu_draws, BLOCK_CELLS=block, KEPT_CELLS=kept):
            sums = metric.drawn_sums(statistics, np.stack([sample, ones]))
            assert sums[0].tolist() == wanted


@pytest.mark.slow
def test_all_choices_of_references_agree_with_many_draws(conll14, outputs) -> None:
    for brevity in ("fixed", "inverted"):
        for system in ("AMU", "CAMB"):
            statistics = GLEU().statistics(conll14, outputs[system])
            exact = GLEU(sampling="all", brevity=brevity).score(statistics).parts
            drawn = GLEU(iterations=5_000, brevity=brevity).score(statistics).parts
            assert abs(exact["gleu"] - drawn["gleu"]) < 4 * drawn["sd"] / 5_000**0.5
            assert exact["sd"] == pytest.approx(drawn["sd"], rel=0.05)


def test_closed_form_and_enumeration_agree_where_both_are_possible() -> None:
    generator = np.random.default_rng(5)
    words = np.array(list("abcdefgh"))
    sources = [" ".join(generator.choice(words, 40)) for _ in range(9)]

    def noisy(text: str) -> str:
        tokens = text.split()
        for place in generator.integers(0, 40, 3):
            tokens[place] = str(generator.choice(words))
        return " ".join(tokens)

    references = [[noisy(source), noisy(source)] for source in sources]
    metric = GLEU(sampling="all")
    statistics = metric.statistics(Corpus.from_lists(sources, references), [noisy(s) for s in sources])
    ones = np.ones((1, 9), dtype=np.int64)
    enumerated = metric.aggregate(statistics, ones)[0]
    mean, deviation = metric._closed_form(ones @ metric.moments(statistics))
    assert mean[0] == pytest.approx(enumerated[0], abs=2e-4)
    assert deviation[0] == pytest.approx(enumerated[1], rel=0.05)


def test_bootstrap_samples_are_scored_as_if_segments_stood_there_repeatedly(conll14, outputs) -> None:
    statistics = GLEU().statistics(conll14, outputs["AMU"]).select(range(200))
    weights = np.random.default_rng(0).integers(0, 4, size=(3, 200))
    for metric in (GLEU(iterations=50), GLEU(sampling="all")):
        for row, parts in zip(weights, metric.aggregate(statistics, weights), strict=True):
            repeated = statistics.select(np.repeat(np.arange(200), row))
            assert parts == pytest.approx(list(metric.score(repeated).parts.values()), abs=1e-12)


texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
triples = st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(triples, st.sampled_from(["code", "paper"]), st.sampled_from(["official", "all"]))
def test_gleu_is_between_0_and_1_and_its_statistics_are_those_of_plain_counting(
    segments, variant, sampling
) -> None:
    sources, hypotheses, references = (list(column) for column in zip(*segments, strict=True))
    metric = GLEU(variant=variant, sampling=sampling, iterations=7)
    score = metric.score(sources, hypotheses, references)
    assert 0 <= score.value <= 1 + 1e-12
    assert ((score.sentences >= 0) & (score.sentences <= 1 + 1e-12)).all()
    assert (score.statistics.values >= 0).all()
    for i in range(len(sources)):
        explanation = score.explain(i)
        rows = score.statistics.select([i]).values
        for comparison, row in zip(explanation.comparisons, rows, strict=True):
            assert [counts.numerator for counts in comparison.ngrams] == row[:4].tolist()
            assert [counts.denominator for counts in comparison.ngrams] == row[4:8].tolist()
        assert explanation.score == pytest.approx(score.sentences[i])


@settings(max_examples=150, deadline=None)
@given(
    triples, st.sampled_from([0.0, 0.1, 1.5]), st.sampled_from(["code", "paper"]),
    st.sampled_from(["types", "counts"]),
)  # fmt: skip
def test_gleu_2015_counts_as_plain_counting_does(segments, weight, denominator, difference) -> None:
    sources, hypotheses, references = (list(column) for column in zip(*segments, strict=True))
    metric = GLEU2015(
        lambda_=weight, false_positives=weight / 2, brevity="fixed", denominator=denominator,
        difference=difference,
    )  # fmt: skip
    score = metric.score(sources, hypotheses, references)
    assert 0 <= score.value <= 1 + 1e-12
    for i, row in enumerate(score.statistics.values):
        for n, counts in enumerate(score.explain(i).comparisons[0].ngrams):
            assert sum(counts.rewarded.values()) == row[n]
            assert sum(counts.penalised.values()) == row[14 + n]
            assert sum(counts.neither.values()) == row[18 + n]


def test_gleu_2015_by_the_papers_equations_ranks_as_the_paper_prints(conll14, outputs) -> None:
    metric = GLEU2015(denominator="paper", difference="counts", brevity="none")
    scores = {system: metric.score(conll14, outputs[system]).value for system in SYSTEMS}
    printed = "CUUI AMU UFC CAMB INPUT IITB SJTU PKU UMC NTHU POST RAC IPN"
    assert " ".join(sorted(scores, key=lambda system: -scores[system])) == printed
    # Bags: the source has `a` once, the reference twice, so that one `a` is new.
    row = metric.statistics(Corpus.from_lists(["a b"], [["a a"]]), ["a a"]).values[0]
    assert (row[10], row[22]) == (1, 1)  # matched and wanted
    assert GLEU2015().statistics(Corpus.from_lists(["a b"], [["a a"]]), ["a a"]).values[0][10] == 0


def test_the_penalties_of_gleu_2015_lower_the_score(conll14, outputs) -> None:
    statistics = GLEU2015().statistics(conll14, outputs["AMU"])
    plain = GLEU2015().score(statistics).value
    assert GLEU2015(false_positives=0.5).score(statistics).value < plain
    assert GLEU2015(denominator="paper").score(statistics).value < plain
    assert GLEU2015(brevity="fixed").score(statistics).parts["brevity"] <= 1


def test_the_paper_counts_how_often_and_the_code_only_whether() -> None:
    source, hypothesis, reference = ["the the cat"], ["the the cat"], [["the cat"]]
    code = GLEU().score(source, hypothesis, reference).statistics.values[0]
    paper = GLEU(variant="paper").score(source, hypothesis, reference).statistics.values[0]
    assert code[0] == 2  # the, cat; `the` is in the reference: no penalty
    assert paper[0] == 1  # the second `the` is left over


def test_only_ascii_white_space_ends_a_token_as_in_the_official_program() -> None:
    glued, apart = "a\N{NO-BREAK SPACE}b c", "a b c"
    values = GLEU().score([apart], [apart], [[glued]]).statistics.values[0]
    assert values[-1] == 2
    score = GLEU().score([glued], [glued], [[glued]])
    assert score.statistics.values[0, -2] == 2
    assert list(score.explain(0).comparisons[0].ngrams[0].rewarded) == glued.split(" ")


def test_empty_texts_give_0_and_not_an_error() -> None:
    for source, hypothesis, reference in [
        ("", "", ""),
        ("a", "", "a"),
        ("a", "a", ""),
        ("", "a b c d e", ""),
    ]:
        for metric in (GLEU(), GLEU(sampling="all"), GLEU2015(), GLEU2015(brevity="fixed")):
            score = metric.score([source], [hypothesis], [[reference]])
            assert score.value == 0
            assert np.isfinite(score.sentences).all()
    assert GLEU().score(Corpus([]), []).value == 0


def test_a_line_of_2000_tokens_and_one_token_repeated() -> None:
    long = " ".join(f"w{i % 700}" for i in range(2000))
    score = GLEU().score([long, "the " * 2000], [long, "the " * 1999], [[long, long], ["the", "the " * 2000]])
    assert 0 < score.value <= 1


def test_an_explanation_is_printed_and_is_plain_data() -> None:
    explanation = (
        GLEU().score(["a cat sit ."], ["a cat sit ."], [["a cat sits .", "the cat sits ."]]).explain(0)
    )
    text = explanation_text(explanation)
    assert "the cat sits ." in text
    assert "rewarded" in text
    plain = json.loads(json.dumps(asdict(explanation)))
    assert plain["comparisons"][0]["ngrams"][0]["penalised"] == {"sit": 1}


def test_compute_gleu_takes_orders_iterations_and_lowercase(run, tmp_path) -> None:
    for name, text in {"s": "A b c d e", "r0": "a b c d e", "r1": "a b c d f", "h": "A b c d e"}.items():
        (tmp_path / name).write_text(text + "\n")
    plain = run("compat", "compute_gleu", "-s", "s", "-r", "r0", "r1", "-o", "h", "-n", 2, "--iter", 3)
    lower = run("compat", "compute_gleu", "-s", "s", "-r", "r0", "-o", "h", "h", "-n", 2, "-l")
    assert plain.returncode == 0
    assert plain.stdout.startswith("h 0.")
    assert lower.stdout == "h 1.000000\nh 1.000000\n"
    short = run("compat", "compute_gleu", "-s", "s", "-r", "r0", "-o", "missing")
    assert short.returncode == 1
    assert "Traceback" not in short.stderr


@pytest.mark.parametrize(("choices", "summed"), [(0, True), (1, False), (39, False), (40, True)])
def test_moments_stand_for_choices_only_where_there_are_none_or_many(choices: int, summed: bool) -> None:
    references = [["a b c d", "a b d"] if i < choices else ["a b c d"] for i in range(50)]
    corpus = Corpus.from_lists(["a b d"] * 50, references)
    metric = GLEU(sampling="all")
    assert (metric.summands(metric.statistics(corpus, ["a b c"] * 50)) is not None) == summed


def test_an_order_contributes_its_share() -> None:
    score = BLEU().score(["a b c d"], ["a b x d"], [["a b c d"]])
    ngrams = score.explain(0).comparisons[0].ngrams
    assert [counts.ratio for counts in ngrams[:2]] == [3 / 4, 1 / 3]
    assert NgramCounts(4, {}, {}, {}, 0.0, 0.0).ratio == 0.0

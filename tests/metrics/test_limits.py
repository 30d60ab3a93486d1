"""One endless line never stops a corpus: bounded time and memory, and a report of what was cut."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from bisect import bisect_left
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errata import ERRANT, M2, TER, ErrataError, IMeasure, limits, sample
from errata.corpus import blocks
from errata.corpus.apply_edits import levenshtein_runs
from errata.corpus.formats import read_corpus, write_corpus
from errata.corpus.model import Corpus
from errata.corpus.streaming import Stream
from errata.engine import open_executor
from errata.limits import Limits, limited
from errata.metrics import metric
from errata.metrics.edit_metric import EditMetric
from errata.metrics.evaluate import evaluate
from errata.metrics.results import Results
from errata.metrics.signature import Signature
from errata.metrics.statistics import Cut, Statistics
from metric_names import READY

OF_EDITS = [name for name in READY if isinstance(metric(name), EditMetric)]
EMBEDDED = [f"{name}:tagger=embedded" for name in OF_EDITS]  # needs no download

# Three texts of many tokens: few of them changed, all of them changed, or the same ones in another order.
MEASURE = """
import json, resource, sys
import numpy as np
from errata.metrics import metric

tokens = int(sys.argv[1])
generator = np.random.default_rng(1)
source = [f"w{i}" for i in generator.integers(5000, size=tokens)]
texts = {
    "similar": [[w if generator.random() > 0.1 else "x" + w for w in source] for _ in range(2)],
    "disjoint": [["x" + w for w in source], ["y" + w for w in source]],
    "shuffled": [[source[i] for i in generator.permutation(tokens)] for _ in range(2)],
}
metric("errant:tagger=embedded").extractor  # models load
for name in sys.argv[2].split(","):
    for kind, (hypothesis, reference) in texts.items():
        score = metric(name).score(["a b", " ".join(source)], ["a c", " ".join(hypothesis)],
                                   [["a c"], [" ".join(reference)]], jobs=1)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([name, kind, score.value, len(score.cuts), memory]), flush=True)
"""


def measured(tokens: int, names: str) -> list[list[Any]]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tokens), names], capture_output=True, text=True, timeout=550
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("tokens", [2000, 20_000])
@pytest.mark.parametrize(
    "names", [",".join(n for n in READY if n not in ("chrf", *OF_EDITS)), ",".join(EMBEDDED)]
)
@pytest.mark.slow
def test_long_lines_take_bounded_memory_by_every_metric(tokens: int, names: str) -> None:
    for name, kind, value, cuts, memory in measured(tokens, names):
        assert np.isfinite(value), (name, kind)
        assert memory < 2500, (name, kind, memory)
        assert cuts <= 1
        if name not in ("m2", "imeasure", "ter", "cherrant", *EMBEDDED):
            assert cuts == 0, (name, kind)


def steps(name: str, kind: str, words: int) -> int:
    """The least limit on work at which a sentence of this kind is not cut."""
    generator = random.Random(1)
    source = [f"w{generator.randrange(5000)}" for _ in range(words)]
    texts = [[letter + word for word in source] for letter in "abc"]
    if kind == "shuffled":
        texts = [generator.sample(source, words) for _ in range(3)]
    source_text, hypothesis, reference = map(" ".join, texts)
    corpus, scorer = Corpus.from_lists([source_text], [[reference]]), metric(name)

    def is_cut(work: int) -> bool:
        with limited(work=work):
            return bool(scorer.statistics(corpus, [hypothesis], jobs=1).cuts)

    return 1 + bisect_left(range(1, 1 << 26), True, key=lambda work: not is_cut(work))


@pytest.mark.parametrize(
    ("name", "kind", "times"),
    [
        ("m2", "disjoint", 16),  # every vertex of the lattice has an arc to every later one
        ("errant:tagger=embedded", "disjoint", 4),
        ("imeasure", "disjoint", 2),  # none of the three texts has a word in common with another one
        ("ter", "shuffled", 11),
    ],
)
def test_twice_the_words_take_so_many_times_the_steps(name: str, kind: str, times: int) -> None:
    few, many = steps(name, kind, 20), steps(name, kind, 40)
    assert 20 <= few < many <= 1.01 * times * few


@pytest.mark.parametrize("name", ["m2", "errant:tagger=embedded", "imeasure", "ter"])
def test_what_is_cut_is_the_same_for_any_number_of_threads(name: str) -> None:
    made = sample.load("en")
    hypotheses = next(iter(made.outputs.values()))
    with limited(work=3000):
        one, two = (metric(name).statistics(made.corpus, hypotheses, jobs=jobs) for jobs in (1, 2))
    assert one.cuts == two.cuts
    assert np.array_equal(one.values, two.values)


@pytest.mark.parametrize("name", ["m2", "errant:tagger=embedded", "imeasure", "ter"])
@pytest.mark.parametrize("keep", [False, True])
def test_a_stream_reports_the_sentences_that_the_whole_reports(
    name: str, keep: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1 << 11)
    sources, hypotheses, references = long_line(400)
    hypotheses[1] = " ".join(reversed(hypotheses[1].split()))
    write_corpus(Corpus.from_lists(sources * 3, references * 3), tmp_path / "gold.m2")
    (tmp_path / "out.txt").write_text("\n".join(hypotheses * 3) + "\n", encoding="utf-8")
    corpus = read_corpus(tmp_path / "gold.m2")
    scorer = metric(name)
    with limited(work=300, memory=1 << 20):
        whole = scorer.score(corpus, hypotheses * 3)
        pieces = Stream(str(tmp_path / "gold.m2"), hypotheses=[("out", str(tmp_path / "out.txt"))])
        with open_executor("processes", jobs=1) as executor:
            streamed = evaluate(pieces, [scorer], executor, keep=keep).score("out", 0)
    assert {1, 3, 5} <= {cut.segment for cut in whole.cuts}
    assert whole.cuts == streamed.cuts
    assert whole.parts == streamed.parts
    assert whole.signature == streamed.signature


@pytest.mark.parametrize(
    ("name", "work"), [("m2", 20), ("errant:tagger=embedded", 300), ("imeasure", 1), ("ter", 1)]
)
def test_the_signature_counts_the_sentences_that_were_cut(name: str, work: int) -> None:
    made = sample.load("en")
    scorer = metric(name)
    singles = [texts[:1] for texts in made.corpus.reference_texts()]
    some = 0
    for hypotheses in made.outputs.values():
        full = scorer.score(made.corpus.sources, hypotheses, singles)
        assert full.cuts == ()
        assert "cut:" not in full.signature
        with limited(work=work):
            cut = scorer.score(made.corpus.sources, hypotheses, singles)
        assert np.isfinite(cut.value)
        if name == "ter":  # further shifts would save edits
            assert (
                cut.statistics.values[:, :4].sum(axis=1) >= full.statistics.values[:, :4].sum(axis=1)
            ).all()
        whole = np.setdiff1d(np.arange(len(full.statistics)), [each.segment for each in cut.cuts])
        assert np.array_equal(cut.sentences[whole], full.sentences[whole])
        some += len(cut.cuts)
        if cut.cuts:
            assert Signature.parse(full.signature).differences(Signature.parse(cut.signature)) == [
                ("cut", None, str(len(cut.cuts))),
                ("limits", None, f"work={work},memory=2G"),
            ]
    assert some


def test_the_golden_corpora_are_never_cut(data: Path) -> None:
    from errata import read_corpus
    from errata.corpus.files import read_lines

    corpus = read_corpus(data / "conll14" / "test.m2")
    hypotheses = read_lines(data / "conll14" / "systems" / "AMU.txt")
    with limited(work=limits.Limits().work // 100, memory=limits.Limits().memory // 100):
        for name in ("m2", "imeasure", "ter", "errant:tagger=embedded"):
            assert metric(name).statistics(corpus, hypotheses).cuts == (), name


def long_line(tokens: int = 3000) -> tuple[list[str], list[str], list[list[str]]]:
    words = [f"w{i}" for i in range(tokens)]
    changed = ["x", *words[1:-1], "y"]
    return (["a b", " ".join(words)], ["a c", " ".join(changed)], [["a c"], [" ".join(["x", *words[1:]])]])


def test_m2_falls_back_to_one_alignment() -> None:
    sources, hypotheses, references = long_line()
    with limited(memory=1 << 20):
        score = M2().score(sources, hypotheses, references)
        single = M2().score_sentence(sources[1], hypotheses[1], references[1])
    assert score.statistics.values.tolist() == [[1, 1, 1], [1, 2, 1]]
    assert single[1:4] == (1, 2, 1)
    assert score.cuts[0].limit == "memory"
    assert M2().score(sources, hypotheses, references).cuts == ()


def test_an_unchanged_line_of_any_length_is_exact() -> None:
    source = "a " * 30_000
    assert M2().score([source], [source], [[source + "b"]]).cuts == ()


def test_cuts_follow_their_segments() -> None:
    sources, hypotheses, references = long_line()
    with limited(memory=1 << 20):
        statistics = M2().statistics(errata_corpus(sources, references), hypotheses)
    assert [cut.segment for cut in statistics.select([1, 0, 1]).cuts] == [0, 2]
    assert statistics.select([0]).cuts == ()
    assert statistics.cuts[0].moved(5).segment == 6


def errata_corpus(sources: list[str], references: list[list[str]]) -> Any:
    from errata import Corpus

    return Corpus.from_lists(sources, references)


def test_saved_results_keep_what_was_cut(tmp_path: Path) -> None:
    from errata import Outputs

    sources, hypotheses, references = long_line()
    with limited(memory=1 << 20):
        results = Results.compute(
            errata_corpus(sources, references), Outputs({"A": hypotheses}), [M2(), IMeasure(), TER()]
        )
    results.save(tmp_path / "r.npz")
    for again in (
        Results.load(tmp_path / "r.npz"),
        Results.from_dict(json.loads(json.dumps(results.to_dict()))),
    ):
        for number in range(3):
            assert again.score("A", number).cuts == results.score("A", number).cuts
            assert again.score("A", number).signature == results.score("A", number).signature


def test_cuts_of_files_by_older_versions_can_be_read() -> None:
    older = {
        "segment": 1, "source": 3000, "hypothesis": 3000, "limit": "memory", "at": "work=512M,memory=1M",
        "done": "edits of one Levenshtein alignment", "worst": [[0, 4, 1]], "best": [[1, 1, 1]],
    }  # fmt: skip
    cut = Cut.from_dict(older)
    assert cut.to_dict() == {name: older[name] for name in older if name not in ("worst", "best")}
    with pytest.raises(TypeError, match="not a whole number"):
        Cut.from_dict({**older, "segment": "1"})


def test_the_command_line_reports_every_cut_sentence(run: Any, tmp_path: Path) -> None:
    sources, hypotheses, references = long_line(600)
    for name, lines in (("s", sources), ("h", hypotheses), ("r", [texts[0] for texts in references])):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    asked = ("score", "-s", "s", "-r", "r", "-y", "h", "-m", "m2,gleu")
    done = run(*asked, ERRATA_LIMIT_MEMORY="1M")
    assert done.returncode == 0, done.stderr
    assert "M² F0.5 of h: sentence 2 beyond a limit; the signature has" in done.stdout
    assert "|cut:1|limits:work=512M,memory=1M" in done.stdout
    table = done.stdout.split("sentences beyond a limit")[1]
    assert table.split("h ")[1].split()[:4] == ["m2", "2", "600", "600"]
    assert "beyond a limit" not in run(*asked).stdout
    wrong = run(*asked, ERRATA_LIMIT_MEMORY="lots")
    assert wrong.returncode == 1
    assert "ERRATA_LIMIT_MEMORY='lots'" in wrong.stderr


def test_limits_come_from_the_block_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.current() == Limits()
    monkeypatch.setenv("ERRATA_LIMIT_WORK", "20m")
    assert limits.current() == Limits(work=20 << 20)
    with limited(memory=3 << 20) as now:
        assert limits.current() == now == Limits(20 << 20, 3 << 20)
    assert str(now) == "work=20M,memory=3M"
    with pytest.raises(ErrataError, match="at least"), limited(work=0):
        pass


def test_references_that_errant_cannot_align_are_reported() -> None:
    with limited(work=300):
        score = ERRANT(tagger="embedded").score(
            ["a sentence with words"], ["a sentence with words"], [["some tokens of other kind"]]
        )
    assert [(cut.segment, cut.limit) for cut in score.cuts] == [(0, "work")]
    assert score.statistics.values.tolist() == [[0, 0, 1]]


def test_statistics_without_cuts_cost_nothing_more() -> None:
    plain = Statistics.one_row_each(("x",), np.ones((3, 1), dtype=np.int64))
    assert plain.cuts == plain.select([2, 1]).cuts == ()


def test_plain_edits_are_spans_of_both_sides() -> None:
    assert levenshtein_runs(list("abcdef"), list("xabdeyf")) == [(0, 0, 0, 1), (2, 3, 3, 3), (5, 5, 5, 6)]
    assert levenshtein_runs(["a"], ["a"]) == []

"""Metrics with models: equal to their packages or to slow transcriptions, on tiny models."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny_models
from errata.corpus.model import Corpus, Edit, annotated
from errata.errors import ErrataError
from errata.metrics import metric
from errata.metrics.base import Metric
from errata.metrics.neural.scribendi import Scribendi, levenshtein_ratio, similarity, token_sort_ratio
from errata.models import causal_model, regressor
from errata.testing import check_metric

SOURCES = [
    "the cat sit on a mat .",
    "he go to school yesterday .",
    "she was happy .",
    "dogs was very happy !",
]
HYPOTHESES = [
    "the cat sits on the mat .",
    "he went to school , yesterday .",
    "she was happy .",
    "dogs very happy",
]
REFERENCES = [
    ["the cat sits on a mat .", "the cats sit on the mat ."],
    ["he went to school yesterday .", "yesterday , he went to school ."],
    ["she was happy .", "she was very happy ."],
    ["dogs were very happy !", "the dog was very happy !"],
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_lists(SOURCES, REFERENCES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def bert(folder: Path) -> str:
    return tiny_models.bert(folder / "bert")


@pytest.fixture(scope="module")
def gpt(folder: Path) -> str:
    return tiny_models.gpt(folder / "gpt")


# -- language models -----------------------------------------------------------------------------


def test_perplexity_is_that_of_all_tokens_and_fluency_a_mean_over_sentences(gpt: str, corpus: Corpus) -> None:
    found = causal_model(gpt, "cpu").likelihoods(HYPOTHESES)
    score = metric(f"perplexity:model={gpt},device=cpu").score(corpus, HYPOTHESES)
    logs, tokens = sum(one.log for one in found), sum(one.tokens for one in found)
    assert score.parts["perplexity"] == pytest.approx(math.exp(-logs / tokens), rel=1e-12)
    wanted = [1 / (1 + -one.log / one.tokens) for one in found]
    fluency = metric(f"fluency:model={gpt},device=cpu").score(corpus, HYPOTHESES)
    assert fluency.parts["fluency"] == pytest.approx(sum(wanted) / len(wanted), rel=1e-12)


@pytest.mark.parametrize("name", ["fluency", "perplexity", "fluency:model=cs", "scribendi:model=en"])
def test_shipped_models_keep_the_contract(name: str) -> None:
    check_metric(metric(name))


# -- Scribendi -----------------------------------------------------------------------------------


def _distance(a: str, b: str) -> int:
    rows = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, rows[0] = rows[0], i
        for j, y in enumerate(b, 1):
            previous, rows[j] = rows[j], min(rows[j] + 1, rows[j - 1] + 1, previous + (0 if x == y else 2))
    return rows[-1]


@settings(deadline=None, max_examples=200)
@given(st.text("ab c.", max_size=20), st.text("ab c.", max_size=20))
def test_levenshtein_ratios_equal_a_slow_distance(first: str, second: str) -> None:
    total = len(first) + len(second)
    wanted = 1 - _distance(first, second) / total if total else 1.0
    assert levenshtein_ratio(first, second) == wanted


@settings(deadline=None, max_examples=200)
@given(st.text("abC d.,'é", max_size=20), st.text("abC d.,'é", max_size=20))
def test_token_sort_ratios_equal_thefuzz(first: str, second: str) -> None:
    thefuzz = pytest.importorskip("thefuzz.fuzz", reason="thefuzz is not installed")
    assert token_sort_ratio(first, second) == thefuzz.token_sort_ratio(first, second, force_ascii=False) / 100


def test_scribendi_counts_likelier_and_similar_sentences(gpt: str, corpus: Corpus) -> None:
    made = metric(f"scribendi:model={gpt},device=cpu")
    assert isinstance(made, Scribendi)
    model = causal_model(gpt, "cpu")
    wanted = []
    for source, hypothesis in zip(SOURCES, HYPOTHESES, strict=True):
        (a, n), (b, m) = model.likelihoods([source])[0], model.likelihoods([hypothesis])[0]
        if source == hypothesis:
            wanted.append(0)
        elif -b / m < -a / n:
            wanted.append(1 if similarity(source, hypothesis) >= 0.8 else -1)
        else:
            wanted.append(-1)
    assert set(wanted) >= {0, -1}
    score = made.score(corpus, HYPOTHESES)
    assert score.sentences.tolist() == wanted
    assert score.parts == {"sum": sum(wanted), "mean": sum(wanted) / 4}
    backwards = made.score(Corpus.from_lists(HYPOTHESES), SOURCES).sentences.tolist()
    changed = [i for i, value in enumerate(wanted) if value]
    assert any(backwards[i] == 1 or wanted[i] == 1 for i in changed)  # one direction is the likelier one


# -- regressors ----------------------------------------------------------------------------------


def test_some_is_the_weighted_sum_of_three_grades(folder: Path, corpus: Corpus) -> None:
    head = "BertForSequenceClassification"
    names = [tiny_models.bert(folder / f"some{i}", head, seed=i) for i in range(3)]
    made = metric(f"some:grammaticality={names[0]},fluency={names[1]},meaning={names[2]},device=cpu")
    wanted = []
    for source, hypothesis in zip(SOURCES, HYPOTHESES, strict=True):
        g, f = (float(regressor(name, "cpu").predict([hypothesis])[0]) for name in names[:2])
        m = float(regressor(names[2], "cpu").predict([source], [hypothesis])[0])
        wanted.append(0.55 * (g - 1) / 3 + 0.43 * (f - 1) / 3 + 0.02 * (m - 1) / 3)
    assert np.allclose(made.score(corpus, HYPOTHESES).sentences, wanted, atol=1e-6)
    with pytest.raises(ErrataError, match="no model is given"):
        metric("some").score(corpus, HYPOTHESES)


def test_impara_is_the_quality_behind_a_gate(folder: Path, bert: str, corpus: Corpus) -> None:
    import torch
    import transformers

    name = tiny_models.bert(folder / "quality", "BertForSequenceClassification", seed=7)
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    encoder = transformers.AutoModel.from_pretrained(bert).eval()
    quality = transformers.AutoModelForSequenceClassification.from_pretrained(name).eval()
    similar, wanted = [], []
    with torch.no_grad():
        for source, hypothesis in zip(SOURCES, HYPOTHESES, strict=True):
            a, b = (
                encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)
                for text in (source, hypothesis)
            )
            similar.append(float(torch.nn.functional.cosine_similarity(a, b, dim=0)))
            logit = quality(**tokenizer(hypothesis, return_tensors="pt")).logits[0, 0]
            wanted.append(float(torch.sigmoid(logit)))
    threshold = round(sum(sorted(similar)[1:3]) / 2, 4)  # two pass, two do not
    made = metric(f"impara:model={name},encoder={bert},threshold={threshold},device=cpu")
    gated = [q if s >= threshold else 0.0 for q, s in zip(wanted, similar, strict=True)]
    assert gated.count(0.0) == 2
    assert np.allclose(made.score(corpus, HYPOTHESES).sentences, gated, atol=1e-6)


# -- BERTScore -----------------------------------------------------------------------------------


@pytest.mark.parametrize("idf", [False, True])
def test_bertscore_equals_the_package(bert: str, corpus: Corpus, tmp_path: Path, idf: bool) -> None:
    package = pytest.importorskip("bert_score", reason="bert-score is not installed")
    baseline = tmp_path / "baseline.csv"
    baseline.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.1,0.1,0.1\n2,0.31,0.32,0.33\n")
    p, r, f = package.score(
        HYPOTHESES, REFERENCES, model_type=bert, num_layers=2, idf=idf, device="cpu", lang="en",
        rescale_with_baseline=True, baseline_path=str(baseline),
    )  # fmt: skip
    switch = "yes" if idf else "no"
    made = metric(f"bertscore:model={bert},layer=2,baseline={baseline},idf={switch},device=cpu")
    score = made.score(corpus, HYPOTHESES)
    values = score.statistics.values
    assert np.allclose(values[:, 0], f.numpy(), atol=1e-6)
    assert np.allclose(values[:, 1], p.numpy(), atol=1e-6)
    assert np.allclose(values[:, 2], r.numpy(), atol=1e-6)
    assert score.parts["f"] == pytest.approx(float(f.mean()), abs=1e-6)
    assert not np.allclose(values[:, 1], values[:, 2], atol=1e-3)


def test_bertscore_knows_the_baseline_of_one_model_only(bert: str, corpus: Corpus) -> None:
    with pytest.raises(ErrataError, match="no baseline is known for layer 2"):
        metric(f"bertscore:model={bert},layer=2").score(corpus, HYPOTHESES)
    with pytest.raises(ErrataError, match="no layer is known"):
        metric(f"bertscore:model={bert},rescale=no").score(corpus, HYPOTHESES)
    plain = metric(f"bertscore:model={bert},layer=2,rescale=no,device=cpu").score(corpus, [*SOURCES[:3], ""])
    assert plain.sentences[2] == pytest.approx(1.0)
    assert plain.sentences[3] == 0.0


# -- weighted edits ------------------------------------------------------------------------------


def _weight(name: str, source: str, edit: tuple[int, int, str], reference: str) -> float:
    """The weight of an edit by the `bert-score` package, one pair at a time."""
    package = pytest.importorskip("bert_score", reason="bert-score is not installed")
    start, end, text = edit
    tokens = source.split()
    edited = " ".join([*tokens[:start], *text.split(), *tokens[end:]])
    scores = package.score([edited, source], [reference] * 2, model_type=name, num_layers=2, device="cpu")[2]
    return abs(float(scores[0]) - float(scores[1]))


def _f(tp: float, fp: float, fn: float) -> tuple[float, float, float]:
    p = tp / (tp + fp) if tp + fp else 1.0
    r = tp / (tp + fn) if tp + fn else 1.0
    return 1.25 * p * r / (0.25 * p + r) if p + r else 0.0, p, r


@pytest.mark.parametrize("name", ["ptm2", "pterrant:tagger=embedded"])
def test_weighted_edits_equal_brute_force(bert: str, name: str) -> None:
    source, hypothesis = "the cat sit on a mat .", "the cat sits on the mat !"
    golds = [
        [Edit(2, 3, "sits", "R:VERB:SVA"), Edit(5, 6, "dog", "R:NOUN")],
        [Edit(1, 2, "cats", "R:NOUN:NUM")],
    ]
    texts = ["the cat sits on a dog .", "the cats sit on a mat ."]
    ours = [[(2, 3, "sits"), (4, 5, "the"), (6, 7, "!")]] * 2
    if name == "ptm2":  # MaxMatch joins what no gold edit matches, over up to two unchanged words
        ours = [[(2, 3, "sits"), (3, 7, "on the mat !")], [(2, 7, "sits on the mat !")]]
    segment = annotated(source, golds)
    made: Metric = metric(f"{name}{',' if ':' in name else ':'}model={bert},layer=2,device=cpu")
    rows = []
    for gold, text, edits in zip(golds, texts, ours, strict=True):
        theirs = [(e.start, e.end, e.correction) for e in gold]
        parts = (
            [e for e in edits if e in theirs], [e for e in edits if e not in theirs],
            [e for e in theirs if e not in edits],
        )  # fmt: skip
        rows.append(_f(*(sum(_weight(bert, source, e, text) for e in part) for part in parts)))
    wanted = max(rows, key=lambda row: row[0])
    assert 0 < wanted[0] < 1
    score = made.score(Corpus([segment]), [hypothesis])
    assert [score.parts[part] for part in ("f", "precision", "recall")] == pytest.approx(wanted, abs=1e-5)


def test_weighted_edits_of_nothing(bert: str) -> None:
    corpus = Corpus.from_lists(["she was happy ."], [["she was happy ."]])
    made = metric(f"ptm2:model={bert},layer=2,device=cpu")
    assert made.score(corpus, ["she was happy ."]).parts["f"] == 1.0
    assert made.score(corpus, ["she was very happy ."]).parts["f"] == 0.0


def test_models_are_named_in_signatures_by_their_contents(bert: str) -> None:
    made = metric(f"ptm2:model={bert},layer=2,device=cpu")
    assert "model:bert@" in made.signature
    assert "device" not in made.signature
    assert str(Path(bert).parent) not in made.signature


@pytest.mark.parametrize("name", ["bertscore:rescale=no,idf=yes,", "ptm2:", "pterrant:tagger=embedded,"])
def test_metrics_with_encoders_keep_the_contract(bert: str, name: str) -> None:
    check_metric(metric(f"{name}model={bert},layer=2,device=cpu"))


def test_metrics_with_regressors_keep_the_contract(folder: Path, bert: str) -> None:
    name = tiny_models.bert(folder / "regressor", "BertForSequenceClassification", seed=5)
    check_metric(metric(f"some:grammaticality={name},fluency={name},meaning={name},device=cpu"))
    check_metric(metric(f"impara:model={name},encoder={bert},threshold=0.5,device=cpu"))

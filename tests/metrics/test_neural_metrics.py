"""Metrics with models: equal to their packages or to slow transcriptions, on tiny models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny_models
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit, annotated
from errata.errors import ErrataError
from errata.metrics import metric
from errata.metrics.base import Metric
from errata.metrics.model_metric import Fluency, Scribendi, levenshtein_ratio, similarity, token_sort_ratio
from errata.metrics.uot_errant import transport
from errata.models.loading import causal_model, regressor
from errata.models.protocols import Likelihood
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
EDITS = ["pterrant", "simcleme2", "sentsimcleme2"]
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


@tiny_models.needed
def test_perplexity_is_that_of_all_tokens_and_fluency_a_mean_over_sentences(gpt: str, corpus: Corpus) -> None:
    found = causal_model(gpt, "cpu").likelihoods(HYPOTHESES)
    score = metric(f"perplexity:model={gpt},device=cpu").score(corpus, HYPOTHESES)
    logs, tokens = sum(one.log for one in found), sum(one.tokens for one in found)
    assert score.parts["perplexity"] == pytest.approx(math.exp(-logs / tokens), rel=1e-12)
    wanted = [1 / (1 + -one.log / one.tokens) for one in found]
    fluency = metric(f"fluency:model={gpt},device=cpu").score(corpus, HYPOTHESES)
    assert fluency.parts["fluency"] == pytest.approx(sum(wanted) / len(wanted), rel=1e-12)
    assert 0 < fluency.value < 1


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
@pytest.mark.needs("thefuzz.fuzz")
def test_token_sort_ratios_equal_thefuzz(first: str, second: str) -> None:
    from thefuzz import fuzz as thefuzz

    assert token_sort_ratio(first, second) == thefuzz.token_sort_ratio(first, second, force_ascii=False) / 100


@tiny_models.needed
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


@tiny_models.needed
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


@tiny_models.needed
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
@pytest.mark.needs("bert_score")
@tiny_models.needed
def test_bertscore_equals_the_package(bert: str, corpus: Corpus, tmp_path: Path, idf: bool) -> None:
    import bert_score as package

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


@tiny_models.needed
def test_bertscore_knows_the_baseline_of_one_model_only(bert: str, corpus: Corpus) -> None:
    with pytest.raises(ErrataError, match="no baseline is known for layer 2"):
        metric(f"bertscore:model={bert},layer=2").score(corpus, HYPOTHESES)
    with pytest.raises(ErrataError, match="no layer is known"):
        metric(f"bertscore:model={bert},rescale=no").score(corpus, HYPOTHESES)
    plain = metric(f"bertscore:model={bert},layer=2,rescale=no,device=cpu").score(corpus, [*SOURCES[:3], ""])
    assert plain.sentences[2] == pytest.approx(1.0)
    assert plain.sentences[3] == 0.0


# -- weighted edits ------------------------------------------------------------------------------


def _bertscore(name: str, hypothesis: str, reference: str) -> float:
    """The F of BERTScore at layer 2 in double precision, token by token."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    model = transformers.AutoModel.from_pretrained(name, dtype=torch.float64).eval()
    with torch.no_grad():
        ours, theirs = (
            model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[2][0]
            for text in (hypothesis, reference)
        )
    cosine = torch.nn.functional.cosine_similarity
    p, r = (
        sum(max(float(cosine(x, y, dim=0)) for y in second) for x in first[1:-1]) / (len(first) - 2)
        for first, second in ((ours, theirs), (theirs, ours))
    )
    return 2 * p * r / (p + r)


@pytest.mark.needs("bert_score")
@tiny_models.needed
def test_the_slow_bertscore_is_that_of_the_package(bert: str) -> None:
    import bert_score as package

    found = package.score([HYPOTHESES[0]], [SOURCES[0]], model_type=bert, num_layers=2, device="cpu")[2]
    assert _bertscore(bert, HYPOTHESES[0], SOURCES[0]) == pytest.approx(float(found[0]), abs=1e-6)


def _with(source: str, *edits: tuple[int, int, str]) -> str:
    tokens: list[str] = source.split()
    for start, end, text in sorted(edits, reverse=True):
        tokens[start:end] = text.split()
    return " ".join(tokens)


def _weight(name: str, source: str, edit: tuple[int, int, str], reference: str) -> float:
    """The weight of an edit, from two texts and one reference."""
    changed = _bertscore(name, _with(source, edit), reference)
    return abs(changed - _bertscore(name, source, reference))


def _f(tp: float, fp: float, fn: float) -> tuple[float, float, float]:
    p = tp / (tp + fp) if tp + fp else 1.0
    r = tp / (tp + fn) if tp + fn else 1.0
    return 1.25 * p * r / (0.25 * p + r) if p + r else 0.0, p, r


@pytest.mark.parametrize("name", ["ptm2", "pterrant:tagger=embedded"])
@tiny_models.needed
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
    assert [score.parts[part] for part in ("f", "precision", "recall")] == pytest.approx(wanted, abs=1e-6)


def _merged(*texts: list[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """The stretches of a source that edits of any text cover, touching ones as one."""
    spans = {(start, end) for edits in texts for start, end, _ in edits}
    while True:
        touching = [(a, b) for a in spans for b in spans if a < b and b[0] <= a[1]]
        if not touching:
            return sorted(spans)
        (a, b) = touching[0]
        spans = (spans - {a, b}) | {(min(a[0], b[0]), max(a[1], b[1]))}


def _weighted_chunks(
    name: str, source: str, ours: list[tuple[int, int, str]], golds: list[list[tuple[int, int, str]]], at: int
) -> dict[str, float]:
    """The weighted counts against one reference, chunk by chunk, by the definition of CLEME2."""
    spans = _merged(ours, *golds)
    reference = _with(source, *golds[at])
    found = dict.fromkeys(["tp", "fp_ne", "fp_un", "fn"], 0.0)
    for start, end in spans:
        mine = [e for e in ours if start <= e[0] and e[1] <= end]
        gold = [e for e in golds[at] if start <= e[0] and e[1] <= end]
        if not mine and not gold:
            continue
        same = _with(source, *mine) == _with(source, *gold)
        column = ("tp" if same else "fp_ne" if gold else "fp_un") if mine else "fn"
        changed = _bertscore(name, _with(source, *(mine or gold)), reference)
        found[column] += abs(changed - _bertscore(name, source, reference))
    return found


@pytest.mark.parametrize("name", ["simcleme2", "sentsimcleme2"])
@tiny_models.needed
def test_weighted_chunks_equal_brute_force(bert: str, name: str) -> None:
    source = "the cat sit on a mat ."
    golds = [[(2, 3, "sits"), (5, 6, "dog")], [(1, 2, "cats")]]
    edits = [[Edit(a, b, text, "R:OTHER") for a, b, text in gold] for gold in golds]
    corpus = Corpus([annotated(source, edits)])
    a, b, c, d = (0.45, 0.35, 0.15, 0.05) if name == "simcleme2" else (0.35, 0.25, 0.2, 0.2)
    made = metric(f"{name}:tagger=embedded,model={bert},layer=2,device=cpu")
    seen = set()
    for ours in (
        [(2, 3, "sits"), (4, 5, "the"), (6, 7, "!")],
        [(4, 5, "the"), (6, 7, "!")],
        [(1, 2, "cats")],
    ):
        scores = []
        for at in range(2):
            n = _weighted_chunks(bert, source, ours, golds, at)
            seen |= {column for column, weight in n.items() if weight}
            needed, changes = n["tp"] + n["fp_ne"] + n["fn"], n["tp"] + n["fp_ne"] + n["fp_un"]
            hit, err, und = (n[k] / needed if needed else 0.0 for k in ("tp", "fp_ne", "fn"))
            ove = n["fp_un"] / changes if changes else 0.0
            scores.append((a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove), hit, err, und, ove))
        score = made.score(corpus, [_with(source, *ours)])
        found = [score.parts[part] for part in ("com", "hit", "err", "und", "ove")]
        assert found == pytest.approx(max(scores), abs=1e-6)
    assert seen == {"tp", "fp_ne", "fp_un", "fn"}


@tiny_models.needed
def test_weighted_chunks_have_weights_per_reference(bert: str) -> None:
    corpus = Corpus(
        [annotated("the cat sit .", [[Edit(2, 3, "sits", "R:VERB")], [Edit(1, 2, "dog", "R:NOUN")]])]
    )
    made = metric(f"simcleme2:tagger=embedded,assumption=independent,model={bert},layer=2,device=cpu")
    values = made.score(corpus, ["the cat sits ."]).statistics.values
    wanted = [
        _weight(bert, "the cat sit .", (2, 3, "sits"), text) for text in ("the cat sits .", "the dog sit .")
    ]
    assert values[:, 0] == pytest.approx(wanted, abs=1e-6)


# -- optimal transport ---------------------------------------------------------------------------


def _plan(
    a: list[float], b: list[float], costs: list[list[float]], reg: float, reg_m: float
) -> list[list[float]]:
    """Unbalanced Sinkhorn by its two updates, number by number."""
    kernel = [
        [x * y * math.exp(-c / reg) for y, c in zip(b, row, strict=True)]
        for x, row in zip(a, costs, strict=True)
    ]
    u, v, power = [1.0] * len(a), [1.0] * len(b), reg_m / (reg_m + reg)
    for _ in range(200):
        u = [
            (x / sum(k * w for k, w in zip(row, v, strict=True))) ** power
            for x, row in zip(a, kernel, strict=True)
        ]
        sums = [sum(kernel[i][j] * u[i] for i in range(len(a))) for j in range(len(b))]
        v = [(y / total) ** power for y, total in zip(b, sums, strict=True)]
    return [[u[i] * kernel[i][j] * v[j] for j in range(len(b))] for i in range(len(a))]


@pytest.mark.needs("ot")
def test_transport_equals_the_package_and_plain_updates() -> None:
    draw = np.random.default_rng(3)
    for rows, columns in ((1, 1), (3, 2), (2, 5)):
        a, b, costs = draw.random(rows) + 0.1, draw.random(columns) + 0.1, draw.random((rows, columns)) * 2
        found = transport(a, b, costs, 0.1, 0.3)
        assert np.allclose(found, _plan(a.tolist(), b.tolist(), costs.tolist(), 0.1, 0.3), atol=1e-12)
        import ot as package

        theirs = package.unbalanced.sinkhorn_unbalanced(
            a, b, costs, 0.1, 0.3, stopThr=1e-14, numItermax=10_000
        )
        assert np.allclose(found, theirs, atol=1e-10)


def test_transport_of_distant_edits_is_stable() -> None:
    found = transport(np.array([2.0]), np.array([3.0]), np.array([[500.0]]), 0.1, 0.1)
    assert 0 <= found[0, 0] < 1e-100


@tiny_models.needed
def test_uoterrant_equals_brute_force(bert: str) -> None:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    model = transformers.AutoModel.from_pretrained(bert, dtype=torch.float64).eval()

    def vector(text: str) -> np.ndarray:
        with torch.no_grad():
            return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0).numpy()

    source, ours = "the cat sit on a mat .", [(2, 3, "sits"), (4, 5, "the"), (6, 7, "!")]
    golds = [[(2, 3, "sits"), (5, 6, "dog")], [(1, 2, "cats")]]
    rows = []
    for gold in golds:
        x, y = (
            [
                vector(_with(source, *some)) - vector(_with(source, *(e for e in some if e != one)))
                for one in some
            ]
            for some in (ours, gold)
        )
        a, b = [float(np.linalg.norm(v)) for v in x], [float(np.linalg.norm(v)) for v in y]
        costs = [[float(np.linalg.norm(v - w)) for w in y] for v in x]
        plan = _plan(a, b, costs, 2.0, 3.0)
        moved = sum(map(sum, plan))
        left = [max(x - sum(row), 0) for x, row in zip(a, plan, strict=True)]
        lacking = [max(y - sum(column), 0) for y, column in zip(b, zip(*plan, strict=True), strict=True)]
        rows.append((*_f(moved, sum(left), sum(lacking)), moved))
    edits = [[Edit(*edit, "R:OTHER") for edit in gold] for gold in golds]
    made = metric(f"uoterrant:tagger=embedded,model={bert},reg=2,reg_m=3,device=cpu")
    score = made.score(Corpus([annotated(source, edits)]), [_with(source, *ours)])
    wanted = max(rows)
    assert 0.01 < wanted[0] < 1
    assert [score.parts[part] for part in ("f", "precision", "recall", "tp")] == pytest.approx(
        wanted, abs=1e-6
    )
    assert made.score(Corpus([annotated(source, edits)]), [_with(source, *golds[0])]).value > wanted[0]


@tiny_models.needed
def test_weighted_edits_of_nothing(bert: str) -> None:
    corpus = Corpus.from_lists(["she was happy ."], [["she was happy ."]])
    made = metric(f"ptm2:model={bert},layer=2,device=cpu")
    assert made.score(corpus, ["she was happy ."]).parts["f"] == 1.0
    assert made.score(corpus, ["she was very happy ."]).parts["f"] == 0.0


@tiny_models.needed
def test_models_are_named_in_signatures_by_their_contents(bert: str) -> None:
    made = metric(f"ptm2:model={bert},layer=2,device=cpu")
    assert "model:bert@" in made.signature
    assert "device" not in made.signature
    assert str(Path(bert).parent) not in made.signature


@pytest.mark.parametrize(
    "name", ["bertscore:rescale=no,idf=yes,", "ptm2:", *(f"{name}:tagger=embedded," for name in EDITS)]
)
@tiny_models.needed
def test_metrics_with_encoders_keep_the_contract(bert: str, name: str) -> None:
    check_metric(metric(f"{name}model={bert},layer=2,device=cpu"))


@tiny_models.needed
def test_transport_keeps_the_contract(bert: str) -> None:
    check_metric(metric(f"uoterrant:tagger=embedded,model={bert},device=cpu"))


@tiny_models.needed
def test_metrics_with_regressors_keep_the_contract(folder: Path, bert: str) -> None:
    name = tiny_models.bert(folder / "regressor", "BertForSequenceClassification", seed=5)
    check_metric(metric(f"some:grammaticality={name},fluency={name},meaning={name},device=cpu"))
    check_metric(metric(f"impara:model={name},encoder={bert},threshold=0.5,device=cpu"))


def test_fluency_is_0_without_tokens_and_falls_with_the_cross_entropy() -> None:
    class Known(Fluency):
        def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
            return [Likelihood(-3.0 * len(text.split()), len(text.split())) for text in texts]

    corpus = Corpus.from_lists(["a b", ""])
    assert Known().score(corpus, ["a b", ""]).sentences.tolist() == [0.25, 0.0]

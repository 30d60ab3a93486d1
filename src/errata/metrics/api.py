"""`errata.score`: scores in one call, from lists, files or a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import overload

from errata.corpus.model import Corpus
from errata.corpus.segment import References
from errata.errors import DataError
from errata.metrics import metric as find_metric
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.metrics.score import Score

Texts = Corpus | Sequence[str] | str | Path
OneMetric = str | Metric


@overload
def score(  # type: ignore[overload-overlap]  # a mapping is no sequence
    corpus: Texts,
    hypotheses: Sequence[str],
    references: References | None = None,
    *,
    metric: OneMetric = "m2",
    jobs: int | None = None,
    cache: str | Path | None = None,
    retokenize: str | None = None,
    normalize: Sequence[str] = (),
) -> Score: ...
@overload
def score(
    corpus: Texts,
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: References | None = None,
    *,
    metric: OneMetric | list[OneMetric] | tuple[OneMetric, ...] = "m2",
    jobs: int | None = None,
    cache: str | Path | None = None,
    retokenize: str | None = None,
    normalize: Sequence[str] = (),
) -> Results: ...
def score(
    corpus: Texts,
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: References | None = None,
    *,
    metric: OneMetric | list[OneMetric] | tuple[OneMetric, ...] = "m2",
    jobs: int | None = None,
    cache: str | Path | None = None,
    retokenize: str | None = None,
    normalize: Sequence[str] = (),
) -> Score | Results:
    """Score one or several systems with one or several metrics.

    `corpus` is a `Corpus`, the path of a corpus file (such as M2), or a list of sources; with sources,
    `references` has a list of reference texts per source. `hypotheses` is a list with one text per source,
    or a mapping from systems to such lists. `metric` is a metric, its name as on the command line
    (`"m2:beta=1"`), or a list of them. `jobs` is the number of threads, and `cache` a folder for the results
    of metrics with models.

    `retokenize` names a tokenizer (`"penn"`): detokenised hypotheses get the tokens of their sources, and
    changed text is split by it. `normalize` has kinds of typography (`"quotes"`, `"dashes"`, `"spaces"`,
    `"unicode"`) that are replaced by what sources and references use. Signatures record both.

    One system and one metric give a `Score`; a mapping or a list of metrics gives `Results`.
    """
    texts = as_corpus(corpus, references)
    if not len(texts):
        raise DataError("there is no sentence to score", hint="is it the right file or list?")
    several = not isinstance(metric, str | Metric)
    metrics = [as_metric(metric)] if isinstance(metric, str | Metric) else [*map(as_metric, metric)]
    outputs = hypotheses if isinstance(hypotheses, Mapping) else {"system": hypotheses}
    if retokenize is not None or normalize:
        from errata.metrics.preprocessing import Preprocessing

        preprocessing = Preprocessing(retokenize, tuple(normalize))
        results = Results.compute(
            texts, preprocessing.apply(texts, outputs), metrics, jobs=jobs, cache=cache
        ).with_signature_fields(prep=preprocessing.label)
    else:
        results = Results.compute(texts, outputs, metrics, jobs=jobs, cache=cache)
    for result in results.scores.values():
        result.warn_if_zero()
    return results if several or isinstance(hypotheses, Mapping) else results.score("system")


def as_corpus(texts: Texts, references: References | None = None) -> Corpus:
    """A corpus from a corpus, the path of a file, or lists of sources and references."""
    if not isinstance(texts, Corpus | str | Path):
        return Corpus.from_lists(texts, references)
    if references is not None:
        kind = "corpus" if isinstance(texts, Corpus) else "corpus file"
        raise DataError(f"a {kind} has references of its own", hint="leave the references out")
    if isinstance(texts, Corpus):
        return texts
    from errata.corpus.formats import read_corpus

    return read_corpus(texts)


def as_metric(metric: OneMetric) -> Metric:
    """A metric from a metric or from its name and parameters."""
    return metric if isinstance(metric, Metric) else find_metric(metric)

"""`errata.score`: scores in one call, from lists, files or a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from errata.corpus.model import Corpus, Outputs
from errata.corpus.segment import EditedLines, References
from errata.errors import DataError, ErrataError, one_of
from errata.metrics import metric as find_metric
from errata.metrics.base import Metric
from errata.metrics.evaluate import score_one
from errata.metrics.results import Results
from errata.metrics.score import Score
from errata.text.projection import Projector
from errata.text.tokenizers import TOKENIZERS, Tokenizer, tokenizer
from errata.text.typography import NORMALIZATIONS, Typography

SPLITTERS = tuple(name for name in TOKENIZERS if name != "udpipe")  # the others need no model


@dataclass(frozen=True)
class Preprocessing:
    """What is done with outputs before they are scored.

    `retokenize` is the tokenizer for changed text (`penn`, `moses:cs`, …), or None to keep the tokens;
    `normalize` has kinds of typography, which are replaced first.
    """

    retokenize: str | None = None
    normalize: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind in self.normalize:
            if kind not in NORMALIZATIONS:
                raise ErrataError(
                    f"there is no normalization {kind!r}\n  hint: {one_of(kind, NORMALIZATIONS)}"
                )
        if self.retokenize is not None:
            parse_splitter(self.retokenize)

    def __bool__(self) -> bool:
        return self.retokenize is not None or bool(self.normalize)

    @property
    def label(self) -> str:
        """The field `prep` of a signature: `quotes+dashes+project-penn`."""
        kinds = [kind for kind in NORMALIZATIONS if kind in self.normalize]
        projected = [] if self.retokenize is None else [f"project-{self.retokenize.replace(':', '-')}"]
        return "+".join([*kinds, *projected])

    def apply(self, corpus: Corpus, outputs: Mapping[str, Sequence[str]]) -> Outputs:
        """The outputs as they are scored."""
        if not self:
            return outputs if isinstance(outputs, Outputs) else Outputs(outputs)
        for system, lines in outputs.items():
            if isinstance(lines, EditedLines):
                raise DataError(
                    f"{system} is given as edits, whose tokens and characters cannot be changed",
                    hint="leave out --retokenize and --normalize, or give the output as text",
                )
            if len(lines) != len(corpus):
                raise DataError(
                    f"{system}: {len(lines)} lines for {len(corpus)} source sentences",
                    hint="give one line per source sentence",
                )
        sources = [" ".join(source.split()) for source in corpus.sources]
        typography = typography_of(corpus) if self.normalize else None
        projector = None
        if self.retokenize is not None:
            projector = Projector(sources, parse_splitter(self.retokenize))
        changed = Outputs()
        for system, lines in outputs.items():
            texts = [*lines]
            if typography is not None:
                texts = [typography.normalize(text, self.normalize) for text in texts]
            if projector is not None:
                texts = list(map(projector.project, sources, texts))
            changed[system] = texts
        return changed


def parse_splitter(name: str) -> Tokenizer:
    """The tokenizer of this name; Moses may name a language: `moses:cs`."""
    name, _, language = name.partition(":")
    if name not in SPLITTERS or (language and name != "moses"):
        raise ErrataError(f"cannot split changed text by {name!r}\n  hint: {one_of(name, SPLITTERS)}")
    return tokenizer(name, lang=language or "en")


def parse_normalizations(text: str) -> tuple[str, ...]:
    """The kinds that commas separate."""
    kinds = tuple(dict.fromkeys(kind.strip() for kind in text.split(",") if kind.strip()))
    if not kinds:
        raise ErrataError(f"it should name some of {', '.join(NORMALIZATIONS)}")
    return Preprocessing(normalize=kinds).normalize


def typography_of(corpus: Corpus) -> Typography:
    """The typography of all sources and references."""
    corpus = corpus.as_texts()
    texts = [*corpus.sources]
    for annotator in corpus.annotators:
        texts += (text for text in corpus.references(annotator) if text is not None)
    return Typography.of(texts)


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
    preprocessing = Preprocessing(retokenize, tuple(normalize)) if retokenize or normalize else None
    if isinstance(metric, str | Metric) and not isinstance(hypotheses, Mapping) and not preprocessing:
        one = score_one(as_metric(metric), texts, hypotheses, jobs, cache)
        one.warn_if_zero()
        return one
    metrics = [metric] if isinstance(metric, str | Metric) else metric
    outputs = hypotheses if isinstance(hypotheses, Mapping) else {"system": hypotheses}
    if preprocessing is not None:
        outputs = preprocessing.apply(texts, outputs)
    results = Results.compute(texts, outputs, [*map(as_metric, metrics)], jobs=jobs, cache=cache)
    if preprocessing is not None:
        results = results.with_signature_fields(prep=preprocessing.label)
    for result in results.scores.values():
        result.warn_if_zero()
    several = metrics is metric or isinstance(hypotheses, Mapping)
    return results if several else results.score("system")


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

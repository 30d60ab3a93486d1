"""English edits on spaCy's tags: byte for byte those of errant 3.0.2, and the metric's numbers with them."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2, write_m2
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Segment
from errata.edits.pipeline import Extractor
from errata.edits.reannotation import extracted_anew, typed
from errata.metrics import metric

SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]
PIPELINE = "spacy:en_core_web_sm"

pytestmark = [
    pytest.mark.skipif(
        not all(importlib.util.find_spec(name) for name in ("spacy", "errant")),
        reason="spaCy and errant are not installed (pip install 'errata-gec[errant]')",
    ),
]


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor("en", PIPELINE, words="errant")


def _m2(corpus: Corpus, path: Path) -> bytes:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_m2(corpus, file)
    return path.read_bytes()


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.slow
def test_edits_of_a_system_are_the_official_ones(
    extractor: Extractor, data: Path, golden: Path, tmp_path: Path, system: str
) -> None:
    sources = read_lines(data / "conll14" / "source.txt")
    hypotheses = read_lines(data / "conll14" / "systems" / f"{system}.txt")
    segments = []
    for source, hypothesis, edits in zip(
        sources, hypotheses, extractor.extract_all(zip(sources, hypotheses, strict=True)), strict=True
    ):
        # the official program writes no line at all where only blanks differ
        implicit = not edits and " ".join(source.split()) != hypothesis.strip()
        text = " ".join(source.split())
        segments.append(Segment(text, (Annotation(text, edits=edits, implicit=implicit),)))
    assert _m2(Corpus(segments), tmp_path / "out.m2") == (golden / "errant" / f"{system}.m2").read_bytes()


@pytest.mark.parametrize("kind", ["auto", "gold"])
def test_edits_of_an_m2_file_anew_and_typed_are_the_official_ones(
    extractor: Extractor, data: Path, golden: Path, tmp_path: Path, kind: str
) -> None:
    corpus = read_m2(data / "conll14" / "test.m2")
    annotated = ((segment.source, a.edits) for segment in corpus for a in segment.annotations)
    edits = (extracted_anew if kind == "auto" else typed)(extractor, annotated)
    made = Corpus(
        [
            Segment(
                segment.source,
                tuple(
                    Annotation(a.source, edits=next(edits), annotator=a.annotator, implicit=a.implicit)
                    for a in segment.annotations
                ),
            )
            for segment in corpus
        ]
    )
    assert _m2(made, tmp_path / "out.m2") == (golden / "errant" / f"test.{kind}.m2").read_bytes()


def test_edits_of_two_references_are_the_official_ones(golden: Path, data: Path, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from errata.cli.compat_errant import errant_parallel as parallel

    folder = data / "conll14"
    references = [str(folder / "refs" / f"nucle{i}.txt") for i in (0, 1)]
    arguments = ["-orig", str(folder / "source.txt"), "-cor", *references, "-out", str(tmp_path / "ref.m2")]
    result = CliRunner().invoke(parallel, arguments, catch_exceptions=False)
    assert result.output == "Loading resources...\nProcessing parallel files...\n"
    assert (tmp_path / "ref.m2").read_bytes() == (golden / "errant" / "ref.auto.m2").read_bytes()


@pytest.mark.parametrize(("system", "counts"), [("AMU", (482, 797, 1908)), ("INPUT", None)])
def test_the_metric_counts_what_errant_compare_counts(
    data: Path, golden: Path, system: str, counts: tuple[int, ...] | None
) -> None:
    errant = metric("errant")
    corpus = read_m2(data / "conll14" / "test.m2")
    hypotheses = read_lines(data / "conll14" / "systems" / f"{system}.txt")
    score = errant.score(corpus, hypotheses)
    line = (golden / "errant" / f"{system}.compare.txt").read_text().splitlines()[4].split("\t")
    found = [int(score.parts[part]) for part in ("tp", "fp", "fn")]
    assert found == list(map(int, line[:3]))
    assert counts is None or found == list(counts)
    printed = list(map(float, line[3:]))
    assert [round(score.parts[part], 4) for part in ("precision", "recall", "f")] == printed
    assert "|tagger:spacy-" in score.signature
    assert "approximate" not in score.signature
    assert errant.label("f") == "ERRANT F0.5"
    ones = np.ones((1, len(corpus)), dtype=np.int64)
    assert errant.aggregate(score.statistics, ones)[0][0] == score.value


@pytest.mark.slow
def test_what_is_remembered_of_words_and_windows_changes_no_tag(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spacy.tokens import Doc

    from errata.edits.taggers import spacy

    lines = read_lines(data / "conll14" / "source.txt")[:150]
    lines += read_lines(data / "conll14" / "systems" / "CAMB.txt")[:150]
    lines += [
        "I ai n't gon na go .",
        "Y' all got ta c'm on , let 's go .",
        "There 's a  blank \t here",
        "AI NT",
        "",
        "\u2028 \U0001f600 ÅNGSTRÖM 12,5 %",
    ]
    shuffled = [" ".join(sorted(line.split(" "), key=lambda word: word[::-1])) for line in lines[::3]]
    sentences = [[word or " " for word in line.split(" ") if line] for line in [*lines, *shuffled, *lines]]
    plain = spacy.load_pipeline("en_core_web_sm")
    documents = [Doc(plain.vocab, words=words) for words in sentences]
    expected = [spacy.DocumentReader()(document) for document in plain.pipe(documents, batch_size=256)]
    tagger = spacy.SpacyTagger("en_core_web_sm")
    assert isinstance(tagger._nlp.get_pipe("tok2vec").predict, spacy._Windows)
    assert tagger.tag(sentences, jobs=1) == expected
    monkeypatch.setattr(spacy, "MOST_VECTORS", 1000)
    monkeypatch.setattr(spacy, "MOST_TOKENS", 100)
    assert tagger.tag(sentences[::-1], jobs=1) == expected[::-1]
    texts = [" ".join(line.split()) for line in lines]
    assert tagger.analyse(texts) == [spacy.DocumentReader()(document) for document in plain.pipe(texts)]


def test_vectors_of_remembered_windows_are_those_of_spacy(data: Path) -> None:
    from spacy.tokens import Doc

    from errata.edits.taggers.spacy import SpacyTagger

    nlp = SpacyTagger("en_core_web_sm")._nlp
    network = nlp.get_pipe("tok2vec")
    sentences = [line.split() for line in read_lines(data / "conll14" / "source.txt")[:200]]
    sentences[3], sentences[7] = [], sentences[7][:1]
    documents = [Doc(nlp.vocab, words=words) for words in sentences]
    expected = type(network).predict(network, documents)
    for found in (network.predict(documents), network.predict(documents[::-1])[::-1]):
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)
    assert network.predict([Doc(nlp.vocab, words=[])])[0].shape == expected[3].shape


def test_an_interrupted_network_gives_the_same_vectors_afterwards(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spacy.tokens import Doc

    from errata.edits.taggers import spacy
    from errata.edits.taggers.spacy import SpacyTagger

    nlp = SpacyTagger("en_core_web_sm")._nlp
    network = nlp.get_pipe("tok2vec")
    lines = read_lines(data / "conll14" / "source.txt")[:40]
    documents = [Doc(nlp.vocab, words=line.split()) for line in lines]
    expected = network.predict(documents)
    network.predict._forget()
    with monkeypatch.context() as patch:
        patch.setattr(spacy, "_convolved", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            network.predict(documents[:20])
    for ours, theirs in zip(network.predict(documents[20:]), expected[20:], strict=True):
        # Some matrix libraries round a row differently in another batch; wrong vectors differ by far more.
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
def test_any_two_sentences_align_merge_and_type_as_in_errant(extractor: Extractor, data: Path) -> None:
    """Unrelated neighbours give long runs that no real correction has."""
    import errant

    from errata.edits.taggers.spacy import _pipelines  # the loaded pipeline

    extractor.tag([])
    annotator = errant.load("en", _pipelines["en_core_web_sm"][0])
    lines = [line for line in read_lines(data / "conll14" / "source.txt") if 3 < len(line.split()) < 14][:30]
    pairs = list(itertools.pairwise(lines))
    for merge, levenshtein in (("rules", False), ("all-equal", False), ("all-merge", False), ("rules", True)):
        ours = Extractor("en", extractor.tagger, words="errant", merge=merge, levenshtein=levenshtein)
        for (source, target), edits in zip(pairs, ours.extract_all(pairs), strict=True):
            official = annotator.annotate(
                annotator.parse(source), annotator.parse(target), levenshtein, merge
            )
            assert [(e.start, e.end, e.correction, e.type) for e in edits] == [
                (e.o_start, e.o_end, " ".join(token.text for token in e.c_toks), e.type) for e in official
            ]

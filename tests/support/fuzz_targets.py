"""Valid files of every format with the code that reads them, and valid calls of every native function.

`tests/corpus/test_fuzzing.py` breaks them.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tempfile
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

VALID = Path(__file__).parent / "valid_files"
M2 = (VALID / "gold.m2").read_bytes()


class Target(NamedTuple):
    """A valid file, and the code that reads it."""

    name: str  # of the file
    content: Callable[[], bytes]
    use: Callable[[Path], object]


def corpus(format: str) -> Callable[[Path], None]:
    """Read, count and score, so that native code gets what a reader accepts; errors must name the file."""

    def use(path: Path) -> None:
        from errata import BLEU, ERRANT, GLEU, M2, TER, IMeasure
        from errata.corpus.formats import read_corpus
        from errata.corpus.statistics import count
        from errata.errors import DataError

        if format == "geccc":
            (path.parent / "meta.tsv").write_text("Filename\tDomain\nd\tx\n")
            (path.parent / "sentence.meta").write_text("d\nd\n")
        for name in (format, None):
            try:
                texts = read_corpus(path, format=name)
                assert len(texts.sources) == len([*texts])
                count(texts)
            except DataError as error:
                assert str(path.parent) in (error.path or ""), error  # noqa: PT017
                continue
            lines = [" ".join(reversed(source.split())) for source in texts.sources]
            if texts.annotators and len(texts) and all(len(line) < 2000 for line in lines):
                for metric in (M2(), GLEU(iterations=5), IMeasure(), BLEU(), TER(), ERRANT(tagger="none")):
                    metric.score(texts, lines)

    return use


def parquet(path: Path) -> None:
    """Read all rows; errors must name the file."""
    from errata.corpus.statistics import count
    from errata.corpus.streaming import row_groups
    from errata.errors import DataError

    try:
        for rows in row_groups(path):
            count(rows.parse().corpus)
    except DataError as error:
        assert str(path) in (error.path or ""), error  # noqa: PT017


def judgments(path: Path) -> None:
    """Read, rank, and write again."""
    from errata.human.judgment_files import WRITERS, read_judgments
    from errata.human.pairs import expanded_pairs
    from errata.human.trueskill import trueskill_runs

    found = read_judgments(path)
    for write in WRITERS.values():
        write(found, io.StringIO())
    pairs = expanded_pairs(found.filtered())
    trueskill_runs(pairs, runs=1, matches=20, jobs=1)


def scalars(path: Path) -> None:
    from errata.human.judgment_files import read_scalars, write_scalars

    write_scalars(read_scalars(path), io.StringIO())


def edit_labels(path: Path) -> None:
    """Read, compare with the corpus, and write again."""
    from errata.corpus.formats import read_corpus
    from errata.human.edit_labels import read_edit_labels, write_edit_labels
    from errata.meta.edit_judgments import judge_edits

    labels = read_edit_labels(path)
    write_edit_labels(labels, io.StringIO())
    if labels:
        judge_edits(labels, read_corpus(VALID / "gold.m2"), jobs=1).tables()


def conllu(path: Path) -> None:
    from errata.edits.taggers.external import PrecomputedTagger

    PrecomputedTagger(str(path)).tag([["a", "b"]])


def side_file(path: Path) -> None:
    from errata.corpus.formats import read_corpus
    from errata.corpus.tsv import with_meta

    list(with_meta(read_corpus(VALID / "gold.m2"), path))


def results(path: Path) -> None:
    from errata.metrics.results import Results

    found = Results.load(path)
    for system in found.systems:
        found.score(system, 0)


def profile(path: Path) -> None:
    from errata_correct.profile import Profile

    Profile.load(path).noise(2.0).apply(["a thing running a long way, indeed."] * 3)


def error_model(path: Path) -> None:
    from errata.corpus.files import read_lines
    from errata_correct.error_model import ErrorModel

    ErrorModel.parse(read_lines(path), path).tables("abc", "spelling")


def settings(path: Path) -> None:
    from errata_server.campaign.campaign_settings import read_settings

    read_settings(path)


def recipe(path: Path) -> None:
    from errata_correct.transformer.recipe import read_recipe

    read_recipe(path)


def calibration(path: Path) -> None:
    from errata_correct.confidence import Calibration

    Calibration.load(path).confidence("spelling", 1.0)


def document(path: Path) -> None:
    """Read, change every word, and put the document together again."""
    import re

    from errata_correct.corrector import Suggestion
    from errata_correct.documents import read_document

    found = read_document(str(path))
    for new in (r"\g<0>é<", ""):
        found.corrected(
            [
                [Suggestion(*m.span(), m.expand(new), 1.0, "spelling") for m in re.finditer(r"\w+", text)]
                for text in found.texts
            ]
        )


def archive(path: Path) -> None:
    from errata.data.fetching import extract
    from errata.data.registry import File

    with tempfile.TemporaryDirectory() as folder:
        extract(path, File("https://example.org/x", "x"), Path(folder))


def channel(path: Path) -> None:
    from errata_correct.corrector import Corrector
    from errata_correct.noisy_channel import NoisyChannel

    for mode in ("spelling", "diacritics"):
        Corrector(NoisyChannel.load(path, mode)).correct(["Peter se koně , portoze vidi psa ."])


def tagger(path: Path) -> None:
    from errata.edits.taggers import embedded
    from errata.edits.taggers.models import unpack

    model = unpack(path.read_bytes(), str(path))
    made = embedded.EmbeddedTagger.__new__(embedded.EmbeddedTagger)
    made.language, made.style, made._model, made._words = "cs", "ud", model, embedded._Words(model, "ud")
    if {"upos", "dep"} <= model.layers.keys():
        list(made.tag([["Neva", "vidi", "novejsi", "kone", "."], [], ["a"]], jobs=1))


@cache
def saved_results(suffix: str) -> bytes:
    """Saved statistics, as `.npz` or as JSON."""
    from errata import metrics
    from errata.corpus.m2 import parse_m2
    from errata.corpus.model import Outputs
    from errata.metrics.results import Results

    outputs = Outputs({"A": ["This is .", "x y"]})
    found = Results.compute(parse_m2(M2, "x"), outputs, [metrics.metric("m2"), metrics.metric("gleu")])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.npz")
        found.save(path)
        return path.read_bytes() if suffix == ".npz" else json.dumps({"results": found.to_dict()}).encode()


def parquet_file() -> bytes:
    """Texts, a list of references and numbers, in two groups of rows."""
    import pyarrow
    import pyarrow.parquet

    buffer = io.BytesIO()
    columns = {
        "source": ["This are .", "a b", "é c"], "references": [["This is .", None], ["a"], None],
        "document": [1, 1, 2], "hypothesis:A": ["This is .", "a", "c"],
    }  # fmt: skip
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer, row_group_size=2, compression="none")
    return buffer.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return buffer.getvalue()


def taped() -> bytes:
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as made:
        for name in ("top/a.txt", "top/b/c.txt"):
            info = tarfile.TarInfo(name)
            info.size = 3
            made.addfile(info, io.BytesIO(b"abc"))
    return buffer.getvalue()


@cache
def channel_file() -> bytes:
    """A small noisy-channel model with morphology."""
    from errata_correct.error_model import ErrorModel, Weights
    from errata_correct.language_model import OTHER, Morphology, estimate
    from errata_correct.noisy_channel import NoisyChannel

    lines = [
        line.split() for line in ("petr vidí koně , protože má psa .", "eva má psa .", "petr má koně .")
    ] * 3
    words = sorted({word for line in lines for word in line})
    analyses = {word: (word[:3], word[-1:].upper()) for word in words}
    lemmas, tags = (
        estimate(
            [[analyses[w][k] for w in line] for line in lines],
            [OTHER, *sorted({a[k] for a in analyses.values()})],
        )
        for k in range(2)
    )  # fmt: skip
    model = estimate(lines, words)
    made = NoisyChannel.build(
        model,
        ErrorModel(
            {("í", "i"): 0.1}, words={("koně", "kone"): 0.5}, drop={",": 0.3}, add={",": 0.01}, other=1e-2
        ),
        ["petr"],
        Weights(lemma=0.1, tag=0.2),
        Morphology.build(model.words, analyses, lemmas, tags),
    )
    with tempfile.TemporaryDirectory() as folder:
        made.save(Path(folder, "x"))
        return Path(folder, "x").read_bytes()


@cache
def tagger_file() -> bytes:
    """A small model of a tagger, with random weights."""
    from errata.edits.taggers.lexicon import LemmaRules, Lexicon, Script, Variant
    from errata.edits.taggers.models import Layer, Model, pack, padded

    draw = np.random.default_rng(1)

    def layer(labels: int, over: str) -> Layer:
        index = np.zeros(64, dtype=np.int32)
        buckets = np.sort(draw.permutation(64)[:40])
        index[buckets] = np.arange(1, 41)
        weights = draw.integers(-127, 128, (40, labels)).astype(np.int8)
        return Layer(tuple(f"L{n}" for n in range(labels)), over, index, padded(weights))

    lexicon = Lexicon(
        {"a": ("X", "", 1), "kůň": ("", "y", 2)}, (Variant("ej", "ý", "ý"),), ("ne",), ("t", "ý")
    )
    layers = {"upos": layer(3, ""), "dep": layer(17, "upos")}
    return pack(Model(layers, lexicon, LemmaRules({"L0 a": Script(False, 1, "x")}, 5), {"A": "B"}))


def _stored(name: str, use: Callable[[Path], object]) -> Target:
    return Target(name, (VALID / name).read_bytes, use)


READERS: dict[str, Target] = {
    "m2": _stored("gold.m2", corpus("m2")),
    "jsonl": _stored("rows.jsonl", corpus("jsonl")),
    "tsv": _stored("table.tsv", corpus("tsv")),
    "text": _stored("lines.txt", corpus("text")),
    "cherrant": _stored("gold.m2.char", corpus("cherrant")),
    "ua-gec": _stored("annotated.ann", corpus("ua-gec")),
    "ixml": _stored("edits.ixml", corpus("ixml")),
    "multigec": _stored("essays-orig-dev.md", corpus("multigec")),
    "geccc": Target("sentence.m2", lambda: M2, corpus("geccc")),
    "parquet": Target("rows.parquet", parquet_file, parquet),
    "gzip": Target("gold.m2.gz", lambda: gzip.compress(M2), corpus("m2")),
    "xz": Target("gold.m2.xz", lambda: lzma.compress(M2), corpus("m2")),
    "appraise": _stored("rankings.xml", judgments),
    "pairs": _stored("pairs.csv", judgments),
    "mturk": _stored("mturk.csv", judgments),
    "scalars": _stored("scalars.tsv", scalars),
    "edit labels": _stored("labels.tsv", edit_labels),
    "conllu": _stored("tags.conllu", conllu),
    "side file": _stored("documents.tsv", side_file),
    "table of documents": _stored("documents.csv", side_file),
    "results": Target("x.npz", lambda: saved_results(".npz"), results),
    "results as JSON": Target("x.json", lambda: saved_results(".json"), results),
    "profile": _stored("profile.json", profile),
    "error model": _stored("errors.tsv", error_model),
    "settings": _stored("campaign.toml", settings),
    "recipe": _stored("recipe.toml", recipe),
    "calibration": _stored("calibration.json", calibration),
    "markdown": _stored("page.md", document),
    "zip": Target("x.zip", lambda: zipped({"top/a.txt": b"a" * 100, "top/b/c.txt": b"c"}), archive),
    "tar": Target("x.tar.gz", taped, archive),
}
MODELS: dict[str, Target] = {
    "channel": Target("x.channel", channel_file, channel),
    "tagger": Target("x.model", tagger_file, tagger),
}


def _use_native_code() -> None:
    """Something for every function of every kernel to do."""
    from errata import BLEU, CER, ERRANT, GLEU, GLEU2015, M2, TER, Extractor, IMeasure, sample
    from errata.corpus.m2 import read_m2
    from errata.edits.alignment import Aligner, CostModel, TokenTable
    from errata.edits.language import WordList
    from errata.edits.taggers.embedded import EmbeddedTagger
    from errata.engine import in_order
    from errata.human.judgment_files import read_judgments
    from errata.human.pairs import expanded_pairs
    from errata.human.trueskill import trueskill_runs
    from errata.metrics.cleme import CLEME
    from errata.metrics.editing import SARI, EMDiff
    from errata.metrics.gotoscorer import GoToScorer
    from errata.metrics.green import GREEN
    from errata.metrics.signature import source_codes
    from errata.metrics.simple_metrics import ExactMatch
    from errata.metrics.totals import Sums
    from errata.native import tagger, trueskill
    from errata.native.ragged import Ragged
    from errata.significance.kendall import count_pairs
    from errata.text.vocabulary import Vocabulary

    texts = sample.load("en")
    corpus, lines = texts.corpus[:6], texts.outputs["neural"][:6]
    weights = np.ones((2, 6), dtype=np.int64)
    metrics = (
        M2(), GLEU(), GLEU2015(), IMeasure(), BLEU(), TER(), CER(), ERRANT(), GREEN(), SARI(), EMDiff(),
        CLEME(tagger="embedded"), GoToScorer(tagger="embedded"),
    )  # fmt: skip
    for metric in metrics:
        found = metric.statistics(corpus, lines, jobs=1)
        metric.aggregate(found, weights)
        metric.sentence_scores(found)
        metric.swapper([found, found])(np.zeros((2, 6), dtype=np.uint8), [(0, 1)])
    TER().explain(corpus[0], lines[0])
    M2().paths(corpus, lines, [0], [corpus[0].annotations[0].annotator])
    Sums(ExactMatch()).add(ExactMatch().statistics(corpus, lines, jobs=1))
    assert len([*in_order(Vocabulary().encode_lines, [corpus.sources, lines], 2)])
    gold = read_m2(texts.folder / "gold.m2")
    assert len(gold.edit_ids.spans)
    assert len(gold.reference_ids.ids)
    assert len(source_codes(gold))
    count_pairs([1.0, 2.0, 2.0], [3.0, 1.0, 2.0])
    words = [line.split() for line in corpus.sources]
    tagged = EmbeddedTagger("en").tag(words, jobs=1)
    extractor = Extractor("en", jobs=1)
    list(extractor.between(tagged, [(0, 1), (2, 3)]))
    table = TokenTable()
    sentences = table.columns(table.add_tagged(tagged))
    for comparison in (CostModel.EXACT, CostModel.PLAIN):
        Aligner(comparison).align(sentences, np.array([[0, 1], [2, 3]]))
    for language in ("cs", "de"):
        [*Extractor(language, words=WordList("one", frozenset("a"))).extract_all([("b cs d", "cs ds B")])]
    trueskill_runs(expanded_pairs(read_judgments(texts.folder / "rankings.xml")), runs=1, matches=5, jobs=1)
    both = np.full(3, 25.0), np.full(3, 8.0)
    trueskill.match(*both, 0, 1, False, 4.0, 0.5)
    trueskill.replay(*both, *np.array([[0, 1], [1, 2], [1, 0], [0, 1]]), 4.0, 0.5)
    shape = np.zeros((16, 3), np.float32), np.zeros((16, 3))
    columns = np.arange(32 * 2, dtype=np.uint64).reshape(2, 32)
    some = np.zeros(4, dtype=np.int32)
    few = Ragged(some, np.array([0, 1, 4]))
    tagger.learn(few, np.array([1, 0]), columns, None, some, *shape, 1.0)


@cache
def native_calls() -> dict[str, list[Any]]:
    """The first call of every function of the kernels in that work: its arguments, copied."""
    from importlib import import_module

    from errata import native

    calls: dict[str, list[Any]] = {}
    functions = {}
    for name in native.names():
        module = import_module(f"errata.native.{name}")
        for key, function in vars(module).items():
            own = getattr(function, "__module__", None) == module.__name__
            if own and hasattr(function, "__code__") and not key.startswith("_"):
                functions[module, key] = function

    def recorder(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            calls.setdefault(name, deepcopy([*arguments]))
            return function(*arguments)

        return call

    for (module, key), function in functions.items():
        setattr(module, key, recorder(f"{module.__name__}.{key}", function))
    try:
        _use_native_code()
    finally:
        for (module, key), function in functions.items():
            setattr(module, key, function)
    missing = {f"{module.__name__}.{key}" for module, key in functions} - calls.keys()
    assert not missing, f"no work for {sorted(missing)}"
    return calls

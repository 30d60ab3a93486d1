"""Mutated files for every reader, and calls of every kernel: a result or a clean error, never a crash.

    python tests/support/fuzzing.py   50,000 files, 10,000 models, 10,000 calls (`make fuzz`)
    python tests/support/fuzzing.py --kind models --count 500 --seed 7
    python tests/support/fuzzing.py --case 1234             one mutation again, with its traceback

Mutations are drawn from the seed and the number of the case alone. The work is done by a process of its
own: if it is killed by a signal or a case takes more than ten seconds of CPU time, the case is reported and
the next one begins.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import os
import random
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
SECONDS = 10
END = b"|||REQUIRED|||-NONE-|||"
M2 = (
    b"S This are .\nA 1 2|||R:VERB|||is" + END + b"0\nA -1 -1|||noop|||-NONE-" + END + b"1\n\n"
    b"S k\xc5\xaf\xc5\x88 skace pres potok\nA 0 1|||X|||a||b" + END + b"0\nA 2 2|||M|||,"
    + END + b"0\nA 3 4|||R|||potoky" + END + b"1\n\n"
)  # fmt: skip
JSONL = (
    b'{"source": "a b", "annotations": [{"annotator": 0, "edits": '
    b'[{"start": 0, "end": 1, "correction": "c"}]}]}\n'
    b'{"source": "k\xc5\xaf \\u00e9", "references": [null, "x"], "meta": {"d": "1"}, "document": "q"}\n'
)
TSV = b"source\treference_0\treference:n\tdocument\tdomain\na b\ta c\t\\N\td1\tx\nk\xc5\xaf\tz\t\td2\ty\n"
IXML = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<scripts><script id="1"><sentence id="1" numann="2">'
    b"<text>This are k\xc5\xaf .</text>\n<error-list>"
    b'<error id="1" req="yes" type="SVA"><alt ann="0"><c end="2" start="1">is</c></alt>'
    b'<alt ann="1"><c end="2" start="1">was</c></alt></error>'
    b"</error-list></sentence></script></scripts>\n"
)
APPRAISE = (
    b'<appraise-results><error-correction-ranking-result id="r">'
    b'<ranking-item id="1" src-id="7" doc-id="d" user="u" duration="0:00:09.5">'
    b'<translation rank="1" system="A B"/><translation rank="2" system="C"/></ranking-item>'
    b'<ranking-item id="2" user="v"><translation rank="1" system="C"/><translation rank="1" system="A"/>'
    b"</ranking-item></error-correction-ranking-result></appraise-results>\n"
)
PAIRS = (
    b"segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    b"1,j,A,1,B,2,1\n2,k,B+C,1,A,1,2\n"
)
MTURK = (
    b'"AssignmentId","WorkerId","AssignmentStatus","WorkTimeInSeconds","Input.type","Input.sentID",'
    b'"Input.system1","Input.system2","Answer.rank_1","Answer.rank_2"\n'
    b'"a","w","Approved","12","refs","3","A","B C","1","2"\n'
    b'"b","x","Rejected","","control","4","A","###","1",""\n'
)
SCALARS = b"judge\tdocument\tsegment\tsystem\tscore\nj\td\t1\tA\t4.5\nk\td\t1\tB\t3\nk\td\t2\tA\t-1e3\n"
CONLLU = b"# text = a b\n1\ta\ta\tDET\tDT\t_\t2\tdet\t_\t_\n2\tb\tb\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
PROFILE = (
    b'{"chances": {"insert": 0.1, "swap": 0.1, "join": 0.5}, "words": {"a": {"b": 0.5, "": 0.2}}, '
    b'"suffixes": {"ing": {"in": 0.5}}, "characters": {"a": {"replace e": 0.1, "delete": 0.2, '
    b'"insert x": 0.1, "swap": 0.1}}, "insertions": {"the": 1.0}, "sentence_deviation": 0.5}'
)
ERRORS = b"operation\tclean\twritten\tprobability\nreplace\ta\tb\t0.1\nword\tthe\tteh\t0.01\nswap\t\t\t0.1\n"
SETTINGS = b'task = "ranking"\ncorpus = "x.m2"\nannotators = 3\n[systems]\nA = "a.txt"\nB = "b.txt"\n'
CALIBRATION = b'{"fitted_on": "a corpus", "curves": {"all": [0.5, 1.25], "spelling": [-0.5, 0.6]}}'
MARKDOWN = (
    b'---\ntitle: x\n---\n\n# k\xc5\xaf *a* `b` #\n\n1. [c](http://d.e/f "g") **h \\* i** &amp; j\n   k  \n'
    b"   l\n\n"
    b"> <b>m</b> <http://n.o> p\n\n| q | r \\| s |\n|---|---|\n| t | u |\n\n```\nv\n```\n![w](x.png) y\n"
)
RECIPE = b'[data]\nclean = ["a.txt"]\nprofile = "p.json"\n[model]\nwidth = 64\n[training]\nsteps = 5\n'

JUNK = [
    *(b"\0", b"\r", b"\n", b"\t", b"|||", b"{", b"}", b"=>", b":::", b'"', b"\\", b"\\ud800", b"-", b"1e999"),
    *(b"null", b"[]", b"{}", b"true", b"nan", b"inf", b"0x10", b"1_0", b",", b"'", b"<!DOCTYPE a>", b"&#0;"),
    *(b"A ", b"S ", b"\xff", b"\xef\xbb\xbf", b"\xc5", b"9" * 30, b"9" * 5000, b"[" * 2000, b'{"a":' * 2000),
    *(b"\xe2\x80\xa8", b"x" * 3000, b"x " * 300, b"<", b">", b"&lt;", b"\xc2\xb2", b"-1", b"4294967296"),
    b"9223372036854775808",
]  # fmt: skip


# -- what is done with a mutated file ----------------------------------------------------------------------


def corpus(format: str | None) -> Callable[[Path], Any]:
    """Read, count and score: the kernels see what a reader lets through."""

    def use(path: Path) -> None:
        from errata import BLEU, ERRANT, GLEU, M2, TER, IMeasure
        from errata.corpus.formats import read_corpus
        from errata.corpus.statistics import count

        found = read_corpus(path, format=format)
        count(found)
        lines = [" ".join(reversed(source.split())) for source in found.sources]
        if found.annotators and len(found) and all(len(line) < 2000 for line in lines):
            for metric in (M2(), GLEU(iterations=5), IMeasure(), BLEU(), TER(), ERRANT(tagger="none")):
                metric.score(found, lines)

    return use


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


def conllu(path: Path) -> None:
    from errata.edits.taggers.conllu import PrecomputedTagger

    PrecomputedTagger(str(path)).tag([["a", "b"]])


def side_file(path: Path) -> None:
    from errata.corpus.formats import read_corpus
    from errata.corpus.tsv import with_meta

    gold = path.with_name("gold.m2")
    gold.write_bytes(M2)
    list(with_meta(read_corpus(gold), path))


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


# -- files that are right ----------------------------------------------------------------------------------


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


Make = Callable[[], bytes]
FILES: dict[str, tuple[str, Make, Callable[[Path], Any]]] = {
    "m2": (".m2", lambda: M2, corpus("m2")),
    "m2 by its look": (".m2", lambda: M2, corpus(None)),
    "jsonl": (".jsonl", lambda: JSONL, corpus(None)),
    "tsv": (".tsv", lambda: TSV, corpus(None)),
    "text": (".txt", lambda: b"a b c\nk\xc5\xaf\xc5\x88\n\nd\n", corpus(None)),
    "ua-gec": (
        ".ann",
        lambda: "Він {є=>:::error_type=F/Calque} тут.\nДруге{\\n=>, :::error_type=P}третє {x}.\n".encode(),
        corpus("ua-gec"),
    ),
    "ixml": (".ixml", lambda: IXML, corpus("ixml")),
    "gzip": (".m2.gz", lambda: gzip.compress(M2), corpus(None)),
    "xz": (".m2.xz", lambda: lzma.compress(M2), corpus(None)),
    "appraise": (".xml", lambda: APPRAISE, judgments),
    "pairs": (".csv", lambda: PAIRS, judgments),
    "mturk": (".csv", lambda: MTURK, judgments),
    "scalars": (".tsv", lambda: SCALARS, scalars),
    "conllu": (".conllu", lambda: CONLLU, conllu),
    "side file": (".tsv", lambda: b"document\tdomain\nd1\tx\nd2\ty\n", side_file),
    "table of documents": (".csv", lambda: b"document,domain\nd1,x\nd2,y\n", side_file),
    "results": (".npz", lambda: saved_results(".npz"), results),
    "results as JSON": (".json", lambda: saved_results(".json"), results),
    "profile": (".json", lambda: PROFILE, profile),
    "error model": (".tsv", lambda: ERRORS, error_model),
    "settings": (".toml", lambda: SETTINGS, settings),
    "recipe": (".toml", lambda: RECIPE, recipe),
    "calibration": (".json", lambda: CALIBRATION, calibration),
    "markdown": (".md", lambda: MARKDOWN, document),
    "zip": (".zip", lambda: zipped({"top/a.txt": b"a" * 100, "top/b/c.txt": b"c"}), archive),
    "tar": (".tar.gz", taped, archive),
}
MODELS: dict[str, tuple[str, Make, Callable[[Path], Any]]] = {
    "channel": (".channel", channel_file, channel),
    "tagger": (".model", tagger_file, tagger),
}


# -- calls of the kernels ----------------------------------------------------------------------------------


def _work_of_kernels() -> None:
    """Something for every function of every kernel to do."""
    from errata import BLEU, CER, ERRANT, GLEU, GLEU2015, M2, TER, Extractor, IMeasure, sample
    from errata.corpus.content_hashes import source_codes
    from errata.corpus.m2 import read_m2
    from errata.edits.alignment import Aligner, CostModel
    from errata.edits.taggers.embedded import EmbeddedTagger
    from errata.edits.token_table import TokenTable
    from errata.edits.word_list import WordList
    from errata.engine import in_order
    from errata.human.judgment_files import read_judgments
    from errata.human.pairs import expanded_pairs
    from errata.human.trueskill import trueskill_runs
    from errata.metrics.cleme import CLEME
    from errata.metrics.editing import SARI, EMDiff
    from errata.metrics.gotoscorer import GoToScorer
    from errata.metrics.green import GREEN
    from errata.metrics.match_rates import ExactMatch
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
def kernel_calls() -> dict[str, list[Any]]:
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
        _work_of_kernels()
    finally:
        for (module, key), function in functions.items():
            setattr(module, key, function)
    missing = {f"{module.__name__}.{key}" for module, key in functions} - calls.keys()
    assert not missing, f"no work for {sorted(missing)}"
    return calls


# Amounts of work: a large one is no mistake, and takes its time.
_AMOUNTS = {"play.matches", "scan.weights", "candidates.limits", "align.most", "edits.most", "changes.most"}


def wrong_call(number: int, draw: random.Random) -> None:
    """Call a function of a kernel with one or two arguments changed."""
    from importlib import import_module

    calls = kernel_calls()
    name = sorted(calls)[number % len(calls)]
    module, _, key = name.rpartition(".")
    function = getattr(import_module(module), key)
    named = getattr(function, "__wrapped__", function).__code__.co_varnames
    arguments = deepcopy(calls[name])
    for _ in range(draw.choice((1, 1, 2))):
        place = draw.randrange(len(arguments))
        value = arguments[place]
        if f"{key}.{named[place]}" in _AMOUNTS:
            continue
        with suppress(ValueError):  # an object of arrays that do not fit each other
            arguments[place] = _wrong_argument(value, draw)
    with suppress(ValueError, TypeError, OverflowError, IndexError):
        function(*arguments)


def _wrong_argument(value: Any, draw: random.Random) -> Any:
    if isinstance(value, np.ndarray):
        return _wrong(value, draw)
    if isinstance(value, int | np.integer):
        return draw.choice((-1, 0, 1, 2, int(value) + 1, 10**6, 2**40))
    if is_dataclass(value) and not isinstance(value, type):
        name = draw.choice([field.name for field in fields(value)])
        return replace(value, **{name: _wrong_argument(getattr(value, name), draw)})
    return value


def _wrong(array: np.ndarray[Any, Any], draw: random.Random) -> np.ndarray[Any, Any]:
    kind = draw.random()
    if kind < 0.3:
        return array[: draw.randint(0, len(array))].copy()
    if kind < 0.4 and array.ndim == 2:
        return np.ascontiguousarray(array[:, : draw.randint(0, array.shape[1])])
    if kind < 0.45:
        return array.reshape(-1) if array.ndim > 1 else array.reshape(-1, 1)
    if kind < 0.5:
        return array.astype(draw.choice((np.float64, np.int64, np.int32, np.uint8)))
    array = array.copy()
    flat = array.reshape(-1)
    if len(flat) and array.dtype.kind in "iu":
        most = np.iinfo(array.dtype)
        for _ in range(draw.choice((1, 1, 5))):
            value = draw.choice((-1, 0, 1, 2, len(flat), 1000, int(most.max), int(most.min), 10**6))
            flat[draw.randrange(len(flat))] = max(int(most.min), min(int(most.max), value))
    return array


# -- mutations ---------------------------------------------------------------------------------------------


def mutated(content: bytes, draw: random.Random) -> bytes:
    """The content with bytes lost, changed, repeated or put in, or cut."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        place = draw.randint(0, len(content))
        length = draw.choice((0, 0, 1, 2, 5, 12, 40))
        put = draw.choice(
            (b"", draw.choice(JUNK), draw.randbytes(draw.randint(1, 4)), content[place : place + 30] * 2)
        )
        content = content[:place] + put + content[place + length :]
    return content[: draw.randint(0, len(content))] if draw.random() < 0.15 else content


def mutated_arrays(content: bytes, draw: random.Random) -> bytes:
    """A file of arrays with a right checksum and wrong arrays; or with any bytes wrong."""
    from errata.corpus.model_file import pack, unpack

    if draw.random() < 0.1:
        return mutated(content, draw)
    arrays = {name: array.copy() for name, array in unpack(content, "x").items()}
    for _ in range(draw.choice((1, 1, 2, 3))):
        name = draw.choice(sorted(arrays))
        arrays[name] = _changed(arrays[name], draw)
        if draw.random() < 0.03:
            del arrays[name]
    if draw.random() < 0.1:
        one, other = draw.sample(sorted(arrays), 2)
        arrays[one], arrays[other] = arrays[other], arrays[one]
    return pack(arrays, [{"id": lzma.FILTER_LZMA2, "preset": 0}])


def _changed(array: np.ndarray[Any, Any], draw: random.Random) -> np.ndarray[Any, Any]:
    kind = draw.random()
    if kind < 0.12:
        return array[: draw.randint(0, len(array))].copy()
    if kind < 0.2:
        return np.concatenate([array, array[: draw.randint(0, 9)]])
    if kind < 0.28:
        return array.astype(draw.choice(("u1", "i1", "i2", "u2", "i4", "i8", "u8", "f8", "?", ">i4")))
    if kind < 0.32:
        return array.reshape(draw.choice(((-1,), (1, -1), (-1, 1))))
    if array.dtype == np.uint8 and kind < 0.6:  # a text, or small numbers
        return np.frombuffer(mutated(array.tobytes(), draw), dtype=np.uint8)
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(draw.choice((1, 1, 3, 20))):
        if len(flat):
            most = np.iinfo(flat.dtype) if flat.dtype.kind in "iu" else np.iinfo(np.int8)
            chosen = (0, 1, -1, 2, 255, int(most.max), int(most.min), len(flat), draw.randint(-300, 300))
            value = draw.choice(chosen)
            flat[draw.randrange(len(flat))] = max(int(most.min), min(int(most.max), value))
    return array


def run_case(kind: str, number: int, seed: int, folder: Path) -> str | None:
    """Do one mutation; None if all is well, or the traceback."""
    draw = random.Random(f"{seed} {kind} {number}")
    if kind == "native":
        return _watched(lambda: wrong_call(number, draw))
    table, mutate = (FILES, mutated) if kind == "files" else (MODELS, mutated_arrays)
    suffix, make, use = table[sorted(table)[number % len(table)]]
    path = folder / f"case{suffix}"
    path.write_bytes(mutate(make(), draw))
    return _watched(lambda: use(path))


def _watched(run: Callable[[], None]) -> str | None:
    """The traceback if something goes wrong other than by a clean error."""
    from errata.errors import ErrataError

    unraisable: list[str] = []  # an IndexError in a function that cannot raise
    before, sys.unraisablehook = sys.unraisablehook, lambda said: unraisable.append(repr(said))
    try:
        run()
    except ErrataError:
        pass
    except BaseException:
        return traceback.format_exc()
    finally:
        sys.unraisablehook = before
    return unraisable[0] if unraisable else None


def work(kind: str, first: int, stop: int, seed: int) -> None:
    """Do cases until one fails; says which it is at, so that the caller knows what killed it."""
    import warnings

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, stop):
            print(f"at {number}", flush=True)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            failed = run_case(kind, number, seed, Path(folder))
            signal.setitimer(signal.ITIMER_PROF, 0)
            if failed:
                print(json.dumps({"number": number, "failed": failed}), flush=True)


def campaign(
    kind: str, count: int, seed: int, environment: dict[str, str], first: int = 0
) -> list[tuple[int, str]]:
    """All cases in processes of their own: number and what went wrong of those that failed."""
    failures: list[tuple[int, str]] = []
    at = first
    while at < count:
        command = [sys.executable, __file__, "--work", kind, str(at), str(count), str(seed)]
        child = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("at "):
                at = int(line[3:])
            else:
                record = json.loads(line)
                failures.append((record["number"], record["failed"]))
        said = child.communicate()[1]
        if child.returncode == 0:
            break
        hung = child.returncode == -signal.SIGPROF
        failures.append(
            (at, f"more than {SECONDS} s" if hung else f"killed ({child.returncode}): {said[-2000:]}")
        )
        at += 1
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", choices=["files", "models", "native"], help="what to mutate [default: all]")
    parser.add_argument("--count", type=int, help="how many mutations [default: 50000 files, 10000 others]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="one case, in this process")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        kind, first, stop, seed = options.work
        work(kind, int(first), int(stop), int(seed))
        return 0
    if options.case is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(
                run_case(options.kind or "files", options.case, options.seed, Path(folder)) or "all is well"
            )
        return 0
    failed = 0
    for kind, usual in (("files", 50_000), ("models", 10_000), ("native", 10_000)):
        if options.kind not in (None, kind):
            continue
        count = usual if options.count is None else options.count
        failures = campaign(kind, count, options.seed, dict(os.environ))
        for number, what in failures:
            print(f"{kind} case {number}:\n{what}\n")
        print(f"{kind}: {count:,} mutations, {len(failures)} failures", flush=True)
        failed += len(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

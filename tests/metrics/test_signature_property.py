"""Change anything but the outputs: if a number moves, its signature moves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import sample
from errata.corpus.formats import read_gold, read_hypotheses, write_corpus
from errata.corpus.model import Corpus, Outputs
from errata.corpus.transforms import only_annotators
from errata.edits.language import word_list
from errata.edits.pipeline import cached_extractor
from errata.errors import ErrataError
from errata.metrics import metric
from errata.metrics.base import Metric
from errata.metrics.batch import Batch
from errata.metrics.gotoscorer import GoToScorer
from errata.metrics.results import Results
from metric_names import READY

SEGMENTS = 8
EXAMPLES = int(os.environ.get("ERRATA_EXAMPLES", "10"))  # of changes to every kind of files
VARIANTS = [
    "cleme:tagger=embedded,references=given",
    "errant:tagger=embedded,references=given,types=yes",
    "errant:tagger=embedded,references=auto",
    "errant:tagger=none",
    "gleu:sampling=all",
    "gotoscorer:weights=none,tagger=embedded",
    "green:unit=character",
    "imeasure:mix=no",
    "m2:ignore_whitespace_casing=yes",
    "m2:sentence=last",
]
# What readers treat in special ways: all kinds of white space, separators, marks, digits, other scripts.
WHITE = " \t\n\r\v\f\x1c\x1f\x85\xa0\u1680\u180e\u2003\u200b\u2028\u202f\u3000\ufeff"
PIECES = [
    *WHITE,
    "  ",
    "\r\n",
    "\n\n",
    "||",
    "|||",
    "-NONE-",
    "S ",
    "=>",
    ":::",
    *"aA019-.,\"'`&<>\\{}|\0\xad\u0301İßé日",
]


class Task(NamedTuple):
    """What is scored: the arguments of `read_gold`, the file of outputs, and files that metrics read."""

    gold: str | None = None
    source: str | None = None
    references: tuple[str, ...] = ()
    meta: str | None = None
    outputs: str = "out.txt"
    own: str | None = None  # a metric with a file of its own
    own_file: str | None = None

    @property
    def files(self) -> list[str]:
        """The files that may decide a number."""
        return [name for name in (self.gold, self.source, *self.references, self.meta, self.own_file) if name]


TASKS = {
    "text": Task(source="source.txt", references=("ref0.txt", "ref1.txt"), meta="meta.tsv"),
    "m2": Task("gold.m2", meta="meta.tsv"),
    "m2 and texts": Task("gold.m2", "source.txt", ("ref0.txt", "ref1.txt")),
    "jsonl": Task("gold.jsonl"),
    "tsv": Task("gold.tsv"),
    "ixml": Task("gold.ixml"),
    "ua-gec": Task("gold.ann", outputs="ann.txt"),
    "multigec": Task("essays-orig-dev.md", outputs="essays.md"),
    "cherrant": Task("cherrant.m2", outputs="zh.txt"),
    "edited outputs": Task("gold.m2", outputs="out.m2"),
    "words": Task("gold.m2", own="errant:tagger=embedded,words=words.txt,types=yes", own_file="words.txt"),
    "tags": Task(
        "gold.m2", own="errant:tagger=conllu:tags.conllu,words=en,types=yes", own_file="tags.conllu"
    ),
    "weights": Task("one.m2", own="gotoscorer:tagger=embedded,weights=weights.txt", own_file="weights.txt"),
}


def lines(path: Path, texts: list[str]) -> None:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def tagged(text: str) -> list[str]:
    """A sentence in CoNLL-U, all nouns."""
    rows = [
        f"{i}\t{word}\t{word.lower()}\tNOUN\tNN\t_\t{i - 1}\tdep\t_\t_"
        for i, word in enumerate(text.split(), 1)
    ]
    return [*rows, ""]


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same sentences in every format."""
    folder = tmp_path_factory.mktemp("originals")
    made = sample.load("en")
    corpus = made.corpus.select(range(SEGMENTS))
    for name in ("gold.m2", "gold.jsonl", "gold.tsv", "gold.ixml"):
        write_corpus(corpus, folder / name)
    first = only_annotators(corpus, [0])
    outputs = [*made.outputs["rules"][:SEGMENTS]]
    write_corpus(first, folder / "one.m2")
    write_corpus(first, folder / "out.m2")
    lines(folder / "source.txt", [*corpus.sources])
    lines(folder / "out.txt", outputs)
    for k in range(2):
        lines(folder / f"ref{k}.txt", [texts[k] for texts in corpus.reference_texts()])
    lines(
        folder / "meta.tsv",
        (sample.folder("en") / "meta.tsv").read_text("utf-8").splitlines()[: SEGMENTS + 1],
    )
    lines(
        folder / "gold.ann",
        ["He {go=>goes:::error_type=G} home {=>now :::error_type=F}.", "A {b=>c:::error_type=F/S} d ."],
    )
    lines(folder / "ann.txt", ["He goes home .", "A c d ."])
    for name, text in (("orig-dev", "He go home .\n\nYes !"), ("ref1-dev", "He goes home .\n\nYes !")):
        lines(folder / f"essays-{name}.md", [f"### essay_id = e1\n\n{text}\n\n### essay_id = e2\n\nA b .\n"])
    lines(folder / "essays.md", ["### essay_id = e1\n\nHe goes home .\n\n### essay_id = e2\n\nA b c .\n"])
    sentence = "S 我 爱 喝 茶\nT0-A0 我 喝 茶\nA 1 2|||R|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    lines(
        folder / "cherrant.m2",
        [sentence, "S 天 气\nT0-A0 天 气\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"],
    )
    lines(folder / "zh.txt", ["我喝茶", "天 汽"])
    lines(folder / "words.txt", sorted({word for text in corpus.sources for word in text.split()[::2]}))
    texts = {*corpus.sources, *outputs, *(text for row in corpus.reference_texts() for text in row)}
    lines(folder / "tags.conllu", [row for text in sorted(texts) for row in tagged(text)])
    chunks = GoToScorer(tagger="embedded").chosen(Batch(first, outputs))[1].tolist()
    lines(folder / "weights.txt", [" ".join(f"{1 / (k + 1):.2f}" for k in range(count)) for count in chunks])
    return folder


def scored_metrics(task: Task) -> list[Metric]:
    """All metrics that need no model of yours, with the embedded tagger, and some with other parameters."""
    if task.own is not None:
        return [metric(task.own)]
    made = [metric(name) for name in READY]
    tagged = [
        metric(f"{each.name}:tagger=embedded") if "tagger" in each.parameters else each for each in made
    ]
    return [*tagged, *map(metric, VARIANTS)]


def numbers(task: Task) -> dict[str, tuple[str, str]]:
    """The signature and all numbers of every metric; none for files and metrics that end with an error."""
    word_list.cache_clear()
    cached_extractor.cache_clear()
    try:
        corpus = read_gold(task.gold, task.source, task.references, task.meta)
        corpus, outputs, _ = read_hypotheses([task.outputs], corpus)
        chosen = scored_metrics(task)
    except ErrataError:
        return {}
    try:
        results = [Results.compute(corpus, outputs, chosen, jobs=1)]
    except ErrataError:
        results = [*filter(None, (_computed(corpus, outputs, each) for each in chosen))]
    return {
        str(each): (score.signature, f"{score.parts} {score.sentences.tolist()}")
        for result in results
        for number, each in enumerate(result.metrics)
        for score in [result.score(result.systems[0], number)]
    }


def _computed(corpus: Corpus, outputs: Outputs, each: Metric) -> Results | None:
    try:
        return Results.compute(corpus, outputs, [each], jobs=1)
    except ErrataError:
        return None


def changed(content: bytes, place: float, piece: bytes, removed: int) -> bytes:
    """The content with some bytes put in, and others taken away."""
    at = int(place * len(content))
    return content[:at] + piece + content[at + removed :]


@pytest.mark.slow
@pytest.mark.parametrize("kind", TASKS)
def test_a_number_moves_only_with_its_signature(
    kind: str, originals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(originals)
    task = TASKS[kind]
    before = numbers(task)
    assert set(before) == {str(each) for each in scored_metrics(task)}  # nothing is left out

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(
        name=st.sampled_from(task.files),
        place=st.floats(0, 1, exclude_max=True),
        piece=st.sampled_from([piece.encode() for piece in PIECES]) | st.binary(max_size=1),
        removed=st.integers(0, 3),
    )
    def check(name: str, place: float, piece: bytes, removed: int) -> None:
        path = Path(name)
        content = path.read_bytes()
        try:
            path.write_bytes(changed(content, place, piece, removed))
            after = numbers(task)
        finally:
            path.write_bytes(content)
        for each, (signature, values) in after.items():
            assert before[each] == (signature, values) or before[each][0] != signature, each

    check()

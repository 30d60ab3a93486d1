"""Signatures: what they name, that they do not depend on formats or chunks, and how one is verified."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from errata import ERRANT, GLEU, M2, DataError, ErrataError, sample
from errata.corpus import blocks
from errata.corpus.files import read_lines
from errata.corpus.formats import read_corpus, read_outputs, write_corpus
from errata.corpus.model import Corpus
from errata.corpus.parallel import read_parallel
from errata.corpus.streaming import Stream
from errata.corpus.transforms import only_annotators
from errata.metrics import metric
from errata.metrics.evaluate import evaluate
from errata.metrics.results import Results
from errata.metrics.signature import Signature
from toy_metrics import Brevity

Run = Callable[..., CompletedProcess[str]]
EN = sample.folder("en")


def test_the_references_of_m2_show_in_its_signature(data: Path) -> None:
    """AMU on CoNLL-2014 with gold edits, two texts and one text has three scores and three signatures."""
    gold = read_corpus(data / "conll14" / "test.m2")
    hypotheses = read_outputs([data / "conll14" / "systems" / "AMU.txt"], gold)["AMU"]
    paths = [data / "conll14" / "refs" / f"nucle{annotator}.txt" for annotator in (0, 1)]
    texts = [read_parallel(data / "conll14" / "source.txt", paths[:count]) for count in (2, 1)]
    corpora = [gold, *texts]
    scores = [M2().score(corpus, hypotheses) for corpus in corpora]
    found = [Signature.parse(score.signature) for score in scores]
    assert [f"{score:.4f}" for score in scores] == ["0.3501", "0.3119", "0.2008"]
    assert len({score.signature for score in scores}) == 3
    assert [(one["refs"], one["kind"]) for one in found] == [("1-2", "edits"), ("2", "texts"), ("1", "texts")]
    assert len({one["data"] for one in found}) == 3
    page = (Path(__file__).parents[2] / "docs" / "signatures.md").read_text(encoding="utf-8")
    for score, one in zip(scores, found, strict=True):
        fields = ", ".join(f"`{name}:{one[name]}`" for name in ("refs", "kind", "data"))
        assert f"| {score:.4f} | {fields} |" in page
    beside = gold.with_rewrites(texts[1])  # each metric names what it reads
    assert M2().score(beside, hypotheses).signature == scores[0].signature
    assert GLEU().score(beside, hypotheses).signature == GLEU().score(texts[1], hypotheses).signature
    assert GLEU().score(beside, hypotheses).signature != GLEU().score(gold, hypotheses).signature


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("signatures")
    made = sample.load("en")
    for name in ("gold.m2", "gold.jsonl", "gold.tsv"):
        write_corpus(Corpus(list(made.corpus) * 4), place / name)
    (place / "out.txt").write_text("\n".join([*made.outputs["neural"]] * 4) + "\n", encoding="utf-8")
    return place


@pytest.mark.parametrize("name", ["m2", "gleu", "unchanged"])
def test_the_same_content_has_the_same_signature(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1 << 12)
    scored, hypotheses = metric(name), read_lines(folder / "out.txt")
    found = set()
    for file in ("gold.m2", "gold.jsonl", "gold.tsv")[: 2 if name == "m2" else 3]:  # TSV has texts alone
        found.add(scored.score(read_corpus(folder / file), hypotheses).signature)
        stream = Stream(str(folder / file), hypotheses=[("out", str(folder / "out.txt"))])
        assert len(list(stream)) > 1
        found.add(evaluate(stream, [scored], keep=False)["out"].signature)
        found.add(evaluate(stream, [scored])["out"].signature)
    assert len(found) == 1, found


def test_other_data_has_another_digest() -> None:
    sources, hypotheses = ["a b", "c"], ["a b", "c"]
    references = [["a x"], ["c"]]
    made = {
        GLEU().score(some, hypotheses, others).signature
        for some, others in [
            (sources, references),
            (["a c", "c"], references),
            (sources, [["a y"], ["c"]]),
            (sources, [["a x"], ["c", "c"]]),
            (sources, [["a"], ["x c"]]),
            (sources[::-1], references[::-1]),
        ]
    }
    assert len(made) == 6
    spaced = GLEU().score(["a  b", "c "], hypotheses, references)  # tokens are the same
    assert spaced.signature in made
    assert (
        Brevity().score(sources, hypotheses).signature == Brevity().score(sources, hypotheses[::-1]).signature
    )


def test_white_space_that_a_metric_reads_is_part_of_the_digest() -> None:
    sources, hypotheses = ["x a b c d e f g"], ["a b c d e f g"]
    plain, joined = [["a b c d e f g"]], [["a b c d e\xa0f g"]]  # a no-break space is no blank to GLEU
    for name, other in (("gleu", joined), ("green:unit=character", [["a b  c d e f g"]])):
        first, second = (metric(name).score(sources, hypotheses, texts) for texts in (plain, other))
        assert first.value != second.value
        assert first.signature != second.signature
    wide = GLEU().score(sources, hypotheses, [["a b  c d e f g "]])
    assert wide.signature == GLEU().score(sources, hypotheses, plain).signature
    assert (
        M2().score(sources, hypotheses, plain).signature == M2().score(sources, hypotheses, joined).signature
    )


def test_a_word_list_is_named_with_its_digest(tmp_path: Path) -> None:
    signatures = set()
    for words in ("a\nb\n", "a\n"):
        (tmp_path / words[-2]).mkdir()
        path = tmp_path / words[-2] / "words.txt"
        path.write_text(words)
        signatures.add(metric(f"errant:tagger=embedded,words={path}").signature)
    assert len(signatures) == 2


def test_edits_that_an_output_gives_are_part_of_the_signature(tmp_path: Path) -> None:
    gold = read_corpus(EN / "gold.m2")
    write_corpus(only_annotators(gold, [0]), tmp_path / "edits.m2")
    outputs = read_outputs([tmp_path / "edits.m2", EN / "systems" / "neural.txt"], gold)
    results = Results.compute(gold, outputs, [metric("errant:tagger=embedded"), M2()])
    found = {key: Signature.parse(score.signature).get("outputs") for key, score in results.scores.items()}
    assert found == {("edits", 0): "edits", ("edits", 1): None, ("neural", 0): None, ("neural", 1): None}
    results.save(tmp_path / "saved.npz")
    loaded = Results.load(tmp_path / "saved.npz")
    assert loaded["edits", 0].signature == results["edits", 0].signature
    assert loaded["neural", 0].signature == results["neural", 0].signature
    assert "outputs:edits|version:" in results.table().notes[0]
    assert results.table().notes[0].count("(edits)") == 1
    alone = metric("errant:tagger=embedded").score(gold, outputs["edits"])
    assert alone.signature == results["edits", 0].signature


def test_the_tokenizer_of_essays_is_part_of_the_signature(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("syntok")
    for name, text in (("g-orig-dev", "He go."), ("g-ref1-dev", "He goes."), ("out", "He goes.")):
        (tmp_path / f"{name}.md").write_text(f"### essay_id = 1\n\n{text}\n\n")
    done = run("score", "g-orig-dev.md", "out.md", "--metric", "gleu", "-f", "markdown")
    assert "|tokens:syntok-" in done.stdout.replace("\\", ""), done.stderr


def test_a_signature_is_read_back_and_compared() -> None:
    signature = Signature.of("m2", {"beta": 0.5, "fold": True}, refs="1-2", first="")
    assert str(signature).startswith("m2|beta:0.5|fold:yes|refs:1-2|version:")
    assert Signature.parse(str(signature)) == signature
    other = Signature.of("m2", {"beta": 1.0, "fold": True})
    assert signature.differences(other) == [("beta", "0.5", "1"), ("refs", "1-2", None)]
    with pytest.raises(ErrataError, match="'nonsense' is not NAME:VALUE"):
        Signature.parse("m2|nonsense")
    odd = Signature.of("m2", {"path": "a|b\nc"})
    assert Signature.parse(str(odd)) == odd
    assert "\n" not in str(odd)


# -- verifying --------------------------------------------------------------------------------------


def test_verify_compares_a_printed_signature(run: Run) -> None:
    texts = ("--m2", EN / "gold.m2", "--hyp", EN / "systems" / "neural.txt", "--metric", "m2,gleu")
    made = sample.load("en")
    signature = M2().score(made.corpus, made.outputs["neural"]).signature
    assert signature in run("score", *texts, "-f", "markdown").stdout
    good = run("score", *texts, "--verify", signature)
    assert good.returncode == 0, good.stderr
    assert "the signature matches this m2 score" in good.stderr
    streamed = run("score", *texts, "--stream", "--verify", signature)
    assert streamed.returncode == 0, streamed.stderr
    fields = Signature.parse(signature)
    wrong = signature.replace("beta:0.5", "beta:1").replace(fields["data"], "00000000")
    bad = run("score", *texts, "--verify", wrong, "--save", "kept.npz")
    assert bad.returncode == 1
    assert "the signatures differ:" in bad.stderr
    assert "  beta: expected 1, got 0.5\n" in bad.stderr
    assert f"  data: expected 00000000, got {fields['data']}\n" in bad.stderr
    assert "refs" not in bad.stderr
    assert bad.stdout == ""
    other = run("score", *texts, "--verify", signature.replace("m2|", "errant|"))
    assert other.returncode == 1
    assert (
        "the signature is of errant, but the metrics here are: m2, gleu\n"
        "  hint: add --metric errant" in other.stderr
    )
    nonsense = run("score", *texts, "--verify", "m2|x")
    assert nonsense.returncode == 2
    assert "is not NAME:VALUE" in nonsense.stderr


# -- results ----------------------------------------------------------------------------------------


def test_results_of_other_data_are_not_joined(tmp_path: Path, run: Run) -> None:
    made = sample.load("en")
    lines, gold = made.outputs["neural"], read_corpus(EN / "gold.m2")
    alone = Corpus.from_lists(gold.sources, [texts[:1] for texts in gold.reference_texts()])
    for name, corpus in {"both": gold, "one": alone, "again": read_corpus(EN / "gold.m2")}.items():
        Results.compute(corpus, {name: lines}, [M2()]).save(tmp_path / f"{name}.npz")
    both, one, again = (Results.load(tmp_path / f"{name}.npz") for name in ("both", "one", "again"))
    joined = Results.joined([both, again])
    assert joined.systems == ("both", "again")
    with pytest.raises(DataError, match="m2 was computed with another refs, kind, data"):
        Results.joined([both, one])
    done = run("score", "both.npz", "one.npz")
    assert done.returncode == 1
    assert "cannot be joined: m2 was computed with another refs, kind, data" in done.stderr


def test_loading_needs_no_tagger(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sample.load("en")
    Results.compute(made.corpus, made.outputs, [ERRANT(tagger="none")]).save(tmp_path / "stats.npz")
    stored = Results.load(tmp_path / "stats.npz").score("neural").signature
    assert "tagger:none" in stored
    _with_tagger(tmp_path / "stats.npz", tmp_path / "missing.npz", "spacy:no_such_pipeline")
    missing = Results.load(tmp_path / "missing.npz")
    assert missing.score("neural").parts == Results.load(tmp_path / "stats.npz").score("neural").parts
    assert "tagger:spacy:no_such_pipeline" in missing.score("neural").signature
    done = run("score", "missing.npz", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    assert missing.score("neural").signature in done.stdout
    with pytest.raises(ErrataError):
        ERRANT(tagger="spacy:no_such_pipeline").score(made.corpus, made.outputs["neural"])


def _with_tagger(path: Path, target: Path, tagger: str) -> None:
    """The saved results as a machine would have written them that has another tagger."""
    import json

    import numpy as np

    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes())
    (entry,) = header["metrics"]
    entry["parameters"]["tagger"] = tagger
    entry["signature"] = entry["signature"].replace("tagger:none", f"tagger:{tagger}")
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(target, **arrays)

"""Essays of MultiGEC-2025: reading, writing and scoring."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from errata.corpus.formats import detect_format, read_corpus, write_corpus
from errata.corpus.multigec import MISSING, read_essay_outputs, read_essays, tokenised_essays
from errata.errors import DataError

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def sample(data: Path) -> Path:
    return data / "multigec/sample/cs-natform-orig-dev.md"


def test_essays_come_back_to_the_byte(sample: Path, tmp_path: Path) -> None:
    assert detect_format(sample) == "multigec"
    corpus = read_corpus(sample)
    assert len(corpus) == 3
    assert [len(segment.annotations) for segment in corpus].count(1) == 1  # the second annotator lacks one
    write_corpus(corpus, tmp_path / sample.name, format="multigec")
    for file in sample.parent.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_documents_of_geccc_become_essays(data: Path, tmp_path: Path) -> None:
    corpus = read_corpus(data / "geccc/dev/paragraph.input").regrouped("document")
    few = corpus[:20]
    write_corpus(few, tmp_path / "cs-geccc-orig-dev.md", format="multigec")
    again = read_corpus(tmp_path / "cs-geccc-orig-dev.md")
    assert again.sources == few.sources
    assert again.reference_texts() == few.reference_texts()
    assert [segment.document for segment in again] == [segment.document for segment in few]


def test_white_space_inside_essays_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "xx-a-orig-dev.md"
    path.write_text("### essay_id = 1\n\n  a  b\n\n\nc \n\n### essay_id = 2\nd\n\n", "utf-8")
    assert read_essays(path) == {"1": "\n  a  b\n\n\nc ", "2": "d"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n### essay_id = 1\nb\n", ":1: text before the first essay"),
        ("### essay_id = 1\na\n\n### essay_id = 1\nb\n", ":4: a second essay '1'"),
    ],
)
def test_malformed_essays(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "xx-a-orig-dev.md"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=message):
        read_essays(path)


def test_outputs_follow_the_ids_and_missing_essays_become_a_mark(sample: Path, tmp_path: Path) -> None:
    corpus = read_corpus(sample)
    essays = read_essays(sample)
    first, second, third = essays
    out = tmp_path / "mine.md"
    out.write_text(f"### essay_id = {third}\nx\n\n### essay_id = {first}\ny\n\n", "utf-8")
    outputs, missing = read_essay_outputs([out], corpus)
    assert list(outputs["mine"]) == ["y", MISSING, "x"]
    assert missing == {"mine": [second]}
    out.write_text("### essay_id = nobody\nx\n\n", "utf-8")
    with pytest.raises(DataError, match="there is no essay 'nobody'"):
        read_essay_outputs([out], corpus)


def test_essays_are_tokenised_into_one_line(sample: Path) -> None:
    corpus = read_corpus(sample)
    outputs, _ = read_essay_outputs([sample], corpus)
    tokenised, lines = tokenised_essays(corpus, outputs)
    assert list(lines["cs-natform-orig-dev"]) == tokenised.sources
    assert "Mark seděl na okraji lesa . V ruce" in tokenised.sources[0]
    assert not any("\n" in source or "\t" in source for source in tokenised.sources)


def test_scoring_essays(run: Run, sample: Path) -> None:
    folder = sample.parent
    done = run("score", "--m2", sample, "--hyp", *(folder / f"cs-natform-ref{i}-dev.md" for i in (1, 2)))
    assert done.returncode == 0, done.stderr
    assert "cs-natform-ref2-dev lacks 1 of 3 essays" in done.stderr
    row = next(line for line in done.stdout.splitlines() if "ref1-dev" in line).split()
    assert row[1:4] == ["1.0000", "1.0000", "1.0000"]

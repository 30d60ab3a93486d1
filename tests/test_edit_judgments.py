"""Labels of single edits, and what metrics say about the same edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from errata.corpus.formats import read_corpus
from errata.corpus.model import Annotation, Corpus, Edit, Segment
from errata.errors import DataError
from errata.human.edit_labels import LabelledEdit, read_edit_labels
from errata.meta.edit_judgments import judge_edits

HEADER = "annotator\tfile\tsrc_id\tcorrection_no\tsystems\tstart\tend\tsource\ttarget\tlabel\tnote\n"


def test_labels_of_seeda(data: Path) -> None:
    labels = read_edit_labels(data / "seeda/edit_labels.tsv")
    counts = {label: sum(each.good is label for each in labels) for label in (True, False, None)}
    assert counts == {True: 5878, False: 601, None: 17}


def test_every_label_names_its_words_in_the_source(data: Path) -> None:
    corpus = read_corpus(data / "conll14/test.m2")
    labels = read_edit_labels(data / "seeda/edit_labels.tsv")
    assert all(0 <= e.edit.start <= e.edit.end <= len(corpus[e.line].source.split()) for e in labels)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", "there is no column 'annotator'"),
        (HEADER + "a\t0\t1\t1\tX\t0\t1\ta\tb\tmaybe\t\n", ":2: a label"),
    ],
)
def test_malformed_labels(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "labels.tsv").write_text(text, "utf-8")
    with pytest.raises(DataError, match=message):
        read_edit_labels(tmp_path / "labels.tsv")


def test_verdicts_and_agreement() -> None:
    """Two annotators label two edits: one of them is gold, the other is not, and they disagree about it."""
    pytest.importorskip("spacy")
    source = "He go to school yesterday ."
    gold = Annotation(source, edits=[Edit(1, 2, "went", "Vt")], annotator=0)
    corpus = Corpus([Segment(source, annotations=(gold,))])
    right, wrong = Edit(1, 2, "went"), Edit(4, 5, "today")
    labels = [
        LabelledEdit("a", 0, ("a", "0", "1"), ("X", "Y"), right, True),
        LabelledEdit("a", 0, ("a", "0", "1"), ("X", "Y"), wrong, True),
        LabelledEdit("b", 0, ("b", "0", "1"), ("X",), right, True),
        LabelledEdit("b", 0, ("b", "0", "1"), ("X",), wrong, False),
        LabelledEdit("b", 0, ("b", "0", "2"), ("Z",), wrong, None),
    ]
    found = judge_edits(labels, corpus)
    assert dict(found.verdicts) == {name: [True, False, True, False] for name in ("M²", "ERRANT", "CLEME")}
    assert found.pairs == [(True, True), (True, False)]
    assert found.types[0] == "R:VERB:TENSE"
    total = found.rows(range(4))
    assert (total.edits, total.useful) == (4, 0.75)
    assert total.right["M²"] == 0.5
    assert (total.missed["M²"], total.passed["M²"]) == (0.25, 0.0)
    assert {name: row.edits for name, row in found.by_system().items()} == {"X": 4, "Y": 2}

"""Labels of single edits, and what metrics say about the same edits."""

from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path

import pytest

from errata.corpus.formats import read_corpus, read_outputs
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError
from errata.human.edit_labels import LabelledEdit, read_edit_labels, read_marked, read_marked_labels
from errata.meta.edit_judgments import EditAgreement, judge_edits

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
        (HEADER + "a\t0\t1\n", ":2: 3 cells under"),
        (HEADER + "a\t0\t1\t1\tX\t0\tone\ta\tb\tTrue\t\n", ":2: a line '1', tokens '0' to 'one'"),
        (HEADER + "a\t0\t1\t1\tX\t2\t1\ta\tb\tTrue\t\n", ":2: a line '1', tokens '2' to '1'"),
    ],
)
def test_malformed_labels(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "labels.tsv").write_text(text, "utf-8")
    with pytest.raises(DataError, match=message):
        read_edit_labels(tmp_path / "labels.tsv")


@pytest.mark.parametrize("place", [(0, 1, 3), (1, 0, 1)])
def test_labels_of_another_corpus(place: tuple[int, int, int]) -> None:
    line, start, end = place
    label = LabelledEdit("a", line, ("a", "0", "1"), ("X",), Edit(start, end, "x"), True)
    with pytest.raises(DataError, match=f"of line {line + 1}, which the corpus does not have"):
        judge_edits([label], Corpus([Segment("a b")]))


def test_verdicts_and_agreement() -> None:
    """Two annotators label two edits: one of them is gold, the other is not, and they disagree about it."""
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
    assert found.by_type() == {}


def test_types_of_edits_come_by_their_number() -> None:
    edit = LabelledEdit("a", 0, ("a", "0", "1"), ("X",), Edit(0, 1, "b"), True)
    found = EditAgreement([edit] * 6, {"M²": [True] * 6}, ["R:A", "R:B", "R:B", "R:C", "R:C", "R:C"])
    assert [(name, row.edits) for name, row in found.by_type(least=2).items()] == [("R:C", 3), ("R:B", 2)]


@pytest.mark.parametrize(
    ("text", "source", "edits"),
    [
        ("a [b→c|True] d", "a b d", [(1, 2, "c", True)]),
        ("a [→c|False] d", "a d", [(1, 1, "c", False)]),
        ("a [b c→|True]", "a b c", [(1, 3, "", True)]),
        ("a [b→c]|True d", "a b d", [(1, 2, "c", True)]),  # the label behind its bracket
        ("a [b→c] |False, d", "a b , d", [(1, 2, "c", False)]),
        ("a [→|True,] d", "a d", [(1, 1, ",", True)]),  # in the middle
        ("[it→the|Truey] d", "it d", [(0, 1, "they", True)]),
        ("[the|True→] d", "the d", [(0, 1, "", True)]),
        ("[in→|False|True] d", "in d", [(0, 1, "", True)]),  # corrected by a second one
        ("[b→c] d", "b d", [(0, 1, "c", None)]),  # missing
        ("[b→c|True [d→e|True] f", "b d f", [(0, 1, "c", True), (1, 2, "e", True)]),  # an unclosed bracket
        ("[ no edit ]", "[ no edit ]", []),
    ],
)
def test_edits_marked_in_a_text(
    text: str, source: str, edits: list[tuple[int, int, str, bool | None]]
) -> None:
    found = read_marked(text)
    assert " ".join(found.source) == source
    assert [(e.start, e.end, e.correction, good) for e, good in found.edits] == edits


def test_the_original_files_of_seeda_have_the_labels_of_the_table(data: Path, tmp_path: Path) -> None:
    with tarfile.open(data / "seeda/edit_labels_original.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    corpus = read_corpus(data / "conll14/test.m2")
    outputs = read_outputs(sorted((data / "seeda/systems").glob("*.txt")), corpus)
    found = read_marked_labels(tmp_path / "edit_labels_original", corpus.sources, outputs)
    table = read_edit_labels(data / "seeda/edit_labels.tsv")
    assert len(found) == len(table) == 6496
    assert Counter(found) == Counter(table)


def test_files_that_are_no_labels(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no files of labels"):
        read_marked_labels(tmp_path, ["a"], {})
    (tmp_path / "annotator1").mkdir()
    file = tmp_path / "annotator1" / "0.txt"
    file.write_text("nothing\n", "utf-8")
    with pytest.raises(DataError, match=r"0\.txt: no source"):
        read_marked_labels(tmp_path, ["a"], {})
    file.write_text("<t>b</t>\n<s1>[b→c|True]</s1>\n", "utf-8")
    with pytest.raises(DataError, match="not in the corpus"):
        read_marked_labels(tmp_path, ["a"], {})

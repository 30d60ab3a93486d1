"""Every format in and out, and how formats are recognised."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora import corpora
from errata.corpus.formats import FORMATS, detect_format, read_corpus, write_corpora, write_corpus
from errata.corpus.m2 import read_m2
from errata.corpus.model import Corpus
from errata.corpus.parallel import reference_path
from errata.corpus.segment import Annotation, Edit, Segment
from errata.corpus.streaming import Stream
from errata.errors import DataError

SAME_FOLDER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)


@SAME_FOLDER
@given(corpora())
def test_jsonl_loses_nothing(tmp_path: Path, corpus: Corpus) -> None:
    corpus.names = {0: "first", 2: "third"}
    write_corpus(corpus, tmp_path / "c.jsonl")
    again = read_corpus(tmp_path / "c.jsonl")
    assert again == corpus == corpus
    for old, new in zip(corpus, again, strict=True):
        assert (old.document, old.paragraph, dict(old.meta)) == (new.document, new.paragraph, dict(new.meta))
        assert [a.given_as_text for a in old.annotations] == [a.given_as_text for a in new.annotations]
    assert again.names == {n: name for n, name in corpus.names.items() if n in corpus.annotators}


def test_jsonl_keeps_what_m2_says_but_text_does_not(tmp_path: Path) -> None:
    m2 = "S a b\n\nS c\nA 0 1|||X|||d||-NONE-|||OPTIONAL|||a note|||3\n\n"
    (tmp_path / "a.m2").write_text(m2)
    write_corpus(read_corpus(tmp_path / "a.m2"), tmp_path / "a.jsonl")
    write_corpus(read_corpus(tmp_path / "a.jsonl"), tmp_path / "b.m2")
    assert (tmp_path / "b.m2").read_text() == m2


@SAME_FOLDER
@given(corpora(m2=True))
def test_m2_gives_back_sources_and_edits(tmp_path: Path, corpus: Corpus) -> None:
    write_corpus(corpus, tmp_path / "c.m2")
    again = read_corpus(tmp_path / "c.m2", format="m2")
    assert again.sources == corpus.sources
    assert [s.annotations for s in again] == [s.annotations for s in corpus]


@SAME_FOLDER
@given(corpora(min_size=1))
def test_tsv_gives_back_texts_and_labels(tmp_path: Path, corpus: Corpus) -> None:
    texts = {text for s in corpus for text in (s.source, *s.references, *s.meta.values())}
    if r"\N" in texts:  # the one text that means something else in TSV
        with pytest.raises(DataError, match="cannot hold"):
            write_corpus(corpus, tmp_path / "c.tsv")
        return
    write_corpus(corpus, tmp_path / "c.tsv")
    again = read_corpus(tmp_path / "c.tsv")
    assert again.sources == corpus.sources
    assert again.annotators == corpus.annotators
    for old, new in zip(corpus, again, strict=True):
        assert old.references == new.references
        assert (old.document, old.paragraph, dict(old.meta)) == (new.document, new.paragraph, dict(new.meta))


@pytest.mark.parametrize("packed", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_parallel_text_is_written_to_a_file_an_annotator(tmp_path: Path, packed: str) -> None:
    corpus = Corpus.from_lists(["a b", ""], [["a c", "x"], ["", "y"]])
    path = tmp_path / f"dev.txt{packed}"
    write_corpus(corpus, path)
    again = read_corpus(path, references=[reference_path(path, 0), reference_path(path, 1)])
    assert again == corpus
    assert reference_path("a/dev.txt.gz", 1) == "a/dev.ref1.txt.gz"
    assert reference_path("dev", 0) == "dev.ref0"


@pytest.mark.parametrize(
    ("corpus", "name", "message"),
    [
        (Corpus.from_lists(["a\nb"]), "x.m2", "line break"),
        (Corpus.from_lists(["a\nb"]), "x.txt", "line break"),
        (Corpus.from_lists(["a\tb"]), "x.tsv", "tab"),
        (Corpus.from_lists(["a", "b"], [["a"], [None]]), "x.txt", "says nothing about segment 2"),
        (Corpus([Segment("a", (Annotation("a", edits=[Edit(0, 1, "x|||y")]),))]), "x.m2", r"\|\|"),
        (Corpus([Segment("a", (Annotation("a", edits=[Edit(0, 1, "x|")]),))]), "x.m2", r"\|\|"),
        (Corpus([Segment("a", (Annotation("a", edits=[Edit(0, 1, "x", "noop")]),))]), "x.m2", "noop"),
        (Corpus.from_lists(["a"]), "x.docx", "which format"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_nothing_is_left_behind(
    tmp_path: Path, corpus: Corpus, name: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        write_corpus(corpus, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_several_corpora_are_written_all_or_none(tmp_path: Path) -> None:
    good, bad = Corpus.from_lists(["a"]), Corpus.from_lists(["a\nb"])
    with pytest.raises(DataError):
        write_corpora([(good, tmp_path / "1.m2"), (bad, tmp_path / "2.m2")])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("x.m2", "anything", "m2"),
        ("x.tsv", "a", "tsv"),
        ("x.m2.gz", "S a\n", "m2"),
        ("gold", "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n", "m2"),
        ("x.txt", "S a b\n\nS c\n\n", "m2"),
        ("x.txt", "S a b\nnext sentence\n", "text"),
        ("x.json", '{"source": "a"}\n', "jsonl"),
        ("x.dat", "document\tsource\treference\nd\ta\tb\n", "tsv"),
        ("x.dat", "Я {бачу=>бачив:::error_type=G/Tense} дім.\n", "ua-gec"),
        ("dev.ref0", "\N{ZERO WIDTH NO-BREAK SPACE}S a\nb\n", "text"),
        ("x.txt", "", "text"),
    ],
)
def test_formats_are_told_by_suffix_and_content(tmp_path: Path, name: str, content: str, format: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    assert detect_format(path) == format


def test_binary_content_is_no_format(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\x7fELF\0\0")
    with pytest.raises(DataError, match="cannot tell its format"):
        detect_format(tmp_path / "x")


def test_stdin_is_sniffed_without_losing_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO(b"S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(content)))
    assert read_corpus("-")[0].references == ("c b",)


def test_references_with_another_format_than_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.m2").write_text("S a\n\n")
    with pytest.raises(DataError, match="reference files go with plain text"):
        read_corpus(tmp_path / "x.m2", references=[tmp_path / "x.m2"])


def test_jsonl_of_others_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(
        '{"source": "a", "references": [null, "b"], "domain": "web", "id": 7}\n'
    )
    segment = read_corpus(tmp_path / "x.jsonl")[0]
    assert segment.meta == {"domain": "web", "id": "7"}
    assert [(a.annotator, a.text) for a in segment.annotations] == [(1, "b")]


def test_annotators_of_jsonl_are_numbers_below_a_thousand_million(tmp_path: Path) -> None:
    def read(annotator: int) -> Corpus:
        line = f'{{"source": "a", "annotations": [{{"annotator": {annotator}, "edits": []}}]}}'
        (tmp_path / "x.jsonl").write_text(f"{line}\n")
        return read_corpus(tmp_path / "x.jsonl")

    assert read(10**9 - 1).annotators == (10**9 - 1,)
    for wrong, message in (
        (10**9, "out of all bounds"),
        (-(10**9), "out of all bounds"),
        (-1, "from 0, not -1"),
    ):
        with pytest.raises(DataError, match=rf"x\.jsonl:1: .*{message}"):
            read(wrong)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("7", "'annotations' cannot be a number: '7'"),
        ('{"edits": [null]}', "'edits' cannot be null"),
        (
            '{"edits": [{"start": 0, "end": 1, "correction": "b", "alternatives": ["c", ["d"]]}]}',
            "'alternatives' cannot be a list",
        ),
        ('{"edits": [{"start": "0", "end": 1, "correction": "b"}]}', "'start' cannot be a string: '0'"),
        ('{"edits": [{"start": 0, "end": 1, "correction": "b", "note": ""}]}', "unknown key 'note'"),
    ],
)
def test_what_is_wrong_in_jsonl_is_named(tmp_path: Path, annotation: str, message: str) -> None:
    (tmp_path / "x.jsonl").write_text(f'{{"source": "a", "annotations": [{annotation}]}}\n')
    with pytest.raises(DataError, match=rf"x\.jsonl:1: .*{message}"):
        read_corpus(tmp_path / "x.jsonl")


def test_references_without_a_number_take_the_lowest_free_ones(tmp_path: Path) -> None:
    header = ["reference_2", "reference", "reference_0:Ann", "source", "reference:Bob", "reference:Eve"]
    (tmp_path / "x.tsv").write_text("\t".join(header) + "\n" + "two\tone\tzero\ts\tthree\tfour\n")
    corpus = read_corpus(tmp_path / "x.tsv")
    texts = {annotation.annotator: annotation.text for annotation in corpus[0].annotations}
    assert texts == {0: "zero", 1: "one", 2: "two", 3: "three", 4: "four"}
    assert corpus.names == {0: "Ann", 3: "Bob", 4: "Eve"}


def test_tsv_columns_are_understood(tmp_path: Path) -> None:
    header = "document\tsource\treference\treference_3:expert\thypothesis:A\thypothesis\tdomain"
    (tmp_path / "x.tsv").write_text(f"{header}\nd\ta\tb\t\\N\th1\th2\tweb\nd\t\t\tc\t\t\t\\N\n")
    corpus = read_corpus(tmp_path / "x.tsv")
    assert corpus.annotators == (0, 3)
    assert corpus.names == {3: "expert"}
    assert corpus.references(0) == ["b", ""]
    assert corpus.references(3) == [None, "c"]
    assert corpus[0].meta == {"domain": "web"}
    assert corpus[1].meta == {}
    (chunk,) = Stream(str(tmp_path / "x.tsv"))
    assert chunk.parse().hypotheses == {"A": ["h1", ""], "hypothesis": ["h2", ""]}


# -- GECCC ------------------------------------------------------------------------------------------


@pytest.fixture
def small_geccc(tmp_path: Path) -> Path:
    """Two documents of two paragraphs in GECCC's files, one sentence of which its paragraphs lack."""
    folder = tmp_path / "dev"
    folder.mkdir()
    (tmp_path / "meta.tsv").write_text("Filename\tDomain\tisSlavic\nd1\tWeb\tYes\nd2\tFormal\tNo\n")
    sentences = ["Ahoj.", "Jak je?", "Dobře ࿄ je.", "Nic tu není.", "Konec."]
    (folder / "sentence.input").write_text("\n".join(sentences) + "\n")
    (folder / "sentence.gold").write_text("Ahoj.\nJak je?\tJak se máš?\nDobře je.\n\nKonec.\n")
    (folder / "sentence.meta").write_text("d1\nd1\nd1\nd2\nd2\n")
    (folder / "sentence.m2").write_text("".join(f"S {s}\n\n" for s in sentences))
    (folder / "paragraph.input").write_text("Ahoj. Jak  je?\nDobře je.\nKonec.\n")
    (folder / "paragraph.meta").write_text("d1\nd1\nd2\n")
    return folder


def test_geccc_sentences_know_document_paragraph_and_domain(small_geccc: Path) -> None:
    for corpus in (read_corpus(small_geccc), read_corpus(small_geccc / "sentence.gold")):
        assert [s.document for s in corpus] == ["d1", "d1", "d1", "d2", "d2"]
        assert [s.paragraph for s in corpus] == ["0", "0", "1", None, "0"]
        assert [s.meta["domain"] for s in corpus] == ["Web", "Web", "Web", "Formal", "Formal"]
    assert corpus[1].references == ("Jak je?", "Jak se máš?")
    assert corpus[3].references == ("",)
    assert read_corpus(small_geccc / "sentence.m2", format="m2")[0].document is None


def test_geccc_side_files_of_another_length_are_an_error(small_geccc: Path) -> None:
    (small_geccc / "sentence.meta").write_text("d1\n")
    with pytest.raises(DataError, match=r"1 line, but sentence\.m2 has 5"):
        read_corpus(small_geccc)


def test_real_geccc_is_written_back_to_the_byte(data: Path, tmp_path: Path) -> None:
    path = data / "geccc" / "dev" / "sentence.m2"
    corpus = read_corpus(path)
    assert corpus[0].meta["domain"] == "Second Learners"
    write_corpus(corpus, tmp_path / "x.m2")
    assert (tmp_path / "x.m2").read_bytes() == path.read_bytes()
    assert corpus.sources == read_m2(path).sources == [segment.source for segment in corpus]


# -- UA-GEC -----------------------------------------------------------------------------------------


def test_ua_gec_folders_are_read_by_paragraph_and_annotator(tmp_path: Path) -> None:
    folder = tmp_path / "gec" / "test" / "annotated"
    folder.mkdir(parents=True)
    (tmp_path / "metadata.csv").write_text('id,region\n0001,"Київ, місто"\n\n')
    (folder / "0001.a1.ann").write_text(
        "Він {є=>:::error_type=F/Calque} тут.\n\nДруге{\\n=>, :::error_type=P}третє.\n"
    )
    (folder / "0001.a2.ann").write_text("Він є тут.\n\nДруге\nтретє{.=>!:::error_type=P}\n")
    corpus = read_corpus(tmp_path / "gec" / "test")
    assert corpus.sources == ["Він є тут .", "Друге третє ."]
    assert corpus[0].references == ("Він тут .", "Він є тут .")
    assert corpus[1].references == ("Друге , третє .", "Друге третє !")
    assert [(s.document, s.paragraph) for s in corpus] == [("0001", "0"), ("0001", "1")]
    assert corpus[0].meta == {"region": "Київ, місто"}
    assert corpus.annotators == (1, 2)
    assert read_corpus(folder / "0001.a2.ann").sources == ["Він є тут .", "Друге", "третє ."]


def test_changes_inside_words_of_ua_gec_become_edits_of_whole_words(tmp_path: Path) -> None:
    (tmp_path / "1.a1.ann").write_text(
        "ab{cd=>x:::error_type=S}efgh word {a=>b:::error_type=G}cd{e=>f:::error_type=S} , end\n"
        "keep {=>more :::error_type=G}of it{s=>:::error_type=S}\n"
    )
    first, second = (segment.annotations[0] for segment in read_corpus(tmp_path / "1.a1.ann"))
    assert [(e.start, e.end, e.correction, e.type) for e in first.edits] == [
        (0, 1, "abxefgh", "S"),
        (2, 3, "bcdf", "G+S"),
    ]
    assert [(e.start, e.end, e.correction, e.type) for e in second.edits] == [
        (1, 1, "more", "G"),
        (2, 3, "it", "S"),
    ]


def test_an_annotator_with_another_source_is_missing_where_it_differs(tmp_path: Path) -> None:
    (tmp_path / "1.a1.ann").write_text("Перше.\nДруге.\n")
    (tmp_path / "1.a2.ann").write_text("Перше!\nДруге.\n")
    assert [len(segment.annotations) for segment in read_corpus(tmp_path)] == [1, 2]


@pytest.mark.needs("ua_gec")
def test_the_ua_gec_package_gives_its_own_corrections(tmp_path: Path) -> None:
    import ua_gec as package

    from errata.corpus.uagec import _TOKEN

    folder = Path(package.__file__).parent / "data" / "gec-only" / "test"
    corpus = read_corpus(folder)
    assert len(corpus.groups("document")) == 166
    for document in list(corpus.groups("document"))[:40]:
        whole = corpus.select(corpus.groups("document")[document])
        for annotator in (1, 2):
            target = (folder / "target" / f"{document}.a{annotator}.txt").read_text()
            if all(segment.annotation(annotator) for segment in whole):
                made = [token for text in whole.references(annotator) for token in (text or "").split()]
                assert made == _TOKEN.findall(target), document


# -- side files -------------------------------------------------------------------------------------


def test_side_files_are_attached(tmp_path: Path) -> None:
    corpus = Corpus.from_lists(["a", "b", "c"])
    (tmp_path / "rows.tsv").write_text("document\tdomain\nd1\tx\nd1\tx\nd2\ty\n")
    (tmp_path / "names.txt").write_text("d1\nd1\nd2\n")
    (tmp_path / "table.csv").write_text('name,domain\nd2,"y, z"\nd1,x\n')
    rows = corpus.with_meta(tmp_path / "rows.tsv")
    assert [(s.document, s.label("domain")) for s in rows] == [("d1", "x"), ("d1", "x"), ("d2", "y")]
    assert rows[0].meta is rows[1].meta
    table = corpus.with_meta(tmp_path / "names.txt", tmp_path / "table.csv")
    assert [s.label("domain") for s in table] == ["x", "x", "y, z"]
    with pytest.raises(DataError, match="4 lines do not fit 2 segments"):
        corpus[:2].with_meta(tmp_path / "rows.tsv")
    (tmp_path / "table.csv").write_text("name,domain\nd2,y\n")
    with pytest.raises(DataError, match="no row for the document 'd1' of segment 1"):
        corpus.with_meta(tmp_path / "names.txt", tmp_path / "table.csv")


@given(st.sampled_from(sorted(FORMATS)))
def test_every_format_says_what_it_is(name: str) -> None:
    assert FORMATS[name].name == name
    assert FORMATS[name].description


def test_a_table_without_sources_is_told_its_first_columns(tmp_path) -> None:
    (tmp_path / "x.tsv").write_text("\t".join("abcdefghij") + "\n" + "\t".join("0123456789") + "\n")
    with pytest.raises(DataError) as caught:
        read_corpus(tmp_path / "x.tsv")
    assert "no column 'source' among 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'\n" in f"{caught.value}\n"


def test_corpora_are_equal_if_all_their_segments_are() -> None:
    one = Corpus.from_lists(["a", "b"], [["x"], ["y"]])
    assert one == Corpus.from_lists(["a", "b"], [["x"], ["y"]])
    assert one != Corpus.from_lists(["a", "b"], [["x"], ["z"]])
    assert one != Corpus.from_lists(["a"], [["x"]])
    assert one != Corpus.from_lists(["a", "b", "c"], [["x"], ["y"], ["z"]])
    assert one != ["a", "b"]

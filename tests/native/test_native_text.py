"""Bytes to lines, tokens, ids and edits in kernels: the same as plain Python does it, for any bytes."""

from __future__ import annotations

import os
import pickle
import random
import threading
from fractions import Fraction
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from errata import CER, WER, Corpus, read_corpus, read_outputs
from errata.corpus import m2
from errata.corpus.blocks import Block
from errata.corpus.files import decoded_lines, lines_of
from errata.corpus.m2 import parse_m2
from errata.corpus.parallel import check_sources, read_parallel
from errata.engine import in_order
from errata.errors import DataError
from errata.metrics.batch import Batch
from errata.metrics.signature import _of_rows, _token_codes
from errata.metrics.simple_metrics import Length
from errata.metrics.totals import ExactSums
from errata.native.ragged import Ragged
from errata.text.lines import Lines, character_counts, code_points
from errata.text.vocabulary import SentenceVocabulary, Vocabulary, equal_rows, spelled

BLANKS = "\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NEARLY = "\x08\x1b\x84\xa1\u167f\u1681\u200b\u2027\u2030\u2060\u2fff\u3001\ufeff\u0100\ud800é😀"
letters = st.sampled_from("ab" + BLANKS + NEARLY)
texts = st.text(letters, max_size=30)
PIECES = [
    *(b"a", b"b c", b"\n", b"\r", b"\r\n", b" ", b"\xef\xbb\xbf", b"\xc2", b"\xa0", b"\xe2\x80", b"\xa8"),
    *(b"\xc2\xa0", b"\xff", b"\xe3\x80\x80", b"\xf0\x9f\x98\x80", b"\xed\xa0"),
]
raw_bytes = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join),
    st.binary(max_size=40),
)


def words(vocabulary, ragged) -> list[list[str]]:
    known = vocabulary.tokens
    return [[known[i] for i in ragged[row]] for row in range(len(ragged))]


@settings(max_examples=300, deadline=None)
@given(st.lists(texts, max_size=6))
def test_strings_to_ids(lines) -> None:
    vocabulary = Vocabulary()
    assert words(vocabulary, vocabulary.encode_lines(lines)) == [line.split() for line in lines]
    assert vocabulary.unicode_blanks == any(set(line) & (set(BLANKS) - set("\t\n\v\f\r ")) for line in lines)
    expected = [line.encode("utf-8", "surrogatepass").split() for line in lines]
    found = words(vocabulary, vocabulary.encode_lines(lines, ascii_blanks=True))
    assert [[word.encode("utf-8", "surrogatepass") for word in row] for row in found] == expected
    rows = [[line, *line] for line in lines]
    assert words(vocabulary, vocabulary.encode(rows)) == rows
    assert len(set(vocabulary.tokens)) == len(vocabulary)


@settings(max_examples=300, deadline=None)
@given(raw_bytes)
def test_bytes_to_lines_and_their_errors(raw) -> None:
    def outcome(read):
        try:
            return list(read(raw, "file.txt", 7))
        except DataError as error:
            return str(error)

    expected = outcome(decoded_lines)
    assert outcome(lines_of) == expected
    if isinstance(expected, str):
        return
    lines = lines_of(raw, "file.txt", 7)  # a file that begins with NUL may be UTF-16
    assert lines == expected
    assert [lines[i] for i in range(len(lines))] == expected
    assert list(lines[1::2]) == expected[1::2]
    vocabulary = Vocabulary()
    assert words(vocabulary, vocabulary.encode_lines(lines)) == [line.split() for line in expected]


@settings(max_examples=300, deadline=None)
@given(st.lists(raw_bytes, max_size=4).map(b"".join))
def test_places_of_lines_and_of_the_first_byte_that_is_not_utf8(raw) -> None:
    try:
        raw.decode("utf-8")
        wrong = None
    except UnicodeDecodeError as error:
        wrong = error.start
    parts = raw.split(b"\n")
    begins = np.cumsum([0, *(len(part) + 1 for part in parts)]).tolist()
    lines = [
        (begin, begin + len(part.removesuffix(b"\r"))) for begin, part in zip(begins, parts, strict=False)
    ]
    lines = lines[:-1] if not parts[-1] else lines
    split, found = Lines.split(raw)
    assert [*zip(split.starts.tolist(), split.ends.tolist(), strict=True)] == lines
    assert found == wrong


@given(st.lists(st.text("abÄßΣİ\u0130 \n\udc80", max_size=8), max_size=5))
def test_lower_case_is_that_of_strings(lines) -> None:
    expected = [line.lower() for line in lines]
    assert list(Lines.of(lines).lower()) == expected
    kept = [line for line in lines if "\n" not in line and "\udc80" not in line]
    read = lines_of("".join(f"{line}\n" for line in kept).encode(), "file.txt")
    assert list(read.lower()) == [line.lower() for line in kept]
    assert list(read[1::2].lower()) == [line.lower() for line in kept[1::2]]
    assert list(read[::-1].lower()) == [line.lower() for line in kept[::-1]]


row = st.lists(st.integers(0, 2), max_size=3)


@given(st.lists(st.tuples(row, st.lists(row, max_size=3)), max_size=5))
def test_equal_texts(segments) -> None:
    given_rows, references = [one for one, _ in segments], [other for _, some in segments for other in some]
    bounds_of = np.cumsum([0, *(len(some) for _, some in segments)])
    vocabulary = SentenceVocabulary()
    ours, theirs = (
        vocabulary.encode([[str(i) for i in one] for one in some]) for some in (given_rows, references)
    )
    expected = [one in some for one, some in segments]
    assert equal_rows(ours, theirs, bounds_of).tolist() == expected


@given(
    st.lists(
        st.lists(st.integers(-9, 9) | st.floats(-1, 1)
                 | st.sampled_from([0.5, 2.0**53, -(2.0**53), np.inf, np.nan, 2.0**52, 2.0**-120, 2.0**-121]),
                 min_size=2, max_size=2),
        max_size=4,
    )
)  # fmt: skip
def test_exact_sums(values) -> None:
    table = np.array(values, dtype=np.float64).reshape(-1, 2)
    sums = ExactSums()
    for rows in (table[:2], table[2:]):
        sums.add(rows)
    expected = [
        float(sum(map(Fraction, column))) if np.isfinite(column).all() else sum(column)
        for column in table.T.tolist()
    ]
    assert np.array_equal(sums.value(), expected, equal_nan=True)
    whole = np.where(np.abs(table) < 2**53, table, 0).astype(np.int64)
    sums = ExactSums()
    sums.add(whole)
    assert sums.value().tolist() == [float(n) for n in whole.sum(axis=0).tolist()]


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=4), st.sampled_from([-1, 9]))
def test_ids_are_replaced_by_their_parts(rows, separator) -> None:
    parts = [[5], [], [6, 7], [8]]
    texts, letters = (
        Ragged(np.array([i for row in some for i in row], np.int32), np.cumsum([0, *map(len, some)]))
        for some in (rows, parts)
    )
    between = [separator] if separator >= 0 else []
    expected = [
        [i for k, number in enumerate(row) for i in (between if k else []) + parts[number]] for row in rows
    ]
    assert [*spelled(texts, letters, separator).lists()] == expected


@pytest.mark.parametrize("sign", ["a", "\x7f", "ž", "漢", "😀"])
def test_blanks_are_found_wherever_they_stand_in_a_word_of_the_machine(sign: str) -> None:
    blanks = " \t\x1c\x1f\x85\xa0\u1680\u2003\u2028\u3000"
    others = "\x00!\x84\xa1\u1681\u200b\u3001â\xe1"
    lines = [
        sign * before + between + "b" * after
        for between in [*blanks, *others, ""]
        for before in range(10)
        for after in range(10)
    ]
    vocabulary = Vocabulary()
    assert words(vocabulary, vocabulary.encode_lines(lines)) == [line.split() for line in lines]
    found = Length().scores(Batch(Corpus.from_lists(lines), Lines.of(lines)))
    assert found.tolist() == [*map(len, lines)]


def test_many_tokens_of_all_lengths() -> None:
    generator = random.Random(1)
    lines = [
        " ".join("ž" * generator.randrange(1, 400) + str(generator.randrange(3000)) for _ in range(40))
        for _ in range(300)
    ]
    vocabulary, plain = Vocabulary(), SentenceVocabulary()
    found = vocabulary.encode_lines(lines)
    assert np.array_equal(found.values, plain.encode(line.split() for line in lines).values)
    assert vocabulary.tokens == plain.tokens
    pickled = pickle.dumps(vocabulary)
    assert pickle.loads(pickled).tokens == plain.tokens
    spelled = vocabulary.code_points()
    assert np.array_equal(pickle.loads(pickled).code_points().values, spelled.values)
    assert len(pickle.dumps(vocabulary)) == len(pickled)  # the spelling is not sent to other processes


def test_a_thread_that_has_to_wait_gives_the_same_numbers() -> None:
    vocabulary = Vocabulary()
    vocabulary.encode_lines(["b a"])
    lines = Lines.of(["a c\xa0c", "", "b d"])
    with vocabulary._lock:
        thread = threading.Thread(target=lambda: vocabulary.encode_lines(lines))
        thread.start()
        thread.join(0.05)
    thread.join()
    assert words(vocabulary, vocabulary.encode_lines(lines)) == [["a", "c", "c"], [], ["b", "d"]]
    assert sorted(vocabulary.tokens) == ["a", "b", "c", "d"]
    assert vocabulary.unicode_blanks


def test_threads_number_texts_side_by_side() -> None:
    generator = random.Random(2)
    texts = [
        [" ".join(str(generator.randrange(50 * k + 1)) for _ in range(20)) for _ in range(60)]
        + ["", "ž\xa0ž"]
        for k in range(1, 30)
    ]
    vocabulary = Vocabulary()
    vocabulary.encode_lines(texts[0])
    found = list(in_order(vocabulary.encode_lines, [*map(Lines.of, texts)], 4))
    for lines, rows in zip(texts, found, strict=True):
        assert words(vocabulary, rows) == [line.split() for line in lines]
    assert len(set(vocabulary.tokens)) == len(vocabulary)
    assert vocabulary.unicode_blanks


@given(st.lists(st.text(alphabet=st.characters(), max_size=8), max_size=6))
def test_code_points_are_those_of_python(lines: list[str]) -> None:
    texts = Lines.of([*lines, "\ud800ž\U0010ffff"])
    assert [*code_points(texts).lists()] == [[*map(ord, line)] for line in texts]
    assert [*code_points(texts[1:]).lists()] == [[*map(ord, line)] for line in texts[1:]]
    assert character_counts(texts).tolist() == [len(line) for line in texts]


def test_digests_of_tokens_are_those_of_hashlib() -> None:
    texts = ["", "a", "ž" * 63, "b" * 127, "c" * 128, "d" * 129, "e" * 256, "f" * 1000]
    wanted = [int.from_bytes(blake2b(t.encode(), digest_size=8).digest(), "little") for t in texts]
    vocabulary = Vocabulary()
    vocabulary.encode([texts[:3]])
    assert _token_codes(vocabulary).tolist() == wanted[:3]
    vocabulary.encode([texts])
    assert _token_codes(vocabulary).tolist() == wanted


# -- M2 ----------------------------------------------------------------------------------------------------

fields = st.sampled_from(
    ["a", "b c", "a  b", " a ", "\xa0a", "a\u2028b", "", "-NONE-", " -NONE- ", "a||b c", "a|b", "||",
     "a|||b", "x||||y"]
)  # fmt: skip
kinds = st.sampled_from(["noop", "UNK", "R:VERB", "a||b", ""])
numbers = st.sampled_from(["0", "1", "2", "3", "-1", "9", "00", "12345678901", "+1", "1 ", "", "x"])
usual = st.sampled_from(["0", "1", "2"])
edit_lines = st.one_of(
    st.builds(
        lambda a, b, kind, text, who: f"A {a} {b}|||{kind}|||{text}|||REQUIRED|||-NONE-|||{who}",
        usual, usual, kinds, st.sampled_from(["a", "b c", "", "-NONE-", "a||b", " a ", "a  b"]), usual,
    ),
    st.builds(lambda a, b, kind, text, who: f"A {a} {b}|||{kind}|||{text}|||REQUIRED|||-NONE-|||{who}",
              numbers, numbers, kinds, fields, numbers),
)  # fmt: skip
other_lines = st.sampled_from(["S a b c", "S ", "S", "Sx", "S a\xa0b", "I x", "A", "x", " ", "", "", "S d"])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", ""])


blocks = st.builds(
    lambda source, lines, end: f"S {source}{end}" + "".join(line + end for line in lines) + end,
    st.sampled_from(["a b c", "a", "", "x\xa0y"]), st.lists(edit_lines, max_size=4),
    st.sampled_from(["\n", "\r\n"]),
)  # fmt: skip
files = st.one_of(
    st.lists(blocks, max_size=4).map("".join),
    st.lists(st.builds(str.__add__, st.one_of(edit_lines, other_lines), ends), max_size=8).map("".join),
)


def outcome(data: bytes):
    """All that the reader makes of a file, or its error."""
    try:
        corpus = parse_m2(data, "gold.m2", 3)
    except DataError as error:
        return str(error)
    gold = corpus.edit_ids
    known = corpus.vocabulary.tokens
    corrections = [[known[i] if i >= 0 else None for i in gold.tokens[k]] for k in range(len(gold.tokens))]
    arrays = [a.tolist() for a in (gold.rows, gold.annotators, gold.edits, gold.spans, gold.corrections)]
    try:
        found = corpus.reference_ids
        texts = [words(corpus.vocabulary, found.ids), found.offsets.tolist(), found.annotators.tolist()]
    except DataError as error:
        texts = [str(error)]
    return corpus.sources, corpus.lines.tolist(), arrays, corrections, texts, repr(list(corpus))


def rewritten(data: bytes):
    """The same, where every line is rewritten in the usual form before it is read."""
    parse, answers = m2.m2_lines.parse, iter([None])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(m2.m2_lines, "parse", lambda *lines: next(answers, parse(*lines)))
        return outcome(data)


def is_usual(data: bytes) -> bool:
    """Whether native code reads the file as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(m2, "_in_usual_form", None)
        return len(parse_m2(data, "gold.m2")) > 0


@settings(max_examples=600, deadline=None)
@given(files, st.sampled_from(["", "\ufeff"]))
def test_m2_files_as_arrays(text, mark) -> None:
    data = (mark + text).encode()
    assert outcome(data) == rewritten(data)


@pytest.mark.parametrize("bars", ["|", "||"])
def test_nothing_may_follow_the_offsets(bars) -> None:
    data = f"S a b\nA 0 1{bars}x|||T|||c|||REQUIRED|||-NONE-|||0\n".encode()
    with pytest.raises(DataError, match="an edit begins with two offsets"):
        parse_m2(data, "gold.m2")


@pytest.mark.parametrize("control", ["\x1c", "\x1f"])
def test_only_blanks_may_stand_beside_the_annotator(control: str) -> None:
    line = "S a b\nA 0 1|||T|||c|||REQUIRED|||-NONE-|||"
    for number in (control + "3", "3" + control, f" 3{control} "):
        with pytest.raises(DataError, match=r"gold\.m2:2: an edit begins with two offsets"):
            parse_m2(f"{line}{number}\n".encode(), "gold.m2")
    for number in (" 3", "3\t\r", "\xa03\u2003"):
        assert parse_m2(f"{line}{number}\n".encode(), "gold.m2")[0].annotations[0].annotator == 3


def test_annotators_may_take_turns() -> None:
    lines = [
        "S a b",
        *(f"A {k} {k}|||T|||x{k}|||REQUIRED|||-NONE-|||{who}" for k, who in ((2, 1), (1, 0), (0, 1))),
    ]
    data = ("\n".join(lines) + "\n").encode()
    assert outcome(data) == rewritten(data)
    assert is_usual(data)


def test_a_byte_order_mark_leaves_a_file_plain() -> None:
    data = b"S a b\nA 1 2|||T|||c|||REQUIRED|||-NONE-|||0\n\nS d\n"
    marked = b"\xef\xbb\xbf" + data
    assert is_usual(marked)
    assert outcome(marked) == rewritten(marked)
    assert outcome(marked)[0] == outcome(data)[0]


# -- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_outputs_are_named_after_the_files_that_an_iterator_gives(tmp_path, jobs) -> None:
    for name in ("s", "a", "b", "c", "d"):
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    corpus = read_parallel(tmp_path / "s", [tmp_path / "s"])
    outputs = read_outputs((tmp_path / name for name in "abcd"), corpus, jobs=jobs)
    assert {name: [*outputs[name]] for name in outputs} == {name: [name] for name in "abcd"}


def test_an_error_does_not_wait_for_a_pipe(tmp_path) -> None:
    (tmp_path / "s").write_text("a\nb\n", encoding="utf-8")
    (tmp_path / "short").write_text("a\n", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    corpus = read_parallel(tmp_path / "s", [tmp_path / "s"])
    found = []

    def read() -> None:
        try:
            read_outputs([tmp_path / "short", tmp_path / "pipe"], corpus, jobs=2)
        except DataError as error:
            found.append(str(error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(60)
    assert ["1 line, but" in error for error in found] == [True]


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_the_first_file_with_an_error_is_named_for_any_number_of_threads(tmp_path, jobs, monkeypatch) -> None:
    monkeypatch.setattr("errata.corpus.parallel._LARGE", 0)
    for name, content in {"s": b"a\nb\n", "r": b"a\nb\n", "short": b"a\n", "broken": b"a\n\xff\n"}.items():
        (tmp_path / name).write_bytes(content)
    for names, error in {
        ("r", "short", "broken"): "1 line, but",
        ("r", "broken", "short"): "not UTF-8",
    }.items():
        with pytest.raises(DataError, match=error):
            read_parallel(tmp_path / "s", [tmp_path / name for name in names], jobs=jobs)
    assert len(read_parallel(tmp_path / "s", [tmp_path / "r"] * 3, jobs=jobs).reference_ids.ids) == 6


def test_parallel_texts_stay_bytes_until_they_are_looked_at(tmp_path) -> None:
    for name, text in (("s", "a b\nc\n"), ("r0", "a x\nc\n"), ("r1", "\nc d"), ("h", "a y\r\nc\r\n")):
        (tmp_path / name).write_bytes(text.encode())
    corpus = read_parallel(tmp_path / "s", [tmp_path / "r0", tmp_path / "r1"])
    outputs = read_outputs([tmp_path / "h"], corpus)
    assert isinstance(outputs["h"], Lines)
    references = corpus.reference_ids
    assert words(corpus.vocabulary, references.ids) == [["a", "x"], [], ["c"], ["c", "d"]]
    assert (references.offsets.tolist(), references.annotators.tolist()) == ([0, 2, 4], [0, 1, 0, 1])
    assert corpus.source_texts.of_file
    assert corpus.reference_lines.of_file
    assert corpus.reference_texts() == [("a x", ""), ("c", "c d")]
    assert corpus == Corpus.from_lists(["a b", "c"], [["a x", ""], ["c", "c d"]])
    assert outputs["h"] == ["a y", "c"]


def test_other_sources_are_refused_as_before() -> None:
    corpus = Corpus.from_lists(["a b", "c d"])
    check_sources(corpus, Lines.of(["a\xa0b ", "c d"]), "gold.m2", "source.txt")
    with pytest.raises(DataError, match=r"source\.txt:8: not the source of gold\.m2: 'c e' against 'c d'"):
        check_sources(corpus, Block("source.txt", b"a b\nc e\n", 7).texts(), "gold.m2", "source.txt", 7)


@pytest.mark.parametrize("name", ["m2", "text"])
def test_not_utf8_names_file_and_line(tmp_path, name) -> None:
    path = tmp_path / f"x.{name}"
    path.write_bytes(b"S a\nA 0 1|||T|||\xff|||R|||-|||0\n")
    with pytest.raises(DataError, match=r"x\.\w+:2: not UTF-8: byte 0xff in column 13"):
        read_corpus(path, format=name)


# -- distances ---------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(*[st.text("ab ž", max_size=150)] * 3), min_size=1, max_size=3))
def test_error_rates_count_as_rapidfuzz(rows) -> None:
    hypotheses = [row[0] for row in rows]
    corpus = Corpus.from_lists(hypotheses, [row[1:] for row in rows])
    for metric, units in ((WER(), str.split), (CER(), lambda text: " ".join(text.split()))):
        pairs = [(units(row[0]), units(text)) for row in rows for text in row[1:]]
        expected = [[Levenshtein.distance(*pair), len(pair[1])] for pair in pairs]
        assert metric.statistics(corpus, hypotheses).values.tolist() == expected


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.integers(-1, 4), max_size=6), max_size=4),
    st.lists(st.integers(0, 2**64 - 1), min_size=5, max_size=5),
)
def test_codes_of_rows(rows, codes) -> None:
    """A polynomial of the tokens' scrambled codes, modulo 2^64."""
    factor, expected = 0x9E3779B97F4A7C15, []
    for row in rows:
        values = [codes[i] if i >= 0 else 1 for i in row]
        terms = [(v ^ v >> 29) * 0xBF58476D1CE4E5B9 * factor ** (place + 1) for place, v in enumerate(values)]
        expected.append((sum(terms) + factor ** (len(row) + 1)) % 2**64)
    offsets = np.cumsum([0, *map(len, rows)])
    ids = np.array([i for row in rows for i in row], dtype=np.int32)
    assert _of_rows(Ragged(ids, offsets), np.array(codes, dtype=np.uint64)).tolist() == expected

"""What `errata corpus check` finds, repairs and explains."""

from __future__ import annotations

import gzip
import io
import json
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import sample
from errata.corpus.checks import Finding, catalog, check, explanation
from errata.corpus.checks.alignment_checks import check_alignment
from errata.corpus.checks.fixes import fix_text, fixable
from errata.corpus.m2 import read_m2, write_m2
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError, ErrataError

DOCS = Path(__file__).parents[2] / "docs" / "checks.md"
NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"


def edit(start: int, end: int, correction: str, annotator: int = 0) -> str:
    return f"A {start} {end}|||Vt|||{correction}|||REQUIRED|||-NONE-|||{annotator}\n"


def found(folder: Path, text: str | bytes, name: str = "f.txt") -> list[tuple[int, str]]:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return [(finding.line, finding.code) for finding in check([path])]


def compared(folder: Path, source: str, output: str) -> list[tuple[int, str]]:
    (folder / "source.txt").write_text(source)
    (folder / "out.txt").write_text(output)
    findings = check([folder / "source.txt"], hypotheses=[folder / "out.txt"])
    return [(finding.line, finding.code) for finding in findings if finding.path.endswith("out.txt")]


# -- a file by itself ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"fine\n", []),
        (b"", []),
        (b"ok\ncaf\xe9\nok\n\xff\n", [(2, "E102"), (4, "E102")]),
        (b"a\x00b\n", [(1, "E103")]),
        (b"\xef\xbb\xbfThe cat\n", [(1, "W101")]),
        (b"one\r\ntwo\r\n", [(1, "W102")]),
        (b"one\ntwo\r\n", [(2, "W102")]),
        (b"one\rtwo\n", [(1, "W103")]),
        (b"a\nb\x07c\n", [(2, "W103")]),
        ("a\u200bb\n".encode(), [(1, "W103")]),
        ("a\n\ufeffb\n".encode(), [(2, "W103")]),
        ("one\u2028two\n".encode(), [(1, "W104")]),
        ("ok\ne\u0301\n".encode(), [(2, "W105")]),
        ("caf\ufffd\n".encode(), [(1, "W106")]),
        (b"one \n two\n", [(1, "W107"), (2, "W107")]),
        (b"one  two\n", [(1, "W108")]),
        ("5\u00a0km\n".encode(), [(1, "W109")]),
        (b"one\n\n  \ntwo\n", [(2, "W110"), (3, "W110")]),
        (b"one\ntwo", [(2, "W111")]),
    ],
)
def test_every_defect_of_a_file_is_found_at_its_line(tmp_path, text, expected) -> None:
    assert found(tmp_path, text) == expected


def test_a_missing_file_a_folder_and_a_broken_archive_are_findings(tmp_path) -> None:
    whole = gzip.compress(b"a line\n" * 100)
    (tmp_path / "cut.txt.gz").write_bytes(whole[:-12])
    paths = [tmp_path / "none.txt", tmp_path, tmp_path / "cut.txt.gz"]
    assert [finding.code for finding in check(paths)] == ["E101"] * 3


def test_long_runs_of_blanks_take_no_time(tmp_path) -> None:
    text = "a" + " " * 1_000_000 + "b\n"
    assert found(tmp_path, text) == [(1, "W108")]
    assert found(tmp_path, "S " + text, "f.m2") == [(1, "W108")]


def test_blanks_mean_nothing_in_tables_and_xml(tmp_path) -> None:
    assert found(tmp_path, "  <a>  </a> \n\n", "f.xml") == []
    assert found(tmp_path, "a,b \n\n", "f.csv") == []


# -- edits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S The cat sit .\n" + edit(2, 3, "sits"), []),
        ("The cat sat .\n", [(1, "E201")]),
        ("S a b\nA 0 1|||Vt|||x|||REQUIRED|||0\n", [(2, "E202")]),
        ("S a b\nA 0 1|||Vt|||x|||REQUIRED|||-NONE-|||zero\n", [(2, "E202")]),
        ("S a b\n\n" + edit(0, 1, "x"), [(3, "E203")]),
        ("S a b\n" + edit(1, 3, "x"), [(2, "E204")]),
        ("S a b\n" + edit(1, 0, "x"), [(2, "E204")]),
        ("S a b\n" + edit(-1, -1, "x"), [(2, "E204")]),
        ("S a b c\n" + edit(0, 2, "x") + edit(1, 3, "y"), [(3, "E205")]),
        ("S a b c\n" + edit(0, 3, "x") + edit(1, 1, "y") + edit(2, 3, "z"), [(3, "E205"), (4, "E205")]),
        ("S a b c\n" + edit(0, 2, "x", 0) + edit(1, 3, "y", 1), []),
        ("S a b c\n" + edit(0, 1, "x") + edit(1, 2, "y"), []),
        ("S a b\n" + edit(0, 1, "x") * 2, [(3, "E206")]),
        ("S a b\n" + edit(1, 1, "x") * 2, [(3, "W209")]),
        ("S a b\n" + edit(1, 1, ":") + edit(1, 1, "5") + edit(1, 1, ":"), []),
        ("S a b c\n" + edit(2, 3, "x") + edit(0, 1, "y"), [(3, "W201")]),
        ("S a b\n" + edit(0, 1, "a"), [(2, "W202")]),
        ("S a b\n" + edit(1, 1, "-NONE-"), [(2, "W202")]),
        ("S a b\n\nS c\n" + NOOP, [(1, "W203")]),
        ("S a b\n\nS c\n" + edit(0, 1, "d"), []),
        ("S a\n" + edit(0, 1, "x") + edit(0, 1, "y", 1) + "\nS b\n" + NOOP, [(5, "W204")]),
        ("S a b\n" + NOOP + edit(0, 1, "x"), [(2, "W205")]),
        ("S \n" + NOOP, [(1, "W206")]),
        ("S a\n" + NOOP + "S b\n" + NOOP, [(3, "W207")]),
        ("S a b\n" + edit(0, 1, "x "), [(2, "W208")]),
        ("S a b\n" + edit(0, 1, "x  y"), [(2, "W208")]),
        ("S a b\nA 0  1 |||Vt|||x|||REQUIRED|||-NONE-|||0\n", [(2, "W210")]),
        ("S a b\nA 0 1|||Vt|||x|||REQUIRED|||-NONE-|||0|||y\n", [(2, "W211")]),
        ("S a b\nA 0 1|||Vt|||x|||REQUIRED|||-NONE-|||0 \n", [(2, "W107")]),
        ("S a b\nA 0 1|||Vt|||x|||REQUIRED|||-NONE-||||0\n", [(2, "E202")]),
        ("S a b\nI 17\n" + edit(0, 1, "x"), [(2, "W212")]),
        ("S a b\n \nS c\n", [(2, "E201"), (2, "W107")]),
    ],
)
def test_every_defect_of_edits_is_found_at_its_line(tmp_path, text, expected) -> None:
    assert found(tmp_path, text, "f.m2") == expected


def test_a_malformed_edit_is_told_what_it_lacks(tmp_path) -> None:
    path = tmp_path / "f.m2"
    path.write_text("S a b\nA 0 1|||Vt|||x|||REQUIRED|||0\nA 0 1|||Vt|||x|||REQUIRED|||-NONE-|||zero\n")
    few, wrong = (finding.message for finding in check([path]))
    assert few == "an edit has 6 fields separated by |||, this one 5"
    assert wrong == "an edit begins with two offsets and ends with the annotator's number"


def test_every_code_says_what_it_means() -> None:
    for code in catalog().values():
        assert code.text().startswith(f"{code.code}: {code.title}\n\n{code.meaning[:20]}")
        assert code.meaning.endswith("."), code.code
        assert not re.match(r"(source|output|reference)\b.*:", code.meaning), code.code


def test_the_annotator_of_some_sentences_is_counted(tmp_path) -> None:
    path = tmp_path / "f.m2"
    path.write_text("S a\n" + edit(0, 1, "x") + edit(0, 1, "y", 1) + "\nS b\n" + NOOP + "\nS c\n" + NOOP)
    (finding,) = check([path])
    assert (finding.line, finding.message) == (
        5, "annotator 1 has edits or noops for 1 of 3 annotated sentences; this is the first without"
    )  # fmt: skip


def test_a_file_that_is_repaired_says_how(tmp_path) -> None:
    from errata.corpus.checks.fixes import fix_file

    path = tmp_path / "f.txt"
    path.write_bytes(b"\xef\xbb\xbfa b\n")
    assert fix_file(path, "text", fixable()) == ["removed the byte-order mark (W101)"]
    assert path.read_bytes() == b"a b\n"


def test_a_long_line_is_shown_in_part(tmp_path) -> None:
    path = tmp_path / "f.m2"
    path.write_text("S a\n" + "x" * 50 + "\n")
    (finding,) = check([path])
    assert finding.message == f"neither an S nor an A line: {'x' * 40!r}"
    long = Edit(0, 1, "y" * 90 + "||z", "T")
    with pytest.raises(DataError, match="cannot hold") as caught:
        write_m2(Corpus([Segment("a", (Annotation("a", edits=(long,)),))]), io.StringIO())
    line = "A 0 1|||T|||" + "y" * 90
    assert f": {line[:80]!r}" in str(caught.value)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_no_input_breaks_the_check_or_the_repair(data: bytes) -> None:
    for name in ("f.m2", "f.txt", "f.xml"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(b"S a b\n" + data if name == "f.m2" else data)
            for finding in check([path], hypotheses=[path]):
                assert finding.line >= 1
                assert finding.code in catalog()
                finding.message.encode("utf-8")


# -- files together --------------------------------------------------------------------------------

SENTENCES = [
    "The weather was fine on that day .",
    "My brother has bought a red bicycle .",
    "Nobody knew where they were going .",
    "We ate soup , bread and some cheese .",
    "Her letters arrived late every week .",
    "It is said that the river will rise .",
]
SOURCE = "\n".join(SENTENCES) + "\n"


def test_a_lost_line_is_named(tmp_path) -> None:
    assert compared(tmp_path, SOURCE, "\n".join(SENTENCES[:2] + SENTENCES[3:]) + "\n") == [(3, "E301")]


def test_shifted_lines_are_errors_and_a_single_one_is_a_warning(tmp_path) -> None:
    shifted = [SENTENCES[0], SENTENCES[2], SENTENCES[3], "We ate .", *SENTENCES[4:]]
    assert compared(tmp_path, SOURCE, "\n".join(shifted) + "\n") == [(2, "E302"), (3, "E302")]
    single = [SENTENCES[0], SENTENCES[2], *SENTENCES[2:]]
    assert compared(tmp_path, SOURCE, "\n".join(single) + "\n") == [(2, "W305")]
    (warning,) = check([tmp_path / "source.txt"], hypotheses=[tmp_path / "out.txt"])
    assert warning.message == "hardly resembles source sentence 2 but does resemble 3"


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("He came , and left .", "He came , and left .", []),
        ("He came , and left .", "", [(1, "W110"), (1, "W301")]),
        ("He came , and left .", "He came, and left.", [(1, "W302")]),
        ("He come , and left .", "He came, and left.", [(1, "W302")]),
        ("He came, and left.", "He came , and left .", [(1, "W302")]),
        ("He lived in the U.S .", "He lived in the U.S.", [(1, "W302")]),
        ("He works every day .", "He works everyday .", []),
        ("He came at 5 p.m .", "He came at 5 pm .", []),
        ("the cat 's tail", "the cat &apos;s tail", [(1, "W303")]),
        ("One two three four five .", "uno dos tres cuatro cinco !", [(1, "W304")]),
    ],
)
def test_a_line_is_compared_with_its_source(tmp_path, source, output, expected) -> None:
    assert compared(tmp_path, source + "\n", output + "\n") == expected


def test_the_sources_of_m2_are_compared_too(tmp_path) -> None:
    (tmp_path / "gold.m2").write_text("".join(f"S {sentence}\n{NOOP}\n" for sentence in SENTENCES))
    (tmp_path / "out.txt").write_text("\n".join(SENTENCES[1:]) + "\n")
    assert [f.code for f in check([tmp_path / "gold.m2"], [tmp_path / "out.txt"])] == ["E301"]


def test_the_embedded_sample_has_no_errors() -> None:
    for language in ("en", "cs"):
        folder = sample.folder(language)
        findings = check([folder / "gold.m2"], hypotheses=sorted((folder / "systems").iterdir()))
        assert [finding for finding in findings if finding.is_error] == []


def test_the_known_quirks_of_conll14_are_found(data) -> None:
    folder = data / "conll14"
    findings = check([folder / "test.m2"], hypotheses=sorted((folder / "systems").iterdir()))
    lines: dict[tuple[str, str], list[int]] = {}
    for finding in findings:
        lines.setdefault((Path(finding.path).stem, finding.code), []).append(finding.line)
    assert len(lines["test", "W203"]) == 136
    assert len(lines["test", "W204"]) == 1
    assert ("IITB", "W102") in lines
    assert ("PKU", "W102") in lines
    assert len(lines["INPUT", "W107"]) == len(lines["SJTU", "W107"]) == 1312
    assert lines["POST", "W110"] == lines["POST", "W301"] == [24]
    assert {40, 41, 43} <= set(lines["NTHU", "E302"])
    assert {(name, code) for name, code in lines if code.startswith("E")} == {("NTHU", "E302")}


@pytest.mark.slow
def test_the_published_gold_files_have_no_errors(data) -> None:
    for path in [*sorted(data.glob("geccc/*/*.m2")), data / "errant_czech" / "out.m2"]:
        assert [f for f in check([path]) if f.is_error] == [], path


# -- repairs ---------------------------------------------------------------------------------------


def test_repairs_do_what_they_say_and_are_finished(tmp_path) -> None:
    text = "\ufeffS a b \r\n\r\nS c\r\n" + NOOP + "S d e f\n" + edit(2, 3, "x") + edit(0, 1, "y").rstrip()
    codes = fixable() | {"W207"}
    fixed, done = fix_text(text, "m2", codes)
    assert fixed == f"S a b\n{NOOP}\nS c\n{NOOP}\nS d e f\n{edit(2, 3, 'x')}{edit(0, 1, 'y')}"
    assert len(done) == 6
    assert fix_text(fixed, "m2", codes) == (fixed, [])
    (tmp_path / "f.m2").write_text(fixed)
    assert {f.code for f in check([tmp_path / "f.m2"])} & codes == set()
    ordered, _ = fix_text(fixed, "m2", {"W201"})
    assert ordered.endswith(edit(0, 1, "y") + edit(2, 3, "x"))


def test_what_can_change_scores_is_repaired_by_name_only() -> None:
    assert not {"W105", "W108", "W201", "W207"} & fixable()
    assert fixable({"W105", "W201", "E205"}) == {"W105", "W201"}
    assert fix_text("e\u0301  x\n", "text", {"W105", "W108"})[0] == "é x\n"


@given(st.text(alphabet=list("aé\u0301 \t\r\n\ufeff"), max_size=60))
def test_repairs_leave_tokens_as_they_are_and_find_nothing_more_to_do(text: str) -> None:
    fixed, _ = fix_text(text, "text", fixable())
    assert fixed.split() == text.lstrip("\ufeff").split()
    assert fix_text(fixed, "text", fixable())[0] == fixed


M2_LINES = [
    "S a b c", "S a b c ", "S", "S ", "", "\r", "junk", " S a", NOOP.strip(),
    edit(0, 1, "x").strip(), edit(2, 3, "x").strip() + "\r", edit(1, 1, "y", 1).strip(),
]  # fmt: skip


@given(st.lists(st.sampled_from(M2_LINES), max_size=9), st.booleans())
def test_repairing_m2_twice_is_repairing_it_once(lines: list[str], closed: bool) -> None:
    codes = fixable() | {"W201", "W207"}
    fixed, _ = fix_text("\n".join(lines) + "\n" * closed, "m2", codes)
    assert fix_text(fixed, "m2", codes) == (fixed, [])


def test_a_repaired_corpus_reads_as_before(data, tmp_path) -> None:
    path = data / "conll14" / "test.m2"
    fixed, done = fix_text(path.read_text(), "m2", fixable())
    assert done == ["added 136 noops of annotator 0 (W203)"]
    (tmp_path / "fixed.m2").write_text(fixed)
    before, after = read_m2(path), read_m2(tmp_path / "fixed.m2")
    assert before.annotators == after.annotators
    for a, b in zip(before, after, strict=True):
        assert a.source == b.source
        assert [(x.annotator, x.edits) for x in a.annotations] == [
            (x.annotator, x.edits) for x in b.annotations
        ]


# -- the command -----------------------------------------------------------------------------------


def test_the_command_groups_findings_and_exits_by_severity(run, tmp_path) -> None:
    (tmp_path / "f.txt").write_text("one \ntwo \nthree \n")
    done = run("corpus", "check", "f.txt")
    assert done.returncode == 0
    assert re.search(r"f\.txt:1\s+W107\s+3\s+spaces at the end of the line \(also 2, 3\)", done.stdout)
    assert "0 errors, 3 warnings in 1 file" in done.stdout
    assert run("corpus", "check", "--strict", "f.txt").returncode == 1
    assert run("corpus", "check", "--strict", "--ignore", "W1", "f.txt").returncode == 0
    assert run("corpus", "check", "none.txt").returncode == 1
    assert run("corpus", "check", "--select", "X9", "f.txt").returncode == 2
    assert run("corpus", "check", "f.txt", "f.txt", "--hyp", "f.txt").returncode == 2


def test_the_command_gives_every_finding_as_json(run, tmp_path) -> None:
    (tmp_path / "f.m2").write_text("S a b\n" + edit(1, 5, "x"))
    done = run("corpus", "check", "f.m2", "--format", "json")
    assert done.returncode == 1
    record = json.loads(done.stdout)
    assert record["errors"] == 1
    assert record["rows"] == [
        {"file": "f.m2", "line": 2, "code": "E204", "message": "the edit 1 5 leaves its sentence of 2 tokens"}
    ]


def test_the_command_repairs_in_place_or_into_another_file(run, tmp_path) -> None:
    (tmp_path / "f.txt").write_bytes(b"\xef\xbb\xbfone \r\ntwo")
    done = run("corpus", "check", "--fix", "f.txt", "--output", "g.txt")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "g.txt").read_bytes() == b"one\ntwo\n"
    assert (tmp_path / "f.txt").read_bytes() == b"\xef\xbb\xbfone \r\ntwo"
    done = run("corpus", "check", "--fix", "--select", "W102", "f.txt")
    assert "converted 1 line from CR LF to LF (W102)" in done.stderr
    assert (tmp_path / "f.txt").read_bytes() == b"\xef\xbb\xbfone \ntwo"
    assert run("corpus", "check", "--fix", "-", input="a \n").returncode == 2
    missing = run("corpus", "check", "--fix", "missing.m2")
    assert missing.returncode == 1
    assert "missing.m2: cannot read it" in missing.stderr


def test_what_is_not_utf8_is_not_repaired(run, tmp_path) -> None:
    (tmp_path / "f.txt").write_bytes(b"caf\xe9 \n")
    done = run("corpus", "check", "--fix", "f.txt")
    assert done.returncode == 1
    assert "f.txt:1: not UTF-8" in done.stderr
    assert (tmp_path / "f.txt").read_bytes() == b"caf\xe9 \n"


def test_every_code_is_explained(run) -> None:
    for code in catalog():
        assert explanation(code.lower()).startswith(f"{code}: ")
    with pytest.raises(ErrataError, match="no check"):
        explanation("W999")
    done = run("explain", "W201")
    assert done.returncode == 0
    assert "Remedy:" in done.stdout
    assert run("explain", "nix").returncode == 2


def test_the_guide_lists_exactly_the_codes_with_their_titles(monkeypatch) -> None:
    monkeypatch.syspath_prepend(DOCS.parents[1] / "tools" / "docs")
    from generated import with_tables

    page = with_tables(DOCS.read_text("utf-8"), DOCS.parent)
    rows = dict(re.findall(r"^\| ([EW]\d{3}) \| ([^|]+?) \|", page, re.MULTILINE))
    assert rows == {code.code: code.title for code in catalog().values()}


def test_findings_sort_by_file_and_line() -> None:
    assert (
        sorted([Finding("b", 1, "W107", ""), Finding("a", 9, "E101", ""), Finding("a", 2, "W1", "")])[0].line
        == 2
    )


def test_unreadable_input_is_an_error_of_the_repair(tmp_path) -> None:
    from errata.corpus.checks.fixes import fix_file

    with pytest.raises(DataError):
        fix_file(tmp_path / "none", "text", fixable())


def test_the_catalog_is_well_formed() -> None:
    for code, kind in catalog().items():
        assert re.fullmatch(r"[EW]\d{3}", code)
        assert kind.code == code
        assert kind.is_error == (code[0] == "E")
        assert kind.fix in ("", "safe", "on request")
        assert len(kind.title) < len(kind.meaning)
        assert kind.example == kind.example.strip("\n") != ""
        assert kind.remedy


def test_empty_lines_at_the_end_are_not_called_misaligned() -> None:
    (finding,) = check_alignment(["a b", "c d"], ["a b", "c d", "", ""], "out.txt", "source.txt")
    assert (finding.code, finding.line) == ("E301", 3)
    assert finding.message.endswith("the last are empty")

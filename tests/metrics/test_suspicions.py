"""Warnings of texts that would get wrong scores: what is found, and that published outputs are left alone."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import errata
from errata import sample
from errata.corpus.checks import Finding, catalog, check, copies, suspicions, untokenised
from errata.corpus.files import read_lines
from errata.corpus.formats import read_corpus
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.suspicions import warn_about
from errata.text.tokenizers import tokenizer

Lines = Sequence[str]
Pair = tuple[str, Lines, list[str]]


def codes(findings: Sequence[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def sample_pairs() -> Iterator[Pair]:
    for name in sample.LANGUAGES:
        given = sample.load(name)
        for system, lines in given.outputs.items():
            yield f"{name} {system}", given.corpus.sources, list(lines)


def published_pairs(data: Path) -> Iterator[Pair]:
    """Every published output and reference, with its source."""

    def against(source: Lines, files: Iterator[Path]) -> Iterator[Pair]:
        for path in sorted(files):
            yield f"{path.parent.parent.name}/{path.name}", source, read_lines(path)

    conll = read_corpus(data / "conll14" / "test.m2").sources
    yield from against(conll, (data / "conll14" / "systems").iterdir())
    yield from against(conll, (data / "conll14" / "refs").iterdir())
    yield from against(conll, (data / "reassess").glob("*_*[AB].txt"))
    for part in ("systems", "refs"):
        yield from against(read_lines(data / "seeda" / "source.txt"), (data / "seeda" / part).iterdir())
    geccc = read_corpus(data / "geccc" / "test" / "sentence.m2").sources
    yield from against(geccc, (data / "geccc" / "systems").iterdir())
    yield from against(
        read_lines(data / "jfleg" / "test" / "test.src"), (data / "jfleg" / "test").glob("test.ref*")
    )
    gmeg = data / "gmeg" / "fce_test"
    yield from against(read_lines(gmeg / "source.txt"), gmeg.glob("*.txt"))


# -- no false alarms -------------------------------------------------------------------------------


def test_the_embedded_sample_is_not_suspicious() -> None:
    for name, sources, lines in sample_pairs():
        assert suspicions(sources, lines, name) == [], name
    for name in sample.LANGUAGES:
        given = sample.load(name)
        assert warn_about(given.corpus, given.outputs, [errata.M2(), errata.ERRANT(language=name)]) == []


def test_published_outputs_are_not_suspicious(data) -> None:
    pairs = list(published_pairs(data))
    assert len(pairs) > 50
    for name, sources, lines in pairs:
        assert suspicions(sources, lines, name) == [], name


@pytest.mark.slow
def test_published_references_of_geccc_are_not_suspicious(data) -> None:
    for path in sorted(data.glob("geccc/*/*.m2")):
        corpus = read_corpus(path)
        for annotator in corpus.annotators[:2]:
            texts = [
                text or source
                for text, source in zip(corpus.references(annotator), corpus.sources, strict=True)
            ]
            assert suspicions(corpus.sources, texts, path.name) == []
        assert list(untokenised(corpus.sources, path.name)) == []


def test_an_unchanged_output_and_tiny_or_empty_corpora_are_not_suspicious() -> None:
    sources = sample.load().corpus.sources
    assert suspicions(sources, sources) == []
    assert suspicions([], []) == []
    assert suspicions(["A cat ."], ["a dog"]) == []
    assert suspicions(["", "", ""], ["", "", ""]) == []
    with pytest.raises(DataError, match="1 line for 2 source sentences"):
        suspicions(["a", "b"], ["a"])


# -- true alarms -----------------------------------------------------------------------------------

PENN, MOSES = tokenizer("penn"), tokenizer("moses")


def shuffled(lines: list[str]) -> list[str]:
    lines = list(lines)
    random.Random(1).shuffle(lines)
    return lines


DAMAGE: dict[str, tuple[str, Callable[[list[str]], list[str]]]] = {
    "detokenised by Penn": ("E303", lambda h: [PENN.detokenize(line.split()) for line in h]),
    "detokenised by Moses": ("E303", lambda h: [MOSES.detokenize(line.split()) for line in h]),
    "half detokenised": (
        "E303",
        lambda h: [MOSES.detokenize(line.split()) if i % 2 else line for i, line in enumerate(h)],
    ),
    "shuffled": ("E305", shuffled),
    "reversed": ("E305", lambda h: h[::-1]),
    "sorted": ("E305", sorted),
    "swapped in pairs": ("E305", lambda h: [h[i ^ 1] if i ^ 1 < len(h) else h[i] for i in range(len(h))]),
    "lower-cased": ("E306", lambda h: [line.lower() for line in h]),
    "truecased": ("E306", lambda h: [line[:1].lower() + line[1:] for line in h]),
    "in capitals": ("E306", lambda h: [line.upper() for line in h]),
    "in two columns": ("E310", lambda h: [f"{line}\t{line}" for line in h]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_to_the_whole_file_is_found_in_the_sample(damage: str) -> None:
    code, change = DAMAGE[damage]
    for name, sources, lines in sample_pairs():
        assert code in codes(suspicions(sources, change(lines), name)), name


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_to_the_whole_file_is_found_in_published_outputs(damage: str, data) -> None:
    code, change = DAMAGE[damage]
    sources = read_corpus(data / "conll14" / "test.m2").sources
    for system in ("AMU", "CAMB", "INPUT", "NTHU"):
        lines = read_lines(data / "conll14" / "systems" / f"{system}.txt")
        assert codes(suspicions(sources, change(lines), system)) == [code]


@pytest.mark.parametrize("place", [0, 20, 33])
@pytest.mark.parametrize("count", [1, 3])
def test_a_shift_names_the_line_where_it_begins(place: int, count: int) -> None:
    given = sample.load("en")
    for lines in map(list, given.outputs.values()):
        lost = lines[:place] + lines[place + count :] + [lines[-1]] * count
        (found,) = [f for f in suspicions(given.corpus.sources, lost) if f.code == "E304"]
        assert found.line == place + 1
        assert f"just before line {place + 1}" in found.remedy
        assert "missing" in found.remedy
        doubled = lines[: place + 1] + [lines[place]] * count + lines[place + 1 : len(lines) - count]
        (found,) = [f for f in suspicions(given.corpus.sources, doubled) if f.code == "E304"]
        assert place + 2 <= found.line <= place + 1 + count
        assert "too many" in found.remedy


def test_a_shift_is_found_in_large_files_and_between_two_lines(data) -> None:
    sources = read_corpus(data / "geccc" / "test" / "sentence.m2").sources
    lines = read_lines(data / "geccc" / "systems" / "synthetic.txt")
    lost = lines[:3001] + lines[3002:] + [""]
    assert [(f.code, f.line) for f in suspicions(sources, lost)] == [("E304", 3002)]
    back = lines[:3001] + lines[3002:4000] + [lines[4000]] + lines[4000:]
    (found,) = suspicions(sources, back)
    assert (found.code, found.line) == ("E304", 3002)
    assert "lines 3002 to 4000 are shifted by 1 line" in found.message


def test_the_time_is_bounded_for_many_lines(data) -> None:
    """The sources and lines that are looked at are counted; their number does not grow with the corpus."""

    class Counted(list[str]):
        looks = 0

        def __getitem__(self, index):
            self.looks += 1
            return super().__getitem__(index)

    sources = read_corpus(data / "geccc" / "test" / "sentence.m2").sources
    for change in (list, shuffled):
        counts = []
        for times in (10, 40):
            ours = Counted(f"{i} {source}" for i in range(times) for source in sources)
            theirs = Counted(change(list(ours)))
            suspicions(ours, theirs)
            counts.append(ours.looks + theirs.looks)
        assert counts[1] < 1.5 * counts[0]
        assert counts[1] < 120_000


def test_filled_up_and_unrelated_outputs_are_found() -> None:
    given = sample.load("en")
    sources, lines = given.corpus.sources, list(given.outputs["neural"])
    (empty,) = suspicions(sources, lines[:50] + [""] * 10)
    assert (empty.code, empty.line) == ("E307", 51)
    assert "an empty line" in empty.message
    refused = suspicions(sources, [*lines[:50], *["I am sorry , but I cannot help with that ."] * 10])
    assert codes(refused) == ["E307"]
    many = [f"{source} {number}" for number in range(10) for source in sources]  # 600: 4 are below 1 %
    assert suspicions(many, [*many[:-4], *["I am sorry ."] * 4]) == []
    assert codes(suspicions(many, [*many[:-6], *["I am sorry ."] * 6])) == ["E307"]
    czech = sample.load("cs").corpus.sources
    (foreign,) = suspicions(sources, czech * 3, first=1001)
    assert (foreign.code, 1001 <= (foreign.line or 0) <= 1060) == ("E308", True)


def test_texts_without_blanks_between_words_are_told_from_tokens() -> None:
    text = "今天天气非常好，我们决定一起去公园散步。他昨天买了一本新书，可是还没有开始看。"
    plain, tokens = [text] * 10, [" ".join(text)] * 10
    assert codes(list(untokenised(plain, "x"))) == ["W306"]
    assert codes(list(untokenised(tokens, "x"))) == []
    assert codes(suspicions(tokens, plain)) == ["E303"]
    assert codes(suspicions(plain, tokens)) == ["E303"]


@pytest.mark.parametrize(("lines", "respaced", "is_found"), [(10, 6, True), (10, 5, False), (9, 9, False)])
def test_other_blanks_are_reported_from_ten_lines_of_which_more_than_half_have_them(
    lines: int, respaced: int, is_found: bool
) -> None:
    sources = [f"we saw the old house number {i} there" for i in range(lines)]
    output = [line.replace("old house", "oldhou se") for line in sources[:respaced]] + sources[respaced:]
    found = [finding for finding in suspicions(sources, output) if finding.code == "E303"]
    assert [finding.line for finding in found] == [1] * is_found
    assert all(f"of {lines} lines" in f.message and f"{respaced} have other" in f.message for f in found)


def test_lost_case_is_reported_where_it_begins() -> None:
    given = sample.load("en")
    sources, lines = given.corpus.sources, list(given.outputs["neural"])
    (found,) = suspicions(sources, [*lines[:2], *(line.lower() for line in lines[2:])])
    assert (found.code, found.line) == ("E306", 3)


@pytest.mark.parametrize(("lost", "expected"), [(10, []), (11, ["E306"])])
def test_more_than_half_of_the_capitals_must_be_lost(lost: int, expected: list[str]) -> None:
    sources = [f"Sentence {'abcdefghijklmnopqrst'[i]} has these words ." for i in range(20)]
    lines = [source.lower() if i < lost else source for i, source in enumerate(sources)]
    assert codes(suspicions(sources, lines)) == expected


def test_a_copy_of_a_reference_is_noted() -> None:
    corpus = sample.load("en").corpus
    references = {"A": corpus.references(0), "B": corpus.references(1)}
    assert codes(list(copies(corpus.sources, corpus.references(0), references))) == ["W307"]
    assert list(copies(corpus.sources, corpus.sources, references)) == []
    (found,) = warn_about(corpus, {"leak": corpus.references(1)}, [errata.M2()])
    assert (found.code, found.line) == ("W307", 1)
    assert "reference 1" in found.message


# -- languages -------------------------------------------------------------------------------------


def test_english_rules_on_czech_text_are_a_finding_of_the_metric() -> None:
    given = sample.load("cs")
    (found,) = warn_about(given.corpus, given.outputs, [errata.ERRANT(), errata.M2()])
    assert found.code == "E309"
    assert found.remedy.endswith("errant:language=cs")
    (found,) = warn_about(sample.load("en").corpus, sample.load("en").outputs, [errata.ERRANT(language="cs")])
    assert found.remedy.endswith("errant:language=en")


# -- what metrics and references have to do with it ------------------------------------------------


def test_untokenised_sources_matter_to_metrics_of_tokens_alone() -> None:
    given = sample.load("en")
    sources = [PENN.detokenize(source.split()) for source in given.corpus.sources]
    lines = [PENN.detokenize(line.split()) for line in given.outputs["neural"]]
    references = [PENN.detokenize((text or "").split()) for text in given.corpus.references(0)]
    corpus = Corpus.from_lists(sources, [[text] for text in references])
    for name in ("gleu", "perplexity", "fluency"):
        assert codes(warn_about(corpus, {"neural": lines}, [metric(name)])) == ["W306"]
    assert warn_about(corpus, {"neural": lines}, [metric("chrf"), metric("cer")]) == []


def test_references_given_as_texts_are_checked_too() -> None:
    given = sample.load("en")
    sources = given.corpus.sources
    detokenised = [PENN.detokenize((text or "").split()) for text in given.corpus.references(0)]
    corpus = Corpus.from_lists(sources, [[text] for text in detokenised])
    (found,) = warn_about(corpus, {"input": sources}, [metric("gleu")])
    assert (found.path, found.code) == ("reference 0", "E303")


def test_lines_of_a_chunk_are_numbered_as_in_the_whole() -> None:
    given = sample.load("en")
    corpus = given.corpus[:]
    corpus.first = 1001
    lines = list(given.outputs["neural"])
    (found,) = warn_about(corpus, {"x": [*lines[:20], *lines[21:], lines[-1]]}, [errata.M2()])
    assert (found.code, found.line) == ("E304", 1021)


def test_edits_that_make_no_text_do_not_stop_the_check() -> None:
    edits = [Edit(0, 2, "x"), Edit(1, 3, "y")]
    corpus = Corpus.from_lists(["a b c d ."], [[edits]])
    (finding,) = warn_about(corpus, {"x": ["a b c d ."]}, [errata.M2()])
    assert finding.code == "E205"
    assert finding.message == "in 1 sentence, an edit overlaps another edit of the same annotator"


# -- the command line ------------------------------------------------------------------------------


@pytest.fixture
def detokenised(tmp_path: Path) -> Path:
    lines = sample.load("en").outputs["neural"]
    path = tmp_path / "detok.txt"
    path.write_text("".join(PENN.detokenize(line.split()) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("verb", ["score", "compare", "report"])
def test_verbs_that_score_warn_and_stop_if_strict(run, detokenised, tmp_path, verb) -> None:
    folder = sample.folder("en")
    extra = ("-o", "page.html") if verb == "report" else ()
    command = (
        verb, "--m2", folder / "gold.m2", "--hyp", detokenised, folder / "systems" / "rules.txt",
        "--metric", "m2", "--quiet", *extra,
    )  # fmt: skip
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert "warning: detok" in done.stderr
    assert "(E303)" in done.stderr
    assert f"fix: {catalog()['E303'].remedy}" in done.stderr
    assert "rules" not in done.stderr
    (tmp_path / "page.html").unlink(missing_ok=True)
    done = run(*command, "--strict")
    assert done.returncode == 1
    assert "stopped because of a warning" in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "page.html").exists()


def test_unsuspicious_texts_get_no_warning(run) -> None:
    folder = sample.folder("en")
    done = run(
        "score",
        "--m2",
        folder / "gold.m2",
        "--hyp",
        folder / "systems" / "rules.txt",
        "--metric",
        "m2",
        "--strict",
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_wrong_language_is_named_on_the_command_line(run) -> None:
    folder = sample.folder("cs")
    command = ("score", "--m2", folder / "gold.m2", "--hyp", folder / "systems" / "rules.txt", "--metric")
    done = run(*command, "errant:tagger=embedded")
    assert done.returncode == 0
    assert "the text seems to be Czech" in done.stderr
    assert "errant:language=cs" in done.stderr
    done = run(*command, "errant:language=cz")
    assert done.returncode == 1
    assert "did you mean cs?" in done.stderr


def test_corpus_check_has_codes_for_whole_files(run, detokenised) -> None:
    gold = sample.folder("en") / "gold.m2"
    done = run("corpus", "check", gold, "--hyp", detokenised, "--select", "E3")
    assert done.returncode == 1
    assert "E303" in done.stdout
    assert codes(check([gold], hypotheses=[sample.folder("en") / "systems" / "rules.txt"])).count("E303") == 0


def test_the_python_interface_prints_nothing(detokenised) -> None:
    program = (
        "import sys, errata; from errata import sample; from errata.corpus.files import read_lines\n"
        "errata.M2().score(sample.load('en').corpus, read_lines(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", program, detokenised], capture_output=True, check=True)
    assert done.stdout == done.stderr == b""


# -- what is not text ------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, b"a cat", 3, float("nan")])
def test_what_is_not_text_is_refused_with_its_index(wrong) -> None:
    corpus = Corpus.from_lists(["a", "b"], [["x"], ["y"]])
    m2 = errata.M2()
    for what, call in {
        "sources": lambda: Corpus.from_lists(["a", wrong]),
        "references": lambda: Corpus.from_lists(["a", "b"], [["x"], wrong]),
        "hypotheses": lambda: m2.score(corpus, ["a", wrong]),
        "the candidates of source 2": lambda: m2.score_batch(
            ["a", "b"], [["x"], ["y", wrong]], [["x"], ["y"]]
        ),
    }.items():
        with pytest.raises(DataError, match=f"{what}: entry 1, counted from 0, is "):
            call()
    if wrong is not None:  # None is a missing reference
        with pytest.raises(DataError, match="reference 1 of source 2 is "):
            Corpus.from_lists(["a", "b"], [["x"], ["y", wrong]])

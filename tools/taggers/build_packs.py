"""Build language packs: a tagger, its word list and its card, as a package.

python tools/taggers/build_packs.py --data DATA de sv       # packages/errata-gec-lang-de and -sv
python tools/taggers/build_packs.py --data DATA             # all of packs.toml

packs.toml says which treebanks a pack is trained on and tested on. `--packs` names another file of this kind.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

import numpy as np
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from training import Sentence, Token, Words, jackknife, learn, lemma_rules, numbered, treebank

from errata.edits.taggers.embedded import EmbeddedTagger
from errata.edits.taggers.lexicon import LOWER, WHOLE, Entry, LemmaRules, Lexicon, Script
from errata.edits.taggers.models import GROUP, Model, pack
from errata.edits.universal import without_diacritics
from errata.text.languages import CODES
from errata.toml import field_values, read_toml

HERE = Path(__file__).parent
VERSION = "1.0.0"  # of the packs; a pack with another model needs another version
PARTS = ("dictionary", "frequencies", "features", "runs")  # what the ablation leaves out
GRAMMAR = {  # the features that are learnt
    "Aspect", "Case", "Definite", "Degree", "Gender", "Mood", "Number", "Number[psor]", "Person",
    "Person[psor]", "Tense", "VerbForm", "Voice",
}  # fmt: skip
UNKNOWN = "?"
MOST_LABELS = 250  # of features; the rarest are not learnt
MOST_WORDS = 120_000
FREQUENT = 3e-7  # in wordfreq, for a word that no dictionary has
DOUBTFUL = 10  # so many times more frequent is a word it may be mistaken for: it is a misspelling
EPOCHS = {"upos": 8, "feats": 5}
LEAST_SEEN = 5  # words of a signature that tell which parts of speech it has
OPEN_CLASSES = ("ADJ", "ADV", "NOUN", "PROPN", "VERB")
LEAST = {"upos": 5, "feats": 11}  # smallest weights that are kept, of 63
BITS = {"upos": 20, "feats": 18}
RUNS = {"upos": 3, "feats": 1}
LONGEST_CUT = 6  # letters; what differs more is no rule


@dataclass(frozen=True)
class Pack:
    """An entry of packs.toml."""

    code: str
    name: str
    train: tuple[str, ...]
    test: str
    licence: str
    features: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    dictionary: str | None = None
    frequencies: str | None = None
    rules: str = ""

    def __post_init__(self) -> None:
        if unknown := {self.code, *self.codes} - CODES:
            raise SystemExit(f"no language has the code {min(unknown)!r}")
        try:
            canonicalize_license_expression(self.licence)
        except InvalidLicenseExpression:
            raise SystemExit(f"{self.licence!r} is no SPDX expression such as CC-BY-SA-4.0") from None
        if self.test in self.train:
            raise SystemExit(f"{self.test} is trained on")


def grammatical(sentences: list[Sentence]) -> list[Sentence]:
    """The sentences with grammatical features alone: `Case=Nom|Number=Sing`."""

    def reduced(feats: str) -> str:
        return "|".join(pair for pair in feats.split("|") if pair.partition("=")[0] in GRAMMAR)

    def plain(token: Token) -> Token:
        lemma = token.form if token.upos == "PUNCT" else token.lemma  # some treebanks have [PUNCT]
        return token._replace(feats=reduced(token.feats), lemma=lemma)

    return [[*map(plain, sentence)] for sentence in sentences]


def training_sentences(pack: Pack, data: Path) -> list[Sentence]:
    """The sentences of the treebanks; features that are not to be learnt are UNKNOWN."""
    sentences: list[Sentence] = []
    for name in pack.train:
        part = grammatical(treebank(data / f"{name}.conllu.xz", surface=True))
        if pack.features and name not in pack.features:
            part = [[token._replace(feats=UNKNOWN) for token in sentence] for sentence in part]
        sentences += part
    return sentences


def dictionary(pack: Pack, without: Collection[str]) -> dict[str, str]:
    """Forms and their lemmas, from simplemma."""
    code = pack.code if pack.dictionary is None else pack.dictionary
    if not code or "dictionary" in without:
        return {}
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    found = DefaultDictionaryFactory().get_dictionary(code)
    return {_text(form): _text(lemma) for form, lemma in found.items()}


def _text(word: str | bytes) -> str:
    return word.decode() if isinstance(word, bytes) else word


def frequencies(pack: Pack, without: Collection[str]) -> dict[str, float]:
    """Words and their frequencies, from wordfreq."""
    code = pack.code if pack.frequencies is None else pack.frequencies
    if not code or "frequencies" in without:
        return {}
    import wordfreq

    return wordfreq.get_frequency_dict(code, "best")


def build_lexicon(
    sentences: list[Sentence], lemmas: dict[str, str], frequency: dict[str, float], most: int = MOST_WORDS
) -> Lexicon:
    """Right words, each with its usual parts of speech, as far as its lemma tells, and how the lemma ends.

    Right are the words of the treebank, of the dictionary if they are attested, and frequent words unless a
    similar one is far more frequent. Words of the dictionary whose lemma is frequent fill up the list; short
    ones first.
    """
    gold = {token.form.lower() for sentence in sentences for token in sentence}
    known_lemmas = Counter(token.lemma.lower() for sentence in sentences for token in sentence)
    by_form: dict[str, str] = {}
    for form, lemma in lemmas.items():  # a lower-cased form goes before a name
        if form.lower() not in by_form or form == form.lower():
            by_form[form.lower()] = lemma
    most_frequent: dict[str, float] = defaultdict(float)
    for word, value in frequency.items():
        bare = without_diacritics(word)
        most_frequent[bare] = max(most_frequent[bare], value)

    def rank(word: str) -> float:
        """How early the word comes into the list; 0 for a word that is not right."""
        value = frequency.get(word, 0.0)
        if word in gold:
            return 1 + value
        if word in by_form:
            lemma = by_form[word].lower()
            return value or 1e-9 * (1 + known_lemmas[lemma]) / len(word) + 1e-3 * frequency.get(lemma, 0.0)
        doubtful = most_frequent[without_diacritics(word)] > DOUBTFUL * value
        return value if value >= FREQUENT and not doubtful else 0.0

    ranks = {word: rank(word) for word in (*by_form, *frequency, *gold) if word.isalpha()}
    chosen = sorted((word for word in ranks if ranks[word]), key=lambda word: (-ranks[word], word))[:most]
    classes = usual_classes(sentences, by_form)
    entries: dict[str, Entry] = {}
    for word in chosen:
        usual, ending = "", ""
        if word in by_form:
            signature = _signature(word, by_form[word])
            usual, ending = classes.get(signature) or classes.get(signature[1:], ""), signature[1]
        entries[word] = usual, ending, LOWER
    return Lexicon(entries)


def _signature(word: str, lemma: str) -> tuple[str, str]:
    """How a word becomes its lemma, and how the lemma ends."""
    proper = "P" if lemma != lemma.lower() else ""
    return str(Script.between(word, lemma, False)), proper + lemma[-2:]


def usual_classes(sentences: list[Sentence], by_form: dict[str, str]) -> dict[tuple[str, ...], str]:
    """The parts of speech that words with this signature have in the treebank, or just its second half."""
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for token in (token for sentence in sentences for token in sentence):
        lower = token.form.lower()
        if lower in by_form:
            signature = _signature(lower, by_form[lower])
            counts[signature][token.upos] += 1
            counts[signature[1:]][token.upos] += 1
    return {
        key: "|".join(sorted(upos for upos, count in seen.items() if count >= 0.1 * seen.total()))
        for key, seen in counts.items()
        if seen.total() >= LEAST_SEEN
    }


def learn_lemmas(sentences: list[Sentence], lemmas: dict[str, str], lexicon: Lexicon) -> LemmaRules:
    """Rules of endings for every part of speech, and the dictionary's lemmas of words that they get wrong.

    The latter are words that the treebank lacks, whose lemma follows by no rule for an open class.
    """
    counts: Counter[tuple[str, str, Script]] = Counter()
    for token in (token for sentence in sentences for token in sentence):
        script = Script.between(token.form, token.lemma, token.lemma != token.lemma.lower())
        if script.cut <= LONGEST_CUT:
            counts[token.upos, token.form.lower(), script] += 1
    rules = lemma_rules(counts)
    gold = {form for _, form, _ in counts}
    exceptions: dict[str, Script] = {}
    for form, lemma in lemmas.items():
        lower = form.lower()
        if lower not in lexicon.entries or lower in gold or " " in lemma:
            continue
        if lemma not in (rules.lemma(form, upos) for upos in OPEN_CLASSES):
            exceptions[f" {WHOLE}{lower}"] = Script.between(form, lemma, lemma != lemma.lower())
    return LemmaRules(rules.rules | exceptions, rules.longest)


def train(sentences: list[Sentence], lexicon: Lexicon, rules: LemmaRules, without: Collection[str]) -> Model:
    """A layer for parts of speech, and one for grammatical features that sees the parts of speech."""
    words = Words([[t.form for t in sentence] for sentence in sentences], lexicon)
    runs = dict.fromkeys(RUNS, 1) if "runs" in without else RUNS
    upos, upos_gold = numbered([t.upos for sentence in sentences for t in sentence])
    layers = {
        "upos": learn(words, upos_gold, upos, epochs=EPOCHS["upos"], least=LEAST["upos"], runs=runs["upos"])
    }
    if "features" not in without:
        guessed = jackknife(words, upos_gold, upos, folds=4, epochs=5)
        column = [t.feats for sentence in sentences for t in sentence]
        counts = Counter(feats for feats in column if feats != UNKNOWN)
        labels = sorted(label for label, _ in counts.most_common(MOST_LABELS))
        layers["feats"] = learn(
            words, numbered(column, labels)[1], labels, given=guessed, over="upos", bits=BITS["feats"],
            epochs=EPOCHS["feats"], least=LEAST["feats"], runs=runs["feats"],
        )  # fmt: skip
    return Model(layers, lexicon, rules, {})


def measure(model: Path, sentences: list[Sentence]) -> dict[str, float]:
    """Percentages of words whose part of speech, features and lemma are right; sentences per CPU second."""
    forms = [[token.form for token in sentence] for sentence in sentences]
    tagger = EmbeddedTagger(str(model))
    began = time.process_time()
    tagged = tagger.tag(forms)
    seconds = time.process_time() - began
    right = [
        (upos == token.upos, feats == token.feats, lemma.lower() == token.lemma.lower())
        for found, sentence in zip(tagged, sentences, strict=True)
        for upos, feats, lemma, token in zip(found.upos, found.tags, found.lemmas, sentence, strict=True)
    ]
    upos, feats, lemma = (round(100 * share, 1) for share in np.mean(right, axis=0).tolist())
    speed = int(float(f"{len(forms) / seconds:.1g}"))
    return {"tested": len(right), "upos": upos, "feats": feats, "lemma": lemma, "speed": speed}


PROJECT = Template("""\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "errata-gec-lang-$code"
version = "$version"
description = "$name for errata: a tagger and a word list"
readme = "README.md"
license = "$licence"
license-files = []
requires-python = ">=3.10"
dependencies = ["errata-gec"]

[project.entry-points."$group"]
$entries

[tool.setuptools.packages.find]
where = ["src"]

[tool.setuptools.package-data]
$module = ["tagger.model"]
""")
CARD = Template("""\
# errata-gec-lang-$code: $name for errata

A tagger (lemma, universal part of speech, grammatical features) and a word list, used by
errata for ERRANT's edits and types.

    pip install errata-gec-lang-$code
    errata edits extract --language $code -s source.txt -r corrected.txt -o edits.m2
    errata score --metric errant --language $code -s source.txt -r corrected.txt --hyp output.txt

| | |
|---|---|
| licence | $licence: that of the treebanks, which holds for the model |
| trained on | $train: $tokens tokens of Universal Dependencies |
| never trained on | $test: $tested tokens |
| parts of speech there | $upos % right |
| grammatical features there | $feats % of the words have all of them right |
| lemmas there | $lemma % right, without regard to case |
| word list | $words words |
| model | $size bytes, SHA-256 `$digest` |

$sources

- **Method**: an averaged perceptron over spellings, neighbours and the classes of the word list, with a layer
  for parts of speech and one for all features together; lemmas come from endings, and from simplemma for
  words that the treebanks lack. Seeds are fixed: the same data give the same file.
- **Tokens** are those of text: a contraction (UD's multiword token) is one, with the analysis of its first
  content word.
- **Limits**: treebanks are edited text of few kinds; learners' errors lower all figures.
- **Made by** `python tools/taggers/build_packs.py --data DATA $code`.
""")
WORD_SOURCES = {
    "dictionary": "simplemma 2.0 (MIT; its sources: Wiktionary, lists of M. Měchura under the ODbL 1.0)",
    "frequencies": "wordfreq 3.1 (CC BY-SA 4.0)",
}


def write(pack_: Pack, data: Path, out: Path) -> dict[str, object]:
    """Train a pack and write its package; returns what its card says."""
    sentences = training_sentences(pack_, data)
    lemmas, frequency = dictionary(pack_, ()), frequencies(pack_, ())
    used = [WORD_SOURCES["dictionary"]] * bool(lemmas) + [WORD_SOURCES["frequencies"]] * bool(frequency)
    lexicon = build_lexicon(sentences, lemmas, frequency) if used else Lexicon({})
    packed = pack(train(sentences, lexicon, learn_lemmas(sentences, lemmas, lexicon), ()))
    package = out / f"errata-gec-lang-{pack_.code}"
    module = f"errata_gec_lang_{pack_.code}"
    folder = package / "src" / module
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tagger.model").write_bytes(packed)
    (folder / "__init__.py").write_text(
        f'"""{pack_.name} for errata: the model of the tagger embedded:{pack_.code}."""\n\n'
        "from pathlib import Path\n\n"
        'MODEL = Path(__file__).with_name("tagger.model")\n',
        "utf-8",
    )
    figures = measure(
        folder / "tagger.model", grammatical(treebank(data / f"{pack_.test}.conllu.xz", surface=True))
    )
    facts: dict[str, object] = {
        "code": pack_.code, "name": pack_.name, "licence": pack_.licence, "version": VERSION,
        "tokens": sum(map(len, sentences)), **figures, "words": len(lexicon.entries), "size": len(packed),
        "digest": sha256(packed).hexdigest(), "module": module, "group": GROUP,
        "train": ", ".join(map(_treebank_name, pack_.train)), "test": _treebank_name(pack_.test),
        "entries": "\n".join(f'{code} = "{module}:MODEL"' for code in (pack_.code, *pack_.codes)),
        "sources": f"Words and lemmas come from {' and '.join(used)}." if used else "There is no word list.",
    }  # fmt: skip
    shown = {key: f"{value:,}" if isinstance(value, int) else value for key, value in facts.items()}
    (package / "pyproject.toml").write_text(PROJECT.substitute(shown), "utf-8")
    (package / "README.md").write_text(CARD.substitute(shown), "utf-8")
    return facts


def _treebank_name(name: str) -> str:
    """`de/German-GSD-dev` as `UD German-GSD dev`; another name stays."""
    if "/" not in name:
        return name
    treebank_name, _, part = name.rpartition("/")[2].partition("-")
    rest, _, split = part.partition("-")
    return f"UD {treebank_name}-{rest} {split}"


COLUMNS = ("code", "name", "tokens", "upos", "feats", "lemma", "speed", "words", "size", "licence")


def record(path: Path, facts: dict[str, object]) -> None:
    """Add or replace the row of a pack in the table of all packs."""
    rows = {}
    if path.is_file():
        rows = {line.split("\t")[0]: line for line in path.read_text("utf-8").splitlines()[1:]}
    rows[str(facts["code"])] = "\t".join(str(facts[name]) for name in COLUMNS)
    lines = ["\t".join(COLUMNS), *(rows[code] for code in sorted(rows))]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def ablation(pack_: Pack, data: Path, folder: Path) -> None:
    """Print what each part of the recipe brings: accuracies without it."""
    sentences = training_sentences(pack_, data)
    test = grammatical(treebank(data / f"{pack_.test}.conllu.xz", surface=True))
    variants = {"all": (), **{part: (part,) for part in PARTS}, "all of these": PARTS}
    for name, without in variants.items():
        lemmas, frequency = dictionary(pack_, without), frequencies(pack_, without)
        lexicon = build_lexicon(sentences, lemmas, frequency) if lemmas or frequency else Lexicon({})
        packed = pack(train(sentences, lexicon, learn_lemmas(sentences, lemmas, lexicon), without))
        model = folder / f"{name}.model"  # a path of its own: models are remembered by their paths
        model.write_bytes(packed)
        print(pack_.code, "without", name, len(packed), measure(model, test), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("codes", nargs="*", help="languages; default: all of the file")
    parser.add_argument("--data", type=Path, required=True, help="folder of the treebanks")
    parser.add_argument("--packs", type=Path, default=HERE / "packs.toml")
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "packages")
    parser.add_argument("--ablation", action="store_true", help="print what each part of the recipe brings")
    options = parser.parse_args()
    packs = {code: Pack(code, **field_values(table)) for code, table in read_toml(options.packs).items()}
    for code in options.codes or packs:
        if code not in packs:
            parser.error(f"{options.packs} has no pack {code!r}")
        if options.ablation:
            with TemporaryDirectory() as folder:
                ablation(packs[code], options.data, Path(folder))
            continue
        facts = write(packs[code], options.data, options.out)
        record(options.packs.with_suffix(".tsv"), facts)
        print("\t".join(str(facts[name]) for name in COLUMNS), flush=True)


if __name__ == "__main__":
    main()

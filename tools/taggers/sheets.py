"""Sheets of labelled synthetic edits, and how often errata's types agree with the labels.

python tools/taggers/sheets.py make --data DATA de       # 100 edits of the pack's test file, without labels
python tools/taggers/sheets.py score                     # errata's types against the labels of all sheets

A row has the sentence with the edit as [wrong → right], its category as a reader sees it, and what was done.
Labels were given by reading the edits, without seeing errata's types.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from build_packs import HERE, Pack, grammatical
from training import Sentence, Token, treebank

from errata.edits.language import LANGUAGES
from errata.edits.pipeline import Extractor
from errata.edits.universal import without_diacritics
from errata.toml import field_values, read_toml

SHEETS = HERE / "sheets"
COUNT = 100
CLOSED = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"}
KINDS = (
    ["form"] * 36 + ["letter"] * 14 + ["diacritic"] * 6 + ["missing"] * 12 + ["unnecessary"] * 8
    + ["word"] * 10 + ["case"] * 4 + ["punctuation"] * 4 + ["blank"] * 3 + ["order"] * 3
)  # fmt: skip
COLUMNS = ("number", "sentence", "label", "done")
MARK = re.compile(r"\[(.*?) → (.*?)\]")


class Errors:
    """Puts errors into sentences of a treebank."""

    def __init__(self, sentences: list[Sentence], seed: int = 1) -> None:
        self.random = np.random.default_rng(seed)
        self.forms: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.closed: dict[str, list[str]] = defaultdict(list)
        for token in (token for sentence in sentences for token in sentence if token.form.isalpha()):
            self.forms[token.lemma, token.upos].add(token.form.lower())
            if token.upos in CLOSED:
                self.closed[token.upos].append(token.form.lower())

    def error(self, kind: str, sentence: Sentence) -> tuple[int, int, str] | None:
        """The tokens start:end of the sentence become this wrong text; None if none of this kind fits."""
        places = [i for i, token in enumerate(sentence) if token.form.isalpha()]
        if not places:
            return None
        place = int(self.random.choice(places))
        token = sentence[place]
        wrong = getattr(self, kind)(sentence, place, token)
        if wrong is None or wrong[2] == " ".join(t.form for t in sentence[wrong[0] : wrong[1]]):
            return None
        return wrong

    def form(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        others = sorted(self.forms[token.lemma, token.upos] - {token.form.lower()})
        if not others or token.upos in ("ADP", "PROPN"):
            return None
        return place, place + 1, cased(str(self.random.choice(others)), token.form)

    def letter(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        form = token.form
        if len(form) < 4:
            return None
        at = int(self.random.integers(1, len(form) - 1))
        kinds = (
            form[:at] + form[at + 1 :],
            form[:at] + form[at] + form[at:],
            form[: at - 1] + form[at] + form[at - 1] + form[at + 1 :],
        )
        return place, place + 1, str(self.random.choice(kinds))

    def diacritic(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        return place, place + 1, without_diacritics(token.form)

    def missing(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        return (
            (place, place + 1, "") if place and (token.upos in CLOSED or self.random.random() < 0.1) else None
        )

    def unnecessary(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        upos = str(self.random.choice(sorted(self.closed)))
        return (place, place, str(self.random.choice(self.closed[upos]))) if place else None

    def word(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        others = self.closed.get(token.upos)
        return (place, place + 1, cased(str(self.random.choice(others)), token.form)) if others else None

    def case(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        return place, place + 1, token.form[0].swapcase() + token.form[1:]

    def punctuation(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        commas = [i for i, other in enumerate(sentence) if other.form == ","]
        return (commas[0], commas[0] + 1, "") if commas else (place, place, ",")

    def blank(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        if place + 1 < len(sentence) and sentence[place + 1].form.isalpha() and self.random.random() < 0.5:
            return place, place + 2, token.form + sentence[place + 1].form
        at = len(token.form) // 2
        return (place, place + 1, f"{token.form[:at]} {token.form[at:]}") if at > 2 else None

    def order(self, sentence: Sentence, place: int, token: Token) -> tuple[int, int, str] | None:
        if not place or place + 1 >= len(sentence) or not sentence[place + 1].form.isalpha():
            return None
        return place, place + 2, f"{sentence[place + 1].form} {token.form}"


def cased(form: str, like: str) -> str:
    """The form with the capitals of another."""
    return form.capitalize() if like[0].isupper() else form


def make(pack: Pack, data: Path) -> None:
    """Write a sheet without labels."""
    sentences = grammatical(treebank(data / f"{pack.test}.conllu.xz", surface=True))
    errors = Errors(sentences)
    usable = [s for s in sentences if 5 <= len(s) <= 18 and not any(set("[]→") & set(t.form) for t in s)]
    rows: list[tuple[object, ...]] = []
    while len(rows) < COUNT:
        kind, sentence = KINDS[len(rows)], usable[int(errors.random.integers(len(usable)))]
        if (wrong := errors.error(kind, sentence)) is not None:
            start, end, text = wrong
            forms = [token.form for token in sentence]
            mark = f"[{text} → {' '.join(forms[start:end])}]"
            rows.append((" ".join([*forms[:start], mark, *forms[end:]]), "", kind))
    errors.random.shuffle(rows)
    SHEETS.mkdir(exist_ok=True)
    with (SHEETS / f"{pack.code}.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, "excel-tab", lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((number, *row) for number, row in enumerate(rows, 1))


def read(code: str) -> list[dict[str, str]]:
    """The rows of a sheet."""
    with (SHEETS / f"{code}.tsv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, dialect="excel-tab", quoting=csv.QUOTE_NONE)]


def extracted_types(code: str) -> list[tuple[str, str]]:
    """Of every row its label, and errata's category of the edit; "span" if that is not what was extracted."""
    extractor = Extractor(code)
    result = []
    for row in read(code):
        match = MARK.search(row["sentence"])
        assert match is not None, row
        before, behind = row["sentence"][: match.start()].split(), row["sentence"][match.end() :].split()
        pair = (" ".join([*before, *text.split(), *behind]) for text in match.groups())
        edits = extractor.extract(*pair)
        category = edits[0].type.partition(":")[2] if len(edits) == 1 else "span"
        result.append((row["label"], category))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("action", choices=("make", "score"))
    parser.add_argument("codes", nargs="*")
    parser.add_argument("--data", type=Path, help="folder of the treebanks")
    parser.add_argument("--list", action="store_true", help="list every difference")
    options = parser.parse_intermixed_args()
    packs = {
        code: Pack(code, **field_values(table)) for code, table in read_toml(HERE / "packs.toml").items()
    }
    if options.action == "make":
        for code in options.codes:
            make(packs[code], options.data)
        return
    for code in options.codes or sorted(path.stem for path in SHEETS.glob("*.tsv")):
        types = extracted_types(code)
        agreed = sum(label == category for label, category in types)
        spans = sum(category != "span" for _, category in types)
        rules = LANGUAGES.get(code, "universal").partition(":")[0].rpartition(".")[2]
        print(f"{code}\t{rules}\t{len(types)}\t{spans}\t{agreed}", flush=True)
        if options.list:
            for number, (label, category) in enumerate(types, 1):
                if label != category:
                    print(f"  {number}: {label} / {category}: {read(code)[number - 1]['sentence']}")
            print(Counter(pair for pair in types if pair[0] != pair[1]).most_common(12))


if __name__ == "__main__":
    main()

"""Compare extracted edits and types with annotated learner corpora: docs/errant-languages.md.

python tools/taggers/agreement.py --data DATA --ua-gec UA_GEC

UA_GEC is the folder `data` of the package ua-gec. DATA has the treebanks of learners' texts,
UD Italian-Valico and UD Swedish-SweLL, beside their corrections.
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from errata.corpus.formats import read_corpus
from errata.edits.pipeline import Extractor

Span = tuple[int, int, str]  # tokens start:end become this text

# Which of errata's categories suit a label; the first pattern that the label matches counts.
INFLECTED = r".*:INFL|MORPH"
LEXICAL = r"[A-Z]+|WO|OTHER"  # any part of speech
SPELLING = r"SPELL|DIACR|ORTH.*"
UA_GEC = {
    "Spelling": SPELLING, "Punctuation": r"PUNCT|QUOTATION|ORTH.*", "G/Prep": "ADP",
    "G/Conjunction": "[CS]CONJ",
    "G/(Case|Gender|Number|Comparison)": INFLECTED,
    "G/(Tense|Aspect|VerbVoice|VerbAForm|PartVoice|Participle)": r"(VERB|AUX|ADJ|ADV)(:INFL)?|MORPH",
    ".*": LEXICAL + "|" + INFLECTED,
}  # fmt: skip
OF_LETTER = {
    "N": "NOUN|PROPN", "V": "VERB|AUX", "J": "ADJ", "A": "PRON|DET", "D": "DET|PRON|ADP", "T": "ADP",
    "Y": "ADV", "C": "[CS]CONJ", "Q": "NUM|DET",
}  # fmt: skip
SWELL = {
    "O.*": SPELLING, "P.*": "PUNCT|QUOTATION", "M-.*": INFLECTED, "L.*": LEXICAL, "S.*": LEXICAL,
    ".*": LEXICAL,
}  # fmt: skip


class Case(NamedTuple):
    """A sentence with its correction and the edits of people."""

    source: str
    target: str
    gold: dict[Span, str]  # with their labels


def ua_gec(folder: Path) -> Iterator[Case]:
    """UA-GEC, test, grammar only: every annotation by itself."""
    for segment in read_corpus(str(folder / "gec-only" / "test")):
        for annotation in segment.annotations:
            gold = {(e.start, e.end, e.correction): e.type for e in annotation.edits}
            yield Case(segment.source, annotation.text, gold)


_TAG = re.compile(r"<([A-Z]+)>(?:<i>([^<]*)</i>)?(?:<c>([^<]*)</c>)?</\1>")
_TOKEN = re.compile(r"\w+['’]?|[^\w\s]")


def valico(path: Path) -> Iterator[Case]:
    """UD Italian-Valico: sentences whose errors are marked in the comment `err`; without nested marks."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        marked = [line.split("=", 1)[1].strip() for line in lines if line.startswith("# err =")]
    for line in marked:
        source: list[str] = []
        target: list[str] = []
        gold: dict[Span, str] = {}
        place = 0
        for tag in _TAG.finditer(line):
            plain = _TOKEN.findall(line[place : tag.start()])
            source, target = source + plain, target + plain
            old, new = ([] if text in (None, "_") else _TOKEN.findall(text) for text in (tag[2], tag[3]))
            gold[len(source), len(source) + len(old), " ".join(new)] = tag[1]
            source, target, place = source + old, target + new, tag.end()
        rest = _TOKEN.findall(line[place:])
        if "<" not in line[place:] and not any("<" in token for token in source):
            yield Case(" ".join(source + rest), " ".join(target + rest), gold)


def valico_suits(label: str, category: str) -> bool:
    """Labels of the Cambridge Learner Corpus: R (replace), M, U, then a part of speech; S, I, F, D, AG."""
    kind, letter = label[0], label[1:2]
    if kind == "S":
        pattern = r"PUNCT|QUOTATION|ORTH.*" if letter == "P" else SPELLING
    elif kind in "RMU":
        pattern = "PUNCT" if letter == "P" else f"({OF_LETTER.get(letter, '[A-Z]+')})(:INFL)?|OTHER|MORPH"
    elif kind in "IFA":
        pattern = INFLECTED
    elif kind == "D":
        pattern = r"MORPH|OTHER|[A-Z]+"
    else:
        pattern = ".*"
    return re.fullmatch(pattern, category) is not None


def suits(scheme: dict[str, str], label: str, category: str) -> bool:
    """Whether a category suits a label of a scheme."""
    pattern = next(wanted for name, wanted in scheme.items() if re.fullmatch(name, label))
    return re.fullmatch(pattern, category) is not None


def report(name: str, extractor: Extractor, cases: Iterable[Case], suited: object) -> None:
    """Print span agreement, and how many of the shared edits have a type that suits the label."""
    shared, extracted, annotated, detected = 0, 0, 0, 0
    by_label: dict[str, Counter[str]] = {}
    cases = [case for case in cases if case.source != case.target]
    pairs = [(case.source, case.target) for case in cases]
    for case, edits in zip(cases, extractor.extract_all(pairs), strict=True):
        mine = {(e.start, e.end, e.correction): e.type.partition(":")[2] or e.type for e in edits}
        annotated, extracted = annotated + len(case.gold), extracted + len(mine)
        detected += sum(any(overlaps(span, other) for other in mine) for span in case.gold)
        for span in mine.keys() & case.gold.keys():
            shared += 1
            by_label.setdefault(case.gold[span], Counter())[mine[span]] += 1
    right = sum(n for label, found in by_label.items() for c, n in found.items() if suited(label, c))  # type: ignore[operator]
    precision, recall = shared / extracted, shared / annotated
    f = 2 * precision * recall / (precision + recall)
    print(f"{name}: {len(cases)} changed sentences, {annotated} annotated edits, {extracted} extracted")
    print(f"  spans: P {precision:.3f} R {recall:.3f} F1 {f:.3f}; overlapping {detected / annotated:.3f}")
    print(f"  types: {right / shared:.3f} of {shared} shared edits suit the label")
    for label, found in sorted(by_label.items(), key=lambda item: -item[1].total())[:25]:
        good = sum(n for category, n in found.items() if suited(label, category))  # type: ignore[operator]
        top = ", ".join(f"{category} {n}" for category, n in found.most_common(5))
        print(f"    {label:26} {found.total():5} {good / found.total():.2f}  {top}")


def overlaps(one: Span, other: Span) -> bool:
    """Whether two edits share a token, or a place between tokens."""
    return max(one[0], other[0]) < min(one[1], other[1]) or one[:2] == other[:2]


def swell(folder: Path, extractor: Extractor) -> None:
    """Print which tokens that UD Swedish-SweLL labels are in an edit, with its type."""
    sentences, labels = [], []
    for part in ("test", "test-corrected"):
        with lzma.open(folder / f"Swedish-SweLL-{part}.conllu.xz", "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        sentence: list[list[str]] = []
        for row in rows:
            if row[0].isdigit():
                sentence.append(row)
            elif row == [""] and sentence:
                sentences.append(" ".join(columns[1] for columns in sentence))
                labels.append([re.findall(r"CorrectionLabels=([^|]+)", columns[9]) for columns in sentence])
                sentence = []
    count = len(sentences) // 2
    pairs = list(zip(sentences[:count], sentences[count:], strict=True))
    by_label: dict[str, Counter[str]] = {}
    tokens = covered = in_edits = labelled_in_edits = 0
    for marks, edits in zip(labels[:count], extractor.extract_all(pairs), strict=True):
        types = {
            place: edit.type.partition(":")[2] for edit in edits for place in range(edit.start, edit.end)
        }
        for place, mark in enumerate(marks):
            in_edits += place in types
            labelled_in_edits += place in types and bool(mark)
            if mark:
                tokens += 1
                covered += place in types
                if "," not in mark[0] and place in types:  # one label
                    by_label.setdefault(mark[0], Counter())[types[place]] += 1
    shared = sum(found.total() for found in by_label.values())
    right = sum(n for label, found in by_label.items() for c, n in found.items() if suits(SWELL, label, c))
    print(f"sv SweLL: {count} sentences, {tokens} labelled tokens, {in_edits} tokens in extracted edits")
    print(f"  tokens: P {labelled_in_edits / in_edits:.3f} R {covered / tokens:.3f}")
    print(f"  types: {right / shared:.3f} of {shared} tokens with one label suit it")
    for label, found in sorted(by_label.items(), key=lambda item: -item[1].total())[:25]:
        good = sum(n for category, n in found.items() if suits(SWELL, label, category))
        top = ", ".join(f"{category} {n}" for category, n in found.most_common(5))
        print(f"    {label:26} {found.total():5} {good / found.total():.2f}  {top}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the treebanks")
    parser.add_argument("--ua-gec", type=Path, help="folder data of UA-GEC")
    options = parser.parse_args()
    if options.ua_gec:
        report("uk UA-GEC", Extractor("uk"), ua_gec(options.ua_gec), lambda *pair: suits(UA_GEC, *pair))
    if options.data:
        learners = valico(options.data / "it" / "Italian-Valico-test.conllu.xz")
        report("it Valico", Extractor("it"), learners, valico_suits)
        swell(options.data / "sv", Extractor("sv"))


if __name__ == "__main__":
    main()

"""Damage real outputs in 57 ways, and measure what errata says: python tools/perturbations.py DATA

Writes perturbations.tsv in errata_studies/results, from which `make docs` makes the table of docs/outputs.md.
The damages of `INVENTED` were written down before the checks that should find them.
"""

from __future__ import annotations

import html
import random
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import errata
from errata.corpus.answers import clean_answers
from errata.corpus.checks import Finding
from errata.corpus.model import Corpus
from errata.metrics.api import Preprocessing
from errata.metrics.suspicions import warn_about
from errata.text.tokenizers import tokenizer
from errata_studies.results import write_rows

Lines = Sequence[str]
Damage = Callable[[Lines, Lines], Lines]  # of a system's lines, and the sources
LANGUAGES = {  # gold standard, output, and the step between the sentences that are scored
    "en": ("conll14/test.m2", "conll14/systems/CAMB.txt", 1),
    "cs": ("geccc/test/sentence.m2", "geccc/systems/ag_finetuned.txt", 5),
}
MOVED = 0.002  # a difference of M² that must be noticed
NONE = "**none**"
_NORMALIZE = re.compile(r"--normalize (\w+(?:,\w+)*)")
_UNDONE = re.compile(r"without it ([\d.]+)")


def each(change: Callable[[str], str]) -> Damage:
    """A damage that changes every line by itself."""
    return lambda lines, sources: [change(line) for line in lines]


def some(share: float, change: Callable[[str, str], str]) -> Damage:
    """A damage that changes a random share of the lines; it gets the line and its source."""

    def damage(lines: Lines, sources: Lines) -> Lines:
        rng = random.Random(7)
        return [
            change(line, source) if rng.random() < share else line
            for line, source in zip(lines, sources, strict=True)
        ]

    return damage


def sub(pattern: str, replacement: str) -> Damage:
    return each(lambda line: re.sub(pattern, replacement, line))


def long_words(change: Callable[[str], str]) -> Damage:
    """A damage to words of more than nine letters."""
    return each(lambda line: re.sub(r"\w{10,}", lambda match: change(match[0]), line))


def curly(line: str) -> str:
    line = re.sub(r"(^| )\"( |\w)", r"\1“\2", line).replace('"', "”")
    return line.replace("'", "’").replace("„", "”").replace("``", "“")


def swapped(lines: Lines, sources: Lines) -> Lines:
    lines = list(lines)
    lines[400], lines[401] = lines[401], lines[400]
    return lines


def in_batches(lines: Lines, sources: Lines) -> Lines:
    """Batches of 16 sorted by length, as for a faster inference, and not put back."""
    return [line for start in range(0, len(lines), 16) for line in sorted(lines[start : start + 16], key=len)]


def previous(lines: Lines, sources: Lines) -> Lines:
    """Every tenth line is the one before it."""
    return [lines[i - 1] if i % 10 == 9 else line for i, line in enumerate(lines)]


def with_markup(line: str, source: str) -> str:
    """The first changed word as a marked edit."""
    pairs = zip(source.split(), line.split(), strict=False)
    for i, (a, b) in enumerate(pairs):
        if a != b:
            words = line.split()
            return " ".join([*words[:i], f"[-{a}-]", f"{{+{b}+}}", *words[i + 1 :]])
    return line


def first_lower(line: str) -> str:
    return line[:1].lower() + line[1:]


def without_accents(line: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", line) if not unicodedata.combining(c))


def misread(line: str) -> str:
    return line.replace("'", "’").encode().decode("latin-1").replace("\x80", "")


def loop(line: str, source: str) -> str:
    return line + (" " + " ".join(line.split()[-3:])) * 20


KNOWN: dict[str, Damage] = {  # of the plan
    "detokenised": each(lambda line: tokenizer("penn").detokenize(line.split())),
    "curly quotes": each(curly),
    "hyphens become en dashes": sub("-", "–"),
    "U+2010 hyphens": sub("-", "‐"),
    "`` and '' for quotes": sub('["„“”]', "``"),
    "full-width punctuation": each(lambda line: line.translate({ord(c): ord(c) + 0xFEE0 for c in ",?!:;()"})),
    "NFD": each(lambda line: unicodedata.normalize("NFD", line)),
    "zero-width spaces after commas": sub(",", ",\u200b"),
    "no-break spaces after one-letter words": sub(r"\b(\w) ", "\\1\u00a0"),
    "HTML escapes": each(html.escape),
    "joined clitics": each(lambda line: re.sub(r" (n't|'\w+)\b", r"\1", line)),
    "introduction in every line": each(lambda line: f"Sure, here is the corrected sentence: {line}"),
    "introduction in 3 % of the lines": some(0.03, lambda line, _: f"Corrected: {line}"),
    "in quotation marks": each(lambda line: f'"{line}"'),
    "Markdown": each(lambda line: f"**{line}**"),
    "numbered": lambda lines, _: [f"{i}. {line}" for i, line in enumerate(lines, 1)],
    "numbered, with a tab": lambda lines, _: [f"{i}\t{line}" for i, line in enumerate(lines, 1)],
    "bullets": each(lambda line: f"- {line}"),
    "source repeated": lambda lines, sources: [f"{s} → {h}" for s, h in zip(sources, lines, strict=True)],
    "explained": some(
        0.1, lambda line, _: f"{line} (Explanation: I corrected the grammar and the spelling.)"
    ),
    "2 % refused": some(0.02, lambda line, _: "I'm sorry, but I can't help with that."),
    "hyphens split": sub(r"(?<=\w)-(?=\w)", " - "),
    "full stop lost": each(lambda line: line.removesuffix(" .")),
    "cut after 20 tokens": each(lambda line: " ".join(line.split()[:20])),
    "doubled": each(lambda line: f"{line} {line}"),
    "lower case": each(str.lower),
    "shifted from line 601": lambda lines, _: [*lines[:600], *lines[601:], ""],
    "two lines swapped": swapped,
    "all lines empty": each(lambda line: ""),
}
INVENTED: dict[str, Damage] = {
    "parts of words (`correc@@ tion`)": long_words(lambda word: f"{word[:5]}@@ {word[5:]}"),
    "SentencePiece marks (`▁the`)": each(lambda line: " ".join(f"▁{word}" for word in line.split())),
    "3 % end in a loop": some(0.03, loop),
    "cut after 100 characters": each(lambda line: line[:100]),
    "first token lost": each(lambda line: line.partition(" ")[2] or line),
    "8 % empty": some(0.08, lambda line, _: ""),
    "every tenth line is the one before": previous,
    "sorted by length in batches of 16": in_batches,
    "title case": each(lambda line: " ".join(word[:1].upper() + word[1:] for word in line.split())),
    "two full stops": sub(r" \.$", " . ."),
    "numbers masked (`<num>`)": sub(r"\d+", "<num>"),
    "JSON": each(lambda line: f'{{"corrected": "{line}"}}'),
    "5 % as Python lists of tokens": some(0.05, lambda line, _: repr(line.split())),
    "first letter lower": each(first_lower),
    "commas attached": sub(r" ,", ","),
    "commas lost": sub(r" ,", ""),
    "comma before every and (`a`)": sub(r"(?<! ,) (and|a) ", r" , \1 "),
    "quotation marks lost": sub(r" ?[\"“”„'’`]+", ""),
    "other letters than ASCII become ?": each(lambda line: line.encode("ascii", "replace").decode()),
    "accents lost": each(without_accents),
    "read as Latin-1": each(misread),
    "task prefix (`gec:`)": each(lambda line: f"gec: {line}"),
    "end mark (`</s>`)": each(lambda line: f"{line} </s>"),
    "edits marked": lambda lines, sources: list(map(with_markup, lines, sources)),
    "contractions written out (cs: jsem → sem)": each(
        lambda line: re.sub(r"\bjsem\b", "sem", re.sub(r" n't\b", " not", line))
    ),
    "words in parentheses lost": sub(r" ?\([^)]*\)", ""),
    "5 % in another language": some(0.05, lambda line, _: "Das ist leider nicht richtig , aber so ist es ."),
    "a word repeated (`the the`)": each(lambda line: re.sub(r" (the|že|se) ", r" \1 \1 ", line)),
}  # fmt: skip


def main() -> None:
    data = Path(sys.argv[1])
    rows: dict[str, list[str]] = {}
    for language, (gold, output, step) in LANGUAGES.items():
        corpus = errata.read_corpus(data / gold)
        lines = [*next(iter(errata.read_outputs([data / output], corpus).values()))][::step]
        corpus = corpus.select(range(0, len(corpus), step))
        whole, usual = m2(corpus, lines), {pattern(finding) for finding in warnings(corpus, lines)}
        print(f"{language}: {whole:.4f}", usual)
        moved = warned = 0
        for name, damage in {**KNOWN, **INVENTED}.items():
            row = rows.setdefault(name, [name, "yes" if name in INVENTED else ""])
            row += measured(corpus, damage(lines, corpus.sources), whole, usual)
            print(language, *row[:2], *row[-4:], sep="\t", flush=True)
            if abs(float(row[-4]) - whole) >= MOVED:
                moved, warned = moved + 1, warned + (row[-3] != NONE)
        print(f"{language}: {moved} damages move M² by {MOVED}, {warned} of them are warned of")
    fields = ["damage", "invented"]
    for language in LANGUAGES:
        fields += [f"M² {language}", f"warning {language}", f"fix {language}", f"M² after it {language}"]
    write_rows("perturbations.tsv", fields, list(rows.values()))


def pattern(finding: Finding) -> str:
    """What a finding is about, without numbers of lines and scores."""
    return (
        f"{finding.code} {finding.message.partition(', in ')[0]}" if finding.code == "W308" else finding.code
    )


def measured(corpus: Corpus, lines: Lines, whole: float, usual: set[str]) -> list[str]:
    """The score, the warnings that the whole output does not have, the repair, and the score after it."""
    score = m2(corpus, lines)
    codes: list[str] = []
    fixes: list[str] = []
    after = ""
    for _ in range(3):  # a repair may show another damage
        findings = [each for each in warnings(corpus, lines) if pattern(each) not in usual]
        codes += [finding.code for finding in findings]
        repaired, fix, stated = repair(corpus, lines, findings)
        after = stated or after
        if fix is None or fix in fixes:
            break
        fixes.append(fix)
        lines = repaired
        after = f"{m2(corpus, lines):.4f}"
    if not codes and abs(score - whole) >= MOVED:
        codes = [NONE]
    return [f"{score:.4f}", ", ".join(dict.fromkeys(codes)), ", ".join(fixes), after]


def repair(corpus: Corpus, lines: Lines, findings: Sequence[Finding]) -> tuple[Lines, str | None, str]:
    """The lines after the first repair that findings advise, its name, and the score that they state."""
    for finding in findings:
        remedy = finding.remedy
        if finding.code == "E311":
            return [answer.text for answer in clean_answers(corpus.sources, lines)], "clean", ""
        kinds = _NORMALIZE.search(remedy)
        if kinds is not None:
            change = Preprocessing(normalize=tuple(kinds[1].split(",")))
            return [*change.apply(corpus, {"x": lines})["x"]], f"normalize {kinds[1]}", ""
        if finding.code == "E303":
            return [*Preprocessing("penn").apply(corpus, {"x": lines})["x"]], "retokenize", ""
    stated = [match[1] for finding in findings if (match := _UNDONE.search(finding.message))]
    return lines, None, max(stated, default="")


def m2(corpus: Corpus, lines: Lines) -> float:
    return errata.M2().score(corpus, lines).value


def warnings(corpus: Corpus, lines: Lines) -> list[Finding]:
    """What `errata score` says about an output, references aside."""
    return [finding for finding in warn_about(corpus, {"x": lines}, [errata.M2()]) if finding.path == "x"]


if __name__ == "__main__":
    main()

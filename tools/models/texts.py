"""Clean text for training: `python tools/models/texts.py a.txt b.tsv… --keep-out dev.m2 test.m2 -o FOLDER`.

Every text becomes tokenised sentences, one per line, in FOLDER/NAME.txt.xz. Pairs of source and correction
(`.tsv`, already tokenised) become FOLDER/NAME.tsv.xz, and their corrections FOLDER/NAME.target.txt. Sentences
that occur in what `--keep-out` names (M2 with its corrections, plain text, TSV, CoNLL-U), exactly or nearly,
are removed, and so are duplicates within and between the texts. The counts are printed and written to
FOLDER/leakage.tsv.
"""

from __future__ import annotations

import argparse
import lzma
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from leakage import bare, leaked

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata_correct.tokens import sentences, tokenize, tokenize_english

_SHORTEST, _LONGEST = 3, 80  # tokens
_SEED = 1


def name_of(path: Path) -> str:
    return path.name.partition(".")[0]


def clean_sentences(path: Path, english: bool) -> list[str]:
    """The tokenised sentences of a text: those of useful length that consist mostly of letters."""
    split = tokenize_english if english else tokenize
    found = []
    for line in read_lines(path):
        for sentence in sentences(line):
            tokens = split(sentence)
            letters = sum(map(str.isalpha, sentence))
            if _SHORTEST <= len(tokens) <= _LONGEST and letters >= 0.6 * len("".join(tokens)):
                found.append(" ".join(tokens))
    return found


def forbidden(paths: Iterable[Path]) -> list[str]:
    """All sentences of the files to keep out, sources and corrections."""
    found: list[str] = []
    for path in paths:
        if ".m2" in path.suffixes:
            for segment in read_m2(path):
                found += [segment.source, *segment.references]
        elif ".conllu" in path.suffixes:
            found += [line[9:] for line in read_lines(path) if line.startswith("# text = ")]
        else:
            found += [part for line in read_lines(path) for part in line.split("\t")]
    return found


def distinct(lines: Iterable[str], seen: set[str]) -> list[str]:
    """The lines whose letters were not seen before, and now are."""
    found = []
    for line in lines:
        key = bare(line)
        if key not in seen:
            seen.add(key)
            found.append(line)
    return found


def without_leaks(lines: Sequence[str], kept_out: Sequence[str]) -> tuple[list[str], int, int]:
    """The lines of which no part is in the sentences to keep out; how many were, exactly and nearly."""
    exact: set[int] = set()
    near: set[int] = set()
    for column in range(lines[0].count("\t") + 1 if lines else 0):
        found = leaked([line.split("\t")[column] for line in lines], kept_out)
        exact, near = exact | found[0], near | found[1]
    near -= exact
    return [line for i, line in enumerate(lines) if i not in exact | near], len(exact), len(near)


def joined(lines: Sequence[str], share: float) -> Iterator[str]:
    """The lines, this share of them with the next one on the same line."""
    draw = random.Random(_SEED)
    rest = iter(lines)
    for line in rest:
        following = next(rest, "") if draw.random() < share else ""
        yield f"{line} {following}".rstrip()


def write(path: Path, lines: Iterable[str]) -> None:
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument(
        "--keep-out", nargs="+", type=Path, default=[], help="files with sentences to keep out"
    )
    parser.add_argument("--most", type=int, default=10**9, help="take every n-th sentence of longer texts")
    parser.add_argument(
        "--join", type=float, default=0.0, metavar="SHARE",
        help="put this share of sentences on one line with the next, for errors at their boundaries",
    )  # fmt: skip
    parser.add_argument("--english", action="store_true", help="split contractions, as English corpora do")
    parser.add_argument("--output", "-o", required=True, type=Path)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    kept_out = forbidden(arguments.keep_out)
    seen: set[str] = set()
    with (arguments.output / "leakage.tsv").open("a", encoding="utf-8") as report:
        report.write("text\tsentences\tdistinct\ttaken\tin test sets\tnearly in test sets\tkept\ttokens\n")
        for path in arguments.texts:
            name, pairs = name_of(path), ".tsv" in path.suffixes
            every = list(read_lines(path)) if pairs else clean_sentences(path, arguments.english)
            fresh = every if pairs else distinct(every, seen)
            taken = fresh[:: -(-len(fresh) // arguments.most)] if len(fresh) > arguments.most else fresh
            lines, exact, near = without_leaks(taken, kept_out)
            texts = lines if pairs else joined(lines, arguments.join)
            write(arguments.output / f"{name}.{'tsv' if pairs else 'txt'}.xz", texts)
            if pairs:
                targets = "".join(line.split("\t")[1] + "\n" for line in lines)
                (arguments.output / f"{name}.target.txt").write_text(targets, "utf-8")
            tokens = sum(len(line.partition("\t")[0].split()) for line in lines)
            counts = (len(every), len(fresh), len(taken), exact, near, len(lines), tokens)
            row = "\t".join([name, *map(str, counts)])
            report.write(f"{row}\n")
            print(row, flush=True)


if __name__ == "__main__":
    main()

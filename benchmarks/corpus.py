"""How fast corpora are read, and how much memory that takes: python benchmarks/corpus.py [MEGABYTES]

Each measurement runs in a process of its own; memory is its peak above what the imports take.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import in_fresh_process, peak_memory, seconds_of

from errata.corpus.formats import read_corpus, write_corpus
from errata.corpus.model import Corpus
from errata.corpus.statistics import count
from errata.tables import Column, Table

_WORDS = tuple("příliš žluťoučký kůň the of a pes koruna město jde . , v na že se".split())  # noqa: SIM905


def generate(path: Path, size: int) -> None:
    """An M2 file of so many bytes: short sentences with up to five edits by two annotators."""
    draw = random.Random(1)
    written = 0
    with open(path, "w", encoding="utf-8") as file:
        while written < size:
            length = draw.randint(5, 30)
            block = "S " + " ".join(draw.choices(_WORDS, k=length)) + "\n"
            for start in range(draw.randint(0, 5)):
                block += f"A {start} {start + 1}|||R:SPELL|||{draw.choice(_WORDS)}|||REQUIRED|||-NONE-|||0\n"
            written += file.write(block + "\n") * 9 // 8  # about 1.13 bytes a character


def _iterate(path: Path) -> Corpus:
    corpus = read_corpus(path)
    for _ in corpus:
        pass
    return corpus


WORK: dict[str, Callable[[Path], object]] = {
    "read": read_corpus,
    "read, sources": lambda path: read_corpus(path).sources,
    "read, look at every segment": _iterate,
    "read, encode the sources": lambda path: read_corpus(path).source_ids,
    "statistics": lambda path: count(read_corpus(path)),
}


def main(megabytes: float) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        m2 = Path(folder, "big.m2")
        generate(m2, int(megabytes * 1e6))
        small = Path(folder, "small.m2")
        generate(small, int(megabytes * 1e5))
        others = [small.with_suffix(suffix) for suffix in (".jsonl", ".tsv", ".m2.gz")]
        for other in others:
            write_corpus(read_corpus(small), other)
        jobs = [(m2, work) for work in ("read", "read, sources", "read, look at every segment")]
        jobs += [(small, "read, encode the sources"), (small, "statistics")]
        jobs += [(other, "read, look at every segment") for other in others]
        for path, work in jobs:
            size = os.path.getsize(path) / 1e6
            seconds, memory = in_fresh_process("corpus.py", "--measure", work, str(path))
            rows.append((path.name, work, size, seconds, size / seconds, memory, memory / size))
    names = ("file", "work", "MB", "s", "MB/s", "peak MB", "× file")
    decimals = (None, None, 1, 2, 1, 0, 2)
    print(Table([Column(n, d) for n, d in zip(names, decimals, strict=True)], list(rows)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        kept: list[object] = []  # a corpus that nobody holds is gone before its memory is seen
        before = peak_memory()
        spent = seconds_of(lambda: kept.append(WORK[sys.argv[2]](Path(sys.argv[3]))))
        print(spent, peak_memory() - before)
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 100)

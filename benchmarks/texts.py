"""What the benchmarks run on: CoNLL-2014 where it is, else the embedded sample with synthetic errors.

The folder of the shared data is `ERRATA_SHARED`, or `shared` beside the checkout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from errata import Corpus, Outputs, read_corpus, read_outputs, sample, write_corpus
from errata.corpus.files import read_lines
from errata.corpus.parallel import read_parallel
from errata.corpus.segment import Annotation, Segment
from errata.edits.pipeline import Extractor
from errata_correct.noise import Rates

SHARED = Path(os.environ.get("ERRATA_SHARED", Path(__file__).resolve().parents[2] / "shared"))


@dataclass(frozen=True)
class Texts:
    """Files as a user has them, and their contents as lists, which is what other packages take."""

    name: str
    recorded: bool  # whether the originals' recorded seconds are for these texts
    gold: Path
    source: Path
    reference_files: tuple[Path, ...]
    systems: tuple[Path, ...]
    judgments: Path

    def read(self, systems: int | None = None, jobs: int = 1) -> tuple[Corpus, Outputs]:
        """The edits of the references and some systems' outputs, from the files."""
        corpus = read_corpus(self.gold)
        return corpus, read_outputs(self.systems[:systems], corpus, jobs=jobs)

    def read_texts(self, systems: int | None = None, jobs: int = 1) -> tuple[Corpus, Outputs]:
        """The texts of the references and some systems' outputs, from the files."""
        corpus = read_parallel(self.source, self.reference_files, jobs=jobs)
        return corpus, read_outputs(self.systems[:systems], corpus, jobs=jobs)

    @cached_property
    def sources(self) -> list[str]:
        return read_lines(self.source)

    @cached_property
    def outputs(self) -> list[list[str]]:
        """Every system's lines."""
        corpus = read_parallel(self.source)
        return [list(lines) for lines in read_outputs(self.systems, corpus).values()]

    @cached_property
    def references(self) -> list[list[str]]:
        """Every annotator's lines."""
        return [read_lines(path) for path in self.reference_files]

    @cached_property
    def by_sentence(self) -> list[tuple[str, ...]]:
        """Every sentence's references."""
        return list(zip(*self.references, strict=True))

    def describe(self) -> str:
        count, systems = len(self.sources), len(self.systems)
        tokens = sum(len(line.split()) for line in self.sources) / count
        return (
            f"{self.name}: {count:,} sentences of {tokens:.1f} tokens on average, "
            f"{len(self.reference_files)} references, {systems} systems"
        )


@contextmanager
def texts(kind: str = "auto", sentences: int = 1200) -> Iterator[Texts]:
    """The texts to run on: `conll14`, `sample`, whichever is there (`auto`), or a folder that is filled."""
    folder = SHARED / "data/conll14"
    if kind == "conll14" or (kind == "auto" and folder.is_dir()):
        yield Texts(
            "CoNLL-2014", True, folder / "test.m2", folder / "source.txt",
            tuple(folder / f"refs/nucle{i}.txt" for i in (0, 1)),
            tuple(sorted((folder / "systems").glob("*.txt"))), SHARED / "data/gjg15/judgments.xml",
        )  # fmt: skip
        return
    if kind not in ("auto", "sample"):
        yield in_folder(Path(kind))
        return
    with TemporaryDirectory() as temporary:
        synthetic(Path(temporary), sentences)
        yield in_folder(Path(temporary))


def in_folder(folder: Path) -> Texts:
    """What `synthetic` wrote."""
    return Texts(
        "the embedded sample with synthetic errors", False, folder / "gold.m2", folder / "source.txt",
        tuple(folder / f"reference{i}.txt" for i in (0, 1)), tuple(sorted(folder.glob("system*.txt"))),
        sample.folder("en") / "rankings.xml",
    )  # fmt: skip


def synthetic(folder: Path, sentences: int) -> None:
    """The sample's corrected sentences, damaged anew for every copy; systems damage less than the source."""
    place = sample.folder("en")
    minimal, fluency = (read_lines(place / name) for name in ("minimal.txt", "fluency.txt"))
    copies = -(-sentences // len(minimal))
    references = [(lines * copies)[:sentences] for lines in (minimal, fluency)]
    source = damaged(references[0], 0.5, 1)
    extractor = Extractor("en")
    edits = [list(extractor.extract_all(zip(source, lines, strict=True))) for lines in references]
    segments = [
        Segment(text, tuple(Annotation(text, edits=found, annotator=i) for i, found in enumerate(both)))
        for text, both in zip(source, zip(*edits, strict=True), strict=True)
    ]
    write_corpus(Corpus(segments), folder / "gold.m2")
    contents = {"source": source, "reference0": references[0], "reference1": references[1]}
    for number, strength in enumerate((0.0, 0.1, 0.2, 0.4)):
        contents[f"system{number}"] = damaged(references[0], strength, 2 + number)
    contents["system4"] = source
    for name, lines in contents.items():
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@lru_cache(maxsize=1)
def _clean() -> tuple[list[str], list[str]]:
    """The words of the sample's corrected text in order, and the list of them."""
    words = [word for line in read_lines(sample.folder("en") / "minimal.txt") for word in line.split()]
    return words, sorted({word for word in words if word.isalpha()})


def damaged(lines: list[str], strength: float, seed: int) -> list[str]:
    """Lines with synthetic errors, as `errata noise` makes them; a line that lost all words is kept clean."""
    noise = Rates().noise(_clean()[1], strength, tokenized=True)
    return [bad if bad.split() else line for bad, line in zip(noise.apply(lines, seed), lines, strict=True)]

"""Benchmarks by name: which files of a data set they consist of, and how papers score them.

A benchmark for correctors is scored with `errata score --benchmark NAME`, one for metrics, whose outputs
people have judged, with `errata meta --benchmark NAME`. Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from errata.data.folder import missing, path, place
from errata.data.registry import Dataset, dataset
from errata.errors import DataError, ErrataError, one_of


@dataclass(frozen=True)
class Benchmark:
    """A test set for correctors: its files, the metric that papers report, and what outputs look like.

    Either `gold` is a file with edits, or `source` and `references` are texts. All paths are relative to the
    folder of the data set. `lines` is None where the number has not been verified.
    """

    name: str
    title: str
    dataset: str
    metrics: str
    cite: str  # as in the text of a paper; the data set has the full citation
    lines: int | None
    gold: str = ""
    source: str = ""
    references: tuple[str, ...] = ()
    tokens: str = "tokenised"
    note: str = ""

    @property
    def entry(self) -> Dataset:
        """The data set that the files belong to."""
        return dataset(self.dataset)

    def files(self) -> tuple[Path | None, Path | None, tuple[Path, ...]]:
        """The gold edits, or the source and the references; raises with what to do where they are missing."""
        folder = _folder_of(self.entry)
        wanted = [name for name in (self.gold, self.source, *self.references) if name]
        for name in wanted:
            if not (folder / name).exists():
                raise _lacking(self.name, name, self.dataset, folder)
        gold = folder / self.gold if self.gold else None
        source = folder / self.source if self.source else None
        return gold, source, tuple(folder / name for name in self.references)


@dataclass(frozen=True)
class JudgedBenchmark:
    """Outputs of systems that people judged, against which metrics are evaluated."""

    name: str
    title: str
    datasets: tuple[str, ...]
    cite: str
    note: str = ""
    folder: str = ""  # inside the first data set, where it has several parts

    @property
    def entry(self) -> Dataset:
        """The data set with the judgments."""
        return dataset(self.datasets[0])

    def folders(self) -> tuple[Path, ...]:
        """The folder of every data set; raises with what to do where one is missing."""
        found = [_folder_of(dataset(name)) for name in self.datasets]
        if self.folder and not (found[0] / self.folder).is_dir():
            raise _lacking(self.name, self.folder, self.datasets[0], found[0])
        return (found[0] / self.folder, *found[1:])

    @property
    def is_here(self) -> bool:
        """Whether all its data are in the data folder."""
        try:
            self.folders()
        except DataError:
            return False
        return True


def _lacking(benchmark: str, part: str, dataset: str, folder: Path) -> DataError:
    return DataError(
        f"{benchmark} needs {part}, which this copy of {dataset} does not have",
        path=folder,
        hint=f"errata data show {dataset} says where it comes from",
    )


def _folder_of(entry: Dataset) -> Path:
    """The folder of a data set; where a licence stands in the way, the error gives the official address."""
    where = place(entry)
    if entry.how and missing(entry, where):
        raise DataError(
            f"{entry.title} is not here, and cannot be fetched: {entry.how}",
            path=where,
            hint=f"{entry.homepage}, then: errata data add {entry.name} FOLDER",
        )
    return path(entry.name)


def _conll14(name: str, title: str, note: str, metrics: str = "m2", gold: str = "") -> Benchmark:
    texts = ("refs/nucle0.txt", "refs/nucle1.txt")
    return Benchmark(
        name, title, "conll14", metrics, "Ng et al., 2014", 1312, gold=gold, note=note,
        source="" if gold else "source.txt", references=() if gold else texts,
    )  # fmt: skip


def _jfleg(name: str, title: str, part: str, lines: int) -> Benchmark:
    return Benchmark(
        name, title, "jfleg", "gleu", "Napoles et al., 2017", lines,
        source=f"{part}/{part}.src", references=tuple(f"{part}/{part}.ref{i}" for i in range(4)),
    )  # fmt: skip


def _ua_gec(name: str, title: str, gold: str, lines: int) -> Benchmark:
    return Benchmark(
        name, title, "ua-gec", "m2", "Syvokon et al., 2023", lines, gold=gold,
        note="A segment is a line of a document, tokenised by errata. The server of the UNLP-2023 shared "
        "task splits sentences and tokenises otherwise, so that its scores differ.",
    )  # fmt: skip


BENCHMARKS: dict[str, Benchmark] = {
    each.name: each
    for each in (
        _conll14(
            "conll14", "the CoNLL-2014 test set", gold="test.m2",
            note="Metrics that compare texts read the applied edits of test.m2, of all types. "
            "conll14-texts has the released texts, which leave out the 54 edits of type Um.",
        ),
        _conll14(
            "conll14-alt", "the CoNLL-2014 test set with alternative answers", gold="test.withalt.m2",
            note="The second evaluation of the shared task; not comparable with conll14.",
        ),
        _conll14(
            "conll14-texts", "the CoNLL-2014 test set (released reference texts)", metrics="gleu",
            note="The references of the published GLEU scores; conll14 has the applied edits.",
        ),
        Benchmark(
            "bea19-dev", "the BEA-2019 development set (W&I+LOCNESS)", "wi-locness", "errant",
            "Bryant et al., 2019", None, gold="m2/ABCN.dev.gold.bea19.m2", tokens="tokenised by spaCy",
            note="The test set's gold is not public: outputs are scored on the server of the shared task.",
        ),
        Benchmark(
            "fce", "the FCE test set (BEA-2019 version)", "fce", "errant", "Yannakoudakis et al., 2011", 2695,
            gold="m2/fce.test.gold.bea19.m2", tokens="tokenised by spaCy",
        ),
        _jfleg("jfleg", "the JFLEG test set", "test", 747),
        _jfleg("jfleg-dev", "the JFLEG development set", "dev", 754),
        Benchmark(
            "geccc", "the GECCC test set", "geccc", "m2", "Náplava et al., 2022", 7907,
            gold="test/sentence.m2",
        ),
        Benchmark(
            "geccc-dev", "the GECCC development set", "geccc", "m2", "Náplava et al., 2022", 8478,
            gold="dev/sentence.m2",
        ),
        Benchmark(
            "falko-merlin", "the Falko-MERLIN test set", "falko-merlin", "m2", "Boyd, 2018", None,
            gold="fm-test.m2",
        ),
        _ua_gec("ua-gec", "the UA-GEC test set (grammar)", "data/gec-only/test", 1154),
        _ua_gec("ua-gec-fluency", "the UA-GEC test set (grammar and fluency)", "data/gec-fluency/test", 1147),
    )
}  # fmt: skip

_CONLL_SYSTEMS = ("conll14", "conll14-systems")

JUDGED: dict[str, JudgedBenchmark] = {
    each.name: each
    for each in (
        JudgedBenchmark(
            "seeda", "SEEDA: 15 outputs for 391 sentences of CoNLL-2014, judged by edits and by sentences",
            ("seeda", "conll14"), "Kobayashi et al., 2024",
            "Metrics are computed on the 391 judged sentences, with the edits of test.m2; an annotator "
            "without edits for a sentence gives no reference, as in the published GLEU.",
        ),
        JudgedBenchmark(
            "gjg15", "The CoNLL-2014 systems ranked by eight judges", ("gjg15", *_CONLL_SYSTEMS),
            "Grundkiewicz et al., 2015",
            "Metrics of texts read the released references, metrics of edits read test.m2.",
        ),
        JudgedBenchmark(
            "napoles15", "The CoNLL-2014 systems ranked by three judges", ("napoles15", *_CONLL_SYSTEMS),
            "Napoles et al., 2015",
            "Metrics of texts read the released references, metrics of edits read test.m2.",
        ),
        *(
            JudgedBenchmark(
                f"gmeg-{part}", f"GMEG, {title}: six systems rated from 0 to 100", ("gmeg",),
                "Napoles et al., 2019", "Four references; the unchanged source is rated as a seventh system.",
                folder=f"{part}_test",
            )
            for part, title in (("fce", "FCE"), ("wiki", "Wikipedia"), ("yahoo", "Yahoo"))
        ),
        JudgedBenchmark(
            "tmu-gfm", "TMU-GFM: five systems rated for grammar, fluency and meaning", ("tmu-gfm",),
            "Yoshimura et al., 2020",
            "There are no references, so that only metrics without references can be evaluated.",
        ),
    )
}  # fmt: skip


def benchmark(name: str) -> Benchmark:
    """The benchmark of this name; raises with the names there are."""
    found = BENCHMARKS.get(name)
    if found is not None:
        return found
    if name in JUDGED:
        raise ErrataError(
            f"{name} is a benchmark for metrics, not for correctors\n  hint: errata meta --benchmark {name}"
        )
    raise ErrataError(f"there is no benchmark {name!r}\n  hint: {one_of(name, BENCHMARKS)}")


def judged_benchmarks(name: str) -> list[JudgedBenchmark]:
    """The benchmarks for metrics that a name stands for: one, the parts of `gmeg`, or `all` that are here."""
    parts = [JUDGED[name]] if name in JUDGED else [e for e in JUDGED.values() if e.datasets[0] == name]
    if name == "all":
        parts = list(JUDGED.values())
    if not parts:
        raise ErrataError(
            f"there is no benchmark for metrics called {name!r}\n  hint: {one_of(name, [*JUDGED, 'all'])}"
        )
    here = [each for each in parts if each.is_here]
    if not here and len(parts) > 1:
        parts[0].folders()  # raises, and says what to do
    return here or parts


def likely_cause(wanted: Benchmark, lines: int) -> str:
    """Why an output may have another number of lines than its benchmark."""
    others = [each.name for each in BENCHMARKS.values() if each.lines == lines]
    if others:
        return f"{', '.join(_same_texts(others))} has {lines:,} lines: is it --benchmark {others[0]}?"
    if wanted.lines is not None and 0 < wanted.lines - lines <= 10:
        return "lines were lost: an empty output needs an empty line of its own"
    if wanted.lines is not None and 0 < lines - wanted.lines <= 10:
        return "there are lines too many: an output must not contain a line break"
    return f"{wanted.name} has one segment per line; was the text split or joined otherwise?"


def _same_texts(names: list[str]) -> Iterator[str]:
    """Names without those of another benchmark on the same lines: conll14, not conll14-texts as well."""
    for name in names:
        if not any(name != other and name.startswith(f"{other}-") for other in names):
            yield name

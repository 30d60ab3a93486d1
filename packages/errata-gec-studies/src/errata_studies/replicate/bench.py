"""Inputs of the papers' tables: texts, judgments and scores, which are read or computed once and shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from errata.corpus.files import read_lines
from errata.corpus.formats import read_corpus, read_outputs
from errata.corpus.model import Corpus, Outputs
from errata.corpus.parallel import references_for
from errata.data import path as data_path
from errata.human.judgment_files import read_judgments
from errata.human.judgments import Judgments, merge
from errata.human.pairs import Pairs, pairs_of
from errata.human.rankings import expected_wins
from errata.human.trueskill import trueskill_runs
from errata.meta.human_performance import annotator_texts, join_annotators
from errata.metrics.base import Metric
from errata.metrics.statistics import Floats, Statistics
from errata.text.lines import Lines

once = cache  # results stay in memory until the process ends, as a bench does
REWRITES = {
    "E-fluency": ("expert", "fluency"),
    "N-fluency": ("turker", "fluency"),
    "E-min.": ("expert", "minimal"),
    "N-min.": ("turker", "minimal"),
}


class Bench:
    """Inputs and intermediate results by name; `runs` is the number of TrueSkill runs."""

    def __init__(
        self, data: Path | None = None, *, runs: int = 1000, seed: int = 1, jobs: int | None = None
    ) -> None:
        self.data = data
        self.runs = runs
        self.seed = seed
        self.jobs = jobs

    def path(self, name: str) -> Path:
        """The folder of a data set: in the folder `data`, or the one that was fetched or added."""
        if self.data is not None and (self.data / name).is_dir():
            return self.data / name
        return data_path(name)

    # -- CoNLL-2014 -----------------------------------------------------------------------------------

    @cached_property
    def gold(self) -> Corpus:
        """The CoNLL-2014 test set with both annotators' edits."""
        return read_corpus(self.path("conll14") / "test.m2")

    @cached_property
    def bn15(self) -> Corpus:
        """The ten annotations of Bryant & Ng (2015)."""
        return join_annotators(read_corpus(self.path("bn15") / f"A{k}.m2") for k in range(1, 11))

    @cached_property
    def outputs(self) -> Outputs:
        """The twelve submissions and INPUT."""
        return read_outputs(sorted((self.path("conll14") / "systems").glob("*.txt")), self.gold)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.outputs)

    @cached_property
    def merged(self) -> list[int]:
        """The 1,278 segments that Sakaguchi et al. kept (34 had to be merged with others)."""
        left_out = {int(line) - 1 for line in read_lines(self.path("reassess") / "merged_ids.txt")}
        return [i for i in range(len(self.gold)) if i not in left_out]

    @cached_property
    def merged_outputs(self) -> Outputs:
        """The outputs for those segments."""
        texts = {system: [*lines] for system, lines in self.outputs.items()}
        return Outputs({system: Lines.of([all_[i] for i in self.merged]) for system, all_ in texts.items()})

    @once
    def references(self, name: str) -> Corpus:
        """A set of references: `NUCLE` (edits), `NUCLE texts`, or one of Sakaguchi's on 1,278 sentences.

        `NUCLE alternatives` has the alternative answers of the shared task's second evaluation, too. `BN15`
        has the ten annotations of Bryant & Ng (2015), and `All` these, NUCLE and the rewrites.
        """
        if name == "NUCLE":
            return self.gold
        if name == "NUCLE alternatives":
            return read_corpus(self.path("conll14") / "test.withalt.m2")
        if name == "NUCLE texts":
            return references_for(
                self.gold, [self.path("conll14") / "refs" / f"nucle{i}.txt" for i in range(2)]
            )
        kept = self.merged
        if name == "NUCLE 1278":
            return self.gold.select(kept)
        if name == "BN15":
            annotators = [annotator_texts(self.bn15, k) for k in range(10)]
            texts = [[text[i] for text in annotators] for i in kept]
            return Corpus.from_lists([self.gold.sources[i] for i in kept], texts)
        if name == "All":
            parts = [self.references(each) for each in ("NUCLE 1278", "BN15", *REWRITES)]
            texts = [
                [text for segment in row for text in segment.references] for row in zip(*parts, strict=True)
            ]
            return Corpus.from_lists([self.gold.sources[i] for i in kept], texts)
        who, how = REWRITES[name]
        files = [self.path("reassess") / f"{who}_{how}{version}.txt" for version in "AB"]
        return references_for(self.gold, files).select(kept)

    @once
    def statistics(self, metric: Metric, name: str) -> Mapping[str, Statistics]:
        """A metric's statistics of every system on a set of references."""
        corpus = self.references(name)
        outputs = self.merged_outputs if len(corpus) < len(self.gold) else self.outputs
        return {system: metric.statistics(corpus, lines, jobs=self.jobs) for system, lines in outputs.items()}

    @once
    def scores(self, metric: Metric, name: str) -> Floats:
        """A metric's corpus score of every system (in the order of `systems`)."""
        statistics = self.statistics(metric, name)
        return np.array([metric.score(statistics[system]).value for system in self.systems])

    def sentences(self, metric: Metric, name: str) -> Mapping[str, Floats]:
        """A metric's sentence scores of every system."""
        statistics = self.statistics(metric, name)
        return {system: metric.sentence_scores(statistics[system]) for system in self.systems}

    def released(self, name: str) -> Floats:
        """Scores of every system (rows) that Grundkiewicz et al. (2015) released: `m2` (F, P, R), `bleu`, …

        Those called `iwacc` are of Felice & Briscoe (2015).
        """
        rows = [line.split() for line in read_lines(self.path("gjg15") / f"scores.{name}")]
        by_system = {row[0]: [float(value) for value in row[1:]] for row in rows}
        return np.array([by_system[system] for system in self.systems])

    # -- judgments --------------------------------------------------------------------------------------

    @cached_property
    def experts(self) -> Judgments:
        """Grundkiewicz et al. (2015)."""
        return read_judgments(self.path("gjg15") / "judgments.xml").filtered()

    @cached_property
    def napoles(self) -> Judgments:
        """Napoles et al. (2015), native judges; the source is called INPUT as everywhere else."""
        read = read_judgments(self.path("napoles15") / "all_judgments.xml")
        native = read.filtered(exclude_judges=["non-native"])
        return merge([native], rename=lambda name: "INPUT" if name == "src" else name)

    @once
    def crowd(self, name: str) -> Judgments:
        """Sakaguchi et al. (2016): `Main` ranks annotations, `Ctrl` systems."""
        return read_judgments(self.path("reassess") / f"{name}_merged.csv").filtered()

    @once
    def pairs(self, judgments: Judgments, kind: str = "expanded") -> Pairs:
        return pairs_of(judgments, kind, seed=self.seed)

    @once
    def trueskill(self, judgments: Judgments) -> Floats:
        """μ of every system in every run of TrueSkill (runs × systems)."""
        return trueskill_runs(self.pairs(judgments), runs=self.runs, seed=self.seed, jobs=self.jobs)

    def expected_wins(self, judgments: Judgments) -> Floats:
        return expected_wins(self.pairs(judgments).tally())

    def aligned(self, systems: Sequence[str], scores: Floats) -> Floats:
        """Scores of these systems (on the last axis) in the order of the bench's."""
        ordered: Floats = scores[..., [systems.index(name) for name in self.systems]]
        return ordered


def named(systems: Sequence[str], scores: Floats) -> dict[str, float]:
    """Scores by system."""
    return dict(zip(systems, scores.tolist(), strict=True))

"""Tables and figures of papers, recomputed from texts and judgments and compared with the printed ones.

Papers that share texts, scores and judgments are computed in one process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errata.engine import jobs_or_default, map_ordered, open_executor
from errata.errors import ErrataError
from errata_studies.replicate.bench import Bench
from errata_studies.replicate.exhibits import Paper, Reproduction, read_paper

PAPERS = (
    "grundkiewicz2015",
    "bryant2015",
    "napoles2015",
    "napoles2016",
    "sakaguchi2016",
    "chollampatt2018",
    "naplava2022",
    "kobayashi2024",
)
# In this order, two processes end at about the same time. None stands for all other exhibits of a paper.
CONLL_14 = (
    "grundkiewicz2015", "bryant2015", "napoles2015", "napoles2016", "sakaguchi2016", "chollampatt2018",
)  # fmt: skip
GROUPS: tuple[tuple[tuple[str, str | None], ...], ...] = (
    tuple((name, None) for name in CONLL_14),
    (("kobayashi2024", "README"),),
    (("kobayashi2024", "Table 2"),),
    (("naplava2022", None),),
    (("sakaguchi2016", "Figure 6"),),
)
Name = tuple[str, str]  # of a paper and of one of its exhibits


def paper(name: str) -> Paper:
    """A paper by its name, `chollampatt2018` for example."""
    if name not in PAPERS:
        raise ErrataError(f"there is no replication of {name!r}\n  hint: one of {', '.join(PAPERS)}")
    return read_paper(name)


@dataclass(frozen=True, slots=True)
class Computation:
    """Computes exhibits one after the other with one bench, which has these settings."""

    data: Path | None = None
    runs: int = 1000
    seed: int = 1
    jobs: int | None = None

    def __call__(
        self, names: Sequence[Name], advance: Callable[[int], None] = lambda step: None
    ) -> list[Reproduction]:
        """The exhibits in this process; `advance` is called after each."""
        bench = Bench(self.data, runs=self.runs, seed=self.seed, jobs=self.jobs)
        results = []
        for name, number in names:
            exhibit = next(each for each in paper(name).exhibits if each.number == number)
            try:
                results.append(exhibit.reproduce(bench))
            except ErrataError as error:  # data or an optional package are missing
                results.append(Reproduction(missing=str(error)))
            advance(1)
        return results


def reproduce(
    names: Sequence[Name], computation: Computation, advance: Callable[[int], None]
) -> list[Reproduction]:
    """These exhibits in their order, computed by several processes."""
    alone = {member for group in GROUPS for member in group}
    keys = [name if name in alone else (name[0], None) for name in names]
    parts = [[name for name, key in zip(names, keys, strict=True) if key in group] for group in GROUPS]
    parts = [part for part in parts if part]
    jobs = jobs_or_default(computation.jobs)
    workers = min(len(parts), jobs)
    if workers < 2:
        return computation(names, advance)
    results: dict[Name, Reproduction] = {}
    work = replace(computation, jobs=jobs // workers)
    with open_executor("processes", jobs=workers) as executor:
        for part, computed in zip(parts, map_ordered(executor, work, parts), strict=True):
            results |= zip(part, computed, strict=True)
            advance(len(part))
    return [results[name] for name in names]

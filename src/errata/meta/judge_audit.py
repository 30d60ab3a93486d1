"""Stress a judge: outputs nobody wants against the source, and disturbed references against good ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from errata.corpus.model import Corpus
from errata.human.model_judges import Report, judge
from errata.meta.audit import first_references, probes
from errata.meta.disturbances import disturbances
from errata.models.protocols import Chat

_RATES = (0.0, 0.2, 0.8, 1.0)  # of the damage of the probes that a judge is asked about


@dataclass(frozen=True)
class Contest:
    """Texts against the texts that they are compared with: how often they won, tied and lost."""

    name: str
    against: str  # source or reference
    expected: str  # above, below, same, or nothing
    won: int
    tied: int
    lost: int
    report: Report

    @property
    def judged(self) -> int:
        """The number of comparisons with a valid answer."""
        return self.won + self.tied + self.lost

    @property
    def fault(self) -> str:
        """What is wrong with the outcome, or nothing."""
        if not self.judged:
            return ""
        if self.expected == "same":
            return "decided, and should not be" if self.won + self.lost else ""
        if self.expected == "below" and self.won >= self.lost:
            return "preferred" if self.won > self.lost else "not worse"
        return "not preferred" if self.expected == "above" and self.won <= self.lost else ""


@dataclass(frozen=True)
class JudgeAudit:
    """All contests of one judge."""

    judge: str
    contests: Sequence[Contest]

    @property
    def faults(self) -> int:
        """The number of contests with a fault."""
        return sum(bool(contest.fault) for contest in self.contests)

    def total(self, field: str) -> int:
        """The sum of a number of the reports, such as `questions` or `moved`, over all contests."""
        return sum(int(getattr(contest.report, field)) for contest in self.contests)


def audit_judge(
    chat: Chat,
    corpus: Corpus,
    method: str = "pairwise",
    *,
    probabilities: bool = False,
    seed: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> JudgeAudit:
    """Let the judge compare every probe with what it should lose against, one sentence at a time."""
    found = []
    for name, against, expected, texts in _contests(corpus, seed):
        anchors = corpus.sources if against == "source" else first_references(corpus)
        outputs = {"anchor": anchors, "probe": texts}
        report = judge(
            chat, corpus.sources, outputs, method, probabilities=probabilities, seed=seed, may_fail=True
        )
        counts = [0, 0, 0]
        for item in report.judgments.items():
            ranks = dict(zip(item.texts, item.ranks, strict=True))
            if not item.skipped:
                apart = ranks["probe",] - ranks["anchor",]
                counts[(apart > 0) - (apart < 0) + 1] += 1
        won, tied, lost = counts
        found.append(Contest(name, against, expected, won, tied, lost, report))
        progress(1)
    return JudgeAudit(chat.name, found)


def count_contests(corpus: Corpus) -> int:
    """How many contests there are."""
    return sum(1 for _ in _contests(corpus, 1))


def _contests(corpus: Corpus, seed: int) -> Iterator[tuple[str, str, str, list[str]]]:
    """Name, what it is compared with, what is expected, and the texts."""
    for probe in probes():
        if probe.rate in _RATES and probe.group != "reference":
            yield probe.name, "source", probe.expected, probe.output(corpus, seed)
    references = first_references(corpus)
    for one in disturbances():
        yield one.name, "reference", one.expected, [one.change(text) for text in references]

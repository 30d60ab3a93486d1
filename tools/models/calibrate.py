"""Fit and measure the confidences of a corrector.

    python tools/models/calibrate.py cs --fit SOURCE TARGET… --fitted-on "GECCC train" -o cs.calibration.json
    python tools/models/calibrate.py cs --measure test.m2 --groups groups.txt --figure curves.svg

SOURCE and TARGETs are parallel tokenised texts; with `--clean TEXT…`, the curves also learn from changes of
clean text, which are all wrong. A change is right if a target (an annotator's text) has the same change; a
grammatical one also if a target has another change of the same tokens.
GROUPS has a line for every sentence of the test set: its domain.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata_correct.confidence import DEFAULT_THRESHOLD, Calibration, Example, Features, features_of
from errata_correct.corrector import Corrector
from errata_correct.loading import load_corrector
from errata_correct.tokens import differences

_THRESHOLDS = (0.0, 0.5, 0.7, 0.8, 0.9)
_RATES = (1, 2, 5, 10, 20)  # false alarms per 1,000 words
_BINS = 10


class Judged(NamedTuple):
    """A change of the corrector, and whether somebody made it, too."""

    group: str
    kind: str
    margin: float
    confidence: float
    right: bool
    features: Features


def judged(
    corrector: Corrector, sources: Sequence[str], targets: Sequence[Sequence[str]], groups: Sequence[str]
) -> Iterator[Judged]:
    """All changes of these sentences."""
    sentences = [source.split() for source in sources]
    every = replace(corrector, threshold=0.0).changes(sentences)
    for tokens, texts, group, changes in zip(sentences, targets, groups, every, strict=True):
        wanted = {change for text in texts for change in differences(tokens, text.split())}
        for change, confidence, kind in changes:
            right = tuple(change[:3]) in wanted
            if kind == "grammar":  # annotators correct the same error in several ways
                right = right or any(start < change.end and change.start < end for start, end, _ in wanted)
            features = features_of(tokens, change.start, change.end, change.lead, len(changes))
            yield Judged(group, kind, change.margin, confidence, right, features)


def fit(
    corrector: Corrector, paths: Sequence[str], name: str, clean: Sequence[str] = (), level: bool = False
) -> Calibration:
    """The calibration by parallel texts, and by clean ones, in which no change is right.

    Clean texts teach which changes are false alarms. Much clean text makes all confidences too low for texts
    with errors; `level` raises them to what fits the parallel texts, without changing their order.
    """
    sources, *targets = (list(read_lines(path)) for path in paths)
    rows = examples(corrector, sources, list(zip(*targets, strict=True)))
    right = [line for path in clean for line in read_lines(path)]
    found = Calibration.fit(rows + examples(corrector, right, [[line] for line in right]), name)
    return found.levelled(rows) if level else found


def examples(corrector: Corrector, sources: Sequence[str], targets: Sequence[Sequence[str]]) -> list[Example]:
    """What the curves are fitted to."""
    rows = judged(corrector, sources, targets, [""] * len(sources))
    return [Example(row.kind, row.margin, row.right, row.features) for row in rows]


def calibration_error(rows: Sequence[Judged]) -> float:
    """The mean distance of confidence and share of right changes over ten bins of equal size."""
    ordered = sorted((row.confidence, row.right) for row in rows)
    parts = [part for part in np.array_split(np.array(ordered, dtype=float), _BINS) if len(part)]
    return sum(abs(part[:, 0].mean() - part[:, 1].mean()) * len(part) for part in parts) / len(ordered)


def table(rows: Sequence[Judged], words: dict[str, int]) -> Iterator[str]:
    """A Markdown table: what is left at each threshold, by group."""
    yield "| domain | threshold | changes | right | false alarms per 1,000 words |"
    yield "|---|---:|---:|---:|---:|"
    for group in [*sorted(set(words) - {"all"}), "all"]:
        of_group = [row for row in rows if group in ("all", row.group)]
        for threshold in _THRESHOLDS:
            kept = [row.right for row in of_group if row.confidence >= threshold]
            wrong = 1000 * (len(kept) - sum(kept)) / words[group]
            share = 100 * sum(kept) / max(len(kept), 1)
            yield f"| {group} | {threshold:g} | {len(kept):,} | {share:.1f} % | {wrong:.2f} |"


def at_rates(rows: Sequence[Judged], words: dict[str, int]) -> Iterator[str]:
    """A Markdown table: the share of right changes at fixed rates of false alarms, by group."""
    yield "| domain | " + " | ".join(f"{rate:g} per 1,000" for rate in _RATES) + " |"
    yield "|---|" + "---:|" * len(_RATES)
    for group in [*sorted(set(words) - {"all"}), "all"]:
        of_group = sorted(
            (row for row in rows if group in ("all", row.group)), key=lambda row: -row.confidence
        )
        good = np.cumsum([row.right for row in of_group])
        number = np.arange(1, len(of_group) + 1)
        alarms = 1000 * (number - good) / words[group]
        cells = []
        for rate in _RATES:
            last = int(np.searchsorted(alarms, rate, side="right")) - 1
            reached = alarms[-1] > rate
            share = f"{100 * good[last] / number[last]:.1f} % of {number[last]:,}"
            cells.append(f"{share} (≥ {of_group[last].confidence:.2f})" if reached else "–")
        yield f"| {group} | " + " | ".join(cells) + " |"


def draw(rows: Sequence[Judged], words: dict[str, int], title: str) -> Any:
    """Precision over false alarms by group, and confidence against the share of right changes."""
    from errata.report.plots import COLORS

    def fill(figure: Any) -> None:
        figure.set_size_inches(9, 3.6)
        left, right = figure.subplots(1, 2)
        groups = [*sorted(set(words) - {"all"}), "all"] if len(words) > 2 else ["all"]
        for group, color in zip(groups, (*COLORS[: len(groups) - 1], "#000000"), strict=True):
            of_group = sorted(
                (row for row in rows if group in ("all", row.group)), key=lambda r: -r.confidence
            )
            good = np.cumsum([row.right for row in of_group])
            number = np.arange(1, len(of_group) + 1)
            alarms = 1000 * (number - good) / words[group]
            ends = np.array([row.confidence for row in of_group])
            ends = np.append(ends[1:] != ends[:-1], True) & (number >= 30)  # equal confidences come together
            left.plot(alarms[ends], 100 * (good / number)[ends], color=color, label=group, linewidth=1.4)
            at = sum(row.confidence >= DEFAULT_THRESHOLD for row in of_group) - 1
            if at >= 0:
                left.plot(alarms[at], 100 * good[at] / number[at], "o", color=color, markersize=5)
        left.set(xlabel="false alarms per 1,000 words", ylabel="right changes (%)", title=title)
        left.legend(frameon=False, fontsize=8)
        ordered = np.array(sorted((row.confidence, row.right) for row in rows), dtype=float)
        parts = np.array_split(ordered, _BINS)
        right.plot([0, 100], [0, 100], color="#999999", linewidth=0.8)
        right.plot(
            [100 * p[:, 0].mean() for p in parts], [100 * p[:, 1].mean() for p in parts], "o-",
            color=COLORS[0], markersize=4,
        )  # fmt: skip
        right.set(xlabel="confidence (%)", ylabel="right changes (%)", title="Calibration", xlim=(0, 100))
        right.set_ylim(0, 100)

    return fill


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fit", nargs="+", metavar="TEXT")
    parser.add_argument(
        "--clean", nargs="+", metavar="TEXT", default=[], help="clean tokenised sentences: no change is right"
    )
    parser.add_argument(
        "--level", action="store_true", help="fit the level of all to the parallel texts alone"
    )
    parser.add_argument(
        "--together", type=int, metavar="WORDS",
        help="give changes with at most so many words between them the mean of their confidences",
    )  # fmt: skip
    parser.add_argument(
        "--least", type=float, metavar="P", help="the confidence with which changes are made by default"
    )
    parser.add_argument("--fitted-on", default="")
    parser.add_argument("--measure", metavar="M2")
    parser.add_argument("--groups")
    parser.add_argument("--figure")
    parser.add_argument("--title", default="")
    parser.add_argument("--output", "-o")
    options = parser.parse_args()
    corrector = load_corrector(options.model)
    if options.fit:
        curves = fit(corrector, options.fit, options.fitted_on, options.clean, options.level)
        curves = replace(curves, together=options.together)
        if options.least is not None:
            curves = replace(curves, thresholds={"all": options.least})
        corrector = replace(corrector, calibration=curves)
        if options.output:
            curves.save(options.output)
    if options.measure:
        corpus = read_m2(options.measure)
        groups = list(read_lines(options.groups)) if options.groups else ["all"] * len(corpus)
        rows = list(judged(corrector, corpus.sources, [s.references for s in corpus], groups))
        words = {"all": sum(len(segment.tokens) for segment in corpus)}
        for segment, group in zip(corpus, groups, strict=True):
            if group != "all":
                words[group] = words.get(group, 0) + len(segment.tokens)
        print(
            f"{len(rows):,} changes, calibration error {100 * calibration_error(rows):.2f} points",
            file=sys.stderr,
        )
        print("\n".join(table(rows, words)), "", *at_rates(rows, words), sep="\n")
        if options.figure:
            from errata.report.plots import save_figure

            save_figure(draw(rows, words, options.title), options.figure)


if __name__ == "__main__":
    main()

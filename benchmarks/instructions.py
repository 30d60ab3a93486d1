"""Instructions that each kernel executes on a fixed small input, counted by valgrind.

    python benchmarks/instructions.py                count, and compare with instructions.json
    python benchmarks/instructions.py --check        the same; exit with 1 where a kernel needs 2 % more
    python benchmarks/instructions.py --write        count, and make that the baseline

Counts do not depend on what else the machine does: the same code gives the same number, to the last digit.
They do depend on the compiler; a baseline made with another one says nothing (exit code 2). Two processes
load the same things and only one of them works: the difference within a kernel's own shared object is its
count. What it calls in other libraries (exp, memset) is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import installed

from errata import kernels
from errata.tables import Column, Table

BASELINE = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.02
_COST = frozenset("0123456789+-*")


def jobs() -> dict[str, Callable[[], Any]]:
    """Work for every kernel; what is done here is not counted."""
    import numpy as np

    from errata import BLEU, CER, ERRANT, GLEU, GLEU2015, M2, TER, WER, Extractor, IMeasure, sample
    from errata.corpus.content_hashes import source_codes
    from errata.corpus.files import read_bytes, read_lines
    from errata.corpus.m2 import parse_m2
    from errata.corpus.model import EditedLines
    from errata.correct.loading import load_corrector
    from errata.correct.rates import Rates
    from errata.correct.tokens import Sentences
    from errata.edits import english, universal
    from errata.edits.columns import Columns
    from errata.edits.merging import merge
    from errata.edits.taggers.embedded import EmbeddedTagger
    from errata.human.formats import read_judgments
    from errata.human.pairs import expanded_pairs
    from errata.human.trueskill import trueskill_runs
    from errata.metrics.cleme import CLEME, CLEME2
    from errata.metrics.editing.emdiff import EMDiff
    from errata.metrics.editing.sari import SARI
    from errata.metrics.gotoscorer import GoToScorer
    from errata.metrics.statistics import Statistics
    from errata.significance.kendall import count_pairs
    from errata.text.mteval import spaced_13a
    from errata.text.vocabulary import Vocabulary

    texts = sample.load("en")
    corpus, lines = texts.corpus, texts.outputs["neural"]
    clean = read_lines(texts.folder / "minimal.txt")
    gold = read_bytes(next(texts.folder.glob("*.m2")))
    words = sorted({word for line in clean for word in line.split() if word.isalpha()})
    tokens = [line.split() for line in corpus.sources]
    pairs = expanded_pairs(read_judgments(texts.folder / "rankings.xml"))
    tagger = EmbeddedTagger("en")
    extractor = Extractor("en", tagger, jobs=1)
    both = [tuple(text.split()) for text in (*corpus.sources, *lines)]
    analyses = extractor.tag(both)
    tagged = [analyses[sentence] for sentence in both]
    columns = Columns()
    columns.add_tagged(tagged)
    places = np.stack([np.arange(len(corpus)), len(corpus) + np.arange(len(corpus))], axis=1)
    aligned = english.aligner().align(columns, places)
    edits = merge(columns, places, aligned, "rules", english.merge_rules(), 1)
    channel: Any = load_corrector("en")
    channel.prepare()
    grammar = channel.grammar
    read = [list(map(grammar.token, sentence.forms, sentence.tags)) for sentence in tagged]
    grammar.patterns.search.classes([token for row in read for token in row])
    noise = Rates().noise(words, tokenized=True)
    noise.apply(clean[:1])
    generator = np.random.default_rng(1)
    values = generator.integers(0, 4, (400, 3))
    values[:, 1:] += values[:, :1]
    rows = np.arange(0, 401, 2), np.tile([0, 1], 200)
    weights = generator.multinomial(200, [1 / 200] * 200, 40)
    given: Any = {"tagger": "embedded", "references": "given"}  # so that nothing is extracted
    chunked = CLEME(**given), CLEME2(**given, assumption="independent"), GoToScorer(**given)
    edited = EditedLines(lines, [*extractor.extract_all(zip(corpus.sources, lines, strict=True))])
    for one in chunked:
        one.extractor.jobs = 1
    ones = np.ones((10, len(corpus)), dtype=np.int64)

    def counted(metric: Any) -> Statistics:
        return Statistics(metric.columns, values, *rows)

    def statistics(*metrics: Any) -> None:
        for metric in metrics:
            metric.statistics(corpus, lines, jobs=1)

    def number_and_digest() -> None:
        Vocabulary().encode_lines(spaced_13a(corpus.sources))
        source_codes(corpus)

    return {
        "align": lambda: english.aligner().align(columns, places),
        "bounds": number_and_digest,
        "changes": lambda: statistics(EMDiff()),
        "channel": lambda: channel.correct_tokens(tokens[:10], jobs=1),
        "distance": lambda: statistics(WER(), CER()),
        "english": lambda: english.types(extractor.words).types(columns, places[edits.pairs], edits.spans, 1),
        "edit_matches": lambda: [one.aggregate(one.statistics(corpus, edited), ones) for one in chunked],
        "inversions": lambda: count_pairs(values[:, 0], values[:, 1]),
        "imeasure": lambda: statistics(IMeasure()),
        "lexicon": lambda: channel.candidates.find([word.lower() for word in words], jobs=1),
        "m2": lambda: statistics(M2()),
        "m2_lines": lambda: parse_m2(gold, "gold.m2"),
        "merging": lambda: merge(columns, places, aligned, "rules", english.merge_rules(), 1),
        "ngrams": lambda: statistics(GLEU(), GLEU2015(), BLEU(), SARI()),
        "noising": lambda: noise.apply(clean),
        "patterns": lambda: list(grammar.patterns.search.hits(read)),
        "scans": lambda: [one.aggregate(counted(one), weights) for one in (M2(), ERRANT())],
        "sentences": lambda: Sentences.of_texts(corpus.sources),
        "tagger": lambda: EmbeddedTagger("en").tag(tokens, jobs=1),
        "tokens": number_and_digest,
        "ter": lambda: statistics(TER()),
        "trigrams": lambda: channel.beam.costs([list(range(3, 40))] * 20, [2] * 20),
        "trueskill": lambda: trueskill_runs(pairs, runs=4, matches=500, jobs=1),
        "universal": lambda: universal.types(extractor.words).types(
            columns, places[edits.pairs], edits.spans, 1
        ),
    }


def in_objects(path: Path) -> Counter[str]:
    """Instructions within each shared object, by name, from a file of callgrind's."""
    names: dict[str, str] = {}
    found: Counter[str] = Counter()
    here, called = "", False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(("ob=", "cob=")):
                kind, _, rest = line.strip().partition("=")
                number, _, name = rest.partition(" ")
                if name:
                    names[number] = Path(name).name
                if kind == "ob":
                    here = number
            elif line.startswith("calls="):
                called = True  # the next line is the cost of what was called, counted there
            elif line[0] in _COST:
                if not called:
                    found[names.get(here, here)] += int(line.split()[1])
                called = False
    return found


def count() -> dict[str, int]:
    """Instructions of every kernel."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "ERRATA_JOBS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("ERRATA_PURE", None)
    with TemporaryDirectory() as folder:
        started = []
        for mode in ("load", "work"):
            target = Path(folder, mode)
            command = [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={target}",
                sys.executable,
                __file__,
            ]
            pipe = subprocess.PIPE
            started.append(
                subprocess.Popen(
                    [*command, f"--{mode}"], stdout=pipe, stderr=pipe, text=True, env=environment
                )
            )
        for process in started:
            _, said = process.communicate()
            if process.returncode:
                sys.exit(f"valgrind failed:\n{said[-2000:]}")
        load, work = (in_objects(Path(folder, mode)) for mode in ("load", "work"))
    return {
        name: sum(n for file, n in (work - load).items() if file.partition(".")[0] == name)
        for name in kernels.names()
    }


def environment() -> dict[str, str]:
    """What counts depend on besides the code."""
    [binary] = kernels.__path__
    objects = sorted(Path(binary).glob("m2.*.so"))
    found = re.findall(rb"(?:GCC: \(|clang version )[^\0]+", objects[0].read_bytes()) if objects else []
    compiler = found[0].decode() if found else "unknown"
    return {
        "compiler": compiler,
        "cython": installed("Cython") or "",
        "python": ".".join(platform.python_version_tuple()[:2]),
        "machine": platform.machine(),
    }


def compare(counts: dict[str, Any], baseline: dict[str, Any]) -> tuple[Table, list[str], list[str]]:
    """The table, the kernels that got worse, and what the baseline was made with that is another now."""
    rows: list[list[Any]] = []
    worse = []
    for name, now in counts["kernels"].items():
        before = baseline["kernels"].get(name)
        change = None if not before else now / before - 1
        rows.append([name, now, before, None if change is None else f"{change:+.2%}"])
        if change is not None and change > TOLERANCE:
            worse.append(name)
    other = [
        f"{what}: {baseline[what]} then, {counts[what]} now"
        for what in environment()
        if baseline.get(what) != counts.get(what)
    ]
    columns = [Column("kernel"), Column("instructions"), Column("baseline"), Column("change")]
    notes = [f"the baseline was made with another {what}" for what in other]
    return Table(columns, rows, title="Instructions of the kernels", notes=notes), worse, other


def possible() -> str | None:
    """Why counting is not possible here, or None."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    if not all(map(kernels.compiled, kernels.names())):
        return "the kernels are not compiled"
    return None


def counted() -> dict[str, Any]:
    """Counts and what they depend on, as the baseline keeps them."""
    return {**environment(), "kernels": count()}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help=f"exit with 1 at more than {100 * TOLERANCE:.0f} percent"
    )
    parser.add_argument("--write", action="store_true", help="make the counts the baseline")
    parser.add_argument("--baseline", type=Path, default=BASELINE)
    parser.add_argument("--counts", type=Path, help="counts made before, in place of counting")
    parser.add_argument("--load", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load or options.work:
        for work in jobs().values():
            if options.work:
                work()
        return 0
    if options.counts:
        counts = json.loads(options.counts.read_text())
    elif reason := possible():
        print(f"instructions were not counted: {reason}")
        return 2
    else:
        counts = counted()
    if options.write:
        options.baseline.write_text(json.dumps(counts, indent=1) + "\n")
    table, worse, other = compare(counts, json.loads(options.baseline.read_text()))
    print(table)
    if not options.check:
        return 0
    if other:
        return 2
    if worse:
        print(f"more than {TOLERANCE:.0%} above the baseline: {', '.join(worse)}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

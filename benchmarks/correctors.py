"""How quickly errors are made and corrected.

    python benchmarks/correctors.py TEXT [TRANSFORMER]
    python benchmarks/correctors.py --sentences 1000000 -o million.txt TEXT…
    python benchmarks/correctors.py --command cs million.txt

The first measures making errors and correcting within a process. The second writes sentences to correct, made
of texts: first all different ones, then the same with other words between blanks exchanged, until there are
enough. The third runs `errata correct` on such a file and tells seconds of the clock and of the processor.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from measure import best_of, seconds_of

from errata.corpus.files import open_output, stream_lines
from errata_correct.loading import load_corrector, load_suggester
from errata_correct.noisy_channel import NoisyChannel
from errata_correct.profile import Profile
from errata_correct.tokens import sentences, tokenize

LETTERS = "aábcčdďeéěfghiíjklmnňoóprřsštťuúůvyýzž"
PROFILE = Profile(
    chances={"insert": 0.02, "swap": 0.01, "lower": 0.1, "strip_line": 0.02, "join": 0.01},
    words={",": {"": 0.3}, "se": {"si": 0.05}},
    characters={c: {"delete": 0.005, "replace x": 0.005} for c in LETTERS},
)


def distinct(paths: Sequence[str], count: int) -> Iterator[str]:
    """So many sentences of texts; where these are not enough, sentences with two words of others in them."""
    seen: dict[str, None] = {}
    for path in paths:
        for line in stream_lines(path):
            for sentence in sentences(line):
                if 20 < len(sentence) < 400 and sentence not in seen:
                    seen[sentence] = None
                    yield sentence
                    if len(seen) == count:
                        return
    found, draw = list(seen), random.Random(1)
    for number in range(count - len(found)):
        words = found[number % len(found)].split()
        others = draw.choice(found).split()
        for _ in range(2):
            words[draw.randrange(len(words))] = draw.choice(others)
        yield " ".join(words)


def command(model: str, path: str, jobs: int) -> None:
    """Time `errata correct` on a file."""
    lines = sum(1 for _ in stream_lines(path))
    program = [sys.executable, "-m", "errata", "correct", "--quiet", "-m", model, "-j", str(jobs), path]
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*program, "-o", os.devnull], check=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"errata correct -m {model} -j {jobs}: {lines:,} sentences in {wall:.1f} s ({cpu:.1f} s of the "
        f"processor, {1000 * cpu / lines:.3f} s per 1,000 sentences, {after.ru_maxrss / 1024:,.0f} MB)"
    )


def within(path: str, transformer: str | None) -> None:
    """Time making errors and correcting them in this process."""
    lines = list(
        itertools.islice((s for line in stream_lines(path) for s in sentences(line) if len(s) > 20), 60_000)
    )
    for jobs in (1, 2):
        best = best_of(lambda j=jobs: list(PROFILE.noise().stream(lines, jobs=j)), 3, time.perf_counter)
        print(f"noise, {jobs} threads: {len(lines) / best:,.0f} sentences/s")
    channel = load_corrector("cs")
    assert isinstance(channel, NoisyChannel)
    tokens = [tokenize(line) for line in PROFILE.noise().apply(lines[:5000])]
    channel.correct_tokens(tokens[:10])
    words = sum(map(len, tokens))
    for what in ("new words", "words seen before"):
        spent = seconds_of(lambda: channel.correct_tokens(tokens, jobs=1))
        print(f"noisy channel, a core, {what}: {words / spent:,.0f} words/s")
    if transformer:
        model = load_suggester(transformer)
        some = lines[:300]
        model.correct(some[:50])
        ways = {"with confidences": model.correct, "without": model.corrector.correct}
        for name, correct in ways.items():
            spent = seconds_of(lambda c=correct: c(some), time.perf_counter)
            print(f"Transformer {transformer}, {name}: {len(some) / spent:,.1f} sentences/s on all cores")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", metavar="TEXT")
    parser.add_argument("--sentences", type=int, help="write so many sentences")
    parser.add_argument("--output", "-o", type=Path, help="where to")
    parser.add_argument("--command", metavar="MODEL", help="time `errata correct` with this model")
    parser.add_argument("--jobs", "-j", type=int, default=0)
    options = parser.parse_args()
    if options.sentences:
        if not options.output:
            parser.error("--sentences needs --output")
        with open_output(options.output) as file:
            file.writelines(f"{line}\n" for line in distinct(options.paths, options.sentences))
    elif options.command:
        command(options.command, options.paths[0], options.jobs)
    else:
        within(options.paths[0], options.paths[1] if len(options.paths) > 1 else None)


if __name__ == "__main__":
    main()

"""How quickly errors are made and corrected: `python benchmarks/correctors.py TEXT [TRANSFORMER]`."""

from __future__ import annotations

import itertools
import sys
import time

from measure import best_of, seconds_of

from errata.corpus.files import stream_lines
from errata.correct.loading import load_corrector, load_suggester
from errata.correct.noisy_channel import NoisyChannel
from errata.correct.profile import Profile
from errata.correct.tokens import sentences, tokenize


def main() -> None:
    path = sys.argv[1]
    lines = list(
        itertools.islice((s for line in stream_lines(path) for s in sentences(line) if len(s) > 20), 60_000)
    )
    letters = "aábcčdďeéěfghiíjklmnňoóprřsštťuúůvyýzž"
    profile = Profile(
        chances={"insert": 0.02, "swap": 0.01, "lower": 0.1, "strip_line": 0.02, "join": 0.01},
        words={",": {"": 0.3}, "se": {"si": 0.05}},
        characters={c: {"delete": 0.005, "replace x": 0.005} for c in letters},
    )
    for jobs in (1, 2):
        best = best_of(lambda j=jobs: list(profile.noise().stream(lines, jobs=j)), 3, time.perf_counter)
        print(f"noise, {jobs} threads: {len(lines) / best:,.0f} sentences/s")
    channel = load_corrector("cs")
    assert isinstance(channel, NoisyChannel)
    tokens = [tokenize(line) for line in profile.noise().apply(lines[:5000])]
    channel.correct_tokens(tokens[:10])
    words = sum(map(len, tokens))
    spent = seconds_of(lambda: channel.correct_tokens(tokens, jobs=1))
    print(f"noisy channel, a core: {words / spent:,.0f} words/s")
    if len(sys.argv) > 2:
        transformer = load_suggester(sys.argv[2])
        some = lines[:300]
        transformer.correct(some[:50])
        ways = {"with confidences": transformer.correct, "without": transformer.corrector.correct}
        for name, correct in ways.items():
            spent = seconds_of(lambda c=correct: c(some), time.perf_counter)
            print(f"Transformer {sys.argv[2]}, {name}: {len(some) / spent:,.1f} sentences/s on all cores")


if __name__ == "__main__":
    main()

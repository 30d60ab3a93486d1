"""How many tokens a second the embedded taggers tag on one core: python benchmarks/tagger.py [FILE]."""

from __future__ import annotations

import sys
from pathlib import Path

from measure import seconds_of

from errata.edits.taggers.embedded import EmbeddedTagger

TEXT = "The cat that sat on the mat , I think , was not at all happy with 3 new dogs in London ."


def main() -> None:
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if len(sys.argv) > 1 else [TEXT] * 5000
    sentences = [line.split() for line in lines]
    count = sum(map(len, sentences))
    print(f"{count:,} tokens, one thread; cold: every word seen for the first time")
    print(f"{'tagger':<16}{'cold':>12}{'warm':>12}  tokens/s")
    for name in ("en", "en-ud", "cs"):
        tagger = EmbeddedTagger(name)
        seconds = [seconds_of(lambda t=tagger: t.tag(sentences, jobs=1)) for _ in range(4)]
        print(f"embedded:{name:<7}{count / seconds[0]:>12,.0f}{count / min(seconds[1:]):>12,.0f}")


if __name__ == "__main__":
    main()

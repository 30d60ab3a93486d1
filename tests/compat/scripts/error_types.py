"""Error types of a parallel text, with their shares and an example of each."""

import sys
from collections import Counter

import errant

annotator = errant.load("en")
counts, examples = Counter(), {}
for source, target in zip(open(sys.argv[1]), open(sys.argv[2])):
    orig, cor = annotator.parse(source.strip()), annotator.parse(target.strip())
    for edit in annotator.annotate(orig, cor, merging="all-split"):
        counts[edit.type] += 1
        examples.setdefault(edit.type, f"{edit.o_str} -> {edit.c_str}")
total = sum(counts.values())
for name, count in counts.most_common():
    print(f"{name:20}{count:6}{100 * count / total:8.2f}  {examples[name]}")

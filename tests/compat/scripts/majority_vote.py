"""Combines systems: an edit that most of them propose is applied, unless it is about punctuation."""

import sys
from collections import Counter

import errant

annotator = errant.load("en")
source_file, *output_files = sys.argv[1:]
for source, *outputs in zip(*map(open, (source_file, *output_files))):
    orig = annotator.parse(source.strip())
    votes = Counter()
    for output in outputs:
        edits = annotator.annotate(orig, annotator.parse(output.strip()))
        votes.update({(e.o_start, e.o_end, e.c_str) for e in edits if e.type[2:] != "PUNCT"})
    tokens, right = [token.text for token in orig], len(orig)
    for (start, end, words), count in sorted(votes.items(), reverse=True):
        if 2 * count > len(outputs) and end <= right:
            tokens[start:end] = words.split()
            right = start
    print(" ".join(tokens))

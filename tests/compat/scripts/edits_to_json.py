"""Edits of a parallel text as JSON lines, for the annotation of training data."""

import json
import sys

import errant

annotator = errant.load("en")
with open(sys.argv[1]) as sources, open(sys.argv[2]) as targets:
    for source, target in zip(sources, targets):
        orig = annotator.parse(source.strip())
        cor = annotator.parse(target.strip())
        edits = [
            {"start": e.o_start, "end": e.o_end, "original": e.o_str, "correction": e.c_str, "type": e.type}
            for e in annotator.annotate(orig, cor)
        ]
        print(json.dumps({"text": source.strip(), "edits": edits}))

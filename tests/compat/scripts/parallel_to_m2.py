"""A parallel text as an M2 file: the loop of errant_parallel, without its command line."""

import sys

import errant

annotator = errant.load("en")
for lines in zip(*map(open, sys.argv[1:])):
    orig = annotator.parse(lines[0].strip())
    print("S", " ".join(token.text for token in orig))
    for cor_id, line in enumerate(lines[1:]):
        if line.strip() == lines[0].strip():
            print(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{cor_id}")
            continue
        alignment = annotator.align(orig, annotator.parse(line.strip()), lev=True)
        for edit in annotator.merge(alignment):
            print(annotator.classify(edit).to_m2(cor_id))
    print()

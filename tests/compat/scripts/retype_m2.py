"""Gives the edits of an M2 file the types of ERRANT, as scripts for new corpora do."""

import sys

import errant


def corrected(tokens, edits):
    """The corrected tokens, and the span of every edit in them."""
    tokens, spans, shift = list(tokens), [], 0
    for start, end, words in edits:
        tokens[start + shift : end + shift] = words
        spans.append([start, end, start + shift, start + shift + len(words)])
        shift += len(words) - (end - start)
    return tokens, spans


annotator = errant.load("en")
for block in open(sys.argv[1]).read().strip().split("\n\n"):
    source, *lines = block.split("\n")
    fields = [line[2:].split("|||") for line in lines if line.endswith("|||0")]
    spans = [(*map(int, field[0].split()), field[2].split()) for field in fields if field[1] != "noop"]
    spans = sorted((s, e, [] if w == ["-NONE-"] else w) for s, e, w in spans)
    tokens, spans = corrected(source[2:].split(), spans)
    orig, cor = annotator.parse(source[2:]), annotator.parse(" ".join(tokens))
    print(source)
    for span in spans:
        edit = annotator.import_edit(orig, cor, span)
        print(edit.to_m2(), "|", edit)

"""The rules give random edits and alignments what was recorded for them; see `random_edits.py`."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from errata.edits import czech, english, universal
from errata.edits.alignment import Alignments
from errata.edits.columns import Columns
from errata.edits.merging import merge
from random_edits import LANGUAGES, Recorded, spans_of, written

MODULES = {"en": english, "cs": czech, "xx": universal}
# Every type that the rules can give a two-sided edit.
CATEGORIES = {
    "en": """ADJ ADJ:FORM ADV CONJ CONTR DET MORPH NOUN NOUN:INFL NOUN:NUM NOUN:POSS ORTH OTHER PART PREP PRON
        PUNCT SPELL VERB VERB:FORM VERB:INFL VERB:SVA VERB:TENSE WO""",
    "cs": """PUNCT DIACR ORTH:WSPACE ORTH:CASING ORTH QUOTATION WO WO:SPELL SPELL MORPH OTHER ADJ ADJ:INFL ADP
        ADV ADV:INFL AUX AUX:INFL CCONJ DET INTJ NOUN NOUN:INFL NUM NUM:INFL PART PRON PRON:INFL PROPN
        PROPN:INFL SCONJ VERB VERB:INFL""",
    "xx": """PUNCT DIACR ORTH:WSPACE ORTH:CASING ORTH QUOTATION WO SPELL MORPH OTHER ADJ ADJ:INFL ADP ADV
        ADV:INFL AUX AUX:INFL CCONJ DET DET:INFL INTJ NOUN NOUN:INFL NUM NUM:INFL PART PRON PRON:INFL PROPN
        PROPN:INFL SCONJ VERB VERB:INFL""",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_edits_have_the_recorded_types(language: str) -> None:
    recorded = Recorded(language)
    edits = [*recorded.generator.edits()]
    columns = Columns()
    columns.add_tagged([sentence for edit in edits for sentence in (edit.source, edit.correction)])
    spans = np.array([edit.span for edit in edits], dtype=np.int32)
    rules = MODULES[language].types(recorded.generator.word_list())
    types = rules.types(columns, np.arange(2 * len(edits)).reshape(-1, 2), spans)
    assert len(types) == len(recorded.types)
    for edit, kind, expected in zip(edits, types, recorded.types, strict=True):
        assert kind == expected, edit
    assert Counter(types) == recorded.counts
    assert {f"R:{category}" for category in CATEGORIES[language].split()} <= {*recorded.counts}


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_alignments_are_merged_as_recorded(language: str) -> None:
    recorded = Recorded(language)
    alignments = recorded.generator.alignments()
    merged = iter(recorded.merged)
    while batch := [*islice(alignments, 2000)]:
        columns = Columns()
        columns.add_tagged([s for alignment in batch for s in (alignment.source, alignment.correction)])
        pairs = np.arange(2 * len(batch)).reshape(-1, 2)
        counts = np.array([len(alignment.steps) for alignment in batch])
        steps = np.concatenate([alignment.steps for alignment in batch]).astype(np.int32)
        given = Alignments(np.append(0, np.cumsum(counts)), steps, counts, ("",) * len(batch))
        rules = MODULES[language].merge_rules()
        found = {}
        for strategy in {alignment.strategy for alignment in batch}:
            spans: list[list[tuple[int, ...]]] = [[] for _ in batch]
            result = merge(columns, pairs, given, strategy, rules)
            for pair, span in zip(result.pairs.tolist(), result.spans.tolist(), strict=True):
                spans[pair].append(tuple(span))
            found[strategy] = spans
        for number, (alignment, expected) in enumerate(zip(batch, islice(merged, len(batch)), strict=True)):
            spans_here = found[alignment.strategy][number]
            assert written(alignment.steps, spans_here) == expected, alignment
            assert spans_of(alignment.steps, expected) == spans_here

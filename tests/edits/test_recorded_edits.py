"""The rules give random edits and alignments what was recorded for them; see `random_edits.py`."""

from __future__ import annotations

from collections import Counter

import pytest

from errata.edits.language import Language, Place, TaggedEdit, language
from errata.edits.merge import Step, merge, merge_by_rules
from errata.edits.universal import are_signs
from random_edits import LANGUAGES, RandomAlignment, RandomEdit, Recorded, spans_of, written

CODES = {"en": "en", "cs": "cs", "xx": "xx"}
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


def tagged_edit(edit: RandomEdit) -> TaggedEdit:
    source, correction = edit.source.tokens, edit.correction.tokens
    start, end, to_start, to_end = edit.span
    places = Place(source, edit.source.heads, start), Place(correction, edit.correction.heads, to_start)
    return TaggedEdit(source[start:end], correction[to_start:to_end], lambda: places)


def steps_of(alignment: RandomAlignment) -> list[Step]:
    """The steps without matches."""
    spans = spans_of(alignment.steps, "".join("[" if step else "=" for step in alignment.steps))
    return [*map(Step, filter(None, alignment.steps), *zip(*spans, strict=True))]


def has_new_rule(edit: TaggedEdit, rules: Language, kind: str) -> bool:
    """Universal rules since then: signs are PUNCT, and a word list that lacks both words says nothing."""
    first = [*edit.source[:1], *edit.correction[:1]]  # the others may be the same
    signs = any(are_signs([word]) for word in (*edit.source, *edit.correction))
    return (signs and kind.endswith(":PUNCT")) or (len(first) == 2 and all(map(rules.is_misspelt, first)))


@pytest.mark.slow
@pytest.mark.parametrize("code", LANGUAGES)
def test_random_edits_have_the_recorded_types(code: str) -> None:
    recorded = Recorded(code)
    rules = language(CODES[code], recorded.generator.word_list())
    counts: Counter[str] = Counter()
    for edit, expected in zip(recorded.generator.edits(), recorded.types, strict=True):
        tagged = tagged_edit(edit)
        kind = rules.classify(tagged)
        assert kind == expected or (code == "xx" and has_new_rule(tagged, rules, kind)), edit
        counts[expected] += 1
    assert counts == recorded.counts
    assert {f"R:{category}" for category in CATEGORIES[code].split()} <= {*recorded.counts}


@pytest.mark.slow
@pytest.mark.parametrize("code", LANGUAGES)
def test_random_alignments_are_merged_as_recorded(code: str) -> None:
    recorded = Recorded(code)
    rules = language(CODES[code], recorded.generator.word_list())
    for alignment, expected in zip(recorded.generator.alignments(), recorded.merged, strict=True):
        source, correction = alignment.source.tokens, alignment.correction.tokens

        def merge_run(run: list[Step]) -> list[tuple[int, int, int, int]]:
            operations = "".join("MSID"[step.operation] for step in run)
            o, c = run[0].start, run[0].to_start
            words = source[o : run[-1].end], correction[c : run[-1].to_end]  # noqa: B023
            spans = merge_by_rules(operations, *words, rules)
            return [(o + start, o + end, c + to_start, c + to_end) for start, end, to_start, to_end in spans]

        spans = merge(steps_of(alignment), alignment.strategy, merge_run)
        assert written(alignment.steps, spans) == expected, alignment
        assert spans_of(alignment.steps, expected) == spans

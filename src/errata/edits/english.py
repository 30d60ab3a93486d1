"""English error types (Bryant, Felice & Briscoe 2017), in the version of errant 3.

Every rule asks about words, Penn tags, lemmas and dependency labels (spaCy's, or those of Universal
Dependencies where these differ), so it runs on any tagger that gives these.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from rapidfuzz.distance import Indel, Levenshtein

from errata.edits.alignment import Aligner, CostModel
from errata.edits.merging import MergeRules, Span
from errata.edits.rules import Side, TypeRules
from errata.edits.stemming import lancaster
from errata.edits.tokens import UNKNOWN_HEAD, TaggedSentence
from errata.edits.words import WordList

# What a type calls a Penn tag …
_CLASSES = {
    "ADJ": "AFX JJ JJR JJS",
    "ADV": "RB RBR RBS WRB",
    "CONJ": "CC",
    "DET": "DT PDT PRP$ WDT WP$",
    "INTJ": "UH",
    "NOUN": "NN NNP NNPS NNS",
    "NUM": "CD",
    "PART": "POS RP TO",
    "PREP": "IN",
    "PRON": "EX PRP WP",
    "PUNCT": "'' , -LRB- -RRB- . : HYPH `` \"\"",
    "SPACE": "SP _SP",
    "SYM": "# $ SYM",
    "VERB": "MD VB VBD VBG VBN VBP VBZ BES HVS",
    "X": "FW LS NIL ADD GW NFP XX",
}
CLASS_OF_TAG = {tag: name for name, tags in _CLASSES.items() for tag in tags.split()}
# … and a universal one, where a tagger gives no Penn tag
CLASS_OF_UPOS = {"ADP": "PREP", "AUX": "VERB", "CCONJ": "CONJ", "SCONJ": "CONJ", "PROPN": "NOUN"}
# What it calls a word with one of these dependency labels.
CLASS_OF_LABEL = {
    "acomp": "ADJ",
    "amod": "ADJ",
    "advmod": "ADV",
    "det": "DET",
    "prep": "PREP",
    "prt": "PART",
    "compound:prt": "PART",
    "punct": "PUNCT",
}
AUXILIARY_LABELS = frozenset({"aux", "auxpass", "aux:pass"})
ADJECTIVE_LABELS = frozenset({"acomp", "amod"})
PARTICLE_OR_PREPOSITION = ({"prt", "prep"}, {"compound:prt", "case"})
ARGUMENT_LABELS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "nsubj:pass", "obj", "iobj", "obl"})
POSSESSOR_LABELS = frozenset({"poss", "nmod:poss"})

OPEN = frozenset({"ADJ", "ADV", "NOUN", "VERB"})  # classes with inflection or derivation
RARE = frozenset({"INTJ", "NUM", "SYM", "X", ""})  # classes that make uninformative types

CONTRACTIONS = frozenset({"'d", "'ll", "'m", "n't", "'re", "'s", "'ve"})
FULL_FORMS = {"ca": "can", "sha": "shall", "wo": "will"}  # of auxiliaries before n't

# The tags that decide a verb error, the first that is on one of the sides.
VERB_ERRORS = (("VBG", "VERB:FORM"), ("VBN", "VERB:FORM"), ("VBD", "VERB:TENSE"), ("VBZ", "VERB:SVA"))

# Pairs of words with a type of their own; the first list in either direction.
PAIRS = {frozenset(pair.split()): kind for pair, kind in (("other another", "DET"), ("no not", "OTHER"))}
DIRECTED_PAIRS = {("your", "yours"): "PRON"}
# Further ones, tried later; CLASS stands for the class of the correction.
CLASS = "(class of the correction)"
SIMILAR_PAIRS = {
    frozenset(pair.split()): kind
    for pair, kind in (
        ("that what", "PRON"),
        ("good well", CLASS),
        ("after later", CLASS),
        ("though thought", "SPELL"),
    )
}
SIMILAR_DIRECTED_PAIRS = {
    ("the", "that"): "PRON",
    ("all", "everything"): "PRON",
    ("therefor", "therefore"): "SPELL",
}

# Words that are spelt alike, for real-word spelling errors: (letters of the source, fewest and most letters
# of the correction, least and greatest similarity, type). Thresholds of the official program.
ABOVE_HALF = 0.5 + 1e-9
ALIKE = (
    (1, 2, 2, 0.5, 0.5, "SPELL"),  # i → in
    (2, 2, 3, 0.5, 1.0, "SPELL"),  # in → is, to → too
    (3, 2, 4, 0.5, 1.0, "SPELL"),  # off → of, now → know
    (4, 3, 3, ABOVE_HALF, 1.0, "SPELL"),  # knew → new
    (4, 4, 4, 0.5, 1.0, "SPELL"),  # then → than, form → from
    (4, 5, 5, 0.8, 0.8, "SPELL"),  # hole → whole
    (4, 6, 10**9, ABOVE_HALF, 1.0, CLASS),  # high → height
    (5, 4, 4, 0.8, 0.8, "SPELL"),  # where → were
    (5, 5, 5, 0.6, 1.0, "SPELL"),  # quite → quiet
    (5, 6, 10**9, 0.0, 1.0, CLASS),  # human → people
)


def merge_rules() -> MergeRules:
    verbal = frozenset({"AUX", "PART", "VERB"})
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"}),
        one_verb=lambda kinds, same_number: not same_number and kinds <= verbal,
        similar=lambda one, other: 1 - Indel.normalized_distance(one, other) > 0.75,
        possessive_tag="POS",
    )


def aligner() -> Aligner:
    return Aligner(CostModel.EXACT)


class EnglishTypes(TypeRules):
    """Types of English edits: an operation (M, U, R) and one of 25 categories."""

    def __init__(self, words: WordList) -> None:
        self.words = words

    def context(self, source: TaggedSentence, target: TaggedSentence, span: Span) -> Hashable | None:
        """The columns of both sides; None for other forms of a word, which depend on what is before it."""
        a, b, c, d = span
        lemmas, to_lemmas = source.lemmas[a:b], target.lemmas[c:d]
        if lemmas[:1] == to_lemmas[:1]:
            return None
        return (
            source.forms[a:b], lemmas, source.upos[a:b], source.tags[a:b], source.deps[a:b],
            target.forms[c:d], to_lemmas, target.upos[c:d], target.tags[c:d], target.deps[c:d],
        )  # fmt: skip

    def category(self, sentence: TaggedSentence, token: int) -> str:
        """The class of a word, as types name it."""
        found = CLASS_OF_TAG.get(sentence.tags[token])
        if found is None:
            upos = sentence.upos[token]
            found = CLASS_OF_UPOS.get(upos, upos)
        return found

    # -- one side ----------------------------------------------------------------------------------

    def one_sided(self, side: Side) -> str:
        if len(side) == 1:
            if side.tags[0] == "POS":
                return "NOUN:POSS"
            if side.lower[0] in CONTRACTIONS:
                return "CONTR"
            if side.lower[0] == "to" and side.upos[0] == "PART" and side.deps[0] != "prep":
                return "VERB:FORM"
        classes, labels = set(side.categories), set(side.deps)
        if labels <= AUXILIARY_LABELS:
            return "VERB:TENSE"
        if len(classes) == 1 and side.categories[0] not in RARE:
            return side.categories[0]
        if len(labels) == 1 and side.deps[0] in CLASS_OF_LABEL:
            return CLASS_OF_LABEL[side.deps[0]]
        return "VERB" if classes == {"PART", "VERB"} else "OTHER"

    # -- two sides ---------------------------------------------------------------------------------

    def two_sided(self, o: Side, c: Side) -> str:
        if "".join(o.lower) == "".join(c.lower):
            return "ORTH"
        if sorted(o.lower) == sorted(c.lower):
            return "WO"
        if len(o) == len(c) == 1:
            for found in self._word(o, c):
                if found:
                    return found
        return _phrase(o, c)

    def _word(self, o: Side, c: Side) -> Iterator[str | None]:
        """A word for a word: the rules in order, each with its answer or None."""
        yield _possessive_or_contraction(o, c)
        yield self._spelling(o, c)
        yield _inflection(o, c)
        yield _word_class(o, c)
        if o.forms[0].isalpha() and c.forms[0].isalpha():
            yield _alike(o, c)
        else:
            yield "OTHER"

    def _spelling(self, o: Side, c: Side) -> str | None:
        """The source has no such word: an impossible inflection, a misspelling, or another word."""
        if not o.forms[0].isalpha() or o.forms[0] in self.words:
            return None
        if o.lemmas[0] == c.lemmas[0]:
            same = o.categories == c.categories and o.categories[0] in ("NOUN", "VERB")
            return f"{o.categories[0]}:INFL" if same else "MORPH"
        similarity = Levenshtein.normalized_similarity(o.lower[0], c.lower[0])
        short = len(o.forms[0]) <= 4 and len(c.forms[0]) <= 4
        if similarity > 0.55 or (short and (similarity == 0.5 or round(similarity, 3) == 0.333)):
            return "SPELL"
        return c.categories[0] if c.categories[0] not in RARE else "OTHER"


def _possessive_or_contraction(o: Side, c: Side) -> str | None:
    if "POS" in (o.tags[0], c.tags[0]):
        return "NOUN:POSS"
    one, other = o.lower[0], c.lower[0]
    if (one in CONTRACTIONS or other in CONTRACTIONS) and o.categories == c.categories:
        return "CONTR"
    if FULL_FORMS.get(one) == other or FULL_FORMS.get(other) == one:
        return "CONTR"  # ca → can
    if one in FULL_FORMS or other in FULL_FORMS:
        return "VERB:TENSE"  # ca → could
    if {one, other} == {"was", "were"}:
        return "VERB:SVA"
    return None


def _inflection(o: Side, c: Side) -> str | None:
    """Another form of the same word, or a word derived from it."""
    one, other = o.categories[0], c.categories[0]
    if one not in OPEN or other not in OPEN:
        return None
    if o.lemmas[0] != c.lemmas[0]:
        return "MORPH" if lancaster(o.forms[0]) == lancaster(c.forms[0]) else None
    if one == other == "ADJ":
        return "ADJ:FORM"
    if one == other == "NOUN":
        return "NOUN:NUM"
    if one == other == "VERB":
        if _after_auxiliary(o, c):
            return "VERB:FORM"  # neither tense nor agreement is on a verb behind an auxiliary
        for tag, kind in VERB_ERRORS:
            if tag in (o.tags[0], c.tags[0]):
                return kind
        if o.deps[0].startswith("aux") and c.deps[0].startswith("aux"):
            return "VERB:TENSE"
    if o.deps[0] in ADJECTIVE_LABELS and c.deps[0] in ADJECTIVE_LABELS:
        return "ADJ:FORM"
    if one == "ADJ" and c.tags[0] == "NNS":
        return "NOUN:NUM"  # musical → musicals
    return dict(VERB_ERRORS).get(c.tags[0], "MORPH")


def _word_class(o: Side, c: Side) -> str | None:
    """Another word of the same class, or of one that is easily confused with it."""
    if o.deps[0].startswith("aux") and c.deps[0].startswith("aux"):
        return "VERB:TENSE"
    if o.categories == c.categories and o.categories[0] not in RARE:
        return o.categories[0]
    if o.deps == c.deps and o.deps[0] in CLASS_OF_LABEL:
        return CLASS_OF_LABEL[o.deps[0]]
    classes = {o.categories[0], c.categories[0]}
    if classes == {"PART", "PREP"} or {o.deps[0], c.deps[0]} in PARTICLE_OR_PREPOSITION:
        return "PART"
    if classes == {"DET", "PRON"}:
        if c.deps[0] in ARGUMENT_LABELS:
            return "PRON"
        if c.deps[0] in POSSESSOR_LABELS:
            return "DET"
    if classes == {"NUM", "DET"}:
        return "DET"  # a → one
    one, other = o.lower[0], c.lower[0]
    return PAIRS.get(frozenset((one, other))) or DIRECTED_PAIRS.get((one, other))


def _alike(o: Side, c: Side) -> str | None:
    """Words of letters only: how much they resemble one another decides."""
    source, target = o.forms[0], c.forms[0]
    one, other = o.lower[0], c.lower[0]
    rare = c.categories[0] in RARE

    def typed(kind: str | None) -> str | None:
        return (None if rare else c.categories[0]) if kind == CLASS else kind

    special = SIMILAR_DIRECTED_PAIRS.get((one, other)) or SIMILAR_PAIRS.get(frozenset((one, other)))
    if typed(special):
        return typed(special)
    similarity = Levenshtein.normalized_similarity(one, other)
    for letters, fewest, most, least, greatest, kind in ALIKE:
        if (
            letters == len(source)
            and fewest <= len(target) <= most
            and least <= similarity <= greatest
            and typed(kind)
        ):
            return typed(kind)
    if len(source) > 5 and len(target) > 5:
        if similarity >= 0.66 and (source.startswith(target) or target.startswith(source)):
            return "MORPH"  # health → healthy
        if similarity > 0.8:
            return "SPELL"  # exiting → exciting
        if similarity < 0.55:
            return typed(CLASS)  # learning → studying
    return None


def _phrase(o: Side, c: Side) -> str:
    """Several words on one side or both."""
    classes = {*o.categories, *c.categories}
    labels = {*o.deps, *c.deps}
    same_end = o.lemmas[-1] == c.lemmas[-1]
    if labels <= AUXILIARY_LABELS:
        return "VERB:TENSE"
    if len(classes) == 1:
        if "VERB" in classes and same_end:
            return "VERB:TENSE"  # eat → has eaten
        if not classes <= RARE:
            return o.categories[0]
    if len(labels) == 1 and o.deps[0] in CLASS_OF_LABEL:
        return CLASS_OF_LABEL[o.deps[0]]
    if classes == {"PART", "VERB"}:
        return "VERB:FORM" if same_end else "VERB"  # to eat → eating; to eat → consuming
    if ("NOUN", "PART") in (o.categories, c.categories) and o.lemmas[0] == c.lemmas[0]:
        return "NOUN:POSS"  # friends → friend 's
    degree = {"most", "more"}
    if (o.lower[0] in degree or c.lower[0] in degree) and same_end and len(o) <= 2 and len(c) <= 2:
        return "ADJ:FORM"  # more free → freer
    return "OTHER"


def _after_auxiliary(o: Side, c: Side) -> bool:
    """Whether on both sides an auxiliary stands before the verb; for auxiliaries: before this one."""
    if o.deps[0].startswith("aux") and c.deps[0].startswith("aux"):
        firsts = [
            _first_auxiliary(side.sentence, side.sentence.heads[side.start], side.start) for side in (o, c)
        ]
        return all(
            first is not None and first != side.forms[0] for first, side in zip(firsts, (o, c), strict=True)
        )
    return all(_has_auxiliary(side.sentence, side.start) for side in (o, c))


def _first_auxiliary(sentence: TaggedSentence, head: int, token: int) -> str | None:
    """The first auxiliary of the same verb."""
    if head == UNKNOWN_HEAD:
        before = list(_auxiliaries_before(sentence, token))
        return sentence.forms[before[-1]] if before else sentence.forms[token]
    labels = sentence.deps
    return next((sentence.forms[i] for i in sentence.children[head] if labels[i].startswith("aux")), None)


def _has_auxiliary(sentence: TaggedSentence, token: int) -> bool:
    if sentence.heads[token] == UNKNOWN_HEAD:
        return any(True for _ in _auxiliaries_before(sentence, token))
    return any(sentence.deps[i] in AUXILIARY_LABELS for i in sentence.children[token])


def _auxiliaries_before(sentence: TaggedSentence, token: int) -> Iterator[int]:
    """Without heads: the auxiliaries right before a word, over adverbs, subjects and negation."""
    for i in range(token - 1, -1, -1):
        if sentence.deps[i] in AUXILIARY_LABELS:
            yield i
        elif sentence.upos[i] not in ("ADV", "PART", "PRON"):
            return


def types(words: WordList) -> EnglishTypes:
    return EnglishTypes(words)

"""English error types (Bryant, Felice & Briscoe 2017), in the version of errant 3.

The rules ask about words, Penn tags, lemmas and dependency labels (spaCy's, or those of Universal
Dependencies where these differ), so they work with any tagger that provides these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from errata.edits.language import Language, Place, TaggedEdit, Tokens
from errata.edits.tagged_sentence import UNKNOWN_HEAD, Token

# The class of a Penn tag, as types name it …
_TAGS = {
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
CLASS_OF_TAG = {tag: name for name, tags in _TAGS.items() for tag in tags.split()}
# … of a universal part of speech, for words without a Penn tag …
CLASS_OF_UPOS = {"ADP": "PREP", "AUX": "VERB", "CCONJ": "CONJ", "SCONJ": "CONJ", "PROPN": "NOUN"}
# … and of a dependency label.
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
OPEN = frozenset({"ADJ", "ADV", "NOUN", "VERB"})  # classes with inflection or derivation
RARE = frozenset({"INTJ", "NUM", "SYM", "X", ""})  # classes that would be uninformative types

AUXILIARY_LABELS = frozenset({"aux", "auxpass", "aux:pass"})
ADJECTIVE_LABELS = frozenset({"acomp", "amod"})
ARGUMENT_LABELS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "nsubj:pass", "obj", "iobj", "obl"})
POSSESSOR_LABELS = frozenset({"poss", "nmod:poss"})
PARTICLE_OR_PREPOSITION = ({"prt", "prep"}, {"compound:prt", "case"})

CONTRACTIONS = frozenset({"'d", "'ll", "'m", "n't", "'re", "'s", "'ve"})
FULL_FORMS = {"ca": "can", "sha": "shall", "wo": "will"}  # of auxiliaries before n't
COMPARISON = ("more", "most")

# Verb errors by fine tag; the first tag that one of the two verbs has decides.
VERB_ERRORS = {"VBG": "VERB:FORM", "VBN": "VERB:FORM", "VBD": "VERB:TENSE", "VBZ": "VERB:SVA"}

# Pairs of words with a category of their own, the first ones in either direction.
PAIRS = {frozenset({"other", "another"}): "DET", frozenset({"no", "not"}): "OTHER"}
DIRECTED_PAIRS = {("your", "yours"): "PRON"}
# Pairs that are tried after the word classes; CLASS is replaced by the class of the correction.
CLASS = "(class of the correction)"
SIMILAR_PAIRS = {
    frozenset({"that", "what"}): "PRON",
    frozenset({"good", "well"}): CLASS,
    frozenset({"after", "later"}): CLASS,
    frozenset({"though", "thought"}): "SPELL",
}
SIMILAR_DIRECTED_PAIRS = {
    ("the", "that"): "PRON",
    ("all", "everything"): "PRON",
    ("therefor", "therefore"): "SPELL",
}

# Similar words, for real-word spelling errors: (letters of the source, fewest and most letters of the
# correction, least and greatest similarity, category). The thresholds are those of the official program.
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


class English(Language):
    """English: an operation (M, U, R) and one of 25 categories."""

    content = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
    phrase = frozenset({"AUX", "PART", "VERB"})
    possessive_tag = "POS"

    def one_sided(self, words: Tokens) -> str:
        word = words[0]
        if len(words) == 1:
            if word.tag == "POS":
                return "NOUN:POSS"
            if word.lower in CONTRACTIONS:
                return "CONTR"
            if word.lower == "to" and word.upos == "PART" and word.dep != "prep":
                return "VERB:FORM"
        classes, labels = {*map(word_class, words)}, {word.dep for word in words}
        if labels <= AUXILIARY_LABELS:
            return "VERB:TENSE"
        if len(classes) == 1 and not classes <= RARE:
            return word_class(word)
        if len(labels) == 1 and word.dep in CLASS_OF_LABEL:
            return CLASS_OF_LABEL[word.dep]
        return "VERB" if classes == {"PART", "VERB"} else "OTHER"

    def replacement(self, source: Tokens, correction: Tokens, edit: TaggedEdit) -> str:
        source_words, words = [word.lower for word in source], [word.lower for word in correction]
        if "".join(source_words) == "".join(words):
            return "ORTH"
        if sorted(source_words) == sorted(words):
            return "WO"
        if len(source) == len(correction) == 1:
            return self._word(source[0], correction[0], edit) or _phrase(source, correction)
        return _phrase(source, correction)

    def _word(self, o: Token, c: Token, edit: TaggedEdit) -> str | None:
        """One word for another: the first rule that applies."""
        category = _possessive_or_contraction(o, c)
        if category is None and self.is_misspelt(o):
            category = _misspelt(o, c)
        category = category or _inflection(o, c, edit) or _word_class(o, c)
        if category is None and o.form.isalpha() and c.form.isalpha():
            return _alike(o, c)
        return category or "OTHER"


def word_class(word: Token) -> str:
    """The class of a word, as types name it."""
    return CLASS_OF_TAG.get(word.tag) or CLASS_OF_UPOS.get(word.upos, word.upos)


def _possessive_or_contraction(o: Token, c: Token) -> str | None:
    if "POS" in (o.tag, c.tag):
        return "NOUN:POSS"
    if (o.lower in CONTRACTIONS or c.lower in CONTRACTIONS) and word_class(o) == word_class(c):
        return "CONTR"
    if FULL_FORMS.get(o.lower) == c.lower or FULL_FORMS.get(c.lower) == o.lower:
        return "CONTR"  # ca → can
    if o.lower in FULL_FORMS or c.lower in FULL_FORMS:
        return "VERB:TENSE"  # ca → could
    return "VERB:SVA" if {o.lower, c.lower} == {"was", "were"} else None


def _misspelt(o: Token, c: Token) -> str:
    """The source is not a word: a wrong inflection, a misspelling, or a replaced word."""
    source_class, target_class = word_class(o), word_class(c)
    if o.lemma == c.lemma:
        is_inflection = source_class == target_class and target_class in ("NOUN", "VERB")
        return f"{target_class}:INFL" if is_inflection else "MORPH"
    similarity = Levenshtein.normalized_similarity(o.lower, c.lower)
    are_short = len(o.form) <= 4 and len(c.form) <= 4
    if similarity > 0.55 or (are_short and (similarity == 0.5 or round(similarity, 3) == 0.333)):
        return "SPELL"
    return target_class if target_class not in RARE else "OTHER"


def _inflection(o: Token, c: Token, edit: TaggedEdit) -> str | None:
    """Another form of the same word, or a word derived from it."""
    source_class, target_class = word_class(o), word_class(c)
    if source_class not in OPEN or target_class not in OPEN:
        return None
    if o.lemma != c.lemma:
        return "MORPH" if lancaster(o.form) == lancaster(c.form) else None
    if source_class == target_class == "ADJ":
        return "ADJ:FORM"
    if source_class == target_class == "NOUN":
        return "NOUN:NUM"
    if source_class == target_class == "VERB":
        if _follow_auxiliaries(o, c, edit):
            return "VERB:FORM"  # a verb after an auxiliary shows neither tense nor agreement
        for tag, category in VERB_ERRORS.items():
            if tag in (o.tag, c.tag):
                return category
        if _are_auxiliaries(o, c):
            return "VERB:TENSE"
    if o.dep in ADJECTIVE_LABELS and c.dep in ADJECTIVE_LABELS:
        return "ADJ:FORM"
    if source_class == "ADJ" and c.tag == "NNS":
        return "NOUN:NUM"  # musical → musicals
    return VERB_ERRORS.get(c.tag, "MORPH")


def _word_class(o: Token, c: Token) -> str | None:
    """Another word of the same class, or of one that is easily confused with it."""
    classes = {word_class(o), word_class(c)}
    if _are_auxiliaries(o, c):
        return "VERB:TENSE"
    if len(classes) == 1 and not classes <= RARE:
        return word_class(o)
    if o.dep == c.dep and o.dep in CLASS_OF_LABEL:
        return CLASS_OF_LABEL[o.dep]
    if classes == {"PART", "PREP"} or {o.dep, c.dep} in PARTICLE_OR_PREPOSITION:
        return "PART"
    if classes == {"DET", "PRON"}:
        if c.dep in ARGUMENT_LABELS:
            return "PRON"
        if c.dep in POSSESSOR_LABELS:
            return "DET"
    if classes == {"NUM", "DET"}:
        return "DET"  # a → one
    return PAIRS.get(frozenset((o.lower, c.lower))) or DIRECTED_PAIRS.get((o.lower, c.lower))


def _alike(o: Token, c: Token) -> str | None:
    """The category of two alphabetic words by their similarity."""
    target_class = None if word_class(c) in RARE else word_class(c)
    category = SIMILAR_DIRECTED_PAIRS.get((o.lower, c.lower))
    category = category or SIMILAR_PAIRS.get(frozenset((o.lower, c.lower)))
    category = target_class if category == CLASS else category
    if category:
        return category
    similarity = Levenshtein.normalized_similarity(o.lower, c.lower)
    size, target_size = len(o.form), len(c.form)
    for letters, fewest, most, least, greatest, kind in ALIKE:
        if letters == size and fewest <= target_size <= most and least <= similarity <= greatest:
            category = target_class if kind == CLASS else kind
            if category:
                return category
    if size > 5 and target_size > 5:
        if similarity >= 0.66 and (o.form.startswith(c.form) or c.form.startswith(o.form)):
            return "MORPH"  # health → healthy
        if similarity > 0.8:
            return "SPELL"  # exiting → exciting
        if similarity < 0.55:
            return target_class  # learning → studying
    return None


def _phrase(source: Tokens, correction: Tokens) -> str:
    """Several words on one side or both."""
    o_classes, c_classes = [*map(word_class, source)], [*map(word_class, correction)]
    classes = {*o_classes, *c_classes}
    labels = {word.dep for word in (*source, *correction)}
    has_same_end = source[-1].lemma == correction[-1].lemma
    if labels <= AUXILIARY_LABELS:
        return "VERB:TENSE"
    if classes == {"VERB"} and has_same_end:
        return "VERB:TENSE"  # eat → has eaten
    if len(classes) == 1 and not classes <= RARE:
        return o_classes[0]
    if len(labels) == 1 and source[0].dep in CLASS_OF_LABEL:
        return CLASS_OF_LABEL[source[0].dep]
    if classes == {"PART", "VERB"}:
        return "VERB:FORM" if has_same_end else "VERB"  # to eat → eating; to eat → consuming
    if ["NOUN", "PART"] in (o_classes, c_classes) and source[0].lemma == correction[0].lemma:
        return "NOUN:POSS"  # friends → friend 's
    is_compared = source[0].lower in COMPARISON or correction[0].lower in COMPARISON
    if is_compared and has_same_end and len(source) <= 2 and len(correction) <= 2:
        return "ADJ:FORM"  # more free → freer
    return "OTHER"


def _are_auxiliaries(o: Token, c: Token) -> bool:
    return o.dep.startswith("aux") and c.dep.startswith("aux")


def _follow_auxiliaries(o: Token, c: Token, edit: TaggedEdit) -> bool:
    """Whether both verbs follow an auxiliary; two auxiliaries: whether both follow another one."""
    if _are_auxiliaries(o, c):
        return all(_first_auxiliary(place) not in (None, word.form)
                   for place, word in zip(edit.places(), (o, c), strict=True))  # fmt: skip
    return all(map(_has_auxiliary, edit.places()))


def _first_auxiliary(place: Place) -> str | None:
    """The first auxiliary of the verb to which this auxiliary belongs."""
    tokens, heads, start = place
    if heads[start] == UNKNOWN_HEAD:
        auxiliaries = [*_auxiliaries_before(place)][::-1]
    else:
        auxiliaries = [i for i in _children(heads, heads[start]) if tokens[i].dep.startswith("aux")]
    return tokens[auxiliaries[0]].form if auxiliaries else None


def _has_auxiliary(place: Place) -> bool:
    tokens, heads, start = place
    if heads[start] == UNKNOWN_HEAD:
        return any(True for _ in _auxiliaries_before(place))
    return any(tokens[i].dep in AUXILIARY_LABELS for i in _children(heads, start))


def _auxiliaries_before(place: Place) -> Iterator[int]:
    """For unknown heads: the auxiliaries before a word, right to left. Adverbs and pronouns may intervene."""
    for i in range(place.start - 1, -1, -1):
        if place.tokens[i].dep in AUXILIARY_LABELS:
            yield i
        elif place.tokens[i].upos not in ("ADV", "PART", "PRON"):
            return


def _children(heads: Sequence[int], parent: int) -> Iterator[int]:
    """The dependants of a word, from left to right."""
    return (i for i, head in enumerate(heads) if head == parent != i)


# -- the Lancaster stemmer (Paice 1990) ----------------------------------------------------------------


class _Ending(NamedTuple):
    """Replace `ending` by `instead`."""

    ending: str
    instead: str
    intact: bool  # only if no rule was applied before
    on: bool  # continue with the result


# The rules of the Lancaster stemmer (Paice 1990), by the last letter of the word they apply to, in order.
# "ing" is cut off; "ied>y" is replaced; "!" ends the stemming; "*" applies to whole words only.
_LANCASTER = """
*ia! *a! bb>b! ytic>ys! ic nc>nt dd>d! ied>y ceed>cess! eed>ee! ed hood e lief>liev! if ing iag>y! ag gg>g!
*th! guish>ct! ish *i! i>y ij>id! fuj>fus! uj>ud! oj>od! hej>her! verj>vert! misj>mit! nj>nd! j>s! ifiabl!
iabl>y! abl ibl! bil>bl cl>c! iful>y! ful ul! ial ual al ll>l! ium! *um! ism mm>m! sion>j xion>ct! ion ian an
een>een! en nn>n! ship pp>p! er ear>ear! ar! or ur rr>r! tr>t ier>y ies>y sis>s! is ness ss>ss! ous *us! *s
s>s! plicat>ply! at ment ent ant ript>rib! orpt>orb! duct>duc! sumpt>sum! cept>ceiv! olut>olv! sist>sist! ist
tt>t! iqu! ogu>og! siv>j eiv>eiv! iv bly>bl ily>y ply>ply! ly ogy>og! phy>ph! omy>om! opy>op! ity ety lty>l!
istry! ary ory ify! ncy>nt acy iz yz>ys!
"""


def _lancaster_rules() -> dict[str, list[_Ending]]:
    rules: dict[str, list[_Ending]] = {}
    for text in _LANCASTER.split():
        ending, _, instead = text.strip("*!").partition(">")
        rules.setdefault(ending[-1], []).append(
            _Ending(ending, instead, intact=text.startswith("*"), on=not text.endswith("!"))
        )
    return rules


_STEM_RULES = _lancaster_rules()


@lru_cache(maxsize=1 << 14)
def lancaster(word: str) -> str:
    """The stem of an English word."""
    word = whole = word.lower()
    going = True
    while going:
        letters = "".join(takewhile(str.isalpha, word))
        going = False
        for rule in _STEM_RULES.get(letters[-1:], ()):
            if not word.endswith(rule.ending) or (rule.intact and word != whole):
                continue
            if _is_long_enough(word, _cut_letters(rule)):
                word = word[: len(word) - len(rule.ending)] + rule.instead
                going = rule.on
                break
    return word


def _cut_letters(rule: _Ending) -> int:
    """How many letters the rule removes; letters that it adds again do not count."""
    kept = 0
    for one, other in zip(rule.ending, rule.instead, strict=False):
        if one != other:
            break
        kept += 1
    return len(rule.ending) - kept


def _is_long_enough(word: str, cut: int) -> bool:
    vowels = "aeiouy"
    if word[0] in vowels:
        return len(word) - cut >= 2
    return len(word) - cut >= 3 and (word[1] in vowels or word[2] in vowels)

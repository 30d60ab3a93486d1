"""ERRANT's merging and English types as slow rules over strings, which the kernels must agree with."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from string import punctuation
from typing import NamedTuple

from rapidfuzz.distance import Indel, Levenshtein

from errata.edits.stemming import lancaster
from errata.edits.tagged_sentence import UNKNOWN_HEAD, TaggedSentence
from errata.edits.word_list import WordList

MATCH, SUBSTITUTION, INSERTION, DELETION = "M", "S", "I", "D"
Span = tuple[int, int, int, int]


class Step(NamedTuple):
    """One step of an alignment: an operation on the source tokens `start:end` and the corrected ones."""

    operation: str
    start: int
    end: int
    to_start: int
    to_end: int


def unfolded(codes: Sequence[int]) -> list[Step]:
    """The kernel's numbers of steps as steps."""
    steps, o, c = [], 0, 0
    for code in codes:
        size = 1 if code < 4 else code - 2
        o_end, c_end = o + size * (code != 2), c + size * (code != 3)
        steps.append(Step("MSID"[code] if code < 4 else f"T{size}", o, o_end, c, c_end))
        o, c = o_end, c_end
    return steps


_OF_RUNS = frozenset({DELETION, INSERTION, SUBSTITUTION})
_JOINERS = re.compile("['-]")


@dataclass(frozen=True)
class MergeRules:
    """What the merging rules have to know about a language."""

    content: frozenset[str]  # parts of speech whose presence keeps a run together
    one_verb: Callable[[frozenset[str], bool], bool]  # (parts of speech, same number of tokens): one phrase?
    similar: Callable[[str, str], bool]  # two words that replace each other by themselves
    possessive_tag: str | None = None  # fine tag of possessive endings


def merge(
    steps: Sequence[Step], source: TaggedSentence, target: TaggedSentence, strategy: str, rules: MergeRules
) -> list[Span]:
    """The edits of an alignment, by one of the strategies, from left to right."""
    if strategy == "rules":
        return list(_by_rules(steps, source, target, rules))
    if strategy == "all-split":
        return [step[1:] for step in steps if step.operation != MATCH]
    if strategy == "all-merge":
        groups = groupby(steps, lambda step: "M" if step.operation == MATCH else "X")
    else:
        groups = groupby(steps, lambda step: step.operation)
    return [_joined(list(group)) for operation, group in groups if operation != MATCH]


def _joined(steps: Sequence[Step]) -> Span:
    return steps[0].start, steps[-1].end, steps[0].to_start, steps[-1].to_end


def _by_rules(
    steps: Sequence[Step], source: TaggedSentence, target: TaggedSentence, rules: MergeRules
) -> Iterator[Span]:
    """Matches separate runs, a transposition is an edit of its own, a run is merged by the rules.

    Matches may be missing from the steps: they are where the next step does not begin at the end of the last.
    """
    run: list[Step] = []
    for step in steps:
        in_run = step.operation in _OF_RUNS
        if run and not (in_run and step.start == run[-1].end and step.to_start == run[-1].to_end):
            yield from [run[0][1:]] if len(run) == 1 else _Run(run, source, target, rules).edits()
            run = []
        if in_run:
            run.append(step)
        elif step.operation != MATCH:
            yield step[1:]
    if run:
        yield from [run[0][1:]] if len(run) == 1 else _Run(run, source, target, rules).edits()


class _Run:
    """A run of insertions, deletions and substitutions on its way to edits.

    The rules look at every sub-run with a substitution, the longest first. Most of them depend on the
    sub-run alone; these are tried once for all. Those that ask where the run begins or ends are tried
    again for every part that is left.
    """

    def __init__(
        self, steps: list[Step], source: TaggedSentence, target: TaggedSentence, rules: MergeRules
    ) -> None:
        self.steps = steps
        self.source = source
        self.target = target
        self.rules = rules
        self.substitutions = list(accumulate((s.operation == SUBSTITUTION for s in steps), initial=0))
        # where each sub-run's text without joiners begins, so that equal lengths are seen at once
        self.o_text, self.o_at = _text(source.lower[steps[0].start : steps[-1].end])
        self.c_text, self.c_at = _text(target.lower[steps[0].to_start : steps[-1].to_end])
        self._merges: list[tuple[int, int, int]] | None = None
        # the parts of speech of every step as bits, so that those of a sub-run are found step by step
        self._bits: dict[str, int] = {}
        self.kinds = [
            self._kinds(source.upos[s.start : s.end] + target.upos[s.to_start : s.to_end]) for s in steps
        ]
        self._phrases: dict[tuple[int, bool], bool] = {}

    def edits(self) -> list[Span]:
        found: list[Span] = []
        todo: list[tuple[bool, int, int]] = [
            (False, 0, len(self.steps) - 1)
        ]  # (merged?, first, last), last first
        while todo:
            merged, first, last = todo.pop()
            if first > last:
                continue
            if merged or first == last:
                found.append(_joined(self.steps[first : last + 1]))
            else:
                todo.extend(reversed(self._parts(first, last)))
        return found

    def _parts(self, first: int, last: int) -> list[tuple[bool, int, int]]:
        """What the steps `first` … `last` are split into: edits (True) and runs to look at again (False)."""
        steps = self.steps
        if len(
            {step.operation for step in steps[first : last + 1]} & {DELETION, INSERTION, SUBSTITUTION}
        ) == 1 and (steps[first].operation != SUBSTITUTION):
            return [(True, first, last)]
        single = [(True, i, i) for i in range(first, last + 1)]
        if not self._has_substitution(first, last):
            return single
        if self._possessive(steps[first].start, steps[first].to_start):
            return [(True, first, first), (False, first + 1, last)]

        capital = self._capital(first, last)
        merges = next(
            ((a, b, begin) for a, b, begin in self._firing() if first <= a and b <= last and b - a > 1), None
        )
        if (
            capital is not None
            and capital - first > 1
            and (merges is None or capital - first >= merges[1] - merges[0])
            # the same sub-run may be a case of both: possessive endings come first
            and not (merges is not None and merges[:2] == (first, capital) and self._possessive_end(capital))
        ):
            return [(True, first, capital), (False, capital + 1, last)]
        if merges is not None:
            a, b, begin = merges
            return [(False, first, begin - 1), (True, begin, b), (False, b + 1, last)]

        for a in range(first, last):
            parts = self._pair(a, first, last, capital)
            if parts is not None:
                return parts
        return [(True, first, last)] if self._has_content(first, last) else single

    def _pair(self, a: int, first: int, last: int, capital: int | None) -> list[tuple[bool, int, int]] | None:
        """The rules for a sub-run of two steps; only these can split it."""
        b = a + 1
        if not self._has_substitution(a, b):
            return None
        begin = self._merge_from(a, b, self.kinds[a] | self.kinds[b])
        if a == first and capital == b and not self._possessive_end(b):
            begin = a
        if begin is not None:
            return [(False, first, begin - 1), (True, begin, b), (False, b + 1, last)]
        one, two = self.steps[a], self.steps[b]
        source, target = self.source, self.target
        split = [(False, first, a), (False, b, last)]
        if two.end - one.start == two.to_end - one.to_start == 2:
            return split
        for step, o, c in (
            (one, one.start, one.to_start),
            (two, two.end - 1, two.to_end - 1),
        ):
            if step.operation == SUBSTITUTION and self.rules.similar(source.forms[o], target.forms[c]):
                return split
        if b == last and (
            (two.operation != INSERTION and source.upos[two.end - 1] == "DET")
            or (two.operation != DELETION and target.upos[two.to_end - 1] == "DET")
        ):
            return [(False, first, b - 1), (True, b, b)]
        return None

    # -- rules that depend on the sub-run alone ----------------------------------------------------

    def _firing(self) -> list[tuple[int, int, int]]:
        """(first step, last step, where the merged part begins) of sub-runs to be merged, longest first."""
        if self._merges is None:
            found = []
            count = len(self.steps)
            for a in range(count - 1):
                kinds = self.kinds[a]
                for b in range(a + 1, count):
                    kinds |= self.kinds[b]
                    begin = self._merge_from(a, b, kinds)
                    if begin is not None:
                        found.append((a, b, begin))
            self._merges = sorted(found, key=lambda merge: (merge[0] - merge[1], merge[0]))
        return self._merges

    def _merge_from(self, a: int, b: int, kinds: int) -> int | None:
        """From which step on the sub-run `a` … `b` is to be merged, or None."""
        if not self._has_substitution(a, b):
            return None
        o, o_end, c, c_end = (
            self.steps[a].start,
            self.steps[b].end,
            self.steps[a].to_start,
            self.steps[b].to_end,
        )
        source, target = self.source, self.target
        # friends → friend 's
        if self._possessive_end(b):
            return b - 1
        # , we → . We
        if source.lower[o_end - 1] == target.lower[c_end - 1] and (
            (o_end - o > 1 and _is_punctuation(source, o_end - 2))
            or (c_end - c > 1 and _is_punctuation(target, c_end - 2))
        ):
            return b - 1
        # acat → a cat, sub - way → subway
        base, to_base = self.steps[0].start, self.steps[0].to_start
        o_from, o_to = self.o_at[o - base], self.o_at[o_end - base]
        c_from, c_to = self.c_at[c - to_base], self.c_at[c_end - to_base]
        if o_to - o_from == c_to - c_from and self.o_text[o_from:o_to] == self.c_text[c_from:c_to]:
            return a
        # to eat → eating, watch → look at
        if self._one_phrase(kinds, o_end - o == c_end - c):
            return a
        return None

    def _kinds(self, upos: Sequence[str]) -> int:
        found = 0
        for name in upos:
            found |= 1 << self._bits.setdefault(name, len(self._bits))
        return found

    def _one_phrase(self, bits: int, same: bool) -> bool:
        known = self._phrases.get((bits, same))
        if known is None:
            kinds = frozenset(name for name, bit in self._bits.items() if bits >> bit & 1)
            one_kind = len(kinds) == 1 and "" not in kinds
            known = (one_kind and not same) or self.rules.one_verb(kinds, same)
            self._phrases[bits, same] = known
        return known

    def _possessive_end(self, b: int) -> bool:
        return self._possessive(self.steps[b].end - 1, self.steps[b].to_end - 1)

    # -- what the rules ask ------------------------------------------------------------------------

    def _possessive(self, o: int, c: int) -> bool:
        tag = self.rules.possessive_tag
        return tag is not None and (self.source.tags[o] == tag or self.target.tags[c] == tag)

    def _capital(self, first: int, last: int) -> int | None:
        """Cat → The big cat: the last step up to which a run begins with one capitalised word for several."""
        source, target = self.source, self.target
        o, c = self.steps[first].start, self.steps[first].to_start
        for b in range(last, first, -1):
            step = self.steps[b]
            if (
                self._has_substitution(first, b)
                and source.lower[step.end - 1] == target.lower[step.to_end - 1]
                and (
                    (step.end - o == 1 and target.forms[c][0].isupper())
                    or (step.to_end - c == 1 and source.forms[o][0].isupper())
                )
            ):
                return b
        return None

    def _has_substitution(self, a: int, b: int) -> bool:
        return self.substitutions[b + 1] > self.substitutions[a]

    def _has_content(self, a: int, b: int) -> bool:
        o, o_end, c, c_end = _joined(self.steps[a : b + 1])
        return not self.rules.content.isdisjoint(self.source.upos[o:o_end] + self.target.upos[c:c_end])


def _text(words: Sequence[str]) -> tuple[str, list[int]]:
    """The words without apostrophes and hyphens as one text, and where each begins in it."""
    bare = [_JOINERS.sub("", word) for word in words]
    return "".join(bare), list(accumulate(map(len, bare), initial=0))


def _is_punctuation(sentence: TaggedSentence, token: int) -> bool:
    return sentence.upos[token] == "PUNCT" or sentence.forms[token] in punctuation


@dataclass(frozen=True)
class Side:
    """The tokens of one side of an edit, column by column."""

    rules: TypeRules
    sentence: TaggedSentence
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def forms(self) -> tuple[str, ...]:
        return self.sentence.forms[self.start : self.end]

    @property
    def lower(self) -> tuple[str, ...]:
        return self.sentence.lower[self.start : self.end]

    @property
    def lemmas(self) -> tuple[str, ...]:
        return self.sentence.lemmas[self.start : self.end]

    @property
    def upos(self) -> tuple[str, ...]:
        return self.sentence.upos[self.start : self.end]

    @property
    def tags(self) -> tuple[str, ...]:
        return self.sentence.tags[self.start : self.end]

    @property
    def deps(self) -> tuple[str, ...]:
        return self.sentence.deps[self.start : self.end]

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The classes of the tokens, as the language's types name them."""
        return tuple(self.rules.category(self.sentence, i) for i in range(self.start, self.end))

    def without_last(self) -> Side:
        return Side(self.rules, self.sentence, self.start, self.end - 1)


class TypeRules(ABC):
    """The types of a language's edits."""

    def classify(self, source: TaggedSentence, target: TaggedSentence, span: Span) -> str:
        """The type of an edit: `M:` (missing), `U:` (unnecessary) or `R:` (replaced) and a category.

        `UNK` if nothing changes: somebody saw an error and did not correct it.
        """
        o, c = Side(self, source, span[0], span[1]), Side(self, target, span[2], span[3])
        if o.forms == c.forms:
            return "UNK"
        # Doctor → The doctor: a last word that only changes case is not what the edit is about.
        while o and c and (len(o) > 1 or len(c) > 1) and o.lower[-1] == c.lower[-1]:
            o, c = o.without_last(), c.without_last()
        if not o and not c:
            return "UNK"
        if not o:
            return "M:" + self.one_sided(c)
        if not c:
            return "U:" + self.one_sided(o)
        return "R:" + self.two_sided(o, c)

    @abstractmethod
    def category(self, sentence: TaggedSentence, token: int) -> str:
        """The class of a token, as types name it."""

    @abstractmethod
    def one_sided(self, side: Side) -> str:
        """The category of words that are missing or unnecessary."""

    @abstractmethod
    def two_sided(self, o: Side, c: Side) -> str:
        """The category of words that replace others."""


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


class EnglishTypes(TypeRules):
    """Types of English edits: an operation (M, U, R) and one of 25 categories."""

    def __init__(self, words: WordList) -> None:
        self.words = words

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

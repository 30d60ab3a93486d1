"""English inflection: other forms of a word by Penn tags, and back to the base."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

_VOWELS = "aeiou"
_VERB_TAGS = ("VB", "VBP", "VBZ", "VBG", "VBD", "VBN")
_BE = {"VB": "be", "VBG": "being", "VBN": "been"}

# base, past tense, past participle
_VERBS = """
arise arose arisen; awake awoke awoken; be was been; bear bore borne; beat beat beaten; become became become;
begin began begun; bend bent bent; bet bet bet; bind bound bound; bite bit bitten; bleed bled bled;
blow blew blown; break broke broken; breed bred bred; bring brought brought; build built built;
burst burst burst; buy bought bought; catch caught caught; choose chose chosen; cling clung clung;
come came come; cost cost cost; creep crept crept; cut cut cut; deal dealt dealt; dig dug dug; do did done;
draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed;
feel felt felt; fight fought fought; find found found; flee fled fled; fling flung flung; fly flew flown;
forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got got;
give gave given; go went gone; grind ground ground; grow grew grown; hang hung hung; have had had;
hear heard heard; hide hid hidden; hit hit hit; hold held held; hurt hurt hurt; keep kept kept;
know knew known; lay laid laid; lead led led; leave left left; lend lent lent; let let let; lie lay lain;
light lit lit; lose lost lost; make made made; mean meant meant; meet met met; mistake mistook mistaken;
overcome overcame overcome; pay paid paid; put put put; quit quit quit; read read read; ride rode ridden;
ring rang rung; rise rose risen; run ran run; say said said; see saw seen; seek sought sought; sell sold sold;
send sent sent; set set set; shake shook shaken; shine shone shone; shoot shot shot; show showed shown;
shrink shrank shrunk; shut shut shut; sing sang sung; sink sank sunk; sit sat sat; sleep slept slept;
slide slid slid; speak spoke spoken; speed sped sped; spend spent spent; spin spun spun; split split split;
spread spread spread; spring sprang sprung; stand stood stood; steal stole stolen; stick stuck stuck;
sting stung stung; strike struck struck; swear swore sworn; sweep swept swept; swim swam swum;
swing swung swung; take took taken; teach taught taught; tear tore torn; tell told told;
think thought thought; throw threw thrown; undergo underwent undergone;
understand understood understood; undertake undertook undertaken; upset upset upset; wake woke woken;
wear wore worn; weave wove woven; weep wept wept; win won won; wind wound wound; withdraw withdrew withdrawn;
write wrote written
"""
VERBS: dict[str, tuple[str, str]] = {
    base: (past, participle) for base, past, participle in (entry.split() for entry in _VERBS.split(";"))
}

_NOUNS = """
man men; woman women; child children; foot feet; tooth teeth; goose geese; mouse mice; person people;
knife knives; life lives; wife wives; leaf leaves; shelf shelves; half halves; wolf wolves; thief thieves;
loaf loaves; calf calves; self selves; potato potatoes; tomato tomatoes; hero heroes; echo echoes;
sheep sheep; deer deer; fish fish; series series; species species; aircraft aircraft; phenomenon phenomena;
criterion criteria; crisis crises; analysis analyses; basis bases; hypothesis hypotheses; ox oxen;
policeman policemen; policewoman policewomen; businessman businessmen; gentleman gentlemen;
grandchild grandchildren; fireman firemen; postman postmen; fisherman fishermen
"""
NOUNS: dict[str, str] = {entry.split()[0]: entry.split()[1] for entry in _NOUNS.split(";")}

# comparative and superlative
COMPARISONS: dict[str, tuple[str, str]] = {
    "good": ("better", "best"),
    "well": ("better", "best"),
    "bad": ("worse", "worst"),
    "badly": ("worse", "worst"),
    "far": ("further", "furthest"),
    "little": ("less", "least"),
    "much": ("more", "most"),
    "many": ("more", "most"),
}
ADVERBS = {"good": "well", "fast": "fast", "hard": "hard", "early": "early", "late": "late", "long": "long"}


@dataclass(frozen=True)
class Inflection:
    """Forms of English words; `known` tells whether a word exists, `tags` which tags it may have."""

    known: Callable[[str], bool]
    tags: Callable[[str], frozenset[str]]

    def form(self, word: str, tag: str) -> str | None:
        """The form of a word that has this Penn tag, or None if it has none or is that form already."""
        if tag in _VERB_TAGS:
            base = self.verb(word)
            form = self.conjugated(base, tag) if base else None
        elif tag in ("NN", "NNS"):
            form = self.singular(word) if tag == "NN" else self.plural(self.singular(word) or word)
        elif tag in ("JJ", "JJR", "JJS"):
            base = self.adjective(word)
            form = self.compared(base, tag) if base else None
        elif tag == "RB":
            form = self.adverb(word)
        else:
            raise ValueError(f"no form has the tag {tag}")
        return None if form == word else form

    def verb(self, word: str) -> str | None:
        """The base of a verb's form, over-regular ones (`goed`) among them."""
        if word in self._bases:
            return self._bases[word]
        for base in (word, *_stems(word)):
            if self.tags(base) & {"VB", "VBP"} and (base == word or word in _regular_forms(base)):
                return base
        return None

    def conjugated(self, base: str, tag: str) -> str | None:
        """A form of a verb; `be` has no single past and present."""
        if base == "be":
            return _BE.get(tag)
        if tag in ("VB", "VBP"):
            return base
        if tag == "VBZ":
            return {"have": "has", "do": "does", "go": "goes"}.get(base) or _with_s(base)
        if base in VERBS and tag in ("VBD", "VBN"):
            return VERBS[base][tag == "VBN"]
        ending = "ing" if tag == "VBG" else "ed"
        doubled = base + base[-1] + ending
        plain = _joined(base, ending)
        return doubled if _doubles(base) and (self.known(doubled) or not self.known(plain)) else plain

    def singular(self, word: str) -> str | None:
        """The singular of a plural noun, over-regular ones (`childs`) as they would be; None for others."""
        if word in self._singulars:
            return self._singulars[word]
        if word.endswith("s") and not word.endswith("ss"):
            for base in _stems(word):
                if "NN" in self.tags(base):
                    return base
        return None

    def plural(self, word: str) -> str:
        """The plural of a singular noun."""
        return NOUNS.get(word) or _with_s(word)

    def adjective(self, word: str) -> str | None:
        """The positive of an adjective."""
        if word in self._positives:
            return self._positives[word]
        for base in (word, *_stems(word, ("er", "est"))):
            if "JJ" in self.tags(base):
                return base
        return None

    def compared(self, base: str, tag: str) -> str | None:
        """The positive, comparative or superlative of a short adjective; None for long ones."""
        if tag == "JJ":
            return base
        if base in COMPARISONS:
            return COMPARISONS[base][tag == "JJS"]
        ending = "er" if tag == "JJR" else "est"
        form = base + base[-1] + ending if _doubles(base) else _joined(base, ending)
        return form if self.known(form) else None

    def adverb(self, word: str) -> str | None:
        """The adverb of an adjective."""
        if word in ADVERBS:
            return ADVERBS[word]
        if word.endswith("ic"):
            adverb = word + "ally"
        elif word.endswith("le") and word[-3] not in _VOWELS:
            adverb = word[:-1] + "y"
        elif word.endswith("y") and word[-2] not in _VOWELS:
            adverb = word[:-1] + "ily"
        else:
            adverb = word + ("y" if word.endswith("ll") else "ly")
        return adverb if self.known(adverb) else None

    @cached_property
    def _bases(self) -> dict[str, str]:
        found = {
            "am": "be", "is": "be", "are": "be", "were": "be", "being": "be", "has": "have", "does": "do",
            "goes": "go", "wend": "wend",
        }  # fmt: skip
        for base, forms in VERBS.items():
            for wrong in (_joined(base, "ed"), base + base[-1] + "ed"):
                if not self.tags(wrong):
                    found[wrong] = base
            for form in (base, *forms):
                found.setdefault(form, base)
        return found | {base: base for base in VERBS if base not in ("lay", "wind", "found")}

    @cached_property
    def _singulars(self) -> dict[str, str]:
        found = {many: one for one, many in NOUNS.items()}
        return found | {_with_s(one): one for one in NOUNS if _with_s(one) != NOUNS[one]}

    @cached_property
    def _positives(self) -> dict[str, str]:
        return {form: base for base in ("good", "bad", "far") for form in (base, *COMPARISONS[base])}


def _with_s(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _joined(base: str, ending: str) -> str:
    """A base with a regular ending, without doubling."""
    if ending == "ing":
        if base.endswith("ie"):
            return base[:-2] + "ying"
        if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
            return base[:-1] + "ing"
        return base + "ing"
    if base.endswith("e"):
        return base + ending[1:]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "i" + ending
    return base + ending


def _doubles(base: str) -> bool:
    """Whether a base may double its last letter: consonant, one vowel, consonant."""
    return (
        len(base) > 2
        and base[-1] not in "aeiouwxy"
        and base[-2] in _VOWELS
        and base[-3] not in _VOWELS
    )  # fmt: skip


def _regular_forms(base: str) -> tuple[str, ...]:
    doubled = [base + base[-1] + ending for ending in ("ed", "ing")] if _doubles(base) else []
    return (_with_s(base), _joined(base, "ed"), _joined(base, "ing"), *doubled)


def _stems(word: str, endings: tuple[str, ...] = ("s", "ed", "ing")) -> Iterator[str]:
    """The possible bases of a word with a regular ending."""
    for ending in endings:
        if not word.endswith(ending) or len(word) < len(ending) + 2:
            continue
        rest = word[: -len(ending)]
        if ending == "s":
            yield rest
            if rest.endswith("ie"):
                yield rest[:-2] + "y"
            if rest.endswith("e"):
                yield rest[:-1]
            continue
        yield rest
        yield rest + "e"
        if rest.endswith("i"):
            yield rest[:-1] + "y"
        if rest.endswith("y") and ending == "ing":
            yield rest[:-1] + "ie"
        if rest[-1:] == rest[-2:-1]:
            yield rest[:-1]

"""Stemmers, with which the rules tell whether two words are derived from one another."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple


class _Ending(NamedTuple):
    """Replace `ending` by `instead`."""

    ending: str
    instead: str
    intact: bool  # only if no rule was applied before
    on: bool  # continue with the result


# The rules of the Lancaster stemmer (Paice 1990), by the last letter of the word they apply to, in order.
# "ing" is cut off; "ied>y" is replaced; "!" ends the stemming there; "*" applies to whole words only.
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


_RULES = _lancaster_rules()


@lru_cache(maxsize=1 << 14)
def lancaster(word: str) -> str:
    """The stem of an English word."""
    word = whole = word.lower()
    going = True
    while going:
        letters = "".join(takewhile(str.isalpha, word))
        going = False
        for rule in _RULES.get(letters[-1:], ()):
            if not word.endswith(rule.ending) or (rule.intact and word != whole):
                continue
            if _long_enough(word, _cut(rule)):
                word = word[: len(word) - len(rule.ending)] + rule.instead
                going = rule.on
                break
    return word


def _cut(rule: _Ending) -> int:
    """How many letters the rule removes; letters that it adds again do not count."""
    kept = 0
    for one, other in zip(rule.ending, rule.instead, strict=False):
        if one != other:
            break
        kept += 1
    return len(rule.ending) - kept


def _long_enough(word: str, cut: int) -> bool:
    vowels = "aeiouy"
    if word[0] in vowels:
        return len(word) - cut >= 2
    return len(word) - cut >= 3 and (word[1] in vowels or word[2] in vowels)


# Czech endings. Inflection: declension of nouns, adjectives and pronouns, conjugation, comparison.
# Derivation: productive suffixes without inflectional endings.
_INFLECTION = """
ejšího ejšímu ejšími ějšího ějšímu ějšími ejších ějších ejšího ejším ějším ejší ější
ovými ového ovému ových ovém ovou ovým ové ový ová
ámi ého ému ými ích ími ého ech ách ami emi ěmi ata aty atům atech ech ete ěte íte áte eme ěme íme áme
ují uje uju ovi ové ala ali alo aly ila ili ilo ily ela eli elo ely ěla ěli ělo ěly
ám ím ým ém em ům ou ál al il el ěl át it et ět ít at á é í ý ě a e i o u y ů
"""
_DERIVATION = """
ovatel itel atel ovník stv ctv ovišt išt ovan ován ován ouc íc ýn
nost ost teln ovsk nick ick sk ck ist ism ník nic ník ář ař ač áč ec ek ík ic k
ován ání en an án ěn n ov ův in iv av it l
"""
_PALATAL = {"c": "k", "č": "k", "z": "h", "ž": "h"}  # ruka, ruce, ručka; noha, noze, nožka


def _by_length(endings: str) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(endings.split()), key=len, reverse=True))


_CZECH = (_by_length(_INFLECTION), _by_length(_DERIVATION))
_SHORTEST = 3  # letters of a stem


@lru_cache(maxsize=1 << 14)
def czech(word: str) -> str:
    """The stem of a Czech word: without ending and suffix, and with a final velar before palatalisation."""
    stem = word.lower()
    if not stem.isalpha():
        return stem
    for endings in _CZECH:
        for ending in endings:
            if stem.endswith(ending) and len(stem) - len(ending) >= _SHORTEST:
                stem = stem[: -len(ending)]
                break
    return stem[:-1] + _PALATAL.get(stem[-1], stem[-1])

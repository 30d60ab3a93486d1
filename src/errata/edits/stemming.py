"""Two stemmers the type rules ask whether two words are derived from one another."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple


class _Ending(NamedTuple):
    """Cut `ending` off and put `instead` in its place."""

    ending: str
    instead: str
    intact: bool  # only if nothing was cut off before
    on: bool  # go on with what remains


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
    found: dict[str, list[_Ending]] = {}
    for text in _LANCASTER.split():
        rule = text.strip("*!")
        ending, _, instead = rule.partition(">")
        found.setdefault(ending[-1], []).append(
            _Ending(ending, instead, intact=text.startswith("*"), on=not text.endswith("!"))
        )
    return found


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
    """How many letters the rule takes away; those that only come back do not count."""
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


class _Cut(NamedTuple):
    """Words longer than `longer` with one of these endings lose `letters`; the rest may be palatalised."""

    longer: int
    endings: tuple[str, ...]
    letters: int
    palatal: bool


def _cuts(table: str) -> tuple[_Cut, ...]:
    """`5 -2~ ech ich`: longer than 5, ends in -ech or -ich, loses 2 letters, then is palatalised (~)."""
    found = []
    for line in table.strip().splitlines():
        longer, cut, *endings = line.split()
        found.append(_Cut(int(longer), tuple(endings), int(cut.strip("-~")), cut.endswith("~")))
    return tuple(found)


# The Czech stemmer of Dolamic & Savoy (2009), aggressive variant: one cut of each table, in this order.
_CZECH = (
    _cuts("""
7 -5 atech
6 -3~ ětem
6 -4 atům
5 -2~ ech ich ích ého ěmi emi ému ete eti iho ího ími imu
5 -3 ách ata aty ých ama ami ové ovi ými
4 -1~ em
4 -2~ es ém ím
4 -2 ům at ám os us ým mi ou
3 -0~ e i í ě
3 -1 u y ů a o á é ý
"""),
    _cuts("""
5 -2 ov ův
5 -1~ in
"""),
    _cuts("5 -2~ ejš ějš"),
    _cuts("""
7 -5 oušek
6 -3~ eček éček iček íček enek ének inek ínek
6 -4~ áček aček oček uček anek onek unek ánek
5 -3~ ečk éčk ičk íčk enk énk ink ínk
5 -3 áčk ačk očk učk ank onk unk átk ánk ušk
4 -1~ ek ék ík ik
4 -1 ák ak ok uk
3 -1 k
"""),
    _cuts("""
6 -4 ajzn
5 -2~ izn isk
4 -2 ák
"""),
    _cuts("""
8 -6 obinec
7 -4~ ionář
7 -5 ovisk ovstv ovišt ovník
6 -4 ásek loun nost teln ovec ovík ovtv ovin štin
6 -3~ enic inec itel
5 -3 árn
5 -2~ ěnk ián ist isk išt itb írn
5 -3 och ost ovn oun out ouš ušk kyn čan kář néř ník ctv stv
4 -2 áč ač án an ář as
4 -1~ ec en ěn éř íř ic in ín it iv
4 -2 ob ot ov oň ul yn čk čn dl nk tv tk vk
3 -1 c č k l n t
"""),
)
_PALATAL = {"ci": "k", "ce": "k", "či": "k", "če": "k", "zi": "h", "ze": "h", "ži": "h", "že": "h"}
_PALATAL |= {"čtě": "ck", "čti": "ck", "čtí": "ck", "ště": "sk", "šti": "sk", "ští": "sk"}


@lru_cache(maxsize=1 << 14)
def czech(word: str) -> str:
    """The stem of a Czech word; words of mixed case or with other signs than letters stay as they are."""
    if not word.replace("_", "a").isalnum() or not (word.islower() or word.istitle() or word.isupper()):
        return word
    stem = word.lower()
    for table in _CZECH:
        for cut in table:
            if len(stem) > cut.longer and stem.endswith(cut.endings):
                stem = stem[: len(stem) - cut.letters]
                stem = _palatalised(stem) if cut.palatal else stem
                break
    if word.isupper():
        return stem.upper()
    return stem.title() if word.istitle() else stem


def _palatalised(stem: str) -> str:
    for length in (2, 3):
        if stem[-length:] in _PALATAL:
            return stem[:-length] + _PALATAL[stem[-length:]]
    return stem[:-1]

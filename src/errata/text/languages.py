"""Language codes, suggestions for wrong codes, and checks of the language of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# ISO 639-1, and `xx` for several languages or none in particular.
_TWO_LETTERS = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io
is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn
mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se
sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo
wa wo xh xx yi yo za zh zu
"""
# Languages of Universal Dependencies that have no code of two letters.
_THREE_LETTERS = """
akk aii ajp apu aqz arr bar bej bho bor bxr ceb ckt cop dsb egy ess eme frm fro gsw got grc gub gun hbo
hit hsb hyw jaa kfm kmr koi kpv krl lij lzh mdf mpu myu myv nap nds nyq olo orv otk pcm quc sah scn sga
sjo sms soj swl tpn urb vep wbp xav xcl xnr xum yrl yue
"""
CODES = frozenset(_TWO_LETTERS.split() + _THREE_LETTERS.split())

# Other names of languages: English and native names, countries, codes of three letters.
NAMES = {
    "ar": "Arabic ara", "be": "Belarusian by bel", "bg": "Bulgarian bul", "ca": "Catalan cat",
    "cs": "Czech cz ces cze čeština cesky česky", "da": "Danish dk dan", "de": "German deutsch deu ger",
    "el": "Greek gr ell gre", "en": "English eng gb us", "es": "Spanish español spa", "et": "Estonian est",
    "fa": "Persian farsi fas", "fi": "Finnish fin", "fr": "French français fra fre", "he": "Hebrew heb iw",
    "hi": "Hindi hin", "hr": "Croatian hrv", "hu": "Hungarian hun", "is": "Icelandic isl ice",
    "it": "Italian italiano ita", "ja": "Japanese jp jpn", "ko": "Korean kor", "lt": "Lithuanian lit",
    "lv": "Latvian lav", "nl": "Dutch nederlands nld dut", "nb": "Bokmål nob", "nn": "Nynorsk nno",
    "no": "Norwegian nor", "pl": "Polish polski pol",
    "pt": "Portuguese português por", "ro": "Romanian ron rum", "ru": "Russian rus русский",
    "sk": "Slovak slk slo", "sl": "Slovenian slovene si slv", "sr": "Serbian srp", "sv": "Swedish "
    "svenska swe",
    "tr": "Turkish tur", "uk": "Ukrainian ua ukr українська", "vi": "Vietnamese vie",
    "xx": "universal multi multilingual any none", "zh": "Chinese cn zho chi mandarin",
}  # fmt: skip

_LETTERS = {
    "Latin": "A-Za-zÀ-ɏ", "Cyrillic": "Ѐ-ӿ", "Greek": "Ͱ-Ͽ", "Hebrew": "֐-׿", "Arabic": "؀-ۿ",
    "Devanagari": "ऀ-ॿ", "Japanese": "぀-ヿ", "Chinese": "㐀-鿿", "Korean": "가-힣",
}  # fmt: skip
_SCRIPTS = {
    "Cyrillic": "be bg kk ky mk mn ru sr tg tt uk", "Greek": "el", "Hebrew": "he yi", "Arabic": "ar fa "
    "ps sd ug ur",
    "Devanagari": "hi mr ne sa", "Japanese": "ja", "Chinese": "zh", "Korean": "ko",
}  # fmt: skip
_SCRIPT_OF = {code: script for script, codes in _SCRIPTS.items() for code in codes.split()}
_EITHER = {"sr", "kk", "tg", "tt", "mn", "ku", "uz", "az", "xx"}  # written in more than one script
_OTHER_SCRIPTS = "am bn bo dv gu hy ka km kn lo ml my or pa si ta te th ti"  # none of those above

# Frequent words that other languages of this table hardly have; some Czech ones also without accents, as
# learners write them.
_WORDS = {
    "en": "the of and is that it for was with are this have not at you they which from but we can will "
    "their his",
    "cs": "se na že je v by jsem ale pro jako z za tak když bylo jsme který která které aby už nebo kdyz "
    "uz ze ve jsou",
    "bg": "на и за да се от не са по като до това към които който му ще при или след",
    "da": "og det at er på som for ikke jeg den til med af der har en et han blev også efter hun",
    "de": "der die und das ist nicht ein eine ich zu den mit sie auf es dem auch für von wir im sich",
    "es": "el los las y es una por con para como más su lo pero está del al muy",
    "et": "ja on ei see et ma oli ta aga mis ka kui oma või seda siis nii mida olen kes",
    "fi": "ja on ei se että oli hän mutta kun ovat mitä niin myös tai jos joka kuin minä sen hänen",
    "fr": "le les et est des une dans pour qui pas sur avec il du au nous je cette sont ce",
    "hu": "a az és hogy nem is ez egy van volt de ha csak még meg mint már el kell vagy",
    "is": "og að í er ekki það sem til um við með var en hann eru ég fyrir af hefur þetta",
    "it": "il di che è per con non della sono gli anche più nel come alla delle ma questo",
    "lv": "un ir ka ar no uz par kas es bet tas vai arī bija kā ļoti viņš lai pie nav",
    "nl": "het een en van ik niet dat zijn te voor met ook aan maar bij naar wordt",
    "nn": "og det ikkje eg som til er på for med den har ein av å vere frå ei dei kva var",
    "no": "og det ikke jeg som til er på for med den har av å være fra et en var også etter",
    "pl": "się nie że jest z do jak ale po tak jego są dla czy przez ich tylko który oraz",
    "pt": "o os não uma com para mais do da em por são à foi ao mas também",
    "ro": "și în să cu nu pe la este care din mai un ce că o pentru sunt sau ca fost",
    "sl": "in je se da so ki ne tudi za pa bi kot po iz ali lahko sem jih še bil",
    "sv": "och att det är på som för inte jag den av till har ett med om så",
    "tr": "bir ve bu da de için çok ile ne gibi olarak daha ben en kadar ama var o olan sonra",
    "ru": "и в не на что с как это он она по но к из у его все был было для мы вы только от",
    "uk": "і в не на що з як це він вона по але до із у його все був було для ми ви тільки від та й є",
}  # fmt: skip
_FREQUENT = {code: frozenset(words.split()) for code, words in _WORDS.items()}

_FEWEST_LETTERS = 400  # shorter texts are not judged
_HARDLY = 0.03  # with a smaller share of frequent words, a text is not in the language
_CLEARLY = 0.08  # with a larger share, it may be
_LINES = 300  # the number of lines that are examined

_PATTERNS = {script: re.compile(f"[{letters}]") for script, letters in _LETTERS.items()}
_WORD = re.compile(r"[^\W\d_]+")


def language_name(code: str) -> str:
    """The English name of a language, or its code if the name is unknown."""
    return NAMES[code].split()[0] if code in NAMES and code != "xx" else code


def suggestions(name: str) -> list[str]:
    """The codes that may be meant by a wrong name of a language, the likeliest first."""
    from difflib import get_close_matches

    wanted = name.strip().casefold()
    base = re.split(r"[-_.]", wanted)[0]  # en-GB, cs_CZ.UTF-8
    code_of = {alias.casefold(): code for code, aliases in NAMES.items() for alias in aliases.split()}
    for text in (wanted, base):
        if text in code_of:
            return [code_of[text]]
        if text in CODES:
            return [text]
    similar = [code_of[alias] for alias in get_close_matches(wanted, code_of, n=3, cutoff=0.75)]
    return list(dict.fromkeys(similar))


@dataclass(frozen=True, slots=True)
class Misfit:
    """A text that does not seem to be in the expected language."""

    expected: str
    found: str | None  # the code of the language that it seems to be in, if this is clear
    reason: str


def misfit(code: str, lines: Sequence[str]) -> Misfit | None:
    """Whether a text seems not to be in a language, by its script and its most frequent words.

    There is no result for texts that are too short, and for languages without a list of frequent words.
    """
    step = max(1, len(lines) // _LINES)
    text = "\n".join(lines[::step][:_LINES]).lower()
    counts = {script: len(pattern.findall(text)) for script, pattern in _PATTERNS.items()}
    script = max(counts, key=lambda name: counts[name])
    if counts["Japanese"] > 0.1 * counts["Chinese"]:
        script = "Japanese" if script == "Chinese" else script  # Japanese text has Chinese characters too
    fewest = _FEWEST_LETTERS if script in ("Latin", "Cyrillic") else _FEWEST_LETTERS // 8
    if counts[script] < fewest or code in _EITHER:
        return None
    shares = _shares(text, script)
    best = max(shares, key=lambda name: shares[name], default=None)
    if best is not None and shares[best] < _CLEARLY:
        best = None
    expected = "another script" if code in _OTHER_SCRIPTS.split() else _SCRIPT_OF.get(code, "Latin")
    if script != expected:
        only = _SCRIPTS.get(script, "").split()
        likely = best or (only[0] if len(only) == 1 else None)
        return Misfit(code, likely, f"most of its letters are {script}")
    if code not in shares or best == code:
        return None
    other = 0.0 if best is None else shares[best]
    if shares[code] < _HARDLY or shares[code] < other / 2:
        reason = f"{shares[code]:.0%} of its words are among the most frequent of {language_name(code)}"
        if best is not None:
            reason += f", {other:.0%} among those of {language_name(best)}"
        return Misfit(code, best, reason)
    return None


def recognised(lines: Sequence[str], codes: Iterable[str]) -> str | None:
    """The language of a text among these; None if its frequent words do not tell it, or tell another one.

    Unlike `misfit` it also judges short texts.
    """
    step = max(1, len(lines) // _LINES)
    text = "\n".join(lines[::step][:_LINES]).lower()
    counts = {script: len(pattern.findall(text)) for script, pattern in _PATTERNS.items()}
    shares = _shares(text, max(counts, key=lambda name: counts[name]))
    ranked = sorted(shares, key=lambda code: -shares[code])
    if len(ranked) < 2 or shares[ranked[0]] < _CLEARLY or shares[ranked[0]] < 1.5 * shares[ranked[1]]:
        ranked = [code for code in ranked if code in set(codes) and shares[code] >= _CLEARLY]
        return ranked[0] if len(ranked) == 1 else None
    return ranked[0] if ranked[0] in set(codes) else None


def _shares(text: str, script: str) -> dict[str, float]:
    """The share of frequent words of each language that has this script and a list of frequent words."""
    words = _WORD.findall(text)
    return {
        code: sum(map(frequent.__contains__, words)) / max(1, len(words))
        for code, frequent in _FREQUENT.items()
        if _SCRIPT_OF.get(code, "Latin") == script
    }

"""Penn Treebank tokenisation as NLTK's `TreebankWordTokenizer` does it (after R. MacIntyre's sed script)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # opening quotes
        (r"^\"", "``"),
        (r"(``)", r" \1 "),
        (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
        # punctuation; a full stop only at the very end
        (r"([:,])([^\d])", r" \1 \2"),
        (r"([:,])$", r" \1 "),
        (r"\.\.\.", " ... "),
        (r"[;@#$%&]", r" \g<0> "),
        (r"([^.])(\.)([\])}>\"']*)\s*$", r"\1 \2\3 "),
        (r"[?!]", r" \g<0> "),
        (r"([^'])' ", r"\1 ' "),
        (r"[\]\[(){}<>]", r" \g<0> "),
        (r"--", " -- "),
    )
)
_PADDED_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # closing quotes, possessives and clitics
        (r"''", " '' "),
        (r'"', " '' "),
        (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
        (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
        # contractions
        (r"(?i)\b(can)(not)\b", r" \1 \2 "),
        (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
        (r"(?i)\b(gim)(me)\b", r" \1 \2 "),
        (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
        (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
        (r"(?i)\b(lem)(me)\b", r" \1 \2 "),
        (r"(?i)\b(more)('n)\b", r" \1 \2 "),
        (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
        (r"(?i) ('t)(is)\b", r" \1 \2 "),
        (r"(?i) ('t)(was)\b", r" \1 \2 "),
    )
)
# Text of these letters alone, none of them in a contraction's word, is only split at white space.
_CONTRACTED = re.compile(r"(?i)cannot|gimme|gonna|gotta|lemme|wanna")
_PLAIN = re.compile(r"[\w\s/|*+=_^~-]*")


# The release of NLTK whose `word_tokenize` the official I-measure was run with, under Python 2.7.
NLTK_RELEASE = "3.4.5"
_QUOTES = (r"([«“‘„]|[`]+)", r" \1 "), (r"([»”’])", r" \1 ")
_APOSTROPHE = r"(?i)(')(?!re|ve|ll|m|t|s|d)(\w)\b", r"\1 \2"
_FULL_STOP = r"([^\.])(\.)([\]\)}>\"'»”’ ]*)\s*$", r"\1 \2 \3 "


def _ascii(rules: tuple[tuple[re.Pattern[str], str], ...]) -> list[tuple[re.Pattern[str], str]]:
    """The same rules as Python 2 applies them: only the letters, digits and blanks of ASCII are such."""
    return [(re.compile(pattern.pattern, re.ASCII), replacement) for pattern, replacement in rules]


def _compiled(rule: tuple[str, str]) -> tuple[re.Pattern[str], str]:
    return re.compile(rule[0]), rule[1]


_WORD_RULES = (
    _compiled(_QUOTES[0]),
    *_ascii(_RULES[:3]),
    _compiled(_APOSTROPHE),
    _compiled(_FULL_STOP),
    *_ascii(_RULES[3:]),
)
_PADDED_WORD_RULES = (
    _compiled(_QUOTES[1]),
    (re.compile('"'), " '' "),
    (re.compile(r"(\S)('')", re.ASCII), r"\1 \2 "),
    *_ascii(_PADDED_RULES[2:10]),
    (re.compile(r"(?i)\b(mor)('n)\b", re.ASCII), r" \1 \2 "),
    (re.compile(r"(?i)\b(wan)(na)\s", re.ASCII), r" \1 \2 "),
    *_ascii(_PADDED_RULES[12:]),
)


@lru_cache(maxsize=65536)
def treebank_tokenize(text: str) -> tuple[str, ...]:
    """The tokens of a text: punctuation, clitics (`'s`, `n't`) and contractions (`can not`) split off."""
    return _tokenize(text, _RULES, _PADDED_RULES)


@lru_cache(maxsize=65536)
def word_tokenize(text: str) -> tuple[str, ...]:
    """The tokens of one sentence as `word_tokenize` of NLTK 3.4.5 has them: quotes are split off, too."""
    return _tokenize(text, _WORD_RULES, _PADDED_WORD_RULES)


def is_plain(text: str) -> bool:
    """Whether a text has nothing that is split off; then it has that beside other such words neither."""
    return bool(_PLAIN.fullmatch(text)) and "--" not in text and not _CONTRACTED.search(text)


def _tokenize(
    text: str, rules: Sequence[tuple[re.Pattern[str], str]], padded: Sequence[tuple[re.Pattern[str], str]]
) -> tuple[str, ...]:
    if is_plain(text):
        return tuple(text.split())
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    text = f" {text} "
    for pattern, replacement in padded:
        text = pattern.sub(replacement, text)
    return tuple(text.split())

"""The tokenizers by name: `tokenizer("penn").tokenize("It's late.")`; Penn Treebank rules as in NLTK."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

from errata.errors import DataError, ErrataError, needs_extra, one_of

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
# A text with only these characters and without contracted words is only split at white space.
_CONTRACTED = re.compile(r"(?i)cannot|gimme|gonna|gotta|lemme|wanna")
_PLAIN = re.compile(r"[\w\s/|*+=_^~-]*")


# The release of NLTK whose `word_tokenize` the official I-measure was run with, under Python 2.7.
NLTK_RELEASE = "3.4.5"
_QUOTES = (r"([«“‘„]|[`]+)", r" \1 "), (r"([»”’])", r" \1 ")
_APOSTROPHE = r"(?i)(')(?!re|ve|ll|m|t|s|d)(\w)\b", r"\1 \2"
_FULL_STOP = r"([^\.])(\.)([\]\)}>\"'»”’ ]*)\s*$", r"\1 \2 \3 "


def _ascii(rules: tuple[tuple[re.Pattern[str], str], ...]) -> list[tuple[re.Pattern[str], str]]:
    """The same rules as in Python 2, where only ASCII letters, digits and blanks match their classes."""
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
    """Whether nothing is split off from a text, even beside other plain texts."""
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


TOKENIZERS = ("penn", "moses", "udpipe", "syntok", "characters")


class Tokenizer(Protocol):
    """Splits a line of text into tokens, and joins tokens into a line."""

    @property
    def name(self) -> str: ...
    def tokenize(self, text: str) -> list[str]: ...
    def detokenize(self, tokens: Sequence[str]) -> str: ...


def tokenizer(name: str, *, lang: str = "en", model: str | None = None, quotes: str = "keep") -> Tokenizer:
    """The tokenizer of this name; `lang` is for Moses, `model` for UDPipe, `quotes` for Penn."""
    if model is not None and name in TOKENIZERS and name != "udpipe":
        raise ErrataError(
            f"the tokenizer {name} has no model\n  hint: leave out --model, or add --tokenizer udpipe"
        )
    if name == "penn":
        return PennTokenizer(quotes)
    if name == "moses":
        return MosesTokenizer(lang)
    if name == "characters":
        return CharacterTokenizer()
    if name == "syntok":
        return SyntokTokenizer()
    if name == "udpipe":
        if model is None:
            raise ErrataError("the UDPipe tokenizer needs a model\n  hint: --model czech-pdt-ud-2.5.udpipe")
        return UDPipeTokenizer(model)
    raise ErrataError(f"there is no tokenizer {name!r}\n  hint: {one_of(name, TOKENIZERS)}")


_WRITTEN_QUOTES = re.compile(r"\"|''|``")
_CLITIC = re.compile(r"(?i)(?:'(?:s|m|d|ll|re|ve)|n't)")
_LEFT = frozenset((*",.;:?!)]}%…’'”»", "...", "''"))  # attached to the word before
_RIGHT = frozenset((*"([{$#£€`“‘«", "``"))  # attached to the next word
_CONTRACTIONS = {
    ("can", "not"), ("gim", "me"), ("gon", "na"), ("got", "ta"), ("lem", "me"), ("wan", "na"),
    ("d", "'ye"), ("more", "'n"), ("'t", "is"), ("'t", "was"),
}  # fmt: skip
_PLURAL = re.compile(r"\w[sS]")  # "the cats ' food": a possessive, not a closing quote


@dataclass(frozen=True)
class PennTokenizer:
    """Splits off punctuation, clitics (`'s`, `n't`) and contractions (`can not`); one sentence a line.

    A full stop is split off at the end of the line only, so give it sentences. CoNLL's files keep the
    double quote as it was written; `quotes="penn"` turns it into `` and '' as the Treebank does.
    """

    quotes: str = "keep"
    name: str = "penn"

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a sentence."""
        tokens = list(treebank_tokenize(text))
        if self.quotes == "keep" and '"' in text:
            written = iter(_WRITTEN_QUOTES.findall(text))
            tokens = [next(written, token) if token in ("``", "''") else token for token in tokens]
        return tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Readable text: punctuation and clitics attached, quotes paired."""
        text = ""
        attach = True  # the next token, to the text so far
        inside = {'"': False, "'": False}  # between these quotes
        previous = ""
        for token in tokens:
            quote = token if token in inside else ""
            possessive = quote == "'" and not inside["'"] and _PLURAL.fullmatch(previous[-2:]) is not None
            opening = bool(quote) and not inside[quote] and not possessive
            left = (
                (quote and not opening)
                or (token in _LEFT and not quote)
                or (_CLITIC.fullmatch(token) and previous[-1:].isalnum())
                or (previous.lower(), token.lower()) in _CONTRACTIONS
            )
            text += token if attach or left else " " + token
            if quote and not possessive:
                inside[quote] = opening
            elif token[0] == "'" and token[-1] != "'" and not left:
                inside["'"] = True  # Penn leaves an opening quote at its word: 'allowed '
            attach = opening or token in _RIGHT
            previous = token
        return text.replace("``", '"').replace("''", '"') if self.quotes == "penn" else text


def _sacremoses() -> Any:
    with needs_extra("the Moses tokenizer", "tokenize"):
        import sacremoses
    return sacremoses


@dataclass(frozen=True)
class MosesTokenizer:
    """Moses rules (`sacremoses`) for a language; nothing is escaped (`'`, not `&apos;`)."""

    lang: str = "en"
    name: str = "moses"

    @cached_property
    def _tokenizer(self) -> Any:
        return _sacremoses().MosesTokenizer(lang=self.lang)

    @cached_property
    def _detokenizer(self) -> Any:
        return _sacremoses().MosesDetokenizer(lang=self.lang)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        tokens: list[str] = self._tokenizer.tokenize(text, escape=False)
        return tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Readable text."""
        text: str = self._detokenizer.detokenize(list(tokens), unescape=False)
        return text


@dataclass(frozen=True)
class UDPipeTokenizer:
    """The surface tokens (not the syntactic words) of a UDPipe 1 model; a line stays one line."""

    model: str
    name: str = "udpipe"

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        """The package and the loaded model; both are kept, since a tokenizer needs the model."""
        with needs_extra("the UDPipe tokenizer", "tokenize"):
            from ufal import udpipe
        if not os.path.isfile(self.model):
            raise DataError("there is no such model", path=self.model, hint="see docs/tokenizers.md")
        model = udpipe.Model.load(self.model)
        if model is None:
            raise DataError("not a UDPipe 1 model", path=self.model)
        return udpipe, model

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        udpipe, model = self._model
        reader = model.newTokenizer(model.TOKENIZER_PRESEGMENTED)
        if reader is None:
            raise DataError("the model has no tokenizer", path=self.model)
        reader.setText(text)
        sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
        tokens: list[str] = []
        while reader.nextSentence(sentence, error):
            whole = {token.idFirst: token for token in sentence.multiwordTokens}
            last = 0
            for word in list(sentence.words)[1:]:  # the first is the technical root
                if word.id in whole:
                    tokens += whole[word.id].form.split()
                    last = whole[word.id].idLast
                elif word.id > last:
                    tokens += word.form.split()  # a few models have blanks inside a token
        if error.occurred():
            raise ErrataError(f"UDPipe: {error.message}")
        return tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """A UDPipe model cannot join tokens."""
        raise ErrataError("UDPipe models cannot detokenise\n  hint: use --tokenizer moses --lang …")


@dataclass(frozen=True)
class SyntokTokenizer:
    """The tokenizer of MultiGEC-2025. It drops hyphens between words and makes `n't` `not`."""

    name: str = "syntok"

    @cached_property
    def _tokenizer(self) -> Any:
        with needs_extra("the syntok tokenizer", "tokenize"):
            from syntok.tokenizer import Tokenizer  # type: ignore[import-untyped]
        return Tokenizer()

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        return [token.value for token in self._tokenizer.tokenize(text)]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The tokens with blanks between them; syntok has no rules for joining."""
        return " ".join(tokens)


# Radicals to ideographs with kana and their punctuation, compatibility forms, full-width signs, planes 2-3.
_CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WORD = rf"[^\W{_CJK}]+(?:[.,:'’_-][^\W{_CJK}]+)*"
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"  # belong to the character before
_CHARACTER_TOKEN = re.compile(rf"{_WORD}|\S[{_MARKS}]*")
_LATIN_WORD = re.compile(_WORD)
_BEFORE_WORD = frozenset(".,;:!?'’_-%")  # signs after which a Latin word is set apart


@dataclass(frozen=True)
class CharacterTokenizer:
    """Every Chinese or Japanese character is a token, and so is every Latin word, number and sign."""

    name: str = "characters"

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        return _CHARACTER_TOKEN.findall(text)

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The characters joined; blanks between Latin words only."""
        text = ""
        previous = ""
        for token in tokens:
            spaced = bool(previous) and _LATIN_WORD.fullmatch(token) is not None
            spaced = spaced and (previous in _BEFORE_WORD or _LATIN_WORD.fullmatch(previous) is not None)
            text += " " + token if spaced else token
            previous = token
        return text

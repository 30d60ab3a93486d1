"""Cleans the answers of language models: one corrected sentence per source, and nothing else.

Models add introductions, quotation marks, Markdown, numbers and explanations, repeat the source, or refuse. A
list of phrases alone never decides what is removed: the rest must resemble the source more than before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from errata.corpus.files import StrPath, display
from errata.errors import DataError, plural

_MARKER = re.compile(r"(?:[-*•>#]+|[(\[]?\d{1,6}[.):\]](?!\d)|\d{1,6}\t)\s*(?=\S)")
_WRAPPERS = (
    ("**", "**"),
    ("__", "__"),
    ("```", "```"),
    ("`", "`"),
    ("``", "''"),
    ('"', '"'),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("'", "'"),
    ("*", "*"),
)
_MARKS = {mark for pair in _WRAPPERS for wrapper in pair for mark in wrapper}
_JSON = re.compile(r'\{\s*"[^"]{1,40}"\s*:\s*"(.*)"\s*\}')
_ARROW = re.compile(r"\s*(?:→|⇒|->|=>|\|{1,3}|\t)\s*")
_REFUSAL = re.compile(
    r"(?:i'?m |i am )?(?:sorry|unable)|i (?:can ?no|can'?)t|as an ai"
    r"|(?:please|could you|can you) (?:provide|share|give|send)"
    r"|(?:there is |you (?:have|did) )?no (?:text|sentence)|it (?:seems|looks like) (?:you|there)",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"\s*[(\[]?\*{0,2}(?:explanation|note|changes|corrections?"
    r"|i (?:have )?(?:changed|corrected|replaced)|the (?:sentence|text) (?:is|was))\b",
    re.IGNORECASE,
)
_LONGEST_INTRODUCTION = 80  # characters
_MOST_COMPARISONS = 20_000_000  # of surplus lines with sources
_LONGER = 1.3  # times the length of the source, below which a text does not contain its correction twice
_UNLIKE = 0.4  # share of common words below which an answer may be a refusal


@dataclass(frozen=True)
class CleanedAnswer:
    """An answer without its additions, and the names of what was removed."""

    text: str
    removed: tuple[str, ...] = ()


def clean_answer(source: str, answer: str) -> CleanedAnswer:
    """Remove what a language model added to its correction of a source; a refusal becomes the source."""
    removed: list[str] = []
    text = answer.strip()
    if _REFUSAL.match(text) and _shared_words(source, text) < _UNLIKE:
        return CleanedAnswer(source, ("refusal",))
    changed = True
    while changed:
        changed = False
        for name, step in _STEPS.items():
            rest = step(source, text).strip()
            if rest and rest != text:
                text, changed = rest, True
                removed.append(name)
    return CleanedAnswer(text, tuple(dict.fromkeys(removed)))


def clean_answers(sources: Sequence[str], answers: Sequence[str]) -> list[CleanedAnswer]:
    """Clean one answer per source; more lines than sources are matched with the sources first."""
    lines = matching_lines(sources, answers)
    return [clean_answer(source, line) for source, line in zip(sources, lines, strict=True)]


def matching_lines(sources: Sequence[str], answers: Sequence[str], path: StrPath | None = None) -> list[str]:
    """One line per source: where there are more, those that correct the sources; `path` is for errors."""
    surplus = len(answers) - len(sources)
    if not surplus:
        return list(answers)
    where = None if path is None else display(path)
    lengths = (
        f"{len(answers)} {plural(len(answers), 'answer')} for {len(sources)} {plural(len(sources), 'source')}"
    )
    if surplus < 0:
        hint = "give one line per source sentence; an empty line stands for a missing answer"
        raise DataError(lengths, path=where, hint=hint)
    if surplus * len(sources) > _MOST_COMPARISONS:
        raise DataError(f"{lengths} are too many to match", path=where, hint="divide the files into parts")
    return _best_lines(sources, answers)


def similarity(source: str, text: str) -> float:
    """How similar two texts are, from 0 to 1, without regard to case and spaces."""
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity("".join(source.lower().split()), "".join(text.lower().split()))


def _shared_words(source: str, text: str) -> float:
    first, second = set(source.lower().split()), set(text.lower().split())
    return 2 * len(first & second) / max(1, len(first) + len(second))


def _without_marker(source: str, text: str) -> str:
    """Without a bullet or a number at the beginning."""
    match = _MARKER.match(text)
    if match is None or source.startswith(match[0].strip()):
        return text
    rest = text[match.end() :]
    return rest if similarity(source, rest) > similarity(source, text) else text


def _without_wrapper(source: str, text: str) -> str:
    """Without quotation marks, emphasis, code marks or a JSON object around the whole text."""
    if (match := _JSON.fullmatch(text)) is not None and not source.startswith("{"):
        return match[1].replace('\\"', '"')
    for opening, closing in _WRAPPERS:
        if len(text) > len(opening) + len(closing) and text.startswith(opening) and text.endswith(closing):
            rest = text[len(opening) : -len(closing)].strip()
            # Marks of the source itself must be left.
            if (source[:1] in _MARKS) <= (rest[:1] in _MARKS) and (source[-1:] in _MARKS) <= (
                rest[-1:] in _MARKS
            ):
                return rest
    return text


def _without_introduction(source: str, text: str) -> str:
    """Without a sentence that ends in a colon before the correction."""
    introduction, colon, rest = text.partition(":")
    if not colon or len(introduction) > _LONGEST_INTRODUCTION or not rest.strip():
        return text
    if introduction.strip().lower() in source.lower() or similarity(source, introduction) > 0.5:
        return text
    return rest if similarity(source, rest) > similarity(source, text) else text


def _without_source(source: str, text: str) -> str:
    """Without a repetition of the source, or the source and an arrow, before the correction."""
    parts = _ARROW.split(text)
    if (
        len(parts) > 1
        and not _ARROW.search(source)
        and similarity(source, parts[-1]) > similarity(source, text)
    ):
        return parts[-1]
    rest = text[len(source) :]
    if text.startswith(source) and source and similarity(source, rest) > similarity(source, text):
        return rest
    return text


def _without_repetition(source: str, text: str) -> str:
    """Once, if the same correction is there several times."""
    if len(text) < _LONGER * len(source):
        return text
    words = text.split()
    for copies in (2, 3, 4):
        part = words[: len(words) // copies]
        once = " ".join(part)
        if words == part * copies and similarity(source, once) > similarity(source, text):
            return once
    return text


def _without_explanation(source: str, text: str) -> str:
    """Without an explanation after the correction."""
    for match in _EXPLANATION.finditer(text):
        before = text[: match.start()]
        if (
            before.strip()
            and match[0].strip() not in source
            and similarity(source, before) > similarity(source, text)
        ):
            return before
    return text


_STEPS: dict[str, Callable[[str, str], str]] = {
    "wrapper": _without_wrapper,  # before markers: ** is emphasis, * a bullet
    "repetition": _without_repetition,  # before steps that would remove a part of it
    "marker": _without_marker,
    "introduction": _without_introduction,
    "source": _without_source,
    "explanation": _without_explanation,
}


def _best_lines(sources: Sequence[str], lines: Sequence[str]) -> list[str]:
    """For every source the line that corrects it; the order of the lines is kept, the others are left out.

    Dynamic programming over sources and surplus lines: the chosen lines have the largest sum of similarities.
    """
    surplus = len(lines) - len(sources)
    best = [0.0] * (surplus + 1)  # by the number of lines that were left out so far
    left_out: list[list[int]] = []
    for number, source in enumerate(sources):
        scores = [0.0] * (surplus + 1)
        origins = [0] * (surplus + 1)
        total, origin = float("-inf"), 0
        for skipped in range(surplus + 1):
            if best[skipped] > total:
                total, origin = best[skipped], skipped
            scores[skipped] = total + similarity(source, lines[number + skipped])
            origins[skipped] = origin
        best = scores
        left_out.append(origins)
    skipped = max(range(surplus + 1), key=lambda count: (best[count], -count))
    chosen: list[str] = []
    for number in reversed(range(len(sources))):
        chosen.append(lines[number + skipped])
        skipped = left_out[number][skipped]
    return chosen[::-1]

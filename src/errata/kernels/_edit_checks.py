"""What the kernels that find edits ask of their arguments: tagging, aligning, merging and typing."""

from __future__ import annotations

from typing import Any

from errata.kernels import bounds
from errata.kernels._checks import all_offsets, differences, ids, once, part, room, shape


def longest_runs(a: Any) -> None:
    part(a.start, a.stop, len(a.counts))
    room(a.stop, a.runs)
    once(_steps, a.step_offsets, a.steps, a.counts)


def _steps(step_offsets: Any, steps: Any, counts: Any) -> None:
    """Steps of alignments that lie in their array; they are numbers from 0 on."""
    room(len(counts), step_offsets)
    begin = step_offsets[: len(counts)]
    ids(begin, len(steps) + 1)
    ids(counts, len(steps) + 1)
    ids(begin + counts, len(steps) + 1)
    if (begin[1:] < (begin + counts)[:-1]).any():
        raise ValueError("steps of two pairs at one place")


def merge(a: Any) -> None:
    part(a.start, a.stop, len(a.pairs))
    room(a.stop, a.step_offsets, a.counts, a.found)
    once(_steps, a.step_offsets, a.steps, a.counts)
    once(_steps_fit, a.pairs, a.offsets, a.step_offsets, a.steps, a.counts)
    shape(a.spans, len(a.steps), 4)
    _columns(a)
    room(len(a.form), a.tag)
    room(4, a.settings)
    runs = a.step_offsets, a.steps, a.counts, a.start, a.stop
    longest = bounds.longest_run(*runs) if a.strategy == 0 else 0
    shape(a.run, longest + 1, 8)
    room(longest * longest, a.table)
    shape(a.todo, 2 * longest + 3, 3)
    if a.settings[3]:
        once(_weighed, a.codes, a.weights)
    once(_words_fit, a.char_offsets, len(a.row))


def _steps_fit(pairs: Any, sentences: Any, step_offsets: Any, steps: Any, counts: Any) -> None:
    """Steps that stand for the tokens of their pairs and no others."""
    shape(pairs, 0, 2)
    ids(pairs, len(sentences) - 1)
    ids(steps, 1 << 31)
    room(len(counts), pairs)
    if not bounds.steps_fit(pairs, sentences, step_offsets, steps, counts):
        raise ValueError("steps of more tokens than a pair has")


def _columns(a: Any) -> None:
    """Columns of tokens that fit the tables of what they number."""
    once(all_offsets, a.offsets, len(a.form))
    room(len(a.form), a.lower, a.upos)
    once(ids, a.form, min(len(a.char_offsets) - 1, len(a.flags)))
    once(all_offsets, a.lower_offsets, len(a.lower_chars))
    once(ids, a.lower, len(a.lower_offsets) - 1)
    once(
        all_offsets,
        a.char_offsets,
        len(next(getattr(a, name) for name in ("codes", "letters", "chars") if hasattr(a, name))),
    )
    once(ids, a.upos, len(a.kinds if hasattr(a, "kinds") else a.class_of_upos))


def english_types(a: Any) -> None:
    part(a.start, a.stop, len(a.out))
    once(_placed, a.sentences, a.spans, a.offsets)
    room(a.stop, a.sentences, a.spans)
    _columns(a)
    room(len(a.form), a.lemma, a.tag, a.dep, a.head)
    once(ids, a.tag, len(a.class_of_tag))
    once(ids, a.dep, min(len(a.labels), len(a.class_of_label)))
    room(len(a.flags), a.words, a.stems)
    room(len(a.lower_offsets) - 1, a.balance)
    once(_words_fit, a.lower_offsets, len(a.row))
    shape(a.pairs, 0, 5)
    shape(a.alike, 0, 6)


def universal_types(a: Any) -> None:
    part(a.start, a.stop, min(len(a.out), len(a.alike)))
    once(_placed, a.sentences, a.spans, a.offsets)
    room(a.stop, a.sentences, a.spans)
    _columns(a)
    room(len(a.form), a.lemma, a.dep)
    once(ids, a.dep, min(len(a.class_of_label), len(a.arguments)))
    room(len(a.flags), a.words, a.stems)
    room(len(a.lower_offsets) - 1, a.balance)
    once(ids, a.class_of_label, len(a.kinds), -1)
    once(_looks, a.letters, a.look_offsets, len(a.look_chars))


def _looks(letters: Any, look_offsets: Any, count: int) -> None:
    """Letters that have all four looks."""
    shape(look_offsets, 4, 1)
    ids(letters, look_offsets.shape[1] - 1)
    for row in look_offsets:
        all_offsets(row, count)


def _placed(sentences: Any, spans: Any, starts: Any) -> None:
    """Edits between two places of their sentences."""
    shape(sentences, 0, 2)
    shape(spans, len(sentences), 4)
    ids(sentences, len(starts) - 1)
    lengths = differences(starts)[sentences]
    for side, (start, end) in enumerate(((0, 1), (2, 3))):
        one, other = spans[: len(sentences), start], spans[: len(sentences), end]
        if len(one) and (one.min() < 0 or (one > other).any() or (other > lengths[:, side]).any()):
            raise ValueError("an edit outside its sentence")


def _words_fit(char_offsets: Any, row: int) -> None:
    if differences(char_offsets).max(initial=0) >= row:
        raise ValueError("a word that is longer than the row")


def _weighed(codes: Any, weights: Any) -> None:
    shape(weights, 0, weights.shape[0])
    ids(codes, weights.shape[0])

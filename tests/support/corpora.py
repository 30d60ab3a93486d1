"""Made-up corpora for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment

# Words that formats could trip over: bars, braces, quotes, back slashes, other scripts, astral signs.
_WORDS = [
    "a",
    "the",
    "S",
    "A",
    "noop",
    '"',
    "'",
    "\\N",
    "\\",
    "{x",
    "y}",
    "=>",
    "#",
    "kůň",
    "їжак",
    "日本",
    "😀",
    "ﬁ",
]
WORDS = st.sampled_from([*_WORDS, "|", "|||"])
WORDS_OF_M2 = st.sampled_from(_WORDS)
SENTENCES = st.lists(WORDS, max_size=8).map(" ".join)
TYPES = st.sampled_from(["UNK", "R:SPELL", "M:DET", "U:PUNCT", "Wci"])
LABELS = st.none() | st.sampled_from(["d1", "d2", "d3"])


@st.composite
def edit_lists(draw: st.DrawFn, length: int, words: st.SearchStrategy[str] = WORDS) -> list[Edit]:
    """Edits that lie apart in a sentence of so many tokens."""
    places = sorted(draw(st.lists(st.integers(0, length), max_size=6, unique=True)))
    edits = []
    for start, end in zip(places[::2], places[1::2], strict=False):
        if draw(st.booleans()):
            end = start
        correction = draw(st.lists(words, min_size=start == end, max_size=3).map(" ".join))
        alternatives = tuple(
            draw(st.lists(st.lists(words, min_size=1, max_size=2).map(" ".join), max_size=2))
        )
        edits.append(Edit(start, end, correction, draw(TYPES), alternatives))
    return edits


@st.composite
def segments(draw: st.DrawFn, m2: bool = False) -> Segment:
    """A segment; with `m2` one that M2 can hold: annotated, and by edits without bars."""
    source = draw(SENTENCES)
    annotations = []
    for annotator in sorted(draw(st.sets(st.integers(0, 3), min_size=m2, max_size=3))):
        if not m2 and draw(st.booleans()):
            annotations.append(Annotation(source, text=draw(SENTENCES), annotator=annotator))
        else:
            edits = draw(edit_lists(len(source.split()), WORDS_OF_M2 if m2 else WORDS))
            annotations.append(Annotation(source, edits=edits, annotator=annotator))
    meta = draw(
        st.dictionaries(st.sampled_from(["domain", "age", "source", "reference"]), SENTENCES, max_size=2)
    )
    return Segment(
        source, tuple(annotations), draw(LABELS), draw(st.none() | st.sampled_from(["0", "1"])), meta
    )


def corpora(m2: bool = False, min_size: int = 0) -> st.SearchStrategy[Corpus]:
    return st.lists(segments(m2), min_size=min_size, max_size=6).map(Corpus)

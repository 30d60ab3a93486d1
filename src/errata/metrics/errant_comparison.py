"""Two M2 files compared as the official errant_compare does, with its output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from errata.corpus.files import read_bytes
from errata.corpus.m2 import NOOP, read_m2
from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError, plural
from errata.metrics.edit_matching import Counts, Key, Matching, count, count_types, f_score

Keys = dict[Key, list[str]]


@dataclass(frozen=True)
class Comparison:
    """The edits of a hypothesis file against those of a reference file; both may have several annotators."""

    matching: Matching
    beta: float = 0.5

    def run(self, hyp: str, ref: str, title: str, level: int | None, verbose: bool) -> Iterator[str]:
        """The lines the official program prints."""
        hypotheses, references = _read(hyp), _read(ref)
        if len(hypotheses) != len(references):
            raise DataError(
                f"{len(hypotheses)} {plural(len(hypotheses), 'sentence')} in {hyp}, "
                f"but {len(references)} in {ref}",
                hint="both files need the same sentences in the same order",
            )
        totals: Counts = (0, 0, 0)
        types: dict[str, list[int]] = {}
        for number, pair in enumerate(zip(hypotheses, references, strict=True)):
            counts, chosen = self._best(pair, totals)
            if verbose:
                yield from self._details(number, pair, totals, chosen)
            totals = _add(totals, counts)
            count_types(*self._keys(pair, chosen), types)
        if level is not None:
            yield ""
            yield f" {title} ".center(66, "=")
            yield " ".join(
                [
                    *map(_padded, ("Category", "TP", "FP", "FN", "P", "R"), (14, 8, 8, 8, 8, 8)),
                    f"F{self.beta}",
                ]
            )
            for name, numbers in _at_level(types, level).items():
                tp, fp, fn = numbers
                p, r, f = f_score(tp, fp, fn, self.beta)
                yield " ".join([*map(_padded, (name, tp, fp, fn, p, r), (14, 8, 8, 8, 8, 8)), str(f)])
        yield ""
        yield f" {title} ".center(46, "=")
        yield "\t".join(["TP", "FP", "FN", "Prec", "Rec", f"F{self.beta}"])
        yield "\t".join(map(str, [*totals, *f_score(*totals, self.beta)]))
        yield "=" * 46
        yield ""

    def _best(self, pair: tuple[Segment, Segment], totals: Counts) -> tuple[Counts, tuple[int, int]]:
        """The counts of the annotators that serve the totals best, and which they are."""
        best: tuple[float, int, int, int] | None = None
        result: tuple[Counts, tuple[int, int]] = ((0, 0, 0), (0, 0))
        for chosen in _combinations(pair):
            counts = count(*self._keys(pair, chosen))
            rank = (f_score(*_add(totals, counts), self.beta)[2], counts[0], -counts[1], -counts[2])
            if best is None or rank > best:
                best, result = rank, (counts, chosen)
        return result

    def _keys(self, pair: tuple[Segment, Segment], chosen: tuple[int, int]) -> tuple[Keys, Keys]:
        one, other = (segment.annotations[i] for segment, i in zip(pair, chosen, strict=True))
        return self.matching.keys(one.edits), self.matching.keys(other.edits)

    def _details(
        self, number: int, pair: tuple[Segment, Segment], totals: Counts, best: tuple[int, int]
    ) -> Iterator[str]:
        line = "-" * 40
        yield line
        yield f"Original sentence {number}: {pair[0].source}"
        for chosen in _combinations(pair):
            hypothesis, reference = self._keys(pair, chosen)
            counts = count(hypothesis, reference)
            together = _add(totals, counts)
            one, other = _names(pair, chosen)
            yield line
            yield f"SENTENCE {number} - HYP {one} - REF {other}"
            yield f"HYPOTHESIS EDITS : {_shown(hypothesis)}"
            yield f"REFERENCE EDITS  : {_shown(reference)}"
            for scope, numbers in (("Local", counts), ("Global", together)):
                yield f"{scope} TP/FP/FN".ljust(17) + ": " + " ".join(map(str, numbers))
                scores = " ".join(map(str, f_score(*numbers, self.beta)))
                yield f"{scope} P/R/F{self.beta}  : {scores}"
        one, other = _names(pair, best)
        yield line
        yield f"^^ HYP {one}, REF {other} chosen for sentence {number}"
        yield "Local results:"
        types: dict[str, list[int]] = {}
        count_types(*self._keys(pair, best), types)
        rows = [["Category", "TP", "FP", "FN"], *([name, *map(str, n)] for name, n in types.items())]
        widths = [max(len(row[i]) for row in rows) + 3 for i in range(4)]
        for row in rows:
            yield "".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def _read(path: str) -> list[Segment]:
    """The sentences of an M2 file, with corrections and types as they are written.

    To the official program a correction of `-NONE-` is a word, blanks in a correction count, and the
    annotator is the last field of a line.
    """
    corpus = read_m2(path)  # names the line of what is not M2
    text = read_bytes(path).decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
    blocks = [
        [x for x in block.split("\n") if x.startswith("A")] for block in text.split("\n\n") if block.strip()
    ]
    if len(blocks) != len(corpus):
        raise DataError(
            "a block has several S lines", path=path, hint="`errata corpus check` names the lines"
        )
    segments = []
    for source, lines in zip(corpus.sources, blocks, strict=True):
        edits: dict[int, list[Edit]] = {}
        for line in lines:
            fields = line[2:].split("|||")
            if not fields[-1].strip().isdecimal():
                raise DataError(f"the last field is not an annotator's number: {line[:80]!r}", path=path)
            start, end = map(int, fields[0].split()[:2])
            annotator_edits = edits.setdefault(int(fields[-1]), [])
            if fields[1] != NOOP:
                annotator_edits.append(Edit(start, end, fields[2], fields[1]))
        annotations = [Annotation(source, edits=edits[a], annotator=a) for a in sorted(edits)]
        segments.append(Segment(source, tuple(annotations or [Annotation(source, edits=(), implicit=True)])))
    return segments


def _combinations(pair: tuple[Segment, Segment]) -> Iterator[tuple[int, int]]:
    for one in range(len(pair[0].annotations)):
        for other in range(len(pair[1].annotations)):
            yield one, other


def _names(pair: tuple[Segment, Segment], chosen: tuple[int, int]) -> tuple[int, int]:
    annotations: list[Annotation] = [s.annotations[i] for s, i in zip(pair, chosen, strict=True)]
    return annotations[0].annotator, annotations[1].annotator


def _shown(keys: Keys) -> list[tuple[int | str, ...]]:
    return [(*key, keys[key][0]) for key in sorted(keys)]


def _add(one: Counts, other: Counts) -> Counts:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _padded(value: object, width: int) -> str:
    return str(value).ljust(width)


def _at_level(counts: Mapping[str, list[int]], level: int) -> dict[str, list[int]]:
    """The counts by operation, category or both, cut out of types by position as in the official program.

    A type without an operation loses its first two characters: `ArtOrDet` is printed as `tOrDet`.
    """
    sums: dict[str, list[int]] = {}
    for kind, numbers in counts.items():
        name = kind if level == 3 or kind == "UNK" else kind[:1] if level == 1 else kind[2:]
        sums[name] = [a + b for a, b in zip(sums.get(name, [0, 0, 0]), numbers, strict=True)]
    return dict(sorted(sums.items()))

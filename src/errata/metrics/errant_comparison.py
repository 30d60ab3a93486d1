"""Two M2 files compared as the official errant_compare and ChERRANT's program do, with their output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from errata.corpus.cherrant import UNANNOTATED_TYPE
from errata.corpus.files import display, read_lines
from errata.corpus.m2 import NOOP, broken_edit, edit_fields
from errata.corpus.segment import Edit
from errata.errors import DataError, plural
from errata.metrics.edit_matching import Counts, Key, Matching, count_types, f_score

Keys = dict[Key, list[str]]
Coders = dict[int, Keys]  # in the order of the file
Sentence = tuple[str, list[tuple[int, Edit]]]  # the source, and the edits with their annotators


@dataclass(frozen=True)
class Comparison:
    """The edits of a hypothesis file against those of a reference file; both may have several annotators.

    `cherrant` compares as ChERRANT does: without blanks in corrections, and without sentences that nobody
    could correct. `answers` keeps the annotators below this number, `references` the sentences that have
    this number of them, and `start` and `end` a range of sentences.
    """

    matching: Matching
    beta: float = 0.5
    cherrant: bool = False
    answers: int | None = None
    references: int | None = None
    start: int | None = None
    end: int | None = None

    def run(self, hyp: str, ref: str, title: str, level: int | None, verbose: bool) -> Iterator[str]:
        """The lines the official program prints."""
        hypotheses, references = (self._read(path)[self.start : self.end] for path in (hyp, ref))
        if len(hypotheses) != len(references):
            raise DataError(
                f"{len(hypotheses)} {plural(len(hypotheses), 'sentence')} in {hyp}, "
                f"but {len(references)} in {ref}",
                hint="both files need the same sentences in the same order",
            )
        totals: Counts = (0, 0, 0)
        types: dict[str, list[int]] = {}
        for number, ((source, edits), (_, gold)) in enumerate(zip(hypotheses, references, strict=True)):
            if self.cherrant:
                counted = [edit for _, edit in gold if self.matching.counts(edit)]
                if counted and all(edit.type == UNANNOTATED_TYPE for edit in counted):
                    continue
            coders = self._coders(edits), self._coders(gold)
            if self.references not in (None, len(coders[1])):
                continue
            best = self._best(*coders, totals)
            if verbose:
                yield from self._details(number, source, *coders, totals, best)
            chosen = _counted(coders[0][best[0]], coders[1][best[1]])
            totals = _add(totals, _sums(chosen))
            for kind, numbers in chosen.items():
                types[kind] = [a + b for a, b in zip(types.get(kind, [0, 0, 0]), numbers, strict=True)]
        if level is not None:
            yield ""
            yield f" {title} ".center(66, "=")
            widths = (14, 8, 8, 8, 8, 8)
            header = map(_padded, ("Category", "TP", "FP", "FN", "P", "R"), widths)
            yield " ".join([*header, f"F{self.beta}"])
            for name, (tp, fp, fn) in _at_level(types, level).items():
                p, r, f = f_score(tp, fp, fn, self.beta)
                yield " ".join([*map(_padded, (name, tp, fp, fn, p, r), widths), str(f)])
        yield ""
        yield f" {title} ".center(46, "=")
        yield "\t".join(["TP", "FP", "FN", "Prec", "Rec", f"F{self.beta}"])
        yield "\t".join(map(str, [*totals, *f_score(*totals, self.beta)]))
        yield "=" * 46
        yield ""

    def _read(self, path: str) -> list[Sentence]:
        """The sentences of an M2 file, with corrections and types as they are written.

        A correction of `-NONE-` is a word, blanks in a correction count, and the annotator is the last field.
        """
        sentences: list[Sentence] = []
        inside = False
        for number, line in enumerate(read_lines(path), 1):
            edit, fault = None, ""
            if line.startswith("S"):
                fault = "a block has several S lines" if inside else ""
                sentences.append((line[2:], []))
            elif line.startswith("A"):
                edit = edit_fields(line)
                if edit is None:
                    fault = broken_edit(line)
                elif not edit.fields[-1].strip().isdecimal():
                    fault = "the last field is not an annotator's number"
            elif line and not (self.cherrant and line.startswith("T")):
                fault = "neither an S nor an A line"
            if fault or (line and not sentences):
                raise DataError(
                    f"{fault or 'a line before the first S line'}: {line[:80]!r}",
                    path=display(path),
                    line=number,
                    hint="`errata corpus check` lists all such lines",
                )
            if edit:
                correction = edit.fields[2].replace(" ", "") if self.cherrant else edit.fields[2]
                coder = int(edit.fields[-1])
                sentences[-1][1].append((coder, Edit(edit.start, edit.end, correction, edit.fields[1])))
            inside = bool(line)
        return sentences

    def _coders(self, edits: list[tuple[int, Edit]]) -> Coders:
        """The keys of every annotator; a sentence without edits has a noop of annotator 0."""
        if self.answers is not None:
            edits = [(coder, edit) for coder, edit in edits if coder < self.answers]
        coders: Coders = {}
        for coder, edit in edits or [(0, Edit(-1, -1, "-NONE-", NOOP))]:
            if self.cherrant and edit.type == UNANNOTATED_TYPE:
                edit = replace(edit, type=NOOP)
            keys = coders.setdefault(coder, {})
            for key, types in self.matching.keys([edit]).items():
                keys.setdefault(key, []).extend(types)
        return coders

    def _best(self, hypotheses: Coders, references: Coders, totals: Counts) -> tuple[int, int]:
        """The annotators that serve the totals best."""

        def rank(pair: tuple[int, int]) -> tuple[float, int, int, int]:
            tp, fp, fn = _sums(_counted(hypotheses[pair[0]], references[pair[1]]))
            return f_score(*_add(totals, (tp, fp, fn)), self.beta)[2], tp, -fp, -fn

        return max(product(hypotheses, references), key=rank)

    def _details(
        self, number: int, source: str, hypotheses: Coders, references: Coders, totals: Counts,
        best: tuple[int, int],
    ) -> Iterator[str]:  # fmt: skip
        line = "-" * 40
        if not self.cherrant:
            yield line
            yield f"Original sentence {number}: {source}"
        for one, other in product(hypotheses, references):
            counts = _sums(_counted(hypotheses[one], references[other]))
            if self.cherrant:
                yield line
                yield f"SENTENCE {number} {source}"
            yield line
            yield f"SENTENCE {number} - HYP {one} - REF {other}"
            yield f"HYPOTHESIS EDITS : {self._shown(hypotheses[one])}"
            yield f"REFERENCE EDITS  : {self._shown(references[other])}"
            for scope, numbers in (("Local", counts), ("Global", _add(totals, counts))):
                yield f"{scope} TP/FP/FN".ljust(17) + ": " + " ".join(map(str, numbers))
                scores = " ".join(map(str, f_score(*numbers, self.beta)))
                yield f"{scope} P/R/F{self.beta}  : {scores}"
        yield line
        yield f"^^ HYP {best[0]}, REF {best[1]} chosen for sentence {number}"
        if self.cherrant:
            return
        yield "Local results:"
        types = _counted(hypotheses[best[0]], references[best[1]])
        rows = [["Category", "TP", "FP", "FN"], *([name, *map(str, n)] for name, n in types.items())]
        widths = [max(len(row[i]) for row in rows) + 3 for i in range(4)]
        for row in rows:
            yield "".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))

    def _shown(self, keys: Keys) -> list[tuple[int | str, ...]]:
        """The keys, with types; none if the first one is outside of the sentence, as a noop is."""
        ascending = sorted(keys)
        if not ascending or ascending[0][0] == -1:
            return []
        return ascending if self.cherrant else [(*key, keys[key][0]) for key in ascending]


def _counted(hypothesis: Keys, reference: Keys) -> dict[str, list[int]]:
    types: dict[str, list[int]] = {}
    count_types(hypothesis, reference, types)
    return types


def _sums(types: Mapping[str, list[int]]) -> Counts:
    tp, fp, fn = (sum(numbers[column] for numbers in types.values()) for column in range(3))
    return tp, fp, fn


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

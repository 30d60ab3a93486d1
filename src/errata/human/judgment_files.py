"""Read and write judgments: CSV of WMT, pairs, Mechanical Turk batches, scores in TSV, databases."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Protocol

from errata.corpus.files import StrPath, display, open_output, read_lines
from errata.errors import DataError, MissingPackageError
from errata.human.appraise import read_appraise, write_appraise
from errata.human.judgments import JudgedItem, Judgments, merge
from errata.human.pairs import expanded_pairs
from errata.human.scalars import Scalars

PLACEHOLDER = "PLACEHOLDER"  # empty slot in a WMT ranking of fewer than five systems
EMPTY_SLOT = "###"  # empty slot in the Mechanical Turk batches of Sakaguchi et al. (2016)
_WMT_SLOTS = 5


def read_table(
    path: StrPath, *, delimiter: str = ",", fill: bool = False
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with a header, as line numbers and dictionaries.

    With `fill` the last columns may be missing from a row; they are then empty.
    """
    name = display(path)
    reader = csv.reader((line + "\n" for line in read_lines(path)), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    try:
        for row in reader:
            if header is None:
                header = row
            elif row and row != [""]:
                if fill:
                    row += [""] * (len(header) - len(row))
                if len(row) != len(header):
                    raise DataError(
                        f"{len(row)} fields under {len(header)} columns", path=name, line=reader.line_num
                    )
                yield reader.line_num, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise DataError(f"not well-formed CSV: {error}", path=name, line=reader.line_num) from None
    if header is None:
        raise DataError("an empty file", path=name, hint="expected CSV with a header")


def _read_ranking_csv(path: StrPath) -> Judgments:
    """Read pairwise or WMT CSV: `segmentId`, `judgeID`, and `system1Id`, `system1rank`, `system2Id`, …

    One row is one item. Systems joined with `+` wrote the same text. A slot with `PLACEHOLDER` or rank −1 is
    empty. WMT's names of systems (`SET.SYSTEM.src-trg`) are shortened to `SYSTEM`.
    """
    items = []
    slots: list[tuple[str, str]] = []
    judge_column = segment_column = ""
    for line, row in read_table(path):
        if not slots:
            judge_column = "judgeID" if "judgeID" in row else "judgeId"
            segment_column = "segmentId" if "segmentId" in row else "srcIndex"
            slots = _slots(
                row, "system{}Id", "system{}rank", path, needed=(judge_column, segment_column), least=2,
                hint="expected segmentId, judgeID, system1Id, system1rank, system2Id, system2rank",
            )  # fmt: skip
        languages = f".{row.get('srclang')}-{row.get('trglang')}"
        shown = [
            (tuple(_short_name(name, languages) for name in row[system].split("+")), row[rank])
            for system, rank in slots
            if row[system] not in ("", PLACEHOLDER) and row[rank] != "-1"
        ]
        texts, ranks = _ranked(shown, path, line)
        document = row.get("documentId", "")
        items.append(
            JudgedItem(
                judge=row[judge_column],
                segment=row[segment_column],
                texts=texts,
                ranks=ranks,
                name=row.get("rankingID", ""),
                document="" if document == "-1" else document,
            )
        )
    return Judgments.from_items(items)


def _read_mturk(path: StrPath) -> Judgments:
    """Read a batch of Mechanical Turk rankings: `Input.sentID`, `Input.system1…`, `Answer.rank_1…`.

    Rejected assignments count as skipped, items with the `Input.type` control are marked as controls, and
    texts without a rank are left out.
    """
    items = []
    slots: list[tuple[str, str]] = []
    for line, row in read_table(path, fill=True):  # the last two, Approve and Reject, are often missing
        if not slots:
            slots = _slots(
                row, "Input.system{}", "Answer.rank_{}", path, needed=("Input.sentID", "WorkerId"), least=1,
                hint="expected WorkerId, Input.sentID, Input.system1…, Answer.rank_1…",
            )  # fmt: skip
        shown = [
            (tuple(row[system].split()), row[rank])
            for system, rank in slots
            if row[system].strip() not in ("", EMPTY_SLOT) and row[rank] != ""
        ]
        seconds = row.get("WorkTimeInSeconds", "")
        if seconds and not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,30})?", seconds):
            raise DataError(f"WorkTimeInSeconds {seconds!r}", path=display(path), line=line)
        texts, ranks = _ranked(shown, path, line)
        items.append(
            JudgedItem(
                judge=row["WorkerId"],
                segment=row["Input.sentID"],
                texts=texts,
                ranks=ranks,
                name=row.get("AssignmentId", ""),
                duration=float(seconds) if seconds else None,
                skipped=row.get("AssignmentStatus") == "Rejected",
                control=row.get("Input.type") == "control",
            )
        )
    return Judgments.from_items(items)


def read_scalars(path: StrPath) -> Scalars:
    """Read scores from TSV with the columns judge, segment, system, score, and optionally document."""
    rows = []
    for line, row in read_table(path, delimiter="\t"):
        missing = [name for name in ("judge", "segment", "system", "score") if name not in row]
        if missing:
            raise DataError(f"no column {', '.join(missing)}", path=display(path), line=1)
        try:
            score = float(row["score"])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise DataError(
                f"score {row['score']!r}", path=display(path), line=line, hint="a score is a number"
            )
        rows.append((row["judge"], row.get("document", ""), row["segment"], row["system"], score))
    if not rows:
        raise DataError("no scores in it", path=display(path))
    return Scalars.from_rows(rows)


def write_scalars(scalars: Scalars, file: IO[str]) -> None:
    """Write scores as TSV."""
    file.write("judge\tdocument\tsegment\tsystem\tscore\n")
    columns = (scalars.judge, scalars.segment, scalars.system, scalars.score)
    for judge, segment, system, score in zip(*columns, strict=True):
        document, name = scalars.segments[segment]
        cells = (scalars.judges[judge], document, name, scalars.systems[system], f"{score:g}")
        file.write("\t".join(cells) + "\n")


def _write_pairwise_csv(judgments: Judgments, file: IO[str]) -> None:
    """Write the expanded pairs of all items that count, one per row."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ["segmentId", "judgeID", "system1Id", "system1rank", "system2Id", "system2rank", "rankingID"]
    )
    kept = judgments.filtered()
    pairs = expanded_pairs(kept)
    ranks = {(i, s): r for i, s, r in zip(kept.item, kept.system, kept.rank, strict=True)}
    for item, left, right in zip(pairs.item, pairs.left, pairs.right, strict=True):
        writer.writerow(
            [
                kept.segments[kept.segment[item]],
                kept.judges[kept.judge[item]],
                kept.systems[left],
                ranks[item, left],
                kept.systems[right],
                ranks[item, right],
                item + 1,
            ]
        )


def _write_wmt_csv(judgments: Judgments, file: IO[str]) -> None:
    """Write one ranking per row in the columns of WMT; skipped items are left out."""
    kept = judgments.filtered().items()
    slots = max([_WMT_SLOTS, *(len(item.texts) for item in kept)])
    numbers = range(1, slots + 1)
    writer = csv.writer(file, lineterminator="\n")
    columns = [column for n in numbers for column in (f"system{n}Number", f"system{n}Id")]
    heads = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    writer.writerow([*heads, *columns, *(f"system{n}rank" for n in numbers), "rankingID"])
    for number, item in enumerate(kept, start=1):
        texts = ["+".join(text) for text in item.texts] + [PLACEHOLDER] * (slots - len(item.texts))
        ranks = [*item.ranks, *[-1] * (slots - len(item.texts))]
        named = [cell for text in texts for cell in (-1, text)]
        head = ["src", "trg", item.segment, item.document or -1, item.segment, item.judge]
        writer.writerow([*head, *named, *ranks, item.name or number])


def _write_mturk(judgments: Judgments, file: IO[str]) -> None:
    """Write the columns of a Mechanical Turk batch that describe judgments."""
    items = judgments.items()
    slots = max([_WMT_SLOTS, *(len(item.texts) for item in items)])
    numbers = range(1, slots + 1)
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    heads = ["AssignmentId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds", "Input.type"]
    systems = [f"Input.system{n}" for n in numbers]
    writer.writerow([*heads, "Input.sentID", *systems, *(f"Answer.rank_{n}" for n in numbers)])
    for item in items:
        missing = slots - len(item.texts)
        status = "Rejected" if item.skipped else "Approved"
        seconds = "" if item.duration is None else f"{item.duration:g}"
        head = [item.name, item.judge, status, seconds, "control" if item.control else "refs", item.segment]
        texts = [*map(" ".join, item.texts), *[EMPTY_SLOT] * missing]
        writer.writerow([*head, *texts, *item.ranks, *[""] * missing])


def _short_name(name: str, languages: str) -> str:
    """`conll14st-test.AMU.src-trg` becomes `AMU`."""
    middle = name.removesuffix(languages)
    return middle.partition(".")[2] if middle != name and "." in middle else name


def _slots(
    header: Mapping[str, str], system: str, rank: str, path: StrPath, *, needed: Sequence[str], least: int,
    hint: str,
) -> list[tuple[str, str]]:  # fmt: skip
    """The columns of systems and of their ranks, ordered by the number in place of `{}`."""
    pattern = re.escape(system).replace(r"\{\}", "([0-9]{1,4})")
    matches = [re.fullmatch(pattern, name) for name in header]
    numbers = sorted((match[1] for match in matches if match), key=int)
    slots = [(system.format(number), rank.format(number)) for number in numbers]
    missing = [name for name in (*needed, *(ranked for _, ranked in slots)) if name not in header]
    if missing or len(slots) < least:
        lacking = ", ".join(missing) or system.format(least)
        raise DataError(f"no column {lacking}", path=display(path), line=1, hint=hint)
    return slots


def _ranked(
    shown: Sequence[tuple[tuple[str, ...], str]], path: StrPath, line: int
) -> tuple[tuple[tuple[str, ...], ...], tuple[int, ...]]:
    """The systems and the rank of every text; an error for a repeated system or an invalid rank."""
    names = [system for systems, _ in shown for system in systems]
    for system in names:
        if not system or names.count(system) > 1:
            problem = f"the system {system!r} occurs twice in one item" if system else "a system without name"
            raise DataError(problem, path=display(path), line=line)
    for _, rank in shown:
        if not re.fullmatch(r"[0-9]{1,9}", rank):
            hint = "a rank is 1 (best), 2, 3 …"
            raise DataError(f"rank {rank!r}", path=display(path), line=line, hint=hint)
    return tuple(systems for systems, _ in shown), tuple(int(rank) for _, rank in shown)


# -- any format --------------------------------------------------------------------------------------

READERS: dict[str, Callable[[StrPath], Judgments]] = {
    "appraise": read_appraise,
    "pairwise": _read_ranking_csv,
    "wmt": _read_ranking_csv,
    "mturk": _read_mturk,
}
WRITERS: dict[str, Callable[[Judgments, IO[str]], None]] = {
    "appraise": write_appraise,
    "pairwise": _write_pairwise_csv,
    "wmt": _write_wmt_csv,
    "mturk": _write_mturk,
}
_HINT = (
    "expected Appraise XML, CSV with system1Id and system1rank, a Mechanical Turk batch, "
    "or TSV with judge, segment, system and score"
)


def detect_judgments(path: StrPath) -> str:
    """The format of a file of judgments by its content: the name of a reader, or `scalar`."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("<"):
        return "appraise"
    names = [name.strip().strip('"') for name in first.replace("\t", ",").split(",")]
    if "Input.system1" in names:
        return "mturk"
    if "system3Id" in names:
        return "wmt"
    if "system1Id" in names:
        return "pairwise"
    if {"judge", "segment", "system", "score"} <= set(names):
        return "scalar"
    raise DataError("cannot tell its format", path=display(path), line=1, hint=_HINT)


def is_judgments(path: StrPath) -> bool:
    """Whether a file has judgments in one of the formats."""
    try:
        detect_judgments(path)
    except DataError:
        return False
    return True


def read_judgments(paths: StrPath | Sequence[StrPath], *, format: str | None = None) -> Judgments:
    """Read ranking judgments in any format; several files become one set."""
    several = [paths] if isinstance(paths, str) or not isinstance(paths, Sequence) else list(paths)
    sets = []
    for path in several:
        name = format or detect_judgments(path)
        if name == "scalar":
            raise DataError(
                "scores, not rankings", path=display(path), hint="scores and rankings do not mix in one call"
            )
        sets.append(READERS[name](path))
        if not len(sets[-1]):
            raise DataError("no judgments in it", path=display(path), hint=_HINT)
    return sets[0] if len(sets) == 1 else merge(sets)


def write_judgments(judgments: Judgments, path: StrPath, *, format: str) -> None:
    """Write judgments; the file appears only when it is complete."""
    with open_output(path) as file:
        WRITERS[format](judgments, file)


# -- databases and other sources ---------------------------------------------------------------------


_SQLITE = b"SQLite format 3\0"
_POSTGRESQL = ("postgresql://", "postgres://", "postgresql+psycopg://")


class JudgmentSource(Protocol):
    """Reads judgments that are not in a file, such as the database of a campaign.

    Sources are objects or modules behind entry points of the group `errata.judgments`.
    """

    def reads(self, place: str) -> bool:
        """Whether this source can read this path or URL."""
        ...

    def read(self, place: str) -> Judgments | Scalars:
        """All judgments in this place."""
        ...


def judgment_source(place: str | os.PathLike[str]) -> JudgmentSource | None:
    """The source that reads this path or URL, or None for a file of judgments.

    If a campaign's database needs errata-gec-server and it is not installed, the error says so.
    """
    name = os.fspath(place)
    start = b"" if "://" in name else _first_bytes(name)
    if "://" not in name and b"\0" not in start:
        return None  # a text file needs no search for installed sources
    from importlib.metadata import entry_points

    for entry in entry_points(group="errata.judgments"):
        source: JudgmentSource = entry.load()
        if source.reads(name):
            return source
    if start == _SQLITE or name.startswith(_POSTGRESQL):
        raise MissingPackageError("the database of a campaign", "errata-gec-server")
    return None


def _first_bytes(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read(len(_SQLITE))
    except OSError:
        return b""

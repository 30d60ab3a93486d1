"""Export of a campaign's judgments in standard formats, M2 and JSONL, with quality flags.

Quality flags mark answers that came impossibly fast, and runs of the same answer. No answer is dropped.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, combinations
from typing import IO, Any

import sqlalchemy as sa

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.corpus.transforms import align_correction
from errata.errors import DataError
from errata.human.edit_labels import LabelledEdit, write_edit_labels
from errata.human.judgments import JudgedItem, Judgments
from errata.human.scalars import MarkedScores, MarkedText, Scalars, Span, penalty
from errata_server.application_store import Row
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.annotation_tasks import RUN, AnnotationTask
from errata_server.campaign.answer_validation import PRIVATE, Answer
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.campaign.campaign_store import WORK, CampaignStore, current_judgments, not_erased
from errata_server.campaign.items import CONTROLS, Card, Content, content_of, merged
from errata_server.campaign.items import Segment as Judged

WORDS_PER_SECOND = 10.0  # silent reading is about 4 (Brysbaert 2019); 10 is implausible
# An annotator is flagged from this share of fast answers on, if there are at least so many.
FAST_SHARE = 0.1
FAST_LEAST = 3


def is_fast(task: AnnotationTask, content: Content, seconds: float | None) -> bool:
    """Whether the texts of a screen cannot have been read in this time."""
    if seconds is None:
        return False
    texts = [*([content.source] if task.shows_source else []), *(card.text for card in content.cards)]
    words = sum(len(text.split()) for text in texts)
    return seconds < words / WORDS_PER_SECOND


def kind_of_answer(
    task: AnnotationTask, answer: Answer | None, skipped: str | None, shown: str, content: Content
) -> tuple[str, int]:
    """A text for the pattern of an answer on the screen, and the length of runs that are flagged."""
    return (
        (f"skipped: {skipped}", RUN) if answer is None else task.pattern(answer, json.loads(shown), content)
    )


@dataclass
class Run:
    """Equal answers of one annotator in a row: the last kind, its run so far, and the longest flagged run."""

    kind: str = ""  # empty for an answer without a pattern
    length: int = 0
    longest: int = 0

    def add(self, kind: str, limit: int) -> bool:
        """Add an answer; returns whether it is part of a run that is flagged."""
        self.length = self.length + 1 if kind and kind == self.kind else int(bool(kind))
        self.kind = kind
        if self.length >= limit:
            self.longest = max(self.longest, self.length)
        return self.length >= limit


@dataclass
class Work:
    """The screens of one annotator."""

    done: int = 0  # screens answered or skipped
    skipped: int = 0
    controls: int = 0  # that were answered
    failed_controls: int = 0

    def add(self, task: AnnotationTask, item: Row, judgment: Row) -> None:
        """Count the judgment of an item."""
        self.done += 1
        self.skipped += judgment.skipped is not None
        if item.kind == "control" and judgment.answer is not None:
            self.controls += 1
            self.failed_controls += task.failed_control(content_of(item.content), json.loads(judgment.answer))

    def lacks(self, settings: CampaignSettings) -> list[str]:
        """Why the work earns no completion code, in words."""
        reasons = []
        if self.skipped > settings.skips * self.done:
            reasons.append(f"{self.skipped} of {self.done} skipped")
        if self.failed_controls > (1 - settings.pass_share) * self.controls:
            reasons.append(f"{self.failed_controls} of {self.controls} controls failed")
        return reasons


def flags_text(done: int, fast: int, longest: int, others: Sequence[str] = ()) -> str:
    """The flags of an annotator in words; empty if there are none."""
    flags = [*others]
    if fast >= max(FAST_LEAST, FAST_SHARE * done):
        flags.append(f"{fast} of {done} too fast to read")
    if longest:
        flags.append(f"the same answer {longest} times in a row")
    return "; ".join(flags)


SUFFIXES = {  # where they differ from the format
    "appraise": "xml", "pairwise": "csv", "wmt": "csv", "mturk": "csv", "scalar": "tsv", "spans": "tsv",
    "second-pass": "tsv", "edit-labels": "tsv",
}  # fmt: skip


def _judge_names(store: CampaignStore, connection: sa.Connection, *, real: bool = False) -> dict[int, str]:
    """Names of the judges by number: `judge-1`, …, or their real names."""
    people = store.annotators(connection)
    return {row.id: row.name if real else f"judge-{n}" for n, row in enumerate(people, start=1)}


def read_campaign(place: str | os.PathLike[str]) -> Judgments | Scalars:
    """The judgments of a campaign that count, for rankings and agreement."""
    with CampaignStore.open(place) as store, store.read() as connection:
        if store.task.result in ("corrections", "acceptance", "edits"):
            raise DataError(f"a {store.settings.task} campaign does not judge systems", path=store.place)
        if store.task.result == "scores":
            return scalars_of(store, connection)
        judgments = judgments_of(store, connection)
        if not len(judgments):
            raise DataError("no judgments in it yet", path=store.place)
        return judgments


def judgments_of(store: CampaignStore, connection: sa.Connection, *, names: bool = False) -> Judgments:
    """Rankings and pairs as items; cards that are controls and no system's are left out."""
    counted = [_judged_item(*judged) for judged in _counting(store, connection, names)]
    return Judgments.from_items([one for one in counted if one is not None])


def _counting(
    store: CampaignStore, connection: sa.Connection, names: bool
) -> Iterator[tuple[Row, Row, Content, str]]:
    """Every judgment that counts, with its item, the item's content, and the judge."""
    contents = store.contents(connection)
    judges = _judge_names(store, connection, real=names)
    for row in current_judgments(connection):
        item, content = contents[row.item]
        if item.kind in WORK:
            yield row, item, content, judges[row.annotator]


def _judged_item(row: Row, item: Row, content: Content, judge: str) -> JudgedItem | None:
    """A ranking or choice without its controls; None if nothing is left."""
    ranks = None if row.answer is None else json.loads(row.answer)["ranks"]
    texts, kept = [], []
    for i, card in enumerate(content.cards):
        systems = tuple(name for name in card.systems if name not in CONTROLS)
        if systems:
            texts.append(systems)
            kept.append(1 if ranks is None else ranks[i])
    if not texts:
        return None
    return JudgedItem(
        judge=judge, segment=str(item.segment), texts=tuple(texts), ranks=tuple(kept), name=str(row.id),
        document=content.document, duration=row.seconds, skipped=ranks is None,
        control=item.kind == "control",
    )  # fmt: skip


def chances_of(
    store: CampaignStore, connection: sa.Connection, segments: Mapping[int, Judged]
) -> dict[str, dict[tuple[str, str], float]]:
    """The probability with which two systems with different texts were on a screen, by judgment.

    Screens of controls have none.
    """
    chances = {}
    for row, item, content, _ in _counting(store, connection, False):
        if item.kind == "control":
            continue
        shown, texts = len(content.cards), len(merged(segments[item.segment].outputs))
        pairs = [*combinations(content.cards, 2)]
        equal = shown * (shown - 1) / max(texts * (texts - 1), 1)
        chances[str(row.id)] = {
            (min(a, b), max(a, b)): chance
            for (first, second), chance in zip(pairs, content.chances or [equal] * len(pairs), strict=True)
            for a in first.systems
            for b in second.systems
        }
    return chances


def scalars_of(store: CampaignStore, connection: sa.Connection, *, names: bool = False) -> Scalars:
    """Scores of all systems; systems that wrote the same text get the same score."""
    scores = Scalars.from_rows(
        (judge, _one_line(content.document), str(item.segment), system, score)
        for row, item, content, judge in _counting(store, connection, names)
        if row.answer is not None
        for system, score in _system_scores(row, content, store.settings.weights)
    )
    if not store.task.marks_tokens:
        return scores
    marked = tuple((str(item.segment), text) for item, _, text in _marked(store, connection, names))
    columns = (scores.judge, scores.segment, scores.system, scores.score)
    return MarkedScores(scores.systems, scores.judges, scores.segments, *columns, marked)


def _system_scores(row: Row, content: Content, weights: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The systems of a screen with their scores, or with the negative penalties of their marked spans."""
    scores = json.loads(row.answer).get("scores")
    if scores is None:
        scores = [0.0 - penalty(text.spans, weights) for text in _marked_texts(row, content, "")]
    for card, score in zip(content.cards, scores, strict=True):
        for system in card.systems:
            if system not in CONTROLS:
                yield system, float(score)


def _marked_texts(row: Row, content: Content, judge: str) -> list[MarkedText]:
    """The texts of a screen with the spans that were marked in them."""
    return [
        MarkedText(judge, card.text, tuple(Span(**span) for span in spans))
        for card, spans in zip(content.cards, json.loads(row.answer)["spans"], strict=True)
    ]


def _marked(
    store: CampaignStore, connection: sa.Connection, names: bool
) -> Iterator[tuple[Row, Card, MarkedText]]:
    """Every text of a system that a judge has marked, with its item and its card."""
    for row, item, content, judge in _counting(store, connection, names):
        if row.answer is None:
            continue
        for card, text in zip(content.cards, _marked_texts(row, content, judge), strict=True):
            systems = tuple(name for name in card.systems if name not in CONTROLS)
            if systems:  # otherwise it is the text of a control
                yield item, Card(card.text, systems), text


def _write_spans(
    store: CampaignStore, connection: sa.Connection, file: IO[str], *, names: bool = False
) -> None:
    """One line per marked span and system; tokens are numbered from 0, and `end` is not part of the span."""
    file.write("judge\tsegment\tsystem\tstart\tend\tcategory\tseverity\tweight\ttext\n")
    for item, card, text in _marked(store, connection, names):
        tokens = card.text.split()
        for span in text.spans:
            for system in card.systems:
                cells = (
                    text.judge, item.segment, system, span.start, span.end, span.category, span.severity,
                    f"{store.settings.weights[span.severity]:g}", " ".join(tokens[span.start : span.end]),
                )  # fmt: skip
                file.write("\t".join(map(str, cells)) + "\n")


def spans_of(store: CampaignStore, connection: sa.Connection) -> Corpus:
    """The marked texts as a corpus: spans are edits with a category that change nothing.

    Texts are in the order of segments. A judge is an annotator; without marks, "nothing to correct".
    """
    judges = list(_judge_names(store, connection).values())
    number = {judge: i for i, judge in enumerate(judges)}
    by_text: dict[tuple[int, str], dict[int, tuple[Edit, ...]]] = {}
    for item, card, text in _marked(store, connection, False):
        tokens = card.text.split()
        edits = tuple(
            Edit(
                span.start,
                span.end,
                " ".join(tokens[span.start : span.end]),
                f"{span.category}:{span.severity}",
                comment="+".join(card.systems),
            )
            for span in text.spans
        )
        by_text.setdefault((item.segment, card.text), {})[number[text.judge]] = edits
    segments = [
        Segment(text, tuple(Annotation(text, edits=by_judge[who], annotator=who) for who in sorted(by_judge)))
        for (_, text), by_judge in sorted(by_text.items(), key=lambda entry: entry[0])
    ]
    return Corpus(segments, names=dict(enumerate(judges)))


def accepted_of(
    store: CampaignStore, connection: sa.Connection, *, names: bool = False
) -> Iterator[tuple[str, str, bool, int]]:
    """Who corrected a text, who judged it, whether it was accepted, and its segment."""
    for row, item, content, judge in _counting(store, connection, names):
        if row.answer is None:
            continue
        for card, accepted in zip(content.cards, json.loads(row.answer)["accepted"], strict=True):
            for name in card.systems:
                if name not in CONTROLS:
                    yield name, judge, accepted, item.segment


def edit_labels_of(
    store: CampaignStore, connection: sa.Connection, *, names: bool = False
) -> Iterator[LabelledEdit]:
    """The label of every edit of a system by every judge, without repeated screens."""
    for row, item, content, judge in _counting(store, connection, names):
        if row.answer is None or row.repeat or item.kind == "control":
            continue
        labels = json.loads(row.answer)["labels"]
        for card, edits, given in zip(content.cards, content.edits, labels, strict=True):
            key = (judge, str(item.segment), str(row.item))
            for edit, good in zip(edits, given, strict=True):
                yield LabelledEdit(judge, item.segment, key, card.systems, Edit(*edit), good)


def corrections_of(store: CampaignStore, connection: sa.Connection, *, names: bool = False) -> Corpus:
    """The corrected corpus, one reference per annotator; a proofread correction replaces the first.

    Its segments are sentences, also where annotators corrected whole documents. What one of them skipped as
    private is left out.
    """
    judged = current_judgments(connection)
    rows = [row for row in judged if row.answer is not None]
    proofread = {row.proposal: json.loads(row.answer)["text"] for row in rows if row.proposal is not None}
    contents = store.contents(connection)
    private = {contents[row.item][0].segment for row in judged if row.skipped == PRIVATE}
    people = store.annotators(connection)
    number = {row.id: i for i, row in enumerate(people)}
    by_segment: dict[int, dict[int, str]] = {}
    for row in rows:
        item = contents[row.item][0]
        if row.proposal is None and item.kind in WORK:
            text = proofread.get(row.assignment, json.loads(row.answer)["text"])
            by_segment.setdefault(item.segment, {})[number[row.annotator]] = text
    segments = [
        sentence
        for segment in store.segments(connection, chosen=True)
        if segment.id not in private
        for sentence in _corrected_sentences(segment, by_segment.get(segment.id, {}), store.task.unit)
    ]
    return Corpus(segments, names=dict(enumerate(_judge_names(store, connection, real=names).values())))


def _corrected_sentences(judged: Judged, texts: Mapping[int, str], unit: str) -> Iterator[Segment]:
    """A sentence, or the sentences of a document, with the correction of each annotator."""
    lines = judged.source.split("\n") if unit == "document" else [judged.source]
    paragraphs = [*accumulate(int(not line) for line in lines)]  # an empty line is between two paragraphs
    sources = [_one_line(line) for line in lines if line]
    corrected = {who: align_correction(sources, text) for who, text in sorted(texts.items())}
    places = [paragraph for line, paragraph in zip(lines, paragraphs, strict=True) if line]
    for i, (source, paragraph) in enumerate(zip(sources, places, strict=True)):
        annotations = [
            Annotation(source, text=_one_line(lines[i]), annotator=who) for who, lines in corrected.items()
        ]
        label = str(paragraph) if paragraphs[-1] else None
        yield Segment(source, tuple(annotations), judged.document or None, label)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def rows_of(
    store: CampaignStore, connection: sa.Connection, *, names: bool = False
) -> Iterator[dict[str, Any]]:
    """All rows, changed answers included, each with its item."""
    contents = store.contents(connection)
    judges = _judge_names(store, connection, real=names)
    current = {row.id for row in current_judgments(connection)}
    table, assignments = schema.judgments, schema.assignments
    joined = sa.select(table, assignments.c.repeat, assignments.c.proposal, assignments.c.position).join(
        assignments, assignments.c.id == table.c.assignment
    )
    keys: dict[int | None, str] = {}
    runs: defaultdict[int, Run] = defaultdict(Run)
    for row in connection.execute(joined.where(not_erased(table)).order_by(table.c.id)):
        item, content = contents[row.item]
        answer = None if row.answer is None else json.loads(row.answer)
        of = None if answer is None else answer.pop("of", None)
        keys[row.id] = row.key
        flags = []
        if row.revision == 1 and row.version != "imported":
            if is_fast(store.task, content, row.seconds):
                flags.append("fast")
            if runs[row.annotator].add(*kind_of_answer(store.task, answer, row.skipped, row.shown, content)):
                flags.append("same answer")
        yield {
            "campaign": store.uid, "key": row.key, "judge": judges[row.annotator], "segment": item.segment,
            "document": content.document, "kind": item.kind, "item": row.item, "version": row.version,
            "source": content.source,
            "edits": content.edits, "chances": content.chances,
            "cards": [{"text": card.text, "systems": list(card.systems)} for card in content.cards],
            "answer": answer, "skipped": row.skipped, "comment": row.comment, "seconds": row.seconds,
            "shown": json.loads(row.shown), "position": row.position, "revision": row.revision,
            "repeat": bool(row.repeat), "pass": 1 if row.proposal is None else 2,
            "proofreads": keys.get(of), "current": row.id in current, "time": row.created, "flags": flags,
            "selection": asdict(store.selection),
        }  # fmt: skip


def export(store: CampaignStore, file: IO[str], format: str, *, names: bool = False) -> None:
    """Write the campaign's judgments in one of the formats its task has."""
    from errata.corpus.m2 import write_m2
    from errata.corpus.tsv import write_tsv
    from errata.human.judgment_files import WRITERS, write_scalars

    allowed = store.task.formats
    if format not in allowed:
        raise DataError(
            f"a {store.settings.task} campaign cannot be written as {format}",
            hint=f"one of {', '.join(allowed)}",
        )
    with store.read() as connection:
        if format == "jsonl":
            for row in rows_of(store, connection, names=names):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        elif format == "scalar":
            write_scalars(scalars_of(store, connection, names=names), file)
        elif format == "spans":
            _write_spans(store, connection, file, names=names)
        elif format == "edit-labels":
            write_edit_labels(edit_labels_of(store, connection, names=names), file)
        elif format == "second-pass":
            file.write("first\tsecond\taccepted\tsegment\n")
            for first, second, accepted, segment in accepted_of(store, connection, names=names):
                file.write(f"{first}\t{second}\t{accepted:d}\t{segment}\n")
        elif format == "m2" and store.task.marks_tokens:
            write_m2(spans_of(store, connection), file)
        elif format in ("m2", "tsv"):
            write = write_m2 if format == "m2" else write_tsv
            write(corrections_of(store, connection, names=names), file)
        else:
            WRITERS[format](judgments_of(store, connection, names=names), file)


def export_file(place: str, format: str, path: str) -> None:
    """Write the judgments of a campaign into a file that is there already."""
    with CampaignStore.open(place) as store, open(path, "w", encoding="utf-8", newline="") as file:
        export(store, file, format)

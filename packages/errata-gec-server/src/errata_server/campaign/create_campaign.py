"""Create a campaign from its settings: read the texts, choose segments, build items, write the database."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import sqlalchemy as sa

from errata.corpus.files import read_lines
from errata.corpus.formats import read_corpus, read_outputs
from errata.corpus.model import Corpus, Outputs
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.results import Results
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.annotation_tasks import AnnotationTask, annotation_task
from errata_server.campaign.assignment import Assigner
from errata_server.campaign.campaign_settings import REFERENCE, CampaignSettings
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.items import Content, Item, Segment, Selection, merged
from errata_server.sessions import new_token, token_hash


def make_campaign(
    settings: CampaignSettings, place: str | os.PathLike[str], url: str | None = None
) -> tuple[CampaignStore, dict[str, str], str]:
    """Create a campaign; `url` is the address of its server for browsers.

    Returns the open store, every annotator's token and the admin's; only hashes of the tokens are kept.
    """
    task = annotation_task(settings)
    corpus = read_corpus(
        settings.corpus, format=settings.format, references=settings.references, meta=settings.meta
    )
    outputs = Outputs({})
    if settings.systems and (task.least_systems or task.judges_corrections):
        read = read_outputs(list(settings.systems.values()), corpus)
        outputs = Outputs(dict(zip(settings.systems, read.values(), strict=True)))
    texts: Mapping[str, Sequence[str | None]] = outputs
    if task.judges_corrections and not settings.systems:
        texts = {corpus.names.get(a, f"annotator-{a}"): corpus.references(a) for a in corpus.annotators}
    segments = _segments_of(corpus, texts, task.unit)
    if settings.rank_reference:
        segments = _with_ranked_references(segments, corpus, settings)
    elif settings.metrics:
        segments = _with_scores(segments, corpus, outputs, settings.metrics)
    chosen, selection = select(segments, task)
    settings = replace(settings, planned=settings.planned or max(len(chosen), 2))
    items: list[Item] = []
    if settings.qualification:
        items += _read_qualification(settings.qualification, task)
    if not task.makes_screens:
        items += _build_items(chosen, task)
    elif settings.quota is None:
        share = math.ceil(len(chosen) * settings.redundancy / settings.people)
        settings = replace(settings, quota=min(share, len(chosen)))
    admin = new_token()
    head = {
        "token_hash": token_hash(admin), "secret": secrets.token_hex(16), "selection": selection.to_json(),
        "sign_up_key": new_token() if settings.places else None, "places": settings.places,
    }  # fmt: skip
    created = CampaignStore.create(place, settings.name, settings.to_json(), url, **head)
    with created as (store, connection):
        connection.execute(sa.insert(schema.segments), _segment_rows(segments, chosen))
        tokens = {name: store.add_annotator(connection, name)[1] for name in settings.annotators}
        places = np.random.default_rng([settings.seed, 2]).permutation(len(items)).tolist()
        # Documents are read from the beginning.
        store.add_items(connection, items, range(len(items)) if task.in_order else places)
        if settings.assignment == "fixed":
            Assigner(store, connection).deal(connection)
    return store, tokens, admin


def _segment_rows(segments: Sequence[Segment], chosen: Sequence[Segment]) -> list[dict[str, Any]]:
    judged = {segment.id for segment in chosen}
    return [
        {
            "id": segment.id, "document": segment.document, "source": segment.source,
            "reference": segment.reference, "chosen": segment.id in judged,
            "outputs": json.dumps(dict(segment.outputs), ensure_ascii=False),
            "scores": json.dumps(segment.scores),
        }
        for segment in segments
    ]  # fmt: skip


def _segments_of(
    corpus: Corpus, outputs: Mapping[str, Sequence[str | None]], unit: str = "sentence"
) -> list[Segment]:
    """The segments of a campaign.

    With unit `document`, a document with one sentence per line, and an empty line between paragraphs.
    """
    sentences, paragraphs = [], []
    for index, segment in enumerate(corpus):
        reference = next(iter(segment.references), None)
        texts_of = {name: text for name, texts in outputs.items() if (text := texts[index]) is not None}
        sentences.append(Segment(index, segment.source, segment.document or "", reference, texts_of))
        paragraphs.append(segment.paragraph)
    if unit == "sentence":
        return sentences
    groups: dict[str, list[Segment]] = {}
    for one in sentences:
        groups.setdefault(one.document, []).append(one)
    if set(groups) == {""}:
        raise DataError("no segment says which document it belongs to", hint="give a side file: meta = [...]")
    return [
        Segment(number, _document_text(parts, paragraphs), document)
        for number, (document, parts) in enumerate(groups.items())
    ]


def _with_ranked_references(
    segments: Sequence[Segment], corpus: Corpus, settings: CampaignSettings
) -> list[Segment]:
    """The segments with one reference, drawn at random, as a system, and another one as the reference."""
    random = np.random.default_rng([settings.seed, 6])
    ranked = []
    for segment in segments:
        references = corpus[segment.id].references
        if len(references) < 1 + settings.show_reference:
            raise DataError(
                f"segment {segment.id + 1} has {len(references)} references",
                path=settings.corpus,
                hint="rank_reference needs one reference, and another one if show_reference is on",
            )
        drawn = [references[i] for i in random.permutation(len(references))]
        shown = drawn[1] if len(drawn) > 1 else None
        outputs = {**segment.outputs, REFERENCE: drawn[0]}
        ranked.append(replace(segment, reference=shown, outputs=outputs))
    return ranked


def _with_scores(
    segments: Sequence[Segment], corpus: Corpus, outputs: Outputs, names: Sequence[str]
) -> list[Segment]:
    """The segments with the sentence scores of metrics, on all references."""
    results = Results.compute(corpus, outputs, [metric(name) for name in names])
    scores = {name: {system: results.score(system, k).sentences.tolist() for system in outputs}
              for k, name in enumerate(names)}  # fmt: skip
    return [
        replace(segment, scores={name: {system: values[segment.id] for system, values in each.items()}
                                 for name, each in scores.items()})
        for segment in segments
    ]  # fmt: skip


def _document_text(sentences: Sequence[Segment], paragraphs: Sequence[str | None]) -> str:
    parts = groupby(sentences, key=lambda sentence: paragraphs[sentence.id])
    return "\n\n".join("\n".join(sentence.source for sentence in part) for _, part in parts)


def _build_items(segments: Sequence[Segment], task: AnnotationTask) -> list[Item]:
    """The items of a campaign whose screens are known at the beginning (all but adaptive rankings)."""
    settings = task.settings
    random = np.random.default_rng([settings.seed, 1])
    items: list[Item] = []
    by_number = {segment.id: segment for segment in segments}
    for segment in segments:
        reference = segment.reference if settings.show_reference else None
        for cards in task.screens(segment, random):
            content = Content(segment.source, reference, tuple(cards), document=segment.document)
            items.append(Item(content, "main", segment.id, settings.redundancy))
    if settings.joint:
        joint = _joint_documents(segments, settings)
        items = [replace(i, needed=settings.people) if i.content.document in joint else i for i in items]
    else:
        items = _with_overlap(items, settings, random)
    if settings.controls:
        items = _with_controls(items, by_number, task, random)
    return [replace(i, content=task.prepared(i.content, by_number[i.segment or 0])) for i in items]


def _with_overlap(items: list[Item], settings: CampaignSettings, random: np.random.Generator) -> list[Item]:
    """A share of the items, or of the documents, is judged by one extra annotator."""
    if settings.people <= settings.redundancy:
        return items
    places = range(len(items))
    documents = [item.content.document for item in items] if settings.whole_documents else []
    unit = [documents.index(document) for document in documents] or [*places]
    units = sorted(set(unit))
    drawn = random.permutation(len(units))[: round(settings.overlap * len(units))].tolist()
    chosen = {units[i] for i in drawn}
    return [replace(items[i], needed=items[i].needed + 1) if unit[i] in chosen else items[i] for i in places]


def _joint_documents(segments: Sequence[Segment], settings: CampaignSettings) -> set[str]:
    """The documents that all annotators judge."""
    documents = list(dict.fromkeys(segment.document for segment in segments))
    wanted = settings.joint
    if isinstance(wanted, int):
        if wanted > len(documents):
            raise DataError(f"{wanted} joint documents, but only {len(documents)} are judged")
        drawn = np.random.default_rng([settings.seed, 7]).choice(len(documents), wanted, replace=False)
        return {documents[i] for i in drawn.tolist()}
    for name in wanted:
        if name not in documents:
            raise DataError(f"no document {name!r} is judged", hint="`joint` names documents of the corpus")
    return set(wanted)


def _with_controls(
    items: list[Item], segments: Mapping[int, Segment], task: AnnotationTask, random: np.random.Generator
) -> list[Item]:
    """The items, a share of them with a card of known quality."""
    changed = list(items)
    wanted = max(1, round(task.settings.controls * len(items)))
    for i in random.permutation(len(items)).tolist():
        if wanted == 0:
            break
        item = items[i]
        content = task.control(item.content, segments[item.segment or 0].reference, random)
        if content is not None:
            control = Item(content, "control", item.segment, item.needed)
            if task.control_replaces_item:
                changed[i] = control
            else:
                changed.append(control)
            wanted -= 1
    return changed


def _read_qualification(path: str | os.PathLike[str], task: AnnotationTask) -> list[Item]:
    """Items with known answers, from JSONL: source, outputs and ranks or scores; or source and texts."""
    items = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            items.append(Item(task.qualification(json.loads(line)), "qualification", needed=0))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"not an item with a known answer: {error}",
                path=path,
                line=number,
                hint='{"source": …, "outputs": [a, b], "ranks": [1, 2]}; or "scores", "texts" …',
            ) from None
    if not items:
        raise DataError("no items in it", path=path)
    return items


def select(segments: Sequence[Segment], task: AnnotationTask) -> tuple[list[Segment], Selection]:
    """The segments to judge, in the order of the corpus, and the count of the others."""
    settings = task.settings
    counts = {"empty": 0, "unchanged": 0, "identical": 0}
    kept = []
    for segment in segments:
        reason = _left_out(segment, task)
        if reason is None:
            kept.append(segment)
        else:
            counts[reason] += 1
    if not kept:
        raise DataError(
            "there is nothing to judge",
            hint="do the systems write the same text everywhere? has the corpus sentences or corrections?",
        )
    if settings.whole_documents and not all(segment.document for segment in kept):
        raise DataError("a segment belongs to no document", hint="give a side file: meta = [...]")
    judged = len(kept)
    if settings.sample is not None:
        kept = _sample(kept, settings)
    return kept, Selection(len(segments), len(kept), unsampled=judged - len(kept), **counts)


def _sample(segments: Sequence[Segment], settings: CampaignSettings) -> list[Segment]:
    """Segments, or whole documents, drawn at random, in the order of the corpus."""
    wanted = settings.sample or 0
    units = list(dict.fromkeys(s.document if settings.whole_documents else s.id for s in segments))
    if wanted > len(units):
        what = "documents" if settings.whole_documents else "segments"
        raise DataError(
            f"a sample of {wanted} {what}, but only {len(units)} can be judged",
            hint=f"--sample {len(units)}, or leave it out to judge all of them",
        )
    drawn = np.random.default_rng([settings.seed, 5]).choice(len(units), wanted, replace=False)
    chosen = {units[i] for i in drawn.tolist()}
    return [s for s in segments if (s.document if settings.whole_documents else s.id) in chosen]


def _left_out(segment: Segment, task: AnnotationTask) -> str | None:
    """The reason why a segment is not judged; None if it is."""
    if not segment.source.strip() or (task.judges_corrections and not segment.outputs):
        return "empty"
    cards = merged(segment.outputs)
    if len(cards) == 1 and (task.compares or task.settings.skip_unchanged):
        if cards[0].text == " ".join(segment.source.split()):
            return "unchanged"
        return "identical" if task.compares else None
    return None

"""A new campaign from its settings: reads the texts, builds the items, writes the database."""

from __future__ import annotations

import math
import os
from dataclasses import replace

from errata.corpus.formats import read_corpus, read_outputs
from errata.corpus.model import Outputs
from errata_server.campaign.answers import read_qualification
from errata_server.campaign.items import Item, build_items, segments_of
from errata_server.campaign.selection import select
from errata_server.campaign.settings import Settings
from errata_server.campaign.store import Store, create


def make_campaign(
    settings: Settings, place: str | os.PathLike[str], url: str | None = None
) -> tuple[Store, dict[str, str], str]:
    """Make a campaign whose server browsers will find at `url`.

    Gives the open store, every annotator's token and the admin's; only hashes of the tokens are kept.
    """
    corpus = read_corpus(
        settings.corpus, format=settings.format, references=settings.references, meta=settings.meta
    )
    outputs = Outputs({})
    if settings.systems and settings.task != "correction":
        read = read_outputs(list(settings.systems.values()), corpus)
        outputs = Outputs(dict(zip(settings.systems, read.values(), strict=True)))
    unit = settings.unit if settings.task == "correction" else "sentence"
    segments = segments_of(corpus, outputs, unit)
    chosen, selection = select(segments, settings)
    items: list[Item] = []
    if settings.qualification:
        items += read_qualification(settings.qualification, settings)
    if (
        settings.assignment == "adaptive" and settings.task != "scalars"
    ):  # screens are made as they are needed
        if settings.quota is None:
            share = math.ceil(len(chosen) * settings.redundancy / settings.people)
            settings = replace(settings, quota=min(share, len(chosen)))
    else:
        items += build_items(chosen, settings)
    return create(place, settings, segments, chosen, items, selection, url)

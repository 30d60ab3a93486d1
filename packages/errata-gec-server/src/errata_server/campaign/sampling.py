"""Which segments of the corpus are judged: those with something to judge, or a sample of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from errata.errors import DataError
from errata_server.campaign.annotation_tasks import annotation_task
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.campaign.items import Segment, merged


@dataclass(frozen=True)
class Selection:
    """How many segments a corpus has, how many of them are judged, and why the others are not."""

    segments: int
    judged: int
    empty: int = 0  # without a source
    unchanged: int = 0  # all systems left the source as it is
    identical: int = 0  # all systems made the same change, and there is nothing to compare
    unsampled: int = 0  # not drawn

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Selection | None:
        """None where nothing was stored."""
        values = json.loads(text)
        return cls(**values) if values else None

    def text(self) -> str:
        """One sentence for people."""
        reasons = [
            f"{number:,} {what}"
            for number, what in (
                (self.unchanged, "that all systems left unchanged"),
                (self.identical, "that all systems changed in the same way"),
                (self.empty, "without text"),
                (self.unsampled, "outside of the sample"),
            )
            if number
        ]
        left_out = f"; left out: {', '.join(reasons)}" if reasons else ""
        return f"{self.judged:,} of {self.segments:,} segments are judged{left_out}"


def select(segments: Sequence[Segment], settings: CampaignSettings) -> tuple[list[Segment], Selection]:
    """The segments to judge, in the order of the corpus, and the count of the others."""
    counts = {"empty": 0, "unchanged": 0, "identical": 0}
    kept = []
    for segment in segments:
        reason = _left_out(segment, settings)
        if reason is None:
            kept.append(segment)
        else:
            counts[reason] += 1
    if not kept:
        raise DataError(
            "there is nothing to judge",
            hint="do the systems write the same text everywhere? is the corpus empty?",
        )
    unsampled = 0
    if settings.sample is not None:
        if settings.sample > len(kept):
            raise DataError(
                f"a sample of {settings.sample} segments, but only {len(kept)} can be judged",
                hint=f"--sample {len(kept)}, or leave it out to judge all of them",
            )
        unsampled = len(kept) - settings.sample
        drawn = np.random.default_rng([settings.seed, 5]).choice(len(kept), settings.sample, replace=False)
        kept = [kept[i] for i in sorted(drawn.tolist())]
    return kept, Selection(len(segments), len(kept), unsampled=unsampled, **counts)


def _left_out(segment: Segment, settings: CampaignSettings) -> str | None:
    """Why a segment is not judged; None where it is."""
    if not segment.source.strip():
        return "empty"
    cards = merged(segment.outputs)
    compares = annotation_task(settings).compares
    if len(cards) == 1 and (compares or settings.skip_unchanged):
        if cards[0].text == " ".join(segment.source.split()):
            return "unchanged"
        return "identical" if compares else None
    return None

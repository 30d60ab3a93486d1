"""A cache of statistics by content, for metrics that are costly: what was computed once is read back.

Every batch is a file of its own, written atomically, so that a run that is killed goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from errata import limits
from errata.corpus.files import open_binary_output
from errata.metrics.base import Metric
from errata.metrics.batch import Batch
from errata.metrics.signature import digest_of
from errata.metrics.statistics import Statistics


def cached(metric: Metric, batch: Batch, folder: str) -> Statistics:
    """The statistics of a batch: from the cache if it has them, otherwise computed and stored."""
    path = Path(folder) / f"{_key(metric, batch)}.npz"
    found = _read(path, metric)
    if found is None or len(found) != len(batch):
        found = metric.compute(batch)
        if not found.cuts:
            _write(path, found)
    return found


def _key(metric: Metric, batch: Batch) -> str:
    """A digest of everything that the statistics depend on: metric, version, first pass, limits and texts."""
    made = hashlib.sha256()

    def add(text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "little") + data)

    system = batch.system if batch.settled else ""  # only a first pass tells systems apart
    for part in (metric.signature, system, digest_of(batch.settled), str(limits.current())):
        add(part)
    for segment, hypothesis in zip(batch.corpus, batch.hypotheses, strict=True):
        add(segment.source)
        add(hypothesis)
        annotations = segment.annotations if "edits" in metric.needs else segment.rewritten
        for annotation in annotations if metric.needs & {"edits", "references"} else ():
            if "edits" in metric.needs and not annotation.given_as_text:
                add(f"{annotation.annotator} {annotation.edits!r}")
            else:
                add(f"{annotation.annotator} {annotation.text}")
    return made.hexdigest()


def _read(path: Path, metric: Metric) -> Statistics | None:
    """What is stored, or None: also for a file that cannot be read, which is then made anew."""
    from zipfile import BadZipFile

    try:
        with np.load(path, allow_pickle=False) as file:
            found = Statistics(metric.columns, file["values"], file["offsets"], file["references"])
    except (OSError, EOFError, ValueError, KeyError, BadZipFile):
        return None
    return found if found.problem() is None else None


def _write(path: Path, found: Statistics) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_binary_output(path) as file:
        np.savez(file, values=found.values, offsets=found.offsets, references=found.references)

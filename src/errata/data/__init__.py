"""Public corpora by name: `errata.data.path("conll14")` is the folder of one that was fetched or added."""

from __future__ import annotations

from errata.data.folder import add, folder, path
from errata.data.registry import DATASETS, Dataset, dataset

__all__ = ["DATASETS", "Dataset", "add", "dataset", "fetch", "folder", "path"]


def fetch(name: str, *, force: bool = False) -> None:
    """Download a data set into the data folder, unless it is there."""
    from errata.data.fetching import fetch_dataset

    fetch_dataset(dataset(name), force=force)

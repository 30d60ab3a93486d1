"""Public corpora by name: `errata.data.path("conll14")` is the folder of one that was fetched or added."""

from __future__ import annotations

from errata.data.registry import Dataset, add, dataset, datasets, folder, path

__all__ = ["Dataset", "add", "dataset", "datasets", "fetch", "folder", "path"]


def fetch(name: str, *, force: bool = False) -> None:
    """Download a data set into the data folder if it is not there yet."""
    from errata.data.fetching import fetch_dataset

    fetch_dataset(dataset(name), force=force)

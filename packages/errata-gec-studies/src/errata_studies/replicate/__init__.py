"""Tables and figures of papers, recomputed from texts and judgments and compared with the printed ones."""

from __future__ import annotations

from errata.errors import ErrataError
from errata_studies.replicate.exhibits import Paper, read_paper

PAPERS = (
    "grundkiewicz2015",
    "bryant2015",
    "napoles2015",
    "napoles2016",
    "sakaguchi2016",
    "chollampatt2018",
    "naplava2022",
    "kobayashi2024",
)


def paper(name: str) -> Paper:
    """A paper by its name, `chollampatt2018` for example."""
    if name not in PAPERS:
        raise ErrataError(f"there is no replication of {name!r}\n  hint: one of {', '.join(PAPERS)}")
    return read_paper(name)

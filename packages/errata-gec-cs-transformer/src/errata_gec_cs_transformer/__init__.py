"""The weights of a Czech corrector, which `errata` finds by the entry point `errata.correctors`."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"

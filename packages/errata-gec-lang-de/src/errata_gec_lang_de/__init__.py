"""German for errata: the model of the tagger embedded:de."""

from pathlib import Path

MODEL = Path(__file__).with_name("tagger.model")

"""Dutch for errata: the model of the tagger embedded:nl."""

from pathlib import Path

MODEL = Path(__file__).with_name("tagger.model")

"""Bulgarian for errata: the model of the tagger embedded:bg."""

from pathlib import Path

MODEL = Path(__file__).with_name("tagger.model")

"""French for errata: the model of the tagger embedded:fr."""

from pathlib import Path

MODEL = Path(__file__).with_name("tagger.model")

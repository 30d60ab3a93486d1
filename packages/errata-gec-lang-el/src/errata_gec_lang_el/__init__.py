"""Greek for errata: the model of the tagger embedded:el."""

from pathlib import Path

MODEL = Path(__file__).with_name("tagger.model")

"""Romanian for errata: the model of the tagger embedded:ro."""

from pathlib import Path

MODEL = Path(__file__).with_name("tagger.model")

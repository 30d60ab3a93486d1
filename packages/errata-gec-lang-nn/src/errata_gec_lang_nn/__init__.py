"""Norwegian Nynorsk for errata: the model of the tagger embedded:nn."""

from pathlib import Path

MODEL = Path(__file__).with_name("tagger.model")

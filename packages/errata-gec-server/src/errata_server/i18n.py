"""What pages say, in several languages: one JSON file per language in a package's folder `messages`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files

DEFAULT = "en"
NAMES = {"en": "English", "cs": "Čeština", "de": "Deutsch", "uk": "Українська"}


def read_messages(*packages: str) -> dict[str, Mapping[str, str]]:
    """The messages of packages by language, in the languages that all of them have.

    A package without messages is written in English.
    """
    merged: dict[str, dict[str, str]] = {language: {} for language in NAMES}
    for package in packages:
        folder = files(package) / "messages"
        for language in list(merged):
            file = folder / f"{language}.json"
            if file.is_file():
                merged[language].update(json.loads(file.read_text(encoding="utf-8")))
            elif language != DEFAULT:
                del merged[language]
    return dict(merged)

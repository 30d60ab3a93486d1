"""The errors that a user can cause; messages state the problem, its place and the remedy."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import errata

NAMESAKE = (
    "two packages that are imported as `errata` are installed: errata-gec, which evaluates grammatical error "
    "correction, and `errata`, which has nothing to do with it and overwrites files of the first\n"
    "  hint: pip uninstall errata errata-gec, then pip install errata-gec"
)
if not hasattr(errata, "_PUBLIC"):  # the other package has replaced errata/__init__.py
    raise ImportError(NAMESAKE)

# All but tab and line feed, and characters that change the direction of writing.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class ErrataError(Exception):
    """An error with a message for the user; the command line prints it and exits with 1."""


class DataError(ErrataError):
    """An error of the data; it names the file, the line and the remedy."""

    def __init__(
        self,
        message: str,
        *,
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.path = None if path is None else os.fspath(path)
        self.line = line
        self.hint = hint
        place = "" if self.path is None else self.path + (f":{line}" if line is not None else "") + ": "
        if self.path is None and line is not None:
            place = f"line {line}: "
        super().__init__(place + message + (f"\n  hint: {hint}" if hint else ""))


def visible(text: str) -> str:
    """The text with escapes for control characters, which could rewrite a terminal's screen."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def capitalised(text: str) -> str:
    """A hint as a sentence."""
    return text[:1].upper() + text[1:]


def plural(count: int, noun: str) -> str:
    """The form of a noun after a count: 1 line, 2 lines."""
    return noun if count == 1 else f"{noun}s"


def one_of(name: str, existing: Iterable[str]) -> str:
    """A hint for an unknown name: the most similar of the existing names, and all of them."""
    from difflib import get_close_matches

    names = list(existing)
    folded = {each.casefold(): each for each in reversed(names)}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    beginning = f"did you mean '{folded[close[0]]}'? There are " if close else "one of "
    return beginning + ", ".join(names) if names else "there are none"


class MissingPackageError(ErrataError):
    """A feature needs a package that is not installed; names the `pip install` line."""

    def __init__(self, feature: str, package: str) -> None:
        self.feature, self.package = feature, package
        quoted = f"'{package}'" if "[" in package else package
        super().__init__(f"{feature} needs an optional package\n  hint: pip install {quoted}")

    def __reduce__(self) -> tuple[Any, ...]:
        return MissingPackageError, (self.feature, self.package)  # other processes send their errors


class MissingExtraError(MissingPackageError):
    """A feature needs an extra of a distribution of errata."""

    def __init__(self, feature: str, extra: str, distribution: str = "errata-gec") -> None:
        self.extra, self.distribution = extra, distribution
        super().__init__(feature, f"{distribution}[{extra}]")

    def __reduce__(self) -> tuple[Any, ...]:
        return MissingExtraError, (self.feature, self.extra, self.distribution)


@contextmanager
def needs_extra(feature: str, extra: str, distribution: str = "errata-gec") -> Iterator[None]:
    """Turn a failed import into a `MissingExtraError`."""
    try:
        yield
    except ImportError:
        raise MissingExtraError(feature, extra, distribution) from None

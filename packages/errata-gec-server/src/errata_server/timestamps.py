"""Times as databases keep them: UTC to the millisecond, so that their order is that of the texts."""

from __future__ import annotations

from datetime import datetime, timezone

from errata.errors import DataError


def now() -> str:
    """The present time, as in 2026-05-31T12:30:00.000Z."""
    return written(datetime.now(timezone.utc))


def written(time: datetime) -> str:
    """A time as it is stored; without a zone it is taken as UTC."""
    if time.tzinfo is None:
        time = time.replace(tzinfo=timezone.utc)
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_time(value: object, what: str) -> str:
    """A time from a text or a TOML value, in the form in which times are stored."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value.replace("Z", "+00:00"))
        if not isinstance(value, datetime):
            raise ValueError
    except ValueError:
        raise DataError(f"{what} is {value!r}", hint="a time, as in 2026-05-31T12:30:00Z") from None
    return written(value)

"""The answer to a request that is not granted."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 (it is an answer, not a failure)
    """A request that the server does not grant, with the HTTP status that says why."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)

"""Errors that become HTTP responses."""

from __future__ import annotations


class RequestRefused(Exception):  # noqa: N818 (it is an answer, not a failure)
    """A request that is refused, with its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)

"""Secret links: long random tokens of which only the hash is stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def new_token() -> str:
    """192 random bits; too many to guess, so a plain hash of them is safe at rest."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def form_token(token: str) -> str:
    """What the forms of a session carry, so that another site cannot send them."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), b"errata form", hashlib.sha256).hexdigest()

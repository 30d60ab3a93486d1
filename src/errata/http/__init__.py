"""What the small HTTP servers of errata share; `security` and `serving` need the extra `http`.

The servers are those of campaigns and tasks, of `errata correct --serve` and of `errata report --serve`.
"""

from __future__ import annotations

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {  # of pages that load nothing from elsewhere
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def is_local(host: str) -> bool:
    """Whether the Host header of a request names this machine.

    A page elsewhere may point its own name at a server on this machine (DNS rebinding), but it cannot change
    the header.
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host) in LOCAL_HOSTS

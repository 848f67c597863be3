"""The headers of every answer."""

from collections.abc import Callable
from typing import Any

POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self' data:",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
WITH_SCRIPTS = f"{POLICY}; script-src 'self'; connect-src 'self'"
"""The policy of pages with boards: modules of this site alone, and its streams."""
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


def secured(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a middleware that adds the headers an answer does not set itself."""

    def middleware(request: Any) -> Any:
        response = answer(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware

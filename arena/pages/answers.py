"""Answers of the web server."""

from typing import Any

from starlette.responses import Response

from arena.pages.page_json import json_bytes


class JsonAnswer(Response):
    """A value as JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the body; raises ValueError or TypeError for a value that is no JSON."""
        return json_bytes(content)

"""The folder of Arena's own files in the cache of its user."""

import os
from pathlib import Path


def arena_cache() -> Path:
    """Return the folder of prepared bots, `arena` in the user's cache, with links resolved."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    root = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return (root / "arena").resolve()

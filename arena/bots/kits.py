"""Arena's files in a bot: its kit, its bridge, and all files of a bot in the installed package."""

import hashlib

from arena.bots.manifest import Manifest
from arena.bots.shipped import is_shipped_source
from arena.bots.sources import collect


def kit_hashes(manifest: Manifest) -> dict[str, str]:
    """Return the hashes of Arena's files in a bot by name; raises BotError and OSError."""
    paths = [*manifest.files, *manifest.lent]
    if is_shipped_source(manifest.path):
        paths += collect(manifest, ()).values()
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if is_shipped_source(path)
    }

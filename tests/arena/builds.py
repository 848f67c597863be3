"""Bots that are built by a shell script."""

import json
from collections.abc import Callable
from pathlib import Path

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest, read_manifest
from arena.bots.prepare import PreparedBot

DENIED = BuildTerms()
ALLOWED = BuildTerms(network="allow")
Build = Callable[..., PreparedBot]
MakeBot = Callable[..., Manifest]


def bot(folder: Path, script: str, language: str | None = None, **sources: str) -> Manifest:
    """Make a bot that is built by a shell script."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"main.txt": "hello", **sources}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    command = ["sh", "-c", script]
    (folder / "bot.yaml").write_text(
        f'build: {json.dumps(command)}\nrun: ["{{python}}", "main.txt"]\n'
        + (f"language: {language}\n" if language else "")
    )
    return read_manifest(folder / "bot.yaml")

"""The bot in a kept hand-in: an archive, or one Python file with Arena's kit beside it."""

import json
from pathlib import Path

from arena.bots.manifest import Manifest, find_bot, read_manifest
from arena.bots.shipped import MANIFEST, data_root

PYTHON = ".py"


def handed_in(archive: Path, suffix: str, name: str, folder: Path) -> Manifest:
    """Return the bot in a kept file, by the name of its entrant; raises BotError, ConfigError.

    `folder` is an empty one for the time of the examination.
    """
    if suffix != PYTHON:
        (folder / f"{name}{suffix}").symlink_to(archive)
        return find_bot(f"./{name}{suffix}", folder)
    own = folder / "bot"
    own.mkdir()
    write_python_bot(archive, own)
    return read_manifest(own / MANIFEST, (), name, f"{name}/{MANIFEST}")


def write_python_bot(file: Path, folder: Path) -> None:
    """Make the folder of a bot from its one Python file, with the kit beside it."""
    (folder / "main.py").write_bytes(file.read_bytes())
    kit = data_root() / "bots" / "sdk" / "python" / "arena_bot.py"
    files = json.dumps([str(kit)])
    (folder / MANIFEST).write_text(f'files: {files}\nrun: ["{{python}}", main.py]\n')

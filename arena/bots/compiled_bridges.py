"""Bridges as compiled programs, which take the place of those in Python where a C compiler is.

A bridge in Python takes several times as long for a move, and for its start. Both have the same
words in their commands and the same name in the content of a bot, so that a machine without a
compiler plays the same events. A program is compiled once and kept in the cache of the user.
"""

import contextlib
import filecmp
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.bots.shipped import data_root
from arena.new_files import rename_whole
from referee.cache import arena_cache

SUFFIX: Final = ".compiled"
"""End of the name of a compiled bridge in the folder of a bot."""
COMPILE_S: Final = 120
"""Limit of the time for one compilation, in seconds."""
_SETTINGS: Final = 2
"""Place of the settings of an engine in a command."""
_UNDERSTOOD: Final = frozenset({"dialect", "options", "go", "resign"})
"""Settings of an engine that the compiled bridge of UCI knows."""
_SOURCES: Final = {
    "uci_bridge.py": ("uci_bridge.c", "uci_games.c", "uci_settings.c", "engine_bridge.c"),
    "gomocup_bridge.py": ("gomocup_bridge.c", "engine_bridge.c"),
}
"""Sources in C of bridges, by the names of those in Python."""


def lend_bridge(run: Sequence[str], folder: Path) -> str | None:
    """Put the compiled bridge of a command into a bot's folder and return its path there.

    None if the command starts no such bridge, or no program can be compiled here.
    """
    if not _is_compilable(run):
        return None
    name = f"{Path(run[1]).stem}{SUFFIX}"
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        program = _compiled(run[1])
        if program is not None:
            _copy(program, folder / name)
            return f"./{name}"
    return None


def _is_compilable(run: Sequence[str]) -> bool:
    if run[0] != "{python}" or len(run) <= _SETTINGS or run[1] not in _SOURCES:
        return False
    return run[1] != "uci_bridge.py" or json.loads(run[_SETTINGS]).keys() <= _UNDERSTOOD


def compile_words(bridge: str) -> list[str]:
    """Return the words after the compiler and its flags that compile a bridge."""
    folder = data_root() / "bots" / "sdk"
    sources = [str(folder / "bridges" / name) for name in _SOURCES[bridge]]
    return [f"-I{folder / 'c'}", *sources, "-lm"]


def _compiled(bridge: str) -> Path | None:
    """Return the program of a bridge if it runs here; compile it unless it is in the cache."""
    folder = data_root() / "bots" / "sdk"
    digest = hashlib.sha256(f"{bridge} {platform.machine()}".encode())
    for path in sorted([*(folder / "bridges").glob("*.[ch]"), *(folder / "c").glob("arena_bot.*")]):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    kept = arena_cache() / "bridges"
    program = kept / f"{Path(bridge).stem}-{digest.hexdigest()[:32]}"
    if not program.is_file() and (compiler := shutil.which("cc")) is not None:
        kept.mkdir(parents=True, exist_ok=True, mode=0o755)
        with tempfile.TemporaryDirectory(dir=kept) as aside:
            made = Path(aside, program.name)
            command = [compiler, "-O2", "-o", str(made), *compile_words(bridge)]
            subprocess.run(command, check=True, capture_output=True, timeout=COMPILE_S)
            rename_whole(made, program)
    return program if program.is_file() and _runs(program) else None


def _runs(program: Path) -> bool:
    """Whether a program starts on this machine: a cache may be shared with others."""
    done = subprocess.run([program], check=False, capture_output=True, timeout=COMPILE_S)
    return done.stderr.startswith(b"usage: ")


def _copy(program: Path, place: Path) -> None:
    """Replace a file by a copy of the program unless it is one: a bot may have changed it."""
    if place.is_file() and filecmp.cmp(program, place, shallow=False):
        return
    descriptor, aside = tempfile.mkstemp(dir=place.parent)
    os.close(descriptor)
    try:
        shutil.copyfile(program, aside)
        Path(aside).chmod(0o755)
        Path(aside).rename(place)
    finally:
        Path(aside).unlink(missing_ok=True)

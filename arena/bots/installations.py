"""Visibility of toolchains and programs to sandboxed bots."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.sandbox.visible_paths import TOOLCHAINS, installations, is_visible, objection

ENGINES = "/usr/games"
"""Folder of Debian's games and their engines; the PATH of many users is without it."""


def installed(program: str) -> str | None:
    """Return the path of a program by its name: on the PATH, or where Debian puts engines."""
    return shutil.which(program) or shutil.which(program, path=ENGINES)


def hidden(programs: Sequence[str], named: Sequence[str]) -> str | None:
    """Return why a program is hidden from a sandboxed bot, and the cure; None if all are visible.

    `named` are the installations of the event's config. Programs in the bot's own folder have
    relative paths and are always visible.
    """
    for program in programs:
        if program.startswith("/") and not is_visible(Path(program), named):
            return f"its program {program} is hidden from sandboxed bots; {_cure(Path(program))}"
    return None


def hidden_toolchains() -> Iterator[tuple[str, str]]:
    """Yield each toolchain on the PATH with an installation hidden from bots, and the cure."""
    shown = installations()
    for name in TOOLCHAINS:
        if (found := shutil.which(name)) is None:
            continue
        real = Path(found).resolve()
        if real in {path.resolve() for path in shown if path.is_file()}:
            yield name, f"its installation {real.parent.parent} is hidden; {_cure(real)}"


def _cure(program: Path) -> str:
    try:
        real = program.resolve()
    except OSError:
        real = program
    prefix = real.parent.parent if real.parent.name in ("bin", "sbin") else real.parent
    if (reason := objection(prefix)) is not None:
        return f"{prefix} {reason}, so install it in a separate folder, for example below /opt"
    return f"allow it in the event's config: installations: [{prefix}]"

"""Modules in a bot's folder with the names of modules imported by programs."""

from pathlib import Path

NAMES = ("glob", "json", "msgpack", "pydantic", "referee", "select", "shlex", "socket", "venv")


def write_modules(folder: Path, marker: Path) -> None:
    """Write modules to leave a file when imported."""
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write({name!r})\n")

"""Modules in a bot's folder that have the names of others, which programs import."""

from pathlib import Path

NAMES = ("glob", "json", "msgpack", "pydantic", "referee", "select", "shlex", "socket", "venv")


def write_modules(folder: Path, marker: Path) -> None:
    """Write modules that leave a file if they are imported."""
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write({name!r})\n")

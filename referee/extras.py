"""The optional parts of Arena, which pip installs."""

import shlex
import sys
from pathlib import Path


def install_command(extra: str) -> str:
    """Return the command to install an extra of Arena for this Python."""
    root = Path(__file__).resolve().parents[1]
    python = shlex.quote(sys.executable)
    if (root / "pyproject.toml").is_file():  # a checkout
        return f"{python} -m pip install -e {shlex.quote(f'{root}[{extra}]')}"
    return f"{python} -m pip install 'bot-arena[{extra}]'"

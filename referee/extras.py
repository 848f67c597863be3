"""The optional parts of Arena, which pip or uv installs."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path


def install_command(extra: str) -> str:
    """Return the command to install an extra of Arena for this Python."""
    root = Path(__file__).resolve().parents[1]
    if (root / "pyproject.toml").is_file():  # a checkout
        return f"{pip_install()} -e {shlex.quote(f'{root}[{extra}]')}"
    return f"{pip_install()} 'bot-arena[{extra}]'"


def pip_install() -> str:
    """Return the beginning of a command to install packages for this Python.

    An environment that uv has made has no pip of its own.
    """
    python = shlex.quote(sys.executable)
    return f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"

"""A real terminal for a command: tmux, its keys, and what is on its screen."""

import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE_S = 60.0
"""Seconds for something to appear, on a machine however busy."""


class Terminal:
    """A tmux server of its own with one window."""

    def __init__(self, command: str, folder: Path, size: tuple[int, int]) -> None:
        self._server = f"arena-test-{uuid.uuid4().hex[:12]}"
        columns, lines = map(str, size)
        window = f"trap : INT; cd '{folder}'; {command}; echo ended with $?; exec sleep 1000"
        new = ("new-session", "-d", "-s", "t", "-x", columns, "-y", lines, "sh", "-c", window)
        self._tmux("-f", "/dev/null", *new)

    def type(self, *keys: str) -> None:
        """Press keys: names as tmux knows them, or characters."""
        self._tmux("send-keys", "-t", "t", *keys)

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the terminal."""
        self._tmux("resize-window", "-t", "t", "-x", str(columns), "-y", str(lines))

    def screen(self) -> str:
        """Return what is on the screen."""
        return self._tmux("capture-pane", "-p", "-t", "t")

    def wait_for(self, *texts: str) -> str:
        """Return the screen once it has all these texts."""
        return self.wait_until(lambda screen: all(text in screen for text in texts), str(texts))

    def wait_until(self, is_there: Callable[[str], bool], what: str) -> str:
        """Return the screen once it is as wanted."""
        until = time.monotonic() + PATIENCE_S
        while not is_there(screen := self.screen()):
            assert time.monotonic() < until, f"never {what}:\n{screen}"
            time.sleep(0.05)
        return screen

    def close(self) -> None:
        """End all that runs in the terminal."""
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._server, *arguments],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout


@contextmanager
def terminal(
    command: str,
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    env: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """Yield a terminal in which a command of the shell runs."""
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux")
    settings = " ".join(f"{name}='{value}'" for name, value in (env or {}).items())
    opened = Terminal(f"{settings} {command}", folder, size)
    try:
        yield opened
    finally:
        opened.close()

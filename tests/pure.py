"""Tests that use no program or file of the machine: those of the folders in `pure.txt`.

They pass or fail alike whatever is installed, so that `.ci/bare` leaves them out. Here a program
that such a test starts or looks for, and a file of the system that it opens, make it fail; only
the Python that runs the tests may be started, since it is there.
"""

import shutil
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

TESTS = Path(__file__).parent
FOLDERS = tuple(f"{TESTS.parent}/{line}/" for line in (TESTS / "pure.txt").read_text().split())
STARTS = frozenset(
    [
        *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"),
        *("pty.spawn", "subprocess.Popen"),
    ]
)
"""Events of Python's audit hooks with which a program starts."""
PYTHON = tuple(f"{path}/" for path in sysconfig.get_paths().values())


class Guard:
    """Refuses programs and files of the machine while a test of these folders runs."""

    def __init__(self) -> None:
        self.is_on = False

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        """Receive an event of Python, as an audit hook."""
        if not self.is_on:
            return
        is_other_program = event in STARTS and arguments[:1] != (sys.executable,)
        if is_other_program or (event == "open" and _is_of_system(arguments[0])):
            refuse(f"{event} {arguments[0]!r}")

    @contextmanager
    def watching(self, path: Path) -> Iterator[None]:
        """Refuse what the test in this file may not use."""
        if not str(path).startswith(FOLDERS):
            yield
            return
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(shutil, "which", _which)
            self.is_on = True
            try:
                yield
            finally:
                self.is_on = False


def refuse(what: str) -> NoReturn:
    """Fail a test of these folders."""
    raise AssertionError(f"a test of tests/pure.txt depends on the machine: {what}")


def _which(name: str, mode: int = 0, path: str | None = None) -> NoReturn:
    """Take the place of shutil.which."""
    del mode, path
    refuse(f"shutil.which {name!r}")


def _is_of_system(path: object) -> bool:
    return isinstance(path, str) and path.startswith("/usr/") and not path.startswith(PYTHON)


guard = Guard()
sys.addaudithook(guard)

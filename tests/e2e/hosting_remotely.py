"""`arena host` and `arena join` as processes, for an event with remote bots."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cables import Cable, open_end
from preloaded import PreloadedModule
from waiting import PATIENCE_S

from arena.remote.keys import write_key


class Command:
    """A command that runs until it is ended; its notices are on stderr."""

    def __init__(self, folder: Path, *arguments: str, prefix: Sequence[str] = ()) -> None:
        self.lines: list[str] = []
        command = ["arena", *arguments]
        start = subprocess.Popen if prefix else PreloadedModule  # the server is on this machine
        self._process = start(
            [*prefix, sys.executable, "-m", *command] if prefix else command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
            start_new_session=True,
        )
        self._said = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_for(self, text: str) -> str:
        """Return the first line with the text, once it is said."""
        with self._said:
            found = self._said.wait_for(lambda: self._line(text), PATIENCE_S)
        assert found, f"it never said {text!r} but {self.lines}"
        return found

    def end(self) -> int:
        """End it as its user would, and return its exit code."""
        self._process.terminate()
        return self.wait()

    def kill(self) -> None:
        self._process.kill()

    def stop(self) -> None:
        """Stop it, as a laptop that is closed does."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it run again."""
        os.kill(self._process.pid, signal.SIGCONT)

    def wait(self) -> int:
        try:
            return self._process.wait(PATIENCE_S)
        finally:
            self._reader.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()
        assert self._process.stderr is not None
        self._process.stderr.close()

    def _line(self, text: str) -> str:
        return next((line for line in self.lines if text in line), "")

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with self._said:
                self.lines.append(line.rstrip("\n"))
                self._said.notify_all()
        with self._said:
            self._said.notify_all()


def write_keys(folder: Path, *names: str) -> str:
    """Write keys of the host and of these entrants, and their list; return the host's."""
    lines = [f'{name}: "{write_key(name, folder)[1]}"\n' for name in names]
    (folder / "entrants.yaml").write_text("".join(lines))
    return write_key("host", folder)[1]


@dataclass(frozen=True)
class Elsewhere:
    """A place for `arena join`: another network namespace, or this one."""

    address: str = "127.0.0.1"
    """Address of `arena host` as seen from there."""
    prefix: tuple[str, ...] = ()
    """Begins the commands that run there."""
    cable: Cable | None = None
    """The line to it; None for a place on this machine."""


DELAY_S = 0.01
"""Time of a packet on the line to another machine."""


@contextmanager
def another_machine() -> Iterator[Elsewhere]:
    """Yield a network namespace at the end of a cable; this one where none can be made."""
    name = f"arena-{os.getpid()}"
    high, low = divmod(os.getpid() % 2**14, 2**6)
    net = f"10.213.{high}"  # an address of its own for each process
    here, there = f"{net}.{4 * low + 1}", f"{net}.{4 * low + 2}"
    mine, theirs = f"am{os.getpid()}", f"at{os.getpid()}"
    inside = ("ip", "netns", "exec", name)
    commands = [
        ("ip", "netns", "add", name),
        ("ip", "addr", "add", f"{here}/30", "dev", mine),
        ("ip", "link", "set", mine, "up"),
        ("ip", "link", "set", theirs, "netns", name),
        (*inside, "ip", "addr", "add", f"{there}/30", "dev", theirs),
        (*inside, "ip", "link", "set", theirs, "up"),
    ]
    try:
        cable = Cable((open_end(mine), open_end(theirs)), DELAY_S)
    except OSError:
        yield Elsewhere()
        return
    try:
        done = (subprocess.run(each, check=False, capture_output=True) for each in commands)
        made = shutil.which("ip") and all(each.returncode == 0 for each in done)
        yield Elsewhere(here, inside, cable) if made else Elsewhere()
    finally:
        cable.close()
        if shutil.which("ip"):
            subprocess.run(("ip", "netns", "del", name), check=False, capture_output=True)


@contextmanager
def joined(folder: Path, elsewhere: Elsewhere, **bots: str) -> Iterator[dict[str, Command]]:
    """Open a door for these entrants, have each join with its bot, and yield all commands."""
    public = write_keys(folder, *bots)
    with ExitStack() as stack:
        door = stack.enter_context(
            Command(
                folder,
                *("host", "--key", "host.secret", "--entrants", "entrants.yaml"),
                *("--listen", f"tcp://{elsewhere.address}:0"),
            )
        )
        port = door.wait_for("open: ").split(",")[0].rpartition(":")[2]
        commands = {"host": door}
        for name, bot in bots.items():
            commands[name] = stack.enter_context(
                Command(
                    folder,
                    *("join", f"tcp://{elsewhere.address}:{port}", bot),
                    *("--server", public, "--key", f"{name}.secret"),
                    prefix=elsewhere.prefix,
                )
            )
        for name in bots:
            commands[name].wait_for("joined as")
        yield commands

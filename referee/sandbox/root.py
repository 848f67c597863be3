"""The root directory of a bot in namespaces, mounted by root in a new process before bubblewrap.

For each visible path bubblewrap reads all mounts of the machine, most of its work. A root mounted
in advance is one path, needless mounts are removed before, and later bots enter the same namespace
(`kept.py`). This module imports little (`steps.py`).

Where bubblewrap makes all mounts, matches of instant C bots take 19 % more CPU time.
"""

from __future__ import annotations

import os

from referee.sandbox.mounting import (
    close_cover,
    cover,
    detach,
    detach_others,
    make_place,
    mount_opened,
    mount_terminals,
    separate_mounts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

PLACE = "/sys"
"""Directory to cover: there on each machine, and of no use for bubblewrap and bots."""
ROOT_NAME = "root"
"""Name of the root directory in this place."""
DEVICES = f"{PLACE}/dev"
"""Directory with the devices of a bot."""
_TERMINALS = f"{DEVICES}/pts"
_NAMES = ("full", "null", "random", "tty", "urandom", "zero")
_LINKS = {"core": "kcore", "fd": "self/fd"} | {
    name: f"self/fd/{number}" for number, name in enumerate(("stdin", "stdout", "stderr"))
}
"""Links in the directory of devices, as bubblewrap makes them, and their targets in /proc."""


def make_root(
    binds: Iterable[tuple[str, str]],
    links: Iterable[tuple[str, str]],
    empty: Iterable[str],
    needed: Collection[str],
) -> None:
    """Cover `PLACE`, for this process and its children, by a new file system.

    `binds` are paths of the machine, and where in it they are mounted. `links` are targets and
    paths of symbolic links in its root, `empty` paths of empty directories there. Of all other
    mounts those with `needed` paths remain. No file of the machine changes.
    """
    separate_mounts()
    opened = [(os.open(path, os.O_PATH | os.O_CLOEXEC), PLACE + place) for path, place in binds]
    detach(PLACE)
    cover(PLACE)
    for path in empty:
        os.makedirs(f"{PLACE}/{ROOT_NAME}{path}", exist_ok=True)
    for target, path in links:
        os.symlink(target, f"{PLACE}/{ROOT_NAME}{path}")
    for source, place in opened:
        make_place(place, source)
        mount_opened(source, place)
        os.close(source)
    _make_devices()
    detach_others([PLACE, *needed])
    os.chdir("/")


def _make_devices() -> None:
    """Make a directory of devices that no bot can change, without terminals."""
    os.mkdir(DEVICES)
    cover(DEVICES)
    for name in _NAMES:
        source = os.open(f"/dev/{name}", os.O_PATH | os.O_CLOEXEC)
        make_place(f"{DEVICES}/{name}", source)
        mount_opened(source, f"{DEVICES}/{name}")
        os.close(source)
    for name, target in _LINKS.items():
        os.symlink(f"/proc/{target}", f"{DEVICES}/{name}")
    os.symlink("pts/ptmx", f"{DEVICES}/ptmx")
    os.mkdir(f"{DEVICES}/shm")
    os.mkdir(_TERMINALS)
    close_cover(DEVICES)


def make_terminals() -> None:
    """Give the bot terminals of its own, instead of those of an earlier bot in these mounts."""
    detach(_TERMINALS)
    mount_terminals(_TERMINALS)

"""The root directory of a bot in namespaces, mounted by root in a new process before bubblewrap.

For each path that it shows, bubblewrap reads all mounts of the machine, which takes most of its
time. A root that is mounted already is one path. It imports little (`steps.py`).
"""

from __future__ import annotations

import os

from referee.sandbox.mounting import cover, make_place, mount_opened, separate_mounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "root"
"""Name of the root directory in the sandbox directory."""


def make_root(
    directory: str,
    binds: Iterable[tuple[str, str]],
    links: Iterable[tuple[str, str]],
    empty: Iterable[str],
) -> None:
    """Cover a sandbox directory, for this process and its children, by a new file system.

    `binds` are paths of the machine, and where in it they are mounted. `links` are targets and
    paths of symbolic links in its root, `empty` paths of empty directories there. No file of the
    machine changes.
    """
    separate_mounts()
    opened = [(os.open(path, os.O_PATH | os.O_CLOEXEC), directory + place) for path, place in binds]
    cover(directory)
    for path in empty:
        os.makedirs(f"{directory}/{NAME}{path}", exist_ok=True)
    for target, path in links:
        os.symlink(target, f"{directory}/{NAME}{path}")
    for source, place in opened:
        make_place(place, source)
        mount_opened(source, place)
        os.close(source)
    os.chdir("/")

"""A web server beside a running event: a process of its own, for as long as the event's command.

The server is no child of the command, since all children end with the event. It ends with its
stdin, so a killed command leaves no server behind.
"""

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_S = 30.0
"""Time limit of the start of the server."""


@contextmanager
def served(db: Path) -> Iterator[str]:
    """Serve a database, if the server starts, until the context or this process ends.

    Yields the line with the link.
    """
    command = [sys.executable, "-P", "-m", "arena.pages.server_process", str(db)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as starter:
        assert starter.stdin is not None  # noqa: S101 - pipes were asked for
        assert starter.stdout is not None  # noqa: S101
        starter.wait()
        line = b""
        if select.select([starter.stdout], [], [], START_S)[0]:
            line = starter.stdout.readline()
        said = line.decode(errors="replace").strip()
        yield said or "the pages cannot be served; the event is played without"


def main() -> None:
    """Serve the database of the first argument until stdin ends."""
    if os.fork():
        os._exit(0)
    os.setsid()  # Ctrl-C is for the event: it ends the server with it
    from arena.pages.serving import LOOPBACK, serve

    def tell(line: str) -> None:
        with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace") as said:
            said.write(f"{line}\n")

    serve(Path(sys.argv[1]), LOOPBACK, 0, is_public=False, tell=tell, until_end_of=0)


if __name__ == "__main__":
    main()

"""Targets of a prying bot: world-accessible, so that only its tier hides them."""

import json
import os
import socket
from pathlib import Path


class Strangers:
    """A file of the rival, a piece of shared memory, and sockets that listen."""

    def __init__(self, rival: Path) -> None:
        self._rival = rival
        self._shared = Path(f"/dev/shm/arena-stranger-{os.getpid()}")  # noqa: S108 - as named
        for path in (rival / "plan.txt", self._shared):
            path.write_text("open with e4")
            path.chmod(0o666)
        self._abstract = f"arena-stranger-{os.getpid()}"
        self._by_name = socket.socket(socket.AF_UNIX)
        self._by_name.bind("\0" + self._abstract)
        self._by_tcp = socket.create_server(("127.0.0.1", 0))
        self._by_name.listen()

    def told(self) -> str:
        """Return the locations of the targets as JSON."""
        return json.dumps(
            {
                "rival": str(self._rival),
                "shared": str(self._shared),
                "abstract": self._abstract,
                "tcp": self._by_tcp.getsockname()[1],
            }
        )

    def close(self) -> None:
        self._by_name.close()
        self._by_tcp.close()
        self._shared.unlink()

"""World-accessible targets forbidden to a bot, so that only the tier hides them."""

import json
import os
import socket
from pathlib import Path


class Strangers:
    """What a bot must not reach: a file, sockets of all kinds, this process."""

    def __init__(self, folder: Path) -> None:
        self.secret = folder / "secret.txt"
        self.secret.write_text("secret")
        self.secret.chmod(0o666)
        self.path = str(folder / "socket")
        self.abstract = f"arena-test-{os.getpid()}"
        self._sockets = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        self._sockets[0].bind(self.path)
        Path(self.path).chmod(0o777)
        self._sockets[1].bind("\0" + self.abstract)
        self._sockets.append(socket.socket())
        self._sockets[2].bind(("127.0.0.1", 0))
        self.port: int = self._sockets[2].getsockname()[1]
        for listener in self._sockets:
            listener.listen()

    def told(self, *, forks: bool, memory: int | None = None) -> str:
        return json.dumps(
            {
                "secret": str(self.secret),
                "path": self.path,
                "abstract": self.abstract,
                "tcp": self.port,
                "referee": os.getpid(),
                "memory": memory,
                "forks": forks,
            }
        )

    def close(self) -> None:
        for listener in self._sockets:
            listener.close()

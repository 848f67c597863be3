"""The terminal of an event with live pages: it begins with the link to them."""

from contextlib import ExitStack
from pathlib import Path
from typing import Self

from arena.pages.server_process import served
from arena.terminal.progress import Terminal


class LinkedTerminal(Terminal):
    """Serves the pages of an event, and prints their link above its first notice.

    Before that notice the config and the bots are checked, so no error leaves a dead link above it.
    The server starts earlier: an event ends whatever is started while it runs, and the pages must
    show the last boards to their end.
    """

    def __init__(self, db: Path) -> None:
        super().__init__()
        self._db = db
        self._line = ""
        self._served = ExitStack()

    def __enter__(self) -> Self:
        self._line = self._served.enter_context(served(self._db))
        return self

    def __exit__(self, *_: object) -> None:
        self._served.close()

    def say(self, line: str) -> None:
        """Print a notice, the first one below the link."""
        if not self.link:
            self.link = self._line
            super().say(self.link)
        super().say(line)

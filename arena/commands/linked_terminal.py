"""The terminal of an event with live pages: it begins with the link to them."""

from contextlib import ExitStack
from pathlib import Path
from typing import Self

from arena.pages.server_process import served
from arena.terminal.output import tell
from arena.terminal.progress import Terminal


class LinkedTerminal(Terminal):
    """Serves the pages from the first notice of an event to the end of the context.

    Before that notice the config and the bots are checked, so no error leaves a dead link above it.
    """

    def __init__(self, db: Path) -> None:
        super().__init__()
        self._db = db
        self._served = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._served.close()

    def say(self, line: str) -> None:
        """Print a notice, the first one below the link."""
        if not self.link:
            self.link = self._served.enter_context(served(self._db, tell))
        super().say(line)

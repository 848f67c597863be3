"""Folders for files of a running process, removed with it, or by the next one after a kill."""

import os
import tempfile
from pathlib import Path

from referee.sandbox.directory import remove_directory
from referee.sandbox.locked import make_locked


class Folder:
    """A new folder, readable only by this user."""

    def __init__(self) -> None:
        self.path, self._lock = make_locked(Path(tempfile.gettempdir()))

    def close(self) -> None:
        """Remove the folder."""
        remove_directory(self.path)
        os.close(self._lock)

"""A program to be sandboxed: its command, its tier, and what it may see."""

from dataclasses import dataclass
from pathlib import Path

from referee.sandbox.limits import Tier


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program and the files that it sees beside the system's."""

    name: str
    """Its name in messages."""
    argv: tuple[str, ...]
    folder: str
    """Its own folder, and its working directory at the start."""
    tier: Tier = "none"
    """Tier of its sandbox."""
    asks_for_processes: bool = False
    """Whether it may start processes where no control group counts their CPU time."""
    advice: str = ""
    """Added to the way it ended where it was probably refused a process for not asking."""
    has_scratch: bool = False
    """Whether it has a folder kept from run to run (`scratch.py`)."""
    installations: tuple[str, ...] = ()
    """Folders that it reads, chosen by the user; each is checked by `objection`."""
    cache: Path | None = None
    """Folder of all prepared programs, links resolved: none of them sees more than its own."""
    guests: tuple[str, ...] = ()
    """Folders of further programs that it starts."""

"""A disk after a loss of power: what was synced, and any part of what was not.

The log of `power.c` is played forward into a `Disk`. At any moment, `Disk.crash` writes the folder
as it may be found after power failed then. Of a file, blocks of 4 KiB written after its last sync
are old, new or anything they were between, each for itself, and so is its size. Of a folder, each
entry made, renamed or removed after the last sync of the folder is kept or not, each for itself.
A rename is whole: the old name is gone only if the new one is there.
"""

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

BLOCK = 4096
_HEAD = struct.Struct("=5Q")


class Entry(NamedTuple):
    """One operation of the log."""

    what: str
    inode: int
    at: int
    path: str
    data: bytes


def read_log(path: Path) -> Iterator[Entry]:
    """Yield the operations of a log, in the order of the disk."""
    with path.open("rb") as log:
        while head := log.read(_HEAD.size):
            what, inode, at, length, size = _HEAD.unpack(head)
            name = log.read(length).decode("utf-8", "surrogateescape")
            yield Entry(chr(what), inode, at, name, log.read(size))


@dataclass(eq=False)
class File:
    """The content of a file: as it is, as it is on disk at least, and all between."""

    now: bytearray = field(default_factory=bytearray)
    synced: bytearray = field(default_factory=bytearray)
    blocks: dict[int, list[bytes]] = field(default_factory=dict)  # {block: contents since}
    sizes: list[int] = field(default_factory=list)  # since the last sync

    def write(self, at: int, data: bytes) -> None:
        """Write, with a hole before the data if they begin behind the end."""
        self.resize(max(len(self.now), at + len(data)))
        self.now[at : at + len(data)] = data
        for block in range(at // BLOCK, (at + len(data) - 1) // BLOCK + 1):
            self.blocks.setdefault(block, []).append(self._block(block))

    def resize(self, size: int) -> None:
        """Cut or extend it by zeros."""
        if size != len(self.now):
            del self.now[size:]
            self.now.extend(bytes(size - len(self.now)))
            self.sizes.append(size)

    def sync(self) -> None:
        """Have all on disk."""
        _resize(self.synced, min([len(self.now), *self.sizes]))
        _resize(self.synced, len(self.now))
        for block in self.blocks:
            content = self._block(block)
            self.synced[block * BLOCK : block * BLOCK + len(content)] = content
        self.blocks.clear()
        self.sizes.clear()

    def crash(self, choice: random.Random, kept: float) -> bytes:
        """Return what may be on disk; `kept` is the share of what was not synced."""
        content = bytearray(self.synced)
        if self.sizes and choice.random() < kept:
            _resize(content, choice.choice(self.sizes))
        for block, contents in self.blocks.items():
            if choice.random() < kept:
                end = min(len(content), (block + 1) * BLOCK)
                part = choice.choice(contents)[: max(0, end - block * BLOCK)]
                content[block * BLOCK : block * BLOCK + len(part)] = part
        return bytes(content)

    def _block(self, block: int) -> bytes:
        return bytes(self.now[block * BLOCK : (block + 1) * BLOCK])


def _resize(content: bytearray, size: int) -> None:
    del content[size:]
    content.extend(bytes(size - len(content)))


@dataclass(eq=False)
class Change:
    """Names of a folder, set or removed together."""

    names: dict[str, "File | Folder | None"]
    first: "tuple[Folder, Change] | None" = None
    """The other half of a rename between folders, without which this one is not on disk."""


@dataclass(eq=False)
class Folder:
    """The entries of a folder: as they are, as they are on disk at least, and changes since."""

    now: dict[str, "File | Folder"] = field(default_factory=dict)
    synced: dict[str, "File | Folder"] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    def change(self, change: Change) -> None:
        """Set or remove names."""
        _apply(change, self.now)
        self.changes.append(change)

    def sync(self) -> None:
        """Have all names on disk, not what is behind them."""
        changes, self.changes = self.changes, []
        for change in changes:
            if change.first is not None and change.first[1] in change.first[0].changes:
                change.first[0].sync()
            _apply(change, self.synced)


def _apply(change: Change, names: "dict[str, File | Folder]") -> None:
    for name, behind in change.names.items():
        if behind is None:
            names.pop(name, None)
        else:
            names[name] = behind


class Disk:
    """A folder and all below it, empty at first."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._top = Folder()
        self._files: dict[int, File] = {}  # {inode: the file that has it now}

    def do(self, entry: Entry) -> None:
        """Do an operation of the log."""
        if entry.what == "A":
            self._sync_all(self._top)
        elif entry.what == "R":
            self._rename(entry.path, entry.data.decode("utf-8", "surrogateescape"))
        elif entry.path:
            self._do_in_folder(entry)
        else:
            self._do_in_file(entry, self._files[entry.inode])

    def _do_in_folder(self, entry: Entry) -> None:
        match entry.what:
            case "C":
                self._files[entry.inode] = File()
                self._change(entry.path, self._files[entry.inode])
            case "L":
                self._change(entry.path, self._files[entry.inode])
            case "M":
                self._change(entry.path, Folder())
            case "U":
                self._change(entry.path, None)
            case "S":
                self._find(entry.path).sync()

    @staticmethod
    def _do_in_file(entry: Entry, file: File) -> None:
        match entry.what:
            case "W":
                file.write(entry.at, entry.data)
            case "T":
                file.resize(entry.at)
            case "S":
                file.sync()

    def crash(self, to: Path, choice: random.Random) -> None:
        """Write what may be found after power failed now into an empty folder."""
        shares = (0.0, 0.5, 0.9, 1.0)
        chosen: dict[Change, bool] = {}
        self._write(self._top, to, choice, (choice.choice(shares), choice.choice(shares), chosen))

    def _write(
        self,
        folder: Folder,
        to: Path,
        choice: random.Random,
        how: tuple[float, float, dict[Change, bool]],
    ) -> None:
        of_data, of_names, chosen = how
        names = dict(folder.synced)
        for change in folder.changes:
            if change.first is not None and change.first[1] in change.first[0].changes:
                is_kept = chosen.setdefault(change.first[1], choice.random() < of_names)
            else:
                is_kept = chosen.setdefault(change, choice.random() < of_names)
            if is_kept:
                _apply(change, names)
        for name, behind in names.items():
            if isinstance(behind, Folder):
                (to / name).mkdir()
                self._write(behind, to / name, choice, how)
            else:
                (to / name).write_bytes(behind.crash(choice, of_data))

    def _find(self, path: str) -> Folder:
        found = self._top
        for part in Path(path).relative_to(self._root).parts:
            below = found.now[part]
            assert isinstance(below, Folder), path
            found = below
        return found

    def _change(self, path: str, behind: File | Folder | None) -> None:
        parent, _, name = path.rpartition("/")
        self._find(parent).change(Change({name: behind}))

    def _rename(self, old: str, new: str) -> None:
        (parent, _, name), (to, _, new_name) = old.rpartition("/"), new.rpartition("/")
        before, after = self._find(parent), self._find(to)
        moved = before.now[name]
        if before is after:
            before.change(Change({name: None, new_name: moved}))
            return
        added = Change({new_name: moved})
        after.change(added)
        before.change(Change({name: None}, (after, added)))

    def _sync_all(self, folder: Folder) -> None:
        for behind in folder.now.values():
            if isinstance(behind, Folder):
                self._sync_all(behind)
            else:
                behind.sync()
        folder.sync()

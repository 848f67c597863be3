"""The part of a bot's content outside its folder: what its command and options name there.

An engine on the PATH, a network or a folder of tablebases may be built again or replaced while the
bot's own folder stays the same. It would then be another bot under the old content, and a gate
would repeat the verdict on the old one.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from arena.bots.manifest import Manifest
from arena.bots.named_files import (
    is_of_system,
    kind_of,
    named_paths,
    option_texts,
    outside_program,
    own_command,
)
from arena.bots.shared_libraries import shared_libraries
from arena.reading.safe_open import open_without_links
from referee.cache import arena_cache
from referee.sandbox import is_visible

Shown: TypeAlias = Sequence[str] | None
"""Installations that the sandbox of a bot shows; None if nothing is hidden from it."""
MAX_HASHED = 1 << 30
"""Limit in bytes of a bot's files and folders hashed by their bytes; more by their times."""
MAX_ENTRIES = 20_000
"""Limit of the entries of a folder that are looked at."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class _Entry:
    """A named file, with the name "", or a file in a named folder."""

    name: str
    path: Path
    status: os.stat_result


def outside_paths(manifest: Manifest) -> list[Path]:
    """Return the program, libraries, files and folders outside that a bot names."""
    program = outside_program(manifest)
    texts = [*own_command(manifest)[1:], *(text for _, text in option_texts(manifest))]
    named = [*([] if program is None else [program]), *named_paths(texts)]
    libraries = _libraries([*_own_program(manifest), *named], manifest.folder)
    return list(dict.fromkeys([*named, *libraries]))


def _own_program(manifest: Manifest) -> list[Path]:
    """Return the program in the bot's folder, if it is there before a build."""
    program = own_command(manifest)[0]
    if manifest.folder is None:
        return [manifest.path]
    return [manifest.folder / program] if "/" in program and program[0] != "/" else []


def _libraries(programs: Sequence[Path], folder: Path | None) -> list[Path]:
    """Return the programs' libraries outside the bot's folder that are not the system's."""
    files = [path for path in programs if kind_of(path) == "file"]
    return [
        path
        for path in shared_libraries(files)
        if not is_of_system(path) and (folder is None or not path.is_relative_to(folder))
    ]


def played_paths(manifest: Manifest, shown: Shown) -> list[Path]:
    """Return those of a bot's `outside_paths` with which it plays.

    By a hidden file that changes often a stranger's bot would stop the event of all others, or have
    its own finished matches set aside.
    """
    return _seen(outside_paths(manifest), shown)


def _seen(paths: Iterable[Path], shown: Shown) -> list[Path]:
    return [path for path in paths if shown is None or is_visible(path, arena_cache(), shown)]


class OutsideFiles:
    """The files outside of bots' folders: whether one was built again while matches are played."""

    def __init__(self, played: Iterable[Path] = ()) -> None:
        """Note the present state of the files with which bots play."""
        paths = set(played)
        self._versions = {path: _version_of(path) for path in paths if kind_of(path) == "file"}

    def changed(self) -> list[str]:
        """Return the files that are not those of the beginning."""
        now = self._versions.items()
        return sorted(str(path) for path, version in now if _version_of(path) != version)


def content_parts(manifest: Manifest, shown: Shown) -> list[str]:
    """Return the hash of each of a bot's `played_paths`."""
    return _digests(played_paths(manifest, shown))


def argument_parts(texts: Iterable[str], shown: Shown) -> list[str]:
    """Return the hash of each visible file and folder outside that a player's arguments name."""
    return _digests(_seen(named_paths(texts), shown))


def _digests(paths: Iterable[Path]) -> list[str]:
    """Return the hash of each path; the bytes of all together that are read are limited."""
    digests, left = [], MAX_HASHED
    for path in paths:
        entries = sorted(_entries(path), key=lambda entry: entry.name)
        size = sum(entry.status.st_size for entry in entries)
        digests.append(_digest(entries, is_small=size <= left))
        left -= size if size <= left else 0
    return digests


def _digest(entries: Iterable[_Entry], *, is_small: bool) -> str:
    digest = hashlib.sha256()
    for entry in entries:
        status = entry.status
        data = _file_digest(entry.path, _version(status)) if is_small else None
        facts = [entry.name, status.st_size, data or status.st_mtime_ns]
        digest.update(repr(facts).encode(errors="surrogateescape"))
    return digest.hexdigest()


def _entries(path: Path) -> Iterator[_Entry]:
    """Yield the one file, or the files of a folder; links to folders in it are not followed."""
    left = MAX_ENTRIES
    waiting = [(path, "")]
    while waiting:
        here, name = waiting.pop()
        try:
            status = here.stat()
            if stat.S_ISREG(status.st_mode):
                yield _Entry(name, here, status)
            elif stat.S_ISDIR(status.st_mode) and not (name and here.is_symlink()):
                inside = sorted(here.iterdir())[:left]
                left -= len(inside)
                waiting += [(each, f"{name}/{each.name}") for each in inside]
        except OSError:  # removed since, or not readable
            continue


def _version(status: os.stat_result) -> tuple[int, ...]:
    """Return the facts of a file that change with its bytes."""
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_dev, status.st_ino, status.st_size, *times)


def _version_of(path: Path) -> tuple[int, ...]:
    """Return the version of a file; () if it is gone."""
    try:
        return _version(path.stat())
    except OSError:
        return ()


@lru_cache(maxsize=MAX_ENTRIES)
def _file_digest(path: Path, version: tuple[int, ...]) -> str | None:
    """Return the hash of an ordinary file's bytes; None if it may be run but not read.

    No more than its size is read: a file of the kernel can have no end.
    """
    digest = hashlib.sha256()
    left = version[2]
    try:
        with os.fdopen(open_without_links(path.resolve()), "rb") as file:
            while left > 0 and (chunk := file.read(min(left, _CHUNK))):
                digest.update(chunk)
                left -= len(chunk)
    except OSError:
        return None
    return digest.hexdigest()

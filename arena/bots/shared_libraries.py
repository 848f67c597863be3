"""Shared libraries of a program that are no part of the system: its ELF file names them.

Only names and folders written in the file are followed, as the loader does at the start; what a
program loads later is unknown. The file may be a stranger's: every number read from it has a limit.
"""

import os
import struct
from collections.abc import Sequence
from pathlib import Path

from arena.reading.safe_open import open_without_links

MAX_LIBRARIES = 200
MAX_FOLDERS = 100
"""Limit of the folders of one file in which its libraries are looked for."""
MAX_PLACES = 200_000
"""Limit of the paths that are looked at, of all files together; the last file may exceed it."""
_MAX_TABLE = 1 << 16
"""Limit in bytes of a table of the file that is read."""
_USUAL = (Path("/usr/local/lib"), Path("/usr/local/lib64"))
"""Folders that the loader knows, with libraries of users."""
_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRINGS, _RPATH, _RUNPATH = 1, 5, 15, 29
_HEADER = struct.Struct("<16s2HI3QI6H")
_SEGMENT = struct.Struct("<2I6Q")
_ENTRY = struct.Struct("<qQ")


def shared_libraries(programs: Sequence[Path]) -> list[Path]:
    """Return the libraries of programs, and those of these, where files say in which folder."""
    found: dict[Path, None] = {}
    waiting = list(programs)
    left = MAX_PLACES
    while waiting and left > 0 and len(found) < MAX_LIBRARIES:
        names, folders = _named(waiting.pop())
        left -= len(names) * len(folders)
        for library in filter(None, (_place(name, folders) for name in names)):
            if library not in found:
                found[library] = None
                waiting.append(library)
    return list(found)


def _named(program: Path) -> tuple[list[str], list[Path]]:
    """Return the libraries that a file names and their folders; none for one of another kind."""
    try:
        real = program.resolve()
        with os.fdopen(open_without_links(real), "rb") as file:
            entries = _dynamic_texts(file.fileno())
    except (OSError, RuntimeError, struct.error):
        return [], []
    paths = [text for tag, text in entries if tag in (_RPATH, _RUNPATH)]
    listed = [part for path in paths for part in path.split(":") if part]
    folders = [Path(_placed(part, real.parent)) for part in listed[:MAX_FOLDERS]]
    return [text for tag, text in entries if tag == _NEEDED], [*folders, *_USUAL]


def _place(name: str, folders: Sequence[Path]) -> Path | None:
    """Return the path of a library, which may be its name; None if it is in none of the folders."""
    return next(filter(_is_file, (each / name for each in folders)), None)


def _placed(folder: str, origin: Path) -> str:
    return folder.replace("${ORIGIN}", str(origin)).replace("$ORIGIN", str(origin))


def _is_file(path: Path) -> bool:
    try:
        return path.is_absolute() and path.is_file()
    except (OSError, ValueError):
        return False


def _dynamic_texts(file: int) -> list[tuple[int, str]]:
    """Return tags and texts of the dynamic section of an ELF file of 64 bits."""
    header = _HEADER.unpack(os.pread(file, _HEADER.size, 0))
    if header[0][:6] != b"\x7fELF\x02\x01":
        return []
    start, size, count = header[5], header[9], header[10]
    if size != _SEGMENT.size:
        return []
    table = os.pread(file, min(size * count, _MAX_TABLE), min(start, 1 << 62))
    segments = list(_SEGMENT.iter_unpack(table[: len(table) // size * size]))
    dynamic = next((each for each in segments if each[0] == _DYNAMIC), None)
    if dynamic is None:
        return []
    data = os.pread(file, min(dynamic[5], _MAX_TABLE), min(dynamic[2], 1 << 62))
    entries = list(_ENTRY.iter_unpack(data[: len(data) // _ENTRY.size * _ENTRY.size]))
    strings = next((value for tag, value in entries if tag == _STRINGS), None)
    place = None if strings is None else _offset(strings, segments)
    if place is None:
        return []
    wanted = [(tag, value) for tag, value in entries if tag in (_NEEDED, _RPATH, _RUNPATH)]
    return [(tag, _text(file, place + value)) for tag, value in wanted[:MAX_LIBRARIES]]


def _offset(address: int, segments: Sequence[tuple[int, ...]]) -> int | None:
    """Return the place in the file of an address in memory."""
    for kind, _, offset, start, _, size, _, _ in segments:
        if kind == _LOAD and start <= address < start + size:
            return offset + address - start
    return None


def _text(file: int, place: int) -> str:
    """Return a text that ends with a zero byte."""
    if place >= 1 << 62:
        return ""
    return os.fsdecode(os.pread(file, 4096, place).partition(b"\0")[0])

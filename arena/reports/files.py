"""Output files: checked before the command, and replaced atomically."""

import errno
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

from arena.aside import made_aside
from arena.errors import UsageError

_STREAMS = ("/dev/", "/proc/")
"""Prefixes of names for open descriptors."""


def check_writable(path: Path, option: str) -> None:
    """Raise UsageError if a file at the path could not be written later."""
    if str(path) == "-":
        raise UsageError(
            f"{option} -: stdout has the readable output; name another file, like /dev/fd/3"
        )
    if path.is_dir():
        raise UsageError(f"{option} {path}: is a folder; name a file in it")
    if _is_stream(path):
        if not os.access(path, os.W_OK):  # opening and closing a pipe would end its reader
            raise UsageError(f"{option} {path}: is not open for writing")
        return
    real = Path(os.path.realpath(path))  # `resolve` fails at a loop of links
    if real.is_symlink():
        raise UsageError(f"{option} {path}: cannot be written: {os.strerror(errno.ELOOP)}")
    try:
        with made_aside(real):
            pass
    except FileNotFoundError:
        folder = path.parent
        raise UsageError(f"{option} {path}: there is no {folder}; mkdir -p {folder}") from None
    except OSError as error:
        raise UsageError(f"{option} {path}: cannot be written: {error.strerror}") from None


def replace_file(path: Path, text: str) -> None:
    """Write a temporary file and rename it to the path; write to a stream directly."""
    if _is_stream(path):
        append(path, text)
        return
    path = path.resolve()  # a link stays
    with made_aside(path) as folder:
        aside = folder / "whole"
        with aside.open("wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(_mode(path))
        aside.replace(path)


def append(path: Path, text: str) -> None:
    """Append to a file in place, since other processes may have it open; all of a text or nothing.

    An empty line goes before it, also after a text whose writer was killed.
    """
    data = text.encode()
    if data and not _is_stream(path):
        data = _missing_end(path) + data
    with path.open("ab", buffering=0) as file:
        left = memoryview(data)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            with suppress(OSError):  # no file but a pipe
                _take_back(file, len(data) - len(left))
            raise


def _missing_end(path: Path) -> bytes:
    """Return the line ends that a file lacks to end with an empty line; none if it is empty."""
    with suppress(OSError), path.open("rb") as file:  # missing, or written to but not read
        file.seek(-min(2, file.seek(0, os.SEEK_END)), os.SEEK_END)
        last = file.read()
        if last and last != b"\n\n":
            return b"\n" if last.endswith(b"\n") else b"\n\n"
    return b""


def _take_back(file: FileIO, written: int) -> None:
    """Cut what was written off the end, unless another process has written since."""
    if os.fstat(file.fileno()).st_size == file.tell():
        file.truncate(file.tell() - written)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; 0 for a missing file."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_stream(path: Path) -> bool:
    """Whether the path is a pipe, a terminal or similar, and cannot be replaced."""
    return (path.exists() and not path.is_file()) or str(path).startswith(_STREAMS)


def _mode(path: Path) -> int:
    """Return the permissions of the file, or of a new file."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

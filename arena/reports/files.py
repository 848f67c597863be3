"""Files that others wait for: there whole or not at all, and known to be possible beforehand."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from arena.errors import UsageError

_STREAMS = ("/dev/", "/proc/")
"""Where a name leads to what is open already."""


def check_writable(path: Path, option: str) -> None:
    """Raise UsageError if a file could not be written there later."""
    if str(path) == "-":
        raise UsageError(f"{option} -: stdout has what people read; name a file, like /dev/fd/3")
    if path.is_dir():
        raise UsageError(f"{option} {path}: is a folder; name a file in it")
    if _is_stream(path):
        if not os.access(path, os.W_OK):  # to open a pipe and leave would end who reads it
            raise UsageError(f"{option} {path}: is not open for writing")
        return
    try:
        descriptor, aside = tempfile.mkstemp(dir=_real(path).parent, prefix=".arena-")
        os.close(descriptor)
        Path(aside).unlink()
    except FileNotFoundError:
        folder = path.parent
        raise UsageError(f"{option} {path}: there is no {folder}; mkdir -p {folder}") from None
    except OSError as error:
        raise UsageError(f"{option} {path}: cannot be written: {error.strerror}") from None


def replace_file(path: Path, text: str) -> None:
    """Write a file aside and give it its name; a stream is written to as it is."""
    if _is_stream(path):
        append(path, text)
        return
    path = _real(path)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".arena-")
    aside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(_mode(path))
        aside.replace(path)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise


def append(path: Path, text: str) -> None:
    """Write to the end of a file at once: others may have it open, so it stays the same file."""
    with path.open("ab", buffering=0) as file:
        left = memoryview(text.encode())
        while left:
            left = left[file.write(left) :]


def size_of(path: Path) -> int:
    """Return the bytes of a file; none if it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_stream(path: Path) -> bool:
    """Whether it is a pipe, a terminal or the like, which nothing can take the place of."""
    return (path.exists() and not path.is_file()) or str(path).startswith(_STREAMS)


def _real(path: Path) -> Path:
    """Return the file itself where the path is a link to it: the link stays."""
    return path.resolve()


def _mode(path: Path) -> int:
    """Return the permissions that the file has, or a new one gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

"""Unpack an archive of a stranger into an empty folder, or refuse it with a reason.

Archives are hostile input, and the libraries that read them were not made for that: so this runs
in a process of its own, with limits of memory and CPU time (`arena.bots.archives`), and none of
the library's own ways to write files is used. `python -m arena.bots.unpacking ARCHIVE FOLDER` is
the process; a refusal is its output.

Only folders and ordinary files are made, with plain names below the folder. Left out is what is no
part of a bot: hidden files and folders, `__MACOSX` and virtual environments. Any other link,
device, absolute name, `..`, or two names for one file refuse the archive as a whole, since without
a file a bot could be another one. A script or program gets the right to be executed that tools of
Windows lose.
"""

import errno
import resource
import stat
import sys
import tarfile
import unicodedata
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from protocol.wording import quoted

MB: Final = 1 << 20
UNPACKED_BYTES: Final = 256 * MB
"""Limit of the size of all unpacked files together, that of a bot."""
MAX_FILES: Final = 20_000
FOLDER_LEVELS: Final = 32
"""Limit of the levels of nested folders."""
MAX_NAME: Final = 255
"""Limit of the bytes of a name on Linux."""
MAX_RATIO: Final = 200
"""Limit of the unpacked size as a multiple of the archive's, above FREE_BYTES."""
FREE_BYTES: Final = 16 * MB
MEMORY_BYTES: Final = 1024 * MB
"""Limit of the memory of the process."""
CPU_S: Final = 60
"""Limit of the CPU time of the process."""
REFUSED: Final = 3
"""Exit code after a refusal, with the reason on stdout."""
NO_DISK: Final = 4
"""Exit code after an error of the disk, with the error on stdout."""
_DISK: Final = (errno.EDQUOT, errno.EIO, errno.ENOSPC)
"""Errors that no archive causes, unlike too many open files or too little memory in its process."""
_CHUNK: Final = MB
_ENCRYPTED: Final = 0x1
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNIX: Final = 3
"""System of a zip entry whose attributes have a mode."""
_PROGRAMS: Final = (b"#!", b"\x7fELF")
"""First bytes of scripts and of programs."""
_VENV: Final = "pyvenv.cfg"
_TAR: Final = (".tar", ".tar.gz", ".tgz")


class UnpackError(Exception):
    """An archive that is not unpacked; the text has the reason."""


@dataclass(frozen=True)
class Entry:
    """An entry of an archive, before its name is checked."""

    name: str
    mode: int
    """Its kind and rights as in `st_mode`; only rights if the archive does not know the kind."""
    is_folder: bool
    source: zipfile.ZipInfo | tarfile.TarInfo

    @property
    def is_special(self) -> bool:
        """Whether it is a link, a device or a pipe."""
        if isinstance(self.source, tarfile.TarInfo):
            return not (self.source.isreg() or self.source.isdir())
        return stat.S_IFMT(self.mode) not in (0, stat.S_IFREG, stat.S_IFDIR)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the archive into the empty folder; raises UnpackError, OSError of a broken disk."""
    try:
        with _opened(archive) as packed:
            chosen = plan(list(packed.entries()))
            _write(packed, chosen, folder, max(FREE_BYTES, MAX_RATIO * archive.stat().st_size))
    except UnpackError:
        raise
    except MemoryError:
        raise UnpackError("needs too much memory to be unpacked") from None
    except Exception as error:  # whatever a library raises about hostile bytes
        if isinstance(error, OSError) and error.errno in _DISK:
            raise
        detail = (str(error) or type(error).__name__).partition("\n")[0][:200]
        raise UnpackError(
            f"is damaged ({quoted(detail)[1:-1]}), or not copied to its end; pack the bot again"
        ) from None


def plan(entries: list[Entry]) -> dict[PurePosixPath, Entry]:
    """Return the entries to unpack by their checked paths; raises UnpackError."""
    paths = [(path, entry) for entry in entries if (path := checked_path(entry.name))]
    virtual = {path.parent for path, _ in paths if path.name == _VENV}
    chosen: dict[PurePosixPath, Entry] = {}
    for path, entry in paths:
        if not virtual.isdisjoint(path.parents):
            continue
        shown = quoted(path.as_posix())
        if entry.is_special:
            raise UnpackError(f"has a link or device, {shown}; pack files and folders only")
        if path in chosen and not (entry.is_folder and chosen[path].is_folder):
            raise UnpackError(f"has the file {shown} twice")
        chosen[path] = entry
        if len(chosen) > MAX_FILES:
            raise UnpackError(f"has more than {MAX_FILES} files")
    _check_names(chosen)
    return chosen


def _check_names(chosen: dict[PurePosixPath, Entry]) -> None:
    """Refuse two names for one file on other systems, and a file that is a folder, too."""
    files = {path for path, entry in chosen.items() if not entry.is_folder}
    known: dict[str, PurePosixPath] = {}
    for path in chosen:
        if inside := files.intersection(path.parents):
            raise UnpackError(f"has {quoted(min(inside).as_posix())} as a file and as a folder")
        for part in (path, *path.parents):
            if (other := known.setdefault(_form(part), part)) != part:
                names = f"{quoted(other.as_posix())} and {quoted(part.as_posix())}"
                raise UnpackError(f"has {names}, whose names differ in case only; rename one")


def checked_path(name: str) -> PurePosixPath | None:
    """Return the relative path of an entry; None if it is no part of a bot.

    Raises UnpackError for a path that leads elsewhere, or that a message could not show.
    """
    text = name.replace("\\", "/")
    shown = quoted(text[:100])
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if text.startswith("/") or (parts and parts[0][1:2] == ":"):
        raise UnpackError(f"has an absolute path, {shown}; pack the bot's folder itself")
    if ".." in parts:
        raise UnpackError(f"has a path to outside, {shown}; pack the bot's folder itself")
    if not parts or parts[0] == "__MACOSX" or any(part[0] == "." for part in parts):
        return None
    if not text.isprintable() or any(len(part.encode()) > MAX_NAME for part in parts):
        raise UnpackError(f"has a file whose name cannot be used, {shown}; rename it")
    if len(parts) > FOLDER_LEVELS:
        raise UnpackError(f"has more than {FOLDER_LEVELS} levels of folders")
    return PurePosixPath(*parts)


def _form(path: PurePosixPath) -> str:
    """Return the form in which names are one on Windows and macOS."""
    return unicodedata.normalize("NFC", path.as_posix()).casefold()


class _Zip:
    """The entries of a zip file."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of the directory."""
        for info in self._file.infolist():
            if info.flag_bits & _ENCRYPTED:
                raise UnpackError("is encrypted; make it without a password")
            if info.compress_type not in _METHODS:
                raise UnpackError("is compressed in an unusual way; make an ordinary zip")
            mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
            name = info.orig_filename
            yield Entry(name, mode, info.is_dir() or name.endswith("\\"), info)

    def open(self, entry: Entry) -> IO[bytes]:
        """Return the bytes of a file."""
        assert isinstance(entry.source, zipfile.ZipInfo)  # noqa: S101 - for mypy
        return self._file.open(entry.source)


class _Tar:
    """The entries of a tar file."""

    def __init__(self, file: tarfile.TarFile) -> None:
        self._file = file

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in their order; sizes are read without reading the files."""
        for number, info in enumerate(self._file):
            if number > 10 * MAX_FILES:
                raise UnpackError(f"has more than {10 * MAX_FILES} entries")
            yield Entry(info.name, info.mode, info.isdir(), info)
        self._check_end()

    def _check_end(self) -> None:
        """Refuse an archive without its end: the library ends silently at a damaged entry."""
        file = self._file.fileobj
        assert file is not None  # noqa: S101 - for mypy
        file.seek(self._file.offset)
        if file.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise UnpackError("is damaged (an entry is not readable); pack the bot again")
        rest = 0
        while chunk := file.read(_CHUNK):  # the end of gzip has a checksum
            if (rest := rest + len(chunk)) > FREE_BYTES:
                raise UnpackError("has bytes behind its end; pack the bot again")

    def open(self, entry: Entry) -> IO[bytes]:
        """Return the bytes of a file."""
        assert isinstance(entry.source, tarfile.TarInfo)  # noqa: S101 - for mypy
        found = self._file.extractfile(entry.source)
        if found is None:
            raise UnpackError(f"has no bytes for {quoted(entry.name[:100])}")
        return found


@contextmanager
def _opened(archive: Path) -> Iterator[_Zip | _Tar]:
    if not archive.name.lower().endswith(_TAR):
        with zipfile.ZipFile(archive) as zipped:
            yield _Zip(zipped)
    else:
        with tarfile.open(archive, "r:*") as tarred:
            yield _Tar(tarred)


def _write(
    packed: _Zip | _Tar, chosen: dict[PurePosixPath, Entry], folder: Path, most: int
) -> None:
    total = 0
    for path, entry in chosen.items():
        place = folder / path
        if entry.is_folder:
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        first = b""
        with packed.open(entry) as source, place.open("xb") as file:
            while chunk := source.read(_CHUNK):
                first = first or chunk[:4]
                total += len(chunk)
                if total > UNPACKED_BYTES:
                    raise UnpackError(f"has more than {UNPACKED_BYTES // MB} MB when unpacked")
                if total > most:
                    raise UnpackError(f"has more than {MAX_RATIO} times its size when unpacked")
                file.write(chunk)
        is_program = bool(entry.mode & stat.S_IXUSR) or first.startswith(_PROGRAMS)
        place.chmod(0o755 if is_program else 0o644)


def main(archive: str, folder: str) -> int:
    """Unpack within the limits of this process; print the reason of a refusal."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (UNPACKED_BYTES, UNPACKED_BYTES))
    try:
        unpack(Path(archive), Path(folder))
    except OSError as error:
        sys.stdout.write(str(error.strerror))
        return NO_DISK
    except UnpackError as error:
        reason = str(error).encode(errors="backslashreplace")
        sys.stdout.buffer.write(reason)  # UTF-8, whatever the locale
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

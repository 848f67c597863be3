"""Selection and safe reading of a bot's files.

A bot's folder is hostile input. No file outside of it may get into its copy, so links and hard
links to the outside are refused, and every file is opened without following a link or waiting for a
pipe. Numbers, sizes and depths have limits.
"""

import contextlib
import errno
import itertools
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.bots.manifest import Manifest
from arena.bots.shipped import MANIFEST, is_shipped_source
from arena.errors import BotError
from arena.reading.safe_open import open_folder_without_links, open_without_links
from protocol.wording import quoted

BOT_BYTES = 256 * 1024 * 1024
MAX_FILES = 20_000
MAX_ENTRIES = 100_000
"""Limit of the entries of all folders together, including entries not copied."""
FOLDER_LEVELS = 32
"""Limit of the levels of nested folders."""
_CHUNK = 1024 * 1024

VENV = "pyvenv.cfg"
"""File in each virtual environment of Python, usable in its own place only."""
_NOT_SOURCES = frozenset({"__pycache__", "CVS"})
OUTPUTS = {"Cargo.toml": "target", "package.json": "node_modules", "pom.xml": "target"}
"""Output folder of a build beside each of these files, including a build by hand."""
_BUILT_SUFFIXES = frozenset({".pyc", ".o", ".class"})


def collect(manifest: Manifest, added: Sequence[Path]) -> dict[str, Path]:
    """Return the bot's and the `added` files by relative path, sorted; raises BotError."""
    folder = manifest.folder
    own = _sources(manifest, folder) if folder else [(manifest.path.name, manifest.path)]
    named = ((path.name, _checked(manifest, path, folder or path.parent)) for path in added)
    files: dict[str, Path] = {}
    total = 0
    for place, path in itertools.chain(own, named):
        if path == files.get(place):
            continue
        if place in files:
            raise BotError(
                manifest.name,
                f"{quoted(str(path))} would replace the bot's own file {quoted(place)}",
            )
        files[place] = path
        total += path.stat().st_size
        if len(files) > MAX_FILES:
            raise BotError(manifest.name, f"{folder or path} has more than {MAX_FILES} files")
        if total > BOT_BYTES:
            raise BotError(manifest.name, _too_large(folder or path, files))
    return dict(sorted(files.items()))


def _too_large(folder: Path, files: dict[str, Path]) -> str:
    size, place = max((path.stat().st_size, place) for place, path in files.items())
    found = f"{size / (1 << 20):,.0f} MB of them in {quoted(place)}"
    return f"{folder} has more than {BOT_BYTES >> 20} MB, {found}"


def read_chunks(manifest: Manifest, path: Path) -> Iterator[bytes]:
    """Yield the bytes of the ordinary file at a resolved path, or raise OSError.

    No link anywhere on the path is followed, and no hard link is read, even if one was added after
    `collect` resolved the path.
    """
    left = BOT_BYTES
    with os.fdopen(open_without_links(path), "rb", buffering=0) as file:
        if os.fstat(file.fileno()).st_nlink > 1 and not (
            _is_lent(manifest, path) or _is_named(manifest, path)
        ):
            raise OSError(errno.EMLINK, "more than one hard link (make a copy)", str(path))
        while chunk := file.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
            yield chunk


def copy_file(manifest: Manifest, path: Path, copy: Path) -> None:
    """Copy the ordinary file at a resolved path; raises OSError."""
    with copy.open("xb") as file:
        for chunk in read_chunks(manifest, path):
            file.write(chunk)
    copy.chmod(0o755 if is_executable(path) else 0o644)


def is_executable(path: Path) -> bool:
    """Whether the owner of a file may execute it."""
    return bool(path.stat().st_mode & stat.S_IXUSR)


def _sources(manifest: Manifest, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the relative and resolved paths of the bot's own files, folder by folder."""
    built = outputs_of(manifest.build or ())
    left = MAX_ENTRIES
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        if len(here.relative_to(folder).parts) > FOLDER_LEVELS:
            raise BotError(manifest.name, f"{folder} has more than {FOLDER_LEVELS} levels")
        with _listed(here, left + 1) as found:
            left -= len(found)
            if left < 0:
                raise BotError(manifest.name, f"{folder} has more than {MAX_ENTRIES} entries")
            outputs = _output_folders(manifest, found)
            for entry in found:
                path = here / entry.name
                place = path.relative_to(folder).as_posix()
                if entry.is_dir(follow_symlinks=False):
                    is_left_out = entry.name[0] == "." or entry.name in outputs
                    waiting += [] if is_left_out or (path / VENV).is_file() else [path]
                elif not _is_left_out(entry.name, place, built):
                    yield place, _checked(manifest, path, folder)


@contextlib.contextmanager
def _listed(folder: Path, most: int) -> Iterator[list[os.DirEntry[str]]]:
    """Yield the entries of a folder by name; none of one that was replaced by a link meanwhile."""
    descriptor = open_folder_without_links(folder)
    try:
        with os.scandir(descriptor) as listed:
            yield sorted(itertools.islice(listed, most), key=lambda entry: entry.name)
    finally:
        os.close(descriptor)


def _output_folders(manifest: Manifest, entries: Sequence[os.DirEntry[str]]) -> frozenset[str]:
    """Return the names of folders without sources beside these entries."""
    outputs = OUTPUTS if manifest.build else {}
    names = {entry.name for entry in entries}
    return _NOT_SOURCES | {out for file, out in outputs.items() if file in names}


def _is_left_out(name: str, place: str, built: frozenset[str]) -> bool:
    is_built = place in built or Path(name).suffix in _BUILT_SUFFIXES
    return is_built or name[0] == "." or name == MANIFEST


def _is_lent(manifest: Manifest, file: Path) -> bool:
    """Whether a file ships with Arena, or the organiser shares it with this bot."""
    return is_shipped_source(file) or manifest.is_shared(file)


def _is_named(manifest: Manifest, file: Path) -> bool:
    """Whether the user named this program itself, as built by cargo, which links it."""
    return manifest.folder is None and file == manifest.path


def _checked(manifest: Manifest, path: Path, folder: Path) -> Path:
    """Return the resolved path of an ordinary file allowed to the bot, or raise BotError."""
    shown = quoted(str(path))
    try:
        file = path.resolve() if path.is_symlink() else path
    except RuntimeError:  # a loop of links
        raise BotError(manifest.name, f"{shown} points to no file") from None
    is_lent = _is_lent(manifest, file)
    if not (is_lent or file.is_relative_to(folder)):
        raise BotError(manifest.name, f"{shown} points outside the bot's folder; put a copy there")
    status = file.stat() if file.exists() else None
    if status is None or not stat.S_ISREG(status.st_mode):
        target = "points to a folder" if file.is_dir() else "points to no file"
        what = target if path.is_symlink() else "is not a regular file"
        raise BotError(manifest.name, f"{shown} {what}")
    if status.st_nlink > 1 and not is_lent:
        raise BotError(
            manifest.name,
            f"{shown} has {status.st_nlink} hard links, so it may be a file of somebody else;"
            f" use a copy, made by: {shlex.join(['cp', '-r', '--', str(folder), 'COPY'])}",
        )
    return file


def outputs_of(build: Sequence[str]) -> frozenset[str]:
    """Return the outputs in a build's arguments, like `-o bot`; a build by hand leaves them."""
    pairs = itertools.pairwise(build)
    return frozenset(output for option, output in pairs if option == "-o")

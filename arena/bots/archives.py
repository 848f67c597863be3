"""Bots handed in as archives: each is unpacked once, by the hash of its bytes.

The folder is private, in the user's cache, and appears there only when it is complete, so that two
commands may unpack the same archive.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Final

from arena.bots.unpacking import CPU_S, MB, MEMORY_BYTES, NO_DISK, REFUSED, UNPACKED_BYTES
from arena.bots.unused import mark_used, remove_unused
from arena.errors import BROKEN_DISK, BotError, MachineError, cause
from arena.new_files import rename_whole
from arena.reading.safe_open import open_without_links
from referee.cache import arena_cache

SUFFIXES: Final = (".tar.gz", ".tgz", ".tar", ".zip")
OTHER_SUFFIXES: Final = (".7z", ".rar", ".tar.bz2", ".tar.xz")
"""Ends of the names of archives that Arena does not read."""
WALL_S: Final = 10 * CPU_S
"""Limit of the duration of unpacking: only a hang takes as long."""
_FORM: Final = "1"
"""Version of the rules of unpacking, a part of the hash."""
_DIGITS: Final = 32


def suffix_of(name: str) -> str:
    """Return the end of an archive's name, like .tar.gz; empty for any other file."""
    return next((name[-len(end) :] for end in SUFFIXES if name.lower().endswith(end)), "")


def stem_of(name: str) -> str:
    """Return a file's name without the end that tells what kind of archive it is."""
    return name.removesuffix(suffix_of(name))


def unpacked(archive: Path, reference: str) -> Path:
    """Return the folder with the files of an archive; raises BotError with the reason if none.

    `reference` names the archive in errors. Raises MachineError for a full or broken disk.
    """
    kept = arena_cache() / "hand-ins"
    try:
        folder = kept / _digest(archive, reference)
        if not folder.is_dir():
            _unpack(archive, reference, folder)
            remove_unused(kept)
        mark_used(folder)
    except OSError as error:
        if error.errno in BROKEN_DISK:
            raise _host_error(reference, str(error.strerror), kept) from None
        raise BotError(reference, f"cannot be unpacked: {cause(error, archive)}") from None
    return folder


def _digest(archive: Path, reference: str, copy: IO[bytes] | None = None) -> str:
    """Return the hash of an archive, and write its bytes to the `copy`."""
    digest = hashlib.sha256(f"{_FORM} {suffix_of(archive.name).lower()}".encode())
    left = UNPACKED_BYTES
    with os.fdopen(open_without_links(archive.resolve()), "rb") as file:
        while chunk := file.read(MB):
            if (left := left - len(chunk)) < 0:
                raise BotError(reference, f"has more than {UNPACKED_BYTES // MB} MB")
            digest.update(chunk)
            if copy is not None:
                copy.write(chunk)
    return digest.hexdigest()[:_DIGITS]


def _unpack(archive: Path, reference: str, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))
    try:
        (aside / "files").mkdir()
        copied = aside / f"archive{suffix_of(archive.name).lower()}"
        with copied.open("xb") as copy:
            if _digest(archive, reference, copy) != folder.name:
                raise BotError(reference, "is changing; try again")
        command = [sys.executable, "-P", "-m", "arena.bots.unpacking"]
        command += [str(copied), str(aside / "files")]
        ended = subprocess.run(command, capture_output=True, timeout=WALL_S, check=False)
        if ended.returncode == NO_DISK:
            raise _host_error(reference, ended.stdout.decode(errors="replace"), folder.parent)
        if reason := _reason(ended):
            raise BotError(reference, f"the archive {reason}")
        try:
            rename_whole(aside / "files", folder)
        except OSError:
            if not folder.is_dir():  # otherwise another command has unpacked the same archive
                raise
    except subprocess.TimeoutExpired:
        raise BotError(reference, f"the archive cannot be unpacked in {WALL_S} s") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _host_error(reference: str, detail: str, kept: Path) -> MachineError:
    why = f"{detail}, which is no bot's fault; check the disk of {kept}"
    return MachineError(f"{reference} cannot be unpacked: {why}")


def _reason(ended: "subprocess.CompletedProcess[bytes]") -> str:
    """Return why an archive was not unpacked; empty if it was."""
    if not ended.returncode:
        return ""
    if ended.returncode == REFUSED:
        return ended.stdout.decode(errors="replace").strip()
    if -ended.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return f"takes more than {CPU_S} s of CPU time to be unpacked"
    errors = ended.stderr.decode(errors="replace").strip().splitlines()
    last = (errors or [f"exit code {ended.returncode}"])[-1]
    return f"cannot be unpacked within {MEMORY_BYTES // MB} MB of memory ({last[:200]})"

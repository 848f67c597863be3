"""Real Syzygy tables of 3 and 4 pieces, from the source distribution of the package `chess`.

pip fetches it once and keeps it in its own cache. They belong to no wheel and not into this
repository.
"""

import os
import subprocess
import sys
import tarfile
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import pytest

VERSION = "1.11.2"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena-tests"


@cache
def _tables() -> Path | str:
    """Return the folder with the tables, or why there are none."""
    kept = CACHE / f"syzygy-{VERSION}"
    if kept.is_dir():
        return kept
    CACHE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=CACHE) as text:
        folder = Path(text)
        source = ["--no-deps", "--no-binary", ":all:", f"chess=={VERSION}"]
        run = subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--dest", text, *source],
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        if run.returncode:
            return f"pip cannot fetch the tables: {run.stderr.strip().splitlines()[-1:]}"
        tables = folder / "tables"
        tables.mkdir()
        _unpack(next(folder.glob("*.tar.gz")), tables)
        with suppress(OSError):  # another worker was faster
            tables.rename(kept)
    return kept


def _unpack(source: Path, tables: Path) -> None:
    with tarfile.open(source) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            is_table = path.parts[1:4] == ("data", "syzygy", "regular") and path.suffix == ".rtbw"
            if is_table and (file := archive.extractfile(member)) is not None:
                (tables / path.name).write_bytes(file.read())


def tables_or_skip() -> str:
    """Return the folder with real tables; skip the test where they cannot be fetched."""
    found = _tables()
    if isinstance(found, str):
        pytest.skip(found)
    return str(found)

"""The bytes of a book's file, unpacked if it is compressed."""

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from arena.errors import ConfigError, Problem
from arena.reading.decoding import UTF16_TEXT, is_utf16
from arena.schedule.openings import GZIP, open_openings

MAX_BOOK: Final = 1024 * 1024 * 1024
"""Limit of the bytes of a book, unpacked."""
_PIECE = 1 << 20


@contextmanager
def open_text_book(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a book of text like `open_book`, each of its lines ended by a line feed."""
    with open_book(path, name) as file:
        head = file.read(_PIECE)
        file.seek(0)
        if is_utf16(head):
            raise ConfigError([Problem(name, UTF16_TEXT)])
        if b"\r" not in head or b"\n" in head:
            yield file
            return
        with TemporaryFile() as lines:  # of an old Macintosh, by carriage returns alone
            while piece := file.read(_PIECE):
                lines.write(piece.replace(b"\r", b"\n"))
            lines.seek(0)
            yield lines


@contextmanager
def open_book(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a book for reading at any place; raises ConfigError if it cannot be read."""
    with open_openings(path, name) as file:
        if os.fstat(file.fileno()).st_size > MAX_BOOK:
            raise ConfigError([Problem(name, "is larger than 1 GiB; expected a book of openings")])
        if file.read(len(GZIP)) != GZIP:
            file.seek(0)
            yield file
            return
        file.seek(0)
        with TemporaryFile() as unpacked:
            _unpack(file, unpacked, name)
            unpacked.seek(0)
            yield unpacked


def _unpack(file: IO[bytes], unpacked: IO[bytes], name: str) -> None:
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            while piece := packed.read(_PIECE):
                unpacked.write(piece)
                if unpacked.tell() > MAX_BOOK:
                    detail = "is larger than 1 GiB unpacked; expected a book of openings"
                    raise ConfigError([Problem(name, detail)])
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ConfigError([Problem(name, f"cannot be unpacked by gzip: {error}")]) from None

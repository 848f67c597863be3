"""The token of a server kept in a file, so that its links survive a restart."""

import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

from arena.errors import UsageError

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32,128}\n?")
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def kept_token(path: Path) -> str:
    """Return the token of a file, made with a new one if it is missing.

    Raises UsageError for a file that others may read or change: whoever has the token can play.
    """
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(path)
    except OSError as error:
        raise UsageError(f"--token {path}: {error.strerror}") from None
    token = secrets.token_urlsafe(24)
    with os.fdopen(made, "w", encoding="ascii") as file:
        file.write(f"{token}\n")
    return token


def _read(path: Path) -> str:
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        raise UsageError(f"--token {path}: {error.strerror}") from None
    try:
        objection = _objection(os.fstat(opened))
        text = "" if objection else os.read(opened, 200).decode("ascii", "replace")
    finally:
        os.close(opened)
    if not objection and not _TOKEN.fullmatch(text):
        objection = "holds no token"
    if objection:
        raise UsageError(f"--token {path}: {objection}; remove it, and a new one is made")
    return text.strip()


def _objection(status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    if status.st_uid != os.geteuid() or status.st_mode & _OTHERS:
        return "other users may read or change it, and whoever has the token can play"
    return ""

"""Key pairs of remote bots and of the door: CURVE, as ZeroMQ has it, written in Z85.

A secret key is a file of one line, readable by its owner only. The public key is computed from the
secret one, so that the two can never differ.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import UsageError
from arena.new_files import write_private
from arena.reading.names import name_objection
from arena.reading.safe_open import open_without_waiting
from protocol.wording import quoted

LENGTH = 40
"""Characters of a key: 32 bytes in Z85."""
_Z85 = re.compile(r"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}")
_MAX_BYTES = 200


@dataclass(frozen=True, kw_only=True)
class KeyPair:
    """A key pair, in Z85."""

    public: str
    secret: str = field(repr=False)


def write_key(name: str, folder: Path) -> tuple[Path, str]:
    """Write a new secret key, readable by its owner only; return its path and the public key."""
    import zmq

    if (reason := name_objection(name)) is not None:
        raise UsageError(f"the name {reason}")
    public, secret = zmq.curve_keypair()
    path = folder / f"{name}.secret"
    try:
        write_private({path: secret + b"\n"})
    except FileExistsError:
        raise UsageError(
            f"{path} exists already and is kept; `arena keys show {path}` prints its public key"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    return path, public.decode()


def read_key(path: Path) -> KeyPair:
    """Read a secret key; raises UsageError for a file open to others, or without a key."""
    import zmq

    try:
        with os.fdopen(open_without_waiting(path), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"the key {path} cannot be read: {error.strerror}; `arena keys new NAME` makes one"
        ) from None
    if mode & 0o077:
        raise UsageError(
            f"other users of this machine may read or change the secret key {path};"
            f" chmod 600 {path}, or make a new one if they may have read it"
        )
    secret = text.decode(errors="replace").strip()
    if (detail := key_objection(secret)) is not None:
        raise UsageError(f"the file {path} {detail}; `arena keys new NAME` makes one")
    return KeyPair(public=zmq.curve_public(secret.encode()).decode(), secret=secret)


def read_public(text: str) -> str:
    """Return the door's public key of a command line; raises UsageError."""
    if (detail := key_objection(text)) is not None:
        raise UsageError(
            f"--server {detail}; the organiser has it from `arena host`; put it in single quotes"
        )
    return text


def key_objection(key: str) -> str | None:
    """Return the fault of a key in Z85, or None."""
    if len(key) != LENGTH:
        shown = f", like {quoted(key[:50])}" if not key else ""
        return f"must be a key of {LENGTH} characters, not of {len(key)}{shown}"
    if not _Z85.fullmatch(key):
        wrong = next(sign for sign in key if not _Z85.fullmatch(sign * LENGTH))
        return f"is not a key: {quoted(wrong)} is no character of Z85"
    return None

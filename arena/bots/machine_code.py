"""What the kernel of this machine cannot start, by the first bytes of a file.

The C library hands such a file to a shell, whose complaints say nothing of the cause.
"""

import os
import struct
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from arena.bots.lfs_pointers import POINTER
from arena.reading.safe_open import open_without_waiting
from protocol.wording import escaped

HEAD_BYTES: Final = 256
"""Bytes of a file that the kernel reads to decide how to start it."""
_BINFMT: Final = Path("/proc/sys/fs/binfmt_misc")
"""Folder with a file for each other kind of program that this kernel starts, by an emulator."""
_ELF: Final = b"\x7fELF"
_MACHINES: Final = {
    3: "32-bit x86",
    8: "MIPS",
    21: "64-bit POWER",
    22: "IBM Z",
    40: "32-bit ARM",
    62: "x86-64",
    183: "64-bit ARM",
    243: "RISC-V",
    258: "LoongArch",
}
_TOGETHER: Final = ({3, 62}, {40, 183})
"""Machines whose programs one kernel may start."""
_MACOS: Final = (
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe\x00\x00\x00\x02",
)
_OTHERS: Final = (
    (b"MZ", "is a program of Windows; build it for Linux"),
    *((magic, "is a program of macOS; build it for Linux") for magic in _MACOS),
    (b"PK\x03\x04", "is an archive; if it is Java's, write run: [java, -jar, {name}]"),
    (b"\xca\xfe\xba\xbe", "is a class of Java; write run: [java, {stem}]"),
    (POINTER, "is a pointer of Git LFS, not the file itself; fetch it: git lfs pull"),
    (b"\xff\xfe", "is UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16 text; save it as UTF-8"),
    (b"\xef\xbb\xbf#!", "begins with a byte order mark; save it as UTF-8 without one"),
)
_LANGUAGES: Final = {
    ".js": "node",
    ".lua": "lua",
    ".php": "php",
    ".pl": "perl",
    ".py": "python3",
    ".rb": "ruby",
}
"""Interpreter of scripts that no shell reads, by the ending of their names."""


def foreign_objection(head: bytes, path: Path) -> str | None:
    """Return why this machine cannot start a file that begins with `head`, or None."""
    if _is_emulated(head):
        return None
    if head.startswith(_ELF):
        return _elf_objection(head)
    for magic, detail in _OTHERS:
        if head.startswith(magic):
            return detail.format(name=escaped(path.name), stem=escaped(path.stem))
    interpreter = _LANGUAGES.get(path.suffix)
    if interpreter is None or head.startswith(b"#!"):
        return None
    word = '"{python}"' if interpreter == "python3" else interpreter
    other = f"write run: [{word}, {escaped(path.name)}] in bot.yaml"
    return f"lacks the first line #!/usr/bin/env {interpreter}; add it, or {other}"


def is_32_bit(path: Path) -> bool:
    """Whether a file is a program for the 32-bit mode of this machine, which has other calls."""
    try:
        head = head_of(path)
    except (OSError, ValueError):
        return False
    return head.startswith(_ELF) and head[4:5] == b"\x01" and sys.maxsize > 1 << 32


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file, without waiting for a pipe; raises OSError."""
    descriptor = open_without_waiting(path)
    try:
        return os.read(descriptor, HEAD_BYTES)
    finally:
        os.close(descriptor)


def _elf_objection(head: bytes) -> str | None:
    machine, own = _machine(head), _own_machine()
    if own is None or machine in (None, own) or any({own, machine} <= pair for pair in _TOGETHER):
        return None
    kind = _MACHINES.get(machine or 0, f"another machine (number {machine} of ELF)")
    return f"is a program for {kind}, not for this machine's {_MACHINES.get(own, 'own kind')}"


def _machine(head: bytes) -> int | None:
    """Return the number of the machine in the header of an ELF file."""
    if len(head) < 20 or head[5] not in (1, 2):
        return None
    number: int
    (number,) = struct.unpack("<H" if head[5] == 1 else ">H", head[18:20])
    return number


@cache
def _own_machine() -> int | None:
    """Return the number of this machine, as in the header of its Python."""
    try:
        head = head_of(Path(sys.executable))
    except OSError:
        return None
    return _machine(head) if head.startswith(_ELF) else None


def _is_emulated(head: bytes) -> bool:
    """Whether this kernel starts such a file by another program, like qemu or wine."""
    for text in _kinds():
        keys = dict(line.split(maxsplit=1) for line in text.splitlines() if " " in line)
        magic = bytes.fromhex(keys.get("magic", ""))
        mask = bytes.fromhex(keys.get("mask", "ff" * len(magic)))
        start = int(keys.get("offset", "0"))
        part = head[start : start + len(magic)]
        is_alike = all(a & m == b & m for a, b, m in zip(part, magic, mask, strict=False))
        if magic and len(part) == len(magic) and text.startswith("enabled") and is_alike:
            return True
    return False


def _kinds() -> Iterator[str]:
    try:
        files = sorted(_BINFMT.iterdir())
    except OSError:
        return
    for file in files:
        try:
            yield file.read_text()
        except (OSError, UnicodeDecodeError):
            continue  # `register` can only be written

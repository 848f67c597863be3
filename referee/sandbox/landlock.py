"""Landlock: permanent restriction of a process to listed files and one port.

Other files cannot be read, written or executed. Newer kernels also refuse signals to outside
processes, TCP, and abstract sockets. Current kernels do not refuse sockets with a path.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH, _RULE_NET_PORT = 1, 2

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_ALL_FILES = ((1, (1 << 13) - 1), (2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL_DEV))
"""Rights by the version that introduced them."""
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_NET_VERSION = 4
_SCOPES = 0b11  # abstract sockets and signals
_SCOPE_VERSION = 6

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if missing or turned off."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)))


def is_network_closed() -> bool:
    """Return whether this kernel can refuse TCP."""
    return landlock_version() >= _NET_VERSION


def restrict_files(
    readable: Iterable[str],
    writable: Iterable[str],
    port: int | None,
    has_network: bool,  # noqa: FBT001 - a step has no keywords
) -> None:
    """Restrict this process and its children to these files, and to connections to this port.

    With `has_network` all ports stay open. A directory includes its content; missing paths are
    skipped.
    """
    here = landlock_version()
    handled = sum(rights for since, rights in _ALL_FILES if here >= since)
    ruleset = _create(handled, has_network=has_network)
    try:
        for paths, rights in ((readable, _READ), (writable, handled)):
            for path in paths:
                _allow(ruleset, path, rights & handled)
        _restrict(ruleset, None if has_network else port)
    finally:
        os.close(ruleset)


def restrict_network(port: int) -> None:
    """Restrict TCP of this process and its children to connections to one port."""
    ruleset = _create(0)
    try:
        _restrict(ruleset, port)
    finally:
        os.close(ruleset)


def _create(files: int, *, has_network: bool = False) -> int:
    here = landlock_version()
    net = _BIND_TCP | _CONNECT_TCP if here >= _NET_VERSION and not has_network else 0
    scopes = _SCOPES if here >= _SCOPE_VERSION else 0
    attributes = struct.pack("=QQQ", files, net, scopes)
    # an older kernel refuses a longer structure
    size = 24 if here >= _SCOPE_VERSION else 16 if here >= _NET_VERSION else 8
    return _checked(_libc.syscall(_CREATE_RULESET, attributes[:size], size, 0))


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, descriptor)
        _checked(_libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0))
    finally:
        os.close(descriptor)


def _restrict(ruleset: int, port: int | None) -> None:
    if port is not None and is_network_closed():
        rule = struct.pack("=QQ", _CONNECT_TCP, port)
        _checked(_libc.syscall(_ADD_RULE, ruleset, _RULE_NET_PORT, rule, 0))
    _checked(_libc.syscall(_RESTRICT_SELF, ruleset, 0))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"landlock: {os.strerror(number)}")
    return result

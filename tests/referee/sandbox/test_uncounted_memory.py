"""Memory of a bot where no control group counts it: RLIMIT_DATA covers private memory alone."""

import json

import pytest
from programs import line_of
from sandboxed import LIMITS, Starter, of_tiers

from referee.sandbox.limits import Tier

GATHER = """
import ctypes, errno, json, mmap, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.syscall.argtypes = [ctypes.c_long] * 7
FAILED, SIZE = ctypes.c_void_p(-1).value, 1 << 30
x86 = os.uname().machine == "x86_64"

def error():
    return errno.errorcode[ctypes.get_errno()]

def mapped(flags, file=-1):
    return error() if libc.mmap(None, SIZE, 1, flags, file, 0) == FAILED else "allowed"

def called(number, *values):
    return error() if libc.syscall(number, *values, *[0] * (6 - len(values))) < 0 else "allowed"

def zeros():
    try:
        return mapped(mmap.MAP_SHARED, os.open("/dev/zero", os.O_RDONLY))
    except OSError as refused:
        return errno.errorcode[refused.errno]

def stack():
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    return "allowed" if hard == resource.RLIM_INFINITY or hard > int(os.sys.argv[1]) else "limited"

def listens():
    try:
        with socket.socket(socket.AF_UNIX) as own:
            own.bind("\\0" + str(os.getpid()))
            own.listen(1)
        return "allowed"
    except OSError as refused:
        return errno.errorcode[refused.errno]

def pair(kind):
    try:
        for end in socket.socketpair(socket.AF_UNIX, kind):
            end.close()
        return "allowed"
    except OSError as refused:
        return errno.errorcode[refused.errno]

assert pair(socket.SOCK_STREAM) == "allowed"
reader, writer = os.pipe()
byte = ctypes.create_string_buffer(1)
parts = (ctypes.c_size_t * 2)(ctypes.addressof(byte), 1)
print(json.dumps({
    "shared": mapped(mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
    "shared zeros": zeros(),
    "a queue of connections": listens(),
    "datagrams": pair(socket.SOCK_DGRAM),
    "packets": pair(socket.SOCK_SEQPACKET),
    "a second stack": mapped(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100),
    "the stack": stack(),
    "memfd_create": called(319 if x86 else 279, ctypes.addressof(byte), 0),
    "vmsplice": called(278 if x86 else 75, writer, ctypes.addressof(parts), 1),
}))
"""
"""Asks for a gigabyte in each way, or for a little memory that a process may leave behind."""


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["tree"], indirect=True)
def test_uncounted_memory_is_refused(start_in: Starter, tier: Tier) -> None:
    got = json.loads(line_of(start_in(tier, "-c", GATHER, str(LIMITS.memory_bytes))))

    assert got.pop("shared zeros") in ("EACCES", "ENODEV", "EPERM")
    assert got.pop("the stack") == "limited"
    assert set(got.values()) == {"EPERM"}


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["memory"], indirect=True)
def test_counted_memory_is_allowed(start_in: Starter, tier: Tier) -> None:
    got = json.loads(line_of(start_in(tier, "-c", GATHER, str(LIMITS.memory_bytes))))

    assert set(got.values()) == {"allowed"}

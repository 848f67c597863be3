"""The list of allowed system calls, its numbers, and the calls of a bot that are in no list."""

import errno
import itertools
import json
import platform
import re
import resource
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import fields

import pytest
from programs import line_of
from sandboxed import Starter, of_tiers

from referee.sandbox import seccomp
from referee.sandbox.allowed_calls import ALLOWED, Numbers
from referee.sandbox.isolation import max_core
from referee.sandbox.limits import Tier
from referee.sandbox.seccomp import Rights, filter_program

NAMES = [field.name for field in fields(Rights)]
NOTHING, EVERYTHING = (dict.fromkeys(NAMES, value) for value in (False, True))
SEVERAL_RIGHTS = [
    *(Rights(**{**NOTHING, name: True}) for name in NAMES),
    *(Rights(**{**EVERYTHING, name: False}) for name in NAMES),
]
LISTS = (*seccomp._GROUPS, seccomp._REFUSED)
ALL: dict[str, Numbers] = {name: call for calls in LISTS for name, call in calls.items()}
FAIL, ALLOW = 0x00050000, 0x7FFF0000
X86_64, AARCH64, I386 = 0xC000003E, 0xC00000B7, 0x40000003
WANTED_BY_AARCH64 = (
    *("RENAMEAT", "NEW_STAT", "SET_GET_RLIMIT", "TIME32_SYSCALLS", "SYS_CLONE3", "MEMFD_SECRET"),
)


def answer(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Return what the kernel does with a call, by a filter of classic BPF."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    lines = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, yes, no, operand = lines[at]
        at += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                value &= operand
            case 0x06:
                return int(operand)
            case _:
                tests = {0x15: value == operand, 0x35: value >= operand, 0x45: value & operand}
                at += yes if tests[code] else no


def numbers_of(header: str, flags: tuple[str, ...] = ()) -> dict[str, int]:
    """Return the system calls of a header of the kernel, as a C compiler reads it."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine")
    lines = [*(f"#define {flag}" for flag in flags), f"#include <{header}>"]
    read = subprocess.run(
        ["cc", "-E", "-dM", "-x", "c", "-"],
        check=False,
        input="\n".join(lines),
        capture_output=True,
        text=True,
    )
    if read.returncode:
        pytest.skip("no C compiler with the kernel's headers on this machine")
    named = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", read.stdout))
    return {name: int(number) for name, number in named.items()}


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Have filters made for this machine."""
    name: str = request.param
    monkeypatch.setattr(platform, "machine", lambda: name)
    filter_program.cache_clear()
    yield name
    filter_program.cache_clear()


def test_the_numbers_are_those_of_the_kernel() -> None:
    flags = tuple(f"__ARCH_WANT_{name}" for name in WANTED_BY_AARCH64)
    generic = numbers_of("asm-generic/unistd.h", (*flags, "__BITS_PER_LONG 64"))
    generic["newfstatat"] = generic.pop("fstatat")
    columns = {1: generic}
    if platform.machine() in seccomp._MACHINES:
        columns[seccomp._MACHINES[platform.machine()][0]] = numbers_of("asm/unistd.h")

    for column, known in columns.items():
        pairs = [(name, call[column]) for name, call in ALL.items()]
        ours = {name: number for name, number in pairs if number is not None}
        older = {name for name, number in ours.items() if number <= max(known.values())}
        assert {name: ours[name] for name in older} == {name: known.get(name) for name in older}
        assert len(older) > 200


def test_no_call_is_both_allowed_and_refused() -> None:
    assert not ALLOWED.keys() & seccomp._REFUSED.keys()
    for column in (0, 1):
        numbers = [call[column] for call in ALL.values() if call[column] is not None]
        assert len(numbers) == len(set(numbers))


def test_a_call_in_no_list_does_not_exist_for_a_bot(machine: str) -> None:
    column, architecture = seccomp._MACHINES[machine]
    listed = {numbers[column] for numbers in ALL.values()}
    unknown = {
        *range(500),
        600,
        0x3FFFFFFF,
        0x40000000,
        0x40000001,
        0x40000208,
        0xFFFFFFFF,
    } - listed

    for rights in SEVERAL_RIGHTS:
        program = filter_program(rights)
        answers = {answer(program, architecture, number) for number in unknown}
        assert answers == {FAIL | errno.ENOSYS}


def test_no_call_is_logged_or_kills(machine: str) -> None:
    """Both write to the log of the host, as often as a bot wishes."""
    architecture = seccomp._MACHINES[machine][1]
    for rights, other in itertools.product(SEVERAL_RIGHTS, (X86_64, AARCH64, I386)):
        program = filter_program(rights)
        numbers = range(500) if other == architecture else (0, 1, 11, 250)
        results = {answer(program, other, number) for number in numbers}
        assert all(result == ALLOW or result & 0xFFFF0000 == FAIL for result in results)
        if other != architecture:
            assert results == {FAIL | errno.ENOSYS}


def test_a_filter_is_short_enough_for_the_kernel(machine: str) -> None:
    del machine
    assert max(len(filter_program(rights)) // 8 for rights in SEVERAL_RIGHTS) < 4096


@pytest.mark.parametrize("name", ["read", "futex", "mmap", "execve", "exit_group", "openat"])
def test_ordinary_calls_are_allowed_with_any_rights(machine: str, name: str) -> None:
    column, architecture = seccomp._MACHINES[machine]
    number = ALL[name][column]

    assert number is not None
    assert {answer(filter_program(r), architecture, number) for r in SEVERAL_RIGHTS} == {ALLOW}


OF_LATER_KERNELS = """
import ctypes, errno, json, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.argtypes = [ctypes.c_long] * 7
own = os.path.join(os.environ["HOME"], "own")
open(own, "w").close()
path = ctypes.create_string_buffer(own.encode())
attributes = ctypes.create_string_buffer(bytes([0x80]) + bytes(23))
calls = {
    "file_getattr": (468, -100, ctypes.addressof(path), ctypes.addressof(attributes), 24, 0),
    "file_setattr": (469, -100, ctypes.addressof(path), ctypes.addressof(attributes), 24, 0),
    "one of tomorrow": (600,),
}
told = {}
for name, values in calls.items():
    failed = libc.syscall(*values, *[0] * (7 - len(values))) < 0
    told[name] = errno.errorcode[ctypes.get_errno()] if failed else "allowed"
print(json.dumps(told))
"""


@of_tiers("namespaces", "landlock")
def test_a_bot_has_no_calls_of_later_kernels(start_in: Starter, tier: Tier) -> None:
    """`file_setattr` changes flags of a file by its path, which Landlock does not refuse."""
    told = json.loads(line_of(start_in(tier, "-c", OF_LATER_KERNELS)))

    assert set(told.values()) == {"ENOSYS"}


LOGS = """
import ctypes, errno, json, os, struct
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.argtypes = [ctypes.c_long] * 7
number = 317 if os.uname().machine == "x86_64" else 277
lines = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FFC0000))
class Running(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]
program = Running(1, ctypes.addressof(lines))
at = ctypes.addressof(program)
def error(result):
    return errno.errorcode[ctypes.get_errno()] if result < 0 else "allowed"
print(json.dumps({
    "seccomp": error(libc.syscall(number, 1, 0, at, 0, 0, 0)),
    "seccomp with its own log": error(libc.syscall(number, 1, 2, at, 0, 0, 0)),
    "prctl": error(libc.prctl(22, 2, ctypes.c_void_p(at), 0, 0)),
    "strict": error(libc.prctl(22, 1, 0, 0, 0)),
    "landlock": error(libc.syscall(444, 0, 0, 1, 0, 0, 0)),
}))
"""


@of_tiers("namespaces", "landlock")
def test_a_bot_installs_no_filter_that_logs(start_in: Starter, tier: Tier) -> None:
    """SECCOMP_RET_LOG writes a line with a name of the bot's choice to the log of the host."""
    told = json.loads(line_of(start_in(tier, "-c", LOGS)))

    assert told.pop("prctl") == told.pop("strict") == "EINVAL"
    assert set(told.values()) == {"ENOSYS"}


OF_32_BITS = """
import ctypes, mmap
code = bytes.fromhex("b814000000cd80c3")  # mov eax, 20 (getpid); int 0x80; ret
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
page.write(code)
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print(call())
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="nothing refuses calls in this tier")
@of_tiers("namespaces", "landlock")
def test_calls_of_32_bits_fail_and_kill_nobody(start_in: Starter, tier: Tier) -> None:
    assert int(line_of(start_in(tier, "-c", OF_32_BITS))) == -errno.ENOSYS


CRASHES = """
import os, resource
from resource import RLIMIT_CORE as core
before = resource.getrlimit(core)
resource.setrlimit(core, (0, 0))
resource.prlimit(0, core, (0, 0))
try:
    resource.prlimit(os.getpid(), core, (0, 0))
except PermissionError:
    pass
resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
print(*before, *resource.getrlimit(core), *resource.getrlimit(resource.RLIMIT_CPU))
"""


@of_tiers("namespaces", "landlock")
def test_no_crash_of_a_bot_starts_a_program_of_the_host(start_in: Starter, tier: Tier) -> None:
    """The kernel starts none at a limit of exactly 1; at 0 it does, and a bot may not set that."""
    bound = max_core()

    limits = [int(word) for word in line_of(start_in(tier, "-c", CRASHES)).split()]

    assert limits == [bound, bound, bound, bound, 1000, 1000]


def test_a_referee_without_core_files_starts_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of 0 cannot be raised by an ordinary user."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, 0))
    assert max_core() == 0

    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, resource.RLIM_INFINITY))
    assert max_core() == 1

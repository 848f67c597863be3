"""A seccomp filter to refuse the system calls needed by no bot.

The filter covers the gaps of file rules and namespaces: access to other processes, changes of the
kernel or of mounts, new namespaces, memory shared by key, sockets except those of the protocol, and
work charged by the kernel to another program, such as a rival. A refused call fails with EPERM, so
a library can continue without an optional call.
"""

import errno
import functools
import platform
import struct
from collections.abc import Iterator

_NUMBERS = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "inotify_init": (253, None),  # each watch is charged to the programs that open the file
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),  # see timerfd_create: thousands of waits for one timer
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sched_setaffinity": (203, 122),  # a bot stays on the cores of its slot
    "sched_setattr": (314, 274),  # its wait for them extends its deadline
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170),
    "signalfd": (282, None),  # see timerfd_create
    "signalfd4": (289, 74),
    "shmat": (30, 196),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sync": (162, 81),  # others wait until their files are written, too
    "syncfs": (306, 267),
    "syslog": (103, 116),
    "timerfd_create": (283, 85),  # when one goes off, what runs then pays for all that wait for it
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""Calls refused with any arguments, with their numbers on x86_64 and aarch64."""
_OF_MODES = {
    "chmod": (90, None),
    "chown": (92, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "lchown": (94, None),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "truncate": (76, 45),  # covered by Landlock from its version 3
}
"""Changes of a file without opening it; Landlock does not refuse them."""
_IOCTL = (16, 29)
_SET_FLAGS = (0x40046602, 0x40086602, 0x40087602, 0x401C5820)
"""Commands that change the flags, version or project of an open file, even one open to read: a bot
of its owner would find them in a later match."""
_OF_TIMES = {
    "futimesat": (261, None),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
}
"""Changes of a file's times, which would tell a later bot something: all bots have /dev/null, and
those of an ordinary user all its files. They do nothing: unpacking programs call them."""
_OF_USERS = {
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),  # a filter cannot see whether it passes descriptors
}
"""Calls with a limit of the kernel per user, shared with rivals by bots of one user. Only `sendmsg`
is common; `send`, `sendto` and `write` replace it except to pass descriptors.
"""
_UNCOUNTED = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),  # one byte in a pipe keeps 2 MB that have left the process
}
"""Calls for memory outside of RLIMIT_DATA, refused where no control group counts it."""
_MMAP = (9, 222)
_SHARED_ANONYMOUS = 0x21
_GROWS_DOWN = 0x100
"""Flags of `mmap` for such memory: shared without a file, and a second stack."""
_IOPRIO_SET = (251, 30)
_PRLIMIT = (302, 261)
"""Refused on other processes of the user: only on 0, the process itself, is it allowed."""
_SCHEDULER = (144, 119)
"""Refused except for the ordinary policy, 0: libzmq sets it in each thread."""
_FCNTL = (72, 25)
_SET_LEASE, _NOTIFY = 1024, 1026
"""Commands to watch or reserve a file, which delay other programs opening the file."""
_FADVISE = (221, 223)
_DONT_NEED = 4
"""Advice to remove a file from memory, even a file of the system read by all bots."""
_PRCTL = (157, 167)
_PR_SCHED_CORE = 62
"""Option to keep other processes off the sibling hardware threads of a bot."""
_FAST_OPEN = {"sendmmsg": ((307, 269), 3), "sendmsg": ((46, 211), 2), "sendto": ((44, 206), 3)}
"""Calls that connect without `connect` if the flag is in this argument."""
_MSG_FASTOPEN = 0x20000000
_CLONE3 = 435
_CLONE = (56, 220)
_SOCKET = (41, 198)
_FORKS = ((57, None), (58, None))  # fork and vfork, not on aarch64

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the numbers, and the kernel's number of the architecture (AUDIT_ARCH_...)."""
_X32 = 0x40000000
"""First number of the x32 calls of x86_64: the same calls under other numbers."""
_NEW_NAMESPACES = 0x7E020000
"""The CLONE_NEW... flags, except CLONE_NEWTIME, unknown to clone."""
_CLONE_PARENT = 0x8000
"""Makes the referee the parent of a bot's child, outside the tree that is stopped and charged."""
_TYPE_OF_SOCKET = 0xF
_AF_UNIX, _AF_INET, _AF_INET6, _SOCK_STREAM = 1, 2, 10, 1

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_SET, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_IPPROTO_TCP = 6
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_AT_NUMBER, _AT_ARCHITECTURE = 0, 4
_AT_FIRST, _AT_SECOND, _AT_THIRD, _AT_FOURTH = 16, 24, 32, 40

_Line = tuple[int, int, int, int]
"""A BPF instruction: code, jump if true, jump if false, operand."""


def is_supported() -> bool:
    """Return whether the call numbers of this machine's architecture are known."""
    return platform.machine() in _MACHINES


@functools.cache
def filter_program(
    *,
    has_tcp: bool,
    may_fork: bool,
    is_among_others: bool,
    shares_user: bool,
    has_network: bool,
    may_change_modes: bool,
    is_memory_counted: bool,
) -> bytes:
    """Return the filter as BPF code. Requires `is_supported`.

    `has_tcp` allows TCP, `may_fork` new processes and threads, `has_network` every socket, and
    `may_change_modes` chmod and times of files, needed by builds. `is_among_others` is for a bot
    outside namespaces, `shares_user` for a bot with the same user as its rivals. Without
    `is_memory_counted` the bot gets no memory outside of RLIMIT_DATA.
    """
    column, architecture = _MACHINES[platform.machine()]
    lines = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
        (_IF_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    refused = [
        *_NUMBERS.values(),
        *((_CLONE, *_FORKS) if not may_fork else ()),
        *(_OF_USERS.values() if shares_user else ()),
        *(() if is_memory_counted else _UNCOUNTED.values()),
    ]
    for numbers in refused:
        lines += _refuse(numbers[column], errno.EPERM)
    for numbers in () if may_change_modes else _OF_TIMES.values():
        lines += _refuse(numbers[column], 0)
    # its flags lie in memory, hidden from filters; with ENOSYS the C library uses clone
    lines += _refuse(_CLONE3, errno.ENOSYS)
    lines += _refuse_unless_0(_SCHEDULER[column], 1)
    lines += _refuse_if(_PRCTL[column], _IF_EQUAL, 0, _PR_SCHED_CORE)
    lines += _refuse_if(_FCNTL[column], _IF_EQUAL, 1, _SET_LEASE, _NOTIFY)
    lines += _refuse_if(_FADVISE[column], _IF_EQUAL, 3, _DONT_NEED)
    if not is_memory_counted:
        lines += _refuse_uncounted_memory(_MMAP[column])
    if is_among_others:
        lines += _refuse_others(column, may_change_modes=may_change_modes)
    if has_tcp:
        for numbers, place in _FAST_OPEN.values():
            lines += _refuse_if(numbers[column], _IF_SET, place, _MSG_FASTOPEN)
    lines += [
        (_IF_EQUAL, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _AT_FIRST),
        (_IF_SET, 0, 1, _NEW_NAMESPACES | _CLONE_PARENT),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
        *([] if has_network else _sockets(_SOCKET[column], has_tcp=has_tcp)),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _refuse(number: int | None, why: int) -> Iterator[_Line]:
    if number is not None:
        yield (_IF_EQUAL, 0, 1, number)
        yield (_RETURN, 0, 0, _ERRNO | why)


def _refuse_uncounted_memory(number: int) -> Iterator[_Line]:
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    yield (_IF_EQUAL, 0, 7, number)
    yield (_LOAD, 0, 0, _AT_FOURTH)
    yield (_IF_SET, 0, 1, _GROWS_DOWN)
    yield refuse
    yield (_AND, 0, 0, _SHARED_ANONYMOUS)
    yield (_IF_EQUAL, 0, 1, _SHARED_ANONYMOUS)
    yield refuse
    yield (_RETURN, 0, 0, _ALLOW)


def _refuse_others(column: int, *, may_change_modes: bool) -> Iterator[_Line]:
    """Refuse changes of limits, priorities and modes of others."""
    modes = () if may_change_modes else _OF_MODES.values()
    if not may_change_modes:
        yield from _refuse_if(_IOCTL[column], _IF_EQUAL, 1, *_SET_FLAGS)
    for numbers in (*modes, _IOPRIO_SET):
        yield from _refuse(numbers[column], errno.EPERM)
    yield from _refuse_unless_0(_PRLIMIT[column], 0)


def _refuse_unless_0(number: int, place: int) -> Iterator[_Line]:
    """Allow a call only if this argument, counted from 0, is 0."""
    yield (_IF_EQUAL, 0, 4, number)
    yield (_LOAD, 0, 0, _AT_FIRST + 8 * place)
    yield (_IF_EQUAL, 1, 0, 0)
    yield (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    yield (_RETURN, 0, 0, _ALLOW)


def _refuse_if(number: int, test: int, place: int, *values: int) -> Iterator[_Line]:
    """Refuse a call if this argument, counted from 0, passes the test with one of the values."""
    yield (_IF_EQUAL, 0, 2 + 2 * len(values), number)
    yield (_LOAD, 0, 0, _AT_FIRST + 8 * place)
    for value in values:
        yield (test, 0, 1, value)
        yield (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    yield (_RETURN, 0, 0, _ALLOW)


def _sockets(number: int, *, has_tcp: bool) -> list[_Line]:
    """Allow Unix sockets, and TCP on request; Landlock does not refuse other streams."""
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    allow = (_RETURN, 0, 0, _ALLOW)
    if not has_tcp:
        return [
            (_IF_EQUAL, 0, 3, number),
            (_LOAD, 0, 0, _AT_FIRST),
            (_IF_EQUAL, 1, 0, _AF_UNIX),
            refuse,
        ]
    return [
        (_IF_EQUAL, 0, 12, number),
        (_LOAD, 0, 0, _AT_FIRST),
        (_IF_EQUAL, 9, 0, _AF_UNIX),
        (_IF_EQUAL, 1, 0, _AF_INET),
        (_IF_EQUAL, 0, 6, _AF_INET6),
        (_LOAD, 0, 0, _AT_SECOND),
        (_AND, 0, 0, _TYPE_OF_SOCKET),
        (_IF_EQUAL, 0, 3, _SOCK_STREAM),
        (_LOAD, 0, 0, _AT_THIRD),
        (_IF_EQUAL, 2, 0, 0),
        (_IF_EQUAL, 1, 0, _IPPROTO_TCP),
        refuse,
        allow,
    ]

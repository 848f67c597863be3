"""A seccomp filter to refuse the system calls needed by no bot.

The filter covers the gaps of file rules and namespaces: access to other processes, changes of the
kernel or of mounts, new namespaces, memory shared by key, sockets except those of the protocol, and
work charged by the kernel to another program, such as a rival. A call refused by name fails with
EPERM, and a call in no list with ENOSYS, so a library can continue without an optional call. No
refusal is written to the host's log.
"""

import errno
import functools
import itertools
import platform
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from referee.sandbox.allowed_calls import ALLOWED, IOCTL_COMMANDS, PRCTL_OPTIONS, Numbers

_Calls = Mapping[str, Numbers]

_REFUSED: _Calls = {
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
"""Calls refused with any arguments."""
_OF_MODES: _Calls = {
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
_OF_TIMES: _Calls = {
    "futimesat": (261, None),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
}
"""Changes of a file's times, which would tell a later bot something: all bots have /dev/null, and
those of an ordinary user all its files. They do nothing: unpacking programs call them."""
_OF_USERS: _Calls = {
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),  # a filter cannot see whether it passes descriptors
}
"""Calls with a limit of the kernel per user, shared with rivals by bots of one user. Only `sendmsg`
is common; `send`, `sendto` and `write` replace it except to pass descriptors."""
_UNCOUNTED: _Calls = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),  # one byte in a pipe keeps 2 MB that have left the process
}
"""Calls for memory outside of RLIMIT_DATA, refused where no control group counts it."""
_LISTEN: _Calls = {"listen": (50, 201)}
"""Uncounted, as its queue keeps what was sent; with TCP it opens a port despite Landlock."""
_CLONE: _Calls = {"clone": (56, 220)}
_FORKS: _Calls = {"fork": (57, None), "vfork": (58, None)}
_TIMERS: _Calls = {"timer_create": (222, 107)}
"""Its timers send any signal, also SIGCONT: without a group a suspended bot would resume."""
_OF_OTHERS: _Calls = {"ioprio_set": (251, 30)}
"""Changes of other processes of the user."""
_GROUPS = (ALLOWED, _OF_MODES, _OF_TIMES, _OF_USERS, _UNCOUNTED, _CLONE, _FORKS, _OF_OTHERS)
"""The calls of some programs; not `clone3`, whose flags filters cannot see: `clone` replaces it."""

_OWN_DESCRIPTORS = 2  # a flag of `close_range`: the thread then has a limit of its own, too
_SHARED_ANONYMOUS = 0x21
_GROWS_DOWN = 0x100
"""Flags of `mmap` for uncounted memory: shared without a file, and a second stack."""
_ITSELF = 0
"""The process that `prlimit64` may change: no other one of the user."""
_CORE = 4
"""The limit of core files, which stays as it is: 0 would start a program of the host at a crash."""
_SCHED_OTHER = 0
"""The ordinary policy, the only one allowed: libzmq sets it in each thread."""
_SET_LEASE, _NOTIFY = 1024, 1026
"""Commands to watch or reserve a file, which delay other programs opening the file."""
_SET_PIPE_SIZE = 1031
"""Command for a larger pipe: the kernel limits the pages of all pipes of a user."""
_SET_SIGNAL = 10
"""Command to receive any signal when a file is ready, also SIGCONT: see `_TIMERS`."""
_END_OF_PARENT = 1  # option for a signal at that time, also SIGCONT of a parent that ends slowly
_SIGCHLD = 17
"""Signal of an ended child. The kernel forgets the CPU time of children whose parent ignores it: so
its action stays the default where no control group counts that time."""
_DONT_NEED = 4
"""Advice to remove a file from memory, even a file of the system read by all bots."""
_FAST_OPEN = {"sendmmsg": 3, "sendmsg": 2, "sendto": 3}
"""Calls that connect without `connect` if the flag is in this argument."""
_MSG_FASTOPEN = 0x20000000

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the numbers, and the kernel's number of the architecture (AUDIT_ARCH_...)."""
_NEW_NAMESPACES = 0x7E020000
"""The CLONE_NEW... flags, except CLONE_NEWTIME, unknown to clone."""
_CLONE_THREAD, _CLONE_FILES = 0x10000, 0x400
_CLONE_PARENT = 0x8000
"""Makes the referee the parent of a bot's child, outside the tree that is stopped and charged."""
_TYPE_OF_SOCKET = 0xF
_AF_UNIX, _AF_INET, _AF_INET6, _SOCK_STREAM, _IPPROTO_TCP = 1, 2, 10, 1, 6

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_SET, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_AT_NUMBER, _AT_ARCHITECTURE = 0, 4
_AT_FIRST, _AT_SECOND, _AT_THIRD, _AT_FOURTH = 16, 24, 32, 40
_HIGH = 4  # offset of the high half of an argument
_FAIL = 0x00050000
"""The answer to a call that fails, with the number of its error; with 0 it does nothing."""
_ALLOW, _REFUSE, _IS_MISSING = 0x7FFF0000, _FAIL | errno.EPERM, _FAIL | errno.ENOSYS

_Line = tuple[int, int, int, int]
"""A BPF instruction: code, jump if true, jump if false, operand."""


@dataclass(frozen=True, kw_only=True)
class Rights:
    """What a program may do, as far as system calls decide it."""

    has_tcp: bool
    may_fork: bool
    """Whether it may make threads, and processes if these are allowed, too."""
    may_start_processes: bool
    is_among_others: bool
    """Whether it is outside namespaces."""
    shares_user: bool
    """Whether its rivals have the same user."""
    has_network: bool
    """Whether every socket is allowed."""
    may_change_modes: bool
    """Whether it may change modes and times of files, as a build must."""
    is_memory_counted: bool
    """Whether it may get memory outside of RLIMIT_DATA."""
    has_group: bool
    """Whether a control group suspends it, and counts the CPU time of its children."""


def is_supported() -> bool:
    """Return whether the call numbers of this machine's architecture are known."""
    return platform.machine() in _MACHINES


@functools.cache
def filter_program(rights: Rights) -> bytes:
    """Return the filter as BPF code. Requires `is_supported`."""
    column, architecture = _MACHINES[platform.machine()]
    answers = _answers(rights)
    lines = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _IS_MISSING),
        (_LOAD, 0, 0, _AT_NUMBER),
    ]
    for name, rule in _rules(rights).items():
        numbers, answer = answers[name]
        if answer == _ALLOW and (number := numbers[column]) is not None:
            lines += [(_IF_EQUAL, 0, len(rule), number), *rule]
    by_number = {numbers[column]: answer for numbers, answer in answers.values()}
    lines += _table({number: answer for number, answer in by_number.items() if number is not None})
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _answers(rights: Rights) -> dict[str, tuple[Numbers, int]]:
    """Return the numbers and the answer of each call by name, before its arguments are read."""
    keeps_modes = not rights.may_change_modes
    kinds = (
        (_REFUSED, True, _REFUSE),
        (_OF_TIMES, keeps_modes, _FAIL),
        (_OF_MODES, keeps_modes and rights.is_among_others, _REFUSE),
        (_OF_OTHERS, rights.is_among_others, _REFUSE),
        (_OF_USERS, rights.shares_user, _REFUSE),
        (_UNCOUNTED, not rights.is_memory_counted, _REFUSE),
        (_LISTEN, rights.has_tcp or not rights.is_memory_counted, _REFUSE),
        (_CLONE, not rights.may_fork, _REFUSE),
        (_FORKS, not (rights.may_fork and rights.may_start_processes), _REFUSE),
        (_TIMERS, not rights.has_group, _REFUSE),
    )
    answers = {name: (numbers, _ALLOW) for calls in _GROUPS for name, numbers in calls.items()}
    for calls, applies, answer in kinds:
        if applies:
            answers |= {name: (numbers, answer) for name, numbers in calls.items()}
    return answers


def _table(answers: Mapping[int, int]) -> Iterator[_Line]:
    """Answer by the number alone: each run of numbers with one answer is compared once."""
    last = max(answers)
    runs = itertools.groupby(range(last + 1), lambda number: answers.get(number, _IS_MISSING))
    for answer, numbers in runs:
        yield (_IF_AT_LEAST, 1, 0, max(numbers) + 1)
        yield (_RETURN, 0, 0, answer)
    yield (_RETURN, 0, 0, _IS_MISSING)  # also x32, whose numbers are higher


def _rules(rights: Rights) -> dict[str, list[_Line]]:
    """Return the rules for arguments, each after its call's name, to its end in an answer."""
    rules = {
        "clone": _clones(may_start_processes=rights.may_start_processes),
        "close_range": _refuse_if(_IF_SET, 2, _OWN_DESCRIPTORS),
        "fadvise64": _refuse_if(_IF_EQUAL, 3, _DONT_NEED),
        "fcntl": _refuse_if(_IF_EQUAL, 1, *_refused_commands(rights)),
        "prctl": _allow_only(0, PRCTL_OPTIONS, _FAIL | errno.EINVAL),
        "prlimit64": _limits(of_others=not rights.is_among_others),
        "sched_setscheduler": _allow_only(1, (_SCHED_OTHER,), _REFUSE),
        "setrlimit": _keep(0, _CORE),
    }
    if not rights.is_memory_counted:
        rules["mmap"] = _refuse_uncounted_memory()
    if not rights.has_group:
        rules["rt_sigaction"] = _keep(0, _SIGCHLD)
        rules["prctl"] = [*_keep(0, _END_OF_PARENT)[:-1], *rules["prctl"]]
    if rights.is_among_others and not rights.may_change_modes:
        rules["ioctl"] = _allow_only(1, IOCTL_COMMANDS, _REFUSE)
    if rights.has_tcp:
        for name, place in _FAST_OPEN.items():
            rules[name] = _refuse_if(_IF_SET, place, _MSG_FASTOPEN)
    if not rights.has_network:
        rules["socket"] = _sockets(rights, has_tcp=rights.has_tcp)
        rules["socketpair"] = _sockets(rights, has_tcp=False)
    return rules


def _refused_commands(rights: Rights) -> Iterator[int]:
    """Yield the refused commands of `fcntl`."""
    yield from (_SET_LEASE, _NOTIFY)
    if rights.shares_user:
        yield _SET_PIPE_SIZE
    if not rights.has_group:
        yield _SET_SIGNAL


def _clones(*, may_start_processes: bool) -> list[_Line]:
    """Allow new threads with the descriptors of all, and new processes below this on request."""
    threads_alone = [(_IF_SET, 1, 0, _CLONE_THREAD), (_RETURN, 0, 0, _REFUSE)]
    return [
        (_LOAD, 0, 0, _AT_FIRST),
        *((_IF_SET, 0, 2, _CLONE_THREAD), (_IF_SET, 1, 0, _CLONE_FILES), (_RETURN, 0, 0, _REFUSE)),
        *([] if may_start_processes else threads_alone),
        (_IF_SET, 0, 1, _NEW_NAMESPACES | _CLONE_PARENT),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _keep(place: int, kind: int) -> list[_Line]:
    """Have a call that sets something of this kind do nothing, as if it had succeeded.

    Interpreters and shells set it, and fail on an error. The argument at `place` is the kind, the
    next one points to the new value; it is null, in both halves, to read, which is allowed.
    """
    pointer = _AT_FIRST + 8 * (place + 1)
    return [
        (_LOAD, 0, 0, _AT_FIRST + 8 * place),
        (_IF_EQUAL, 0, 5, kind),
        (_LOAD, 0, 0, pointer),
        (_IF_EQUAL, 0, 2, 0),
        (_LOAD, 0, 0, pointer + _HIGH),
        (_IF_EQUAL, 1, 0, 0),
        (_RETURN, 0, 0, _FAIL),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _limits(*, of_others: bool) -> list[_Line]:
    """Allow to change limits of the process itself, but for core files, and others on request."""
    others = [
        *((_LOAD, 0, 0, _AT_SECOND), (_IF_EQUAL, 0, 1, _CORE)),
        *((_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)),
    ]
    changed = others if of_others else [(_RETURN, 0, 0, _REFUSE)]
    pid = [(_LOAD, 0, 0, _AT_FIRST), (_IF_EQUAL, len(changed), 0, _ITSELF)]
    return [*pid, *changed, *_keep(1, _CORE)]


def _allow_only(place: int, values: tuple[int, ...], otherwise: int) -> list[_Line]:
    """Allow a call only if this argument, counted from 0, is one of the values."""
    return [
        (_LOAD, 0, 0, _AT_FIRST + 8 * place),
        *((_IF_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)),
        (_RETURN, 0, 0, otherwise),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _refuse_if(test: int, place: int, *values: int) -> list[_Line]:
    """Refuse a call if this argument, counted from 0, passes the test with one of the values."""
    return [
        (_LOAD, 0, 0, _AT_FIRST + 8 * place),
        *(line for value in values for line in ((test, 0, 1, value), (_RETURN, 0, 0, _REFUSE))),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _refuse_uncounted_memory() -> list[_Line]:
    return [
        (_LOAD, 0, 0, _AT_FOURTH),
        (_IF_SET, 0, 1, _GROWS_DOWN),
        (_RETURN, 0, 0, _REFUSE),
        (_AND, 0, 0, _SHARED_ANONYMOUS),
        (_IF_EQUAL, 0, 1, _SHARED_ANONYMOUS),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _sockets(rights: Rights, *, has_tcp: bool) -> list[_Line]:
    """Allow Unix sockets, only streams where memory is uncounted, and TCP on request.

    Landlock does not refuse other streams of the network. Datagrams outlive their sender.
    """
    tcp = [(_IF_EQUAL, 2, 0, _AF_INET), (_IF_EQUAL, 1, 0, _AF_INET6)]
    return [
        (_LOAD, 0, 0, _AT_FIRST),
        *(tcp if has_tcp else []),
        (_IF_EQUAL, 7 if rights.is_memory_counted else 0, 6, _AF_UNIX),
        (_LOAD, 0, 0, _AT_SECOND),
        (_AND, 0, 0, _TYPE_OF_SOCKET),
        (_IF_EQUAL, 0, 3, _SOCK_STREAM),
        (_LOAD, 0, 0, _AT_THIRD),
        (_IF_EQUAL, 2, 0, 0),
        (_IF_EQUAL, 1, 0, _IPPROTO_TCP),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]

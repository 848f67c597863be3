"""A bot that tries every forbidden access, and prints the results as one line of JSON.

Its arguments name the things to try: paths, pids and addresses of the test that started it.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Attempt: TypeAlias = Callable[[], object]

STEP = 1 << 20
MOST = 200
LIBC = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE, CLONE_NEWUSER, CLONE_NEWNS = 0x4206, 0x10000000, 0x20000
IO_URING_SETUP = 425
MPTCP = 262


def outcome(attempt: Attempt) -> str:
    """Return "ok", or the name of the error."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    except MemoryError:
        return "MemoryError"
    return "ok"


def checked(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def reading(path: str) -> Attempt:
    def attempt() -> None:
        with Path(path).open("rb") as file:
            file.read(1)

    return attempt


def listing(path: str | Path) -> Attempt:
    return lambda: list(Path(path).iterdir())


def writing(path: str | Path) -> Attempt:
    def attempt() -> None:
        Path(path).write_bytes(b"x")
        Path(path).unlink()

    return attempt


def connecting(family: int, address: Any, protocol: int = 0) -> Attempt:
    def attempt() -> None:
        with socket.socket(family, socket.SOCK_STREAM, protocol) as stream:
            stream.settimeout(5)
            stream.connect(address)

    return attempt


def opening_fast(address: tuple[str, int]) -> Attempt:
    """Connect without a call of connect."""

    def attempt() -> None:
        with socket.socket() as stream:
            stream.settimeout(5)
            stream.sendto(b"x", socket.MSG_FASTOPEN, address)

    return attempt


def sending(address: tuple[str, int]) -> Attempt:
    def attempt() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            datagrams.sendto(b"x", address)

    return attempt


def calling(name: str, *arguments: Any) -> Attempt:
    return lambda: checked(getattr(LIBC, name)(*arguments))


def count(attempt: Attempt, most: int = MOST) -> int:
    """Repeat an action; return the number of successes."""
    for done in range(most):
        if outcome(attempt) != "ok":
            return done
    return most


def forking() -> None:
    if os.fork() == 0:
        signal.pause()


def filling(folder: Path) -> Attempt:
    """Return a function that writes one more file of one MB."""
    names = iter(range(10**6))

    def attempt() -> None:
        with (folder / f"fill-{next(names)}").open("wb", buffering=0) as file:
            if file.write(bytes(STEP)) < STEP:
                raise OSError(errno.ENOSPC, "no room")

    return attempt


def growing(folder: Path) -> Attempt:
    """Return a function that extends one file by one MB."""

    def attempt() -> None:
        with (folder / "large").open("ab", buffering=0) as file:
            if file.write(bytes(STEP)) < STEP:
                raise OSError(errno.EFBIG, "no room")

    return attempt


def descriptors() -> list[int]:
    """Return the open descriptors; that of the listing itself is closed."""
    return sorted(int(path.name) for path in Path("/proc/self/fd").iterdir() if path.exists())


def main() -> None:
    there = json.loads(sys.argv[1])
    home = Path(os.environ["HOME"])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    pid = there["referee"]
    attempts = {
        "read /etc/passwd": reading("/etc/passwd"),
        "read a stranger's file": reading(there["secret"]),
        "list a stranger's folder": listing(Path(there["secret"]).parent),
        "read its own file": reading("own.txt"),
        "write its own folder": writing("new.txt"),
        "write /": writing("/new.txt"),
        "write /usr": writing("/usr/new.txt"),
        "write a stranger's folder": writing(there["secret"] + ".new"),
        "write its home": writing(home / "new.txt"),
        "write /dev/shm": writing("/dev/shm/arena-test"),  # noqa: S108 - the tested path
        "connect to a stranger's path": connecting(socket.AF_UNIX, there["path"]),
        "connect to an abstract socket": connecting(socket.AF_UNIX, "\0" + there["abstract"]),
        "connect by TCP": connecting(socket.AF_INET, ("127.0.0.1", there["tcp"])),
        "connect by MPTCP": connecting(socket.AF_INET, ("127.0.0.1", there["tcp"]), MPTCP),
        "connect by fast open": opening_fast(("127.0.0.1", there["tcp"])),
        "send by UDP": sending(("127.0.0.1", there["tcp"])),
        "signal the referee": lambda: os.kill(pid, 0),
        "ptrace the referee": calling("ptrace", PTRACE_SEIZE, pid, None, None),
        "read the referee's environment": reading(f"/proc/{pid}/environ"),
        "read the referee's memory": reading(f"/proc/{pid}/mem"),
        "use io_uring": calling("syscall", IO_URING_SETUP, 1, ctypes.create_string_buffer(256)),
        "flush the disks": calling("syncfs", 0),
        "become root": lambda: os.setresuid(0, 0, 0),
        "leave its cores": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
        "make namespaces": calling("unshare", CLONE_NEWUSER | CLONE_NEWNS),
    }
    lines = Path("/proc/self/status").read_text().splitlines()
    status: dict[str, str] = dict(line.split(":\t", 1) for line in lines)
    uid, inherited = os.getuid(), descriptors()
    results: dict[str, Any] = {name: outcome(attempt) for name, attempt in attempts.items()}
    results |= {
        "uid": uid,
        "processes in sight": len(list(Path("/proc").glob("[0-9]*"))),
        "descriptors": inherited,
        "privileges": [status["CapEff"], status["CapBnd"], status["NoNewPrivs"]],
        "folder": str(Path.cwd()),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "killed first": Path("/proc/self/oom_score_adj").read_text().strip(),
        "memory": outcome(lambda: bytearray(there["memory"])) if there["memory"] else None,
        "files": count(lambda: os.dup(0)),
    }
    os.closerange(3, 4 + MOST)
    results["MB in files"] = count(filling(home))
    for path in home.glob("fill-*"):
        path.unlink()
    results["MB in one file"] = count(growing(home))
    results["forks"] = count(forking) if there["forks"] else None
    print(json.dumps(results), flush=True)


main()

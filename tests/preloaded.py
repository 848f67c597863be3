"""The command as a fork of a process that has loaded it: for tests of what a command does.

A command and each of its referees need half a second of processor time to load their modules.
Here that is spent once for each worker of the suite; the same code then runs in processes of its
own. Where the start itself matters, tests start Python: `test_command_streams.py`,
`test_first_process.py`, `test_first_game.py`, `test_action.py`.
"""

import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import selectors
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

MAX_DESCRIPTOR = 1024
ROOT = Path(__file__).parents[1]
_LONGEST = 1 << 20
_STREAMS = 3


class PreloadedModule(subprocess.Popen[Any]):
    """`python -m` with a module and its arguments, in a session of its own; otherwise like Popen.

    Its parent is the server.
    """

    def _execute_child(self, args: Sequence[str], *options: Any) -> None:
        """Ask the server for a fork; Popen calls this after making the pipes."""
        folder, env = options[4:6]
        stdin, from_stdin, from_stdout, stdout, from_stderr, stderr = options[9:15]
        request = {
            "arguments": args,
            "folder": os.fspath(folder or "."),
            "env": dict(os.environ if env is None else env),
        }
        ends = [number if end == -1 else end for number, end in enumerate((stdin, stdout, stderr))]
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            message = json.dumps(request).encode()
            socket.send_fds(server()[0], [message], [*ends, theirs.fileno()])
        self._status = ours.detach()
        self.pid = int(os.read(self._status, _LONGEST))
        vars(self)["_child_created"] = True
        pairs = ((stdin, from_stdin), (stdout, from_stdout), (stderr, from_stderr))
        made = {end for end, other in pairs if other != -1}
        for end in made | {vars(self).get("_devnull", -1)} - {-1}:
            os.close(end)

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        status = int(os.read(self._status, _LONGEST))
        os.close(self._status)
        return self.pid, status

    def _internal_poll(self, **_: object) -> int | None:
        lock = vars(self)["_waitpid_lock"]
        if self.returncode is None and lock.acquire(blocking=False):
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
            finally:
                lock.release()
        return self.returncode


class Preloaded(PreloadedModule):
    """The command with these arguments; its streams are text."""

    def __init__(self, arguments: Sequence[str], **options: Any) -> None:
        super().__init__(["arena", *arguments], text=True, **options)


def run(
    *arguments: str, timeout: float, typed: str = "", **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; the options are those of Popen, and all streams are pipes."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with Preloaded(arguments, **{**pipes, **options}) as process:
        try:
            out, err = process.communicate(typed, timeout=timeout)
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(process.args, process.wait(), out, err)


@functools.cache
def server() -> tuple[socket.socket, int]:
    """Start the process to load everything at its first request; return its socket and its pid.

    It ends with the socket. It is nobody's child, since a host in a test kills all its children.
    Call this before a test makes its process a subreaper, the new parent of the server.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own = {"PYTHONPATH": str(ROOT), "PYDANTIC_DISABLE_PLUGINS": "__all__"}
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=kept | own,  # nothing of the test that happens to be the first
            start_new_session=True,
        )
    process.wait()
    return ours, int(ours.recv(_LONGEST))


def build_with_server(patch: "pytest.MonkeyPatch") -> None:
    """Have builders of this process preloaded, too: the director that they know is their parent."""

    from arena.bots import building
    from referee.sandbox.builder import BuildOrder

    def start(command: Sequence[str], **options: Any) -> PreloadedModule:
        return PreloadedModule(command[command.index("-m") + 1 :], **options)

    def order(**given: Any) -> BuildOrder:
        return BuildOrder(**{**given, "director": server()[1]})

    patch.setattr(building, "BuildOrder", order)
    patch.setattr(building, "subprocess", SimpleNamespace(Popen=start, PIPE=subprocess.PIPE))


def _load() -> None:
    """Import the modules of most commands and referees."""
    for package in ("arena", "referee"):
        for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if not module.name.startswith(("arena.cluster", "arena.pages", "arena.__main__")):
                with contextlib.suppress(ImportError):  # an extra that is not installed
                    importlib.import_module(module.name)
    importlib.import_module("forking").warm_up()
    gc.collect()
    gc.freeze()


def _serve(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Fork for each request and report how the forks end; return the request in a fork."""
    selector = selectors.DefaultSelector()
    selector.register(control, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.data is not None:
                selector.unregister(key.fd)
                _report_end(key.fd, *key.data)
                continue
            message, descriptors, _, _ = socket.recv_fds(control, _LONGEST, _STREAMS + 1)
            if not message:
                return None
            pid = os.fork()
            if pid == 0:
                return json.loads(message), descriptors
            for descriptor in descriptors[:_STREAMS]:
                os.close(descriptor)
            status = socket.socket(fileno=descriptors[_STREAMS])
            status.send(b"%d" % pid)
            selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, status))


def _report_end(pidfd: int, pid: int, status: socket.socket) -> None:
    os.close(pidfd)
    with status, contextlib.suppress(OSError):  # nobody waits for it any more
        status.send(b"%d" % os.waitpid(pid, 0)[1])


def _become(request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
    """Make this fork like a newly started process, and run the command."""
    os.setsid()
    for number, descriptor in enumerate(descriptors[:_STREAMS]):
        os.dup2(descriptor, number)
    gc.collect()  # the server's selector would close a descriptor of the command, once collected
    os.closerange(_STREAMS, MAX_DESCRIPTOR)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["env"])
    added = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [str(Path.cwd()), *(path for path in added if path and path not in sys.path)]
    tempfile.tempdir = None
    sys.modules["forking"].fork_modules()
    module, *sys.argv[1:] = request["arguments"]
    if module in sys.modules and hasattr(sys.modules[module], "main"):
        sys.modules[module].main()
    else:
        runpy.run_module(module, run_name="__main__", alter_sys=True)


def main() -> None:
    """Serve a worker of the suite."""
    control = socket.socket(fileno=int(sys.argv[1]))
    if os.fork():
        os._exit(0)
    control.send(b"%d" % os.getpid())
    if not control.recv(1, socket.MSG_PEEK):
        return
    _load()
    if (asked := _serve(control)) is not None:
        _become(*asked)


if __name__ == "__main__":
    main()

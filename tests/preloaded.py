"""The command as a fork of a process that has loaded it: for tests of what a command does.

A command and each of its referees need half a second of processor time to load their modules.
Here that is spent once for all workers of the suite; the same code then runs in processes of its
own. Where the start itself matters, tests start Python: `test_command_streams.py`,
`test_first_process.py`, `test_first_game.py`, `test_action.py`.
"""

import atexit
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
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

MAX_DESCRIPTOR = 1024
ROOT = Path(__file__).parents[1]
ADDRESS = "ARENA_TESTS_SERVER"
"""The variable with the address of the server that the workers of a run share."""
_LONGEST = 1 << 20
_STREAMS = 3

Request = tuple[dict[str, Any], list[int]]


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


def besides_isolation(errors: str) -> str:
    """Return what a command wrote to stderr besides the sandbox, which depends on the machine."""
    lines = errors.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("isolation: "))


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
    """Connect to the server of this run, or to a new one; return the socket and the server's pid.

    Call this before a test makes its process a subreaper, the new parent of a new server.
    """
    if ADDRESS in os.environ:
        control = connected(os.environ[ADDRESS])
    else:
        os.environ[ADDRESS], control = start_server()
    return control, int(control.recv(_LONGEST))


def connected(address: str) -> socket.socket:
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(address)
    return control


def start_server() -> tuple[str, socket.socket]:
    """Start the process to load everything at its first request; return address and connection.

    It ends with its last connection. It is nobody's child, since a host in a test kills all its
    children.
    """
    folder = tempfile.mkdtemp(prefix="preloaded-", dir="/tmp")  # nobody else may enter it
    address = f"{folder}/socket"
    own = {"PYTHONPATH": str(ROOT), "PYDANTIC_DISABLE_PLUGINS": "__all__"}
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        control = connected(address)
        process = subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno())],
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            env=kept | own,  # nothing of the test that happens to be the first
            start_new_session=True,
        )
    process.wait()
    return address, control


def build_with_server(patch: "pytest.MonkeyPatch") -> None:
    """Have builders of this process preloaded, too: the director that they know is their parent."""
    from arena.bots import building
    from referee.sandbox import BuildOrder

    def order(**given: Any) -> BuildOrder:
        return BuildOrder(**{**given, "director": server()[1]})

    patch.setattr(building, "BuildOrder", order)
    patch.setattr(building, "subprocess", _FORKING)


def oppose_with_server(patch: "pytest.MonkeyPatch") -> None:
    """Have the process with the bots of an environment preloaded: it ends with its parent, too."""
    from arena.environment import bot_opponents

    def start(command: Sequence[str], **options: Any) -> PreloadedModule:
        return _start_module([*command[:-1], str(server()[1])], **options)

    patch.setattr(
        bot_opponents, "subprocess", SimpleNamespace(**{**vars(_FORKING), "Popen": start})
    )


def _start_module(command: Sequence[str], **options: Any) -> PreloadedModule:
    return PreloadedModule(command[command.index("-m") + 1 :], **options)


_FORKING = SimpleNamespace(
    Popen=_start_module, PIPE=subprocess.PIPE, TimeoutExpired=subprocess.TimeoutExpired
)


_SLOW = ("arena.cluster", "arena.league", "arena.pages", "arena.__main__")
"""Modules that few commands use; those of the league first want the settings of Django."""


@functools.cache
def _load() -> None:
    """Import the modules of most commands and referees."""
    for package in ("arena", "referee"):
        for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if not module.name.startswith(_SLOW):
                with contextlib.suppress(ImportError):  # an extra that is not installed
                    importlib.import_module(module.name)
    importlib.import_module("forking").warm_up()
    gc.collect()
    gc.freeze()


class _Server:
    """Forks this process for each request and reports how the forks end."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._connections = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ, self._accept)

    def serve(self) -> Request | None:
        """Serve until the last connection ends; return a request in the fork that is to run it."""
        while True:
            for key, _ in self._selector.select():
                if asked := key.data():
                    return asked  # type: ignore[no-any-return]
            if not self._connections:
                return None

    def _accept(self) -> None:
        control, _ = self._listener.accept()
        with contextlib.suppress(OSError):  # it may have been killed
            control.send(b"%d" % os.getpid())
        self._selector.register(control, selectors.EVENT_READ, partial(self._read, control))
        self._connections += 1

    def _read(self, control: socket.socket) -> Request | None:
        try:
            message, descriptors, _, _ = socket.recv_fds(control, _LONGEST, _STREAMS + 1)
        except ConnectionResetError:  # it has ended without reading all
            message = b""
        if not message:
            self._selector.unregister(control)
            control.close()
            self._connections -= 1
            return None
        _load()
        request = json.loads(message)
        if "serve" in request["arguments"] or "--browser" in request["arguments"]:
            importlib.import_module("arena.pages.serving")
        pid = os.fork()
        if pid == 0:
            return request, descriptors
        for descriptor in descriptors[:_STREAMS]:
            os.close(descriptor)
        status = socket.socket(fileno=descriptors[_STREAMS])
        with contextlib.suppress(OSError):
            status.send(b"%d" % pid)
        pidfd = os.pidfd_open(pid)
        report = partial(self._report_end, pidfd, pid, status)
        self._selector.register(pidfd, selectors.EVENT_READ, report)
        return None

    def _report_end(self, pidfd: int, pid: int, status: socket.socket) -> None:
        self._selector.unregister(pidfd)
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


def _run(request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
    """Run the request and end at once: freeing every module would copy nearly all memory first."""
    code: Any = None
    try:
        _become(request, descriptors)
    except SystemExit as ending:
        code = ending.code
    if threading.active_count() == 1 and isinstance(code, int | None):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)
    sys.exit(code)


def main() -> None:
    """Serve the workers of a run of the suite."""
    listener = socket.socket(fileno=int(sys.argv[1]))
    if os.fork():
        os._exit(0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the parent has ignored
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    address = Path(listener.getsockname())
    asked = _Server(listener).serve()
    del listener
    if asked is not None:
        _run(*asked)
    else:
        shutil.rmtree(address.parent)


if __name__ == "__main__":
    main()

"""Hostile to the machine: processes, memory, files and output."""

import array
import contextlib
import os
import signal
import socket
import threading
import time
from pathlib import Path

from wire import at_move, frame, hang, pack

FLOOD_BYTES = 64 << 20
BOMB_FORKS = 300
"""The fork bomb is bounded, so that it is a danger to nobody where nothing else bounds it."""

# ---- output


def _flood(descriptor):
    seat, call = at_move()
    piece = b"x" * (1 << 16)
    for _ in range(FLOOD_BYTES >> 16):
        os.write(descriptor, piece)
    seat.answer(call)
    seat.play_on()


def floods_stdout():
    _flood(1)


def floods_stderr():
    _flood(2)


def floods_stdout_for_ever():
    at_move()
    piece = b"\x1b[31mx\0" * 8192
    while True:
        os.write(1, piece)


def closes_its_output():
    seat, call = at_move()
    os.close(1)
    os.close(2)
    seat.answer(call)
    seat.play_on()


# ---- processes


def forks_for_ever():
    """Fork in every process, until the tokens in a pipe are used up or forking fails."""
    at_move()
    tokens, bank = os.pipe()
    os.write(bank, b"t" * BOMB_FORKS)
    os.set_blocking(tokens, False)
    with contextlib.suppress(OSError):
        while os.read(tokens, 1):
            os.fork()
    hang()


def starts_threads_for_ever():
    seat, call = at_move()
    with contextlib.suppress(RuntimeError):
        for _ in range(500):
            threading.Thread(target=hang, daemon=True).start()
    seat.answer(call)
    seat.answer(seat.until("term"))
    os._exit(0)


def _child(prepare):
    if os.fork() == 0:
        prepare()
        hang()


def _detach():
    os.setsid()
    if os.fork():
        os._exit(0)


def _ignore_signals():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)


def leaves_children():
    """Leave children of every kind: plain, a daemon, stopped, deaf to signals."""
    seat, call = at_move()
    _child(lambda: None)
    _child(os.setsid)
    _child(_detach)
    _child(lambda: os.kill(os.getpid(), signal.SIGSTOP))
    _child(_ignore_signals)
    seat.answer(call)
    seat.play_on()
    os._exit(0)


def leaves_a_daemon_with_its_pipes():
    """Exit while a daemon holds stdout, stderr and the connection open."""
    at_move()
    if os.fork():
        os._exit(4)
    os.setsid()
    hang()


def kills_its_group():
    at_move()
    os.kill(0, signal.SIGTERM)
    hang()


def kills_all_it_may():
    """Kill everybody: only to be let loose where nobody else is in sight."""
    seat, call = at_move()
    if len(list(Path("/proc").glob("[0-9]*"))) < 10:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    seat.answer(call)
    seat.play_on()


def _leave_control_group():
    """Move into the control group above, where the machine lets it."""
    inside = Path("/proc/self/cgroup").read_text().partition("0::/")[2].split("\n")[0]
    for mount in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        with contextlib.suppress(OSError):
            (Path(mount) / inside).with_name("cgroup.procs").write_text("0")


def leaves_its_control_group():
    _leave_control_group()
    at_move()
    _child(os.setsid)
    hang()


def burns_outside_its_control_group():
    """Have a child burn time in the control group above, where the machine lets it."""
    seat, call = at_move()
    if os.fork() == 0:
        _leave_control_group()
        until = time.process_time() + 0.4
        while time.process_time() < until:
            pass
        os._exit(0)
    os.wait()
    seat.answer(call)
    seat.play_on()


# ---- memory


def takes_all_memory():
    at_move()
    hoard = []
    while True:
        hoard.append(b"x" * (1 << 20))


def takes_memory_after_its_move():
    seat, call = at_move()
    seat.answer(call)
    takes = []
    while True:
        takes.append(b"x" * (1 << 20))


def shares_memory_out():
    """Take a share of memory in each of three children, each below what one may have."""
    at_move()
    said, saying = os.pipe()
    for _ in range(3):
        if os.fork() == 0:
            hoard = b"x" * (40 << 20)
            os.write(saying, b".")
            hang()
            del hoard
    for _ in range(3):
        os.read(said, 1)  # for ever if a child was killed
    hang()  # where no kernel counts, a look at the memory comes some time later


# ---- files


def opens_files_for_ever():
    seat, call = at_move()
    crowd = []
    with contextlib.suppress(OSError):
        while True:
            crowd.append(Path("/dev/null").open())  # noqa: SIM115 - kept open is the point
    print(len(crowd), "files open", flush=True)
    seat.answer(call)
    seat.play_on()


def fills_its_room():
    seat, call = at_move()
    room = Path(os.environ["TMPDIR"])
    number = 0
    try:
        for number in range(32):
            (room / str(number)).write_bytes(bytes(1 << 20))
    except OSError as error:
        print(f"cut at {number} MB: {error.strerror}", flush=True)
    seat.answer(call)
    seat.play_on()


def makes_5000_files():
    seat, call = at_move()
    room = Path(os.environ["TMPDIR"])
    with contextlib.suppress(OSError):
        for number in range(5_000):
            os.close(os.open(room / str(number), os.O_CREAT))
    seat.answer(call)
    seat.play_on()


def digs_1200_folders_deep():
    """Make folders in folders, deeper than a path can name, and forbid entry to the last."""
    seat, call = at_move()
    os.chdir(os.environ["TMPDIR"])
    with contextlib.suppress(OSError):
        for _ in range(1200):
            os.mkdir("d")  # noqa: PTH102 - a relative path is the point
            os.chdir("d")
        Path("f").touch()
        os.chmod(".", 0)  # noqa: PTH101 - the same
    seat.answer(call)
    seat.play_on()


def _passing(number):
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * number))]


def sends_descriptors():
    """Send an open file along with every message, as far as others of its user leave any."""
    seat, call = at_move()
    message = frame(pack({"type": "play", "id": 0}))
    for _ in range(10):
        try:
            seat.connection.sendmsg([message], _passing(16))
        except OSError:
            seat.connection.sendall(message)
    seat.answer(call)
    seat.play_on()


def fills_sockets_with_descriptors():
    """Send as many open files as the kernel lets one user into sockets that nobody reads."""
    seat, call = at_move()
    pairs = [socket.socketpair() for _ in range(4)]
    with contextlib.suppress(OSError):
        for own, _ in pairs:
            own.sendmsg([b"x"], _passing(20))
    seat.answer(call)
    seat.play_on()


def passes_a_descriptor():
    """Pass an open file in each move; play on where that is refused."""
    seat, call = at_move()
    own, other = socket.socketpair()
    with contextlib.suppress(PermissionError):
        own.sendmsg([b"x"], _passing(1))
    seat.answer(call)
    seat.play_on()
    other.close()

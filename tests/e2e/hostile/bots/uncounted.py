"""Hostile where no control group counts: hidden CPU time, memory outside of limits, wake-ups."""

import contextlib
import ctypes
import fcntl
import mmap
import os
import signal
import time
from pathlib import Path

from wire import at_move, seated

BURNT_S = 0.05
CHILDREN = 6
MANAGERS = 8
BURST_S = 0.015
BUSY_S = 0.4
PAGE_OF_TABLES = 2 << 20
NO_RESERVE, NO_HUGE_PAGES = 0x4000, 15
F_SETSIG = 10


def burns_in_children_that_it_ignores():
    """Think in children whose CPU time the kernel forgets, if their end is ignored."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    seat, call = at_move()
    for _ in range(CHILDREN):
        _burn_in_child(BURNT_S)
    seat.answer(call)
    seat.play_on()


def keeps_the_core_before_its_hello():
    """Work in many short children before the hello, so that the rival gets no core for its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(MANAGERS):
        if os.fork() == 0:
            os.setsid()
            until = time.monotonic() + BUSY_S
            while time.monotonic() < until:
                _burn_in_child(BURST_S)
            os._exit(0)
    seated().play_on()


def resumes_itself():
    """Try each way to be sent SIGCONT while suspended."""
    seat, call = at_move()
    ways = {"timer_create": _set_timer, "F_SETSIG": _set_signal_of_output}
    could = []
    for name, way in ways.items():
        try:
            way()
            could.append(name)
        except OSError:
            pass
    print("could:", ", ".join(could) or "nothing", flush=True)
    seat.answer(call)
    seat.play_on()


def makes_files_in_memory():
    """Make empty files, which take memory outside of the size of their file system."""
    at_move()
    os.chdir(os.environ["TMPDIR"])
    number = 0
    while True:
        os.close(os.open(str(number), os.O_CREAT))
        number += 1


def holds_files_in_children():
    """Hold pipes in every process, whose pages all bots of a user share."""
    at_move()
    while os.fork() == 0:
        pass
    held = []
    try:
        while True:
            held.append(os.pipe())
    except OSError:
        while True:
            signal.pause()


def fills_page_tables():
    """Have the kernel make a page table for each 2 MB of as many addresses as possible."""
    seat, call = at_move()
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
    size = 512 << 30
    while size >= PAGE_OF_TABLES:
        at = libc.mmap(None, size, mmap.PROT_READ, flags, -1, 0)
        if at in (None, ctypes.c_void_p(-1).value):
            size //= 2
            continue
        libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), NO_HUGE_PAGES)
        for place in range(at, at + size - PAGE_OF_TABLES, PAGE_OF_TABLES):
            ctypes.c_char.from_address(place).value  # noqa: B018 - the read makes the table
    lines = Path("/proc/self/status").read_text().splitlines()
    tables_kb = next(int(line.split()[1]) for line in lines if line.startswith("VmPTE"))
    print("page tables:", "below 64 MB" if tables_kb < 65_536 else f"{tables_kb} kB", flush=True)
    seat.answer(call)
    seat.play_on()


def _burn_in_child(seconds):
    if (pid := os.fork()) == 0:
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass
        os._exit(0)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _set_timer():
    event = (ctypes.c_char * 64)()
    ctypes.c_int.from_buffer(event, 8).value = signal.SIGCONT
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.timer_create(1, event, ctypes.byref(ctypes.c_void_p())) < 0:
        raise OSError(ctypes.get_errno(), "timer_create")


def _set_signal_of_output():
    fcntl.fcntl(1, F_SETSIG, signal.SIGCONT)

"""Process trees as /proc shows them."""

import os
from collections.abc import Callable

from programs import FAMILY, STAY, Running, all_end, descriptors_of, line_of, python, state_of
from waiting import becomes

from referee.sandbox.proctree import (
    descendants,
    kill_all,
    live_children,
    live_place,
    process_cpu_ns,
    tree_cpu_ns,
)

Starter = Callable[..., Running]


def test_children_are_direct_ones_and_descendants_all_of_them(start: Starter) -> None:
    nested = """
import os, signal
first, second = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    grandchild = os.fork()
    if grandchild:
        os.write(first[1], b"%d\\n" % grandchild)
else:
    print(child, int(os.read(first[0], 20)), flush=True)
"""
    process = start(python(nested + STAY))
    child, grandchild = map(int, line_of(process).split())

    assert live_children(process.pid) == [child]
    assert descendants(process.pid) == [child, grandchild]
    assert process.pid in live_children(os.getpid())


def test_children_of_every_thread_are_found(start: Starter) -> None:
    threaded = """
import os, signal, threading
done = threading.Event()
def work():
    pid = os.fork()
    if pid == 0:
        while True: signal.pause()
    print(pid, flush=True)
    done.wait()
threading.Thread(target=work, daemon=True).start()
"""
    process = start(python(threaded + STAY))

    child = int(line_of(process))

    assert live_children(process.pid) == [child]


def test_a_process_is_seen_by_a_thread_that_has_not_ended(start: Starter) -> None:
    last = """
import ctypes, os, signal, threading
def stay():
    print(threading.get_native_id(), flush=True)
    signal.pause()
threading.Thread(target=stay).start()
ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
"""
    process, whole = start(python(last)), start(python("print(flush=True)\n" + STAY))
    thread = int(line_of(process))
    line_of(whole)

    assert becomes(lambda: live_place(process.pid) == f"/proc/{process.pid}/task/{thread}")
    assert live_place(whole.pid) == f"/proc/{whole.pid}"


def test_a_missing_process_has_no_children_and_no_time(start: Starter) -> None:
    process = start(python(""))
    process.stop()

    assert live_children(process.pid) == descendants(process.pid) == []
    assert process_cpu_ns(process.pid) == tree_cpu_ns(process.pid) == 0
    kill_all(process.pid)


def test_the_time_of_a_tree_is_the_sum_of_its_processes(start: Starter) -> None:
    busy = """
import os, signal, time
reader, writer = os.pipe()
child = os.fork()
while time.process_time() < 0.1: pass
if child == 0:
    os.write(writer, b"x")
else:
    os.read(reader, 1)
    print(child, flush=True)
"""
    process = start(python(busy + STAY))
    child = int(line_of(process))

    assert process_cpu_ns(child) >= 100_000_000
    assert tree_cpu_ns(process.pid) >= process_cpu_ns(process.pid) + 100_000_000 >= 200_000_000


def test_the_whole_tree_is_killed_even_stopped_and_signal_ignoring_processes(
    start: Starter,
) -> None:
    process = start(python(FAMILY + STAY))
    child, daemon, _, deaf, headless, stopped = map(int, line_of(process).split())
    assert becomes(lambda: state_of(stopped) == "T")
    tree = descriptors_of([process.pid, child, daemon, deaf, headless, stopped])

    kill_all(process.pid)

    assert all_end(tree)

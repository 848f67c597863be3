"""A bot's process: start, output, end, and cleanup."""

import errno
import json
import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import (
    FAMILY,
    RUNNER,
    STAY,
    Running,
    all_end,
    descriptors_of,
    end_of,
    line_of,
    program,
    python,
    shell,
    state_of,
)
from waiting import PATIENCE_S, becomes

from referee.sandbox.errors import NoStartError
from referee.sandbox.isolation import Access, max_core
from referee.sandbox.kept_output import TAIL_BYTES
from referee.sandbox.limits import Limits
from referee.sandbox.orphans import sweep
from referee.sandbox.process import ending, environment
from referee.sandbox.visible_paths import without_shims

Starter = Callable[..., Running]


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        ("exit 0", "exit code 0"),
        ("exit 3", "exit code 3"),
        ("exit 255", "exit code 255"),
        *((f"kill -{name} $$", f"signal SIG{name}") for name in ("SEGV", "KILL", "ABRT", "XCPU")),
        ("kill -40 $$", "signal 40"),
    ],
)
def test_the_end_of_a_process_is_reported_by_code_or_signal(
    start: Starter, script: str, ended: str
) -> None:
    assert end_of(start(shell(script))) == ended


def test_a_running_process_has_no_end(start: Starter) -> None:
    process = start(python("import signal\n" + STAY))

    assert process.wait_end(0) is None


def test_the_end_can_be_read_repeatedly(start: Starter) -> None:
    process = start(shell("exit 3"))

    assert end_of(process) == process.wait_end(0) == "exit code 3"


def executable(path: Path, content: str | bytes, mode: int = 0o755) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return str(path)


def test_a_program_that_cannot_be_executed_says_why(start: Starter, tmp_path: Path) -> None:
    cases = {
        str(tmp_path / "missing"): "No such file or directory",
        executable(tmp_path / "no_x", "#!/bin/sh\n", 0o644): "Permission denied",
        executable(tmp_path / "lost", "#!/no/such/interpreter\n"): "No such file or directory",
        executable(tmp_path / "noise", b"\x7fELF\x02nothing"): "Exec format error",
        str(tmp_path): "Permission denied",
    }
    for path, why in cases.items():
        with pytest.raises(NoStartError) as caught:
            start(program(path))
        assert str(caught.value) == f"{why}: {path}"


def test_a_folder_that_is_missing_is_named(start: Starter, tmp_path: Path) -> None:
    with pytest.raises(NoStartError, match=r"No such file or directory: .*/gone"):
        start(program("/bin/true", folder=str(tmp_path / "gone")))


def test_a_machine_without_descriptors_is_not_the_bots_fault(start: Starter) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = os.open(os.devnull, os.O_RDONLY)
    os.close(used)
    resource.setrlimit(resource.RLIMIT_NOFILE, (used, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files") as caught:
            Running(program("/bin/true"), Limits(), {}, None)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert caught.value.errno == errno.EMFILE
    assert end_of(start(program("/bin/true"))) == "exit code 0"


SELF = """
import json, os, resource
own = {int(name): os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")
       if os.path.lexists(f"/proc/self/fd/{name}")}
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps({
    "descriptors": sorted(own), "stdin": own[0], "same": own[1] == own[2],
    "environment": dict(os.environ), "folder": os.getcwd(), "session": os.getsid(0) == os.getpid(),
    "files": resource.getrlimit(resource.RLIMIT_NOFILE),
    "data": resource.getrlimit(resource.RLIMIT_DATA),
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "privileges": status["NoNewPrivs"].strip(),
}))
"""


def test_a_bot_inherits_nothing_of_the_referee_and_has_its_limits(
    start: Starter, tmp_path: Path
) -> None:
    kept = os.open(os.devnull, os.O_RDONLY)
    what = python(SELF)
    what = program(*what.argv, folder=str(tmp_path))
    limits = Limits(memory_bytes=300 * 2**20, files=32)
    seen = json.loads(line_of(start(what, limits, LANG="C.UTF-8")))
    os.close(kept)

    assert seen == {
        "descriptors": [0, 1, 2],
        "stdin": "/dev/null",
        "same": True,
        "environment": {"PATH": os.defpath, "LANG": "C.UTF-8"},
        "folder": str(tmp_path),
        "session": True,
        "files": [32, 32],
        "data": [300 * 2**20, 300 * 2**20],
        "core": [max_core()] * 2,
        "privileges": "1",
    }


def test_the_environment_of_a_program_has_only_these_variables(tmp_path: Path) -> None:
    access = Access(directory=tmp_path)

    assert environment(program("bot"), access) == {
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "LANG": "C.UTF-8",
        "PATH": without_shims(os.environ["PATH"]),
    }


def test_memory_beyond_the_limit_is_refused(start: Starter) -> None:
    greedy = python("""
        try:
            bytearray(320 * 2**20)
        except MemoryError:
            print("refused", flush=True)
    """)

    assert line_of(start(greedy, Limits(memory_bytes=300 * 2**20))) == "refused"


def test_without_a_limit_memory_is_not_refused(start: Starter) -> None:
    modest = python('bytearray(320 * 2**20); print("granted", flush=True)')

    assert line_of(start(modest, Limits(memory_bytes=None))) == "granted"


def test_endless_output_is_cut_in_its_middle_without_delays(start: Starter) -> None:
    flood = python("import sys; sys.stdout.write('a' * 100_000 + 'b' * 3_000_000)")
    process = start(flood, Limits(output_bytes=100_000))

    assert end_of(process) == "exit code 0"
    assert process.output_bytes == 3_100_000
    assert process.tail() == "b" * TAIL_BYTES
    assert [part.data for part in process.kept.parts()] == [b"a" * 50_000, b"b" * 50_000]


def test_the_end_of_the_output_is_kept_with_stdout_and_stderr_in_order(start: Starter) -> None:
    process = start(shell("echo out; echo err >&2; echo out again"))

    end_of(process)

    assert process.tail() == "out\nerr\nout again\n"


def test_the_output_is_escaped(start: Starter) -> None:
    process = start(shell(r"printf 'a\033[31mb\0c\rd\377\302\205\342\200\256e\tf\n'"))

    end_of(process)

    assert process.tail() == "a\\x1b[31mb\\x00c\\rd�\\x85\\u202ee    f\n"


def test_the_tail_has_the_last_output_even_if_not_drained(start: Starter) -> None:
    process = start(shell("echo last words"))
    assert process.wait_end(PATIENCE_S * 10**9) == "exit code 0"

    assert process.tail() == "last words\n"


def test_a_process_with_closed_output_has_not_ended(start: Starter) -> None:
    process = start(python("import os, signal; os.close(1); os.close(2)\n" + STAY))

    assert select.select([process.output], [], [], PATIENCE_S)[0]
    assert process.drain() is False
    assert process.wait_end(0) is None


BURN = """
import os, time
def burn():
    while time.process_time() < 0.2: pass
"""


def test_the_cpu_time_is_that_of_the_process(start: Starter) -> None:
    process = start(python(BURN + "burn(); print(flush=True)\nimport signal\n" + STAY))

    line_of(process)

    assert process.cpu_ns() >= 200_000_000


def test_the_cpu_time_of_threads_counts(start: Starter) -> None:
    process = start(
        python(
            BURN
            + "import threading, signal\nthread = threading.Thread(target=burn)\n"
            + "thread.start(); thread.join(); print(flush=True)\n"
            + STAY
        )
    )

    line_of(process)

    assert process.cpu_ns() >= 200_000_000


@pytest.mark.parametrize("reaped", [True, False])
def test_the_cpu_time_of_children_counts(start: Starter, reaped: bool) -> None:  # noqa: FBT001
    parent = """
import signal
reader, writer = os.pipe()
if os.fork() == 0:
    burn()
    os.write(writer, b"x")
    END
else:
    WAIT
    print(flush=True)
""".replace("END", "os._exit(0)" if reaped else "pass")
    process = start(
        python(
            BURN + parent.replace("WAIT", "os.wait()" if reaped else "os.read(reader, 1)") + STAY
        )
    )

    line_of(process)

    assert process.cpu_ns() >= 180_000_000  # reaped children may be counted in ticks of 10 ms


def test_the_cpu_time_never_falls(start: Starter) -> None:
    process = start(shell("for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done; echo"))
    seen = [process.cpu_ns()]

    while process.wait_end(0) is None:
        process.drain()
        seen.append(process.cpu_ns())
    process.stop()
    seen.append(process.cpu_ns())

    assert seen == sorted(seen)


def test_a_suspended_tree_stands_still_until_it_is_resumed(start: Starter) -> None:
    process = start(python(FAMILY + STAY))
    child, daemon, *_ = map(int, line_of(process).split())
    tree = (process.pid, child, daemon)

    process.suspend()
    assert becomes(lambda: all(map(process.stands_still, tree)))
    process.resume()
    assert becomes(lambda: not any(map(process.stands_still, tree)))


def test_a_bot_that_stopped_itself_is_not_revived_by_a_resume_it_was_not_suspended_for(
    start: Starter,
) -> None:
    process = start(python("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"))
    assert becomes(lambda: state_of(process.pid) == "T")

    process.resume()

    assert state_of(process.pid) == "T"


@pytest.mark.parametrize("parent", ["stays", "ends", "is suspended"])
def test_no_process_of_a_family_is_left(start: Starter, parent: str) -> None:
    process = start(python(FAMILY + ("" if parent == "ends" else STAY)))
    pids = list(map(int, line_of(process).split()))
    family = descriptors_of(pids)
    if parent == "ends":
        assert process.wait_end(PATIENCE_S * 10**9) == "exit code 0"
    if parent == "is suspended":
        process.suspend()

    process.stop()
    sweep(set())

    assert all_end(family)
    assert not any(Path(f"/proc/{pid}").exists() for pid in [process.pid, *pids])


def test_a_program_that_keeps_forking_is_killed(start: Starter) -> None:
    process = start(python(RUNNER))
    line_of(process)

    process.stop()
    sweep(set())

    assert Path("/proc/self/task", str(os.getpid()), "children").read_text() == ""


def test_the_sweep_spares_the_given_processes(start: Starter) -> None:
    spared, other = (start(python("import signal\n" + STAY)) for _ in range(2))
    pidfds = descriptors_of([other.pid])

    sweep({spared.pid})

    assert all_end(pidfds)
    assert spared.wait_end(0) is None


PARENT = """
import os, sys
from pathlib import Path
from referee.sandbox.kept_output import TAIL_BYTES
from referee.sandbox.limits import Limits
from referee.sandbox.program import Program
from referee.sandbox.isolation import Access
from referee.sandbox.process import Process
bot = Program(name="bot", argv=tuple(sys.argv[1:]), folder="/")
process = Process(bot, Limits(), {}, None, Access(directory=Path("/")))
print(process.pid, flush=True)
sys.stdin.read()
"""


def test_a_bot_dies_with_its_referee() -> None:
    bot = python("import signal\n" + STAY)
    command = [sys.executable, "-c", PARENT, *bot.argv]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as referee:
        assert referee.stdout is not None
        pidfds = descriptors_of([int(referee.stdout.readline())])

        referee.send_signal(signal.SIGKILL)

        assert all_end(pidfds)


def test_signals_have_their_names() -> None:
    assert ending(-signal.SIGSEGV) == "signal SIGSEGV"
    assert ending(-99) == "signal 99"
    assert ending(3) == "exit code 3"

"""A match on machines that are not as usual: each row of docs/reference/unusual-machines.md."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE_S

MATCH = ("match", "random", "starter/python", "--game", "matchsticks", "--games", "2")
Environment = dict[str, str | None]
"""Changes of the environment; None removes a variable."""
NO_LOCKS = """
#include <errno.h>
#include <fcntl.h>
int flock(int descriptor, int deed) { (void)descriptor; (void)deed; errno = ENOLCK; return -1; }
"""
EARLY = """
#include <time.h>
#include <dlfcn.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym((void *)-1L, "clock_gettime");
    int failed = real(id, now);
    if (!failed && id == CLOCK_REALTIME) now->tv_sec %= 500000000;
    return failed;
}
time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
"""


def play(
    folder: Path,
    *before: str,
    after: tuple[str, ...] = (),
    env: Environment | None = None,
) -> tuple[int, str]:
    """Play a match by a command after these words; return its exit code and what it printed."""
    changed = {**os.environ, **(env or {})}
    done = subprocess.run(
        [*before, sys.executable, "-m", "arena", *MATCH, *after],
        cwd=folder,
        env={name: value for name, value in changed.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_S,
        check=False,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def without(*mounts: str) -> tuple[str, ...]:
    """Return the words that run a command in a mount namespace changed by these commands."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    script = "; ".join(("set -e", *mounts, 'exec "$@"'))
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    words = ("unshare", *user, "--mount", "sh", "-c")
    if subprocess.run([*words, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this user may make no mount namespace")
    return (*words, script, "sh")


def preload(folder: Path, source: str) -> Environment:
    """Return the environment in which programs have the functions of this source."""
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed")
    (folder / "shim.c").write_text(source, "utf-8")
    command = ["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"]
    subprocess.run(command, cwd=folder, check=True)
    return {"LD_PRELOAD": str(folder / "shim.so")}


def test_a_path_with_blanks_and_letters_of_other_scripts(tmp_path: Path) -> None:
    folder = tmp_path / "ein Ordner für 日本"
    folder.mkdir()

    code, printed = play(folder)

    assert code == 0, printed
    assert (folder / "arena.db").exists()


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "TZ": "Nowhere/Odd", "PYTHONUTF8": None},
        {"HOME": None, "XDG_CACHE_HOME": None},
    ],
    ids=["locale and time zone", "no home"],
)
def test_odd_surroundings(tmp_path: Path, env: Environment) -> None:
    code, printed = play(tmp_path, env={**env})

    assert code == 0, printed


def test_a_home_that_cannot_be_written_to(tmp_path: Path) -> None:
    code, printed = play(tmp_path, env={"HOME": "/proc", "XDG_CACHE_HOME": None})

    assert code == 2
    assert "set XDG_CACHE_HOME to a writable folder" in printed


def test_one_core(tmp_path: Path) -> None:
    core = str(min(os.sched_getaffinity(0)))

    code, printed = play(tmp_path, "taskset", "-c", core)

    assert code == 0, printed
    assert "1 slot" in printed


def test_more_slots_than_cores(tmp_path: Path) -> None:
    code, printed = play(tmp_path, after=("-c", "slots=64"))

    assert code == 0, printed
    assert "64 slots" in printed
    assert "warning" in printed


def test_a_clock_before_2000(tmp_path: Path) -> None:
    code, printed = play(tmp_path, env=preload(tmp_path, EARLY))

    assert code == 0, printed


def test_a_file_system_without_locks(tmp_path: Path) -> None:
    code, printed = play(tmp_path, env=preload(tmp_path, NO_LOCKS))

    assert code == 5
    assert "a file system here has no locks" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize("missing", ["/dev/shm", "/sys/fs/cgroup"])  # noqa: S108 - hidden
def test_a_missing_file_system(tmp_path: Path, missing: str) -> None:
    code, printed = play(tmp_path, *without(f"mount -t tmpfs -o ro none {missing}"))

    assert code == 0, printed


def test_no_proc(tmp_path: Path) -> None:
    code, printed = play(tmp_path, *without("mount -t tmpfs none /proc"))

    assert code == 5
    assert "mount /proc" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    "words",
    [
        ("setpriv", "--inh-caps=-all", "--bounding-set=-sys_admin"),
        ("setpriv", "--inh-caps=-all", "--bounding-set=-all"),
        ("unshare", "--user", "--map-root-user"),
    ],
    ids=["no mounts", "no capabilities", "one id"],
)
def test_root_that_cannot_give_a_bot_another_user(tmp_path: Path, words: tuple[str, ...]) -> None:
    """The bots lie in a folder closed to other users, as root's home is."""
    tmp_path.chmod(0o700)
    if subprocess.run([*words, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this user may not start a program so")

    code, printed = play(tmp_path, *words, env={"XDG_CACHE_HOME": str(tmp_path / "cache")})

    assert code == 0, printed
    assert "REDUCED: none" not in printed
    assert "2/2" in printed


def test_512_megabytes(tmp_path: Path) -> None:
    code, printed = play(tmp_path, "prlimit", f"--as={600 << 20}")

    assert code == 0, printed


def test_no_c_compiler(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "bwrap", "env"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    env = {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    code, printed = play(tmp_path, env={**env})
    assert code == 0, printed

    refused = subprocess.run(
        [sys.executable, "-m", "arena", "match", "starter/c", "random", "--game", "pente"],
        cwd=tmp_path,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "starter-c" in refused.stderr
    assert "cc" in refused.stderr

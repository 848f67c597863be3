"""Events with sandboxed bots: reports, records, lasting and temporary files."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from directing import referees_of
from preloaded import run
from waiting import PATIENCE_S, becomes

from arena.machine.tier_choice import best_tier
from referee.sandbox import Groups

ROOT = Path(__file__).parents[2]

BOT = '''
import json
import os
import signal
import sys
from pathlib import Path

from arena_bot import Bot, play, run


class Learner(Bot):
    """Plays the first legal move, and does what its argument says."""

    name = "learner"
    version = "1"
    wants = ("legal",)

    def on_init(self, init):
        if sys.argv[1] in ("count", "flood"):
            folder = Path(os.environ["ARENA_SCRATCH"])
            seen = folder / "deep" / "count"
            self.count = int(seen.read_text()) if seen.exists() else 0
            seen.parent.mkdir(exist_ok=True)
            seen.write_text(str(self.count + 1))
            if sys.argv[1] == "flood" and self.count:
                self.flood(folder)

    def flood(self, folder):
        """Write more than its quota, in small files."""
        for number in range(64):
            try:
                (folder / f"{number}.bin").write_bytes(bytes(64 << 10))
            except OSError as error:
                print("cut:", error.strerror, flush=True)
                return

    def on_move(self, call):
        if sys.argv[1] == "hoard" and call["ply"] > 1:
            for child in range(8):
                if os.fork() == 0:
                    kept = bytearray(b"x") * (40 << 20)
                    signal.pause()
            while os.waitstatus_to_exitcode(os.wait()[1]) != -signal.SIGKILL:
                pass
            os._exit(1)
        if sys.argv[1].startswith("family") and call["ply"] > 1:
            for become in (lambda: None, os.setsid):
                if os.fork() == 0:
                    become()
                    if os.fork() == 0:
                        signal.pause()
                    signal.pause()
            print("born", flush=True)
            signal.pause()
        return play(call["legal"][0])


run(Learner())
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Yield a folder with a bot controlled by its argument."""
    bot = tmp_path / "learner"
    bot.mkdir()
    kit = ROOT / "bots" / "sdk" / "python" / "arena_bot.py"
    (bot / "main.py").write_text(BOT)
    (bot / "bot.yaml").write_text(f'run: ["{{python}}", main.py]\nfiles: [{kit}]\n')
    return tmp_path


def write_event(folder: Path, *players: str, **options: object) -> None:
    given = {"repeat": 2, "seed": 7, "slots": 1, **options}
    lines = ["name: event", "game: {name: damspel, rows: 6, cols: 6, men_rows: 2}", "bots:"]
    lines += [f"  - {player}" for player in players]
    lines += [f"{key}: {value}" for key, value in given.items()]
    (folder / "event.yaml").write_text("\n".join(lines) + "\n")


def learner(name: str, what: str, **terms: str) -> str:
    more = "".join(f", {key}: {value}" for key, value in terms.items())
    return f"{{name: {name}, bot: ./learner, args: [{what}]{more}}}"


def environment(folder: Path, *, has_bubblewrap: bool = True) -> dict[str, str]:
    env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    if not has_bubblewrap:
        programs = folder / "programs"
        programs.mkdir(exist_ok=True)
        for name in ("sh", "cp"):
            if not (programs / name).exists():
                (programs / name).symlink_to(str(shutil.which(name)))
        env["PATH"] = str(programs)
    return env


def arena(
    folder: Path, *arguments: str, has_bubblewrap: bool = True
) -> subprocess.CompletedProcess[str]:
    return run(
        *arguments,
        cwd=folder,
        env=environment(folder, has_bubblewrap=has_bubblewrap),
        timeout=PATIENCE_S,
    )


def records(folder: Path) -> list[dict[str, Any]]:
    lines = arena(folder, "export").stdout.splitlines()
    return [json.loads(line) for line in lines]


def tiers(folder: Path) -> set[str]:
    return {seat["in_force"]["tier"] for record in records(folder) for seat in record["seats"]}


needs_namespaces = pytest.mark.skipif(
    best_tier().tier != "namespaces", reason=best_tier().explanation() or "namespaces are allowed"
)
BOTH = pytest.mark.parametrize(
    "has_bubblewrap", [pytest.param(True, marks=needs_namespaces), False]
)


@needs_namespaces
def test_bots_run_in_namespaces_if_allowed_and_one_line_names_them(
    folder: Path,
) -> None:
    wanted = "auto" if best_tier().uncounted else "require"
    write_event(folder, learner("a", "play"), learner("b", "play"), isolation=wanted)

    ran = arena(folder, "tournament", "event.yaml")

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.startswith("isolation: namespaces by bubblewrap\n")
    assert tiers(folder) == {"namespaces"}


def test_without_bubblewrap_the_event_names_the_tier_and_the_cure_once(
    folder: Path,
) -> None:
    write_event(folder, learner("a", "play"), learner("b", "play"))

    ran = arena(folder, "tournament", "event.yaml", has_bubblewrap=False)

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.startswith("isolation: REDUCED: ")
    assert ran.stderr.count("REDUCED") == 1
    assert "isolation: namespaces by bubblewrap: bubblewrap is not installed\n" in ran.stderr
    assert re.search(r"^isolation: cure: .*bubblewrap$", ran.stderr, re.MULTILINE)
    assert tiers(folder) <= {"landlock", "limits"}


def test_refused_required_isolation_ends_the_command_before_play(
    folder: Path,
) -> None:
    write_event(folder, learner("a", "play", isolation="require"), learner("b", "play"))

    ran = arena(folder, "tournament", "event.yaml", has_bubblewrap=False)

    assert ran.returncode == 2
    assert ran.stderr.startswith(
        "error: isolation is required for a, and this machine refuses it\n"
        "namespaces by bubblewrap: bubblewrap is not installed\n"
    )
    assert "\ncure: " in ran.stderr
    assert not (folder / "arena.db").exists()


@needs_namespaces
def test_bots_of_one_event_may_have_different_tiers(folder: Path) -> None:
    write_event(folder, learner("a", "play", isolation="none"), learner("b", "play"))

    ran = arena(folder, "tournament", "event.yaml")

    assert ran.stderr.startswith("isolation: none for a; namespaces by bubblewrap for b\n")
    for record in records(folder):
        for player, seat in zip(record["players"], record["seats"], strict=True):
            tier = "none" if player["name"] == "a" else "namespaces"
            assert seat["in_force"]["tier"] == tier


@BOTH
def test_a_bot_finds_its_files_in_its_scratch_folder_again(
    folder: Path,
    has_bubblewrap: bool,  # noqa: FBT001
) -> None:
    write_event(folder, learner("a", "count", scratch="keep"), learner("b", "play"), repeat=4)

    ran = arena(folder, "tournament", "event.yaml", "--no-preflight", has_bubblewrap=has_bubblewrap)

    assert ran.returncode == 0, ran.stderr
    kept = folder / "arena.db.scratch" / "a"
    assert (kept / "deep" / "count").read_text() == "4"
    assert [path.name for path in kept.parent.iterdir() if path.name[0] != "."] == ["a"]


@BOTH
def test_a_scratch_folder_over_its_quota_is_not_kept(
    folder: Path,
    has_bubblewrap: bool,  # noqa: FBT001
) -> None:
    write_event(
        folder,
        learner("a", "flood", scratch="keep"),
        learner("b", "play"),
        limits="{scratch: 1MB}",
    )

    ran = arena(folder, "tournament", "event.yaml", "--no-preflight", has_bubblewrap=has_bubblewrap)

    assert ran.returncode == 0, ran.stderr
    kept = folder / "arena.db.scratch" / "a"
    assert sum(path.stat().st_size for path in kept.rglob("*") if path.is_file()) <= 1 << 20
    second = records(folder)[1]
    seat = next(seat for seat in second["seats"] if seat["name"] == "a")
    if has_bubblewrap:
        assert seat["output_tail"] == "cut: No space left on device\n"
    else:
        assert seat["warning"] == "its scratch folder is not kept: more than 1048576 bytes"


@BOTH
def test_a_bot_over_its_memory_limit_forfeits_by_memory(
    folder: Path,
    has_bubblewrap: bool,  # noqa: FBT001
) -> None:
    groups = Groups.probe()
    try:
        if groups is None or "memory" not in groups.controllers:
            pytest.skip("no control group here counts the memory of several processes")
    finally:
        if groups is not None:
            groups.close()
    write_event(
        folder,
        learner("a", "hoard"),
        learner("b", "play"),
        limits="{memory: 150MB}",
        time="{clock: wall, per_move: 60s}",
    )

    ran = arena(folder, "tournament", "event.yaml", "--no-preflight", has_bubblewrap=has_bubblewrap)

    assert ran.returncode == 0, ran.stderr
    for record in records(folder):
        fault = record["verdict"]["faults"][0]
        assert record["players"][fault["seat"]]["name"] == "a"
        assert fault["termination"] == "memory"
        assert fault["detail"].startswith("ended during the move call: ")
        assert fault["detail"].endswith(", out of memory")


@BOTH
def test_over_tcp_bots_have_access_to_one_port(
    folder: Path,
    has_bubblewrap: bool,  # noqa: FBT001
) -> None:
    write_event(folder, learner("a", "play"), learner("b", "play"), transport="tcp")

    ran = arena(folder, "tournament", "event.yaml", has_bubblewrap=has_bubblewrap)

    assert ran.returncode == 0, ran.stderr
    for record in records(folder):
        assert record["verdict"]["faults"] == []
        assert {seat["in_force"]["network"] for seat in record["seats"]} <= {"one port", "open"}


FAMILY = f"family-{os.getpid()}"


def all_of(folder: Path) -> list[int]:
    """Return the director and its referee, which know the cache, and the family of the bot."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if bytes(folder / "cache") in words or FAMILY.encode() in words:
            found.append(int(process.name))
    return [pid for pid in found if pid != os.getpid()]


@BOTH
@pytest.mark.parametrize("whom", ["director", "referee"])
def test_nothing_is_left_when_the_director_or_a_referee_is_killed(
    folder: Path,
    whom: str,
    has_bubblewrap: bool,  # noqa: FBT001
) -> None:
    write_event(
        folder,
        learner("a", FAMILY),
        learner("b", "play"),
        time="{clock: wall, per_move: 60s}",
    )
    director = subprocess.Popen(
        [sys.executable, "-m", "arena", "tournament", "event.yaml", "--no-preflight"],
        cwd=folder,
        env={**environment(folder, has_bubblewrap=has_bubblewrap), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    everybody = 10 if has_bubblewrap else 8  # bubblewrap is two processes
    try:
        assert becomes(lambda: len(all_of(folder)) >= everybody)
        for victim in [director.pid] if whom == "director" else referees_of(director):
            os.kill(victim, signal.SIGKILL)
        if whom == "referee":
            os.kill(director.pid, signal.SIGINT)
            os.kill(director.pid, signal.SIGINT)
        director.wait(PATIENCE_S)
    finally:
        director.kill()
        director.wait()

    assert becomes(lambda: all_of(folder) == [])


def test_the_doctor_reports_the_tier_the_limits_and_the_cure(folder: Path) -> None:
    good = arena(folder, "doctor")
    poor = arena(folder, "doctor", has_bubblewrap=False)

    assert good.returncode == poor.returncode == 0
    for name in ("isolation", "limit memory", "cores", "clock source", "open files", "disk"):
        assert re.search(rf"^{name} +\S", good.stdout, re.MULTILINE), good.stdout
    assert re.search(r"^cure +\S.*bubblewrap$", poor.stdout, re.MULTILINE), poor.stdout
    assert "no namespaces by bubblewrap: bubblewrap is not installed" in poor.stdout

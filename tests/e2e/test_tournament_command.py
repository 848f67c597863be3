"""`arena tournament` as a process: played, played on, interrupted, killed, in adverse places."""

import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from directing import (
    Directing,
    all_end,
    is_hanging,
    kept,
    referees_of,
    results_of,
    rooms_of,
    run,
    write_event,
)
from starting import kill_starts
from torture import at_once
from tortured import torture
from waiting import PATIENCE_S, becomes

from arena.event.play.withdrawal import withdrawal_text

SLOW = {"time": "{clock: wall, per_move: 1h}", "withdraw_after": 0, "repeat": 1000}
LONG = {"repeat": 1000}
PLAIN = {"isolation": "none"}
"""Start bots in half the time, where nothing depends on how they start."""

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") and not os.environ.get("CI"), reason="no C compiler on this machine"
)


@pytest.fixture
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for an event; the bots are built once for all tests."""
    cache = tmp_path_factory.getbasetemp() / "bots"
    cache.mkdir(exist_ok=True)
    (tmp_path / "cache").symlink_to(cache)
    return tmp_path


def head_of(lines: list[str]) -> str:
    """Return the line with the number of the event."""
    return next(line for line in lines if line.startswith("event: "))


def test_an_event_is_played_once_and_the_same_command_only_prints_it_again(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", "random", repeat=2, **PLAIN)

    code, out, lines = run(folder)
    again_code, again, again_lines = run(folder)

    assert (code, again_code) == (0, 0)
    assert again == out
    assert head_of(lines).startswith("event: event 1 in arena.db, seed 7, 6 matches, 0 played")
    assert head_of(again_lines).startswith(
        "event: event 1 in arena.db, seed 7, 6 matches, 6 played"
    )
    assert [line for line in again_lines if line.startswith("[")] == []
    assert len(kept(folder)) == 6


def test_the_same_seed_gives_the_same_results_on_any_number_of_slots(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", "random", slots=1, **PLAIN)
    _, first, _ = run(folder)
    write_event(folder, "starter/c", "starter/c", "random", slots="auto", **PLAIN)
    _, second, _ = run(folder, "--new")

    assert results_of(first) == results_of(second)
    assert len(results_of(first)) == 3


def test_in_a_pipe_there_are_plain_lines_only(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c")

    code, out, lines = run(folder)

    assert code == 0
    assert "\x1b" not in out + "".join(lines)
    matches = [line for line in lines if line.startswith("[")]
    assert len(matches) == 4
    for number, line in enumerate(matches, start=1):
        assert re.match(rf"\[{number}/4\]  match {number}: starter-c-\d -?\d+ - ", line), line


def test_one_interruption_finishes_only_the_running_matches(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", **LONG, **PLAIN)
    with Directing(folder) as director:
        director.wait_for("[   1/1000]")
        director.send(signal.SIGINT)
        code, out = director.end()
        lines = director.lines

    assert code == 130
    assert "stopping after the running matches; once more to stop at once" in lines
    told = {int(line.split()[3].rstrip(":")) for line in lines if line.startswith("[")}
    assert told == set(range(1, len(kept(folder)) + 1))
    missing = 1000 - len(told)
    assert lines[-1].startswith(f"interrupted, {missing} matches missing; resume with: arena ")
    assert out.startswith("event (event 1, seed 7)")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_two_interruptions_stop_at_once_and_nothing_is_left(
    folder: Path, number: signal.Signals
) -> None:
    write_event(folder, "hang", "starter/c", **SLOW)
    with Directing(folder) as director:
        family = director.family(is_hanging)
        director.send(number)
        director.wait_for("stopping after the running matches")
        director.send(number)
        code, _ = director.end()

    assert code == 130
    assert all_end(family) == []
    assert rooms_of(family) == []
    assert kept(folder) == []


def test_a_second_director_is_refused_with_the_name_of_the_first(folder: Path) -> None:
    write_event(folder, "hang", "starter/c", **SLOW)
    with Directing(folder) as director:
        director.family(is_hanging)
        code, out, lines = run(folder)
        assert (code, out) == (2, "")
        assert f"event 1 in arena.db is being played by process {director.pid} on " in lines[-1]
        other_code, _, _ = run(folder, "--dry-run")
        assert other_code == 0

    write_event(folder, "crash", "starter/c", repeat=1)
    with Directing(folder, "--new") as director:
        assert director.end()[0] == 0


def test_the_lock_of_a_killed_director_does_not_block(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", repeat=40, **PLAIN)
    with Directing(folder) as director:
        director.wait_for("[ 1/40]")

    code, _, lines = run(folder)

    assert code == 0
    assert re.search(r"40 matches, [1-9]\d* played before", head_of(lines))
    assert len(kept(folder)) == 40


def test_nothing_outlives_a_killed_director(folder: Path) -> None:
    write_event(folder, "hang", "starter/c", **SLOW)
    with Directing(folder) as director:
        family = director.family(is_hanging)
        director.send(signal.SIGKILL)
        director.wait()

        assert all_end(family) == []
        assert rooms_of(family) == []


def test_leftovers_of_killed_referees_are_removed_at_the_next_event(folder: Path) -> None:
    write_event(folder, "hang", "starter/c", **SLOW)
    with Directing(folder) as director:
        family = director.family(is_hanging)
        referees = referees_of(director)
        for pid in (director.pid, *referees):
            os.kill(pid, signal.SIGSTOP)
        for pid in (director.pid, *referees):
            os.kill(pid, signal.SIGKILL)
        director.wait()

    write_event(folder, "starter/c", "starter/c", repeat=1)
    code, _, _ = run(folder, "--new")

    assert code == 0
    assert all_end(family) == []
    assert rooms_of(family) == []


def test_a_killed_referee_voids_only_its_match(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", repeat=40)
    with Directing(folder) as director:
        director.wait_for("[ 1/40]")
        os.kill(referees_of(director)[0], signal.SIGKILL)
        code, out = director.end()
        lines = director.lines

    assert code == 0
    assert len(kept(folder)) == 40
    voids = [line for line in lines if "is void, no bot suspected: the referee ended" in line]
    assert len(voids) <= 1  # none if it was between two matches
    assert ("void attempts" in out) == bool(voids)


def test_a_closed_pipe_does_not_end_the_event(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", repeat=20)
    with Directing(folder) as director:
        director.wait_for("[ 1/20]")
        director.close_stderr()
        code = director.wait()

    assert code == 0
    assert len(kept(folder)) == 20


def test_a_database_locked_by_another_program_delays_the_event_only(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", repeat=40)
    with Directing(folder) as director:
        director.wait_for("[ 1/40]")
        other = sqlite3.connect(folder / "arena.db", isolation_level=None, timeout=60)
        other.execute("BEGIN IMMEDIATE")
        director.wait_for("is locked by another program; waiting for that")
        other.execute("COMMIT")
        other.close()
        code, _ = director.end()

    assert code == 0
    assert len(kept(folder)) == 40


def test_a_full_disk_loses_nothing_and_the_event_resumes_with_free_space(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c", repeat=40)
    with Directing(folder) as director:
        director.wait_for("[ 1/40]")
        size = sum(path.stat().st_size for path in folder.glob("arena.db*"))
        resource.prlimit(director.pid, resource.RLIMIT_FSIZE, (size, size))
        code, _ = director.end()
        lines = director.lines

    assert code == 5
    assert "arena.db: the disk" in lines[-1]
    told = [line for line in lines if line.startswith("[")]
    assert len(told) == len(kept(folder)) < 40
    assert run(folder)[0] == 0
    assert len(kept(folder)) == 40


@pytest.fixture
def read_only(folder: Path) -> Iterator[Path]:
    """A read-only folder with the event."""
    sealed = folder / "sealed"
    sealed.mkdir()
    if os.geteuid() != 0:
        write_event(sealed, "starter/c", "starter/c")
        (sealed / "cache").symlink_to(folder / "cache")
        sealed.chmod(0o555)
        yield sealed
        sealed.chmod(0o755)
        return
    if subprocess.run(["mount", "-t", "tmpfs", "none", sealed], check=False).returncode:
        pytest.skip("root writes everywhere, and may not mount here")
    try:
        write_event(sealed, "starter/c", "starter/c")
        (sealed / "cache").symlink_to(folder / "cache")
        subprocess.run(["mount", "-o", "remount,ro", sealed], check=True)
        yield sealed
    finally:
        subprocess.run(["umount", "-l", sealed], check=True)


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_played(
    read_only: Path,
) -> None:
    code, out, lines = run(read_only)

    assert (code, out) == (2, "")
    assert lines[-1] == (
        "error: arena.db: it cannot be opened; check that its folder exists and is writable"
    )


def test_a_bot_that_crashes_in_three_matches_in_a_row_is_withdrawn(folder: Path) -> None:
    write_event(folder, "crash", "starter/c", repeat=10, **PLAIN)

    code, out, lines = run(folder)

    assert code == 0
    said = [line for line in lines if "is withdrawn" in line]
    assert said == [withdrawal_text("crash", "3 faults in a row")]
    assert "withdrawn, the rest of its matches forfeited unplayed:\n  crash: 3 faults" in out
    results = [
        (rank, bot, *wins_draws_losses) for rank, bot, _, *wins_draws_losses in results_of(out)
    ]
    assert results == [("1", "starter-c-1", "10", "0", "0"), ("2", "crash", "0", "0", "10")]
    again_code, again, again_lines = run(folder)
    assert (again_code, again) == (0, out)
    assert [line for line in again_lines if "is withdrawn" in line] == []


def test_a_bot_without_its_toolchain_is_an_error_unless_it_may_be_left_out(folder: Path) -> None:
    (folder / "exotic").mkdir()
    (folder / "exotic" / "bot.yaml").write_text("run: [no-such-language, main]\n")
    config = write_event(folder, "starter/c", "starter/c")
    config.write_text(config.read_text().replace("bots:", "bots:\n  - ./exotic"))

    refused, out, lines = run(folder)
    assert (refused, out) == (2, "")
    assert any("no-such-language" in line for line in lines)
    assert not (folder / "arena.db").exists()

    code, out, lines = run(folder, "--skip-missing")
    assert code == 0
    assert lines[0].startswith("LEFT OUT: exotic: ")
    assert "LEFT OUT: exotic: " in out
    assert len(kept(folder)) == 4


def test_a_dry_run_plays_nothing(folder: Path) -> None:
    write_event(folder, "starter/c", "starter/c")

    code, out, lines = run(folder, "--dry-run")

    assert code == 0
    assert lines[-1].startswith("note: a bot can guess seed 7, ")
    assert out.splitlines()[-4].startswith("4 matches on ")
    assert becomes(lambda: not (folder / "arena.db").exists())


def test_twenty_kills_neither_lose_nor_repeat_matches_and_leave_nothing(folder: Path) -> None:
    damage = torture(folder, kills=20, end_s=PATIENCE_S)

    assert damage.is_none(), str(damage)
    assert damage.kills.total() >= 20


def test_no_process_survives_a_kill_during_the_start_of_bots() -> None:
    damage = at_once([lambda: kill_starts(kills=30, end_s=PATIENCE_S, seed=1)])

    assert damage.is_none(), str(damage)
    assert damage.kills.total() == 30

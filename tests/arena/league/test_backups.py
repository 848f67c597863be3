"""A backup is whole, is checked, and makes the same league elsewhere."""

import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from events import new_event
from leagues import cast, hand_in

from arena.errors import UsageError
from arena.league.files import place
from arena.league.folder import League, new_league
from arena.league.site.models import HandIn
from arena.league.upkeep import backups
from arena.league.upkeep.backups import back_up, export_season, restore
from arena.results.store import Store


def test_a_restored_league_has_everything(league: League, tmp_path: Path) -> None:
    receipt = hand_in(league, cast().bot, b"bytes")
    with closing(Store(league.arena_db, is_new_allowed=True)) as store:
        event = new_event(store)
    target = tmp_path / "backup.tar"

    size = back_up(league, target)
    made = restore(target, tmp_path / "elsewhere")

    assert size == target.stat().st_size
    assert target.stat().st_mode & 0o077 == 0
    assert place(made.files, receipt.digest).read_bytes() == b"bytes"
    assert made.secret == league.secret
    assert made.site == league.site
    with closing(Store(made.arena_db)) as store:
        assert store.event(event) is not None
    private = [made.site_db, made.files, made.folder / "keys", made.folder / "keys" / "secret"]
    assert [path.stat().st_mode & 0o077 for path in private] == [0] * len(private)


def test_before_the_first_start_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    league = new_league(tmp_path / "new", "pente", "auto")

    with pytest.raises(UsageError, match="nothing is kept before the first `arena league start"):
        back_up(league, tmp_path / "backup.tar")
    assert not (tmp_path / "backup.tar").exists()


def test_a_backup_is_made_while_others_write(league: League, tmp_path: Path) -> None:
    hand_in(league, cast().bot, b"bytes")
    import sqlite3

    with closing(sqlite3.connect(league.site_db)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO league_notice (happened, text) VALUES ('now', 'x')")
        back_up(league, tmp_path / "backup.tar")
        db.rollback()

    restore(tmp_path / "backup.tar", tmp_path / "elsewhere")


def test_a_damaged_league_makes_no_backup(league: League, tmp_path: Path) -> None:
    receipt = hand_in(league, cast().bot, b"bytes")
    place(league.files, receipt.digest).write_bytes(b"other")

    with pytest.raises(UsageError, match="damaged"):
        back_up(league, tmp_path / "backup.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["league"]


@pytest.mark.parametrize("name", ["../outside", "files/../../outside"])
def test_a_forged_backup_writes_nothing_elsewhere(tmp_path: Path, name: str) -> None:
    source, other = tmp_path / "forged.tar", tmp_path / "x"
    other.write_text("x")
    with tarfile.open(source, "w") as tar:
        tar.add(other, name)

    with pytest.raises(UsageError):
        restore(source, tmp_path / "elsewhere")
    assert not (tmp_path / "outside").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_a_forged_backup_of_few_bytes_fills_no_disk(tmp_path: Path) -> None:
    source = tmp_path / "forged.tar"
    with tarfile.open(source, "w") as tar:
        member = tarfile.TarInfo("site.db")
        member.type = tarfile.GNUTYPE_SPARSE
        tar.addfile(member)

    with pytest.raises(UsageError, match="no file of a backup"):
        restore(source, tmp_path / "elsewhere")


@pytest.mark.parametrize("digest", ["//dev/zero", "../../../etc/passwd", "", "A" * 64])
def test_a_forged_database_names_no_file_elsewhere(
    league: League, tmp_path: Path, digest: str
) -> None:
    hand_in(league, cast().bot, b"bytes")
    HandIn.objects.update(digest=digest)

    with pytest.raises(UsageError, match="no hash of a hand-in"):
        back_up(league, tmp_path / "backup.tar")


def test_stop_ends_the_process_that_runs_the_league(league: League) -> None:
    assert not league.stop()
    code = (
        "import pathlib, signal, sys; from arena.league.folder import open_league\n"
        "with open_league(pathlib.Path(sys.argv[1])).lock('start'):\n"
        "    print('ready', flush=True); signal.pause()"
    )
    command = [sys.executable, "-c", code, str(league.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(UsageError, match="runs already"), league.lock("start"):
            pass

        assert league.stop()

        assert process.wait() == -signal.SIGTERM
    assert not league.stop()


def test_a_killed_command_leaves_nothing_that_its_next_run_does_not_remove(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A league of a year has gigabytes; each killed backup would leave as much."""
    hand_in(league, cast().bot, b"bytes")
    with closing(league.store(is_new_allowed=True)) as store:
        new_event(store)
    folder = tmp_path / "backups"
    folder.mkdir()
    targets = [folder / name for name in ("a.tar", "matches.db", "elsewhere")]
    steps: list[Callable[[], object]] = [
        lambda: back_up(league, targets[0]),
        lambda: export_season(league, targets[1]),
        lambda: restore(targets[0], targets[2]),
    ]
    for done, step in enumerate(steps):
        with monkeypatch.context() as killed:
            killed.setattr(backups, "rename_whole", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            if (child := os.fork()) == 0:
                step()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == signal.SIGKILL
        left = set(folder.iterdir()) - set(targets)
        assert len(left) == 1
        step()
        assert set(folder.iterdir()) == set(targets[: done + 1])

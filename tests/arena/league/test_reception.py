"""A receipt is true: the bytes are on disk before the row, and one hand-in of a bot waits."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from leagues import cast, hand_in, state_of

from arena.errors import MachineError, UsageError
from arena.league.files import TooLargeError, place, sweep_parts
from arena.league.folder import League
from arena.league.hand_ins import reception
from arena.league.hand_ins.reception import BusyError, new_bot, receive
from arena.league.seasons.deadlines import open_season, set_deadline
from arena.league.site.models import Audit, HandIn, Season


def test_the_bytes_of_a_receipt_are_on_disk(league: League) -> None:
    receipt = hand_in(league, cast().bot, b"some bytes")

    assert receipt.digest == hashlib.sha256(b"some bytes").hexdigest()
    assert place(league.files, receipt.digest).read_bytes() == b"some bytes"
    assert Audit.objects.filter(action="handed in").exists()


def test_the_folder_of_a_receipt_is_on_disk_also_if_a_killed_process_made_it(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = place(league.files, hashlib.sha256(b"some bytes").hexdigest())
    kept.parent.mkdir()
    synced = set()
    monkeypatch.setattr(os, "fsync", lambda opened: synced.add(os.fstat(opened).st_ino))

    hand_in(league, cast().bot, b"some bytes")

    assert {path.stat().st_ino for path in (league.files, kept.parent, kept)} <= synced


def test_a_newer_hand_in_replaces_the_waiting_one(league: League) -> None:
    bot = cast().bot
    older, newer = hand_in(league, bot, b"older"), hand_in(league, bot, b"newer")

    assert (state_of(older), state_of(newer)) == ("replaced", "waiting")


def test_a_hand_in_that_has_waited_replaces_no_newer_one(league: League) -> None:
    people, arrived = cast(), timezone.now()
    newer = hand_in(league, people.bot, b"the newer one")

    with pytest.raises(UsageError, match="newer"):
        receive(league, people.owner, people.bot, "tree.tar", [b"older"], arrived=arrived)

    assert state_of(newer) == HandIn.WAITING
    assert HandIn.objects.count() == 1


def test_a_hand_in_in_time_that_has_waited_comes_before_a_late_one(league: League) -> None:
    people, arrived = cast(), timezone.now()
    open_season("season-1")
    set_deadline(people.staff, arrived, Season.UNRANKED)
    hand_in(league, people.bot, b"a late one")

    receipt = receive(league, people.owner, people.bot, "tree.tar", [b"in time"], arrived=arrived)

    assert not receipt.is_late
    assert state_of(receipt) == HandIn.WAITING


def test_too_many_bytes_are_refused_while_they_arrive_and_nothing_stays(league: League) -> None:
    people = cast()
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while True:
            sent += 1_000_000
            yield bytes(1_000_000)

    with pytest.raises(TooLargeError, match="more than 20 MB"):
        reception.receive(league, people.owner, people.bot, "bot.zip", endless())

    assert sent <= 21_000_000
    assert [path for path in league.files.rglob("*") if path.is_file()] == []
    assert not HandIn.objects.exists()


def test_a_reader_that_dies_leaves_no_row_and_no_file(league: League) -> None:
    people = cast()

    def broken() -> Iterator[bytes]:
        yield b"half"
        raise OSError

    with pytest.raises(MachineError):
        reception.receive(league, people.owner, people.bot, "bot.zip", broken())

    assert not HandIn.objects.exists()
    assert [path for path in league.files.rglob("*") if path.is_file()] == []


def test_what_a_killed_process_has_left_half_written_is_removed(league: League) -> None:
    part, arriving = league.files / ".part.abc", league.files / ".part.def"
    for path in (part, arriving):
        path.write_bytes(b"half")
    os.utime(part, (1, 1))
    hand_in(league, cast().bot, b"whole")

    sweep_parts(league.files)

    kept = {path.read_bytes() for path in league.files.rglob("*") if path.is_file()}
    assert (kept, part.exists(), arriving.exists()) == ({b"whole", b"half"}, False, True)


def test_a_full_disk_gives_no_receipt(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.league.files.FREE_BYTES", 1 << 60)

    with pytest.raises(MachineError):
        hand_in(league, cast().bot, b"bytes")
    assert not HandIn.objects.exists()


@pytest.mark.parametrize("name", ["bot.exe", "bot", "../x.rar", "zip", "bot.zip\n"])
def test_other_files_are_no_hand_in(league: League, name: str) -> None:
    with pytest.raises(UsageError, match=r"hand in a \.zip"):
        hand_in(league, cast().bot, b"bytes", name)


def test_the_name_of_a_file_names_nothing_on_disk(league: League) -> None:
    hand_in(league, cast().bot, b"bytes", "../../../etc/cron.d/x.zip")

    assert {path.parent.parent for path in league.files.rglob("*") if path.is_file()} == {
        league.files
    }
    assert not Path(league.folder.parent / "etc").exists()


def test_an_hour_has_a_limited_number_of_hand_ins_and_refused_ones_are_free(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "PER_HOUR", 2)
    bot = cast().bot
    refused = hand_in(league, bot, b"0")
    HandIn.objects.filter(pk=refused.number).update(state=HandIn.REFUSED)
    hand_in(league, bot, b"1")
    HandIn.objects.filter(state=HandIn.WAITING).update(state=HandIn.ACCEPTED)
    hand_in(league, bot, b"2")

    with pytest.raises(BusyError):
        hand_in(league, bot, b"3")


def test_hand_ins_that_fill_the_disk_are_refused(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "BOT_BYTES", 5)
    bot = cast().bot
    hand_in(league, bot, b"bytes")

    with pytest.raises(UsageError, match="MB"):
        hand_in(league, bot, b"more")


@pytest.mark.parametrize(
    "name",
    ["", "a", "Deep", "deep blue", "deep.1", "-deep", "x" * 25, "d\u0435ep", "random", "a/b"],
)
def test_a_bot_has_a_plain_name_that_no_house_bot_has(name: str) -> None:
    people = cast()
    with pytest.raises(UsageError):
        new_bot(people.rival, people.rival.teams.get(), name)


def test_two_bots_never_have_one_name() -> None:
    people = cast()
    with pytest.raises(UsageError, match="already"):
        new_bot(people.rival, people.rival.teams.get(), people.bot.name)

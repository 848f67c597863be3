"""The dialog with an engine in a file of each match and seat, whatever the engine does."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from uci_programs import engine

from referee.job import Job, Player, TimeControl
from referee.records.record import Record
from referee.seats import dialog_log
from referee.service.slot import Slot

FLOOD = "while True: say('info string \\x1b[2J' + 'x' * 50)"
QUICK = TimeControl(per_move_ns=300_000_000, clock="wall")


@pytest.fixture
def slot() -> Iterator[Slot]:
    with closing(Slot(None)) as slot:
        yield slot


def play(slot: Slot, folder: Path, key: str, *commands: tuple[str, ...], **terms: Any) -> Record:
    players = tuple(
        Player(name=f"bot{seat}", argv=argv, folder=str(folder.parent), content=str(seat))
        for seat, argv in enumerate(commands)
    )
    job = Job(key=key, game="chess", players=players, seed=1, board_seed=1, dialog=str(folder))
    return slot.play(replace(job, **terms))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def lines_of(logs: Path, key: str, seat: int) -> list[str]:
    text = (logs / f"{key}.seat-{seat}.log").read_text()
    return [line[11:] for line in text.splitlines()[1:]]


def test_every_line_is_kept_also_of_an_engine_that_stays(slot: Slot, logs: Path) -> None:
    white = engine(["info depth 3 score cp 11", "bestmove e2e4"], ["bestmove d2d4"])
    black = engine(["bestmove (none)"], ["bestmove (none)"])

    for key in ("first", "second"):
        record = play(slot, logs, key, white, black, restart="never")
        assert record.verdict.termination == "malformed"

    first = lines_of(logs, "first", 0)
    assert "> uci" in first
    asked = first.index("> position startpos")
    assert "< info depth 3 score cp 11" in first[asked:]
    assert "< bestmove e2e4" in first[asked:]
    assert "< bestmove (none)" in lines_of(logs, "first", 1)
    second = lines_of(logs, "second", 0)
    assert "< bestmove d2d4" in second
    assert "< bestmove e2e4" not in second


def test_a_flood_of_lines_loses_its_match_and_fills_no_disk(
    slot: Slot, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialog_log, "MOST_BYTES", 200_000)
    white = engine(["bestmove e2e4"], ["bestmove d2d4"])

    record = play(slot, logs, "flood", white, engine(at_go=FLOOD), time=QUICK)

    assert record.verdict.offenders == (1,)
    (file,) = logs.glob("flood.seat-1.log")
    assert file.stat().st_size <= 200_100
    lines = file.read_text().splitlines()
    assert lines[-1] == dialog_log.CUT
    assert any(line.endswith(f"< info string \\x1b[2J{'x' * 50}") for line in lines)
    assert "\x1b" not in file.read_text()


def test_a_crash_is_in_the_file_to_its_last_line(slot: Slot, logs: Path) -> None:
    dying = engine(at_go="say('info string dying'); os._exit(3)")

    record = play(slot, logs, "crash", dying, engine())

    assert record.verdict.termination == "crash"
    assert "< info string dying" in lines_of(logs, "crash", 0)


def test_without_the_folder_nothing_is_written_and_the_output_is_as_always(
    slot: Slot, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    white = engine(["bestmove e2e4"])
    players = tuple(
        Player(name=name, argv=argv, folder=str(tmp_path), content=name)
        for name, argv in (("white", white), ("black", engine()))
    )

    record = slot.play(Job(key="k", game="chess", players=players, seed=1, board_seed=1))

    assert not folder.exists()
    assert "< bestmove e2e4" not in record.seats[0].output_tail

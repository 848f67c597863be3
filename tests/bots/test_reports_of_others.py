"""Reports by users of other tools, each with the test of an engine or file that had the fault.

`REPORTS` names the test of every report. Those that other files have no test for follow here: whole
matches with engines of our own making, which are sandboxed and judged like any other.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from router_seat import Seat
from scripted import scripted
from test_gtp_bridge import GO, begun, genmove
from test_gtp_bridge import engine as go_engine
from test_uci_bridge import CHESS, heard
from uci_programs import engine

from arena.bots.manifest import find_bot
from arena.bots.prepare import prepare
from arena.reports.pgn import match_pgn
from arena.results.store import Store
from referee.job import Job, Player, TimeControl
from referee.records.record import Record
from referee.service.slot import Slot

from gtp_bridge import GtpBridge  # isort: skip - scripted finds it

TESTS = Path(__file__).parents[1]
BEST = "bestmove e2e4"
QUICK = TimeControl(per_move_ns=200_000_000, clock="wall")

REPORTS = dict(
    line.split() for line in (Path(__file__).parent / "reported.txt").read_text().splitlines()
)
"""The test of each report, by repository and number."""


def test_every_report_has_a_test() -> None:
    places = {path.stem: path for path in TESTS.rglob("test_*.py")}
    for report, name in REPORTS.items():
        module, test = name.split("::")
        assert f"\ndef {test}(" in places[module].read_text(), (report, name)


@pytest.fixture
def slot() -> Iterator[Slot]:
    with closing(Slot(None)) as slot:
        yield slot


def play(slot: Slot, folder: Path, *commands: tuple[str, ...], **terms: Any) -> Record:
    players = tuple(
        Player(name=name, argv=argv, folder=str(folder), content=name)
        for name, argv in zip(("white", "black"), commands, strict=True)
    )
    job = Job(key="k", game="chess", players=players, seed=1, board_seed=1)
    return slot.play(replace(job, **terms))


def pgn_of(folder: Path, record: Record) -> str:
    with closing(Store(folder / "a.db", is_new_allowed=True)) as store:
        event = store.add_event("cup", 1, {}, {"white": "1", "black": "2"})
        match = store.add_match(event, board=0, variant="", attempt=1, match=record.finished())
        assert match is not None
        return match_pgn("cup", match, record)


def test_a_late_engine_is_late_and_nothing_else(slot: Slot, tmp_path: Path) -> None:
    """It is not blamed for the move, an illegal one, that it would print afterwards."""
    late = engine(["bestmove a1a1"], at_go="time.sleep(600)")

    record = play(slot, tmp_path, late, engine(), time=QUICK)

    assert [(fault.seat, fault.termination) for fault in record.verdict.faults] == [(0, "timeout")]


def test_an_engine_plays_from_a_path_with_spaces(slot: Slot, tmp_path: Path) -> None:
    folder = tmp_path / "my engine dir"
    folder.mkdir()
    *_, code = engine([BEST], ["bestmove (none)"])
    (folder / "my sf").write_text(f"#!{sys.executable}\n{code}")
    (folder / "my sf").chmod(0o755)
    bot = prepare(find_bot("uci:./my engine dir/my sf", tmp_path), tmp_path / "cache")
    job = Job(key="k", game="chess", players=(bot.player("a"),) * 2, seed=1, board_seed=1)

    record = slot.play(replace(job, players=(bot.player("a"), bot.player("b"))))

    assert [call.notation for call in record.calls if call.move] == ["e2e4"]


def test_a_crash_has_its_signal_and_what_was_printed(slot: Slot, tmp_path: Path) -> None:
    dying = (
        "print('assertion failed: x > 0', file=sys.stderr, flush=True); os.kill(os.getpid(), 11)"
    )

    record = play(slot, tmp_path, engine(at_go=dying), engine())

    assert record.verdict.termination == "crash"
    assert record.seats[0].exit == "signal SIGSEGV"
    assert "assertion failed: x > 0" in record.seats[0].output_tail
    assert "> position startpos" in record.seats[0].output_tail


def test_a_move_without_a_score_has_none_in_the_pgn(slot: Slot, tmp_path: Path) -> None:
    white = engine([BEST])
    black = engine(["info depth 4 score cp 12", "bestmove e7e5"])

    text = pgn_of(tmp_path, play(slot, tmp_path, white, black))

    first, second = re.findall(r"\{([0-9+][^}]*)\}", text)[:2]
    assert re.fullmatch(r"[0-9.]+s", first)
    assert re.fullmatch(r"\+0\.12/4 [0-9.]+s \[%eval -0\.12,4\]", second)


def test_an_illegal_move_is_no_move_of_the_pgn(slot: Slot, tmp_path: Path) -> None:
    record = play(slot, tmp_path, engine([BEST]), engine(["bestmove e7e4"]))

    assert record.verdict.termination == "illegal_move"
    text = pgn_of(tmp_path, record)
    assert '[PlyCount "1"]' in text
    moves = " ".join(text.partition("\n\n")[2].split())
    assert re.fullmatch(r"1\. e4 \{[^}]*\} \{[^}]*e7e4[^}]*\} 1-0", moves), moves
    assert "> position startpos moves e2e4" in record.seats[1].output_tail


def test_an_illegal_move_ends_its_own_match_only(slot: Slot, tmp_path: Path) -> None:
    wrong, right = engine(["bestmove e2e5"]), engine([BEST])

    first, second = (
        play(slot, tmp_path, white, engine(), restart="never", key=key)
        for key, white in (("a", wrong), ("b", right))
    )

    assert (first.verdict.termination, first.verdict.offenders) == ("illegal_move", (0,))
    assert (second.verdict.termination, second.verdict.offenders) == ("malformed", (1,))
    assert [call.notation for call in second.calls if call.move] == ["e2e4"]


def test_a_stalled_engine_is_told_from_a_crashed_one(slot: Slot, tmp_path: Path) -> None:
    short = replace(QUICK, start_ns=2_000_000_000)
    stalled = play(slot, tmp_path, engine(at_uci="time.sleep(600)"), engine(), time=short)
    crashed = play(slot, tmp_path, engine(at_uci="os._exit(3)"), engine())

    assert stalled.verdict.termination == crashed.verdict.termination == "no_show"
    assert "exit code 3" not in stalled.verdict.faults[0].detail
    assert "exit code 3" in f"{crashed.verdict.faults[0].detail} {crashed.seats[0].exit}"


def test_every_move_is_sent_once(tmp_path: Path) -> None:
    e5, d5 = ({"from": f"{column}7", "to": f"{column}5", "promote": ""} for column in "ed")
    with Seat(tmp_path, engine([BEST], ["bestmove g1f3"], ["bestmove d2d4"])) as seat:
        seat.init(**CHESS)
        seat.move()
        seat.move(opponent_moves=[{"seat": 1, "move": e5}])
        seat.move(opponent_moves=[{"seat": 1, "move": d5}])
        seat.term()
        told = [line for line in heard(seat) if line.startswith("position")]

    assert told == [
        "position startpos",
        "position startpos moves e2e4 e7e5",
        "position startpos moves e2e4 e7e5 g1f3 d7d5",
    ]


def test_an_engine_that_ends_after_its_mating_move_wins(slot: Slot, tmp_path: Path) -> None:
    white = engine(["bestmove f2f3"], ["bestmove g2g4"])
    last = ["bestmove d8h4", "=sys.stdout.buffer.flush() or os._exit(1)"]
    black = engine(["bestmove e7e5"], last)

    record = play(slot, tmp_path, white, black)

    assert (record.verdict.reason, record.verdict.offenders) == ("checkmate", ())
    assert record.verdict.scores == ("0", "2")


def test_positions_of_the_opening_count_as_repetitions(slot: Slot, tmp_path: Path) -> None:
    moves = [("g1", "f3"), ("g8", "f6"), ("f3", "g1"), ("f6", "g8"), ("g1", "f3"), ("g8", "f6")]
    opening = [
        {"seat": place % 2, "move": {"from": begin, "to": end, "promote": ""}}
        for place, (begin, end) in enumerate(moves)
    ]

    record = play(
        slot, tmp_path, engine(["bestmove f3g1"]), engine(["bestmove f6g8"]), history=tuple(opening)
    )

    assert record.verdict.reason == "third repetition"


def test_options_are_sent_as_listed_and_an_empty_one_has_its_value(tmp_path: Path) -> None:
    declared = (
        "option name Debug Log File type string default ",
        "option name Path type string empty",
        "option name Hash type spin default 16 min 1 max 1024",
        "option name Hash type spin default 16 min 1 max 1024",
        "option name Threads type spin default 1 min 1 max 8",
    )
    options = {"Threads": 2, "Hash": 32, "Debug Log File": "", "Path": "tables/a b"}
    with Seat(tmp_path, engine([BEST], declared=declared, options=options)) as seat:
        seat.init(**CHESS)
        seat.move()
        seat.term()
        sent = [line for line in heard(seat) if line.startswith("setoption")]

    assert [line.removeprefix("setoption name ").rstrip() for line in sent] == [
        "Threads value 2",
        "Hash value 32",
        "Debug Log File value",
        "Path value tables/a b",
    ]


def test_lines_before_an_answer_of_gtp_are_none() -> None:
    answer = [
        "* genmove for black...",
        "   Winning:    47.9%",
        "Q16  ->  1421, 47.89%",
        "=8 D4",
        "",
    ]
    with scripted(GtpBridge, go_engine(answer)) as (bridge, _):
        begun(bridge)
        assert genmove(bridge)["move"] == {"at": "D4"}


def test_a_game_of_go_begins_with_size_and_komi_each_time() -> None:
    with scripted(GtpBridge, go_engine()) as (bridge, heard):
        begun(bridge)
        first = [line.partition(" ")[2] for line in heard]
        heard.clear()
        assert bridge.answer({"type": "init", **GO}) == {"type": "ready"}

    for command in ("boardsize 9", "clear_board", "komi 6.5"):
        assert command in first
        assert command in [line.partition(" ")[2] for line in heard]

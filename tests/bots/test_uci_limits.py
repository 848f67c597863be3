"""The limits of time that engines of UCI, USI and UCCI are sent, and moves of xiangqi."""

import sys
from pathlib import Path
from typing import Any

import pytest
from router_seat import BOTS, TIME, Seat
from test_uci_bridge import CHESS, heard
from uci_programs import engine

sys.path.insert(0, str(BOTS / "sdk/bridges"))
sys.path.insert(0, str(BOTS / "sdk/python"))
from uci_games import Xiangqi
from uci_time import limits_of


def test_moves_of_xiangqi_have_their_piece() -> None:
    board = Xiangqi()
    board.position({})

    assert board.to_wire("h2e2") == {"text": "C(7,7)-(7,4)"}
    assert board.to_text({"text": "C(7,7)-(7,4)"}) == "h2e2"
    assert board.to_wire("e2e6") == {"text": "C(7,4)-(3,4)"}
    assert board.to_wire("h9g7") == {"text": "h(0,7)-(2,6)"}
    assert board.to_wire("j1a1") is None


@pytest.mark.parametrize(
    ("dialect", "left", "limits"),
    [
        ("uci", None, ("movetime 950", 955)),
        ("uci", 30_000, ("wtime 30000 btime 30000", 950)),
        ("uci", 500, ("wtime 500 btime 500", 475)),
        ("uci", 0, ("wtime 1 btime 1", 1)),
        ("usi", None, ("btime 0 wtime 0 byoyomi 950", 955)),
        ("ucci", None, ("time 950", 955)),
        ("ucci", 30_000, ("time 30000", 950)),
    ],
)
def test_limits_of_a_move(dialect: str, left: int | None, limits: tuple[str, float]) -> None:
    assert limits_of(dialect, {"per_move_ms": 1000}, left) == limits


@pytest.mark.parametrize(
    ("dialect", "limits"),
    [
        ("uci", "wtime 9000 btime 9000 winc 100 binc 100"),
        ("usi", "wtime 9000 btime 9000 winc 100 binc 100"),
        ("ucci", "time 9000 increment 100"),
    ],
)
def test_an_engine_reads_the_increment(dialect: str, limits: str) -> None:
    time = {"per_move_ms": 40_000, "increment_ms": 400}
    assert limits_of(dialect, time, 36_000, threads=4) == (limits, 8550)


@pytest.mark.parametrize(
    ("dialect", "made", "limits"),
    [
        ("uci", 0, "wtime 900 btime 900 movestogo 40"),
        ("uci", 39, "wtime 900 btime 900 movestogo 1"),
        ("uci", 40, "wtime 900 btime 900 movestogo 40"),
        ("usi", 40, "wtime 900 btime 900"),
        ("ucci", 41, "time 900 movestogo 39"),
    ],
)
def test_an_engine_reads_the_moves_until_its_bank_is_added_again(
    dialect: str, made: int, limits: str
) -> None:
    assert limits_of(dialect, {"per_move_ms": 10_000, "bank_moves": 40}, 900, made)[0] == limits


@pytest.mark.usefixtures("both_bridges")
@pytest.mark.parametrize(
    ("dialect", "time", "left", "threads"),
    [
        ("uci", {"per_move_ms": 1000}, None, 1),
        ("uci", {"per_move_ms": 1000}, 0, 1),
        ("uci", {"per_move_ms": 40_000, "increment_ms": 400}, 36_000, 4),
        ("usi", {"per_move_ms": 10_000, "increment_ms": 0, "bank_moves": 40}, 900, 1),
        ("ucci", {"per_move_ms": 1000, "bank_ms": 9000, "increment_ms": 7}, 30_000, 1),
        ("ucci", {"per_move_ms": 10_000, "bank_moves": 3}, 900, 2),
    ],
)
def test_an_engine_reads_its_limits(
    tmp_path: Path, dialect: str, time: dict[str, Any], left: int | None, threads: int
) -> None:
    """The compiled bridge has the same rules as the function here."""
    options = {"Threads": threads}
    with Seat(tmp_path, engine(["bestmove e2e4"], dialect=dialect, options=options)) as seat:
        seat.init(**CHESS, time={**TIME, **time})
        said = {} if left is None else {"left_ms": left}
        seat.move(ply=4, **said)
        seat.term()
        (go,) = [line for line in heard(seat) if line.startswith("go")]

    assert go == f"go {limits_of(dialect, time, left, 2, threads)[0]}"


@pytest.mark.usefixtures("both_bridges")
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("dialect", ["uci", "usi", "ucci"])
@pytest.mark.parametrize(("added", "other_added"), [(0, 0), (100, 30), (0, 30)])
def test_an_engine_reads_both_clocks(
    tmp_path: Path, dialect: str, place: int, added: int, other_added: int
) -> None:
    """The compiled bridge has the same rules as the function here."""
    time = {"per_move_ms": 9000, "increment_ms": added}
    clocks = [
        {"seat": place, "left_ms": 8000} | ({"increment_ms": added} if added else {}),
        {"seat": 1 - place, "left_ms": 3000}
        | ({"increment_ms": other_added} if other_added else {}),
    ]
    with Seat(tmp_path, engine(["bestmove e2e4"], dialect=dialect)) as seat:
        seat.init(**CHESS, seat=place, time={**TIME, **time})
        seat.move(ply=4, left_ms=8000, clocks=sorted(clocks, key=lambda clock: clock["seat"]))
        seat.term()
        (go,) = [line for line in heard(seat) if line.startswith("go")]

    assert go == f"go {limits_of(dialect, time, 8000, 2, seat=place, other=clocks[1])[0]}"


@pytest.mark.usefixtures("both_bridges")
@pytest.mark.parametrize(
    ("dialect", "limits"),
    [("uci", "wtime 1 btime 1"), ("usi", "wtime 1 btime 1"), ("ucci", "time 1 opptime 1")],
)
def test_a_bank_that_is_used_up_is_no_search_without_a_limit(
    tmp_path: Path, dialect: str, limits: str
) -> None:
    """By `wtime 0` some engines understand that the time is unlimited."""
    clocks = [{"seat": place, "left_ms": 0} for place in (0, 1)]
    with Seat(tmp_path, engine(["bestmove e2e4"], dialect=dialect)) as seat:
        seat.init(**CHESS, time={**TIME, "per_move_ms": 9000})
        seat.move(left_ms=0, clocks=clocks)
        seat.term()

        assert [line for line in heard(seat) if line.startswith("go")] == [f"go {limits}"]


@pytest.mark.parametrize(
    ("dialect", "seat", "limits"),
    [
        ("uci", 0, "wtime 8000 btime 3000 winc 100 binc 30"),
        ("uci", 1, "wtime 3000 btime 8000 winc 30 binc 100"),
        ("usi", 0, "wtime 3000 btime 8000 winc 30 binc 100"),
        ("usi", 1, "wtime 8000 btime 3000 winc 100 binc 30"),
        ("ucci", 1, "time 8000 opptime 3000 increment 100 oppincrement 30"),
    ],
)
def test_an_engine_reads_the_clock_of_its_opponent(dialect: str, seat: int, limits: str) -> None:
    time = {"per_move_ms": 10_000, "increment_ms": 100}
    other = {"seat": 1 - seat, "left_ms": 3000, "increment_ms": 30}

    assert limits_of(dialect, time, 8000, seat=seat, other=other)[0] == limits


def test_the_clock_of_an_opponent_without_a_bank_stands_at_the_own() -> None:
    assert limits_of("uci", {"per_move_ms": 900}, 800)[0] == "wtime 800 btime 800"

"""The shipped engine of gomoku, in both of its protocols, with strange input."""

import subprocess
from pathlib import Path

import pytest
from c_programs import sanitized
from router_seat import BOTS


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [BOTS / "gomoku-c" / name for name in ("main.c", "five.c")]
    return sanitized(tmp_path_factory.mktemp("engine") / "gomoku", sources)


def said(engine: Path, lines: str, *arguments: str) -> list[str]:
    run = subprocess.run(
        [engine, *arguments], input=lines.encode(), capture_output=True, timeout=60, check=True
    )
    assert run.stderr == b""
    return run.stdout.decode().split("\n")[:-1]


def test_it_plays_by_the_protocol_of_gomocup(engine: Path) -> None:
    lines = """TURN 1,1
        BEGIN
        START 4
        START 999999999999
        RESTART
        START 5
        BEGIN
        TURN 2,2
        TURN 5,0
        TURN -1,0
        BOARD
        0,0,1
        0,0,2
        DONE
        BOARD
        0,0,1
        1,0,1
        2,0,1
        3,0,1
        4,4,2
        3,4,2
        DONE
        SWAP2BOARD
        DONE
        INFO rule 1e308
        {}
        END
        BEGIN""".format("x" * 300)
    answers = said(engine, "\n".join(line.strip() for line in lines.split("\n")))

    assert answers[:8] == [
        "UNKNOWN TURN 1,1",
        "ERROR the board is full",
        "ERROR unsupported size",
        "ERROR unsupported size",
        "ERROR no START yet",
        "OK",
        "2,2",
        "UNKNOWN TURN 2,2",
    ]
    assert answers[8:13] == [
        "UNKNOWN TURN 5,0",
        "UNKNOWN TURN -1,0",
        "UNKNOWN BOARD",
        "4,0",
        "2,2 3,2 0,0",
    ]
    assert {answer[:12] for answer in answers[13:]} == {"UNKNOWN xxxx"}


def test_it_plays_by_gtp(engine: Path) -> None:
    lines = ["1 boardsize 26", "2 boardsize 5", "3 clear_board", "4 play b I5", "5 play b D9"]
    lines += ["6 play b C3", "7 play w C3", "8 genmove w", "9 genmove", "", "10 play black"]
    lines += ["11 play white E5", "x" * 300, "12 quit", "13 name"]
    answers = [line for line in said(engine, "\n".join(lines), "gtp") if line]

    assert answers[:7] == [
        "?1 unacceptable size",
        "=2",
        "=3",
        "?4 illegal move",
        "?5 illegal move",
        "=6",
        "?7 illegal move",
    ]
    assert answers[7].startswith("=8 ")
    assert answers[8:11] == ["?9 unknown command", "?10 illegal move", "=11"]
    assert answers[-1] == "=12"

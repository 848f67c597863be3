"""Engines that think during calls to others: the expected reply, another one, an early move."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from router_seat import Seat, bridge
from test_uci_bridge import CHESS, E5, heard

D5: dict[str, Any] = {"from": "d7", "to": "d5", "promote": ""}
ENGINE = """
import sys
def say(line):
    print(line, flush=True)
answers, is_early, deaf, thinks = iter({answers!r}), {is_early!r}, {deaf!r}, False
for line in sys.stdin:
    print(line, end="", file=sys.stderr, flush=True)
    words = line.split()
    if words[0] == "uci":
        {declared}
        say("uciok")
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "quit":
        break
    elif words[0] == "go" and words[1:2] == ["ponder"]:
        thinks = not is_early
        if is_early:
            say("bestmove " + next(answers))
    elif words[0] == "stop" and deaf:
        deaf -= 1
    elif words[0] == "go" or words[0] in ("ponderhit", "stop") and thinks:
        thinks = False
        say("info depth 4 score cp 12 pv x")
        say("bestmove " + next(answers))
"""
TOLD = ("go", "stop", "ponderhit", "position")
DECLARED = 'say("option name Ponder type check default false")'


def command(
    *answers: str,
    ponder: bool = True,
    is_early: bool = False,
    deaf: int = 0,
    declared: str = DECLARED,
    go: str = "",
) -> tuple[str, ...]:
    """Return the command of the bridge around an engine with these best moves."""
    code = ENGINE.format(answers=answers, is_early=is_early, deaf=deaf, declared=declared)
    settings = {"dialect": "uci", "options": {}, "go": go, "ponder": ponder}
    return (sys.executable, bridge("uci"), json.dumps(settings), sys.executable, "-c", code)


@pytest.fixture
def play(tmp_path: Path) -> Any:
    """Return a function that plays two moves, the reply between them, and says what was heard."""

    def played(program: tuple[str, ...], reply: dict[str, Any]) -> tuple[list[str], list[str]]:
        with Seat(tmp_path, program) as seat:
            seat.init(**CHESS)
            moves = [seat.move(left_ms=60_000)]
            moves.append(seat.move(opponent_moves=[{"seat": 1, "move": reply}], left_ms=50_000))
            seat.term()
            lines = heard(seat)
        told = [
            line for line in lines if line.split()[0] in ("go", "stop", "ponderhit", "position")
        ]
        return [move["move"]["from"] + move["move"]["to"] for move in moves], told

    return played


def test_the_expected_reply_goes_on_with_the_search(play: Any) -> None:
    moves, told = play(command("e2e4 ponder e7e5", "g1f3"), E5)

    assert moves == ["e2e4", "g1f3"]
    assert told[2] == "position startpos moves e2e4 e7e5"
    assert told[3].startswith("go ponder wtime ")
    assert told[4:] == ["ponderhit"]


def test_another_reply_stops_the_search_and_drops_its_move(play: Any) -> None:
    moves, told = play(command("e2e4 ponder e7e5", "a2a3 ponder a7a6", "e4d5"), D5)

    assert moves == ["e2e4", "e4d5"]
    assert told[4:6] == ["stop", "position startpos moves e2e4 d7d5"]
    assert told[6].startswith("go wtime 50000 ")


def test_an_engine_that_misses_a_stop_gets_another_one(play: Any) -> None:
    moves, told = play(command("e2e4 ponder e7e5", "a2a3", "e4d5", deaf=2), D5)

    assert moves == ["e2e4", "e4d5"]
    assert told[4:7] == ["stop"] * 3


@pytest.mark.parametrize(("reply", "second"), [(E5, "g1f3"), (D5, "e4d5")])
def test_a_move_before_the_reply_counts_for_that_reply_alone(
    play: Any, reply: dict[str, Any], second: str
) -> None:
    moves, told = play(command("e2e4 ponder e7e5", "g1f3", "e4d5", is_early=True), reply)

    assert moves == ["e2e4", second]
    assert told[3].startswith("go ponder ")


def test_the_search_of_the_last_move_ends_with_the_match(play: Any) -> None:
    _, told = play(command("e2e4 ponder e7e5", "g1f3 ponder b8c6", "b1c3"), E5)

    assert told[-1] == "stop"


@pytest.mark.parametrize(
    "program",
    [
        command("e2e4 ponder e7e5", "g1f3", ponder=False),
        command("e2e4 ponder e7e5", "g1f3", declared="pass"),
        command("e2e4 ponder e7e5", "g1f3", go="nodes 100"),
        command("e2e4", "g1f3"),
        command("e2e4 ponder (none)", "g1f3"),
        command("e2e4 ponder", "g1f3"),
    ],
    ids=["not wanted", "no option", "fixed search", "no word", "no move", "nothing"],
)
def test_without_a_reply_to_think_about_nothing_is_searched(
    play: Any, program: tuple[str, ...]
) -> None:
    moves, told = play(program, E5)

    assert moves == ["e2e4", "g1f3"]
    assert not {"stop", "ponderhit"} & set(told)
    assert not any("ponder" in line for line in told)

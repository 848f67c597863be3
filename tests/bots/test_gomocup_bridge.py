"""The bridge to engines of Gomocup's protocol: stones, swap2, limits, refusals, wrong answers."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from c_programs import compiled_bridge
from piped import piped
from router_seat import TERM
from scripted import TIME, Engine, scripted

from arena_bridge import LineError  # isort: skip - scripted finds it
from gomocup_bridge import GomocupBridge  # isort: skip

GOMOKU: dict[str, Any] = {
    "game": "gomoku",
    "options": {"size": 15, "rule": "renju", "opening": "free"},
    "seat": 0,
    "seed": 1,
    "time": TIME,
    "history": [],
}
SWAP2 = {**GOMOKU, "options": {"size": 15, "rule": "freestyle", "opening": "swap2"}}
PENTE = {**GOMOKU, "game": "pente", "options": {"half_size": 9}}


Script = Callable[[Engine], AbstractContextManager[tuple[Any, list[str]]]]
"""Makes a bridge with a function for its engine, and the list of lines that this has read."""


@pytest.fixture(params=["python", "compiled"])
def script(request: pytest.FixtureRequest, builds: Path, tmp_path: Path) -> Script:
    """The bridge in Python, and the compiled one."""
    if request.param == "python":
        return partial(scripted, GomocupBridge)
    return partial(piped, compiled_bridge(builds, "gomocup"), tmp_path)


def engine(*stones: str | Sequence[str | bytes], start: str = "OK", about: str = "") -> Engine:
    """Return an engine that answers BEGIN, TURN and DONE with these lines, one after the other."""
    left = iter(stones)

    def answer(line: str) -> Sequence[str | bytes]:
        word = line.partition(" ")[0]
        if word in ("BEGIN", "TURN", "DONE"):
            said = next(left)
            return [said] if isinstance(said, str) else said
        return {"START": [start], "ABOUT": [about or 'name="Five", version="2"']}.get(word, [])

    return answer


def begun(bridge: Any, init: Any) -> None:
    if not bridge._about:
        bridge.greet()
    assert bridge.answer({"type": "init", **init}) == {"type": "ready"}


def move(bridge: Any, *others: str, seat: int = 1, **call: Any) -> Any:
    moves = [{"seat": seat, "move": {"at": at}} for at in others]
    return bridge.answer({"type": "move", "opponent_moves": moves, **call})


def fault(script: Script, engine: Engine, init: Any = GOMOKU) -> str:
    with script(engine) as (bridge, _):
        try:
            begun(bridge, init)
            move(bridge)
        except LineError as error:
            return str(error).replace("\0", "\N{REPLACEMENT CHARACTER}")
    return "no fault"


def test_a_match_as_black_and_one_as_white(script: Script) -> None:
    with script(engine("7,7", "8 , 6", "0,14")) as (bridge, heard):
        assert bridge.greet() == {"type": "hello", "name": "Five", "version": "2"}
        begun(bridge, GOMOKU)
        assert move(bridge, left_ms=60_000) == {"type": "play", "move": {"at": "h8"}}
        assert move(bridge, "i8", left_ms=59_000) == {"type": "play", "move": {"at": "i9"}}
        assert bridge.answer({"type": "term", **TERM}) == {"type": "bye"}
        begun(bridge, {**GOMOKU, "seat": 1, "time": {"per_move_ms": 500}})
        assert move(bridge, "b15", seat=0) == {"type": "play", "move": {"at": "a1"}}
        bridge.leave()

    assert heard[2:] == [
        *("START 15", "INFO timeout_turn 2500", "INFO timeout_match 60500", "INFO rule 4"),
        *("INFO time_left 60000", "ABOUT", "BEGIN", "INFO time_left 59000", "ABOUT", "TURN 8,7"),
        *("ABOUT", "START 15", "INFO timeout_turn 500", "INFO timeout_match 0", "INFO rule 4"),
        *("INFO time_left 2147483647", "ABOUT", "BOARD", "1,0,2", "DONE", "END"),
    ]


def test_a_rest_of_nil_is_no_limit(script: Script) -> None:
    with script(engine("7,7")) as (bridge, heard):
        bridge.greet()
        begun(bridge, GOMOKU)
        assert move(bridge, left_ms=None) == {"type": "play", "move": {"at": "h8"}}

    assert "INFO time_left 2147483647" in heard


def test_an_opening_is_a_board_with_the_own_stones(script: Script) -> None:
    history = [{"seat": k % 2, "move": {"at": at}} for k, at in enumerate(("a1", "b1", "c1"))]
    with script(engine("0,0")) as (bridge, heard):
        begun(bridge, {**GOMOKU, "seat": 1, "history": history})
        assert move(bridge)["move"] == {"at": "a15"}

    assert heard[-5:] == ["BOARD", "0,14,2", "1,14,1", "2,14,2", "DONE"]


def test_a_remark_is_the_note_of_its_move_only(script: Script) -> None:
    remarks = ["DEBUG x", "MESSAGE depth 1", "message depth 2 \x07", "", "7,7"]
    with script(engine(remarks, "8,8")) as (bridge, _):
        begun(bridge, GOMOKU)
        assert move(bridge)["note"] == "depth 2 \x07"
        assert "note" not in move(bridge, "a1")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("7,7 8,8", 'no answer to "BEGIN": 7,7 8,8'),
        ("7;7", 'no answer to "BEGIN": 7;7'),
        ("-1,3", 'no answer to "BEGIN": -1,3'),
        ("7,7,1", 'no answer to "BEGIN": 7,7,1'),
        ("SWAP", 'no answer to "BEGIN": SWAP'),
        ("7,\x007", 'no answer to "BEGIN": 7,\ufffd7'),
        ("1000000000,1", 'no answer to "BEGIN": 1000000000,1'),
        ("UNKNOWN command", 'the engine refused "BEGIN": UNKNOWN command'),
        ("ERROR no", 'the engine refused "BEGIN": ERROR no'),
        ([b"7,\xff"], 'no answer to "BEGIN": 7,\ufffd'),
        (["x" * 70_000], "a line of more than 65536 bytes"),
    ],
)
def test_wrong_answers_are_quoted(
    script: Script, said: str | Sequence[str | bytes], message: str
) -> None:
    assert fault(script, engine(said)).startswith(message)


@pytest.mark.parametrize("said", ["UNKNOWN command INFO", "ERROR rule not supported", "1,1", "OK"])
def test_an_answer_to_info_is_none_to_the_next_command(script: Script, said: str) -> None:
    plain = engine("7,7", "8,8")

    def answer(line: str) -> Sequence[str | bytes]:
        return [said] if line.startswith("INFO") else plain(line)

    with script(answer) as (bridge, _):
        begun(bridge, GOMOKU)
        assert move(bridge)["move"] == {"at": "h8"}
        assert move(bridge, "a1")["move"] == {"at": "i7"}
        begun(bridge, GOMOKU)


@pytest.mark.parametrize("said", ["OK - everything is good", "ok", "OK."])
def test_words_may_follow_the_consent_to_a_size(script: Script, said: str) -> None:
    with script(engine("7,7", start=said)) as (bridge, _):
        begun(bridge, GOMOKU)
        assert move(bridge)["move"] == {"at": "h8"}


@pytest.mark.parametrize("said", ["  7,7", "\t7 ,\t7 ", "7,7\r", " MESSAGE a\n 7,7"])
def test_white_space_around_an_answer_is_free(script: Script, said: str) -> None:
    with script(engine(said.split("\n"), start=" OK ")) as (bridge, _):
        begun(bridge, GOMOKU)
        assert move(bridge)["move"] == {"at": "h8"}


def test_a_long_message_is_cut(script: Script) -> None:
    with script(engine(["MESSAGE " + "x" * 90_000, "7,7"])) as (bridge, _):
        begun(bridge, GOMOKU)
        assert move(bridge) == {"type": "play", "move": {"at": "h8"}, "note": "x" * 200}


def test_a_line_that_nobody_asked_for_is_no_move(script: Script) -> None:
    with script(engine(["7,7", "8,8", "ERROR late"], "9,9")) as (bridge, _):
        begun(bridge, GOMOKU)
        assert move(bridge)["move"] == {"at": "h8"}
        assert move(bridge, "a1")["move"] == {"at": "j6"}


def test_a_point_off_the_board_is_for_the_referee_to_refuse(script: Script) -> None:
    with script(engine("15,3")) as (bridge, _):
        begun(bridge, GOMOKU)
        assert move(bridge)["move"] == {"at": "15,3"}


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("ERROR size", 'the engine refused "START 15": ERROR size'),
        ("7,7", 'the engine answered "START 15": 7,7'),
        ("O", 'the engine answered "START 15": O'),
    ],
)
def test_a_refused_size_is_quoted(script: Script, start: str, message: str) -> None:
    assert fault(script, engine(start=start)) == message


def test_an_engine_without_a_name_and_other_games(script: Script) -> None:
    with script(engine(about="what?")) as (bridge, _):
        assert bridge.greet() == {"type": "hello"}
    assert fault(script, engine(about="UNKNOWN")) == 'the engine refused "ABOUT": UNKNOWN'
    assert (
        fault(script, engine(), {**GOMOKU, "game": "go"})
        == "go cannot be played in Gomocup's protocol"
    )


def swap2(
    script: Script, *stones: str, seat: int, said: str, count: int = 1
) -> tuple[list[str], list[str]]:
    """Return all moves of the engine's next turn in swap2, and the lines that it read."""
    with script(engine(said)) as (bridge, heard):
        begun(bridge, {**SWAP2, "seat": seat})
        moves = [move(bridge, *stones, seat=1 - seat)["move"]["at"]]
        moves += [move(bridge)["move"]["at"] for _ in range(count - 1)]
    return moves, heard[heard.index("INFO time_left 2147483647") + 2 :]


def test_swap2_opens_with_three_stones(script: Script) -> None:
    moves, heard = swap2(script, seat=0, said="7,7 8,7 0,0", count=3)

    assert (moves, heard[:2]) == (["h8", "i8", "a15"], ["SWAP2BOARD", "DONE"])


@pytest.mark.parametrize(
    ("said", "moves"),
    [
        ("SWAP", ["swap"]),
        ("swap ", ["swap"]),
        ("0,0", ["a15"]),
        ("0,0 1,0", ["two", "a15", "b15"]),
    ],
)
def test_swap2_answers_three_stones(script: Script, said: str, moves: list[str]) -> None:
    found, heard = swap2(script, "h8", "i8", "j8", seat=1, said=said, count=len(moves))

    assert found == moves
    assert heard[:5] == ["SWAP2BOARD", "7,7", "8,7", "9,7", "DONE"]


@pytest.mark.parametrize(("said", "colors"), [("SWAP", "12121"), ("0,0", "212121")])
def test_swap2_answers_five_stones_and_plays_on_with_its_color(
    script: Script, said: str, colors: str
) -> None:
    with script(engine("7,7 8,7 9,7", said, "14,14")) as (bridge, heard):
        begun(bridge, SWAP2)
        for _ in range(3):
            move(bridge)
        move(bridge, "two", "a1", "b1")
        move(bridge, "c1", "o15")

    *_, start = (place for place, line in enumerate(heard) if line == "BOARD")
    told = [line[-1] for line in heard[start + 1 : -1]]
    assert "".join(told).startswith(colors)


def test_an_opening_amid_the_stones_of_swap2_cannot_be_said(script: Script) -> None:
    history = [{"seat": 0, "move": {"at": "h8"}}]
    assert "amid the stones of swap2" in fault(script, engine(), {**SWAP2, "history": history})


def test_pente_has_its_own_points(script: Script) -> None:
    with script(engine("9,9", "0,18")) as (bridge, heard):
        begun(bridge, PENTE)
        assert bridge.answer({"type": "move", "opponent_moves": []})["move"] == {"v": 0, "h": 0}
        reply = {"seat": 1, "move": {"v": -9, "h": 3}}
        second = bridge.answer({"type": "move", "opponent_moves": [reply]})
        assert second["move"] == {"v": 9, "h": -9}

    assert heard[-1] == "TURN 12,0"
    assert "START 19" in heard

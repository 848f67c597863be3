"""The bridge to engines of CECP, xboard's protocol: the dialog, times, options, and wrong lines."""

from collections.abc import Sequence
from typing import Any

import pytest
from scripted import TIME, Engine, scripted

from referee.rules.chess_text import START

from arena_bridge import LineError  # isort: skip - scripted finds it
from cecp_bridge import CecpBridge  # isort: skip

E4: dict[str, Any] = {"from": "e2", "to": "e4", "promote": ""}
E5 = {"from": "e7", "to": "e5", "promote": ""}
CHESS: dict[str, Any] = {
    "game": "chess",
    "options": {"fen": None, "chess960": False, "number": None},
    "view": {"start": START},
    "seat": 0,
    "time": TIME,
    "history": [],
}
FEATURES = 'feature ping=1 setboard=1 usermove=1 san=0 memory=1 smp=1 myname="Six 1.0"'
OPTIONS = 'feature option="Style -combo a /// *b" option="Clear -button" done=1'


def engine(*moves: str | Sequence[str], features: Sequence[str] = (FEATURES, OPTIONS)) -> Engine:
    """Return an engine that answers each `go` with the next of these."""
    left = iter(moves)

    def answer(line: str) -> Sequence[str]:
        word, _, rest = line.partition(" ")
        if word == "protover":
            return features
        if word == "ping":
            has_ping = "ping=1" in features[0]
            return [f"pong {rest}" if has_ping else "Error (unknown command): ping"]
        if word == "go":
            said = next(left)
            return [f"move {said}"] if isinstance(said, str) else said
        return []

    return answer


def begun(bridge: Any, **init: Any) -> Any:
    hello = bridge.greet()
    assert bridge.answer({"type": "init", **CHESS, **init}) == {"type": "ready"}
    return hello


def move(bridge: Any, *others: Any, **call: Any) -> Any:
    moves = [{"seat": 1, "move": other} for other in others]
    return bridge.answer({"type": "move", "opponent_moves": moves, **call})


def test_two_moves_of_a_match_with_an_opening() -> None:
    settings: dict[str, Any] = {
        "options": {"hash": 64, "Threads": 2, "style": "b", "Clear": True},
        "go": "depth 8",
    }
    fen = "4k3/8/8/8/8/8/P7/4K3 b - - 0 1"
    with scripted(CecpBridge, engine("a2a4", "e1e2"), settings) as (bridge, heard):
        history = [{"seat": 0, "move": {"from": "e8", "to": "e7", "promote": ""}}]
        assert begun(bridge, view={"start": fen}, history=history)["name"] == "Six 1.0"
        assert move(bridge, left_ms=59_000)["move"] == {"from": "a2", "to": "a4", "promote": ""}
        assert move(bridge, E5)["move"] == {"from": "e1", "to": "e2", "promote": ""}
        bridge.leave()

    answered = [line for line in heard if line.startswith(("accepted", "rejected"))]
    assert "rejected san" in answered
    assert "accepted ping" in answered
    assert [line for line in heard if line not in answered] == [
        *("xboard", "protover 2", "memory 64", "cores 2", "option Style=b", "option Clear"),
        *("ping 1", "new", "force", "post", "easy", "level 0 1:00 0", "sd 8", f"setboard {fen}"),
        *("usermove e8e7", "ping 2"),
        *("force", "time 5900", "otim 5900", "ping 3", "go", "force"),
        *("force", "usermove e7e5", "time 250", "otim 250", "ping 4", "go", "force", "quit"),
    ]


@pytest.mark.parametrize(
    ("time", "level"),
    [
        ({"per_move_ms": 2500}, "st 2"),
        ({"per_move_ms": 100}, "st 1"),
        ({"per_move_ms": 9000, "bank_ms": 9000, "increment_ms": 2000}, "level 0 0:09 2"),
        ({"per_move_ms": 600_000, "bank_ms": 600_000, "bank_moves": 40}, "level 40 10:00 0"),
    ],
)
def test_limits_of_time(time: Any, level: str) -> None:
    with scripted(CecpBridge, engine("e2e4"), SETTINGS) as (bridge, heard):
        begun(bridge, time=time)

    assert level in heard


def mated(moves: int) -> dict[str, int]:
    return {"depth": 9, "nodes": 5, "mate": moves}


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        (["move e2e4"], {"move": E4}),
        (["My move is: e2e4"], {"move": E4}),
        (["1. ... e2e4"], {"move": E4}),
        (["\t move   e2e4 "], {"move": E4}),
        (["move e7e8Q"], {"move": {"from": "e7", "to": "e8", "promote": "q"}}),
        (["move O-O"], {"move": {"from": "e1", "to": "g1", "promote": ""}}),
        (["move 0-0-0"], {"move": {"from": "e1", "to": "c1", "promote": ""}}),
        (["resign"], {"resign": True}),
        (["0-1 {White resigns}"], {"resign": True}),
        (
            ["# a remark", "tellics say x", "", " 9. -31 120 5000  Nf3 d5", "move e2e4"],
            {"move": E4, "value": -57, "data": {"depth": 9, "nodes": 5000, "cp": -31}},
        ),
        (["9 100005 1 5", "move e2e4"], {"move": E4, "value": 1000, "data": mated(5)}),
        (["9 -100005 1 5", "move e2e4"], {"move": E4, "value": -1000, "data": mated(-5)}),
        (["Illegal move: sd 3", "Illegal move: post", "move e2e4"], {"move": E4}),
        (["#" + "x" * 90_000, "move e2e4"], {"move": E4}),
    ],
)
def test_what_go_answers(said: Sequence[str], reply: Any) -> None:
    with scripted(CecpBridge, engine(said), SETTINGS) as (bridge, _):
        begun(bridge)
        assert move(bridge) == {"type": "play", **reply}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (["move Nf3"], "no move: Nf3"),
        (["move 0000"], "no move: 0000"),
        (["1/2-1/2 {fifty moves}"], "the engine ends the game instead of a move: 1/2"),
        (["Illegal move: e2e4"], "the engine refuses a legal move: Illegal move: e2e4"),
        (["x" * 70_000], "a line of more than 65536 bytes"),
    ],
)
def test_wrong_answers_are_quoted(said: Sequence[str], message: str) -> None:
    with scripted(CecpBridge, engine(said), SETTINGS) as (bridge, _):
        begun(bridge)
        with pytest.raises(LineError) as error:
            move(bridge)
    assert str(error.value).startswith(message)


def test_a_second_move_is_none_of_the_next_turn() -> None:
    """It is printed with the answer to the next ping, before the `pong`."""
    plain = engine("e2e4", "d2d4")

    def late(line: str) -> Sequence[str | bytes]:
        said = plain(line)
        return ["move a2a3", *said] if line in ("ping 3", "ping 4") else said

    with scripted(CecpBridge, late, SETTINGS) as (bridge, _):
        begun(bridge)
        assert move(bridge)["move"] == E4
        assert move(bridge, E5)["move"] == {"from": "d2", "to": "d4", "promote": ""}


def test_an_engine_of_few_features_is_played_without_a_position() -> None:
    few = ("feature done=1",)
    with scripted(CecpBridge, engine("e2e4", features=few), SETTINGS) as (bridge, heard):
        assert begun(bridge) == {"type": "hello", "wants": ["clocks"]}
        assert move(bridge, E5)["move"] == E4
        assert bridge.answer({"type": "ping"}) == {"type": "pong"}
        assert "e7e5" in heard
        assert not any(line.startswith(("ping", "usermove")) for line in heard)
        with pytest.raises(LineError, match="no feature setboard"):
            bridge.answer({"type": "init", **CHESS, "view": {"start": "8/8 w"}})


@pytest.mark.parametrize(
    ("options", "init", "message"),
    [
        ({"Hsh": 1}, {}, "the engine has no option Hsh"),
        ({}, {"options": {"chess960": True}}, "Chess960 is not played by CECP here"),
    ],
)
def test_what_cannot_be_set_up_is_refused(options: Any, init: Any, message: str) -> None:
    settings = {"options": options, "go": ""}
    with (
        scripted(CecpBridge, engine(), settings) as (bridge, _),
        pytest.raises(LineError, match=message),
    ):
        begun(bridge, **init)


def test_features_without_end_are_refused() -> None:
    many = [f"feature {' '.join(f'f{n}x{k}=1' for k in range(900))}" for n in range(150)]
    with (
        scripted(CecpBridge, engine(features=many), SETTINGS) as (bridge, _),
        pytest.raises(LineError, match="options of more than 1048576 characters"),
    ):
        bridge.greet()


def test_black_castles_in_its_own_row() -> None:
    with scripted(CecpBridge, engine("o-o"), SETTINGS) as (bridge, _):
        begun(bridge, seat=1)
        assert move(bridge)["move"] == {"from": "e8", "to": "g8", "promote": ""}


def test_it_resigns_in_another_game() -> None:
    with scripted(CecpBridge, engine(), SETTINGS) as (bridge, _):
        begun(bridge, game="go")
        assert move(bridge) == {"type": "play", "resign": True}


SETTINGS: dict[str, Any] = {"options": {}, "go": ""}

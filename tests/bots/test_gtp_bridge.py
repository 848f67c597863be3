"""The bridge to engines of GTP: the dialog, times, refusals and wrong answers."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgpack
import pytest
from c_programs import missing
from router_seat import TERM, Seat, bridge
from scripted import TIME, Engine, scripted

from arena_bridge import LineError  # isort: skip - scripted finds it
from gtp_bridge import GtpBridge  # isort: skip

GO: dict[str, Any] = {
    "game": "go",
    "options": {"size": 9, "komi": "6.5", "handicap": 0},
    "seat": 0,
    "seed": 2**32 - 1,
    "time": TIME,
    "history": [],
}
GOMOKU = {**GO, "game": "gomoku", "options": {"size": 15, "rule": "exact", "opening": "free"}}
OTHELLO = {**GO, "game": "open_spiel/othello", "options": {"points_per_unit": 1}}
COMMANDS = ("list_commands", "time_settings", "time_left")


def engine(
    genmove: str | Sequence[str | bytes] = "D4", *, knows: Sequence[str] = COMMANDS, **given: str
) -> Engine:
    """Return an engine; `given` are other answers by command, with their mark."""

    def answer(line: str) -> Sequence[str | bytes]:
        number, command = line.split()[:2]
        if command in given:
            return [given[command].replace("#", number), ""]
        if command.endswith("genmove") or command == "lz-genmove_analyze":
            return (
                [*f"={number} {genmove}".split("\n"), ""] if isinstance(genmove, str) else genmove
            )
        text = {"name": "An Engine", "list_commands": "\n".join(knows)}.get(command, "")
        return [*f"={number} {text}".split("\n"), ""]

    return answer


def begun(bridge: Any, **init: Any) -> None:
    assert bridge.greet()["name"] == "An Engine"
    assert bridge.answer({"type": "init", **GO, **init}) == {"type": "ready"}


def genmove(bridge: Any, *others: Any, **call: Any) -> Any:
    moves = [{"seat": 1, "move": move} for move in others]
    return bridge.answer({"type": "move", "opponent_moves": moves, **call})


def fault(engine: Engine, **init: Any) -> str:
    with scripted(GtpBridge, engine) as (bridge, _):
        try:
            begun(bridge, **init)
            genmove(bridge)
        except LineError as error:
            return str(error)
    return "no fault"


def test_a_match_of_go_with_a_handicap_and_history() -> None:
    knows = (*COMMANDS, "set_random_seed")
    with scripted(GtpBridge, engine("d4", knows=knows)) as (bridge, heard):
        options = {"size": 13, "komi": "-0.5", "handicap": 2}
        history = [{"seat": 1, "move": {"at": "K10"}}, {"seat": 0, "move": {"at": "pass"}}]
        begun(bridge, options=options, history=history)
        reply = genmove(bridge, {"at": "pass"}, left_ms=20_999)

        assert reply == {"type": "play", "move": {"at": "D4"}}
        assert bridge.answer({"type": "term", **TERM}) == {"type": "bye"}
        assert [line.partition(" ")[2] for line in heard[3:]] == [
            "boardsize 13",
            "clear_board",
            "komi -0.5",
            "fixed_handicap 2",
            "play w K10",
            "play b pass",
            "set_random_seed 2147483647",
            "time_settings 25 0 0",
            "play w pass",
            "time_left b 20 0",
            "genmove b",
        ]


@pytest.mark.parametrize(
    ("time", "settings", "left_ms", "told"),
    [
        ({"per_move_ms": 2500, "bank_ms": 10_500}, "10 0 0", 10_499, "10 0"),
        ({"per_move_ms": 2500, "bank_ms": 60_000}, "25 0 0", 60_000, "25 0"),
        ({"per_move_ms": 2500, "bank_ms": 60_000}, "25 0 0", 0, "1 0"),
        ({"per_move_ms": 9000, "bank_ms": 9000, "bank_moves": 40}, "0 9 40", 8_000, "8 40"),
        ({"per_move_ms": 9000, "bank_ms": 9000, "bank_moves": 1}, "0 9 1", 8_000, "8 1"),
        ({"per_move_ms": 30_000}, "0 30 1", None, None),
        ({"per_move_ms": 20}, "0 1 1", None, None),
    ],
)
def test_limits_become_whole_seconds(
    time: Any, settings: str, left_ms: int | None, told: str | None
) -> None:
    with scripted(GtpBridge, engine()) as (bridge, heard):
        begun(bridge, time=time)
        genmove(bridge, **({} if left_ms is None else {"left_ms": left_ms}))

    lines = [line.split(maxsplit=1)[1] for line in heard]
    assert f"time_settings {settings}" in lines
    assert [line for line in lines if "time_left" in line] == (
        [] if told is None else [f"time_left b {told}"]
    )


def test_an_engine_without_commands_of_time_receives_none_and_may_refuse_them() -> None:
    with scripted(GtpBridge, engine(knows=())) as (bridge, heard):
        begun(bridge)
        genmove(bridge, left_ms=5000)
    assert not any("time" in line for line in heard)
    with scripted(GtpBridge, engine(time_settings="?# syntax error")) as (bridge, _):
        begun(bridge)
        assert genmove(bridge)["move"] == {"at": "D4"}


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("D4", {"move": {"at": "D4"}}),
        ("PASS", {"move": {"at": "pass"}}),
        ("pass", {"move": {"at": "pass"}}),
        ("RESIGN", {"resign": True}),
        ("T19", {"move": {"at": "T19"}}),  # off the board: the referee says so
        ("i9\t", {"move": {"at": "I9"}}),
        ("D\x004\x07", {"move": {"at": "D4"}}),
    ],
)
def test_what_genmove_answers(said: str, reply: Any) -> None:
    with scripted(GtpBridge, engine(said)) as (bridge, _):
        begun(bridge)
        assert genmove(bridge) == {"type": "play", **reply}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("D4 extra", "no vertex in the answer to genmove: D4 extra"),
        ("", "no vertex in the answer to genmove: "),
        ("D4\nE5", "no vertex in the answer to genmove: D4\nE5"),
        ("44", "no vertex in the answer to genmove: 44"),
        ("D4" * 99, "no vertex in the answer to genmove: D4D4"),
        (["?7 no idea", ""], 'the engine refused "genmove b": ?7 no idea'),
        (["=9 D4", ""], 'the id of "genmove b" is 7, the engine answered: =9 D4'),
        (["= D4", ""], 'the id of "genmove b" is 7, the engine answered: = D4'),
        (["=7 " + "x" * 70_000, ""], "a line of more than 65536 bytes"),
        (["=7 D4", *["x" * 1000] * 70, ""], 'more than 65536 bytes as an answer to "genmove b"'),
        ([b"=7 \xff\xfe", ""], "no vertex in the answer to genmove: \ufffd\ufffd"),
    ],
)
def test_wrong_answers_are_quoted(said: str | Sequence[str | bytes], message: str) -> None:
    lines = said if not isinstance(said, str) else [*f"=7 {said}".split("\n"), ""]
    assert message in fault(engine(lines, knows=()))


@pytest.mark.parametrize("mark", ["=", "=#", "  =#"], ids=["without ids", "with ids", "indented"])
def test_an_answer_that_nobody_asked_for_is_no_move(mark: str) -> None:
    """Each command has two answers, and the second one comes with the next command."""
    late: list[str] = []
    moves = iter(("C3", "D4", "E5"))

    def answer(line: str) -> Sequence[str]:
        number, command = line.split()[:2]
        text = {"name": "An Engine", "genmove": ""}.get(command, "")
        text = next(moves) if command == "genmove" else text
        said = [*late, f"{mark} {text}".replace("#", number), ""]
        late[:] = said[-2:]
        return said

    with scripted(GtpBridge, answer) as (bridge, _):
        begun(bridge)
        assert [genmove(bridge)["move"]["at"] for _ in range(3)] == ["C3", "D4", "E5"]


def test_a_long_analysis_counts_by_its_last_estimate() -> None:
    infos = [f"info move C3 visits {k} winrate 1 pv C3{' pass' * 3000}" for k in range(20)]
    infos.append("info move C3 winrate 5000 pv C3 " + "D4 " * 90_000)
    said = "\n".join(["", *infos, "info move C3 visits 1 winrate 5000 pv C3", "play C3"])
    knows = (*COMMANDS, "lz-genmove_analyze")
    with scripted(GtpBridge, engine(said, knows=knows)) as (bridge, _):
        begun(bridge)
        assert genmove(bridge) == {"type": "play", "move": {"at": "C3"}, "value": 0, "plan": []}


def test_ids_may_be_left_out_of_all_answers_or_of_none() -> None:
    def answer(line: str) -> Sequence[str]:
        return ["", "some words", "= An Engine" if "name" in line else "=  c3  ", ""]

    with scripted(GtpBridge, answer) as (bridge, _):
        begun(bridge)
        assert genmove(bridge)["move"] == {"at": "C3"}


@pytest.mark.parametrize("command", ["boardsize", "clear_board", "komi", "play"])
def test_a_refusal_is_quoted(command: str) -> None:
    history = [{"seat": 0, "move": {"at": "D4"}}]
    message = fault(engine(**{command: "?# unacceptable"}), history=history)

    assert message.startswith(f'the engine refused "{command}')
    assert message.endswith("unacceptable")


def test_points_of_gomoku_have_a_column_i_and_those_of_gtp_have_none() -> None:
    with scripted(GtpBridge, engine("J1")) as (bridge, heard):
        begun(bridge, **GOMOKU)
        assert genmove(bridge, {"at": "i9"}, {"at": "h8"})["move"] == {"at": "i1"}

    assert [line.split(maxsplit=1)[1] for line in heard if "play" in line] == [
        "play w J9",
        "play w H8",
    ]
    assert not any("komi" in line for line in heard)
    swap2 = {**GOMOKU, "options": {**GOMOKU["options"], "opening": "swap2"}}
    assert "the choices of swap2" in fault(engine(), **swap2)
    large = {**GOMOKU, "options": {**GOMOKU["options"], "size": 26}}
    assert "a board of 26 columns" in fault(engine(), **large)  # a rival could play the last one


def test_moves_of_open_spiel_are_its_texts_and_forced_passes_may_be_refused() -> None:
    with scripted(GtpBridge, engine("C5", play="?# syntax error")) as (bridge, heard):
        begun(bridge, **OTHELLO)
        passed = {"action": 64, "text": "pass"}
        assert genmove(bridge, passed) == {"type": "play", "move": {"text": "c5"}}
    assert not any("boardsize" in line for line in heard)
    assert any("play w pass" in line for line in heard)

    hex_board = {**OTHELLO, "game": "open_spiel/hex", "options": {"board_size": 7}}
    with scripted(GtpBridge, engine("RESIGN")) as (bridge, heard):
        begun(bridge, **hex_board)
        assert genmove(bridge) == {"type": "play", "resign": True}
    assert heard[3].endswith("boardsize 7")
    message = fault(engine(play="?# illegal"), **{**OTHELLO, "history": [_entry("d3")]})
    assert 'the engine refused "play b d3"' in message


def _entry(text: str) -> dict[str, Any]:
    return {"seat": 0, "move": {"action": 19, "text": text}}


def test_other_games_are_refused() -> None:
    assert fault(engine(), game="pente") == "pente cannot be played in GTP"


def test_analysis_becomes_a_value_and_a_plan() -> None:
    info = "info move D4 visits 9 winrate 7500 prior 1 order 0 pv D4 E5 pass info move Q3 pv Q3"
    said = f"\ninfo move C3 visits 1 winrate 1 pv C3\n{info}\nplay D4"
    knows = (*COMMANDS, "lz-genmove_analyze")
    with scripted(GtpBridge, engine(said, knows=knows)) as (bridge, heard):
        begun(bridge)
        assert genmove(bridge) == {
            "type": "play",
            "move": {"at": "D4"},
            "value": 500,
            "plan": [{"at": "E5"}, {"at": "pass"}],
        }
        assert heard[-1].endswith("lz-genmove_analyze b 100")


REAL = """
import sys
for line in sys.stdin:
    if line == "quit\\n":
        print("it quits", file=sys.stderr)
        break
    number, command = line.split()[:2]
    print("=" + number, {"genmove": "E5", "name": "real"}.get(command, ""), flush=True)
    print(flush=True)
"""


def test_an_engine_in_a_process_plays_two_matches_and_quits(tmp_path: Path) -> None:
    argv = (sys.executable, bridge("gtp"), sys.executable, "-c", REAL)
    with Seat(tmp_path, argv) as seat:
        assert seat.hello["name"] == "real"
        for match in range(2):
            seat.init(**GO)
            assert seat.call("ping") == {"type": "pong"}
            assert seat.move() == {"type": "play", "move": {"at": "E5"}}
            seat.term(last=match == 1)
        assert seat.end() == (0, "", "it quits\n")


def test_an_engine_that_refuses_the_size_is_no_message_for_the_referee(tmp_path: Path) -> None:
    gnugo = shutil.which("gnugo", path="/usr/games")
    if gnugo is None:
        missing("engine gnugo")
    with Seat(tmp_path, (sys.executable, bridge("gtp"), gnugo, "--mode", "gtp")) as seat:
        assert seat.hello["name"] == "GNU Go"
        size = {**GO["options"], "size": 26}
        seat.send(msgpack.packb({"type": "init", "id": 1, **GO, "options": size}))
        *_, payload = seat._router.recv_multipart()
        assert msgpack.unpackb(payload) == 'the engine refused "boardsize 26": ?4 unacceptable size'

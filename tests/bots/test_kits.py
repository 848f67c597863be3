"""One suite for the kits of all languages; `kits.py` has what is special to each."""

import os
import re
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgpack
import pytest
from c_programs import COMMAND, MORE, frame
from kits import BY_NAME, KITS
from probing import BROKEN_CALLS, CALL, MIB, Kit, Probe, ended, told
from router_seat import TERM, TOKEN

MOVES: dict[str, dict[str, Any]] = {
    "pente": {"v": -9, "h": 9},
    "matchsticks": {"row": True, "line": 63, "start": 0, "end": 63},
    "chinese_checkers": {"from": [252, -63], "to": [0, 1]},
    "down_n_out": {"row": 9, "col": 29},
    "damspel": {"from": [2, 1], "to": [3, 0]},
}
ANSWERS: dict[str, dict[str, Any]] = {
    "resign": {"resign": True},
    "done": {"done": True},
    "play": {"move": {"x": 1}},
    "all": {"move": {"x": 1}, "claims": {"victory": True}, "note": "h\u00e9"},
    "remarks": {
        "move": {"v": 0, "h": 0},
        "value": -7,
        "plan": [{"v": 1, "h": 2}],
        "data": {"depth": 3},
    },
}
ENDPOINTS = (
    *("ipc:///tmp/no-such-folder/s", "tcp://127.0.0.1:1"),
    *("udp://x", "tcp://x", "nothing", ""),
)


@pytest.fixture(params=BY_NAME)
def probe(request: pytest.FixtureRequest, probes: Callable[[Kit], Probe]) -> Probe:
    return probes(BY_NAME[request.param])


def each(cases: Callable[[Kit], Iterable[tuple[Any, ...]]], names: str) -> pytest.MarkDecorator:
    """Parametrize by the cases of each kit."""
    values = [(kit.name, *case) for kit in KITS for case in cases(kit)]
    return pytest.mark.parametrize(f"probe, {names}", values, indirect=["probe"])


def _those(takes: Callable[[Kit], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("probe", [kit.name for kit in KITS if takes(kit)], indirect=True)


TYPED = _those(lambda kit: kit.is_typed)
PRINTING = _those(lambda kit: kit.prints)
FRAMED = _those(lambda kit: kit.has_own_frames)


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_matches_are_played_from_hello_to_exit(probe: Probe, transport: str) -> None:
    played = {"seat": 1, "move": {"v": 0, "h": -4}}
    with probe.seat(transport=transport) as seat:
        assert not seat.hello.pop("wants", [])
        assert seat.hello == {
            "type": "hello",
            "protocol": 1,
            "token": TOKEN,
            "language": probe.kit.name,
        }
        for seed in (2**32 - 1, 7):
            assert seat.call("ping") == {"type": "pong"}
            seat.init(seed=seed, history=[played], match="talk", weather={"rain": True})
            fields = {"ply": 3, "opponent_moves": [played], "left_ms": 7, "view": {"do": "told"}}
            play = seat.move(**fields, mood="good")
            note = f"{seed} cpu 1 3 7"
            assert play == {"type": "play", "move": played["move"], "note": note}
            seat.term(last=seed == 7)
        printed = 2 * f"{TERM['reason']}\n" if probe.kit.prints else ""
        assert seat.end() == (0, printed, "")


def test_an_answer_is_sent_in_a_play_message(probe: Probe) -> None:
    with probe.seat() as seat:
        seat.init()
        for do, reply in (ANSWERS | dict(probe.kit.answers)).items():
            assert seat.move(**told(do)) == {"type": "play", **reply}


@TYPED
def test_a_move_of_a_game_is_typed_in_both_directions(probe: Probe) -> None:
    with probe.seat() as seat:
        seat.init()
        for game, move in MOVES.items():
            assert seat.move(**told(f"typed {game}", move)) == {"type": "play", "move": move}


@pytest.mark.parametrize(
    ("game", "move", "place"),
    [
        ("pente", {"v": 0}, "h"),
        ("pente", {"v": "0", "h": 0}, ".v: "),
        ("pente", {"v": 0, "h": True}, ".h: "),
        ("pente", MOVES["down_n_out"], "v"),
        ("matchsticks", {**MOVES["matchsticks"], "row": 1}, ".row: "),
        ("matchsticks", {**MOVES["matchsticks"], "end": None}, ".end: "),
        ("matchsticks", MOVES["pente"], "row"),
        ("down_n_out", {"row": 1, "col": [2]}, ".col: "),
        ("down_n_out", MOVES["pente"], "row"),
        ("chinese_checkers", MOVES["matchsticks"], "from"),
        ("damspel", {"from": [0, 0], "to": 3}, ".to: "),
        ("damspel", {"from": [0, "x"], "to": [1, 1]}, ".from"),
        ("damspel", {"from": [0], "to": [1, 1]}, ".from"),
    ],
)
@TYPED
def test_an_error_in_a_typed_move_names_the_field(
    probe: Probe, game: str, move: dict[str, Any], place: str
) -> None:
    said = probe.end_by(f"typed {game}", move)

    assert said.startswith("arena_bot: move")
    assert said.count("\n") == 1
    assert place in said


@_those(lambda kit: kit.is_typed and kit.name != "go")
def test_a_number_too_large_for_its_type_is_named(probe: Probe) -> None:
    assert ".h: " in probe.end_by("typed pente", {"v": 0, "h": 2**40})


@each(lambda kit: kit.mistakes.items(), "do, complaint")
def test_an_invalid_answer_ends_the_bot_and_is_named(probe: Probe, do: str, complaint: str) -> None:
    said = probe.end_by(do)

    assert said.startswith(f"arena_bot: {complaint}")
    assert said.count("\n") == 1


@each(lambda kit: kit.exceptions.items(), "do, says")
def test_an_exception_ends_the_bot_with_a_trace(probe: Probe, do: str, says: str) -> None:
    said = probe.end_by(do)

    assert says in said
    assert probe.main in said or said.startswith("Traceback")


@each(lambda kit: kit.broken.items(), "call, complaint")
def test_an_invalid_call_ends_the_bot_and_is_named(probe: Probe, call: str, complaint: str) -> None:
    payload = BROKEN_CALLS[call]
    with probe.seat() as seat:
        seat.send(payload if isinstance(payload, bytes) else msgpack.packb(payload))
        said = ended(seat)

    assert said.startswith("arena_bot: ")
    assert said.count("\n") == 1
    assert complaint in said


def test_a_call_may_be_as_long_as_the_limit(probe: Probe) -> None:
    empty = msgpack.packb({"type": "ping", "id": 1, "padding": "x" * 70_000})
    padding = "x" * (70_000 + MIB - len(empty))
    with probe.seat() as seat:
        assert len(msgpack.packb({"type": "ping", "id": 1, "padding": padding})) == MIB
        assert seat.call("ping", padding=padding) == {"type": "pong"}


def test_unknown_calls_are_ignored_notices_passed_on_and_the_bot_ends_with_its_connection(
    probe: Probe,
) -> None:
    with probe.seat() as seat:
        seat.init()
        for kind in ("gossip", "constructor"):  # what every object of JavaScript has
            seat.send(msgpack.packb({"type": kind, "id": 1}))
        assert seat.move(**told("play")) == {"type": "play", "move": {"x": 1}}
        seat.send(msgpack.packb({"type": "error", "code": "crash", "detail": "play.move: no"}))
        assert seat.call("ping") == {"type": "pong"}
        seat.hang_up()
        notice = probe.kit.notice.format("crash", "play.move: no")
        says = probe.kit.says
        code, printed, errors = seat.end()
        errors = re.sub(r"jsonl_bridge: the last lines .*\n(  [<>] .*\n)+", "", errors)
        assert (code, printed) == (1, "")
        assert errors == f"{says}: {notice}\n{says}: {probe.kit.gone}\n"


@PRINTING
def test_a_bot_whose_referee_goes_while_it_thinks_ends(probe: Probe) -> None:
    with probe.gate() as gate, probe.seat() as seat:
        seat.init()
        seat.send(msgpack.packb({**CALL, **told("think")}))
        assert seat.read_output(1) == b"!"  # a line is written at once, without a flush
        seat.hang_up()
        os.write(gate, b"x")
        said = ended(seat)
        assert said.startswith(f"arena_bot: {probe.kit.gone}")
        assert said.count("\n") == 1


def test_a_bot_without_a_referee_ends_and_says_why(probe: Probe) -> None:
    for missing in ("ARENA_ENDPOINT", "ARENA_TOKEN"):
        environment = {"ARENA_ENDPOINT": "ipc:///tmp/s", "ARENA_TOKEN": TOKEN}
        del environment[missing]
        code, said = probe.alone(**environment)
        assert (code, probe.kit.unset in said) == (1, True)
    for endpoint in ENDPOINTS:
        code, said = probe.alone(ARENA_ENDPOINT=endpoint, ARENA_TOKEN=TOKEN)
        assert (code, said.count("\n")) == (1, 1)
        assert said.startswith(f"{probe.kit.says}: ")


@PRINTING
def test_display_without_a_board_is_named(probe: Probe) -> None:
    with probe.seat() as seat:
        seat.init(match="blind")
        seat.send(msgpack.packb({"type": "display", "id": 1}))
        assert probe.kit.blind in ended(seat)


@_those(lambda kit: kit.handles_signals)
def test_a_storm_of_signals_loses_no_reply_and_not_the_last(probe: Probe) -> None:
    with probe.seat() as seat:
        for match in range(10):
            seat.init(match="storm")
            for _ in range(20):
                seat.signal(signal.SIGALRM)
                assert seat.move(**told("play"))["move"] == {"x": 1}
            seat.term(last=match == 9)
        assert seat.end() == (0, "", "")


@PRINTING
def test_what_was_printed_is_not_lost_at_the_exit(probe: Probe) -> None:
    with probe.seat() as seat:
        seat.init()
        seat.move(**told("print"))
        seat.term()
        assert seat.end() == (0, "thinking", "")


@FRAMED
def test_frames_may_arrive_in_pieces_with_commands_between(probe: Probe, folder: Path) -> None:
    with probe.raw(folder) as referee:
        referee.shake_hands()
        for byte in frame(msgpack.packb({"type": "ping", "id": 7})):
            referee.say(bytes([byte]))
        assert referee.receive() == {"type": "pong", "id": 7}
        referee.say(frame(b"\x05LATER", COMMAND) + frame(b"\x04PING\x00\x64abc", COMMAND))
        assert referee.frame() == (COMMAND, b"\x04PONGabc")
        referee.say(frame(b"", MORE) + frame(b""))
        code, said = referee.ended()
        assert code == 1
        assert "a message is one frame" in said


@FRAMED
def test_no_memory_is_reserved_for_a_frame_over_the_limit(probe: Probe, folder: Path) -> None:
    with probe.raw(folder) as referee:
        referee.shake_hands()
        referee.say(b"\x02" + b"\xff" * 8)
        code, said = referee.ended()
        assert code == 1
        assert f"a call of {2**64 - 1} bytes" in said

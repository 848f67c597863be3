import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
from c_programs import COMMAND, GREETING, RawReferee, frame
from kit_probes import Probe, check_alone, check_frames, check_promises
from router_seat import BOTS, INIT, TERM, TOKEN, Seat

KIT = BOTS / "sdk" / "python" / "arena_bot.py"
MIB = 1024 * 1024

TELLS_ALL = """
import json
from arena_bot import Bot, done, play, resign, run

class Teller(Bot):
    def on_init(self, init): self.init = init
    def on_move(self, call): return play({"ply": call["ply"]}, note=json.dumps([self.init, call]))
    def on_display(self, call): return ["01", "10"]
    def on_term(self, term): print(json.dumps(term))

run(Teller())
"""


def answering(answer: str, before: str = "") -> str:
    return f"""
import arena_bot, os, signal, sys
from arena_bot import *
{before}
class Mine(Bot):
    def on_move(self, call): {answer}
run(Mine())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(KIT, tmp_path)
    return tmp_path


def resigning(folder: Path) -> Probe:
    """A bot that resigns, and how it is started."""
    (folder / "main.py").write_text(answering("return resign()"))
    return Probe(folder, [sys.executable, str(folder / "main.py")])


@contextmanager
def seated(folder: Path, source: str, **options: Any) -> Iterator[Seat]:
    (folder / "main.py").write_text(source)
    with Seat(folder, [sys.executable, "main.py"], **options) as seat:
        yield seat


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_a_match_is_played_from_hello_to_exit(folder: Path, transport: str) -> None:
    moves = [{"seat": 1, "move": {"v": 0, "h": -4}}]
    with seated(folder, TELLS_ALL, transport=transport) as seat:
        assert seat.hello == {
            "type": "hello",
            "protocol": 1,
            "token": TOKEN,
            "language": "python",
        }
        assert seat.call("ping") == {"type": "pong"}
        seat.init(history=moves)
        assert seat.call("ping") == {"type": "pong"}
        play = seat.move(ply=3, opponent_moves=moves, left_ms=7)
        init, call = json.loads(play.pop("note"))
        assert play == {"type": "play", "move": {"ply": 3}}
        assert (init["history"], init["view"], init["seed"]) == (moves, INIT["view"], 1)
        assert (call["opponent_moves"], call["left_ms"]) == (moves, 7)
        assert seat.call("display") == {"type": "picture", "board": ["01", "10"]}
        seat.term()
        code, out, err = seat.end()
        assert (code, err) == (0, "")
        assert json.loads(out)["reason"] == TERM["reason"]


def test_hello_says_what_the_bot_says_of_itself(folder: Path) -> None:
    named = """
from arena_bot import Bot, run
class Mine(Bot):
    name = "mine"; version = "1.2"; wants = ("view", "legal")
run(Mine())
"""
    with seated(folder, named) as seat:
        assert seat.hello["name"] == "mine"
        assert seat.hello["version"] == "1.2"
        assert seat.hello["wants"] == ["view", "legal"]


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("return resign()", {"resign": True}),
        ("return done()", {"done": True}),
        ("return play({'v': 0})", {"move": {"v": 0}}),
        (
            "return play({'v': 0}, claims={'victory': True}, note='\u00e9' * 1024)",
            {"move": {"v": 0}, "claims": {"victory": True}, "note": "\u00e9" * 1024},
        ),
        (
            "return play({'v': 0}, value=0, plan=[{'v': 1}, {'h': -9}], data={'depth': 2**53})",
            {"move": {"v": 0}, "value": 0, "plan": [{"v": 1}, {"h": -9}], "data": {"depth": 2**53}},
        ),
        ("return play({'v': 0}) | {'id': 77, 'type': 'bye'}", {"move": {"v": 0}}),
    ],
)
def test_what_a_bot_answers_stands_in_its_play(
    folder: Path, answer: str, reply: dict[str, Any]
) -> None:
    with seated(folder, answering(answer)) as seat:
        seat.init()
        assert seat.move() == {"type": "play", **reply}


def test_a_process_plays_matches_until_the_last(folder: Path) -> None:
    with seated(folder, TELLS_ALL) as seat:
        for number in range(3):
            seat.init(seed=number)
            init, _ = json.loads(seat.move()["note"])
            assert init["seed"] == number
            seat.term(last=number == 2)
        code, out, _ = seat.end()
        assert code == 0
        assert [json.loads(line)["last"] for line in out.splitlines()] == [False, False, True]


def test_unknown_calls_and_fields_are_ignored(folder: Path) -> None:
    with seated(folder, TELLS_ALL) as seat:
        seat.init(weather={"rain": True})
        seat.send(msgpack.packb({"type": "gossip", "id": 1}))
        assert seat.move(mood="good")["move"] == {"ply": 0}


def test_a_notice_of_error_is_passed_on_and_not_answered(folder: Path) -> None:
    with seated(folder, TELLS_ALL) as seat:
        seat.send(msgpack.packb({"type": "error", "code": "malformed", "detail": "play.move: no"}))
        seat.init()
        seat.term()
        assert seat.end()[2] == "arena_bot: error: malformed: play.move: no\n"


def padded(length: int) -> bytes:
    """A call of exactly so many bytes."""
    call = {"type": "ping", "id": 1, "padding": "x" * (length - 100)}
    rest = length - len(msgpack.packb(call))
    packed = msgpack.packb({**call, "padding": "x" * (length - 100 + rest)})
    assert isinstance(packed, bytes)
    return packed


def test_a_call_may_be_as_big_as_the_limit(folder: Path) -> None:
    assert len(padded(MIB)) == MIB
    with seated(folder, TELLS_ALL) as seat:
        seat.send(padded(MIB))
        assert seat.receive() == {"type": "pong", "id": 1}


MOVE = {"type": "move", "id": 1, "ply": 0, "opponent_moves": []}


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        (b"", "a call that is not msgpack"),
        (b"\xc1", "a call that is not msgpack"),
        (b"\x81\xa1", "a call that is not msgpack"),
        (msgpack.packb(MOVE) + b"\x00", "a call that is not msgpack"),
        (msgpack.packb([1]), "a call is a map with a type, not [1]"),
        (msgpack.packb({"type": 3}), "a call is a map with a type, not {'type': 3}"),
        (msgpack.packb({**MOVE, "ply": "0"}), "move.ply: int expected, not '0'"),
        (msgpack.packb({**MOVE, "ply": True}), "move.ply: int expected, not True"),
        (msgpack.packb({**MOVE, "opponent_moves": {}}), "move.opponent_moves: list expected"),
        (msgpack.packb({"type": "ping"}), "ping.id: int expected, not missing"),
        (msgpack.packb({"type": "init", "id": 1}), "init.seat: int expected, not missing"),
        (
            msgpack.packb({"type": "init", "id": 1, **INIT, "view": ["."]}),
            "init.view: dict expected, not ['.']",
        ),
        (
            msgpack.packb({"type": "term", "id": 1, **TERM, "last": 1}),
            "term.last: bool expected, not 1",
        ),
        (msgpack.packb({"type": "error", "code": "crash"}), "error.detail: str expected"),
        (padded(MIB + 1), f"a call of {MIB + 1} bytes; the limit is {MIB}"),
    ],
)
def test_what_is_no_call_ends_the_bot_and_is_named(
    folder: Path, payload: bytes, complaint: str
) -> None:
    with seated(folder, TELLS_ALL) as seat:
        seat.send(payload)
        code, _, err = seat.end()
        assert code == 1
        assert err.startswith(f"arena_bot: {complaint}")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("return play({'v': 'x' * 70000})", "arena_bot: play: 70"),
        ("return play({'v': {1, 2}})", "arena_bot: play: cannot be sent"),
        ("return play({'v': 2**70})", "arena_bot: play: cannot be sent"),
        ("return play({'v': '\\ud800'})", "arena_bot: play: cannot be sent"),
        ("return play({}, note='x' * 1025)", "play.note: 1025 characters; the limit is 1024"),
        ("pass", "on_move must return play(...), resign() or done(), not None"),
        ("return {}['nothing']", "KeyError: 'nothing'"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise NotImplementedError('not yet')", "NotImplementedError: not yet"),
    ],
)
def test_a_bot_that_goes_wrong_ends_and_says_why(folder: Path, answer: str, complaint: str) -> None:
    with seated(folder, answering(answer)) as seat:
        seat.init()
        seat.send(msgpack.packb({"type": "move", "id": 9, "ply": 0, "opponent_moves": []}))
        code, _, err = seat.end()
        assert code == 1
        assert complaint in err
        is_wire = complaint.startswith("arena_bot")
        assert is_wire is not ("Traceback" in err)


def test_signals_do_not_end_the_wait_for_a_call(folder: Path) -> None:
    counting = """
import os, signal
hits = 0
def hit(*_):
    global hits
    hits += 1
    os.write(1, b"!")
signal.signal(signal.SIGUSR1, hit)
"""
    with seated(folder, answering("return play({'hits': hits})", counting)) as seat:
        seat.init()
        for _ in range(20):
            seat.signal(signal.SIGUSR1)
            assert seat.read_output(1) == b"!"
        assert seat.move()["move"] == {"hits": 20}


def test_a_storm_of_signals_loses_no_reply_and_not_the_last(folder: Path) -> None:
    storm = """
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
"""
    with seated(folder, answering("return play({'v': 0})", storm)) as seat:
        for _ in range(10):
            seat.init()
            for _ in range(20):
                assert seat.move()["move"] == {"v": 0}
            seat.term(last=False)
        seat.init()
        seat.term(last=True)
        assert seat.end() == (0, "", "")


def test_a_bot_whose_referee_is_gone_ends(folder: Path) -> None:
    with seated(folder, TELLS_ALL) as seat:
        seat.init()
        seat.hang_up()
        assert seat.end() == (1, "", "arena_bot: the connection to the referee is closed\n")


def test_a_bot_whose_referee_goes_while_it_thinks_ends(folder: Path) -> None:
    thinking = "os.write(1, b'!'); signal.sigwait(signals); return play({'v': 0})"
    waking = "signals = {signal.SIGUSR1}; signal.pthread_sigmask(signal.SIG_BLOCK, signals)"
    with seated(folder, answering(thinking, waking)) as seat:
        seat.init()
        seat.send(msgpack.packb(MOVE))
        assert seat.read_output(1) == b"!"
        seat.hang_up()
        seat.signal(signal.SIGUSR1)
        assert seat.end() == (1, "", "arena_bot: the connection to the referee is closed\n")


def test_a_bot_with_no_referee_ends(folder: Path) -> None:
    check_alone(resigning(folder))


def test_a_call_comes_in_pieces_and_a_ping_of_zmtp_is_answered(folder: Path) -> None:
    check_frames(resigning(folder), folder)


def test_a_frame_that_promises_too_much_is_refused_by_its_header(folder: Path) -> None:
    check_promises(resigning(folder), folder)


@pytest.mark.parametrize(
    ("opening", "complaint"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n".ljust(64), "the referee speaks no ZMTP 3"),
        (GREETING[:10] + b"\x01" + GREETING[11:], "the referee speaks no ZMTP 3"),
        (GREETING.replace(b"NULL\0", b"CURVE"), "the referee speaks no ZMTP 3"),
        (GREETING + frame(b"\x05ERROR\x00", COMMAND), "the referee's first frame is not READY"),
        (GREETING + frame(msgpack.packb(MOVE)), "the referee's first frame is not READY"),
    ],
)
def test_what_is_no_referee_ends_the_bot(folder: Path, opening: bytes, complaint: str) -> None:
    probe = resigning(folder)
    with RawReferee(Path(probe.argv[0]), folder, *probe.argv[1:], "resign") as referee:
        referee.say(opening)
        code, said = referee.ended()
    assert code == 1
    assert complaint in said


def test_what_was_printed_is_not_lost_at_the_exit(folder: Path) -> None:
    with seated(folder, answering("print('thinking', end=''); return resign()")) as seat:
        seat.init()
        seat.move()
        seat.term()
        assert seat.end() == (0, "thinking", "")


def test_the_kit_imports_nothing_heavy(folder: Path) -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import arena_bot, sys; print(*sys.modules)"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "msgpack" in loaded
    heavy = {"asyncio", "dataclasses", "inspect", "pathlib", "re", "traceback", "typing", "zmq"}
    assert not heavy & set(loaded)

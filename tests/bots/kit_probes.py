"""What the kits with typed calls and moves have in common, held against a probe of each language.

A probe is a bot that does at its turn what its last argument says; `probes/`.
"""

import subprocess
from pathlib import Path
from typing import Any

import msgpack
from c_programs import COMMAND, MORE, RawReferee, frame
from router_seat import TOKEN, Seat
from waiting import PATIENCE_S

MOVES: dict[str, dict[str, Any]] = {
    "pente": {"v": -9, "h": 9},
    "matchsticks": {"row": True, "line": 63, "start": 0, "end": 62},
    "chinese_checkers": {"from": [252, -63], "to": [0, 1]},
    "down_n_out": {"row": 9, "col": 29},
    "damspel": {"from": [2, 1], "to": [3, 0]},
}
OTHERS = {
    "pente": "down_n_out",
    "matchsticks": "pente",
    "chinese_checkers": "matchsticks",
    "down_n_out": "pente",
    "damspel": "pente",
}
"""A game whose moves are no moves of this one."""

PLAYED = {"seat": 1, "move": MOVES["pente"]}
CALL = {"type": "move", "id": 9, "ply": 0, "opponent_moves": []}


class Probe:
    """A built probe and its command."""

    def __init__(self, folder: Path, argv: list[str]) -> None:
        """Take the folder that it was built in."""
        self.folder = folder
        self.argv = argv

    def seat(self, does: str, **options: Any) -> Seat:
        """Start it at a seat."""
        return Seat(self.folder, [*self.argv, does], **options)

    def raw(self, room: Path, does: str = "resign") -> RawReferee:
        """Start it at a seat that speaks ZMTP by hand; it has said hello."""
        program, *arguments = self.argv
        referee = RawReferee(Path(program), room, *arguments, does)
        referee.shake_hands()
        return referee

    def alone(self, **environment: str) -> tuple[int, str]:
        """Run it with no referee; return its exit code and what it said on stderr."""
        ended = subprocess.run(
            [*self.argv, "resign"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return ended.returncode, ended.stderr


def end_at_its_turn(probe: Probe, does: str, **fields: Any) -> str:
    """Call for a move that must end the probe with code 1; return what it said on stderr."""
    with probe.seat(does) as seat:
        seat.init()
        seat.send(msgpack.packb({**CALL, "legal": [], **fields}))
        code, _, said = seat.end()
        assert code == 1
        assert said.startswith("arena_bot: ")
        return said


def end_at(probe: Probe, payload: bytes) -> str:
    """Send what is no call; return the one line that the probe says on stderr as it ends."""
    with probe.seat("resign") as seat:
        seat.send(payload)
        code, _, said = seat.end()
        assert (code, said.count("\n")) == (1, 1)
        return said.removeprefix("arena_bot: ").removesuffix("\n")


def check_typed_moves(probe: Probe, game: str) -> None:
    """A move of the game goes through its type and back; another game's names what it lacks."""
    with probe.seat(game) as seat:
        seat.init()
        assert seat.move(legal=[MOVES[game]]) == {"type": "play", "move": MOVES[game]}
    said = end_at_its_turn(probe, game, legal=[MOVES[OTHERS[game]]])
    assert f".{next(iter(MOVES[game]))}: " in said
    assert "expected, not " in said


def check_told(probe: Probe, note: str) -> None:
    """What init and move tell arrives; a second match in the process is told anew."""
    with probe.seat("told", transport="tcp") as seat:
        assert seat.hello.keys() == {"type", "protocol", "token", "language"}
        for last in (False, True):
            seat.init(seed=2**32 - 1, history=[PLAYED])
            play = seat.move(ply=3, opponent_moves=[PLAYED], left_ms=7)
            assert play == {"type": "play", "move": PLAYED["move"], "note": note}
            seat.term(last=last)
        assert seat.end() == (0, "", "")


def check_answers(probe: Probe, does: str, reply: dict[str, Any]) -> None:
    """What the bot answers stands in its play."""
    with probe.seat(does) as seat:
        seat.init()
        assert seat.move() == {"type": "play", **reply}


def check_frames(probe: Probe, room: Path) -> None:
    """A call may come in pieces, a PING is answered, and other commands are passed over."""
    with probe.raw(room) as referee:
        for byte in frame(msgpack.packb({"type": "ping", "id": 7})):
            referee.say(bytes([byte]))
        assert referee.receive() == {"type": "pong", "id": 7}
        referee.say(frame(b"\x05LATER", COMMAND) + frame(b"\x04PING\x00\x64abc", COMMAND))
        assert referee.frame() == (COMMAND, b"\x04PONGabc")
        referee.say(frame(b"", MORE) + frame(b""))
        code, said = referee.ended()
        assert code == 1
        assert "a message is one frame" in said


def check_promises(probe: Probe, room: Path) -> None:
    """A frame that promises more than a call may have is refused by its header."""
    with probe.raw(room) as referee:
        referee.say(b"\x02" + b"\xff" * 8)
        code, said = referee.ended()
        assert code == 1
        assert f"a call of {2**64 - 1} bytes" in said


def check_hang_up(probe: Probe) -> None:
    """A bot whose referee is gone ends."""
    with probe.seat("resign") as seat:
        seat.init()
        seat.hang_up()
        assert seat.end() == (1, "", "arena_bot: the connection to the referee is closed\n")


def check_alone(probe: Probe) -> None:
    """A bot with no referee ends and says what it lacks."""
    for missing in ("ARENA_ENDPOINT", "ARENA_TOKEN"):
        environment = {"ARENA_ENDPOINT": "ipc:///tmp/s", "ARENA_TOKEN": TOKEN}
        del environment[missing]
        code, said = probe.alone(**environment)
        assert (code, "ARENA_ENDPOINT and ARENA_TOKEN must be set" in said) == (1, True)
    for endpoint in ("ipc:///tmp/no-such-folder/s", "tcp://127.0.0.1:1", "udp://x", "tcp://x"):
        code, said = probe.alone(ARENA_ENDPOINT=endpoint, ARENA_TOKEN=TOKEN)
        assert (code, said.count("\n")) == (1, 1)
        assert said.startswith("arena_bot: ")

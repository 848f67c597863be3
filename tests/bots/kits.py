"""The kits of all languages: how a probe of each is built, and the words of its messages.

A probe is a bot with a kit, in `probes/KIT`. At its turn it does what the field `view.do` says,
with the first legal move; `init.match` may ask for more: `talk`, `storm` or `blind`.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgpack
from c_programs import RawReferee
from router_seat import INIT, TERM, Seat
from waiting import PATIENCE_S

PROBES = Path(__file__).with_name("probes")
MIB = 1024 * 1024
CALL = {"type": "move", "id": 9, "ply": 0, "opponent_moves": []}
_INIT = {"type": "init", "id": 1, **INIT}
_TERM = {"type": "term", "id": 1, **TERM}

BROKEN_CALLS: dict[str, Any] = {
    "ply as text": {**CALL, "ply": "0"},
    "ply true": {**CALL, "ply": True},
    "moves as integer": {**CALL, "opponent_moves": 3},
    "moves as map": {**CALL, "opponent_moves": {"a": 1}},
    "an empty legal move": {**CALL, "legal": [{}]},
    "init alone": {"type": "init", "id": 1},
    "view as list": {**_INIT, "view": ["."]},
    "seed nil": {**_INIT, "seed": None},
    "seat of 2^40": {**_INIT, "seat": 2**40},
    "bank as text": {**_INIT, "time": {**INIT["time"], "bank_ms": "1"}},
    "last 1": {**_TERM, "last": 1},
    "mixed scores": {**_TERM, "scores": ["1", 2]},
    "detail as integer": {"type": "error", "code": "crash", "detail": 3},
    "no detail": {"type": "error", "code": "crash"},
    "id as text": {"type": "ping", "id": "7"},
    "no id": {"type": "ping"},
    "type 3": {"type": 3},
    "a list": [1],
    "no bytes": b"",
    "the reserved byte": b"\xc1",
    "cut off": b"\x81\xa1",
    "a byte too many": msgpack.packb(CALL) + b"\x00",
    "too long": {"type": "ping", "id": 7, "padding": "x" * MIB},
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Kit:
    """A kit and the words of its messages."""

    name: str
    """Language of its starter and folder of its probe."""
    compile: tuple[str, ...] = ()
    """Command in a copy of the built starter with the probe's program; () if nothing is built."""
    mistakes: Mapping[str, str]
    """The one line on stderr, without `arena_bot: `, by what the probe does."""
    exceptions: Mapping[str, str] = field(default_factory=dict)
    """Part of a trace by what the probe does."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Message about a broken call by its name."""
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Replies special to this kit by what the probe does."""
    is_typed: bool = False
    """Whether it has a type for the moves of each game."""
    has_own_frames: bool = False
    """Whether the suite checks its ZMTP; the kit in C has tests of its own."""
    blind: str = "this game asks for the board: the bot must have on_display"
    gone: str = "the connection to the referee is closed"
    notice: str = "error: {}: {}"
    unset: str = "ARENA_ENDPOINT and ARENA_TOKEN must be set"
    says: str = "arena_bot"
    """Word before each message on stderr."""
    prints: bool = True
    """Whether its bots may print; not if their stdout has the replies."""
    handles_signals: bool = True


class Probe:
    """A built probe."""

    def __init__(self, kit: Kit, folder: Path, main: str, argv: Sequence[str]) -> None:
        """Take the folder that it was built in, its source there, and its command."""
        self.kit = kit
        self.folder = folder
        self.main = main
        program = str(folder / argv[0]) if "/" in argv[0] else shutil.which(argv[0]) or argv[0]
        self._argv = [program, *argv[1:]]

    def seat(self, **options: Any) -> Seat:
        """Start it at a seat."""
        return Seat(self.folder, self._argv, **options)

    def raw(self, room: Path) -> RawReferee:
        """Start it at a seat that speaks ZMTP by hand."""
        program, *arguments = self._argv
        return RawReferee(Path(program), room, *arguments, cwd=self.folder)

    def alone(self, **environment: str) -> tuple[int, str]:
        """Run it without a referee; return its exit code and stderr."""
        done = subprocess.run(
            self._argv,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return done.returncode, done.stderr

    def end_by(self, do: str, choice: Any = None) -> str:
        """Have it do at its turn what ends it with code 1; return its stderr."""
        with self.seat() as seat:
            seat.init()
            seat.send(msgpack.packb({**CALL, **told(do, choice)}))
            return ended(seat)

    @contextmanager
    def gate(self) -> Iterator[int]:
        """Make the pipe at which a thinking probe waits; give its other end."""
        path = self.folder / "gate"
        os.mkfifo(path)
        gate = os.open(path, os.O_RDWR)
        yield gate
        os.close(gate)
        path.unlink()


def told(do: str, choice: Any = None) -> dict[str, Any]:
    """Return the fields of a move call that tell a probe what to do."""
    return {"view": {"do": do}, "legal": [{"x": 1} if choice is None else choice]}


def ended(seat: Seat) -> str:
    """Return the stderr of a bot that ends with code 1."""
    code, _, said = seat.end()
    assert code == 1
    return said


C_TWICE = "move 9: one arena_play, arena_resign or arena_done a move"
BROKEN_FIELDS = {
    "ply as text": "move.ply: ",
    "ply true": "move.ply: ",
    "moves as integer": "move.opponent_moves: ",
    "view as list": "init.view: ",
    "seed nil": "init.seed: ",
    "last 1": "term.last: ",
    "detail as integer": "error.detail: ",
    "id as text": "ping.id: ",
    "type 3": "a call is a map with a type, not {",
    "too long": "a call of 10486",
}
"""What the kits of C++ and Rust say of broken calls."""
RUSTC = """
cd target/release/deps
for crate in serde serde_json serde_path_to_error rmp_serde; do
    set -- "$@" --extern "$crate=$(echo lib$crate-*.rlib)"
done
exec rustc --edition 2021 -L dependency=. "$@" -o ../bot ../../../main.rs
"""
"""Compiles with the crates that the starter's build left; cargo would build them all again."""
KITS = (
    Kit(
        name="c",
        mistakes={
            "nothing": C_TWICE,
            "twice": C_TWICE,
            "no play": "move 9: a value where none is due",
            "one too many": "move 9: a value where none is due",
            "unfinished move": "move 9: the reply lacks 1 values at its end",
            "note too early": 'move 9: the reply lacks 1 values before "note"',
            "empty map": "move 9: the reply has an empty map",
            "large integer": "move 9: 9007199254740993 is outside +-2^53",
            "latin-1": "move 9: the reply gets text that is not UTF-8",
            "too long": "move 9: a reply of more than 65536 bytes",
            "missing field": 'move 9: field "absent": an int is needed, not nothing',
            "wrong type": 'move 9: field "do": a map is needed, not a string',
            "copy of nothing": "move 9: the reply gets a copy of nil",
            "own message": "move 9: no move for 42",
        },
        blind="display 1: this bot has no on_display to show the board",
        gone="the referee closed the connection",
        notice="the referee says: {}: {}",
        unset="ARENA_ENDPOINT or ARENA_TOKEN is not set",
    ),
    Kit(
        name="cpp",
        compile=("g++", "-std=c++17", "-O0", "-o", "bot", "main.cpp", "-lzmq"),
        mistakes={
            "note": "play.note: 1025 characters; the limit is 1024",
            "long": "play: 70028 bytes; the limit is 65536",
            **dict.fromkeys(("float", "huge", "empty", "deep", "bytes"), "play: cannot be sent: "),
            "fail": "move: the bot threw: no idea",
            "throw 3": "move: the bot threw a value that is not a std::exception",
        },
        broken=BROKEN_FIELDS,
        is_typed=True,
    ),
    Kit(
        name="rust",
        compile=("sh", "-c", RUSTC),
        mistakes={
            "note": "play.note: 1025 characters; the limit is 1024",
            "long": "play: 70028 bytes; the limit is 65536",
            **dict.fromkeys(("float", "huge", "empty", "deep"), "play: cannot be sent: "),
            "fail": "no idea",
        },
        broken=BROKEN_FIELDS,
        is_typed=True,
    ),
    Kit(
        name="go",
        compile=(
            *("go", "build", "-tags=netgo,osusergo", "-gcflags=all=-dwarf=false", "-ldflags=-w"),
            *("-trimpath", "-buildvcs=false", "-o", "bot", "."),
        ),
        answers={
            "claims": {
                "move": {"v": 0, "h": -4},
                "claims": {"victory": False, "captures": [[[0, 1], [0, 2]]]},
            },
        },
        mistakes={
            "nothing": "move 9: OnMove must return Play(move), Resign() or Done()",
            "long": "move 9: play: 70",
            "float": "move 9: play.move.from[1]: a float, binary data or an extension (cb)",
            "huge": "move 9: play.move.v: an integer outside +-2^53",
            "bytes": "move 9: play.move.v: text that is not UTF-8",
            "empty": "move 9: play.move: a map that is empty",
            "nil": "move 9: play.move: nothing",
            "note": "move 9: play.note: 1025 characters; the limit is 1024",
        },
        exceptions={"panic": "move 9: panic: runtime error: index out of range"},
        broken={
            "ply as text": 'move.ply: int expected, not "0"',
            "ply true": "move.ply: int expected, not true",
            "an empty legal move": "call.legal[0]: a map that is empty",
            "no id": "ping.id: int64 expected, not nothing",
            "bank as text": 'init.time.bank_ms: int64 expected, not "1"',
            "mixed scores": "term.scores[1]: string expected, not 2",
            "a list": "a call is a map with a type, not [1]",
        },
        is_typed=True,
        has_own_frames=True,
        blind="display 1: this game asks for the board",
    ),
    Kit(
        name="java",
        compile=(
            *("sh", "-c"),
            (
                "javac -J-XX:TieredStopAtLevel=1 -cp 'target/classes:target/dependency/*'"
                " -encoding UTF-8 -d target/classes Starter.java"
            ),
        ),
        answers={
            "claims": {
                "move": {"v": 0, "h": -4},
                "claims": {"victory": False, "captures": [[[0, 1], [0, 2]]]},
            },
        },
        mistakes={
            "nothing": "move 9: onMove must return play(move), resign() or done(), not null",
            "long": "move 9: play: 70",
            "float": "move 9: play.claims.board[1]: cannot be sent: Double 0.5",
            "huge": "move 9: play.claims.removed: cannot be sent: Long 9007199254740993",
            "bytes": "move 9: play.claims.board: cannot be sent: String",
            "empty": "move 9: play.claims: cannot be sent: ",
            "note": "move 9: play.note: 1025 characters; the limit is 1024",
        },
        exceptions={
            "panic": "move 9: java.lang.ArrayIndexOutOfBoundsException",
            "nil": "move 9: java.lang.NullPointerException: play: the move is null",
            "memory": "move 9: java.lang.OutOfMemoryError",
        },
        broken={
            "ply as text": "move.ply: Long expected, not String 0",
            "ply true": "move.ply: Long expected, not Boolean true",
            "no id": "ping.id: Long expected, not nothing",
            "bank as text": "init.time.bank_ms: Long expected, not String 1",
            "seat of 2^40": "init.seat: an int expected, not Long 1099511627776",
            "mixed scores": "term.scores: String expected, not Long 2",
            "a list": "a call is a map with a type, not ArrayList [1]",
        },
        is_typed=True,
        has_own_frames=True,
        blind="display 1: this game asks for the board",
        handles_signals=False,
    ),
    Kit(
        name="javascript",
        answers={
            "unsaid": {"move": {"x": 1}, "plan": []},
            "numbers": {"move": {"v": [2**53, -(2**53), 2**32, -1, 0, 5]}},
            "override": {"move": {"x": 1}},
        },
        mistakes={
            "float": "play.move.x: an integer within 2^53 expected, not 3.5",
            "nan": "play.move.x: an integer within 2^53 expected, not NaN",
            "huge": "play.move.x: an integer within 2^53 expected",
            "undefined": "play.move.x[1]: a value or an object with fields",
            "map": "play.move.x: a value or an object with fields",
            "empty": "play.move: a value or an object with fields expected, not {}",
            "bytes": "play.move.x: Unicode text expected, not ",
            "long": "play: 70",
            "cycle": "play.move.x[0][0]",
            "nothing": "onMove must return play(...), resign() or done(), not undefined",
            "list": "onMove must return play(...), resign() or done(), not [",
            "bare": "onMove must return play(...), resign() or done(), not {",
        },
        exceptions={
            "note": "play.note: 1025 characters",
            "property": "Cannot read properties of undefined (reading 'more')",
            "reject": "Error: not yet",
        },
        broken={
            "no bytes": "a call that is not msgpack",
            "a byte too many": "a call that is not msgpack",
            "a list": "a call is a map with a type, not [ 1 ]",
            "ply as text": "move.ply: an integer expected, not '0'",
            "no id": "ping.id: an integer expected, not missing",
            "last 1": "term.last: a boolean",
        },
        blind="this game asks for the board: the bot must have onDisplay",
        handles_signals=False,
    ),
    Kit(
        name="python",
        answers={"override": {"move": {"x": 1}}},
        mistakes={
            "long": "play: 70",
            "set": "play: cannot be sent",
            "huge": "play: cannot be sent",
            "bytes": "play: cannot be sent",
        },
        exceptions={
            "note": "play.note: 1025 characters; the limit is 1024",
            "nothing": "on_move must return play(...), resign() or done(), not None",
            "bare": "on_move must return play(...), resign() or done(), not {'",
            "key": "KeyError: 'nothing'",
            "zero": "ZeroDivisionError",
            "unwritten": "NotImplementedError: a bot must have on_move",
        },
        broken={
            "no bytes": "a call that is not msgpack",
            "the reserved byte": "a call that is not msgpack",
            "cut off": "a call that is not msgpack",
            "a byte too many": "a call that is not msgpack",
            "a list": "a call is a map with a type, not [1]",
            "type 3": "a call is a map with a type, not {'type': 3}",
            "ply as text": "move.ply: int expected, not '0'",
            "ply true": "move.ply: int expected, not True",
            "moves as map": "move.opponent_moves: list expected",
            "no id": "ping.id: int expected, not missing",
            "init alone": "init.seat: int expected, not missing",
            "view as list": "init.view: dict expected, not ['.']",
            "last 1": "term.last: bool expected, not 1",
            "no detail": "error.detail: str expected",
            "too long": f"bytes; the limit is {MIB}",
        },
        has_own_frames=True,
    ),
    Kit(
        name="ruby",
        answers={
            "override": {"move": {"x": 1}},
            "numbers": {"move": {"v": [2**53, -(2**53), 2**32, 128, -33, -1, 0]}},
        },
        mistakes={
            "long": "play: 70",
            "float": "play.move.x[1]: cannot be sent: Float 0.5",
            "huge": "play.move.x: cannot be sent: 9007199254740993 is outside +-2^53",
            "empty": "play.move: cannot be sent: a map without fields",
            "bytes": "play.move.x: cannot be sent: text that is not UTF-8",
            "cycle": "play.move.x[0][0]",
            "nothing": "on_move must return play(...), resign or done, not nil",
            "bare": 'on_move must return play(...), resign or done, not {"x"',
        },
        exceptions={
            "note": "play.note: 1025 characters; the limit is 1024 (ArgumentError)",
            "key": 'key not found: "nothing" (KeyError)',
            "zero": "divided by 0 (ZeroDivisionError)",
            "unwritten": "a bot must have on_move (NotImplementedError)",
        },
        broken={
            "no bytes": "a call that is not msgpack: its end is missing",
            "the reserved byte": "a call that is not msgpack: the byte c1",
            "cut off": "a call that is not msgpack: its end is missing",
            "a byte too many": "a call that is not msgpack: bytes behind the call",
            "a list": "a call is a map with a type, not [1]",
            "type 3": 'a call is a map with a type, not {"type"=>3}',
            "ply as text": 'move.ply: Integer expected, not "0"',
            "ply true": "move.ply: Integer expected, not true",
            "moves as map": "move.opponent_moves: Array expected",
            "no id": "ping.id: Integer expected, not missing",
            "init alone": "init.seat: Integer expected, not missing",
            "view as list": 'init.view: Hash expected, not ["."]',
            "last 1": "term.last: true or false expected, not 1",
            "no detail": "error.detail: String expected",
            "too long": f"bytes; the limit is {MIB}",
        },
        has_own_frames=True,
    ),
    Kit(
        name="php",
        answers={
            "override": {"move": {"x": 1}},
            "numbers": {"move": {"v": [2**53, -(2**53), 2**32, 128, -33, -1, 0]}},
        },
        mistakes={
            "long": "play: 70",
            "float": "play.move.x[1]: cannot be sent: float",
            "huge": "play.move.x: cannot be sent: 9007199254740993 is outside +-2^53",
            "empty": "play.move: cannot be sent: a map without fields",
            "bytes": "play.move.x: cannot be sent: text that is not UTF-8",
            "cycle": "play.move.x[0][0]",
            "nothing": "onMove must return play(...), resign() or done(), not null",
            "bare": 'onMove must return play(...), resign() or done(), not {"x"',
        },
        exceptions={
            "note": "ValueError: play.note: 1025 characters; the limit is 1024",
            "key": "Undefined property: stdClass::$nothing",
            "zero": "DivisionByZeroError: Division by zero",
        },
        broken={
            "no bytes": "a call that is not msgpack: its end is missing",
            "the reserved byte": "a call that is not msgpack: the byte c1",
            "cut off": "a call that is not msgpack: its end is missing",
            "a byte too many": "a call that is not msgpack: bytes behind the call",
            "a list": "a call is a map with a type, not [1]",
            "type 3": 'a call is a map with a type, not {"type":3}',
            "ply as text": 'move.ply: int expected, not "0"',
            "ply true": "move.ply: int expected, not true",
            "moves as map": "move.opponent_moves: array expected",
            "no id": "ping.id: int expected, not missing",
            "init alone": "init.seat: int expected, not missing",
            "view as list": 'init.view: stdClass expected, not ["."]',
            "last 1": "term.last: bool expected, not 1",
            "no detail": "error.detail: string expected",
            "too long": f"bytes; the limit is {MIB}",
        },
        has_own_frames=True,
        blind="this game asks for the board: the bot must have onDisplay",
    ),
    Kit(
        name="jsonl",
        mistakes={},
        says="jsonl_bridge",
        prints=False,
        handles_signals=False,
    ),
)
BY_NAME = {kit.name: kit for kit in KITS}

"""Probes: bots with a kit that do at their turn what the field `view.do` says.

Each is in `probes/KIT`, and plays the first legal move; `init.match` may ask for more: `talk`,
`storm` or `blind`.
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
from waiting import LONGEST_S

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
            timeout=LONGEST_S,
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

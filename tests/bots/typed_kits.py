"""The kits with typed calls and moves: how a probe of each is built, and what is special to it."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack
from c_programs import missing
from kit_probes import CALL, Probe
from router_seat import BOTS, INIT, TERM


@dataclass(frozen=True, kw_only=True)
class TypedKit:
    """A kit, its probe and the words of its messages."""

    name: str
    programs: tuple[str, ...]
    """Toolchain of the kit."""
    source: str
    """File name of the probe, in `probes` and in traces."""
    build: tuple[str, ...]
    run: tuple[str, ...]
    """Command line of the probe; `{folder}` is where it was built."""
    note: str
    """Note of the probe about the calls it received."""
    mistakes: Mapping[str, str]
    """Error messages by what the probe answers."""
    exceptions: Mapping[str, str]
    """First lines of traces by what the probe does."""
    broken_calls: tuple[tuple[Any, str], ...]
    """Calls with an error in them, and the messages about it."""
    handles_signals: bool = False
    """Whether the probe of this kit handles signals."""

    def probe(self, folder: Path) -> Probe:
        """Build the probe in a folder."""
        for program in self.programs:
            if shutil.which(program) is None:
                missing(f"{program} for the {self.name} kit")
        for source in (BOTS / "sdk" / self.name).iterdir():
            shutil.copy(source, folder)
        shutil.copy(Path(__file__).with_name("probes") / self.source, folder)
        subprocess.run(self.build, cwd=folder, check=True)
        program, *arguments = (word.format(folder=folder) for word in self.run)
        return Probe(folder, [shutil.which(program) or program, *arguments])


LATE_INIT = {"type": "init", "id": 1, **INIT, "time": {**INIT["time"], "bank_ms": "1"}}
MIXED_SCORES = {"type": "term", "id": 1, **TERM, "scores": ["1", 2]}

KITS = (
    TypedKit(
        name="go",
        programs=("go",),
        source="probe.go",
        build=("go", "build", "-buildvcs=false", "-o", "bot", "."),
        run=("{folder}/bot",),
        note="4294967295 cpu 1 3 7",
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
        exceptions={"panic": "panic: runtime error: index out of range"},
        broken_calls=(
            ({**CALL, "ply": "0"}, 'move.ply: int expected, not "0"'),
            ({**CALL, "ply": True}, "move.ply: int expected, not true"),
            ({**CALL, "legal": [{}]}, "call.legal[0]: a map that is empty"),
            ({"type": "ping"}, "ping.id: int64 expected, not nothing"),
            (LATE_INIT, 'init.time.bank_ms: int64 expected, not "1"'),
            (MIXED_SCORES, "term.scores[1]: string expected, not 2"),
            ([1], "a call is a map with a type, not [1]"),
        ),
        handles_signals=True,
    ),
    TypedKit(
        name="java",
        programs=("java", "mvn"),
        source="Probe.java",
        build=("mvn", "-q", "-B", "compile"),
        run=(
            *("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m"),
            *("-cp", "{folder}/target/classes:{folder}/target/dependency/*", "Probe"),
        ),
        note="[4294967295, cpu, 1, 3, 7]",
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
            "panic": "java.lang.ArrayIndexOutOfBoundsException",
            "nil": "java.lang.NullPointerException: play: the move is null",
            "memory": "java.lang.OutOfMemoryError",
        },
        broken_calls=(
            ({**CALL, "ply": "0"}, "move.ply: Long expected, not String 0"),
            ({**CALL, "ply": True}, "move.ply: Long expected, not Boolean true"),
            ({"type": "ping"}, "ping.id: Long expected, not nothing"),
            (LATE_INIT, "init.time.bank_ms: Long expected, not String 1"),
            (
                {"type": "init", "id": 1, **INIT, "seat": 2**40},
                "init.seat: an int expected, not Long 1099511627776",
            ),
            (MIXED_SCORES, "term.scores: String expected, not Long 2"),
            ([1], "a call is a map with a type, not ArrayList [1]"),
        ),
    ),
)
BY_NAME = {kit.name: kit for kit in KITS}


def packed(call: Any) -> bytes:
    """Return a call as it is sent."""
    payload = msgpack.packb(call)
    assert isinstance(payload, bytes)
    return payload

"""A bridge between the wire and a chess engine that speaks CECP, the protocol of xboard, version 2.

    python3 cecp_bridge.py SETTINGS PROGRAM [ARGUMENT ...]

A bot.yaml with `protocol: cecp` is run so. SETTINGS is a JSON object:
{"options": {"Hash": 16}, "go": "depth 8"}; `go` limits the depth. The engine's `feature` lines name
its options; `Hash` is `memory` and `Threads` is `cores` where the engine has these features.

The engine is in force mode except between `go` and its move, so it never thinks outside its calls.
Each `go` follows a `ping`: a second or a late move comes before the `pong` and is dropped. An
engine without `ping` cannot be asked so, and has to print one move for each `go`.

Time: `time` is the rest of the bank, or without a bank the limit of the move. `?` (move now) comes
before that limit.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from arena_bot import Fields, Wire
from arena_bridge import SHOWN, LineError, Program, run_bridge
from arena_engine import EngineBridge, value_of
from uci_games import START, Chess

MAX_NAME = 100
GREETING_MS = 2000
"""Time for the features; an engine of version 1 of the protocol sends none."""
RESERVE_MS = 10
MATE = 100_000
MOST = 2**53
ACCEPTED = frozenset(
    {"ping", "setboard", "usermove", "time", "memory", "smp", "option", "myname", "colors", "done"}
    | {"variants", "reuse", "sigint", "sigterm", "analyze", "name", "draw", "nps", "debug"}
)
"""Features that the bridge takes; `san`, for one, it does not."""
QUIET = ("#", "feature", "pong", "tellics", "Hint:", "Book:")


class CecpBridge(EngineBridge):
    """Plays chess with an engine."""

    REMARKS = (b"#", b"tell")

    def __init__(self, wire: Wire, program: Program, token: str, settings: Fields) -> None:
        super().__init__(wire, program, token)
        self._options: Fields = settings["options"]
        self._depth: str = settings["go"].removeprefix("depth ")
        self._features: dict[str, str] = {}
        self._declared: dict[str, tuple[str, str]] = {}  # name and kind by name in lower case
        self._game = Chess()
        self._is_other_game = False
        self._time: Fields = {}
        self._seat = 0
        self._row = "1"  # of the own king at the start
        self._ping = 0
        self._is_asked = False  # whether the engine has read the last `go`, or will do so next
        self._data: dict[str, int] = {}

    def greet(self) -> Fields:
        """Greet the engine and set its options."""
        self.write("xboard", "protover 2")
        self.wait(self._declaration, stop_after_ms=GREETING_MS, stop="ping 0")
        for name, value in self._options.items():
            self._set(name, value)
        self.synchronize()
        name = self._features.get("myname", "")
        return {"type": "hello", "wants": ["clocks"], **({"name": name[:MAX_NAME]} if name else {})}

    def leave(self) -> None:
        """Tell the engine to exit."""
        self.write("quit")

    def begin(self, init: Fields) -> None:
        self._is_other_game = init["game"] != "chess"
        if self._is_other_game:
            return
        if init["options"].get("chess960"):
            raise LineError("Chess960 is not played by CECP here; name an engine of UCI")
        self._time, self._seat = init["time"], init["seat"]
        self._row = "18"[self._seat]
        self.write("new", "force", "post", "easy", *self._levels())
        start = init["view"]["start"]
        if start != START:
            if self._features.get("setboard") != "1":
                raise LineError("the engine has no feature setboard, so it begins no opening")
            self.write(f"setboard {start}")
        self._enter(init["history"])
        self.synchronize()

    def _levels(self) -> list[str]:
        """Return the time control; an engine that looks at `time` alone needs no more."""
        depth = [f"sd {self._depth}"] if self._depth else []
        bank = self._time.get("bank_ms")
        if bank is None:
            return [f"st {max(1, self._time['per_move_ms'] // 1000)}", *depth]
        minutes, seconds = divmod(max(1, bank // 1000), 60)
        increment = max(0, (self._time.get("increment_ms") or 0) // 1000)
        every = self._time.get("bank_moves") or 0
        return [f"level {every} {minutes}:{seconds:02} {increment}", *depth]

    def _enter(self, entries: list[Fields]) -> None:
        mark = "usermove " if self._features.get("usermove") == "1" else ""
        self.write(*(f"{mark}{self._game.to_text(entry['move'])}" for entry in entries))

    def play(self, call: Fields) -> Fields:
        if self._is_other_game:
            return {"resign": True}
        self.write("force")
        self._enter(call["opponent_moves"])
        left = call.get("left_ms")
        most = self._time["per_move_ms"]
        told: int = most if left is None else left
        clocks = {clock["seat"]: clock["left_ms"] for clock in call.get("clocks") or []}
        other = clocks.get(1 - self._seat, told)
        self.write(f"time {max(1, told // 10)}", f"otim {max(1, other // 10)}")
        self._settle()
        self._data = {}
        self.write("go")
        limit = most if left is None else min(most, left)
        line = self.wait(self._move, stop_after_ms=limit - max(RESERVE_MS, limit // 20), stop="?")
        self.write("force")
        remarks: Fields = {"value": value_of(self._data), "data": self._data} if self._data else {}
        if line == "resign":
            return {"resign": True, **remarks}
        castled = _CASTLED.get(line.upper().replace("0", "O"), "")
        move = self._game.to_wire(castled.replace("#", self._row) or line.lower())
        if move is None:
            raise LineError(f"no move: {line[:SHOWN]}")
        return {"move": move, **remarks}

    def _move(self, line: str) -> str | None:
        """Return the move of a line, or `resign`; a line before the `pong` is none about it."""
        if not self._is_asked:
            self._settles(line)
            return None
        if found := _MOVE.match(line):
            return found[1]
        words = line.split()
        if not words:
            return None
        if words[0].lower() == "resign" or _is_resignation(line):
            return "resign"
        if words[0] in _RESULTS:
            raise LineError(f"the engine ends the game instead of a move: {line[:SHOWN]}")
        self._note(line)
        return None

    def _note(self, line: str) -> None:
        """Keep depth, score and nodes of a line about the search, or show another line."""
        found = _SEARCH.match(line)
        if found is None:
            self._other(line)
            return
        depth, score, nodes = (int(text) for text in found.groups())
        self._data = {"depth": depth, "nodes": min(MOST, nodes)}
        if abs(score) > MATE:
            self._data["mate"] = max(-MOST, min(MOST, score - MATE if score > 0 else score + MATE))
        else:
            self._data["cp"] = score

    def synchronize(self) -> None:
        """Wait until the engine has read everything, if it can say so."""
        self._settle()
        if not self._is_asked:
            self.wait(lambda line: self._settles(line) or None)

    def _settle(self) -> None:
        """Ask a question whose answer cannot be mistaken, if the engine knows one."""
        self._is_asked = self._features.get("ping") != "1"
        if not self._is_asked:
            self._ping += 1
            self.write(f"ping {self._ping}")

    def _settles(self, line: str) -> bool:
        """Take a line before the `pong`; return whether the engine has read everything."""
        if line.split() == ["pong", str(self._ping)]:
            self._is_asked = True
        else:
            self._other(line)
        return self._is_asked

    def _declaration(self, line: str) -> bool | None:
        """Note the features of a line; return True for the last one."""
        words = line.split(None, 1)
        if words[:1] != ["feature"]:
            self._other(line)
            is_end = line.split() == ["pong", "0"] or ("ping" in line and "rror" in line)
            return True if is_end else None
        self.count_declared(line)
        for name, quoted, bare in _FEATURE.findall(words[1] if len(words) > 1 else ""):
            value = quoted or bare
            if name == "option" and (found := _OPTION.match(value)):
                self._declared[found[1].lower()] = found[1], found[2]
            self._features[name] = value
            if name != "done":
                self.write(f"{'accepted' if name in ACCEPTED else 'rejected'} {name}")
        return True if self._features.get("done") == "1" else None

    def _set(self, name: str, value: Any) -> None:
        """Set an option, or raise LineError for an unknown one."""
        known = {"hash": ("memory", "memory"), "threads": ("smp", "cores")}
        feature, command = known.get(name.lower(), ("", ""))
        declared = self._declared.get(name.lower())
        if declared is not None:
            written, kind = declared
            text = str(int(value)) if isinstance(value, bool) else str(value)
            is_button = kind in ("button", "save", "reset")
            self.write(f"option {written}" if is_button else f"option {written}={text}")
        elif command and self._features.get(feature) == "1":
            self.write(f"{command} {value}")
        else:
            raise LineError(f"the engine has no option {name}")

    def _other(self, line: str) -> None:
        if _REFUSED.match(line):  # of an unknown command, some engines say the same
            raise LineError(f"the engine refuses a legal move: {line[:SHOWN]}")
        if line.strip() and not line.lstrip().startswith(QUIET):
            self.show(line)


_FEATURE = re.compile(r'(?<!\w)(\w+)=(?:"([^"]*)"|(\S+))')
_OPTION = re.compile(r"(.+?) -(\w+)")
_MOVE = re.compile(r"\s*(?:move|[Mm]y move is\s*:|[0-9]+\.\s*\.\.\.)\s+(\S+)")
_SEARCH = re.compile(
    r"\s*([0-9]{1,5})[.+&]?\s+([+-]?[0-9]{1,15})\s+[0-9]{1,15}\s+([0-9]{1,18})(?:\s|$)"
)
_CASTLED = {"O-O": "e#g#", "O-O-O": "e#c#"}  # as some engines write it
_REFUSED = re.compile(r"(?i)illegal move.*:\s*[a-h][1-8][a-h][1-8][a-z]?\s*$")
_RESULTS = ("1-0", "0-1", "1/2-1/2")


def _is_resignation(line: str) -> bool:
    return line.split(maxsplit=1)[0] in _RESULTS and "resign" in line.lower()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: cecp_bridge.py SETTINGS PROGRAM [ARGUMENT ...]")
    sys.exit(run_bridge(CecpBridge, sys.argv[2:], json.loads(sys.argv[1])))

"""A bridge between the wire and an engine that speaks Gomocup's protocol ("pbrain").

    python3 gomocup_bridge.py ENGINE [ARGUMENT ...]

Runs a bot.yaml with `protocol: gomocup`, for gomoku with all its rules and swap2, and for Pente if
named in its `games`: the protocol itself has no word for Pente. MESSAGE and DEBUG lines are kept
with the bot's output, the last MESSAGE before a move also as its note. UNKNOWN and ERROR are
refusals: the referee receives them quoted in a text, and refuses that text. INFO has no answer, and
an engine may answer it all the same. So ABOUT is asked again before each command with an answer:
lines before the answer to ABOUT answer nothing, and are kept with the bot's output.
"""

from __future__ import annotations

import re
import sys
from collections import deque

from arena_bot import Fields, Wire
from arena_bridge import SHOWN, LineError, Program, run_bridge
from arena_engine import EngineBridge

MAX_NAME = 100
MAX_NOTE = 200
RULES = {"freestyle": 0, "exact": 1, "renju": 4}
NO_LIMIT_MS = 2**31 - 1
SWAP, TWO = "swap", "two"
REMARKS = ("MESSAGE", "DEBUG")
REFUSALS = ("UNKNOWN", "ERROR")

_ABOUT = re.compile(r'(?<![a-z])([a-z]+)\s*=\s*"([^"]*)"')
_POINT = re.compile(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})")
_POINTS = re.compile(rf"{_POINT.pattern}(?:\s+{_POINT.pattern}){{0,2}}")

Point = tuple[int, int]
"""Column and row, from 0, from the top left."""


class GomocupBridge(EngineBridge):
    """Plays the opponent's stones to the engine and asks it for its own."""

    REMARKS = (b"MESSAGE", b"DEBUG", b"message", b"debug")

    def __init__(self, wire: Wire, program: Program, token: str) -> None:
        super().__init__(wire, program, token)
        self._seat = 0
        self._size = 0
        self._is_pente = False
        self._stones: list[Point] = []  # in the order of play: black, white, black ...
        self._told = 0  # number of stones that the engine knows
        self._black = 0  # seat
        self._is_choosing = False  # whether the colors of swap2 are still open
        self._two = False  # whether two more stones were chosen
        self._planned: deque[str] = deque()  # own moves of swap2 that the engine has named
        self._message = ""
        self._about = ""
        self._is_unsettled = False  # whether the answer to ABOUT is to come before the next one

    def greet(self) -> Fields:
        """Ask for the engine's name and version."""
        self.write("ABOUT")
        self._about = self._line("ABOUT")
        about = dict(_ABOUT.findall(self._about))
        known = {key: about[key][:MAX_NAME] for key in ("name", "version") if key in about}
        return {"type": "hello", **known}

    def leave(self) -> None:
        """Tell the engine to exit."""
        self.write("END")

    def begin(self, init: Fields) -> None:
        """Set up a match."""
        options, time = init["options"], init["time"]
        self._is_pente = init["game"] == "pente"
        if not self._is_pente and init["game"] != "gomoku":
            raise LineError(f"{init['game'][:SHOWN]} cannot be played in Gomocup's protocol")
        self._seat = init["seat"]
        self._size = 2 * options["half_size"] + 1 if self._is_pente else options["size"]
        self._stones.clear()
        self._planned.clear()
        self._black = self._told = 0
        self._is_choosing = options.get("opening") == "swap2"
        self._two = False
        start = f"START {self._size}"
        self._settle()
        self.write(start)
        line = self._line(start)
        if line[:2].upper() != "OK":  # many print "OK - everything is good", as the specification
            raise LineError(f'the engine answered "{start}": {line[:SHOWN]}')
        self.write(
            f"INFO timeout_turn {time['per_move_ms']}",
            f"INFO timeout_match {time.get('bank_ms') or 0}",
            f"INFO rule {0 if self._is_pente else RULES[options['rule']]}",
        )
        for entry in init["history"]:
            self._note(entry["seat"], self._text(entry["move"]))

    def play(self, call: Fields) -> Fields:
        for entry in call["opponent_moves"]:
            self._note(entry["seat"], self._text(entry["move"]))
        self._message = ""
        if not self._planned:
            left_ms = call.get("left_ms")  # nil is the same as no field
            self.write(
                f"INFO time_left {NO_LIMIT_MS if left_ms is None else min(left_ms, NO_LIMIT_MS)}"
            )
            self._settle()
            self._planned += self._chosen() if self._is_choosing else [self._turn()]
        text = self._planned.popleft()
        self._note(self._seat, text)
        self._told = len(self._stones)
        reply: Fields = {"move": self._to_move(text)}
        return {**reply, "note": self._message} if self._message else reply

    def _turn(self) -> str:
        """Ask for a stone in play."""
        if not self._stones:
            asked = ["BEGIN"]
        elif self._told == len(self._stones) - 1 and self._told:
            asked = [f"TURN {_pair(self._stones[-1])}"]
        else:
            asked = ["BOARD", *map(self._owned, range(len(self._stones))), "DONE"]
        self.write(*asked)
        (found,) = self._points(asked[0], counts=(1,))
        return found

    def _chosen(self) -> list[str]:
        """Ask for the moves of swap2."""
        count = len(self._stones)
        if count not in (0, 3, 5):
            raise LineError(
                "Gomocup's protocol has no word for an opening amid the stones of swap2"
            )
        self.write("SWAP2BOARD", *map(_pair, self._stones), "DONE")
        found = self._points("SWAP2BOARD", counts={0: (3,), 3: (0, 1, 2), 5: (0, 1)}[count])
        return found if count == 0 else [TWO, *found] if len(found) == 2 else found or [SWAP]

    def _points(self, command: str, *, counts: tuple[int, ...]) -> list[str]:
        """Return the points of an answer, which must be one of `counts`; none means SWAP."""
        line = self._line(command)
        if 0 in counts and line.upper() == "SWAP":
            return []
        pairs = _POINT.findall(line) if _POINTS.fullmatch(line) else []
        if not pairs or len(pairs) not in counts:
            raise LineError(f'no answer to "{command}": {line[:SHOWN]}')
        return [self._name((int(column), int(row))) for column, row in pairs]

    def _line(self, command: str) -> str:
        """Return the next answer of the engine; raise LineError for a refusal."""

        def read(line: str) -> str | None:
            line = line.strip()
            if self._is_unsettled:
                self._skip(line)
                return None
            word = line[:7].upper()
            if word.startswith(REMARKS):
                self.show(line)
                if word.startswith(REMARKS[0]):
                    self._message = line[8:].strip()[:MAX_NOTE]
                return None
            if word.startswith(REFUSALS):
                raise LineError(f'the engine refused "{command}": {line[:SHOWN]}')
            return line or None

        return self.wait(read)

    def _settle(self) -> None:
        """Ask ABOUT: what the engine prints before its answer is none to the next command."""
        self._is_unsettled = True
        self.write("ABOUT")

    def _skip(self, line: str) -> None:
        if line == self._about or _ABOUT.search(line):
            self._is_unsettled = False
        elif line:
            self.show(line)

    def _note(self, seat: int, text: str) -> None:
        """Take a move of a seat over."""
        if text == SWAP:
            self._black, self._is_choosing = seat, False
        elif text == TWO:
            self._two = True
        else:
            if self._is_choosing and len(self._stones) == (5 if self._two else 3):
                self._black, self._is_choosing = 1 - seat, False  # a stone chooses White
            self._stones.append(self._point(text))

    def _owned(self, number: int) -> str:
        """Return a stone in the form of BOARD, with 1 for an own one."""
        is_black = number % 2 == 0
        is_own = is_black == (self._seat == self._black)
        return f"{_pair(self._stones[number])},{1 if is_own else 2}"

    def _point(self, text: str) -> Point:
        if self._is_pente:
            row, column = text.split(",")
            return int(column) + self._size // 2, int(row) + self._size // 2
        if "," in text:  # off the board
            column, row = text.split(",")
            return int(column), int(row)
        return ord(text[0]) - ord("a"), self._size - int(text[1:])

    def _name(self, point: Point) -> str:
        """Return the text of a point; the referee refuses one off the board."""
        column, row = point
        if self._is_pente:
            return f"{row - self._size // 2},{column - self._size // 2}"
        if column < self._size and row < self._size:
            return f"{chr(ord('a') + column)}{self._size - row}"
        return _pair(point)

    def _text(self, move: Fields) -> str:
        return f"{move['v']},{move['h']}" if self._is_pente else str(move["at"])

    def _to_move(self, text: str) -> Fields:
        if not self._is_pente:
            return {"at": text}
        row, column = text.split(",")
        return {"v": int(row), "h": int(column)}


def _pair(point: Point) -> str:
    return f"{point[0]},{point[1]}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: gomocup_bridge.py ENGINE [ARGUMENT ...]")
    sys.exit(run_bridge(GomocupBridge, sys.argv[1:]))

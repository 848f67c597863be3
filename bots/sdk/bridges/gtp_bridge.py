"""A bridge between the wire and an engine that speaks GTP, version 2, on stdin and stdout.

    python3 gtp_bridge.py ENGINE [ARGUMENT ...]

Runs a bot.yaml with `protocol: gtp`, for Go, gomoku, and the games of OpenSpiel with vertices as
moves: Othello, Hex, Y, Havannah and their like. Each command has an id. A second or late answer to
an earlier command is dropped. An answer with an id that no command had, or a refusal of a command
other than those about time, is quoted in a text to the referee, to be refused.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from arena_bot import Fields, Wire
from arena_bridge import SHOWN, LineError, Program, run_bridge
from arena_engine import EngineBridge

COLORS = ("b", "w")
PASS = "pass"  # noqa: S105 - a move
OPEN_SPIEL = "open_spiel/"
GO_COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # GTP has no column I.
MAX_ANSWER_BYTES = 64 * 1024
MAX_NAME = 100
SHARE = 10
"""Of the time told, an engine is expected to use this part for a move at most."""
ANALYZE = "lz-genmove_analyze"  # KataGo has it, too.
INTERVAL_CS = 100
MAX_PLAN = 16
MAX_SEED = 2**31

_ANSWER = re.compile(r"([=?])([0-9]{0,9})[ \t]*(.*)", re.DOTALL)
_POINT = re.compile(r"([A-Za-z])([1-9][0-9]?)")
_INFO = re.compile(r"info move \S+ .*?winrate ([0-9]{1,5})\b.*? pv((?: [A-Za-z0-9]+)*?)(?: info|$)")


class RefusalError(LineError):
    """The engine refused a command."""


@dataclass(frozen=True)
class Dialect:
    """How a game stands in GTP."""

    size: int | None
    to_vertex: Callable[[Fields], str]
    to_move: Callable[[str], Fields]
    """Raises ValueError for any other text."""
    komi: str | None = None
    handicap: int = 0
    has_forced_passes: bool = False
    """Whether a seat passes only if it has no other move; some engines refuse such passes."""


class GtpBridge(EngineBridge):
    """Plays the moves of both colors to the engine and asks it for its own."""

    REMARKS = (b"info ",)

    def __init__(self, wire: Wire, program: Program, token: str) -> None:
        super().__init__(wire, program, token)
        self._number = 0  # of the last command
        self._known: frozenset[str] = frozenset()
        self._name = ""  # as the engine answers
        self._echoes = False  # whether answers have the ids of their commands
        self._color = COLORS[0]
        self._seat = 0
        self._per_move_ms = 0
        self._bank_moves = 0
        self._made = 0  # moves of this match
        self._dialect = TEXTS

    def greet(self) -> Fields:
        """Ask for the engine's name, version and commands."""
        name, version, commands = self._ask("name", "version", "list_commands")
        self._name = name
        self._known = frozenset(commands.split())
        return {"type": "hello", "name": name[:MAX_NAME], "version": version[:MAX_NAME]}

    def leave(self) -> None:
        """Tell the engine to exit."""
        self.write("quit")

    def begin(self, init: Fields) -> None:
        """Set up a match."""
        game = self._dialect = _dialect(init)
        self._seat = init["seat"]
        self._color = COLORS[self._seat]
        commands = [] if game.size is None else [f"boardsize {game.size}"]
        commands.append("clear_board")
        if game.komi is not None:
            commands.append(f"komi {game.komi}")
        if game.handicap:
            commands.append(f"fixed_handicap {game.handicap}")
        commands += [self._played(entry) for entry in init["history"]]
        self._ask(*commands)
        self._ask_gently("set_random_seed", str(init["seed"] % MAX_SEED))
        self._ask_gently("time_settings", self._settings(init["time"]))

    def _settings(self, time: Fields) -> str:
        """Return the arguments of `time_settings` in seconds: bank, or the time of some stones."""
        self._per_move_ms, self._made = time["per_move_ms"], 0
        self._bank_moves = time.get("bank_moves") or 0
        if (bank := time.get("bank_ms")) is None:
            return f"0 {_seconds(self._per_move_ms)} 1"
        told = _seconds(min(bank, SHARE * self._per_move_ms))
        return f"0 {told} {self._bank_moves}" if self._bank_moves else f"{told} 0 0"

    def play(self, call: Fields) -> Fields:
        commands = [self._played(entry) for entry in call["opponent_moves"]]
        left = call.get("left_ms")
        if left is not None and "time_left" in self._known:
            told = min(left, SHARE * self._per_move_ms)
            stones = self._bank_moves and self._bank_moves - self._made % self._bank_moves
            commands.append(f"time_left {self._color} {_seconds(told)} {stones}")
        self._made += 1
        if ANALYZE in self._known:
            commands.append(f"{ANALYZE} {self._color} {INTERVAL_CS}")
        else:
            commands.append(f"genmove {self._color}")
        answer = self._ask(*commands)[-1]
        remarks: Fields = {}
        if ANALYZE in self._known:
            answer, remarks = self._analysis(answer)
        if answer.lower() == "resign":
            return {"resign": True}
        return {"move": self._move(answer), **remarks}

    def _move(self, vertex: str) -> Fields:
        try:
            return self._dialect.to_move(vertex)
        except ValueError:
            raise LineError(f"no vertex in the answer to genmove: {vertex[:SHOWN]}") from None

    def _analysis(self, answer: str) -> tuple[str, Fields]:
        """Return the move of an answer with analysis, and its last estimate."""
        *lines, last = answer.split("\n")
        played = last.removeprefix("play ")
        for line in reversed(lines):
            if found := _INFO.match(line):
                value = min(1000, max(-1000, round(int(found[1]) / 5) - 1000))
                return played, {"value": value, **self._plan(found[2].split())}
        return played, {}

    def _plan(self, vertices: list[str]) -> Fields:
        try:
            return {"plan": [self._move(vertex) for vertex in vertices[1 : MAX_PLAN + 1]]}
        except LineError:
            return {}

    def _played(self, entry: Fields) -> str:
        return f"play {COLORS[entry['seat']]} {self._dialect.to_vertex(entry['move'])}"

    def _ask(self, *commands: str) -> list[str]:
        """Send commands and return their answers, or raise LineError for the first refusal."""
        if self._name and not self._echoes:
            answers = [self._slowly_asked(text) for text in commands]
        else:
            first = self._numbered(*commands)
            answers = [self._answer_to(number, text) for number, text in enumerate(commands, first)]
        for text, answer in zip(commands, answers, strict=True):
            if isinstance(answer, RefusalError) and not self._is_spared(text):
                raise answer
        return [str(answer) for answer in answers]

    def _numbered(self, *commands: str) -> int:
        """Send commands; return the id of the first one."""
        first = self._number + 1
        self._number += len(commands)
        self.write(*(f"{number} {text}" for number, text in enumerate(commands, first)))
        return first

    def _slowly_asked(self, command: str) -> str | RefusalError:
        """Return the answer of an engine without ids, after all answers to earlier commands.

        The answer to `name` is known, and no other command has the same.
        """
        self._numbered("name")
        while self._answer_to(self._number, "name") != self._name:
            pass
        self._numbered(command)
        while (answer := self._answer_to(self._number, command)) == self._name:
            pass
        return answer

    def _is_spared(self, command: str) -> bool:
        """Whether an engine may refuse a command: GRhino, for one, passes for a color by itself."""
        is_pass = command.startswith("play") and command.endswith(PASS)
        return is_pass and self._dialect.has_forced_passes

    def _ask_gently(self, command: str, arguments: str) -> None:
        """Send a command unknown to some engines, or refused by them."""
        if command in self._known:
            try:
                self._ask(f"{command} {arguments}")
            except RefusalError as refusal:
                self.show(str(refusal))

    def _answer_to(self, number: int, command: str) -> str | RefusalError:
        """Return the answer to a command, its lines joined."""
        found = self._read_answer(command)
        while found[2] and int(found[2]) < number:
            self.show(f"an answer to an earlier command: {found[0]}", "late")
            found = self._read_answer(command)
        mark, echoed, text = found.groups()
        answer = found[0]
        if echoed != str(number) and (echoed or self._echoes):
            wanted = f'the id of "{_short(command)}" is {number}'
            raise LineError(f"{wanted}, the engine answered: {answer[:SHOWN]}")
        self._echoes |= bool(echoed)
        text = text.strip()
        if mark == "?":
            return RefusalError(f'the engine refused "{_short(command)}": {answer[:SHOWN]}')
        return text

    def _read_answer(self, command: str) -> re.Match[str]:
        answer = self.wait(self._reader(command))
        found = _ANSWER.fullmatch(answer)
        if found is None:
            raise LineError(f'no answer to "{_short(command)}": {answer[:SHOWN]}')
        return found

    def _reader(self, command: str) -> Callable[[str], str | None]:
        """Return a function to collect lines and return a whole answer after its empty line."""
        lines: list[str] = []
        size = 0

        def read(line: str) -> str | None:
            nonlocal size
            line = _printable(line).strip()
            if not line:
                return "\n".join(lines) if lines else None
            if lines or line[0] in "=?":
                if line.startswith("info "):
                    line = line[: MAX_ANSWER_BYTES // 2]
                    if lines and lines[-1].startswith("info "):
                        size -= len(lines.pop())  # only the last estimate counts
                size += len(line)
                if size > MAX_ANSWER_BYTES:
                    more = f'more than {MAX_ANSWER_BYTES} bytes as an answer to "{_short(command)}"'
                    raise LineError(f"{more}: {lines[0][:SHOWN]}")
                lines.append(line)
            else:
                self.show(line)
            return None

        return read


def _dialect(init: Fields) -> Dialect:
    game, options = init["game"], init["options"]
    if game == "go":
        return Dialect(
            size=options["size"],
            to_vertex=lambda move: str(move["at"]),
            to_move=_go_move,
            komi=options["komi"],
            handicap=options["handicap"],
        )
    if game == "gomoku":
        if options["opening"] != "free":
            raise LineError("the choices of swap2 cannot be said in GTP")
        if options["size"] > len(GO_COLUMNS):
            raise LineError(f"a board of {options['size']} columns has no names in GTP")
        return Dialect(options["size"], _gomoku_vertex, _gomoku_move)
    if game.startswith(OPEN_SPIEL):
        return replace(TEXTS, size=options.get("board_size"))
    raise LineError(f"{game[:SHOWN]} cannot be played in GTP")


def _point(vertex: str) -> str:
    if not _POINT.fullmatch(vertex):
        raise ValueError(vertex)
    return vertex


def _go_move(vertex: str) -> Fields:
    return {"at": PASS if vertex.lower() == PASS else _point(vertex).upper()}


def _gomoku_vertex(move: Fields) -> str:
    """Return the GTP name of a point: gomoku has a column I, GTP has none."""
    at: str = move["at"]
    return GO_COLUMNS[ord(at[0]) - ord("a")] + at[1:]


def _gomoku_move(vertex: str) -> Fields:
    point = _point(vertex).upper()
    return {"at": chr(ord("a") + GO_COLUMNS.index(point[0])) + point[1:]}


def _text(vertex: str) -> str:
    """Return a move in the form of OpenSpiel, with small letters in its points."""
    if not vertex or len(vertex) > SHOWN or len(vertex.split()) != 1:
        raise ValueError(vertex)
    return vertex.lower() if _POINT.fullmatch(vertex) or vertex.lower() == PASS else vertex


TEXTS = Dialect(
    size=None,
    to_vertex=lambda move: str(move["text"]),
    to_move=lambda vertex: {"text": _text(vertex)},
    has_forced_passes=True,
)
"""A game of OpenSpiel."""


def _seconds(milliseconds: int) -> int:
    """Return whole seconds: GTP has no fractions, and 0 would be no time at all."""
    return max(1, milliseconds // 1000)


def _printable(line: str) -> str:
    """Return a line without control characters, discarded according to GTP."""
    if line.isprintable():
        return line
    return "".join(" " if char == "\t" else char for char in line if char >= " " or char == "\t")


def _short(command: str) -> str:
    return command[:SHOWN]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: gtp_bridge.py ENGINE [ARGUMENT ...]")
    sys.exit(run_bridge(GtpBridge, sys.argv[1:]))

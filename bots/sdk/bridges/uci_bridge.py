"""A bridge between the wire and an engine that speaks UCI, USI (shogi) or UCCI (xiangqi).

    python3 uci_bridge.py SETTINGS PROGRAM [ARGUMENT ...]

A bot.yaml with `protocol: uci`, `usi` or `ucci` is run so. SETTINGS is a JSON object:
{"dialect": "uci", "options": {"Hash": 16}, "go": "nodes 1000", "resign": [-600, 3]}; `go` replaces
the limits of time, and the engine resigns after 3 moves in a row with a score of -600 or lower.

Each `go` follows an `isready`: a second or a late `bestmove` comes before its `readyok`.

Before the hello the engine is started, gets its options and reports that it is ready. A ping is
`isready`: the measured round trip includes the engine. Its `info` becomes the remarks of the reply.

With `ponder`, an engine with the option of that name thinks during calls to others, about the reply
that it expects: `go ponder`, then `ponderhit`, or `stop` after another reply.

Time: an engine manages wall time. Its clock is the rest of the bank, or without a bank the limit of
the move; `stop` comes before that limit. With a CPU clock the times are those of the limits too: a
thread never uses more CPU time than wall time. With more threads (`Threads`) they are divided by
their number. Unless its options say so, an engine has one thread.
"""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any

from arena_bot import Fields, Wire
from arena_bridge import SHOWN, LineError, Program, run_bridge
from arena_engine import EngineBridge, value_of
from uci_games import GAMES, Chess, Game
from uci_time import RESERVE_MS, limits_of

MAX_NAME = 100
MAX_PLAN = 16
STOP_AGAIN_MS = 30
MOST = 2**53
_NO_MOVE = ("(none)", "0000", "NULL", "nobestmove")
_THREADS = frozenset({"threads", "thread", "cores", "max cpus"})  # names of this option


class UciBridge(EngineBridge):
    """Plays with an engine."""

    REMARKS = (b"info",)

    def __init__(self, wire: Wire, program: Program, token: str, settings: Fields) -> None:
        super().__init__(wire, program, token)
        self._dialect: str = settings["dialect"]
        self._options: Fields = settings["options"]
        self._go: str = settings["go"]
        self._resign: list[int] = settings.get("resign", [])
        self._lost_moves = 0  # in a row, by its own scores
        self._declared: dict[str, tuple[str, str]] = {}  # options by name in lower case
        self._spelt: dict[str, str] = {}  # names of options as the engine writes them
        self._name: str | None = None
        self._game: Game = Chess()
        self._is_other_game = False
        self._moves: list[str] = []
        self._position = ""
        self._time: Fields = {}
        self._seat = 0
        self._info = ""
        self._is_asked = False  # whether the engine has read the last `go`, or will do so next
        self._ponders: bool = settings.get("ponder", False)
        self._can_ponder = False
        self._expected = ""  # reply to the last move, about which the engine thinks meanwhile
        self._early: str | None = None  # best move printed before `ponderhit` or `stop`
        self._asked: Fields = {}  # the last one for a move
        self._began = 0.0
        self._threads = 1

    def greet(self) -> Fields:
        """Greet the engine, set its options and wait until it is ready."""
        self.write(self._dialect)
        self.wait(self._declaration)
        self._use_one_thread()
        for name, value in self._options.items():
            self._set(name, value)
        self._can_ponder = self._write_ponder() and not self._go
        if "usemillisec" in self._declared:
            self._write_option("usemillisec", "true")
        self.synchronize()
        hello: Fields = {"type": "hello", "wants": ["clocks"]}
        return {**hello, "name": self._name[:MAX_NAME]} if self._name else hello

    def leave(self) -> None:
        """Tell the engine to exit."""
        self.write("quit")

    def begin(self, init: Fields) -> None:
        self._is_other_game = init["game"] not in GAMES
        if self._is_other_game:
            return
        self._game = GAMES[init["game"]]()
        self._time, self._seat = init["time"], init["seat"]
        if self._dialect == "uci":
            is_960 = bool(init["options"].get("chess960"))
            if "uci_chess960" in self._declared:
                self._write_option("UCI_Chess960", str(is_960).lower())
            elif is_960:
                raise LineError("the engine has no option UCI_Chess960, so it cannot play Chess960")
        news = {"uci": "ucinewgame", "usi": "usinewgame", "ucci": "setoption newgame"}
        self.write(news[self._dialect])
        self.synchronize()
        self._position = self._game.position(init)
        self._moves = [self._game.to_text(played["move"]) for played in init["history"]]
        self._opening = len(self._moves)
        self._lost_moves = 0

    def play(self, call: Fields) -> Fields:
        if self._is_other_game:
            return {"resign": True}
        news = [self._game.to_text(played["move"]) for played in call["opponent_moves"]]
        self._moves += news
        self._asked, self._began = call, time.monotonic()
        limits, stop_after_ms = self._limits(call, call.get("left_ms"))
        self._search(news, self._go or limits)
        line = self._early or self.wait(self._best, stop_after_ms=stop_after_ms)
        self._early = None
        words = line.split()
        text = words[0] if words[0] == "nobestmove" else words[1] if len(words) > 1 else ""
        if text == "resign":
            return {"resign": True}
        if text in _NO_MOVE:
            raise LineError(f"the engine has found no move: {line[:SHOWN]}")
        move = None if "\0" in line else self._game.to_wire(text)
        if move is None:
            raise LineError(f"no move: {line[:SHOWN]}")
        remarks = self._remarks(text)
        if self._resigns_at(remarks.get("data", {})):
            return {"resign": True, **remarks}
        self._moves.append(self._game.to_text(move))
        self._expect(words[2:])
        return {"move": move, **remarks}

    def _search(self, news: list[str], limits: str) -> None:
        """Have the engine search, or continue to think if the expected reply was played."""
        if not self._expected or news != [self._expected]:
            self._stop_pondering()
            self._ask(limits)
        elif self._early is None:
            self.write("ponderhit")
        self._expected = ""

    def _expect(self, words: list[str]) -> None:
        """Note the reply that an engine expects by `ponder REPLY` after its move."""
        if not self._can_ponder or self._game.needs_board or words[:1] != ["ponder"]:
            return
        reply = self._game.to_wire(words[1]) if len(words) > 1 else None
        self._expected = "" if reply is None else self._game.to_text(reply)

    def answer(self, call: Fields) -> Fields:
        if call["type"] != "move":
            self._stop_pondering()
        return super().answer(call)

    def go_on(self) -> None:
        """Let the engine think about the reply that it expects."""
        if not self._expected:
            return
        left = self._asked.get("left_ms")
        if left is not None:
            spent = (time.monotonic() - self._began) * 1000
            left = max(1, int(left - spent) - RESERVE_MS + (self._time.get("increment_ms") or 0))
        limits, _ = self._limits({**self._asked, "ply": self._asked["ply"] + 2}, left)
        self._ask(f"ponder {limits}", self._expected)

    def idle(self, line: str) -> None:
        """Keep the best move of an engine that has thought to the end, and its last remarks."""
        if self._expected and (found := self._best(line)) is not None:
            self._early = found

    def _stop_pondering(self) -> None:
        """End the thinking about a reply that was not made; its best move is dropped."""
        if self._expected and self._early is None:
            # Some engines miss a line that comes while they begin, so they get it again.
            self.wait(self._best, stop_after_ms=0, stop_again_ms=STOP_AGAIN_MS)
        self._expected, self._early = "", None

    def _ask(self, limits: str, *more: str) -> None:
        """Ask for the best move after the moves so far and these."""
        moves = " ".join([*self._moves, *more])
        self._info, self._is_asked = "", False
        self.write(
            "isready",
            f"position {self._position}{' moves ' if moves else ''}{moves}",
            f"go {limits}",
        )

    def _limits(self, call: Fields, left_ms: int | None) -> tuple[str, float]:
        threads = self._threads if self._time["clock"] == "cpu" else 1
        made = (call["ply"] - self._opening) // 2
        others = [clock for clock in call.get("clocks") or [] if clock["seat"] != self._seat]
        other = others[0] if others else None
        return limits_of(
            self._dialect, self._time, left_ms, made, threads, seat=self._seat, other=other
        )

    def _resigns_at(self, data: Fields) -> bool:
        """Count moves in a row with a score as low as that of `resign`; return if it resigns."""
        if not self._resign:
            return False
        score, moves = self._resign
        is_low = data["mate"] <= 0 if "mate" in data else data.get("cp", score + 1) <= score
        self._lost_moves = self._lost_moves + 1 if is_low else 0
        return self._lost_moves >= moves

    def synchronize(self) -> None:
        self.write("isready")
        self.wait(self._readiness)

    def _readiness(self, line: str) -> bool | None:
        if line.strip() == "readyok":
            return True
        self._other(line)
        return None

    def _declaration(self, line: str) -> bool | None:
        """Note a line before `uciok`; return True for it."""
        line = " ".join(line.split())
        words = line.split(None, 2)
        if words[:1] == [f"{self._dialect}ok"]:
            return True
        if words[:2] == ["id", "name"] and len(words) == 3:
            self._name = words[2]
        elif words[:1] == ["option"] and (found := _OPTION.fullmatch(line)):
            self.count_declared(line)
            name, kind, rest = found.groups()
            self._declared[name.lower()] = kind, rest
            self._spelt[name.lower()] = name
        else:
            self._other(line)
        return None

    def _other(self, line: str) -> None:
        """Show a line outside of the protocol, like an error, and the engine's own remarks."""
        words = line.split(None, 2)[:2]  # of a blank line none
        if words == ["info", "string"]:
            self.show(line, "info string")
        elif words and words[0] not in ("info", "id", "option", "bestmove", "ponderhit"):
            self.show(line)

    def _set(self, name: str, value: Any) -> None:
        """Set an option, or raise LineError for an unknown option or value."""
        declared = self._declared.get(name.lower())
        if declared is None:
            raise LineError(f"the engine has no option {name}{self._meant(name)}")
        kind, rest = declared
        if kind == "button":
            self._press(name, value)
            return
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if kind == "check" and text not in ("true", "false"):
            raise LineError(f"option {name}: true or false, not {text}")
        if kind == "spin" and not _NUMBER.fullmatch(text):
            raise LineError(f"option {name}: a whole number, not {text}; {rest[:SHOWN]}")
        if kind == "spin" and not _is_in_range(text, rest):
            raise LineError(f"option {name}: {text} is outside of its range, {rest[:SHOWN]}")
        if kind == "combo" and text.lower() not in re.findall(
            r"var (.*?)(?= var |$)", rest.lower()
        ):
            raise LineError(f"option {name}: {text} is none of its values, {rest[:SHOWN]}")
        if name.lower() in _THREADS and text.isdecimal():
            self._threads = max(1, int(text))
        self._write_option(name, text)

    def _meant(self, name: str) -> str:
        """Return the most similar option of the engine as a question, or nothing."""
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), self._spelt, n=1)
        return f"; did you mean {self._spelt[near[0]]}?" if near else ""

    def _press(self, name: str, value: Any) -> None:
        """Press a button, which has no value; false leaves it alone."""
        if type(value) is not bool:
            raise LineError(f"option {name} is a button: true presses it, not {value}")
        if value:
            self._write_option(name)

    def _use_one_thread(self) -> None:
        """Set the number of threads to 1 where the engine declares more: a slot is one core."""
        given = {name.lower() for name in self._options}
        for name in sorted(_THREADS & self._declared.keys() - given):
            _, rest = self._declared[name]
            if (found := re.search(r"\bdefault ([0-9]{1,9})\b", rest)) and int(found[1]) > 1:
                self._write_option(self._spelt[name], "1")

    def _write_ponder(self) -> bool:
        """Set the option for thinking during calls to others; return whether it is on."""
        names = [name for name in ("Ponder", "USI_Ponder") if name.lower() in self._declared]
        for name in names:
            self._write_option(name, str(self._ponders).lower())
        return self._ponders and bool(names)

    def _write_option(self, name: str, text: str | None = None) -> None:
        word, mark = ("", " ") if self._dialect == "ucci" else ("name ", " value ")
        self.write(f"setoption {word}{name}" + ("" if text is None else f"{mark}{text}"))

    def _best(self, line: str) -> str | None:
        """Return the line of the best move; note the last `info` of the first line of play.

        A line before `readyok` is none about this move.
        """
        if not self._is_asked:
            self._is_asked = self._readiness(line) is True
            return None
        if not line.startswith("info ") or "  " in line or "\t" in line:
            line = " ".join(line.split())
        if line.startswith("info ") and not line.startswith("info string"):
            self._note(line)
        elif line.partition(" ")[0] in ("bestmove", "nobestmove"):
            return line
        else:
            self._other(line)
        return None

    def _note(self, line: str) -> None:
        """Keep the last line with an exact score of the best line of play."""
        is_best = " multipv " not in line or " multipv 1 " in line
        is_exact = " score " in line and "bound" not in line
        if is_best and is_exact:
            self._info = line

    def _remarks(self, text: str) -> Fields:
        """Return the engine's remarks about its move."""
        head, _, pv = self._info.partition(" pv ")
        words = head.split()
        info = {name: words[place + 1] for place, name in enumerate(words[:-1]) if name in _FIGURES}
        remarks: Fields = {}
        data = {
            name: max(-MOST, min(MOST, int(info[name])))
            for name in ("depth", "seldepth", "nodes", "cp", "mate")
            if _NUMBER.fullmatch(info.get(name, ""))
        }
        if "mate" in data or "cp" in data:
            remarks["value"] = value_of(data)
        if data:
            remarks["data"] = data
        first, *rest = pv.split(None, MAX_PLAN + 1)[: MAX_PLAN + 1] or [""]
        plan = [self._game.to_wire(word) for word in rest] if first == text else []
        if None in plan:
            plan = plan[: plan.index(None)]
        if plan and not self._game.needs_board:
            remarks["plan"] = plan
        return remarks


_OPTION = re.compile(r"option\s+(?:name\s+)?(\S.*?)\s+type\s+(\S+)\s*(.*)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_FIGURES = frozenset({"depth", "seldepth", "nodes", "cp", "mate"})


def _is_in_range(text: str, rest: str) -> bool:
    bounds = dict(re.findall(r"(min|max) (-?[0-9]{1,18})", rest))
    return int(bounds.get("min", text)) <= int(text) <= int(bounds.get("max", text))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: uci_bridge.py SETTINGS PROGRAM [ARGUMENT ...]")
    sys.exit(run_bridge(UciBridge, sys.argv[2:], json.loads(sys.argv[1])))

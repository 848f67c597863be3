"""A bot for tests of the Python kit: does at its turn what the field `view.do` says."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena_bot import MAX_NOTE, Bot, Fields, done, play, resign, run

ANSWERS: dict[str, Callable[[Fields], Any]] = {
    "play": play,
    "resign": lambda _: resign(),
    "done": lambda _: done(),
    "all": lambda choice: play(choice, {"victory": True}, "h\u00e9"),
    "remarks": lambda _: play(
        {"v": 0, "h": 0}, value=-7, plan=[{"v": 1, "h": 2}], data={"depth": 3}
    ),
    "override": lambda choice: play(choice) | {"id": 77, "type": "bye"},
    "nothing": lambda _: None,
    "bare": lambda choice: choice,
    "long": lambda _: play({"x": "x" * 70000}),
    "set": lambda _: play({"x": {1, 2}}),
    "huge": lambda _: play({"x": 2**70}),
    "bytes": lambda _: play({"x": "\ud800"}),
    "note": lambda _: play({"x": 1}, note="x" * (MAX_NOTE + 1)),
    "key": lambda choice: choice["nothing"],
    "zero": lambda _: 1 / 0,
    "unwritten": lambda choice: Bot().on_move(choice),
}


class Probe(Bot):
    """Makes the mistake that the match or the call names."""

    def on_init(self, init: Fields) -> None:
        self.init = init
        if init["match"] == "storm":
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)

    def on_move(self, call: Fields) -> Fields:
        what = call["view"]["do"]
        if what == "told":
            return self.repeat(call)
        if what == "loop":
            while signal.getitimer(signal.ITIMER_PROF)[0] > 0:
                pass
            return resign()
        if what == "print":
            print("thinking", end="")
            return resign()
        if what == "think":
            print("!")
            with Path("gate").open("rb", buffering=0) as gate:
                gate.read(1)
            return resign()
        reply: Fields = ANSWERS[what](call["legal"][0])
        return reply

    def on_term(self, term: Fields) -> None:
        if self.init["match"] == "talk":
            print(term["reason"])

    def repeat(self, call: Fields) -> Fields:
        """Say in a note what init and move told."""
        played = call["opponent_moves"][0]
        clock = self.init["time"]["clock"]
        told = [self.init["seed"], clock, played["seat"], call["ply"], call["left_ms"]]
        return play(played["move"], note=" ".join(map(str, told)))


if __name__ == "__main__":
    run(Probe())

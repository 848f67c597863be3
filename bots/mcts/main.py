"""Any game of OpenSpiel by Monte Carlo search: `main.py [--simulations N]`.

The bot rebuilds the position with OpenSpiel from the actions that it has received, and guesses the
others (cards, hidden moves, choices of an open round): it plays at random from the start, and keeps
a position that agrees with its observations. Each guess is searched as if it were the position; the
action with the most visits in all of them is played. In a game with much hidden
information no guess may be found in time; then the move is random, and its note says so.

The search takes a tenth of the time for a move. With `--simulations` it has this number of
simulations for each move instead, and repeats its matches exactly where nothing is hidden.
"""

import random
import sys
import time

from arena_bot import Bot, Fields, play, resign, run
from guess import Guesser, Knowledge
from search import Search, SearchError

try:
    import pyspiel
except ImportError:
    sys.exit("mcts: OpenSpiel is not installed here; install it with: pip install open_spiel")

GUESSES = 20
"""Limit of the positions that are searched for a move."""
SHARE = 0.1
"""Part of the time for a move that is used."""
MAX_S = 0.25


class Mcts(Bot):
    """Searches guessed positions."""

    name = "mcts"
    version = "1"
    wants = ("legal", "view")

    def __init__(self, simulations: int | None = None) -> None:
        self.simulations = simulations

    def on_init(self, init: Fields) -> None:
        self.random = random.Random(init["seed"])
        self.known = Knowledge(init["seat"], init["seats"])
        self.known.learn(init["history"])
        self.guesser = Guesser(pyspiel, init["game"], init["options"], self.known, self.random)
        self.per_move_s = init["time"]["per_move_ms"] / 1000
        self.is_too_slow = self.guesser.playout_s() > SHARE * self.per_move_s

    def on_move(self, call: Fields) -> Fields:
        self.known.learn(call["opponent_moves"])
        self.known.look(call["view"])
        until = time.monotonic() + self._time_s(call)
        legal = self._legal(call, until)
        if not legal:
            return resign()
        visits = dict.fromkeys(legal, 0.0)
        searched = 0
        limit = 0 if self.is_too_slow or len(legal) < 2 else GUESSES
        while searched < limit and time.monotonic() < until:
            state = self.guesser.guess(until)
            if state is None:
                break
            is_known = self.guesser.is_certain
            guesses = 1 if is_known else limit - searched
            for action, count in self._visits(state, guesses, until).items():
                if action in visits:
                    visits[action] += count
            searched += 1
            if is_known:
                break
        action = self._best(visits)
        self.known.made(action)
        is_searched = len(legal) < 2 or any(visits.values())
        note = None if is_searched else "a random move: nothing could be searched"
        return play({"action": action}, note=note)

    def _legal(self, call: Fields, until: float) -> list[int]:
        """Return the legal actions; those of a guess if there are too many to be sent."""
        if "legal" in call:
            return [move["action"] for move in call["legal"]]
        state = self.guesser.guess(until)
        return [] if state is None else list(state.legal_actions())

    def _visits(self, state: "pyspiel.State", guesses: int, until: float) -> dict[int, float]:
        """Search a position, in the time left or with the simulations of a move for all guesses."""
        left_s = max(0.01, (until - time.monotonic()) / guesses)
        number = self.simulations
        if number and not self.guesser.is_certain:
            number = max(20, number // GUESSES)
        try:
            search = Search(pyspiel, number, left_s, self.random.getrandbits(31))
            return search.visits(state, self.known.seat)
        except SearchError:
            return {}

    def _best(self, visits: dict[int, float]) -> int:
        most = max(visits.values())
        return self.random.choice([action for action, count in visits.items() if count == most])

    def _time_s(self, call: Fields) -> float:
        left_ms = call.get("left_ms")
        time_s = self.per_move_s if left_ms is None else min(self.per_move_s, left_ms / 10_000)
        return float(min(MAX_S, SHARE * time_s))


def simulations_of(arguments: list[str]) -> int | None:
    """Return the number of simulations in the arguments, None without one."""
    match arguments:
        case []:
            return None
        case ["--simulations", number] if number.isdecimal() and int(number) > 0:
            return int(number)
    sys.exit(f"usage: mcts [--simulations N], N at least 1; not {' '.join(arguments)}")


if __name__ == "__main__":
    run(Mcts(simulations_of(sys.argv[1:])))

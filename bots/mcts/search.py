"""The search of one position: OpenSpiel's own tree search, or plain random playouts."""

import random
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEMORY_MB = 60
PLAYOUTS = 400
"""Limit of the random playouts of a search for some seconds."""
LONGEST = 300
"""Limit of a playout in plies."""


class SearchError(Exception):
    """OpenSpiel cannot search the position."""


class Search:
    """A search for some seconds, or of a number of simulations, however long they take."""

    def __init__(self, library: "Any", simulations: int | None, seconds: float, seed: int) -> None:
        self._library = library
        self._simulations = simulations
        self._seconds = seconds
        self._seed = seed

    def visits(self, state: "Any", seat: int) -> dict[int, float]:
        """Return how often each action was visited, or how good it is; empty without time."""
        game = state.get_game()
        try:
            if game.get_type().reward_model == self._library.GameType.RewardModel.TERMINAL:
                return self._tree(game, state)
            return self._playouts(state, seat)
        except self._library.SpielError as error:
            raise SearchError(str(error)) from error

    def _tree(self, game: "Any", state: "Any") -> dict[int, float]:
        """Return the visits of OpenSpiel's tree search, which needs returns at the end only."""
        scale = max(abs(game.min_utility()), abs(game.max_utility()), 1e-9)
        bot = self._library.MCTSBot(
            game,
            self._library.RandomRolloutEvaluator(1, self._seed),
            uct_c=2 * scale,
            max_simulations=self._simulations or 1,  # without effect beside a limit of time
            max_memory_mb=MEMORY_MB,
            solve=True,
            seed=self._seed,
            verbose=False,
            max_wall_clock_time=0 if self._simulations else self._seconds,
        )
        root = bot.mcts_search(state)
        if not root.children:
            return {}  # the first simulation looks at the position itself, no other one was begun
        best = root.best_child().action
        return {
            child.action: child.explore_count + (root.explore_count if child.action == best else 0)
            for child in root.children
        }

    def _playouts(self, state: "Any", seat: int) -> dict[int, float]:
        """Return the best action, with the number of simulations."""
        chance, until = random.Random(self._seed), time.monotonic() + self._seconds
        actions = state.legal_actions()
        sums, counts = dict.fromkeys(actions, 0.0), dict.fromkeys(actions, 0)
        for number in range(max(self._simulations or PLAYOUTS, len(actions))):
            action = actions[number % len(actions)]
            sums[action] += self._playout(state.child(action), seat, chance)
            counts[action] += 1
            if not self._simulations and time.monotonic() > until:
                break
        best = max(actions, key=lambda action: sums[action] / max(1, counts[action]))
        return {best: float(sum(counts.values()))}

    def _playout(self, state: "Any", seat: int, chance: random.Random) -> float:
        for _ in range(LONGEST):
            if state.is_terminal():
                break
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chance.choices(actions, weights)[0])
            else:
                state.apply_action(chance.choice(state.legal_actions()))
        return float(state.returns()[seat])

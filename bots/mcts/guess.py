"""Positions of OpenSpiel that agree with everything that a seat has observed."""

import time
from collections import defaultdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any

Fields = dict[str, "Any"]
CHANCE = -1
ATTEMPTS = 5000
COUNTS = ("players", "num_players", "numPlayers")
RENAMED = {"fifty_move_rule": "50_move_rule"}


class Knowledge:
    """Observations of a seat in a match, in the order of each player's actions."""

    def __init__(self, seat: int, seats: int) -> None:
        self.seat = seat
        self.seats = seats
        self.actions: dict[int, list[int | None]] = defaultdict(list)
        """The actions of each player and of chance; None for those that were not told."""
        self.views: list[tuple[str, ...]] = []
        """The texts of each position in which this seat was to move."""

    def learn(self, entries: list[Fields]) -> None:
        """Take in moves and draws."""
        for entry in entries:
            player = CHANCE if entry.get("chance") else entry["seat"]
            self.actions[player].append(entry["move"]["action"] if "move" in entry else None)

    def look(self, view: Fields) -> None:
        """Take in the texts of the position."""
        self.views.append(tuple(view[key] for key in ("observation", "information") if key in view))

    def made(self, action: int) -> None:
        """Take in this seat's own action."""
        self.actions[self.seat].append(action)


class Guesser:
    """Makes positions for one match."""

    def __init__(
        self, library: "Any", game: str, options: Fields, known: Knowledge, chance: "Random"
    ) -> None:
        name = game.removeprefix("open_spiel/")
        kinds = {kind.short_name: kind for kind in library.registered_games()}
        defaults = kinds[name].parameter_specification
        given = {RENAMED.get(option, option): value for option, value in options.items()}
        self._parameters = {
            key: float(given[key]) if isinstance(default, float) else given[key]
            for key, default in defaults.items()
            if key in given and str(given[key]) != str(default)
        }
        self._parameters |= {count: known.seats for count in COUNTS if count in defaults}
        self._name = name
        self._library = library
        self._known = known
        self._random = chance
        self._seeded = kinds[name].chance_mode == library.GameType.ChanceMode.SAMPLED_STOCHASTIC
        self._game = self._load()
        self.is_certain = False
        """Whether the last guess is the position itself."""

    def guess(self, until: float) -> "Any":
        """Return a position, or None if none was found before `until`."""
        for _ in range(ATTEMPTS):
            try:
                state = self._attempt()
            except self._library.SpielError:
                state = None  # a random move has led OpenSpiel to an impossible position
            if state is not None or self.is_certain or time.monotonic() > until:
                return state
        return None

    def playout_s(self) -> float:
        """Return the CPU time of a random game, in seconds."""
        state, begun = self._game.new_initial_state(), time.process_time()
        while not state.is_terminal():
            state.apply_action(self._action(state, None, 0))
        state.returns()
        return time.process_time() - begun

    def _load(self) -> "Any":
        seeds = {"rng_seed": self._random.getrandbits(30)} if self._seeded else {}
        game = self._library.load_game(self._name, {**self._parameters, **seeds})
        if game.get_type().dynamics == self._library.GameType.Dynamics.SIMULTANEOUS:
            game = self._library.convert_to_turn_based(game)
        self.kind = game.get_type()
        return game

    def _attempt(self) -> "Any":
        known, seat = self._known, self._known.seat
        game = self._load() if self._seeded else self._game
        state = game.new_initial_state()
        done: dict[int, int] = defaultdict(int)
        self.is_certain = True
        while not state.is_terminal():
            player = state.current_player()
            place = done[player]
            if player == seat and not self._agrees(state, place):
                return None
            if player == seat and place == len(known.actions[seat]):
                return state
            action = self._action(state, player, place)
            if action is None:
                return None
            state.apply_action(action)
            done[player] += 1
        return None

    def _agrees(self, state: "Any", place: int) -> bool:
        """Whether this position agrees with the observations of this seat."""
        if self.is_certain:
            return True
        kind, seat, seen = self._game.get_type(), self._known.seat, self._known.views
        before = len(self._known.actions[seat]) - len(seen) + 1  # own actions of the history
        if place < before:
            return True
        text = (
            state.observation_string(seat)
            if kind.provides_observation_string
            else state.information_state_string(seat)
        )
        told = seen[place - before]
        if text != told[0]:
            return False
        return len(told) < 2 or state.information_state_string(seat) == told[1]

    def _action(self, state: "Any", player: int | None, place: int) -> int | None:
        """Return the known action of a player, or a random one where none is known.

        `player` is None for chance, whose actions are never known. Returns None if the known action
        is not legal in this position.
        """
        actions = [] if player is None else self._known.actions[player]
        told = actions[place] if place < len(actions) else None
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            if told is None or self._seeded:
                self.is_certain = False
                choices, weights = zip(*outcomes, strict=True)
                return int(self._random.choices(choices, weights)[0])
            return told if any(action == told for action, _ in outcomes) else None
        legal = state.legal_actions()
        if told is None:
            self.is_certain = False
            return int(self._random.choice(legal))
        return told if told in legal else None

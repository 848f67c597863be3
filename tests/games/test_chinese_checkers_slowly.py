"""Chinese Checkers by a second set of rules: slow, in cube coordinates, and compared in play."""

import random
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.chinese_checkers import ChineseCheckers, Move
from referee.rules import Outcome
from referee.rules.star import EMPTY, HEXAGON, star

Point = tuple[int, int]
Cube = tuple[int, int, int]

STEPS: tuple[Cube, ...] = ((1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1))


class Stars:
    """A star from first principles: two big triangles in cube coordinates (x + y + z = 0)."""

    def __init__(self, size: int) -> None:
        span = range(-2 * size, 2 * size + 1)
        cubes = [(x, -x - z, z) for z in span for x in span]
        on_board = [cube for cube in cubes if min(cube) >= -size or max(cube) <= size]
        self.names: dict[Cube, Point] = {}
        for z in span:
            row = z + 2 * size
            points = sorted(cube for cube in on_board if cube[2] == z)
            width = len(points)
            first = -width // 2 + 1 if row % 2 else -(width - 1) // 2
            for column, cube in enumerate(points, first):
                self.names[cube] = (row, column)
        self.cubes = {name: cube for cube, name in self.names.items()}
        tips = ((2, -1), (0, 1), (1, -1), (2, 1), (0, -1), (1, 1))  # axis and sign, clockwise
        self.triangles = tuple(
            frozenset(cube for cube in on_board if sign * cube[axis] > size) for axis, sign in tips
        )


class Reference:
    """The rules once more, slow and written differently: sets of cubes and a queue of seats."""

    def __init__(self, game: ChineseCheckers, positions: Sequence[int]) -> None:
        self.game = game
        self.star = Stars(game.game_size)
        self.homes = [self.star.triangles[position] for position in positions]
        self.goals = [self.star.triangles[(position + 3) % 6] for position in positions]
        self.men = [set(home) for home in self.homes]
        self.playing = list(range(len(positions)))
        self.pending = list(self.playing)
        self.rounds = 0
        self.points: list[int] | None = None

    def moves(self) -> set[tuple[Point, Point]]:
        """All legal moves as pairs of points."""
        if self.points is not None:
            return set()
        name = self.star.names
        seat = self.pending[0]
        found = {(name[man], name[end]) for man in self.men[seat] for end in self._ends(seat, man)}
        return found or {(name[man], name[man]) for man in self.men[seat]}

    def move(self, start: Point, end: Point) -> None:
        seat = self.pending.pop(0)
        self.men[seat].remove(self.star.cubes[start])
        self.men[seat].add(self.star.cubes[end])
        self._go_on()

    def retire(self, seat: int) -> None:
        self.playing.remove(seat)
        if seat in self.pending:
            self.pending.remove(seat)
        if len(self.playing) == 1:
            self.points = [2 if other in self.playing else 0 for other in range(len(self.men))]
        else:
            self._go_on()

    def view(self) -> list[list[list[int]]]:
        name = self.star.names
        return [[list(point) for point in sorted(name[man] for man in men)] for men in self.men]

    def choice(
        self, moves: Sequence[tuple[Point, Point]], chance: random.Random
    ) -> tuple[Point, Point]:
        """Choose a random move, mostly one towards the goal."""
        goal = self.goals[self.pending[0]]
        tip = max(goal, key=lambda cube: max(map(abs, cube)))

        def gain(move: tuple[Point, Point]) -> int:
            start, end = (moved(self.star.cubes[point], opposite(tip)) for point in move)
            return max(map(abs, start)) - max(map(abs, end))

        return max(chance.choices(moves, k=1 if chance.random() < 0.2 else 12), key=gain)

    def _go_on(self) -> None:
        if self.pending:
            return
        self.pending = list(self.playing)
        self.rounds += 1
        home = [seat for seat in self.playing if self._is_home(seat)]
        if home:
            self.points = [(3 - min(2, len(home))) * (s in home) for s in range(len(self.men))]
        elif self.rounds == (self.game.max_rounds or 100 * self.game.game_size):
            self.points = [0] * len(self.men)

    def _is_home(self, seat: int) -> bool:
        goal, own = self.goals[seat], self.men[seat]
        everybody = set().union(*self.men)
        blocked_counts = self.game.anti_block and goal <= everybody and bool(goal & own)
        return goal == own or blocked_counts

    def _ends(self, seat: int, man: Cube) -> set[Cube]:
        everybody = set().union(*self.men) - {man}
        ends = {end for step in STEPS if (end := moved(man, step)) not in everybody}
        self._chain(everybody, man, ends)
        own = self.homes[seat] | self.goals[seat]
        neutral = frozenset().union(*self.star.triangles) - own
        closed = neutral if self.game.neutral_end == "forbid" else frozenset()
        return (ends & self.star.names.keys()) - closed - {man}

    def _chain(self, others: Collection[Cube], man: Cube, ends: set[Cube]) -> None:
        for step in STEPS:
            over = moved(man, step)
            landing = moved(over, step)
            if over in others and landing not in others and landing in self.star.names:
                if landing in ends:
                    continue
                ends.add(landing)
                self._chain(others, landing, ends)


def moved(cube: Cube, step: Cube) -> Cube:
    return (cube[0] + step[0], cube[1] + step[1], cube[2] + step[2])


def opposite(cube: Cube) -> Cube:
    return (-cube[0], -cube[1], -cube[2])


def pairs(moves: Iterable[Move]) -> list[tuple[Point, Point]]:
    return [(move.from_, move.to) for move in moves]


def replayed(game: ChineseCheckers, seats: int, line: Iterable[tuple[Point, Point]]) -> Reference:
    reference = Reference(game, game.start(seats, 0).positions)
    for start, end in line:
        reference.move(start, end)
    return reference


def random_match(
    game: ChineseCheckers, seats: int, chance: random.Random, *, retiring: float
) -> Outcome:
    """Play by both sets of rules, compare all there is to see, and return the result."""
    state = game.start(seats, 0)
    reference = Reference(game, state.positions)
    while True:
        moves = pairs(game.legal(state))
        assert len(moves) == len(set(moves))
        assert set(moves) == reference.moves()
        outcome = game.outcome(state)
        assert (None if outcome is None else list(outcome.points)) == reference.points
        assert game.view(state, 0)["men"] == reference.view()
        if outcome is not None:
            return outcome
        assert (state.turn, state.rounds) == (reference.pending[0], reference.rounds)
        if chance.random() < retiring:
            seat = chance.choice(reference.playing)
            state = game.retire(state, seat)
            reference.retire(seat)
        else:
            start, end = reference.choice(moves, chance)
            state = game.apply(state, Move(start, end))
            reference.move(start, end)


@pytest.mark.parametrize("size", [3, 4, 5, 6, 9, 63])
def test_the_flat_board_is_the_star_in_cube_coordinates(size: int) -> None:
    flat, cubes = star(size), Stars(size)
    empty = flat.empty

    assert len(flat.cells) == 6 * size * size + 6 * size + 1
    assert flat.cells.keys() == cubes.cubes.keys()
    assert [{flat.points[cell] for cell in corner} for corner in flat.triangles] == [
        {cubes.names[cube] for cube in corner} for corner in cubes.triangles
    ]
    assert sum(flat.zones[cell] == HEXAGON for cell in flat.points) == 3 * size * (size + 1) + 1
    for cube, name in cubes.names.items():
        around = {cubes.names.get(moved(cube, step)) for step in STEPS} - {None}
        assert {flat.points[cell] for cell in flat.neighbours(empty, flat.cells[name])} == around


@pytest.mark.parametrize("size", [3, 4, 5, 6, 9, 63])
def test_what_lies_between_a_point_and_a_landing_is_on_the_board(size: int) -> None:
    flat, cubes = star(size), Stars(size)

    for cell, point in flat.points.items():
        landings = set()
        for step in STEPS:
            over = moved(cubes.cubes[point], step)
            if (landing := moved(over, step)) in cubes.names:
                assert over in cubes.names
                landings.add(cubes.names[landing])
        behind = {cell + leap for _, leap in flat.leaps}
        assert {flat.points[end] for end in behind if flat.empty[end] == EMPTY} == landings


def test_a_chain_finds_its_way_through_the_whole_of_the_largest_board() -> None:
    geometry, cubes = star(63), Stars(63)
    board = bytearray(geometry.empty)
    start = (63, -1)
    slant = [axis % 2 for axis in cubes.cubes[start]]
    alike = set()
    for cube, name in cubes.names.items():
        if [axis % 2 for axis in cube] == slant:
            alike.add(geometry.cells[name])
        else:
            board[geometry.cells[name]] = 2
    cell = geometry.cells[start]
    board[cell] = 1

    reached = list(geometry.jumps(bytes(board), cell))

    assert len(reached) == len(set(reached))
    assert set(reached) == alike - {cell}
    assert len(reached) > 6000


@pytest.mark.parametrize("seats", range(2, 7))
@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    neutral_end=st.sampled_from(["forbid", "allow"]),
    anti_block=st.booleans(),
)
def test_random_matches_go_the_same_way_by_the_slow_rules(
    seats: int, seed: int, neutral_end: Any, *, anti_block: bool
) -> None:
    game = ChineseCheckers(
        game_size=3, neutral_end=neutral_end, anti_block=anti_block, max_rounds=30
    )

    random_match(game, seats, random.Random(seed), retiring=0.01)


def test_whole_matches_are_won_by_the_same_seat() -> None:
    game = ChineseCheckers(game_size=3)

    outcomes = [random_match(game, 2, random.Random(seed), retiring=0) for seed in (5, 6)]

    assert [outcome.points for outcome in outcomes] == [(2, 0), (0, 2)]


@pytest.mark.parametrize(("size", "seats", "counts"), [(3, 2, [10, 100, 1720]), (3, 6, [10, 101])])
def test_the_slow_rules_count_the_same_move_sequences(
    size: int, seats: int, counts: list[int]
) -> None:
    game = ChineseCheckers(game_size=size)
    lines: list[list[tuple[Point, Point]]] = [[]]
    for count in counts:
        lines = [[*line, move] for line in lines for move in replayed(game, seats, line).moves()]
        assert len(lines) == count

"""Counting: known numbers, a slow reference, and lower bounds after a stop."""

import signal
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from types import FrameType
from typing import Any, NamedTuple

import pytest

from arena.counting import count
from arena.counting.count import INTERVAL, CountProgress, CountStoppedError, continuations, perft
from referee.games.damspel import Damspel, State
from referee.rules import Game, IllegalMoveError, Outcome

SIZES = [
    (rows, cols, men_rows)
    for rows in (2, 3, 4)
    for cols in (2, 3, 4)
    for men_rows in range(1, rows // 2 + 1)
]


class Steps(NamedTuple):
    """Number of steps left to climb, and of plies played."""

    left: int
    ply: int = 0


@dataclass(frozen=True, kw_only=True)
class Stairs(Game[Steps, int]):
    """Climb one or two steps per move: the numbers of games on n steps are Fibonacci numbers.

    It says nothing about counting: every position is the state itself, unless `plies` are left out.
    """

    height: int = 10
    plies: bool = False

    def start(self, seats: int, seed: int) -> Steps:
        del seats, seed
        return Steps(self.height)

    def turn(self, state: Steps) -> int:
        return state.ply & 1

    def legal(self, state: Steps) -> range:
        return range(1, min(2, state.left) + 1)

    def apply(self, state: Steps, move: int) -> Steps:
        if move not in self.legal(state):
            raise IllegalMoveError("one step or two")
        return Steps(state.left - move, state.ply + 1 if self.plies else 0)

    def outcome(self, state: Steps) -> Outcome | None:
        return None if state.left else Outcome((0, 0), (1, 1), "up")

    def retire(self, state: Steps, seat: int) -> Steps:
        del seat
        return Steps(0, state.ply)

    def adjudicate(self, state: Steps, reason: str) -> Outcome:
        del state
        return Outcome((0, 0), (1, 1), reason)

    def notation(self, move: int) -> str:
        return str(move)

    def parse(self, text: str) -> int:
        return int(text)

    def view(self, state: Steps, seat: int) -> dict[str, Any]:
        del seat
        return {"turn": self.turn(state), "ply": state.ply, "left": state.left}

    def diagram(self, state: Steps, seat: int | None = None) -> str:
        del seat
        return "_" * state.left


def fibonacci(number: int) -> int:
    one, other = 1, 1
    for _ in range(number):
        one, other = other, one + other
    return one


def damspel(rows: int, cols: int, men_rows: int) -> tuple[Damspel, State]:
    game = Damspel(rows=rows, cols=cols, men_rows=men_rows)
    return game, game.start(2, 0)


def naive_games(game: Game[Any, Any], state: Any) -> int:
    """Count by playing every game to its end, the recursion of the original."""
    moves = list(game.legal(state))
    return sum(naive_games(game, game.apply(state, move)) for move in moves) if moves else 1


def naive_lines(game: Game[Any, Any], state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(naive_lines(game, game.apply(state, move), depth - 1) for move in game.legal(state))


def stop_after(calls: int, error: type[BaseException]) -> Callable[[CountProgress], None]:
    seen: list[CountProgress] = []

    def progress(at: CountProgress) -> None:
        seen.append(at)
        if len(seen) == calls:
            raise error

    return progress


@pytest.mark.parametrize(
    ("size", "games"),
    [
        ((3, 3, 1), 24),
        ((4, 4, 1), 10_927),
        ((4, 4, 2), 33_063),
        ((5, 5, 1), 409_174_041_230),
    ],
)
def test_continuations_of_damspel(size: tuple[int, int, int], games: int) -> None:
    assert continuations(*damspel(*size)) == games


@pytest.mark.parametrize(
    ("size", "lines"),
    [((10, 10, 4), [29, 841, 24_704, 695_833]), ((6, 7, 2), [13, 169, 2071])],
)
def test_lines_of_damspel(size: tuple[int, int, int], lines: list[int]) -> None:
    assert list(perft(*damspel(*size), len(lines))) == lines


@pytest.mark.parametrize("size", SIZES)
def test_counts_of_small_boards_match_a_play_of_every_game(size: tuple[int, int, int]) -> None:
    game, state = damspel(*size)

    assert continuations(game, state) == naive_games(game, state)
    assert list(perft(game, state, 6)) == [naive_lines(game, state, ply) for ply in range(1, 7)]


def test_counts_of_every_position_of_a_game_match_a_play_of_every_game() -> None:
    game, state = damspel(4, 3, 1)
    while (moves := list(game.legal(state))) and (state := game.apply(state, moves[-1])):
        assert continuations(game, state) == naive_games(game, state)
    assert game.outcome(state)


@pytest.mark.parametrize("plies", [True, False])
def test_any_game_is_counted(*, plies: bool) -> None:
    game = Stairs(height=12, plies=plies)

    assert continuations(game, game.start(2, 0)) == fibonacci(12) == 233
    assert list(perft(game, game.start(2, 0), 13)) == [
        naive_lines(game, game.start(2, 0), ply) for ply in range(1, 14)
    ]


def test_a_game_longer_than_the_recursion_limit_is_counted() -> None:
    height = 3 * sys.getrecursionlimit()
    game = Stairs(height=height)

    assert continuations(game, game.start(2, 0)) == fibonacci(height)


def test_a_finished_position_is_one_game_and_no_line() -> None:
    game, state = damspel(4, 4, 1)
    over = game.retire(state, 1)

    assert continuations(game, over) == 1
    assert list(perft(game, over, 3)) == [0, 0, 0]


def test_progress_reports_a_lower_bound() -> None:
    game, state = damspel(4, 4, 2)
    told: list[CountProgress] = []
    games = continuations(game, state, progress=told.append)

    assert [at.positions for at in told] == [
        INTERVAL * number for number in range(1, len(told) + 1)
    ]
    assert len(told) > 3
    assert all(0 < at.at_least <= games and at.ply > 0 for at in told)


def test_progress_of_lines_reports_the_ply() -> None:
    game, state = damspel(4, 4, 2)
    told: list[CountProgress] = []
    lines = list(perft(game, state, 12, progress=told.append))

    assert told
    assert [at.ply for at in told] == sorted(at.ply for at in told)
    assert all(at.at_least <= lines[at.ply - 1] for at in told)


@pytest.mark.parametrize(
    ("error", "reason"), [(KeyboardInterrupt, "interrupted"), (MemoryError, "out of memory")]
)
def test_a_stopped_count_reports_its_progress(error: type[BaseException], reason: str) -> None:
    game, state = damspel(4, 4, 2)
    with pytest.raises(CountStoppedError) as caught:
        continuations(game, state, progress=stop_after(3, error))

    stopped = caught.value
    assert (stopped.reason, stopped.positions) == (reason, 3 * INTERVAL)
    assert 1 < stopped.at_least <= 33_063
    assert str(stopped) == f"{reason} after {3 * INTERVAL} positions: at least {stopped.at_least}"


def test_a_stopped_perft_has_yielded_the_plies_before() -> None:
    game, state = damspel(4, 4, 2)
    everything = list(perft(game, state, 14))
    counting = perft(game, state, 14, progress=stop_after(3, KeyboardInterrupt))
    lines: list[int] = []
    with pytest.raises(CountStoppedError, match="interrupted") as caught:
        lines.extend(counting)

    assert lines == everything[: len(lines)]
    assert 0 < len(lines) < 14
    assert 0 < caught.value.at_least <= everything[len(lines)]


def all_perft(game: Game[Any, Any], state: State, memory_bytes: int) -> list[int]:
    return list(perft(game, state, 30, memory_bytes=memory_bytes))


@pytest.mark.parametrize("counted", [continuations, all_perft])
def test_the_memory_cap_ends_a_count(counted: Callable[..., object]) -> None:
    game, state = damspel(5, 5, 1)
    with pytest.raises(CountStoppedError, match="out of memory") as caught:
        counted(game, state, memory_bytes=1)

    assert caught.value.positions == INTERVAL


def test_a_sufficient_cap_has_no_effect() -> None:
    assert continuations(*damspel(4, 4, 2), memory_bytes=2**40) == 33_063


def test_the_table_is_not_doubled_beyond_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "resident_bytes", lambda: 1000)
    table: dict[Hashable, int] = dict.fromkeys(range(100), 0)
    room = 1000 + 2 * sys.getsizeof(table)
    at = CountProgress(1, 1, 1)

    count.CountWatch(room, None).look(at, table)
    with pytest.raises(MemoryError):
        count.CountWatch(room - 1, None).look(at, table)


def test_an_interruption_at_any_moment_leaves_a_true_bound() -> None:
    """Interrupts the search at every third bytecode, as a signal would."""
    game, state = damspel(3, 3, 1)
    counted = partial(continuations, game, state)
    found = (_bound(counted, instant) for instant in range(1, 10**6, 3))
    bounds = [bound for bound in takewhile(lambda bound: bound != 0, found) if bound is not None]

    assert len(bounds) > 100
    assert len(set(bounds)) > 5
    assert min(bounds) == 1
    assert max(bounds) <= 24


def _bound(counted: Callable[[], int], instant: int) -> int | None:
    """Interrupt the count at its bytecode of that number.

    Return the bound, 0 if the count was over by then, None if the search had not begun.
    """
    try:
        _interrupted(counted, instant)
    except CountStoppedError as stopped:
        return stopped.at_least
    except KeyboardInterrupt:
        return None
    return 0


def _interrupted(counted: Callable[[], int], instant: int) -> int:
    left = instant

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        del argument
        if frame.f_code.co_filename != count.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return counted()
    finally:
        sys.settrace(before)


def test_a_signal_interrupts_a_count() -> None:
    game, state = damspel(5, 5, 1)

    def progress(at: CountProgress) -> None:
        del at
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(CountStoppedError, match="interrupted"):
        continuations(game, state, progress=progress)


def test_other_errors_from_progress_reach_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        continuations(*damspel(4, 4, 2), progress=stop_after(1, ZeroDivisionError))

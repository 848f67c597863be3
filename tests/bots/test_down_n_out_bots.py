from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from c_programs import sanitized
from hosted import Hall, moves
from router_seat import BOTS, TIME, Seat, prepare

from protocol.vocabulary import Termination
from referee.games.down_n_out import DownNOut, Move, State
from referee.records.record import Record

DOWN_N_OUT_BOTS = ("down-n-out-python", "down-n-out-c")
GAME = "down_n_out"
BOARDS = range(1, 5)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with Hall(tmp_path_factory.mktemp("hall")) as one:
        yield one


@pytest.fixture(scope="module")
def points(hall: Hall) -> Callable[[str, int], int]:
    """Return a function for the points of a bot on a board, which it plays once."""

    @cache
    def made(bot: str, board: int) -> int:
        return played(hall, bot, board).verdict.points[0]

    return made


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[str]]]:
    """Prepare the bots; the one in C is built under the sanitizers."""
    python, c = tmp_path_factory.mktemp("python"), tmp_path_factory.mktemp("c")
    program = sanitized(c / "bot", sorted((BOTS / "down-n-out-c").glob("*.c")))
    return {
        "down-n-out-python": (python, prepare("down-n-out-python", python)),
        "down-n-out-c": (c, [str(program)]),
    }


@pytest.fixture(params=DOWN_N_OUT_BOTS)
def seat(
    request: pytest.FixtureRequest, programs: dict[str, tuple[Path, list[str]]]
) -> Iterator[Seat]:
    folder, argv = programs[request.param]
    with Seat(folder, argv) as one:
        yield one


def played(hall: Hall, bot: str, board: int, **options: Any) -> Record:
    record = hall.play([bot], GAME, board, display="check", **options)
    assert record.verdict.termination is Termination.NORMAL, record.verdict
    return record


def finished(seat: Seat, game: DownNOut, state: State, init_ms: int = 5000) -> State:
    """Let the bot play from a position to the end; all its claims must be right."""
    seat.init(
        game=GAME,
        seats=1,
        players=["somebody"],
        options={"rows": game.rows, "cols": game.cols, "colors": game.colors, "display": "check"},
        time={**TIME, "init_ms": init_ms},
        view=game.view(state, 0),
    )
    while game.outcome(state) is None:
        assert seat.call("display")["board"] == list(game.picture(state))
        reply = seat.move(ply=state.ply)
        move = Move(**reply["move"])
        after = game.apply(state, move)
        claims = game.claims(state, move, after)
        assert claims.board is not None
        assert reply["claims"] == {"removed": claims.removed, "board": list(claims.board)}
        state = after
    seat.term(last=False)
    return state


@pytest.mark.parametrize(
    ("bot", "enough"), [("down-n-out-python", 10_000), ("down-n-out-c", 11_500)]
)
def test_the_average_is_far_above_naive_play(
    points: Callable[[str, int], int], bot: str, enough: int
) -> None:
    assert mean(points(bot, board) for board in BOARDS) > enough


@pytest.mark.parametrize("bot", DOWN_N_OUT_BOTS)
def test_random_play_is_beaten_on_each_board(points: Callable[[str, int], int], bot: str) -> None:
    for board in BOARDS:
        assert points(bot, board) > 2 * points("random", board)


@pytest.mark.parametrize("bot", DOWN_N_OUT_BOTS)
@pytest.mark.parametrize(
    ("rows", "cols", "colors"),
    [
        (1, 1, 2),
        (1, 7, 2),
        (7, 1, 2),
        (2, 100, 3),
        (100, 2, 9),
        (5, 5, 5),
        (20, 21, 4),
        (45, 40, 2),
    ],
)
def test_boards_of_any_shape_are_played_until_no_group_is_left(
    hall: Hall, bot: str, rows: int, cols: int, colors: int
) -> None:
    record = played(hall, bot, 1, rows=rows, cols=cols, colors=colors)
    assert record.verdict.reason == "no group left"


@pytest.mark.parametrize("bot", DOWN_N_OUT_BOTS)
def test_a_game_does_not_depend_on_the_games_before(hall: Hall, bot: str) -> None:
    hall.restart()
    first, other, again = (moves(played(hall, bot, board)) for board in (3, 4, 3))
    assert first == again != other


@pytest.mark.parametrize(("rows", "cols", "colors"), [(4, 6, 2), (6, 9, 3), (9, 4, 9)])
def test_claims_and_pictures_are_right_before_and_after_each_move(
    seat: Seat, rows: int, cols: int, colors: int
) -> None:
    game = DownNOut(rows=rows, cols=cols, colors=colors)
    for board in range(4):
        finished(seat, game, game.start(1, board))


def test_a_game_may_continue_from_any_position(seat: Seat) -> None:
    game = DownNOut(rows=6, cols=12)
    state = game.start(1, 8)
    while game.outcome(state) is None:
        state = game.apply(state, next(iter(game.legal(state))))
        if state.ply % 4 == 0:
            finished(seat, game, state)


def test_without_time_to_plan_it_is_still_played_to_the_end(seat: Seat) -> None:
    game = DownNOut()
    state = finished(seat, game, game.start(1, 1), init_ms=1)
    outcome = game.outcome(state)
    assert outcome is not None
    assert outcome.reason == "no group left"


def test_more_time_makes_more_points(seat: Seat) -> None:
    game = DownNOut(rows=18, cols=18, colors=5)
    few, many = (finished(seat, game, game.start(1, 1), init_ms) for init_ms in (1, 20_000))
    assert many.points > few.points

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest
from c_programs import sanitized
from hosted import Hall, moves
from router_seat import BOTS, Seat, prepare

from protocol.vocabulary import Termination
from referee.games.matchsticks import Matchsticks, Move

MATCHSTICKS_BOTS = ("matchsticks-python", "matchsticks-c")
Objective: TypeAlias = Literal["normal", "misere"]
OBJECTIVES: tuple[Objective, ...] = ("normal", "misere")
SIDE = 4
"""Boards up to this size are checked against the table of all positions."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with Hall(tmp_path_factory.mktemp("hall")) as one:
        yield one


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[str]]]:
    """Prepare the bots; the one in C is built under the sanitizers."""
    python, c = tmp_path_factory.mktemp("python"), tmp_path_factory.mktemp("c")
    program = sanitized(c / "bot", sorted((BOTS / "matchsticks-c").glob("*.c")))
    return {
        "matchsticks-python": (python, prepare("matchsticks-python", python)),
        "matchsticks-c": (c, [str(program)]),
    }


@pytest.fixture(params=MATCHSTICKS_BOTS)
def seat(
    request: pytest.FixtureRequest, programs: dict[str, tuple[Path, list[str]]]
) -> Iterator[Seat]:
    folder, argv = programs[request.param]
    with Seat(folder, argv) as one:
        yield one


@cache
def lost(objective: str) -> list[bool]:
    """Tell for each set of sticks on 4 x 4 cells, bit 4 * row + column, whether it is lost."""
    cells = [(row, col) for row in range(SIDE) for col in range(SIDE)]
    lines = [
        [(r, c) for r, c in cells if (r, c)[which] == number]
        for which in (0, 1)
        for number in range(SIDE)
    ]
    runs = {
        sum(1 << SIDE * row + col for row, col in line[start:end])
        for line in lines
        for start in range(SIDE)
        for end in range(start + 1, SIDE + 1)
    }
    table = [objective == "normal"]
    for board in range(1, 1 << SIDE * SIDE):
        table.append(not any(table[board & ~run] for run in runs if board & run == run))
    return table


def packed(rows: tuple[str, ...]) -> int:
    return sum(
        1 << SIDE * row + col
        for row, cells in enumerate(rows)
        for col, cell in enumerate(cells)
        if cell == "1"
    )


def boards(size: int, numbers: Iterator[int] | range) -> Iterator[tuple[str, ...]]:
    """The boards whose cells are the bits of the numbers."""
    for number in numbers:
        text = f"{number:0{size * size}b}"
        yield tuple(text[start : start + size] for start in range(0, size * size, size))


def asked(seat: Seat, rows: tuple[str, ...], objective: Objective) -> tuple[str, ...]:
    """Return the board after the bot's move; the move and its claim must be right."""
    game = Matchsticks(dimension=len(rows), board=rows, objectives=objective)
    state = game.start(2, 0)
    options = {"dimension": len(rows), "board": list(rows), "objectives": objective}
    seat.init(game="matchsticks", options=options, view=game.view(state, 0))
    reply = seat.move()
    move = Move(**reply["move"])
    after = game.apply(state, move)
    board = game.claims(state, move, after).board
    assert board is not None
    assert reply["claims"] == {"board": list(board)}
    seat.term(last=False)
    return board


def winner(outcome: Any) -> int:
    seat: int = outcome.places.index(1)
    return seat


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_no_win_on_a_small_board_is_missed(seat: Seat, objective: Objective) -> None:
    chance = random.Random(7)
    sampled = iter(chance.sample(range(1, 1 << 16), 600))
    small = [*boards(1, range(1, 2)), *boards(2, range(1, 16)), *boards(3, range(1, 512))]
    table, won = lost(objective), 0
    for rows in [*small, *boards(4, sampled)]:
        after = asked(seat, rows, objective)
        if not table[packed(rows)]:
            won += 1
            assert table[packed(after)], rows
    assert won > 600


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("size", "winning_seat"), [(2, 1), (3, 0), (4, 1)])
def test_full_boards_are_won_by_the_seat_known_to_win(
    hall: Hall, objective: str, size: int, winning_seat: int
) -> None:
    for bot in MATCHSTICKS_BOTS:
        for rival in (*MATCHSTICKS_BOTS, "random"):
            bots = (bot, rival) if winning_seat == 0 else (rival, bot)
            record = hall.play(
                bots, "matchsticks", dimension=size, hole_fraction=0.0, objectives=objective
            )
            assert record.verdict.termination is Termination.NORMAL
            assert winner(record.verdict) == winning_seat


@pytest.mark.parametrize(("size", "winning_seat"), [(12, 1), (11, 0), (20, 1)])
def test_full_boards_too_large_to_search_are_won_by_mirroring(
    hall: Hall, size: int, winning_seat: int
) -> None:
    for bots in (MATCHSTICKS_BOTS, MATCHSTICKS_BOTS[::-1]):
        record = hall.play(
            bots, "matchsticks", dimension=size, hole_fraction=0.0, objectives="normal"
        )
        assert record.verdict.termination is Termination.NORMAL
        assert winner(record.verdict) == winning_seat


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("bot", MATCHSTICKS_BOTS)
def test_random_play_never_wins(hall: Hall, bot: str, objective: str) -> None:
    for board in range(4):
        for bots in ((bot, "random"), ("random", bot)):
            record = hall.play(bots, "matchsticks", board, dimension=8, objectives=objective)
            assert record.verdict.termination is Termination.NORMAL
            assert bots[winner(record.verdict)] == bot


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("size", "holes"), [(64, 0.1), (17, 0.4), (9, 0.6), (33, 0.95)])
def test_boards_of_any_size_are_played_to_the_end_with_true_claims(
    hall: Hall, objective: str, size: int, holes: float
) -> None:
    record = hall.play(
        MATCHSTICKS_BOTS, "matchsticks", dimension=size, hole_fraction=holes, objectives=objective
    )
    assert record.verdict.termination is Termination.NORMAL


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_match_does_not_depend_on_the_matches_before(hall: Hall, objective: str) -> None:
    options = {"dimension": 7, "objectives": objective}
    hall.restart()
    first = hall.play(MATCHSTICKS_BOTS, "matchsticks", 3, **options)
    other = hall.play(MATCHSTICKS_BOTS, "matchsticks", 4, **options)
    again = hall.play(MATCHSTICKS_BOTS, "matchsticks", 3, **options)
    assert moves(first) == moves(again) != moves(other)


def test_the_opponents_run_may_be_written_from_either_end(seat: Seat) -> None:
    rows = ("1111", "1101", "1111", "0111")
    seat.init(
        game="matchsticks",
        seat=1,
        options={"dimension": 4, "objectives": "normal"},
        view={"turn": 0, "ply": 0, "board": list(rows)},
    )
    told = {"row": True, "line": 2, "start": 3, "end": 1}
    reply = seat.move(ply=1, opponent_moves=[{"seat": 0, "move": told}])
    left = ("1111", "1101", "1000", "0111")
    game = Matchsticks(dimension=4, board=left, objectives="normal")
    after = game.apply(game.start(2, 0), Move(**reply["move"]))
    assert reply["claims"]["board"] == game.view(after, 0)["board"]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_reach_keeps_the_bot_in_c_from_searching_larger_boards(
    programs: dict[str, tuple[Path, list[str]]], objective: Objective
) -> None:
    folder, argv = programs["matchsticks-c"]
    table, missed = lost(objective), {"within": 0, "beyond": 0}
    with Seat(folder, [*argv, "--reach", "6"]) as one:
        for rows in boards(4, range(1, 1 << 16, 97)):
            if not table[packed(rows)] and not table[packed(asked(one, rows, objective))]:
                missed["within" if packed(rows).bit_count() <= 6 else "beyond"] += 1
    assert missed["within"] == 0
    assert missed["beyond"] > 0


def test_a_match_may_continue_from_a_history(seat: Seat) -> None:
    game = Matchsticks(dimension=3, hole_fraction=0.0, objectives="normal")
    state = game.apply(game.start(2, 0), Move(row=True, line=0, start=0, end=2))
    played = {"seat": 0, "move": {"row": True, "line": 0, "start": 0, "end": 2}}
    seat.init(
        game="matchsticks",
        seat=1,
        options={"dimension": 3, "objectives": "normal"},
        history=[played],
        view=game.view(state, 1),
    )
    reply = seat.move(ply=1)
    after = game.apply(state, Move(**reply["move"]))
    assert reply["claims"]["board"] == game.view(after, 0)["board"]

"""Pente: the organiser's logged games, and the positions that its rules turn on."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.pente import Claims, Move, Pente, State
from referee.rules import IllegalMoveError, NotationError

LOGGED = json.loads((Path(__file__).parent / "pente_games.json").read_text())["games"]


def played(game: Pente, moves: str) -> State:
    state = game.start(2, 0)
    for text in moves.split():
        state = game.apply(state, game.parse(text))
    return state


def position(rows: str, *, to_move: int = 0, pairs: tuple[int, int] = (0, 0)) -> State:
    """Return a position in mid-game from a drawing whose middle is the centre of the board."""
    game = Pente()
    lines = rows.split()
    board = bytearray(game.size**2)
    top, left = len(lines) // 2, len(lines[0]) // 2
    for row, line in enumerate(lines):
        for column, stone in enumerate(line):
            point = (row - top + 9) * game.size + column - left + 9
            board[point] = ".XO".index(stone)
    return State(bytes(board), 10 + to_move, pairs)


@pytest.mark.parametrize("logged", LOGGED, ids=lambda logged: logged["id"])
def test_a_logged_game_reproduces_move_by_move(logged: dict[str, Any]) -> None:
    game = Pente()
    state = game.start(2, 0)
    captures = {}
    for ply, text in enumerate(logged["moves"].split()):
        assert state.ended is None
        move = game.parse(text)
        assert move in set(game.legal(state))
        state = game.apply(state, move)
        if state.taken:
            captures[str(ply)] = len(state.taken) // 2

    assert captures == logged["captures"]
    assert state.ended is not None
    assert state.ended.reason == logged["reason"]
    assert list(state.ended.points) == logged["points"]
    assert state.ended.places.index(1) == logged["winner"]


def test_the_row_that_won_is_decisive_and_a_win_by_captures_has_none() -> None:
    game = Pente()
    four = position("XXXX.")
    move = game.parse("0,2")

    won = game.apply(four, move)

    assert won.ended is not None
    names = game.layout(2).names
    assert [names[place] for place in game.decisive(won, move)] == [f"0,{h}" for h in range(-2, 3)]

    taken = game.apply(position("XOO.", pairs=(4, 0)), game.parse("0,1"))
    assert taken.ended is not None
    assert game.decisive(taken, game.parse("0,1")) == ()


def test_the_first_stone_must_be_at_the_origin() -> None:
    game = Pente()
    start = game.start(2, 0)

    assert list(game.legal(start)) == [Move(0, 0)]
    with pytest.raises(IllegalMoveError, match="first stone must be at the origin"):
        game.apply(start, Move(0, 1))


@pytest.mark.parametrize(
    ("rule", "refused", "allowed"),
    [
        ("box5", ["2,2", "-2,0", "0,-2"], ["3,0", "0,-3", "-3,2", "5,5"]),
        ("both", ["3,0", "0,-9", "3,2", "-2,5"], ["3,3", "-3,4", "9,-9"]),
        ("free", [], ["0,1", "2,2", "3,0"]),
    ],
)
def test_the_first_players_second_stone_is_restricted_as_chosen(
    rule: Any, refused: list[str], allowed: list[str]
) -> None:
    game = Pente(second_stone=rule)
    state = played(game, "0,0 8,8")

    for text in refused:
        with pytest.raises(IllegalMoveError, match="second stone"):
            game.apply(state, game.parse(text))
    for text in allowed:
        assert game.apply(state, game.parse(text)).ply == 3
    legal = set(game.legal(state))
    assert not legal & {game.parse(text) for text in refused}
    assert legal >= {game.parse(text) for text in allowed}


def test_only_the_first_players_second_stone_is_restricted() -> None:
    game = Pente()

    assert played(game, "0,0 0,1").ply == 2
    assert played(game, "0,0 0,1 3,3 1,0 1,1").ply == 5


def test_a_bracketed_pair_is_taken_in_all_eight_directions_at_once() -> None:
    state = position(
        """
        X..X..X
        .O.O.O.
        ..OOO..
        XOO.OOX
        ..OOO..
        .O.O.O.
        X..X..X
        """
    )

    after = Pente().apply(state, Move(0, 0))

    assert after.pairs == (8, 0)
    assert after.board.count(2) == 0
    assert after.ended is not None
    assert after.ended.reason == "five captured pairs"
    assert after.ended.points[0] == 8


@pytest.mark.parametrize("row", ["X.OOOX.", ".XO.X..", "XOOO.X.", "XO.OX.."])
def test_only_exactly_two_stones_are_taken(row: str) -> None:
    state = position(f"....... {row} .......")

    for column in range(-3, 4):
        if row[column + 3] == ".":
            assert Pente().apply(state, Move(0, column)).taken == ()


def test_a_single_stone_and_a_pair_at_the_edge_are_safe() -> None:
    game = Pente()
    edge = played(game, "0,0 9,9 5,5 9,8 9,7")

    assert edge.taken == ()
    assert played(game, "0,0 0,1 5,5 8,8 0,2").taken == ()


def test_stepping_into_a_bracket_is_safe() -> None:
    state = position("....... .XO.X.. .......", to_move=1)

    after = Pente().apply(state, Move(0, 0))

    assert after.taken == ()
    assert after.pairs == (0, 0)


def test_a_vacated_point_may_be_played_again() -> None:
    game = Pente()
    state = game.apply(position("....... .XOO... ......."), Move(0, 1))
    freed = [game.notation(Move(0, column)) for column in (-1, 0)]

    assert state.pairs == (1, 0)
    assert {game.parse(text) for text in freed} <= set(game.legal(state))


def test_a_row_of_six_wins_too() -> None:
    after = Pente().apply(position("....... XXX.XX. ......."), Move(0, 0))

    assert after.ended is not None
    assert after.ended.reason == "five in a row"
    assert after.ended.points == (6, 0)  # five for the row, one since it holds a four


def test_five_and_fifth_pair_on_one_stone_both_count() -> None:
    state = position("XXXX.OOX ........ ........".replace(" ", " "), pairs=(4, 0))

    after = Pente().apply(state, Move(-1, 0))

    assert after.ended is not None
    assert after.ended.reason == "five in a row"
    assert after.ended.points == (5 + 5 + 1, 0)


@pytest.mark.parametrize(
    ("rule", "points"), [("runs", 5 + 1), ("exact", 5 + 0), ("windows", 5 + 2)]
)
def test_fours_are_counted_as_chosen(rule: Any, points: int) -> None:
    after = Pente(fours=rule).apply(position("....... .XX.XX. ......."), Move(0, 0))

    assert after.ended is not None
    assert after.ended.points == (points, 0)


def test_the_losers_fours_and_pairs_count_too() -> None:
    state = position("XX.XX.. OOOO... .......", pairs=(0, 3))

    after = Pente().apply(state, Move(-1, -1))

    assert after.ended is not None
    assert after.ended.points == (6, 4)


def test_a_full_board_is_a_draw() -> None:
    game = Pente()
    # Stones in turn along each row, shifted every four rows: no run is longer than four.
    rows = [bytes(1 + (column + row // 4) % 2 for column in range(19)) for row in range(19)]
    full = b"".join(rows)
    ends = []
    for last in (point for point, stone in enumerate(full) if stone == 1):
        board = full[:last] + bytes(1) + full[last + 1 :]
        after = game.apply(State(board, 360), game._move(last))
        if not after.taken:
            ends.append(after.ended)

    assert ends
    assert {(end.reason, end.places) for end in ends if end} == {("full board", (1, 1))}
    assert None not in ends


@pytest.mark.parametrize("seat", [0, 1])
def test_a_retired_seat_loses_its_points_and_the_other_gains_five(seat: int) -> None:
    state = position("XXXX... OOOO... .......", pairs=(2, 3))

    ended = Pente().retire(state, seat).ended

    assert ended is not None
    assert ended.points[seat] == 0
    assert ended.points[1 - seat] == (1 + 2, 1 + 3)[1 - seat] + 5
    assert ended.places[1 - seat] == 1


def test_an_adjudicated_match_is_a_draw_with_the_points_as_they_stand() -> None:
    outcome = Pente().adjudicate(position("XXXX... ....... .......", pairs=(0, 2)), "stopped")

    assert (outcome.points, outcome.places, outcome.reason) == ((1, 2), (1, 1), "stopped")


def test_claims_are_pairs_without_an_order() -> None:
    game = Pente()
    before = position("....... .XOO... .......")
    after = game.apply(before, Move(0, 1))
    truth = game.claims(before, Move(0, 1), after)

    assert truth == Claims((((0, -1), (0, 0)),), victory=False)
    assert game.normal_claims(Claims((((0, 0), (0, -1)),), victory=False)) == truth
    doubled = Claims((((0, 0), (0, -1)), ((0, -1), (0, 0))), victory=False)
    assert game.normal_claims(doubled) != truth


@pytest.mark.parametrize(("row", "is_won"), [("XXX*", False), ("XXXX*", True)])
def test_only_a_winning_stone_may_claim_victory(row: str, *, is_won: bool) -> None:
    game, before = Pente(), position(row.replace("*", "."))
    move = Move(0, row.index("*") - len(row) // 2)

    claims = game.claims(before, move, game.apply(before, move))

    assert claims == Claims((), victory=is_won)


def test_the_end_allows_no_move() -> None:
    game = Pente()
    over = game.apply(position("....... XX.XX.. ......."), Move(0, -1))

    assert list(game.legal(over)) == []
    with pytest.raises(IllegalMoveError, match="the game is over"):
        game.apply(over, Move(5, 5))


def test_spaces_around_the_numbers_of_a_point_are_ignored() -> None:
    assert Pente().parse(" -2 , 4 ") == Move(-2, 4)


@pytest.mark.parametrize(
    "text", ["", "a", "1", "1,2,3", "1;2", "x,y", "1.0,2", "1_0,2", "٣,4", "9" * 4000 + ",1"]
)
def test_an_invalid_point_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(NotationError, match='like "-2,4"'):
        Pente().parse(text)


def slow_after(stones: dict[tuple[int, int], int], point: tuple[int, int]) -> dict[str, Any]:
    """Work out a stone's captures and whether it makes five, on a dict of points."""
    own = stones[point]
    taken = set()
    five = False
    for dv in (-1, 0, 1):
        for dh in (-1, 0, 1):
            if (dv, dh) == (0, 0):
                continue
            ray = [(point[0] + dv * step, point[1] + dh * step) for step in range(1, 10)]
            line = [stones.get(place, 0) for place in ray]
            if line[:3] == [3 - own, 3 - own, own]:
                taken |= set(ray[:2])
            back = [
                stones.get((point[0] - dv * step, point[1] - dh * step), 0) for step in range(1, 10)
            ]
            run = 1
            for arm in (line, back):
                for stone in arm:
                    if stone != own:
                        break
                    run += 1
            five |= run >= 5
    return {"taken": taken, "five": five}


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), half=st.integers(9, 11), spread=st.integers(2, 9))
def test_random_games_agree_with_rules_written_differently(
    seed: int, half: int, spread: int
) -> None:
    chance = random.Random(seed)
    game = Pente(half_size=half, second_stone="free")
    state = game.start(2, 0)
    stones: dict[tuple[int, int], int] = {}
    pairs = [0, 0]
    while state.ended is None and state.ply < 150:
        near = [m for m in game.legal(state) if max(abs(m.v), abs(m.h)) <= spread]
        move = chance.choice(near or list(game.legal(state)))
        seat = state.ply % 2
        state = game.apply(state, move)
        stones[move.v, move.h] = seat + 1
        facts = slow_after(stones, (move.v, move.h))
        for place in facts["taken"]:
            del stones[place]
        pairs[seat] += len(facts["taken"]) // 2
        seen = {
            (point.v, point.h): stone
            for point, stone in zip(game._moves, state.board, strict=True)
            if stone
        }
        assert seen == stones
        assert list(state.pairs) == pairs
        assert (state.ended is not None) == (facts["five"] or pairs[seat] >= 5)


def slow_runs(stones: dict[tuple[int, int], int], seat: int) -> list[int]:
    """Return the length of every maximal run of a seat's stones, a stone by itself included."""
    own = {point for point, stone in stones.items() if stone == seat + 1}
    lengths = []
    for dv, dh in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for v, h in own:
            if (v - dv, h - dh) not in own:
                length = 1
                while (v + length * dv, h + length * dh) in own:
                    length += 1
                lengths.append(length)
    return lengths


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    half=st.sampled_from([9, 10, 15]),
    weights=st.sampled_from([(1, 6, 1), (1, 1, 6), (1, 4, 4), (3, 2, 2)]),
)
def test_fours_on_random_boards_agree_with_a_slow_count(
    seed: int, half: int, weights: tuple[int, int, int]
) -> None:
    cells = bytes(random.Random(seed).choices(range(3), weights, k=(2 * half + 1) ** 2))
    state = State(cells, 10, (2, 1))
    places = ((v, h) for v in range(-half, half + 1) for h in range(-half, half + 1))
    stones = dict(zip(places, cells, strict=True))
    runs = [slow_runs(stones, seat) for seat in (0, 1)]
    fours: dict[Any, list[int]] = {
        "runs": [sum(length >= 4 for length in lengths) for lengths in runs],
        "exact": [lengths.count(4) for lengths in runs],
        "windows": [sum(max(0, length - 3) for length in lengths) for lengths in runs],
    }

    for rule, (first, second) in fours.items():
        points = Pente(half_size=half, fours=rule).adjudicate(state, "stopped").points
        assert points == (2 + first, 1 + second)


@pytest.mark.parametrize("half_size", range(9, 16))
def test_the_numbers_above_a_diagram_stand_apart_and_above_their_columns(half_size: int) -> None:
    game = Pente(half_size=half_size)
    header, first_row, *_ = game.diagram(game.start(2, 0)).splitlines()

    labels = header.split()
    assert labels[0] == str(-half_size)
    for label in labels:
        place = first_row.index(".") + 3 * (int(label) + half_size)
        assert header[: place + 1].endswith(label)

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from c_programs import build, built, compilers, sanitized
from router_seat import BOTS, INIT, Seat

from referee.games.pente import Claims, Move, Pente, State

SOURCES = sorted((BOTS / "deep").glob("*.c"))
MAX_NODES = 12_000
"""What deep.c allows itself for a move: some 10 ms."""
BOX5, BOTH, FREE = (Pente(second_stone=rule) for rule in ("box5", "both", "free"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deep")


@pytest.fixture(scope="module")
def argv(place: Path) -> list[str]:
    return built("deep", place)


@pytest.fixture
def seat(place: Path, argv: list[str]) -> Iterator[Seat]:
    with Seat(place, argv) as one:
        yield one


def _wire(move: Move) -> dict[str, int]:
    return {"v": move.v, "h": move.h}


def _begin(seat: Seat, game: Pente, own: int, moves: list[Move]) -> State:
    """Begin a match after these moves; return the position."""
    state = game.start(2, 0)
    history = []
    for move in moves:
        history.append({"seat": game.turn(state), "move": _wire(move)})
        state = game.apply(state, move)
    options = {
        "half_size": game.half_size,
        "second_stone": game.second_stone,
        "fours": game.fours,
    }
    seat.init(seat=own, options=options, history=history, view=game.view(state, own))
    return state


def _asked(seat: Seat, game: Pente, state: State, since: list[Move]) -> tuple[Move, State]:
    """Return the bot's move and the position after it; the move and its claims must be right."""
    rival = 1 - game.turn(state)
    told = [{"seat": rival, "move": _wire(move)} for move in since]
    reply = seat.move(ply=state.ply, opponent_moves=told)
    move = Move(**reply["move"])
    after = game.apply(state, move)
    assert _claims(game, reply["claims"]) == game.claims(state, move, after)
    assert -1000 <= reply["value"] <= 1000
    assert reply["data"].keys() == {"depth", "nodes"}
    assert reply["data"]["nodes"] <= MAX_NODES
    return move, after


def _claims(game: Pente, claims: dict[str, Any]) -> Claims:
    captures = tuple(((v, h), (w, i)) for (v, h), (w, i) in claims["captures"])
    return game.normal_claims(Claims(captures, claims["victory"]))


def _match(seat: Seat, game: Pente, own: int, seed: int) -> tuple[State, list[Move]]:
    """Play a match against a player of random moves; return its last position."""
    chance = random.Random(seed)
    state = _begin(seat, game, own, [])
    since: list[Move] = []
    moves: list[Move] = []
    while game.outcome(state) is None:
        if game.turn(state) == own:
            move, state = _asked(seat, game, state, since)
            since = []
        else:
            move = chance.choice(list(game.legal(state)))
            state = game.apply(state, move)
            since.append(move)
        moves.append(move)
    return state, moves


@pytest.mark.parametrize("half_size", [9, 12, 15])
@pytest.mark.parametrize("second_stone", ["box5", "both", "free"])
@pytest.mark.parametrize("own", [0, 1])
def test_it_beats_random_moves_under_every_option(
    seat: Seat, half_size: int, second_stone: Any, own: int
) -> None:
    game = Pente(half_size=half_size, second_stone=second_stone)

    for number in range(2):
        state, _ = _match(seat, game, own, seed=number)

        outcome = game.outcome(state)
        assert outcome is not None
        assert outcome.places[own] == 1
        assert outcome.places[1 - own] == 2
        seat.term(last=number == 1)
    assert seat.end() == (0, "", "")


def test_a_second_match_in_a_process_is_played_like_the_first(seat: Seat) -> None:
    first = _match(seat, BOX5, 0, seed=5)
    seat.term(last=False)
    _match(seat, Pente(half_size=15, second_stone="free"), 1, seed=6)
    seat.term(last=False)

    assert _match(seat, BOX5, 0, seed=5) == first


def test_a_position_has_one_move_however_it_was_reached(seat: Seat) -> None:
    state, moves = _match(seat, BOX5, 0, seed=8)
    seat.term(last=False)
    assert state.ply > 8

    for ply in range(0, len(moves), 2):
        before = _begin(seat, BOX5, 0, moves[:ply])
        assert _asked(seat, BOX5, before, [])[0] == moves[ply]
        seat.term(last=False)


def _in_turn(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> list[Move]:
    """Return the stones of both seats as moves, one after the other."""
    return [Move(*point) for pair in zip(first, second, strict=True) for point in pair]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([(0, 0), (0, 4), (0, 1), (0, 3)], [(8, 8), (-8, 8), (8, -8), (-8, -8)]),
        ([(0, 0), (4, 4), (1, 1), (3, 3)], [(8, 8), (-8, 8), (8, -8), (-8, 0)]),
        ([(0, 0), (9, 9), (8, 9), (7, 9), (6, 9)], [(8, 8), (-8, 8), (8, -8), (3, 0), (-4, 2)]),
    ],
)
def test_it_takes_a_win(
    seat: Seat, first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    state = _begin(seat, BOX5, 0, _in_turn(first, second))

    _, after = _asked(seat, BOX5, state, [])

    outcome = BOX5.outcome(after)
    assert outcome is not None
    assert outcome.reason == "five in a row"


def test_it_wins_by_the_fifth_pair(seat: Seat) -> None:
    moves = [Move(0, 0), Move(-9, -9)]
    for column in (-8, -4, 0, 4, 8):
        moves += [Move(8, column), Move(9, column), Move(7, column), Move(6, column)]
    state = _begin(seat, BOX5, 1, moves[:-1])
    assert state.pairs == (0, 4)

    move, after = _asked(seat, BOX5, state, [])

    outcome = BOX5.outcome(after)
    assert move == Move(6, 8)
    assert outcome is not None
    assert outcome.reason == "five captured pairs"


def test_it_takes_two_pairs_with_one_stone(seat: Seat) -> None:
    first, second = [(0, 0), (5, 8), (8, 5), (-9, 9)], [(5, 6), (5, 7), (6, 5), (7, 5)]
    state = _begin(seat, BOX5, 0, _in_turn(first, second))

    move, after = _asked(seat, BOX5, state, [])

    assert move == Move(5, 5)
    assert after.pairs == (2, 0)


def test_it_closes_a_four_that_has_one_end(seat: Seat) -> None:
    first, second = [(0, 0), (2, -2), (3, 7), (-5, 5)], [(2, -1), (2, 0), (2, 1), (2, 2)]
    state = _begin(seat, FREE, 0, _in_turn(first, second))

    assert _asked(seat, FREE, state, [])[0] == Move(2, 3)


def test_it_blocks_an_open_three(seat: Seat) -> None:
    first, second = [(0, 0), (0, 7), (-7, 3)], [(4, -1), (4, 0), (4, 1)]
    state = _begin(seat, BOX5, 0, _in_turn(first, second))

    move, _ = _asked(seat, BOX5, state, [])

    assert move.v == 4
    assert move.h in {-3, -2, 2, 3}


@pytest.mark.parametrize("game", [BOX5, BOTH, FREE], ids=lambda game: game.second_stone)
def test_its_second_stone_keeps_to_the_rule(seat: Seat, game: Pente) -> None:
    chance = random.Random(3)
    for number in range(12):
        second = chance.choice(list(game.legal(game.apply(game.start(2, 0), Move(0, 0)))))
        state = _begin(seat, game, 0, [Move(0, 0), second])

        _asked(seat, game, state, [])
        seat.term(last=number == 11)


def test_with_little_time_it_searches_less(seat: Seat) -> None:
    _begin(seat, BOX5, 0, [Move(0, 0), Move(0, 3)])

    reply = seat.move(ply=2, opponent_moves=[], left_ms=900)

    assert reply["data"]["nodes"] <= 300


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"game": "damspel"}, "it plays pente, not damspel"),
        ({"options": {"half_size": 16, "second_stone": "box5"}}, "the option half_size is 1 to 15"),
        (
            {"options": {"half_size": 9, "second_stone": "x"}},
            "the option second_stone is box5, both",
        ),
        ({"history": [{"seat": 0, "move": {"v": 1, "h": 0}}]}, "move (1, 0), which is not allowed"),
        ({"history": [{"seat": 0, "move": {"v": 2**40, "h": 0}}]}, "which is not allowed"),
        ({"history": [{"seat": 0, "move": {"row": 0}}]}, 'field "v": an int is needed'),
    ],
)
def test_an_unplayable_setup_ends_it_with_a_reason(
    seat: Seat, fields: dict[str, Any], message: str
) -> None:
    seat.send(msgpack.packb({"type": "init", "id": 1, **INIT, **fields}))

    code, _, said = seat.end()

    assert code == 1
    assert said.startswith("arena_bot: init 1: ")
    assert message in said


@pytest.mark.parametrize("compiler", compilers() or ["cc"])
def test_it_compiles_without_a_warning(compiler: str, tmp_path: Path) -> None:
    build(tmp_path / "deep", SOURCES, "-O2", compiler=compiler)


def test_a_match_leaves_nothing_for_the_sanitizers_to_report(tmp_path: Path) -> None:
    program = sanitized(tmp_path / "deep", SOURCES)

    with Seat(tmp_path, [str(program)]) as seat:
        _match(seat, Pente(half_size=15), 1, seed=2)
        seat.term()

        assert seat.end() == (0, "", "")

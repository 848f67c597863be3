import random
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgpack
import pytest
from c_programs import built, sanitized
from hosted import Hall, moves
from router_seat import BOTS, INIT, TIME, Seat, prepare

from protocol.vocabulary import Termination
from referee.games.damspel import Damspel, Move, State
from referee.job import Job, Player
from referee.records.record import Record
from referee.service.slot import Slot

DAMSPEL_BOTS = ("damspel-python", "damspel-c")
MAX_NODES = {"damspel-python": 9_001, "damspel-c": 100_000}
Size = tuple[int, int, int]
"""Rows, columns and rows of men."""

SOLVED = [(2, 2, 1), (2, 5, 1), (3, 3, 1), (4, 4, 1), (4, 4, 2), (5, 4, 1), (5, 4, 2), (6, 4, 1)]
"""Boards small enough for a full search."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with Hall(tmp_path_factory.mktemp("hall")) as one:
        yield one


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[str]]]:
    """Prepare the bots; the one in C is built under the sanitizers."""
    python, c = tmp_path_factory.mktemp("python"), tmp_path_factory.mktemp("c")
    program = sanitized(c / "bot", sorted((BOTS / "damspel-c").glob("*.c")))
    return {
        "damspel-python": (python, prepare("damspel-python", python)),
        "damspel-c": (c, [str(program)]),
    }


@pytest.fixture(params=DAMSPEL_BOTS)
def bot(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def seat(bot: str, programs: dict[str, tuple[Path, list[str]]]) -> Iterator[Seat]:
    folder, argv = programs[bot]
    with Seat(folder, argv) as one:
        yield one


@pytest.fixture(scope="module")
def players(tmp_path_factory: pytest.TempPathFactory) -> tuple[Player, ...]:
    """Return both bots as they sit under the referee."""
    python, c = tmp_path_factory.mktemp("python"), tmp_path_factory.mktemp("c")
    commands = {python: prepare("damspel-python", python), c: built("damspel-c", c)}
    return tuple(
        Player(name=folder.name, argv=tuple(argv), folder=str(folder), content=folder.name)
        for folder, argv in commands.items()
    )


class Solver:
    """Table of the winner of every position of one board."""

    def __init__(self, game: Damspel) -> None:
        self._game = game
        self._won: dict[int, bool] = {}

    def is_won(self, state: State) -> bool:
        """Tell whether the seat to move wins."""
        return self._is_won(self._game.position(state))

    def _is_won(self, position: int) -> bool:
        if position not in self._won:
            children = self._game.children(position)
            self._won[position] = any(not self._is_won(child) for child in children)
        return self._won[position]


def game_of(size: Size) -> Damspel:
    rows, cols, men_rows = size
    return Damspel(rows=rows, cols=cols, men_rows=men_rows)


def options_of(game: Damspel) -> dict[str, Any]:
    return {"rows": game.rows, "cols": game.cols, "men_rows": game.men_rows}


def told(state: State, move: Move) -> dict[str, Any]:
    """Return a move as messages tell it, played in this position."""
    fields = {"from": list(move.from_), "to": list(move.to)}
    return {"seat": state.ply % 2, "move": fields}


def begin(seat: Seat, game: Damspel, state: State, **fields: Any) -> None:
    """Begin a match in this position."""
    known = {"options": options_of(game), "view": game.view(state, 0)}
    seat.init(game="damspel", **(known | fields))


def asked(seat: Seat, game: Damspel, state: State, **fields: Any) -> State:
    """Return the position after the bot's move, which must be legal."""
    move = seat.move(ply=state.ply, **fields)["move"]
    return game.apply(state, Move(tuple(move["from"]), tuple(move["to"])))


def random_match(game: Damspel, chance: random.Random) -> list[tuple[State, Move]]:
    """Return the moves of a random match, each with its position."""
    played = []
    state = game.start(2, 0)
    while game.outcome(state) is None:
        move = chance.choice(list(game.legal(state)))
        played.append((state, move))
        state = game.apply(state, move)
    return played


def winner(record: Record) -> int:
    assert record.verdict.termination is Termination.NORMAL, record.verdict
    return record.verdict.places.index(1)


@pytest.mark.parametrize("size", SOLVED)
def test_no_win_on_a_small_board_is_missed(seat: Seat, size: Size) -> None:
    game, chance = game_of(size), random.Random(5)
    solver = Solver(game)
    states = {state for _ in range(60) for state, _ in random_match(game, chance)}
    winnable = sorted(state for state in states if solver.is_won(state))
    for state in chance.sample(winnable, min(40, len(winnable))):
        begin(seat, game, state)
        assert not solver.is_won(asked(seat, game, state)), game.diagram(state)
        seat.term(last=False)


@pytest.mark.parametrize("size", SOLVED)
def test_a_small_board_is_won_by_the_seat_known_to_win(hall: Hall, size: Size) -> None:
    game = game_of(size)
    winning = 0 if Solver(game).is_won(game.start(2, 0)) else 1
    for bot in DAMSPEL_BOTS:
        for rival in (*DAMSPEL_BOTS, "random"):
            bots = (rival, bot) if winning else (bot, rival)
            assert winner(hall.play(bots, "damspel", **options_of(game))) == winning


@pytest.mark.parametrize("size", [(6, 7, 2), (5, 12, 2)])
def test_random_play_never_wins(hall: Hall, bot: str, size: Size) -> None:
    for bots in ((bot, "random"), ("random", bot)):
        record = hall.play(bots, "damspel", **options_of(game_of(size)))
        assert bots[winner(record)] == bot


def test_the_c_bot_wins_most_matches_against_the_python_bot(hall: Hall) -> None:
    won = 0
    for seed in (1, 2):
        for bots in (DAMSPEL_BOTS, DAMSPEL_BOTS[::-1]):
            record = hall.play(bots, "damspel", seed, rows=6, cols=6, men_rows=2)
            won += bots[winner(record)] == "damspel-c"
    assert won >= 3


@pytest.mark.parametrize("size", [(10, 10, 4), (26, 26, 13), (26, 26, 1), (26, 2, 3), (4, 26, 1)])
def test_the_limits_are_kept_on_boards_of_any_size(players: tuple[Player, ...], size: Size) -> None:
    game = game_of(size)
    job = Job(
        key="a match",
        game="damspel",
        options=options_of(game),
        players=players,
        seed=1,
        board_seed=1,
        max_plies=20,
    )
    with closing(Slot(None)) as slot:
        verdict = slot.play(job).verdict
    assert verdict is not None
    assert verdict.termination in (Termination.NORMAL, Termination.ADJUDICATION), verdict


@pytest.mark.parametrize("size", [(26, 26, 13), (2, 2, 1), (2, 26, 1), (26, 3, 13)])
def test_a_match_on_a_board_of_any_size_is_played_to_its_end(seat: Seat, size: Size) -> None:
    game, chance = game_of(size), random.Random(3)
    state = game.start(2, 0)
    begin(seat, game, state, time=TIME | {"per_move_ms": 0})
    while game.outcome(state) is None:
        move = chance.choice(list(game.legal(state)))
        before, state = state, game.apply(state, move)
        if game.outcome(state) is None:
            state = asked(seat, game, state, opponent_moves=[told(before, move)])
    seat.term()
    assert seat.end() == (0, "", "")


def test_a_match_does_not_depend_on_the_matches_before(hall: Hall) -> None:
    options = options_of(game_of((6, 5, 2)))
    hall.restart()
    first = hall.play(DAMSPEL_BOTS, "damspel", 3, **options)
    other = hall.play(DAMSPEL_BOTS, "damspel", 4, **options)
    again = hall.play(DAMSPEL_BOTS, "damspel", 3, **options)
    assert moves(first) == moves(again) != moves(other)


def test_a_match_may_continue_from_a_history(seat: Seat) -> None:
    game = game_of((6, 7, 2))
    played = random_match(game, random.Random(2))
    for ply, (state, _) in enumerate(played):
        begin(seat, game, state, history=[told(*one) for one in played[:ply]])
        asked(seat, game, state)
        seat.term(last=False)


@pytest.mark.parametrize(
    ("per_move_ms", "left_ms"), [(2000, None), (1, None), (2000, 100), (2000, 1), (0, 0)]
)
def test_little_time_means_few_positions(
    seat: Seat, bot: str, per_move_ms: int, left_ms: int | None
) -> None:
    game = Damspel()
    begin(seat, game, game.start(2, 0), time=TIME | {"per_move_ms": per_move_ms})
    reply = seat.move(**({} if left_ms is None else {"left_ms": left_ms}))
    assert -1000 <= reply["value"] <= 1000
    is_short = left_ms is not None or per_move_ms < 2000
    assert reply["data"]["nodes"] <= (MAX_NODES[bot] // 20 if is_short else MAX_NODES[bot])


def test_the_depth_can_be_limited(programs: dict[str, tuple[Path, list[str]]]) -> None:
    folder, argv = programs["damspel-python"]
    game = Damspel()
    with Seat(folder, [*argv, "--depth", "2"]) as seat:
        begin(seat, game, game.start(2, 0))
        reply = seat.move()
        assert reply["data"]["depth"] == 2
        assert len(reply["plan"]) <= 8
        state = game.start(2, 0)
        for move in [reply["move"], *reply["plan"]]:
            state = game.apply(state, Move(tuple(move["from"]), tuple(move["to"])))


@pytest.mark.parametrize("arguments", [["--depth"], ["--depth", "0"], ["--depth", "61"], ["2"]])
def test_wrong_arguments_are_refused(
    programs: dict[str, tuple[Path, list[str]]], arguments: list[str]
) -> None:
    folder, argv = programs["damspel-python"]
    done = subprocess.run(
        [*argv, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "usage: damspel-python [--depth N], N from 1 to 60\n"


@pytest.mark.parametrize(
    "fields",
    [
        {"game": "pente"},
        {"options": {"rows": 27, "cols": 2, "men_rows": 1}},
        {"options": {"rows": 2, "cols": 1, "men_rows": 1}},
        {"view": {"turn": 0, "ply": 0, "board": ["Z.", "W.", ".."]}},
        {"view": {"turn": 0, "ply": 0, "board": ["Z.", "W"]}},
        {"view": {"turn": 0, "ply": 0, "board": ["Z.", "X."]}},
    ],
)
def test_the_c_bot_refuses_an_invalid_position(
    programs: dict[str, tuple[Path, list[str]]], fields: dict[str, Any]
) -> None:
    folder, argv = programs["damspel-c"]
    game = game_of((2, 2, 1))
    view = game.view(game.start(2, 0), 0)
    call = INIT | {"game": "damspel", "options": options_of(game), "view": view} | fields
    with Seat(folder, argv) as seat:
        seat.send(msgpack.packb({"type": "init", "id": 1, **call}))
        code, _, said = seat.end()
    assert code == 1
    assert said.startswith("arena_bot: init")

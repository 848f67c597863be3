import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from c_programs import build, built, compilers, sanitized
from hosted import moves
from router_seat import BOTS, TIME, Seat, prepare

from protocol.vocabulary import Termination
from referee.games.chinese_checkers import ChineseCheckers, Move, State
from referee.job import Job, Player
from referee.move_codec import MoveCodec
from referee.records.record import Record
from referee.rules.star import SEATING, star
from referee.service.slot import Slot

GAME = "chinese_checkers"
PYTHON, C = "chinese-checkers-python", "chinese-checkers-c"
RACERS = (PYTHON, C)
QUICK = (f"{PYTHON} --depth 2", C)
"""For matches that strength does not matter to: the bot in Python needs most of their time."""
SOURCES = sorted((BOTS / C).glob("*.c"))

QUITTER = """
import random
from arena_bot import Bot, play, run

class Quitter(Bot):
    wants = ("legal",)
    moves = 0
    def on_move(self, call):
        self.moves += 1
        if self.moves > 5:
            raise RuntimeError("enough")
        return play(random.Random(self.moves).choice(call["legal"]))

run(Quitter())
"""


class Hall:
    """Bots that play under the real referee, one match after another in the same processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._players: dict[str, Player] = {}
        self._rooms: dict[str, tuple[Path, list[str]]] = {}
        self.slot = Slot(None)

    def play(
        self, bots: Sequence[str], seed: int = 1, history: Sequence[Any] = (), **how: Any
    ) -> Record:
        """Play a match; `max_plies` is not an option of the game."""
        job = Job(
            key="a match",
            game=GAME,
            max_plies=how.pop("max_plies", None),
            options=how,
            players=tuple(map(self._player, bots)),
            seed=seed,
            board_seed=seed,
            history=tuple(history),
            restart="never",
        )
        return self.slot.play(job)

    def _player(self, bot: str) -> Player:
        if bot not in self._players:
            name, *arguments = bot.split()
            room, argv = self._room(name)
            command = (*argv, *arguments)
            self._players[bot] = Player(name=bot, argv=command, folder=str(room), content=bot)
        return self._players[bot]

    def _room(self, name: str) -> tuple[Path, list[str]]:
        if name not in self._rooms:
            room = self._folder / name
            room.mkdir()
            if name == "quitter":
                argv = [*prepare("random", room)[:1], "quitter.py"]
                (room / "quitter.py").write_text(QUITTER)
            else:
                argv = built(name, room) if name == C else prepare(name, room)
            self._rooms[name] = room, argv
        return self._rooms[name]


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    one = Hall(tmp_path_factory.mktemp("hall"))
    yield one
    one.slot.close()


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[str]]]:
    """Prepare the bots; the one in C is built under the sanitizers."""
    python, c = tmp_path_factory.mktemp("python"), tmp_path_factory.mktemp("c")
    program = sanitized(c / "bot", SOURCES)
    return {PYTHON: (python, prepare(PYTHON, python)), C: (c, [str(program)])}


@pytest.fixture(params=RACERS)
def seat(
    request: pytest.FixtureRequest, programs: dict[str, tuple[Path, list[str]]]
) -> Iterator[Seat]:
    folder, argv = programs[request.param]
    with Seat(folder, argv) as one:
        yield one


def points(record: Record) -> list[int]:
    """Return the points of each seat in a match that must end by the rules."""
    assert record.verdict.termination is Termination.NORMAL, record.verdict
    assert record.verdict.faults == ()
    assert record.verdict.reason in {"all men in the goal", "home in the same round"}
    return list(record.verdict.points)


def begin(seat: Seat, game: ChineseCheckers, state: State, own: int, **fields: Any) -> None:
    seats = len(state.positions)
    seat.init(
        game=GAME,
        seat=own,
        seats=seats,
        players=["somebody"] * seats,
        options=MoveCodec(game).wire_options,
        view=game.view(state, own),
        **fields,
    )


def asked(seat: Seat, **fields: Any) -> Move:
    move = seat.move(**fields)["move"]
    return Move(tuple(move["from"]), tuple(move["to"]))


@pytest.mark.parametrize("seats", SEATING)
def test_they_play_by_the_rules_with_any_number_of_seats(hall: Hall, seats: int) -> None:
    for first, second in (QUICK, QUICK[::-1]):
        record = hall.play([first, *[second] * (seats - 1)], game_size=3)

        assert sum(points(record)) == 2 or set(points(record)) == {0, 1}


@pytest.mark.parametrize(
    ("size", "seats", "plies"), [(4, 3, None), (10, 2, 60), (10, 6, 60), (63, 2, 10), (63, 6, 12)]
)
def test_they_play_by_the_rules_on_boards_of_all_sizes(
    hall: Hall, size: int, seats: int, plies: int | None
) -> None:
    bots = [RACERS[seat % 2] for seat in range(seats)]

    record = hall.play(bots, game_size=size, max_plies=plies)

    assert record.verdict.faults == ()
    if plies is None:
        points(record)
    else:
        assert len(moves(record)) == plies
        assert record.verdict.termination is Termination.ADJUDICATION


@pytest.mark.parametrize("bot", RACERS)
def test_they_beat_random_even_with_its_men_in_their_goal(hall: Hall, bot: str) -> None:
    assert points(hall.play([bot, "random"], game_size=3)) == [2, 0]
    quick = QUICK[RACERS.index(bot)]
    assert points(hall.play(["random", quick], game_size=3)) == [0, 2]
    assert points(hall.play(["random", quick, "random"], game_size=3)) == [0, 2, 0]


def test_the_c_bot_is_at_least_as_strong_as_the_python_bot(hall: Hall) -> None:
    scores = {PYTHON: 0, C: 0}
    for bots in ((PYTHON, C), (C, PYTHON)):
        for bot, score in zip(bots, points(hall.play(bots, game_size=3)), strict=True):
            scores[bot] += score

    assert scores[C] >= scores[PYTHON]


def test_looking_deeper_wins(hall: Hall) -> None:
    for bot in RACERS:
        assert points(hall.play([f"{bot} --depth 1", bot], game_size=4)) == [0, 2]


@pytest.mark.parametrize(
    "options",
    [
        {"positions": (0, 1)},
        {"positions": (5, 4, 2)},
        {"positions": (3, 2, 1, 0)},
        {"neutral_end": "allow"},
        {"anti_block": True},
        {"neutral_end": "allow", "anti_block": True, "positions": (4, 1, 0)},
    ],
)
def test_they_beat_random_under_every_option(hall: Hall, options: dict[str, Any]) -> None:
    seats = len(options.get("positions", (0, 3)))
    for bot in QUICK:
        record = hall.play([bot, *["random"] * (seats - 1)], game_size=3, **options)

        assert points(record) == [2, *[0] * (seats - 1)]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_they_play_on_when_another_seat_is_retired(hall: Hall, place: int) -> None:
    bots = list(QUICK)
    bots.insert(place, "quitter")

    record = hall.play(bots, game_size=3)

    assert record.verdict.termination is Termination.NORMAL
    assert [fault.seat for fault in record.verdict.faults] == [place]
    assert sorted(record.verdict.points) in ([0, 0, 2], [0, 1, 1])


def test_a_retired_seat_is_no_rival_any_more(seat: Seat) -> None:
    game = ChineseCheckers(game_size=3)
    state = game.start(4, 1)
    begin(seat, game, state, 0)

    crowded = seat.move(opponent_moves=[])["data"]
    alone = seat.move(opponent_moves=[])["data"]

    assert (crowded["depth"], alone["depth"]) == (4, 8)


def test_they_continue_from_a_history(hall: Hall) -> None:
    game = ChineseCheckers(game_size=3)
    codec, chance = MoveCodec(game), random.Random(1)
    state, history = game.start(3, 1), []
    for _ in range(16):
        move = chance.choice(list(game.legal(state)))
        history.append({"seat": game.turn(state), "move": codec.wire_move(move)})
        state = game.apply(state, move)
    assert game.turn(state) == 1

    points(hall.play([C, PYTHON, C], history=history, game_size=3))


@pytest.mark.parametrize("bot", RACERS)
def test_they_are_deterministic_whatever_they_played_before(hall: Hall, bot: str) -> None:
    first = moves(hall.play([bot, "random"], 5, game_size=3, max_plies=40))
    other = moves(hall.play(["random", bot, bot], 6, max_plies=12))
    again = moves(hall.play([bot, "random"], 5, game_size=3, max_plies=40))

    assert len(other) == 12
    assert first == again


@pytest.mark.parametrize(("size", "enough"), [(3, 25), (4, 40), (5, 70)])
def test_alone_they_bring_all_men_home(seat: Seat, size: int, enough: int) -> None:
    game = ChineseCheckers(game_size=size, positions=(2, 3, 4))
    state = game.start(3, 1)._replace(playing=(0,))
    begin(seat, game, state, 0)

    while state.arrived[0] < size * (size + 1) // 2 and state.ply < enough:
        state = game.apply(state, asked(seat, ply=state.ply))

    assert state.arrived[0] == size * (size + 1) // 2


def test_they_pass_when_they_are_stuck(seat: Seat) -> None:
    game = ChineseCheckers(game_size=3, positions=(0, 1, 5))
    geometry, state = star(3), game.start(3, 1)
    home = [point for point in geometry.points.values() if point[0] < 3]
    ring = [(3, column) for column in range(-1, 3)] + [(4, column) for column in range(-2, 3)]
    others = [*ring, *[(6, column) for column in range(-1, 2)]]
    board = bytearray(geometry.empty)
    for owner, men in enumerate((home, others[:6], others[6:])):
        for point in men:
            board[geometry.cells[point]] = owner + 1
    state = state._replace(board=bytes(board))
    begin(seat, game, state, 0)

    move = asked(seat)

    assert move.from_ == move.to
    assert move in set(game.legal(state))


def test_with_little_time_they_search_less(seat: Seat) -> None:
    game = ChineseCheckers()
    begin(seat, game, game.start(2, 1), 0)

    work = [seat.move(left_ms=left)["data"]["points"] for left in (60_000, 900)]

    assert work[1] < work[0] / 5


def test_a_short_time_for_a_move_is_kept_to(seat: Seat) -> None:
    game = ChineseCheckers()
    begin(seat, game, game.start(2, 1), 0, time={**TIME, "per_move_ms": 1})

    assert seat.move()["data"]["points"] < 10_000


@pytest.mark.parametrize("bot", RACERS)
@pytest.mark.parametrize("arguments", ["--depth", "--depth 0", "--depth x", "--width 3", "3"])
def test_other_arguments_are_refused(
    programs: dict[str, tuple[Path, list[str]]], bot: str, arguments: str
) -> None:
    folder, argv = programs[bot]
    with Seat(folder, [*argv, *arguments.split()], greet=False) as seat:
        code, _, said = seat.end()

    assert code == 1
    assert said.startswith(f"usage: {bot} [--depth N]")


def test_a_whole_match_leaves_nothing_for_the_sanitizers_to_report(
    programs: dict[str, tuple[Path, list[str]]],
) -> None:
    folder, argv = programs[C]
    game, chance = ChineseCheckers(game_size=3, neutral_end="allow"), random.Random(1)
    codec, state = MoveCodec(game), game.start(2, 1)
    told: list[dict[str, Any]] = []
    with Seat(folder, argv) as seat:
        begin(seat, game, state, 1)
        while game.outcome(state) is None:
            if game.turn(state) == 1:
                move = asked(seat, ply=state.ply, opponent_moves=told)
            else:
                move = chance.choice(list(game.legal(state)))
                told = [{"seat": 0, "move": codec.wire_move(move)}]
            state = game.apply(state, move)
        seat.term()

        assert state.arrived[1] == 6
        assert seat.end() == (0, "", "")


@pytest.mark.parametrize("compiler", compilers() or ["cc"])
def test_it_compiles_without_a_warning(compiler: str, tmp_path: Path) -> None:
    build(tmp_path / "bot", SOURCES, "-O2", compiler=compiler)

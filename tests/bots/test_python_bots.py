import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from router_seat import BOTS, TIME, Seat, prepare

from referee.catalog import game_class, game_names
from referee.games.down_n_out import DownNOut
from referee.games.matchsticks import Matchsticks
from referee.games.pente import Move, Pente
from referee.move_codec import MoveCodec
from referee.rules import Game, Outcome

PENTE_BOTS = ("random", "greedy", "searcher")
SHALLOW = {"searcher": "searcher --depth 2"}
"""Bots for matches that strength does not matter to: twice as deep takes ten times as long."""
MAX_PLIES = 400
AnyGame = Game[Any, Any]


class Played(NamedTuple):
    """What came of a match; no outcome when it was broken off after MAX_PLIES."""

    moves: list[Any]
    outcome: Outcome | None


@contextmanager
def seated(bots: Sequence[str], folder: Path) -> Iterator[list[Seat]]:
    """Start one process a bot, each prepared in a folder of its own."""
    with ExitStack() as stack:
        seats = []
        for number, bot in enumerate(bots):
            name, *arguments = bot.split()
            room = folder / str(number)
            room.mkdir(exist_ok=True)
            argv = prepare(name, room) + arguments
            seats.append(stack.enter_context(Seat(room, argv)))
        yield seats


class Table:
    """Plays one match on running bots, and checks each move and claim against the rules."""

    def __init__(self, game: AnyGame, seats: list[Seat], *, seed: int = 1) -> None:
        self.game, self.seats, self.seed = game, seats, seed
        self.codec = MoveCodec(game)
        self.state = game.start(len(seats), seed)
        self.told = [0] * len(seats)
        self.moves: list[Any] = []
        self.played: list[dict[str, Any]] = []
        self.has_claimed_all = True

    def play(self, history: Sequence[Any] = (), *, last: bool = True) -> Played:
        for move in history:
            self._apply(move)
        self.told = [len(self.played)] * len(self.seats)
        for number in range(len(self.seats)):
            self._init(number)
        while self.game.outcome(self.state) is None and len(self.moves) < MAX_PLIES:
            self._turn(self.game.turn(self.state))
        for number, seat in enumerate(self.seats):
            seat.call("term", **self._term(number), last=last)
        return Played(self.moves, self.game.outcome(self.state))

    def _init(self, number: int) -> None:
        assert self.seats[number].call(
            "init",
            protocol=1,
            game=self.game.name,
            options=self.codec.wire_options,
            match="m",
            seat=number,
            seats=len(self.seats),
            players=["somebody"] * len(self.seats),
            seed=self.seed * 10 + number,
            time=TIME,
            history=self.played,
            view=self.game.view(self.state, number),
        ) == {"type": "ready"}

    def _turn(self, number: int) -> None:
        seat = self.seats[number]
        if self.game.is_display_due(self.state):
            assert seat.call("display")["board"] == list(self.game.picture(self.state))
        wants, optional = seat.hello.get("wants", ()), dict[str, Any]()
        if "view" in wants:
            optional["view"] = self.game.view(self.state, number)
        if "legal" in wants:
            optional["legal"] = self.legal()
        reply = seat.move(ply=len(self.played), opponent_moves=self._news(number), **optional)
        model = self.codec.play_model.model_validate({"id": 1, **tuples(reply)})
        assert model.move is not None
        move = self.codec.move(model.move)
        before = self.state
        self._apply(move)
        if model.claims is not None:
            claims = self.game.normal_claims(self.codec.claims(model.claims))
            expected = self.game.claims(before, move, self.state)
            assert claims == expected, "the bot has rules of its own, in its folder or bots/boards"
        else:
            self.has_claimed_all = False

    def legal(self) -> list[dict[str, Any]]:
        return [self.codec.wire_move(move) for move in self.game.legal(self.state)]

    def _apply(self, move: Any) -> None:
        mover = self.game.turn(self.state)
        self.state = self.game.apply(self.state, move)
        self.played.append({"seat": mover, "move": self.codec.wire_move(move)})
        self.moves.append(move)

    def _news(self, number: int) -> list[dict[str, Any]]:
        news = [played for played in self.played[self.told[number] :] if played["seat"] != number]
        self.told[number] = len(self.played)
        return news

    def _term(self, number: int) -> dict[str, Any]:
        return {
            "opponent_moves": self._news(number),
            "termination": "normal",
            "scores": ["0"] * len(self.seats),
            "reason": "over",
            "offenders": [],
        }


def tuples(value: Any) -> Any:
    """Arrays as the referee's own codec yields them."""
    if isinstance(value, list):
        return tuple(tuples(item) for item in value)
    if isinstance(value, dict):
        return {name: tuples(item) for name, item in value.items()}
    return value


def wins(strong: str, weak: str, folder: Path, seeds: range) -> int:
    """How many of two matches a seed, one from each seat, the first bot wins."""
    won = 0
    for bots in ((strong, weak), (weak, strong)):
        with seated(bots, folder) as seats:
            for seed in seeds:
                outcome = Table(Pente(), seats, seed=seed).play(last=False).outcome
                assert outcome is not None
                won += outcome.places[bots.index(strong)] == 1
    return won


def test_greedy_beats_random(tmp_path: Path) -> None:
    assert wins("greedy", "random", tmp_path, range(5)) == 10


def test_searcher_beats_greedy(tmp_path: Path) -> None:
    assert wins("searcher", "greedy", tmp_path, range(3)) >= 5


def test_searcher_searches_to_its_depth(tmp_path: Path) -> None:
    assert wins("searcher --depth 3", "searcher --depth 1", tmp_path, range(2)) >= 3


@pytest.mark.parametrize("second_stone", ["box5", "both", "free"])
@pytest.mark.parametrize("half_size", [9, 12, 15])
@pytest.mark.parametrize("bot", PENTE_BOTS)
def test_pente_bots_play_every_board_and_opening_by_the_rules(
    tmp_path: Path, bot: str, half_size: int, second_stone: Any
) -> None:
    game = Pente(half_size=half_size, second_stone=second_stone)
    with seated([SHALLOW.get(bot, bot), "greedy"], tmp_path) as seats:
        table = Table(game, seats)
        assert table.play().outcome is not None
        assert table.has_claimed_all
        assert [seat.end() for seat in seats] == [(0, "", "")] * 2


@pytest.mark.parametrize("bot", PENTE_BOTS)
@pytest.mark.parametrize("length", [1, 2, 3, 17, 40])
def test_pente_bots_continue_from_a_history(tmp_path: Path, bot: str, length: int) -> None:
    game, chance = Pente(), random.Random(length)
    state, history = game.start(2, 1), list[Move]()
    while len(history) < length:
        # Close together, so that stones are captured before the bots begin.
        near = [m for m in game.legal(state) if max(abs(m.v), abs(m.h)) <= 4]
        history.append(chance.choice(near))
        state = game.apply(state, history[-1])
    assert game.outcome(state) is None
    with seated([SHALLOW.get(bot, bot)] * 2, tmp_path) as seats:
        assert Table(game, seats).play(history).outcome is not None


@pytest.mark.parametrize("bot", PENTE_BOTS)
def test_pente_bots_are_deterministic_whatever_they_played_before(tmp_path: Path, bot: str) -> None:
    with seated([bot, "random"], tmp_path) as seats:
        first = Table(Pente(), seats, seed=5).play(last=False).moves
        other = Table(Pente(), seats, seed=6).play(last=False).moves
        again = Table(Pente(), seats, seed=5).play(last=False).moves
    assert first == again != other


@pytest.mark.parametrize("bot", ["greedy", "searcher"])
def test_pente_bots_win_and_stop_wins_when_they_can(tmp_path: Path, bot: str) -> None:
    def alternately(first: Sequence[Move], second: Sequence[Move]) -> list[Move]:
        return [move for pair in zip(first, second, strict=True) for move in pair]

    row = [Move(0, 0), Move(0, 3), Move(0, 1), Move(0, 2)]
    apart = [Move(7, 7), Move(-7, 5), Move(5, -7), Move(-6, -6)]
    with seated([bot, "random"], tmp_path) as seats:
        own_four = Table(Pente(), seats).play(alternately(row, apart), last=False)
        assert (len(own_four.moves), own_four.moves[-1].v) == (9, 0)
        assert own_four.moves[-1].h in (-1, 4)
        enemy_four = alternately([Move(0, 0), *apart[:3]], [Move(2, h) for h in range(4)])
        stopped = Table(Pente(), seats).play(enemy_four).moves[8]
        assert stopped in (Move(2, -1), Move(2, 4))


@pytest.mark.parametrize("arguments", ["--depth", "--depth 0", "--depth x", "--deep 3", "3"])
def test_searcher_refuses_other_arguments(tmp_path: Path, arguments: str) -> None:
    argv = [*prepare("searcher", tmp_path), *arguments.split()]
    with Seat(tmp_path, argv, greet=False) as seat:
        code, _, err = seat.end()
        assert code == 1
        assert err.startswith("usage: searcher [--depth N]")


@pytest.mark.parametrize("name", game_names())
def test_random_plays_every_game(tmp_path: Path, name: str) -> None:
    game = game_class(name)()
    with seated(["random"] * game.seats.start, tmp_path) as seats:
        for seed in (1, 2):
            table = Table(game, seats, seed=seed)
            played = table.play(last=seed == 2)
            assert played.outcome is not None or len(played.moves) == MAX_PLIES
            assert table.has_claimed_all or game.claims_type is None
        assert [seat.end() for seat in seats] == [(0, "", "")] * len(seats)


@pytest.mark.parametrize("name", ["pente", "matchsticks", "chinese_checkers", "damspel"])
def test_a_bot_without_a_kit_plays_by_the_rules(tmp_path: Path, name: str) -> None:
    game = game_class(name)()
    with seated(["pyzmq", "random"], tmp_path) as seats:
        for seed in (1, 2):
            played = Table(game, seats, seed=seed).play(last=seed == 2)
            assert played.outcome is not None or len(played.moves) == MAX_PLIES
        assert [seat.end() for seat in seats] == [(0, "", "")] * len(seats)


def test_random_shows_the_board_whenever_it_is_asked(tmp_path: Path) -> None:
    game = DownNOut(rows=7, cols=9, display="check")
    with seated(["random"], tmp_path) as seats:
        for seed in range(1, 9):
            assert Table(game, seats, seed=seed).play(last=False).outcome is not None


@pytest.mark.parametrize(
    "game", [Matchsticks(dimension=5), Matchsticks(dimension=1), DownNOut(rows=4, cols=6)]
)
def test_random_plays_on_when_the_moves_are_too_many_to_be_sent(
    tmp_path: Path, game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "legal", lambda _: [])
    with seated(["random"] * game.seats.start, tmp_path) as seats:
        assert Table(game, seats).play().outcome is not None


@pytest.fixture
def searcher(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program of the searcher as a module; `pente_board` and `pente_shapes` go with it."""
    for folder in ("boards", "sdk/python"):
        monkeypatch.syspath_prepend(BOTS / folder)
    spec = spec_from_file_location("searcher", BOTS / "searcher" / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EMPTY_VIEW = {"board": ["." * 19] * 19, "ply": 0, "pairs": [0, 0]}


def test_the_board_of_the_bots_takes_moves_back(searcher: ModuleType) -> None:
    chance = random.Random(1)
    captures = 0
    for _ in range(10):
        board = searcher.PenteBoard({"half_size": 9}, EMPTY_VIEW)
        done = []
        for _ in range(60):
            point = chance.choice(board.near())
            kept = (bytes(board.cells), list(board.pairs), board.ply)
            taken = board.play(point)
            captures += len(taken)
            done.append((kept, point, taken))
        for kept, point, taken in reversed(done):
            board.take_back(point, taken)
            assert (bytes(board.cells), board.pairs, board.ply) == kept
    assert captures > 0


def test_a_stone_gains_what_the_windows_are_worth_more(searcher: ModuleType) -> None:
    chance = random.Random(2)
    captures = 0
    for _ in range(10):
        board = searcher.PenteBoard({"half_size": 9}, EMPTY_VIEW)
        for _ in range(50):
            seat = board.ply & 1
            point, gain = max(
                ((p, searcher.gains(board, p)[seat]) for p in chance.choices(board.near(), k=8)),
                key=lambda one: searcher.captured_pairs(one[1]),
            )
            if gain >= 1 << 32:
                break
            before = windows(board, seat)
            taken = board.play(point)
            lost = searcher.Search(board, 1)._lost(taken)
            assert windows(board, seat) - before == searcher.shape(gain) + lost
            assert searcher.captured_pairs(gain) * 2 == len(taken)
            captures += len(taken)
    assert captures > 20


def windows(board: Any, seat: int) -> int:
    """What the windows on the board are worth to a seat, less what they are to the other."""
    worth, own, enemy = (0, 1, 6, 30, 150), seat + 1, 2 - seat
    total = 0
    for point, stone in enumerate(board.cells):
        for step in board.steps if stone != 3 else ():
            window = board.cells[point : point + 4 * step + 1 : step]
            mine, other = window.count(own), window.count(enemy)
            if len(window) == 5 and 3 not in window and not (mine and other):
                total += worth[mine] - worth[other]
    return total


def middle(searcher: ModuleType) -> Any:
    """Return a board after some random moves, on which a search takes long."""
    board, chance = searcher.PenteBoard({"half_size": 9}, EMPTY_VIEW), random.Random(3)
    for _ in range(16):
        board.play(chance.choice(board.near()))
    return board


@pytest.mark.parametrize("looks", [0, 1, 30, 300])
def test_a_search_that_is_late_ends_soon_with_the_best_stone_so_far(
    searcher: ModuleType, looks: int
) -> None:
    board = middle(searcher)
    kept, points = bytes(board.cells), board.near()
    ranked, _ = searcher.Search(board, 1)._ranked(points)
    whole = searcher.Search(board, 4)
    asked = 0

    def is_late() -> bool:
        nonlocal asked
        asked += 1
        return asked > looks

    search = searcher.Search(board, 4, is_late)
    point = search.best(points)
    assert asked <= looks + 100, "it searched on"
    assert bytes(board.cells) == kept, "a stone was not taken back"
    assert point in [one for _, _, one in ranked]
    if looks <= 1:
        assert point == ranked[0][2]
    assert whole.best(points) in points


def test_the_searcher_stops_long_before_a_move_takes_too_long(
    searcher: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = searcher.Searcher(4)
    now_s = 100.0

    def process_time() -> float:
        nonlocal now_s
        now_s += 0.001
        return now_s

    monkeypatch.setattr(searcher.time, "process_time", process_time)
    limits = {"clock": "cpu", "per_move_ms": 50}
    bot.on_init({"seed": 1, "options": {"half_size": 9}, "view": EMPTY_VIEW, "time": limits})
    bot.board = middle(searcher)
    begun_s = now_s
    bot.on_move({"opponent_moves": []})
    assert 0.03 < now_s - begun_s < 0.15

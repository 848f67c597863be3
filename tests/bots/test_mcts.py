"""The bot `mcts`: what it guesses, and that it plays better than random."""

import random
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import FakeBot, play_match

from protocol.messages import Init, Message, Move

BOTS = Path(__file__).parent.parent.parent / "bots"
MODULES = ("arena_bot", "guess", "main", "search")


@pytest.fixture
def mcts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the modules of the bot, as in its own process."""
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(BOTS / "sdk/python")
    monkeypatch.syspath_prepend(BOTS / "mcts")
    yield import_module("main")
    for name in MODULES:
        sys.modules.pop(name, None)


class Seated(FakeBot):
    """A bot of the Python kit without a process."""

    def __init__(self, bot: Any) -> None:
        super().__init__(wants=bot.wants)
        self.bot = bot

    def answer(self, call: Message) -> Any:
        fields = call.model_dump(exclude_none=True)
        if isinstance(call, Init):
            self.bot.on_init(fields)
        if isinstance(call, Move):
            return {"type": "play", **self.bot.on_move(fields)}
        return super().answer(call)


class RandomBot(FakeBot):
    """Plays random legal moves."""

    def answer(self, call: Message) -> Any:
        if not isinstance(call, Move):
            return super().answer(call)
        return {"type": "play", "move": random.choice(call.legal or [])}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tic_tac_toe", {}),
        ("hex", {"board_size": 3}),
        ("pig", {"winscore": 20}),
        ("leduc_poker", {}),
        ("goofspiel", {"num_cards": 4}),
        ("tarok", {}),
        ("phantom_ttt", {}),
    ],
)
def test_it_plays_by_the_rules(mcts: Any, name: str, options: dict[str, Any]) -> None:
    random.seed(1)
    others = [RandomBot() for _ in range(2 if name == "tarok" else 1)]
    job = {"game": f"open_spiel/{name}", "options": options, "max_plies": 60}
    played = play_match(Seated(mcts.Mcts(20)), *others, **job)

    assert not played.verdict.faults


def test_it_plays_when_the_moves_are_too_many_to_be_sent(mcts: Any) -> None:
    bot = mcts.Mcts(20)
    bot.wants = ("view",)
    played = play_match(Seated(bot), RandomBot(), game="open_spiel/tic_tac_toe")

    assert not played.verdict.faults


def test_it_wins_what_can_be_won(mcts: Any) -> None:
    random.seed(1)
    for seed in range(4):
        played = play_match(
            Seated(mcts.Mcts(200)), RandomBot(), game="open_spiel/tic_tac_toe", seed=seed
        )
        assert played.verdict.points[0] >= 0


def test_a_guess_agrees_with_what_the_seat_knows(mcts: Any) -> None:
    bot = mcts.Mcts(1)
    play_match(Seated(bot), RandomBot(), game="open_spiel/kuhn_poker")
    known = bot.known
    known.actions[known.seat].pop()  # as before its last move
    states = [bot.guesser.guess(float("inf")) for _ in range(20)]

    texts = {state.information_state_string(known.seat) for state in states}
    assert texts == {known.views[-1][1]}
    assert len({str(state) for state in states}) == 2  # the other has one of two cards


def test_a_position_is_certain_where_nothing_is_hidden(mcts: Any) -> None:
    bot = mcts.Mcts(1)
    play_match(Seated(bot), RandomBot(), game="open_spiel/tic_tac_toe")

    assert bot.guesser.is_certain


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig", "kuhn_poker", "othello", "goofspiel"])
def test_after_a_search_without_time_it_plays_any_move(
    mcts: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The first simulation of a tree looks at no move; a busy machine leaves time for no other."""
    search = mcts.Search
    monkeypatch.setattr(
        mcts, "Search", lambda library, number, _, seed: search(library, number, 1e-9, seed)
    )

    played = play_match(Seated(mcts.Mcts()), RandomBot(), game=f"open_spiel/{name}")

    assert not played.verdict.faults


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig"])
def test_simulations_are_as_many_as_asked_for(mcts: Any, name: str) -> None:
    state = mcts.pyspiel.load_game(name).new_initial_state()

    for number in (50, 500):
        visits = import_module("search").Search(mcts.pyspiel, number, 0.0, 1).visits(state, 0)
        most = max(visits.values())
        assert number <= most < 2 * number  # the best action, and all once more
        assert sum(visits.values()) <= 2 * number


def test_a_move_with_hidden_information_is_searched_in_many_guesses(
    mcts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each guess has its part of the time: the first one does not use all of it."""
    seconds = []

    class Timed(mcts.Search):  # type: ignore[misc]
        def __init__(self, library: Any, number: int | None, left_s: float, seed: int) -> None:
            seconds.append(left_s)
            super().__init__(library, number or 1, left_s, seed)

    monkeypatch.setattr(mcts, "Search", Timed)
    clock = SimpleNamespace(monotonic=lambda: 5.0, process_time=lambda: 0.0)
    for module in (mcts, import_module("guess")):
        monkeypatch.setattr(module, "time", clock)

    play_match(Seated(mcts.Mcts()), RandomBot(), game="open_spiel/kuhn_poker")

    assert len(seconds) % mcts.GUESSES == 0
    assert seconds[: mcts.GUESSES] == [
        pytest.approx(max(0.01, 0.2 / part)) for part in range(mcts.GUESSES, 0, -1)
    ]

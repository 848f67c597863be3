from collections.abc import Iterator
from pathlib import Path

import pytest
from c_programs import sanitized
from hosted import Hall
from router_seat import BOTS, Seat

from protocol.vocabulary import Termination
from referee.games.rendezvous import Move, Rendezvous


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with Hall(tmp_path_factory.mktemp("hall")) as one:
        yield one


@pytest.mark.parametrize(
    ("bot", "scenario", "points"),
    [
        ("rendezvous-python", "orbits", 300_000),
        ("rendezvous-python", "moon", 100_000),
        ("rendezvous-c", "orbits", 500_000),
        ("rendezvous-c", "moon", 100_000),
        ("rendezvous-c", "phobos", 1000),
        ("rendezvous-c", "ganymede", 500),
    ],
)
def test_the_rendezvous_is_made_with_little_change_of_velocity(
    hall: Hall, bot: str, scenario: str, points: int
) -> None:
    record = hall.play([bot], "rendezvous", 2, scenario=scenario)

    assert record.verdict.termination is Termination.NORMAL, record.verdict
    assert record.verdict.reason == "rendezvous made"
    assert record.verdict.points[0] > points


def test_the_bot_in_c_is_sound_under_the_sanitizers(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder: Path = tmp_path_factory.mktemp("sanitized")
    program = sanitized(folder / "bot", sorted((BOTS / "rendezvous-c").glob("*.c")))
    game = Rendezvous(plies=50)
    state = game.start(1, 3)
    with Seat(folder, [str(program)]) as seat:
        view = game.view(state, 0)
        options = {"scenario": "orbits", "plies": 50}
        seat.init(game="rendezvous", seats=1, players=["one"], options=options, view=view)
        while game.outcome(state) is None:
            reply = seat.move(ply=state.ply, view=game.view(state, 0))
            state = game.apply(state, Move(**reply["move"]))
        seat.term()

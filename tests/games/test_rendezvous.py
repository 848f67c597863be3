"""Rendezvous: the motion to the last digit, and the ends of a flight."""

from math import sqrt

import pytest

from referee.games.rendezvous import SCENARIOS, Move, Rendezvous, State
from referee.rules import IllegalMoveError
from referee.rules.orbits import Motion, cosine

COAST = Move(0, 0, 600)


def flown(game: Rendezvous, state: State, *moves: Move) -> State:
    for move in moves:
        state = game.apply(state, move)
    return state


def beside(game: Rendezvous, x: int, vx: int) -> State:
    """Return a state with the ship at a distance in m from the target, and moving past it."""
    state = game.start(1, 1)
    target = state.bodies[SCENARIOS[game.scenario].docking.target]
    ship = (target[0] + x * 1000, target[1], target[2] + vx * 1000, target[3])
    return state._replace(ship=ship)


def energy(ship: Motion, earth: Motion) -> float:
    """Return the energy by mass in m^2/s^2 round the Earth."""
    x, y, vx, vy = ((part - other) / 1000 for part, other in zip(ship, earth, strict=True))
    return (vx * vx + vy * vy) / 2 - 398_600e9 / sqrt(x * x + y * y)


@pytest.mark.parametrize(
    ("scenario", "ship", "target"),
    [
        (
            "orbits",
            (-5_723_013_144, 4_033_551_167, -4_224_786, -6_172_027),
            (6_871_472_886, -6_173_162_803, 4_388_388, 4_884_174),
        ),
        (
            "moon",
            (-6_526_858_759, -2_651_011_664, 3_030_064, -6_852_812),
            (95_327_486_506, -372_392_617_763, 992_576, 253_940),
        ),
        (
            "ganymede",
            (35_566_425_698_851, -145_303_910_141_705, 22_507_048, 3_136_431),
            (405_057_725_338_084, -665_941_876_398_329, 16_909_938, 16_020_103),
        ),
        (
            "phobos",
            (35_566_425_704_703, -145_303_910_131_386, 22_507_043, 3_136_440),
            (118_394_380_382_933, -194_735_492_530_130, 19_838_903, 14_524_698),
        ),
    ],
)
def test_a_flight_is_the_same_to_the_last_digit(
    scenario: str, ship: Motion, target: Motion
) -> None:
    game = Rendezvous(scenario=scenario)  # type: ignore[arg-type]  # a parameter is any text
    burns = (Move(10, 35, 10), Move(10, 240, 1), COAST, Move(20, 115, 1), Move(30, 0, 1))
    moves = (*burns, Move(0, 0, 60), Move(0, 0, 3600))
    state = flown(game, game.start(1, 1998), *moves)

    assert state.ship == ship
    assert state.bodies[SCENARIOS[scenario].docking.target] == target
    assert (state.elapsed, state.change) == (4273, 160)


def test_an_orbit_keeps_its_energy() -> None:
    game = Rendezvous()
    state = game.start(1, 4)
    energies = []
    for _ in range(600):
        state = game.apply(state, COAST)
        energies.append(energy(state.ship, state.bodies[0]))

    assert max(energies) / min(energies) == pytest.approx(1, abs=1e-4)
    assert energies[-1] / energies[0] == pytest.approx(1, abs=1e-4)


def test_cosines_are_those_of_the_circle() -> None:
    for heading in range(0, 360, 5):
        square = cosine(heading) ** 2 + cosine(heading - 90) ** 2
        assert square == pytest.approx(1e12, rel=2e-6)
    assert [cosine(heading) for heading in (0, 90, 180, 270)] == [1_000_000, 0, -1_000_000, 0]


def test_a_rendezvous_near_and_slow_enough_ends_the_flight() -> None:
    game = Rendezvous()
    state = flown(game, beside(game, 4_000, 10)._replace(change=1499), Move(10, 180, 1))

    outcome = game.outcome(state)
    assert outcome is not None
    assert (outcome.points, outcome.reason) == ((1_000_000_000 // 1509,), "rendezvous made")
    assert game.adjudicate(state, "stopped").points == outcome.points


@pytest.mark.parametrize(("x", "vx"), [(4_000, 30), (6_000, 10)])
def test_too_far_or_too_fast_is_no_rendezvous(x: int, vx: int) -> None:
    game = Rendezvous()
    assert game.outcome(flown(game, beside(game, x, vx), Move(0, 0, 1))) is None


def test_time_and_change_end_within_the_move_that_meets_the_target() -> None:
    game = Rendezvous(scenario="moon")
    state = flown(game, beside(game, 2_400_000, 50), COAST)

    assert (state.reason, state.elapsed) == ("rendezvous made", 60)


def test_a_crash_a_lost_ship_and_too_many_plies_have_no_points() -> None:
    game = Rendezvous(plies=1)
    start = game.start(1, 1)
    falling = start._replace(ship=(6_379_000_000, 0, -8_000_000, 0))
    middle = start._replace(ship=(*start.bodies[0][:2], 0, 0))
    leaving = start._replace(ship=(2 * 10**15, 0, 10**9, 0))

    ends = [flown(game, state, COAST) for state in (falling, leaving, start)]
    assert [end.reason for end in ends] == ["crashed", "lost", "no rendezvous in 1 plies"]
    assert all(game.adjudicate(end, "over").points == (0,) for end in (*ends, start, middle))


@pytest.mark.parametrize(
    "move", [Move(40, 0, 1), Move(10, 3, 1), Move(10, 360, 1), Move(0, 5, 1), Move(10, 0, 2)]
)
def test_what_the_engine_cannot_do_is_refused(move: Move) -> None:
    game = Rendezvous()
    with pytest.raises(IllegalMoveError, match="in steps of 5"):
        game.apply(game.start(1, 1), move)


def test_a_ship_at_full_thrust_for_ever_stays_within_the_numbers_of_the_wire() -> None:
    game = Rendezvous(plies=10_000)
    state = game.start(1, 1)._replace(ship=(10**12, 0, 0, 0))
    while not state.reason:
        state = game.apply(state, Move(30, 90, 3600))
    assert state.reason == "lost"
    assert max(map(abs, state.ship)) < 2**53
    assert "*" not in game.diagram(state)

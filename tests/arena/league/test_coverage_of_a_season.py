"""Intervals of simulated seasons hold the true rating, and miss it as often on either side."""

import random

import pytest

from arena.league.ladder.ratings import fit
from arena.league.ladder.season import Entrant
from arena.league.ladder.tally import Tally
from arena.ratings.pentanomial import expected_score

BOTS = 14
SEASONS = 30


def simulated(dice: random.Random, meetings: int, effect: float) -> tuple[list[Entrant], Tally]:
    """Return a season whose versions are named after their true ratings."""
    true = [dice.gauss(1500, 300) for _ in range(BOTS)]
    entrants = [Entrant(f"{true[at]} {at}", is_house=at < 2) for at in range(BOTS)]
    for at in range(3, BOTS, 2):
        entrants[at] = Entrant(entrants[at].id, is_active=False)
        after = true[at] + dice.gauss(0, 100)
        entrants.append(Entrant(f"{after} {at}", entrants[at].id))
    tally = Tally()
    effects: dict[tuple[str, str], float] = {}
    for _ in range(meetings * len(entrants) // 2):
        one, other = sorted(each.id for each in dice.sample(entrants, 2))
        if one.split()[1] == other.split()[1]:
            continue  # a version never meets its predecessor
        gap = float(one.split()[0]) - float(other.split()[0])
        score = expected_score(gap + effects.setdefault((one, other), dice.gauss(0, effect)))
        for _ in range(dice.randint(1, 9)):
            won = float((dice.random() < score) + (dice.random() < score))
            tally.add_pairing(one, other, times=2, score=won)
    return entrants, tally


@pytest.mark.parametrize("meetings", [1, 4, 20])
@pytest.mark.parametrize("effect", [0.0, 50.0])
def test_intervals_miss_on_either_side_alike(meetings: int, effect: float) -> None:
    dice = random.Random(f"{meetings} {effect}")
    above = below = number = 0
    for _ in range(SEASONS):
        entrants, tally = simulated(dice, meetings, effect)
        rated = fit(entrants, tally)
        house = [float(each.id.split()[0]) for each in entrants if each.is_house]
        for name, elo in rated.elos.items():
            true = float(name.split()[0]) + 1500 - sum(house) / len(house)
            above += elo.low > true
            below += elo.high < true
            number += 1

    assert 0.02 * number < above + below < 0.09 * number
    assert max(above, below) < 0.055 * number

"""Rules of seats that retire, after a fault or a resignation."""

import random
from typing import Any, Final

from arena.testing.examination import LONGEST, SEEDS, Examination
from arena.testing.play import check_outcome
from arena.text import plural


def any_seat_can_retire(exam: Examination) -> None:
    """Any seat can retire at any time, the others play on, and the last ends the game."""
    chance = random.Random(7)  # noqa: S311 - repeatable
    for state in exam.some_positions():
        if exam.game.outcome(state) is None:
            seats = list(range(exam.seats))
            chance.shuffle(seats)
            _retire_all(exam, state, seats, chance)


def _retire_all(exam: Examination, state: Any, seats: list[int], chance: random.Random) -> None:
    for count, seat in enumerate(seats, start=1):
        after = exam.game.retire(state, seat)
        if exam.game.retire(state, seat) != after:
            raise exam.broken(f"`retire` of seat {seat} gives another state the second time")
        state = after
        exam.examine(state)
        if (outcome := exam.game.outcome(state)) is not None:
            check_outcome(exam, outcome, "outcome")
            if legal := list(exam.game.legal(state)):
                raise exam.broken(f"{plural(len(legal), 'legal move')} after the end by `retire`")
            return
        gone = set(seats[:count])
        if count >= exam.seats - 1:
            raise exam.broken(f"the game continues although the seats {sorted(gone)} have retired")
        _play_on(exam, state, gone, chance)


def _play_on(exam: Examination, state: Any, gone: set[int], chance: random.Random) -> None:
    """Play on without the retired seats."""
    for _ in range(LONGEST):
        exam.examine(state)
        if exam.game.outcome(state) is not None:
            return
        if (draw := exam.due_draw(state, SEEDS[0])) is not None:
            state = exam.game.apply(state, draw)
            continue
        if exam.game.turn(state) in gone:
            raise exam.broken(f"it is the turn of seat {exam.game.turn(state)}, which has retired")
        state = exam.game.apply(state, chance.choice(list(exam.game.legal(state))))


def retired_seats_are_last(exam: Examination) -> None:
    """A retired seat is placed behind all others."""
    for state in exam.some_positions():
        if exam.game.outcome(state) is not None or exam.seats == 1:
            continue
        for seat in range(exam.seats):
            after = exam.game.retire(state, seat)
            outcome = exam.game.outcome(after) or exam.game.adjudicate(after, "stopped")
            if not outcome.places[seat] == max(outcome.places) > 1:
                raise exam.broken(f"seat {seat} has retired, and the places are {outcome.places}")


RULES: Final = (any_seat_can_retire, retired_seats_are_last)

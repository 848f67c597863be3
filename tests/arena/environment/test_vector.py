"""Several seats side by side, in one process and in several."""

import multiprocessing
import os
import random
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import waiting

from arena.environment import Environment, SeatEnvironment
from arena.environment.vector import Vector, WorkerError


class Masked(SeatEnvironment):
    """A seat whose observations are masks."""

    def observe(self) -> Any:
        """Return the mask."""
        return super().observe().mask


def make(game: str = "open_spiel/tic_tac_toe") -> Masked:
    """Return a seat against random moves."""
    return Masked(Environment(game))


def make_broken() -> Masked:
    """Fail in the process of the seat."""
    raise LookupError("no such seat")


def played(seats: Vector, steps: int) -> list[Any]:
    """Return everything that some steps of random actions return."""
    chance = random.Random(1)
    seen, infos = seats.reset(seed=5)
    found: list[Any] = [seen, infos]
    for _ in range(steps):
        legal = [[action for action, flag in enumerate(mask) if flag] for mask in seen]
        batch = seats.step([chance.choice(actions) for actions in legal])
        seen = batch[0]
        found.append(batch)
    return found


def test_processes_play_what_one_process_plays() -> None:
    with Vector(make, 5) as one, Vector(make, 5, processes=2) as several:
        batches = played(one, 30)
        assert batches == played(several, 30)

    ends = [over for batch in batches[2:] for over in batch[2]]
    assert 5 * 30 / 5 <= ends.count(True) <= 5 * 30 / 3, "a match is over after 3 to 5 steps"
    rewards = {reward for batch in batches[2:] for reward in batch[1]}
    assert rewards == {-1.0, 0.0, 1.0}


def test_the_next_match_begins_with_the_last_step_of_the_old() -> None:
    with Vector(make, 1) as seats:
        batches = played(seats, 12)

    overs = [batch for batch in batches[2:] if batch[2][0]]
    assert overs
    for seen, _, _, _, infos in overs:
        assert sum(seen[0]) >= 8, "it is the first turn of a new match"
        assert infos[0]["final_obs"] == bytes(9), "nobody is to move at the end"


def test_an_error_in_a_process_is_raised_with_its_traceback_and_ends_all() -> None:
    seats = Vector(make, 4, processes=2)
    seats.reset(seed=1)
    with pytest.raises(WorkerError, match=r"Traceback(.|\n)*action 77 is not legal"):
        seats.step([0, 0, 0, 77])

    assert not multiprocessing.active_children()
    with pytest.raises(ValueError, match="the seats are closed"):
        seats.step([0, 0, 0, 0])
    seats.close()


def test_an_error_of_the_first_seat_is_raised_at_once() -> None:
    with pytest.raises(WorkerError, match="LookupError: no such seat"):
        Vector(make_broken, 1, processes=1)
    with pytest.raises(LookupError):
        Vector(make_broken, 2)

    assert not multiprocessing.active_children()


def test_a_killed_process_is_reported() -> None:
    seats = Vector(make, 2, processes=1)
    seats.reset(seed=1)
    (child,) = multiprocessing.active_children()
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)

    with pytest.raises(WorkerError, match=r"has ended unexpectedly \(exit code -9\)"):
        seats.step([0, 0])
    assert not multiprocessing.active_children()


def test_wrong_numbers_are_refused() -> None:
    for number, processes in ((0, 0), (2, 3), (2, -1)):
        with pytest.raises(ValueError, match=f"{number} seats cannot be shared by {processes}"):
            Vector(make, number, processes)
    seats = Vector(partial(make, "pente"), 2)
    seats.reset()
    with pytest.raises(ValueError, match="1 action for 2 seats"):
        seats.step([0])


def test_no_process_outlives_a_learner_that_is_killed() -> None:
    learner = os.fork()
    if learner == 0:
        os._exit(_learner())
    assert waiting.becomes(lambda: bool(_children(learner)))
    workers = _children(learner)
    os.kill(learner, signal.SIGKILL)
    os.waitpid(learner, 0)

    assert waiting.becomes(lambda: not any(map(_is_alive, workers)))


def _learner() -> int:
    Vector(make, 1, processes=1).reset(seed=1)
    signal.pause()
    return 0


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False

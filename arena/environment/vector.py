"""Several seats side by side, for learners that act on a batch of positions."""

import contextlib
import multiprocessing
import signal
import traceback
from collections.abc import Callable, Sequence
from itertools import pairwise
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from arena.environment.seat import SeatEnvironment, Step
from arena.text import plural

Make = Callable[[], SeatEnvironment]
"""Makes one seat. For other processes it must be a function of a module, or a partial of one."""
Batch = tuple[list[Any], list[float], list[bool], list[bool], list[dict[str, Any]]]
"""Observations, rewards, ends, truncations and infos, one of each for every seat."""
END_S = 10.0
"""Seconds for a process to close its seats, before it is killed."""


class WorkerError(Exception):
    """An error in one of the processes, with its traceback, or the end of the process."""


class Vector:
    """As many seats as `number`; `step` takes an action for each.

    They are in this process, or shared by `processes` other ones. When a match is over, the next
    begins in the same step: the observation is its first one, and the info has the last of the old
    match as `final_obs`.

        with Vector(make, 8, processes=2) as seats:
            seen, _ = seats.reset(seed=1)
            seen, rewards, overs, cuts, infos = seats.step([choose(each) for each in seen])
    """

    def __init__(self, make: Make, number: int, processes: int = 0) -> None:
        """Raise ValueError for impossible numbers, WorkerError if a process cannot make a seat."""
        if number < 1 or not 0 <= processes <= number:
            raise ValueError(f"{number} seats cannot be shared by {processes} processes")
        self.num_envs = number
        parts = max(1, processes)
        bounds = [number * part // parts for part in range(parts + 1)]
        self._parts = [slice(first, last) for first, last in pairwise(bounds)]
        sizes = [part.stop - part.start for part in self._parts]
        self._groups: list[_Group | _Worker] = []
        if processes:
            self._groups = [_Worker(make, size) for size in sizes]
            self._ask("made", [None] * number)
        else:
            self._groups = [_Group(make, number)]

    def reset(self, *, seed: int | None = None) -> tuple[list[Any], list[dict[str, Any]]]:
        """Begin a match in every seat, with the seeds from `seed` on."""
        seeds = [None if seed is None else seed + place for place in range(self.num_envs)]
        found = self._ask("reset", seeds)
        return [seen for seen, _ in found], [info for _, info in found]

    def step(self, actions: Sequence[int]) -> Batch:
        """Play an action in every seat."""
        if len(actions) != self.num_envs:
            raise ValueError(
                f"{plural(len(actions), 'action')} for {plural(self.num_envs, 'seat')}"
            )
        seen, rewards, overs, cuts, infos = zip(*self._ask("step", actions), strict=True)
        return list(seen), list(rewards), list(overs), list(cuts), list(infos)

    def close(self) -> None:
        """End all matches, bots and processes."""
        groups, self._groups = self._groups, []
        for group in groups:
            group.ask("close", [])
        for group in groups:
            group.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, name: str, values: Sequence[Any]) -> list[Any]:
        """Return the answers of all groups, which work at the same time."""
        if not self._groups:
            raise ValueError("the seats are closed")
        try:
            for group, part in zip(self._groups, self._parts, strict=True):
                group.ask(name, values[part])
            return [answer for group in self._groups for answer in group.answer()]
        except BaseException:
            self.close()
            raise


class _Group:
    """Seats of one process."""

    def __init__(self, make: Make, number: int) -> None:
        self._seats = [make() for _ in range(number)]
        self._answer: list[Any] = []

    def ask(self, name: str, values: Sequence[Any]) -> None:
        self._answer = getattr(self, name)(values)

    def answer(self) -> list[Any]:
        return self._answer

    def made(self, _: Sequence[None]) -> list[None]:
        return []

    def reset(self, seeds: Sequence[int | None]) -> list[tuple[Any, dict[str, Any]]]:
        return [seat.reset(seed=seed) for seat, seed in zip(self._seats, seeds, strict=True)]

    def step(self, actions: Sequence[int]) -> list[Step]:
        return [_step(seat, action) for seat, action in zip(self._seats, actions, strict=True)]

    def close(self, _: Sequence[None]) -> list[None]:
        for seat in self._seats:
            seat.close()
        return []

    def end(self) -> None:
        """Do nothing: `close` has ended all."""


def _step(seat: SeatEnvironment, action: int) -> Step:
    seen, reward, is_over, is_cut, info = seat.step(action)
    if is_over or is_cut:
        first, _ = seat.reset()
        return first, reward, is_over, is_cut, {**info, "final_obs": seen}
    return seen, reward, is_over, is_cut, info


class _Worker:
    """Seats of another process."""

    def __init__(self, make: Make, number: int) -> None:
        # a fork would copy the threads' locks of a framework, and the other workers' pipes
        context = multiprocessing.get_context("spawn")
        self._pipe, end = context.Pipe()
        self._process = context.Process(target=_work, args=(end, make, number), daemon=True)
        self._process.start()
        end.close()

    def ask(self, name: str, values: Sequence[Any]) -> None:
        try:
            self._pipe.send((name, values))
        except OSError:
            if name != "close":
                raise self._ended() from None

    def answer(self) -> list[Any]:
        try:
            is_done, answer = self._pipe.recv()
        except (EOFError, OSError):
            raise self._ended() from None
        if not is_done:
            raise WorkerError(answer)
        found: list[Any] = answer
        return found

    def end(self) -> None:
        """Wait for the end of the process; kill it after END_S seconds."""
        self._pipe.close()
        self._process.join(END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()

    def _ended(self) -> WorkerError:
        self._process.join(END_S)
        code = self._process.exitcode
        return WorkerError(f"a process of the seats has ended unexpectedly (exit code {code})")


def _work(pipe: Connection, make: Make, number: int) -> None:
    """Answer the learner's process until it closes the pipe or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the learner handles Ctrl-C
    group: _Group | None = None
    try:
        while True:
            name, values = pipe.recv()
            if name != "close":
                group = group or _Group(make, number)
                group.ask(name, values)
                pipe.send((True, group.answer()))
    except (EOFError, OSError):
        pass  # the learner has closed, or has ended
    except BaseException:  # noqa: BLE001 - whatever it is, the learner must learn of it
        with contextlib.suppress(OSError):
            pipe.send((False, traceback.format_exc().rstrip()))
    finally:
        if group is not None:
            group.close([])

"""Whether a bot's own board follows the match: after histories, and after other matches.

A bot that ignores `init.history`, or keeps stones of the match before, seldom makes an illegal move
in a short match on an empty board: it is tried in positions where such a board collides.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from arena.check.bench import Bench, BenchMatch, Setting, unresigned
from arena.check.options import asks_for_board, with_option
from arena.check.outcomes import StepDoubted, StepFailed, StepSkipped
from arena.check.partners import half_way
from arena.text import plural, seconds
from protocol.messages import Fields
from referee.catalog import AnyGame
from referee.job import SECOND_NS, Job
from referee.records.calls import Call, entry_of

MATCHES = 12
"""Matches in one process."""
LEAST_MATCHES = 4
TURNS = 20
"""Turns of the bot in each of them; a board that is wrong in every third place collides by then."""
BUDGET_NS = 20 * SECOND_NS
"""CPU time of a bot after which no further match begins, in nanoseconds."""
OPTION_SEED = 3
OPTION_TURNS = 6
"""Turns with an option, from a deep position."""
COMPARED_TURNS = 8
COMPARED_MATCHES = 4
SEEDS = 10
"""Seeds with which a bot makes the same move before chance is excluded: it may choose of two."""


def event_matches(game: AnyGame) -> list[Setting]:
    """Return matches as in an event: in each seat, from the start and from deep positions."""
    few, most = min(game.seats), max(game.seats)
    found = []
    for number in range(MATCHES):
        seats = most if number % 4 == 3 else few
        is_deep = number // few % 2 == 0
        found.append(
            Setting(
                seat=number % few,
                seats=seats,
                history=half_way(game, seats, number) if is_deep else 2 * seats,
                turns=TURNS,
                seed=number,
                is_last=number == MATCHES - 1,
            )
        )
    return found


def keeps_its_board(bench: Bench) -> str:
    """Play matches of an event in one process; a failed one is tried in a new one, too."""
    settings = event_matches(bench.game)
    with bench.start() as session:
        for number, setting in enumerate(settings):
            if number >= LEAST_MATCHES and session.process.cpu_ns() > BUDGET_NS:
                return f"{plural(number, 'match')} within {seconds(BUDGET_NS)} of its CPU time"
            try:
                session.play(setting)
            except StepFailed as failure:
                why = _reason(bench, setting, number)
                # a cause of its own, whatever the fault: it says which board is wrong
                raise StepFailed(f"match {number + 1}: {failure}; {why}") from None
    return plural(MATCHES, "match")


def _reason(bench: Bench, setting: Setting, before: int) -> str:
    """Return which way of playing the match fails: after others, after a history, or any."""
    after = f"after a history of {plural(setting.history, 'move')}"
    if before and _is_fine(bench, setting):
        matches = plural(before, "other match")
        return (
            f"in a new process the same match {after} has no fault, so {matches} in this one left"
            " something behind"
        )
    if _is_fine(bench, replace(setting, history=0)):
        return f"this match begins {after}; without it there is no fault"
    return f"this match begins {after}; without it there is a fault, too"


def _is_fine(bench: Bench, setting: Setting) -> bool:
    try:
        with bench.start() as session:
            session.play(setting)
    except StepFailed:
        return False
    return True


def plays_option(option: str, value: Any, bench: Bench) -> None:
    """Play with one option changed, from the start and from a deep position."""
    game = with_option(bench.game, option, value)
    deep = half_way(game, min(game.seats), OPTION_SEED)
    unresigned(bench.play(Setting(game=game)))
    if asks_for_board(game):  # another step asks for the board; a starter shows what it saw last
        return
    try:
        played = bench.play(Setting(game=game, history=deep, turns=OPTION_TURNS, seed=OPTION_SEED))
    except StepFailed as failure:
        after = f"after a history of {plural(deep, 'move')}"
        raise StepFailed(f"{failure}, {after}", failure.fault) from None
    unresigned(played)


def moves_alike_after_history(bench: Bench) -> str:
    """Ask for moves of a match again, each in a new process that gets the match as a history."""
    few = min(bench.game.seats)
    compared = 0
    for seat, history in {0: 0, few - 1: half_way(bench.game, few, 1)}.items():
        setting = Setting(seat=seat, history=history, turns=COMPARED_TURNS)
        match = _Match(bench, setting)
        compared += sum(match.is_same(place) for place in match.places())
    if not compared:
        raise StepSkipped("its moves depend on chance, or it makes too few")
    return plural(compared, "position")


def _moves(played: BenchMatch) -> list[Call]:
    """Return the calls of all seats that moved, and the draws."""
    return [call for call in played.line if call.move is not None]


class _Match:
    """A match of the bot in a new process, and its positions given to other processes."""

    def __init__(self, bench: Bench, setting: Setting) -> None:
        self._bench, self._seat = bench, setting.seat
        self._job = bench.job(setting)
        self._line = _moves(self._play(self._job))

    def places(self) -> Sequence[int]:
        """Return how many moves came before the bot's last one, and before one in the middle."""
        own = [place for place, call in enumerate(self._line) if call.seat == self._seat]
        return sorted({own[len(own) // 2], own[-1]}) if own else ()

    def is_same(self, place: int) -> bool:
        """Whether a process that knows the position by its history moves as in the match.

        False if chance decides. Raises StepDoubted for another move, if both are repeated.
        """
        live = self._line[place]
        seed = self._job.seed
        told = self._asked(place, seed)
        if _move(told) != _move(self._asked(place, seed + 1)):
            return False
        if _move(told) == live.move:
            return True
        others = (self._asked(place, seed + more) for more in range(2, SEEDS))
        if any(_move(told) != _move(other) for other in others):
            return False
        again = _moves(self._play(self._job))[: place + 1]
        if [call.move for call in again] != [call.move for call in self._line[: place + 1]]:
            return False
        if _move(self._asked(place, seed)) != _move(told):
            return False
        raise StepDoubted(
            f"ply {len(self._job.history) + place}, seat {self._seat}: {_text(live)} if it has"
            f" played the match, {_text(told)} in a new process that gets the same moves as history"
        )

    def _asked(self, place: int, seed: int) -> Call | None:
        """Return the bot's move call in the position, by its history; None if it made none."""
        history = (*self._job.history, *map(entry_of, self._line[:place]))
        played = self._play(replace(self._job, history=history, seed=seed, max_plies=1))
        return next((call for call in played.calls if call.call == "move"), None)

    def _play(self, job: Job) -> BenchMatch:
        with self._bench.start() as session:
            return session.play_faultless(job, self._bench.game, self._seat)


def moves_alike_after_matches(bench: Bench) -> None:
    """Play a match in a new process and after others: a bot that repeats itself moves alike."""
    few = min(bench.game.seats)
    settings = [
        Setting(
            seat=number % few,
            turns=COMPARED_TURNS,
            seed=number + 1,
            is_last=number == COMPARED_MATCHES - 1,
        )
        for number in range(COMPARED_MATCHES)
    ]
    kept, alone = _moves_of_last(bench, settings), _moves_of_last(bench, settings[-1:])
    if _same(kept, alone):
        return
    again = _moves_of_last(bench, settings), _moves_of_last(bench, settings[-1:])
    if not (_same(kept, again[0]) and _same(alone, again[1])):
        raise StepSkipped("it plays other moves each time, which is allowed")
    for number, (one, other) in enumerate(zip_longest(alone, kept), start=1):
        if _move(one) != _move(other):
            raise StepDoubted(
                f"the bot's move {number} in the same match is {_text(one)} in a new process, and"
                f" {_text(other)} after {plural(COMPARED_MATCHES - 1, 'other match')}"
            )


def _moves_of_last(bench: Bench, settings: Sequence[Setting]) -> list[Call]:
    """Return the bot's moves in the last of these matches, all played in one new process."""
    with bench.start() as session:
        for setting in settings:
            played = session.play(setting)
        return played.moves


def _same(one: Sequence[Call], other: Sequence[Call]) -> bool:
    return [call.move for call in one] == [call.move for call in other]


def _move(call: Call | None) -> Fields | None:
    return call.move if call else None


def _text(call: Call | None) -> str:
    return (call and call.notation) or "no move"

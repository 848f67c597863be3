"""Whole matches of bots that play at random, by the referee's own loop."""

import random
from typing import Any

from every_game import LONGEST, Case
from fakes import RESIGN, FakeBot, Played, Step, play, played

from protocol.messages import Message, Move
from referee.job import Job
from referee.job import Player as Entry
from referee.options import game_options
from referee.play.move_calls import FastMoveCalls, MoveCalls


class Random(FakeBot):
    """A bot that resigns after a number of random moves."""

    def __init__(self, seed: int, until: int) -> None:
        super().__init__(wants=("legal", "view"))
        self._chance = random.Random(seed)
        self._left = until

    def answer(self, call: Message) -> Step:
        if not isinstance(call, Move):
            return super().answer(call)
        self._left -= 1
        return play(self._chance.choice(call.legal or ())) if self._left >= 0 else RESIGN


def match_of(
    case: Case,
    bots: list[FakeBot],
    seed: int,
    *,
    move_calls: type[MoveCalls] = FastMoveCalls,
    **others: Any,
) -> Played:
    entries = tuple(
        Entry(name=f"bot{seat}", argv=("bot",), folder=".", content="-")
        for seat in range(case.seats)
    )
    job = Job(
        key="random",
        game=case.game.name,
        options={**game_options(case.game), **others.pop("options", {})},
        players=entries,
        seed=seed,
        board_seed=seed,
        max_plies=LONGEST,
        **others,
    )
    return played(job, bots, move_calls)

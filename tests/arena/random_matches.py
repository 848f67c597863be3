"""Records of random matches of any game, without any process."""

import random
from typing import Any

from events import player

from protocol.vocabulary import Termination
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.options import make_game
from referee.records.calls import Call, Calls
from referee.records.record import Record, SeatReport, Verdict

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "pente": (2, {}),
    "matchsticks": (2, {"dimension": 6}),
    "chinese_checkers": (3, {"game_size": 3, "max_rounds": 20}),
    "down_n_out": (1, {"rows": 6, "cols": 8}),
    "damspel": (2, {"rows": 8, "cols": 8, "men_rows": 3}),
    "chess": (2, {}),
}
"""Seats and options of one match of each game."""


def random_record(
    name: str, *, key: str = "k", bots: str = "abc", plies: int = 60, **remarks: Any
) -> Record:
    """Return a match of random moves, each with these remarks.

    The bots are named by the letters of `bots`.
    """
    seats, options = GAMES[name]
    game = make_game(name, options)
    chance = random.Random(name)
    players = tuple(player(letter) for letter in bots[:seats])
    job = Job(key=key, game=name, options=options, players=players, seed=1, board_seed=2)
    border, state = MoveCodec(game), game.start(seats, job.board_seed)
    calls: list[Call] = []
    while len(calls) < plies and game.outcome(state) is None:
        if (drawn := game.draw(state, chance)) is not None:
            outcome_wire: dict[str, Any] = border.draw_forms(drawn).wire
            calls.append(
                Call(
                    seat=None,
                    call="draw",
                    ply=len(calls),
                    move=outcome_wire,
                    notation=game.notation(drawn),
                    wall_ns=0,
                    charged_ns=0,
                )
            )
            state = game.apply(state, drawn)
            continue
        move = chance.choice(list(game.legal(state)))
        wire: dict[str, Any] = border.wire_move(move)
        calls.append(
            Call(
                seat=game.turn(state),
                call="move",
                ply=len(calls),
                move=wire,
                notation=game.notation(move),
                **remarks,
                charged_ns=1_000_000 * (1 + len(calls) % 7),
                wall_ns=2_000_000 * (1 + len(calls) % 7),
            )
        )
        state = game.apply(state, move)
    outcome = game.outcome(state) or game.adjudicate(state, "stopped")
    verdict = Verdict(
        termination=Termination.NORMAL,
        reason=outcome.reason,
        points=outcome.points,
        places=outcome.places,
        scores=tuple(map(str, outcome.points)),
    )
    reports = [SeatReport(name=each.name, content=each.content) for each in players]
    return Record(job=job, calls=Calls(calls), seats=reports, verdict=verdict)

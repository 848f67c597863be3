"""Random play: the partners of a bot in a match, and the moves before it."""

import random
from collections.abc import Collection
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from protocol.messages import Fields, Message
from referee.catalog import AnyGame
from referee.errors import Forfeit
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.rules import move_fields
from referee.seats.seat import FREE, Answer, OpenCall
from referee.seeds import due_draws

DEEP = 240
"""Limit of plies of the random game whose half is a deep history."""
CHOICES = 500
"""Limit of legal moves from which a partner chooses: listing all of them can be slow."""

R = TypeVar("R", bound=Message)


class Partner:
    """A partner in another seat: random moves, true claims."""

    def __init__(self, game: AnyGame, job: Job) -> None:
        self.wants: Collection[str] = ()
        self._game = game
        self._codec = MoveCodec(game)
        self._random = random.Random(job.seed)  # noqa: S311 - a game, not a secret

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Answer a call of the referee."""
        reply: Fields = {"id": 0}
        if call.name == "move":
            reply |= self._play(call.state)
        elif call.name == "display":
            reply["board"] = tuple(self._game.picture(call.state))
        return call.model.model_validate(reply), FREE

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Raise an error: only the bot can have faults here."""
        raise RuntimeError(str(forfeit))

    def _play(self, before: Any) -> Fields:
        game = self._game
        move = chosen(game, before, self._random)
        reply: Fields = {"move": self._codec.wire_move(move)}
        if game.claims_type is not None:
            truth = game.claims(before, move, game.apply(before, move))
            reply["claims"] = self._codec.wire_claims(truth)
        return reply


def chosen(game: AnyGame, state: Any, chance: random.Random) -> Any:
    """Return a random legal move."""
    return chance.choice(list(islice(game.legal(state), CHOICES)))


def half_way(game: AnyGame, seats: int, seed: int) -> int:
    """Return half the number of plies of the random game that `history` begins with this seed."""
    return len(history(game, seats, DEEP, seed)) // 2


@lru_cache(maxsize=64)
def history(game: AnyGame, seats: int, plies: int, seed: int) -> tuple[Fields, ...]:
    """Return random moves from the start, as in a job; fewer if the game ends.

    Checks ask for the same ones again and again, also those of other bots in this process.
    """
    chance = random.Random(seed)  # noqa: S311 - a game, not a secret
    codec = MoveCodec(game)
    state = game.start(seats, seed)
    played: list[Fields] = []
    while len(played) < plies:
        for draw, after in due_draws(game, state, seed, len(played)):
            played.append({"chance": True, "move": move_fields(draw)})
            state = after
        if game.outcome(state) is not None:
            break
        seat, move = game.turn(state), chosen(game, state, chance)
        state = game.apply(state, move)
        if game.outcome(state) is not None:
            break
        played.append({"seat": seat, "move": codec.wire_move(move)})
    return tuple(played)

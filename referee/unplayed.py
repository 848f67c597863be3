"""Matches that are decided before anybody is called, since too few of the players are left."""

from protocol.vocabulary import Seat
from referee.errors import Forfeit
from referee.job import Job
from referee.match import Match
from referee.options import make_game
from referee.record import Record, SeatReport


def unplayed(job: Job) -> Record | None:
    """Return the record of a match that its absences decide, or None if it has to be played.

    It is decided by the rules: each absent seat retires from the position that play would begin in.
    """
    game = make_game(job.game, job.options)
    match = Match(job, game, {}, {}, _nobody_to_dismiss)
    verdict = match.decide(
        Forfeit(lost.seat, lost.termination, lost.detail) for lost in job.absences
    )
    if verdict is None:
        return None
    seats = [SeatReport(name=player.name, content=player.content) for player in job.players]
    return Record(job=job, calls=match.calls, seats=seats, verdict=verdict)


def _nobody_to_dismiss(seat: Seat) -> None:
    del seat

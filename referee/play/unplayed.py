"""Matches decided before the first call, since too few players are present."""

from referee.errors import Forfeit
from referee.job import Job
from referee.options import make_game
from referee.play.match import Match
from referee.records.record import Record, SeatReport


def unplayed(job: Job) -> Record | None:
    """Return the record of a match decided by its absences and the rules; None for others."""
    game = make_game(job.game, job.options)
    match = Match(job, game, {}, dismiss=lambda _: None)
    verdict = match.decide(
        Forfeit(lost.seat, lost.termination, lost.detail) for lost in job.absences
    )
    if verdict is None:
        return None
    seats = [SeatReport(name=player.name, content=player.content) for player in job.players]
    return Record(job=job, calls=match.recorder.calls, seats=seats, verdict=verdict)

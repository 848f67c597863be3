"""The result of a match in words."""

from decimal import Decimal

from protocol.vocabulary import Termination
from protocol.wording import escaped
from referee.records.record import Record

YOU = "you"
"""Name of the only person in a match."""


def result_text(record: Record) -> str:
    """Return the winner, the reason and the points."""
    verdict = record.verdict
    names = [escaped(name) for name in record.job.names()]
    winners = [name for name, place in zip(names, verdict.places, strict=True) if place == 1]
    reason = escaped(verdict.reason)
    if verdict.termination not in (Termination.NORMAL, Termination.RESIGNATION):
        reason = f"{verdict.termination}, {reason}"
    points = ", ".join(f"{name} {won}" for name, won in zip(names, verdict.points, strict=True))
    if [Decimal(score) for score in verdict.scores] != list(verdict.points):
        scores = zip(names, verdict.scores, strict=True)
        points += "; scores " + ", ".join(f"{name} {score}" for name, score in scores)
    if len(names) == 1:
        return f"over: {reason}; points {points}"
    if len(winners) == len(names):
        return f"no winner: {reason}; points {points}"
    if len(set(verdict.points)) == 1 == len(set(verdict.scores)):
        points = ""  # equal points of different places explain nothing
    verb = "win" if winners == [YOU] else "wins"
    who = f"{winners[0]} {verb}"
    if len(winners) > 1:
        who = f"{' and '.join(winners)} share first place"
    return f"{who}: {reason}{points and f'; points {points}'}"

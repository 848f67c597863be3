"""The matches of an event worth a look: upsets, shortest, longest, narrowest, faults."""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

from arena.ratings.comparisons import compare
from arena.ratings.rating import Strengths
from arena.results.standings import is_draw, is_win, rated_match
from arena.results.store import MatchRow
from arena.text import cpu_time, plural, score
from referee.records.result import SeatRow

NOTABLE_MATCHES = 5
"""Limit of the matches of a kind; of extremes, at most half of the matches besides."""

Noted = tuple[MatchRow, str]
"""A match and the reason to look at it, in a few words."""


def notable_matches(
    matches: Sequence[MatchRow], rated: Iterable[MatchRow] | None
) -> list[tuple[str, list[Noted]]]:
    """Return kinds of matches with the most notable of each; `rated` defaults to `matches`."""
    whole = [match for match in matches if not any(seat.fault for seat in match.seats)]
    kinds = [
        ("upsets", _upsets(whole, matches if rated is None else rated)),
        ("shortest", _shortest(whole)),
        ("longest", _shortest(whole, by=-1)),
        ("narrowest", _narrowest(whole)),
        ("faults", [(match, match.faults) for match in matches if match.has_fault]),
    ]
    return [(title, noted[:NOTABLE_MATCHES]) for title, noted in kinds if noted]


def result_of(match: MatchRow, seat: SeatRow) -> str:
    """Return the result of a seat in a word."""
    seats = match.seats
    if seat.is_unplayed:
        return "unplayed"
    if seat.fault:
        return seat.fault
    if len(seats) == 1:
        return "played"
    if is_win(seat, seats):
        return "won"
    return "drawn" if is_draw(seat, seats) else "lost"


SEAT_COLUMNS = ("against", "seat", "result", "score", "plies", "CPU")


def seat_cells(match: MatchRow, seat: SeatRow) -> list[str]:
    """Return a match as one of its seats sees it, in SEAT_COLUMNS."""
    return [
        ", ".join(other.player for other in match.seats if other is not seat),
        str(match.seats.index(seat) + 1),
        result_of(match, seat),
        score(Decimal(seat.score)),
        str(match.plies),
        cpu_time(seat.cpu_ns, is_exact=seat.is_clock_exact),
    ]


def _upsets(matches: Iterable[MatchRow], rated: Iterable[MatchRow]) -> list[Noted]:
    """Return the wins against higher-rated players, the largest difference first."""
    strengths = Strengths(compare(Counter(rated_match(match.seats) for match in rated)))
    elo = {player: (strengths.group[player], elo) for player, elo in strengths.elos().items()}
    found = []
    for match in matches:
        winner = _winner(match)
        if winner is None or winner.player not in elo:
            continue
        group, own = elo[winner.player]
        others = [elo[seat.player] for seat in match.seats if seat.player in elo]
        ahead = max(other - own for its_group, other in others if its_group == group)
        if ahead >= 1:
            found.append((ahead, match, f"{winner.player} is rated {ahead:.0f} Elo lower"))
    found.sort(key=lambda upset: (-upset[0], upset[1].id))
    return [(match, remark) for _, match, remark in found]


def _shortest(matches: Iterable[MatchRow], by: int = 1) -> list[Noted]:
    """Return the half with the fewest plies, or the most with -1; none if all are equally long."""
    ordered = sorted(matches, key=lambda match: (by * match.plies, match.id))
    if len({match.plies for match in ordered}) < 2:
        return []
    return [(match, plural(match.plies, "ply")) for match in ordered[: len(ordered) // 2]]


def _narrowest(matches: Iterable[MatchRow]) -> list[Noted]:
    """Return the half of the decided matches with the smallest margins; none if all are equal."""
    found = []
    for match in matches:
        winner = _winner(match)
        if winner is not None:
            others = [Decimal(seat.score) for seat in match.seats if seat is not winner]
            found.append((Decimal(winner.score) - max(others), match))
    if len({margin for margin, _ in found}) < 2:
        return []
    found.sort(key=lambda close: (close[0], close[1].id))
    return [(match, f"by {score(margin)}") for margin, match in found[: len(found) // 2]]


def _winner(match: MatchRow) -> SeatRow | None:
    return next((seat for seat in match.seats if is_win(seat, match.seats)), None)

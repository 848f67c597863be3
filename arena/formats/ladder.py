"""The ladder: matches are spent where the ranking is unclear.

It goes in stages. In the first few everybody has an encounter, so that there are ratings. After
each the players are rated, and each two neighbours of the ranking have another encounter if it is
not yet likely enough that the better one is the stronger one; the event ends when it is for all of
them, or when the matches are used up. Each encounter of the same two players is on a board of its
own: a match that is played again tells nothing about deterministic bots.

An encounter's key follows from who meets and how often they have met, so that bots can be added
later: the stages then run anew, and most of their matches are there already.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from arena import text
from arena.formats.encounters import Pair, Terms
from arena.formats.format import Results
from arena.formats.stages import Stage, StagedFormat
from arena.ratings.rating import Ratings, rate
from arena.ratings.text import ratings_text
from arena.schedule.meetings import first_meetings
from arena.schedule.pairing import Pairing

USUAL_MATCHES = 100
"""How many matches there are at most by default, for each player."""


@dataclass(frozen=True)
class Rung:
    """What is known when a stage of the ladder begins."""

    pairs: tuple[Pair, ...]
    """Who has an encounter in this stage."""
    met: Mapping[Pair, int]
    """How many encounters each two players have had before it."""
    ratings: Ratings | None = None
    """What the matches before it come to."""
    unclear: tuple[Pair, ...] = ()
    """Neighbours of the ranking of whom it is not clear yet which is the stronger one."""
    matches: int = 0
    """How many matches were before it."""


def _is_any(board: int) -> bool:
    """Whether there is a board where there is no end of them."""
    del board
    return True


class Ladder(StagedFormat[Rung]):
    """A ladder of these players."""

    def __init__(
        self,
        players: Sequence[str],
        *,
        certainty: float,
        matches: int | None,
        terms: Terms,
        has_board: Callable[[int], bool] = _is_any,
    ) -> None:
        """Want this certainty, at most so many matches; `has_board` knows which boards there are.

        It is a pure function, and boards after one that is not there are not there either.
        """
        super().__init__()
        self._players = tuple(players)
        self._certainty = certainty
        self._most = USUAL_MATCHES * len(players) if matches is None else matches
        self._terms = terms
        self._has_board = has_board

    def first(self) -> Stage[Rung]:
        """Return the encounters that come before any rating."""
        pairs = [
            (self._players[a], self._players[b]) for a, b in first_meetings(len(self._players))
        ]
        return self._stage(Rung(tuple(pairs), {}))

    def after(self, stages: Sequence[Stage[Rung]], results: Results) -> Stage[Rung]:
        """Return the encounters of those whose order is not clear after what has been played."""
        last = stages[-1]
        played = [results[match.key] for stage in stages for match in stage.matches]
        ratings = rate(seats for seats in played if seats)
        met = Counter(last.known.met)
        met.update(_sorted(pair) for pair in last.known.pairs)
        unclear = self._unclear(ratings)
        idle = self._idle(last, results) | self._exhausted(met)
        open_ = [(pair, likely) for pair, likely in unclear if _sorted(pair) not in idle]
        pairs = tuple(self._affordable(open_, len(played)))
        return self._stage(
            Rung(pairs, met, ratings, tuple(pair for pair, _ in unclear), len(played))
        )

    def total(self, results: Results) -> int:
        """Return how many matches there are at most; how many there were once it is over."""
        stages = self.stages(results)
        return self._most if stages[-1].matches else stages[-1].known.matches

    def text(self, results: Results) -> str:
        """Return the ratings after the last stage that is over, and what is unclear by then."""
        last = self.stages(results)[-1]
        known = last.known
        played = text.plural(known.matches, "match")
        wanted = f"{100 * self._certainty:g} %"
        if known.ratings is None:
            return f"ladder, wanted certainty {wanted}: nothing is rated yet"
        lines = [f"ladder, wanted certainty {wanted}: rated after {played} of {self._most} at most"]
        lines += [ratings_text(known.ratings), ""]
        if known.unclear:
            pairs = ", ".join(" - ".join(pair) for pair in known.unclear)
            lines.append(f"not clear yet: {pairs}")
            if not last.matches and self._exhausted(known.met) & set(map(_sorted, known.unclear)):
                lines.append("no opening is left that they have not played; more need more of them")
        else:
            lines.append("every order of neighbours is clear")
        return "\n".join(lines)

    def _stage(self, rung: Rung) -> Stage[Rung]:
        matches: list[Pairing] = []
        for pair in map(_sorted, rung.pairs):
            board = rung.met.get(pair, 0)
            turned = pair if board % 2 == 0 else pair[::-1]
            matches += self._terms.encounter(turned, board)
        return Stage(rung, tuple(matches))

    def _unclear(self, ratings: Ratings) -> list[tuple[Pair, float]]:
        """Return the neighbours whose order is unclear, with the likelihood that it is right."""
        unclear = []
        for one, other in pairwise(ratings.players):
            likelihood = one.superiority if one.group == other.group else None
            if likelihood is None or likelihood < self._certainty:
                unclear.append(((one.player, other.player), likelihood or 0.0))
        return unclear

    def _affordable(self, unclear: Sequence[tuple[Pair, float]], played: int) -> list[Pair]:
        """Return whose encounters the matches that are left allow, the least clear ones first."""
        encounters = (self._most - played) // self._terms.matches
        by_need = {pair for pair, _ in sorted(unclear, key=itemgetter(1))[:encounters]}
        return [pair for pair, _ in unclear if pair in by_need]

    def _exhausted(self, met: Mapping[Pair, int]) -> set[Pair]:
        """Return who have met on all boards there are: on one of them again they tell nothing."""
        return {pair for pair, times in met.items() if not self._has_board(times)}

    def _idle(self, stage: Stage[Rung], results: Results) -> set[Pair]:
        """Return who met in this stage to no avail: each match void, or both at fault in it."""
        told = {
            _sorted((match.players[0], match.players[1]))
            for match in stage.matches
            if any(seat.fault is None for seat in results[match.key])
        }
        return {_sorted(pair) for pair in stage.known.pairs} - told


def _sorted(pair: Pair) -> Pair:
    """Return the players in the order that the keys of their matches are counted by."""
    return min(pair), max(pair)

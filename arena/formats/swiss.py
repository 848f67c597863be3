"""The Swiss system: a fixed number of rounds between players of equal points.

Two players meet at most once, in an encounter of several matches with swapped seats. The winner of
an encounter gets one point, both get half a point for a draw, and a player without any points in
its matches gets none. With an odd number of players one has a bye, worth a point, at most once. A
player absent from all matches of an encounter is not paired again; its opponent gets the point.

Ranking: points; then Buchholz, the sum of the points of all opponents, an unplayed round counting
as an opponent with the player's own points; then the points of single matches; then the order of
the config, which is also the initial order of strength.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena import text
from arena.formats.dutch import PlayerRound, next_round
from arena.formats.encounters import EncounterResult, EncounterTerms, Pair, points_text, tally
from arena.formats.format import Results
from arena.formats.stages import Stage, StagedFormat
from arena.results.standings import Ranking
from arena.schedule.meetings import usual_rounds
from arena.schedule.pairing import Pairing

BYE = 2
"""Half points of a bye."""


@dataclass(frozen=True)
class Round:
    """One round: its pairs, its bye, and the history before it."""

    number: int
    """Number of earlier rounds."""
    pairs: tuple[Pair, ...]
    bye: str | None
    histories: dict[str, tuple[PlayerRound, ...]]
    """History of each player in the earlier rounds."""
    taken: dict[str, int]
    """Half points of each player in single matches of the earlier rounds."""
    is_stuck: bool = False
    """Whether it cannot be played, since all remaining players have met."""


@dataclass(frozen=True)
class Row:
    """A player's row in the standings."""

    rank: int
    player: str
    halves: int
    buchholz: int
    taken: int
    """Half points in single matches."""


class Swiss(StagedFormat[Round]):
    """A Swiss tournament of the given players, in order of assumed strength."""

    def __init__(self, players: Sequence[str], rounds: int | None, terms: EncounterTerms) -> None:
        super().__init__()
        self._players = tuple(players)
        self._numbers = {player: number for number, player in enumerate(players)}
        self._rounds = usual_rounds(len(players)) if rounds is None else rounds
        self._terms = terms

    def first(self) -> Stage[Round]:
        """Return the first round."""
        return self._paired(0, dict.fromkeys(self._players, ()), {})

    def after(self, stages: Sequence[Stage[Round]], results: Results) -> Stage[Round]:
        """Return the round after the completed ones."""
        stage = stages[-1]
        ended = stage.state
        histories, taken = dict(ended.histories), dict(ended.taken)
        paired: set[str] = set()
        for pair, entries, halves in self._entries(stage, results):
            for player, entry, half in zip(pair, entries, halves, strict=True):
                histories[player] += (entry,)
                taken[player] = taken.get(player, 0) + half
            paired.update(pair)
        for player in self._players:
            if player not in paired:
                histories[player] += (PlayerRound(BYE if player == ended.bye else 0),)
        return self._paired(ended.number + 1, histories, taken)

    def total(self, results: Results) -> int:
        """Return the number of matches, assuming no further absences."""
        stages = self.stages(results)
        last = stages[-1]
        begun = sum(len(stage.matches) for stage in stages)
        if not last.matches:
            return begun
        left = self._rounds - last.state.number - 1
        players = len(self._players) - len(self._absent(last.state.histories))
        return begun + left * (players // 2) * self._terms.matches

    def standings(self, results: Results) -> list[Row]:
        """Return the standings after the last completed round."""
        ended = self.stages(results)[-1].state
        points = {
            player: sum(entry.halves for entry in history)
            for player, history in ended.histories.items()
        }
        rows = []
        for player, history in ended.histories.items():
            buchholz = sum(
                points[self._players[entry.opponent]]
                if entry.opponent is not None and entry.is_played
                else points[player]
                for entry in history
            )
            rows.append((points[player], buchholz, ended.taken.get(player, 0), player))
        rows.sort(key=lambda row: (-row[0], -row[1], -row[2], self._numbers[row[3]]))
        ranks: dict[tuple[int, ...], int] = {}
        return [
            Row(ranks.setdefault(row[:3], rank), row[3], *row[:3])
            for rank, row in enumerate(rows, start=1)
        ]

    def ranking(self, results: Results) -> Ranking:
        """Return the places after the last completed round."""
        places = tuple((row.rank, row.player) for row in self.standings(results))
        return Ranking("points of rounds, then Buchholz, then points of matches", places)

    def text(self, results: Results) -> str:
        """Return the standings with each player's opponents, and the next bye."""
        last = self.stages(results)[-1].state
        rows = self.standings(results)
        ranks = {row.player: str(place) for place, row in enumerate(rows, start=1)}
        header = ["#", "bot", "points", "Buchholz", "matches"]
        header += [f"r{number}" for number in range(1, last.number + 1)]
        cells = [
            [
                str(row.rank),
                row.player,
                points_text(row.halves),
                points_text(row.buchholz),
                points_text(row.taken),
                *(self._entry_text(entry, ranks) for entry in last.histories[row.player]),
            ]
            for row in rows
        ]
        lines = [
            f"swiss, {text.plural(last.number, 'round')} of {self._rounds} played",
            text.table(header, cells, left=2),
        ]
        if last.is_stuck:
            lines.append("all remaining players have met: the event ends here")
        elif last.bye is not None:
            lines.append(f"{last.bye} has the bye of round {last.number + 1}")
        return "\n".join(lines)

    def _paired(
        self, number: int, histories: dict[str, tuple[PlayerRound, ...]], taken: dict[str, int]
    ) -> Stage[Round]:
        if number == self._rounds:
            return Stage(Round(number, (), None, histories, taken), ())
        found = next_round(
            [histories[player] for player in self._players],
            rounds=self._rounds,
            absent=[self._numbers[player] for player in self._absent(histories)],
            by_seat=not self._terms.is_even,
        )
        if not found or found[0][1] is None:
            return Stage(Round(number, (), None, histories, taken, is_stuck=True), ())
        pairs = []
        bye = None
        for one, other in found:
            if other is None:
                bye = self._players[one]
            else:
                pairs.append((self._players[one], self._players[other]))
        matches = [pairing for pair in pairs for pairing in self._terms.encounter(pair)]
        return Stage(Round(number, tuple(pairs), bye, histories, taken), tuple(matches))

    def _entries(
        self, stage: Stage[Round], results: Results
    ) -> Iterator[tuple[Pair, tuple[PlayerRound, PlayerRound], tuple[int, int]]]:
        """Yield each pair with its results of the round and its half points in matches."""
        for place, pair in enumerate(stage.state.pairs):
            size = self._terms.matches
            matches: Sequence[Pairing] = stage.matches[place * size : (place + 1) * size]
            result = tally(pair, matches, results, self._terms)
            if result is None:
                raise RuntimeError("a round that is not over cannot be counted")
            one, other = (self._numbers[player] for player in pair)
            halves = _encounter_points(result)
            is_played = not any(result.no_shows)
            entries = (
                PlayerRound(halves[0], other, is_first=True, is_played=is_played),
                PlayerRound(halves[1], one, is_first=False, is_played=is_played),
            )
            yield pair, entries, result.halves

    def _absent(self, histories: dict[str, tuple[PlayerRound, ...]]) -> list[str]:
        """Return the players that are no longer paired after an absence."""
        return [
            player
            for player, history in histories.items()
            if any(
                entry.opponent is not None and not entry.is_played and not entry.halves
                for entry in history
            )
        ]

    def _entry_text(self, entry: PlayerRound, ranks: dict[str, str]) -> str:
        if entry.opponent is None:
            return "bye" if entry.halves else "-"
        forfeit = "" if entry.is_played else "f"
        return f"{ranks[self._players[entry.opponent]]}{'-=+'[entry.halves]}{forfeit}"


def _encounter_points(result: EncounterResult) -> tuple[int, int]:
    """Return the half points of an encounter: 2-0, 1-1 or 0-2, and 0-0 if neither got points."""
    one, other = result.halves
    if one == other:
        return (1, 1) if one else (0, 0)
    return (2, 0) if one > other else (0, 2)

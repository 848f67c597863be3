"""How far a host can be trusted: what it adds to a call, and whose replies it may make late."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from arena import text
from arena.reading.quantities import parse_duration
from arena.results.store import MatchRow
from protocol.vocabulary import Termination

SLOW_NS = 1_000_000
"""From here on a call that asks nothing takes long: an idle host needs a tenth of it."""
UNEVEN = 8
"""How many times the best of a bot's null round trips their median may be."""
FEW = 10
"""Fewer matches of a bot say nothing about how even its round trips are."""
ENOUGH = 20
"""Matches that say something about how many of them are lost on time."""
MANY_LOST = 0.1
"""The part of them from which on several bots that lose on time are no accident."""
TIGHT = 0.5
"""The part of a limit that a call which asks nothing may take."""


class HostNoise:
    """Finished matches, added up."""

    def __init__(self, matches: Iterable[MatchRow]) -> None:
        self._near: Counter[str] = Counter()
        self._nulls: defaultdict[str, list[int]] = defaultdict(list)
        self._late: Counter[str] = Counter()
        self._matches = 0
        for match in matches:
            self._matches += 1
            for seat in match.seats:
                self._late[seat.player] += seat.fault == Termination.TIMEOUT
                self._near[seat.player] += seat.near_limit
                if seat.null_ns is not None:
                    self._nulls[seat.player].append(seat.null_ns)

    def near_limit_text(self) -> str:
        """Say how many replies used more than 90 % of their limit, late ones too; "" if none."""
        counts = [f"{player} {count}" for player, count in self._near.most_common() if count]
        return f"replies within 10 % of their limit: {', '.join(counts)}" if counts else ""

    def warnings(self, time: Mapping[str, Any]) -> list[str]:
        """Return all that makes the results doubtful; `time` is the event's time control."""
        found = (self.overload(), self.time_losses(), self.tight_limit(time))
        return [warning for warning in found if warning]

    def time_losses(self) -> str:
        """Say that several bots lose on time here, and how often; "" if they do not."""
        late = +self._late
        count = late.total()
        if self._matches < ENOUGH or count <= MANY_LOST * self._matches or len(late) < 2:
            return ""
        who = ", ".join(f"{player} {times}" for player, times in late.most_common())
        return (
            f"time losses on this host: {count} in {self._matches} matches"
            f" ({count / self._matches:.0%}), by several bots: {who}; if they are fast enough"
            " elsewhere, fewer slots or more grace may help"
        )

    def tight_limit(self, time: Mapping[str, Any]) -> str:
        """Say that a limit by the wall is hardly above what the host itself takes; "" if not."""
        if time.get("clock") != "wall" or not self._nulls:
            return ""
        limit_ns = parse_duration(time["per_move"])
        slow = {player: median(nulls) for player, nulls in self._nulls.items()}
        who = [
            f"{player} {text.seconds(round(null_ns))}"
            for player, null_ns in slow.items()
            if null_ns > TIGHT * limit_ns
        ]
        if not who:
            return ""
        return (
            f"per_move is {time['per_move']} by the wall clock, and a call that asks nothing takes"
            f" much of that here: {', '.join(who)} in the median"
        )

    def overload(self) -> str:
        """Say that the host seems overloaded and by what; "" if it does not."""
        if not self._nulls:
            return ""
        usual_ns = median(null for nulls in self._nulls.values() for null in nulls)
        times = [
            median(nulls) / max(1, min(nulls))
            for nulls in self._nulls.values()
            if len(nulls) >= FEW
        ]
        found = []
        if usual_ns > SLOW_NS:
            found.append(f"a call that asks nothing took {text.seconds(round(usual_ns))}")
        if times and median(times) > UNEVEN:
            found.append(f"such a call took {median(times):.0f} times as long as at best")
        if not found:
            return ""
        return (
            f"the host seems overloaded: {' and '.join(found)}, in the median; wall times are not"
            " to be trusted, CPU times are (clock: cpu); fewer slots may help"
        )

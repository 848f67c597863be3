"""How far a host can be trusted: what it adds to a call, and whose replies it may make late."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import median

from arena import text
from arena.results.store import MatchRow

SLOW_NS = 1_000_000
"""From here on a call that asks nothing takes long: an idle host needs a tenth of it."""
UNEVEN = 8
"""How many times the best of a bot's null round trips their median may be."""
FEW = 10
"""Fewer matches of a bot say nothing about how even its round trips are."""


class HostNoise:
    """Finished matches, added up."""

    def __init__(self, matches: Iterable[MatchRow]) -> None:
        self._near: Counter[str] = Counter()
        self._nulls: defaultdict[str, list[int]] = defaultdict(list)
        for match in matches:
            for seat in match.seats:
                self._near[seat.player] += seat.near_limit
                if seat.null_ns is not None:
                    self._nulls[seat.player].append(seat.null_ns)

    def near_limit_text(self) -> str:
        """Say how many replies used more than 90 % of their limit, late ones too; "" if none."""
        counts = [f"{player} {count}" for player, count in self._near.most_common() if count]
        return f"replies within 10 % of their limit: {', '.join(counts)}" if counts else ""

    def warning(self) -> str:
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

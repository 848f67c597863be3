"""Reliability of a host: the time added to a call, and the replies made late."""

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import chain
from statistics import median
from typing import Any

from arena import text
from arena.reading.quantities import parse_duration
from arena.results.standings import Table
from arena.text import plural

SLOW_NS = 1_000_000
"""Threshold in ns of a slow null call: ten times the duration on an idle host."""
UNEVEN = 8
"""Maximum ratio of the median of a bot's null calls to their minimum."""
FEW = 10
"""Minimum number of matches of a bot for judging the spread of its null calls."""
ENOUGH = 20
"""Minimum number of matches for judging timeouts."""
MANY_LOST = 0.1
"""Fraction of matches lost on time by several bots above which the host is suspected."""
TIGHT = 0.5
"""Maximum fraction of a limit that a null call may take."""


class HostNoise:
    """Timings and timeouts of finished matches."""

    def __init__(self, table: Table, *, remote: Collection[str] = ()) -> None:
        """Take the matches added to `table`; `remote` are the players on machines of their own."""
        rows = table.rows.values()
        self._remote = frozenset(remote)
        self._near = Counter({row.player: row.near_limit for row in rows})
        self._late = Counter({row.player: row.timeouts for row in rows})
        self._nulls = {row.player: row.nulls_ns for row in rows if row.nulls_ns}
        self._matches = table.matches

    def near_limit_text(self) -> str:
        """Return the count of replies above 90 % of their limit, late ones included; "" if none."""
        counts = [f"{player} {count}" for player, count in self._near.most_common() if count]
        return f"replies within 10 % of their limit: {', '.join(counts)}" if counts else ""

    def warnings(self, time: Mapping[str, Any]) -> list[str]:
        """Return the doubts about the results; `time` is the event's time control."""
        found = (self.overload(), self.time_losses(), self.tight_limit(time))
        return [warning for warning in found if warning]

    def time_losses(self) -> str:
        """Return a warning about timeouts of several bots, with counts; "" if not needed."""
        late = Counter({who: n for who, n in self._late.items() if n and who not in self._remote})
        count = late.total()
        if self._matches < ENOUGH or count <= MANY_LOST * self._matches or len(late) < 2:
            return ""
        who = ", ".join(f"{player} {times}" for player, times in late.most_common())
        return (
            f"timeouts on this host: {count} in {plural(self._matches, 'match')}"
            f" ({count / self._matches:.0%}), by several bots: {who}; if they are fast enough"
            " on other hosts, try fewer slots or more grace"
        )

    def tight_limit(self, time: Mapping[str, Any]) -> str:
        """Return a warning about a wall-clock limit close to the null calls; "" if not needed."""
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
            f"per_move is {time['per_move']} by the wall clock, and a null call takes much"
            f" of that on this host: {', '.join(who)} in the median"
        )

    def overload(self) -> str:
        """Return a warning about a seemingly overloaded host; "" if not needed."""
        here = [nulls for player, nulls in self._nulls.items() if player not in self._remote]
        if not here:
            return ""
        usual_ns = median(chain.from_iterable(here))
        times = [median(nulls) / max(1, min(nulls)) for nulls in here if len(nulls) >= FEW]
        found = []
        if usual_ns > SLOW_NS:
            found.append(f"a null call took {text.seconds(round(usual_ns))}")
        if times and median(times) > UNEVEN:
            found.append(f"null calls took {median(times):.0f} times their minimum")
        if not found:
            return ""
        return (
            f"the host seems overloaded: {' and '.join(found)}, in the median; wall-clock times"
            " are unreliable, CPU times are reliable (clock: cpu); try fewer slots"
        )

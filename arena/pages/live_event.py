"""Events in play as pages show them: a match on each place, and its end before the next begins.

`arena/pages/directors.py` reads what the directors and the database say of them.
"""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from arena.pages.live_match import LiveMatch, StoredMatch
from referee.records.calls import Call

HOLD_S = 1.5
"""Time in seconds for which an ended match keeps its place."""
LEAST_HOLD_S = 0.25
"""The same time while many ended matches wait for a place."""
WAITING, MOST_WAITING = 4, 16
"""Limits of ended matches that wait, for each place and of all: each is shown within a second.

Where more end than can be looked at, the newest are shown.
"""


@dataclass(frozen=True)
class Search:
    """What is to be read in the database."""

    after: int
    """Number of the last match known to have ended."""
    most: int
    """Limit of later matches."""
    keys: frozenset[str]
    """Shown matches that have ended."""
    numbers: tuple[int, ...]
    """Ended matches to be shown."""


@dataclass(frozen=True)
class Found:
    """The answer to a search."""

    ended: tuple[tuple[int, str], ...] = ()
    """Number and key of the later matches, of the newest ones if there are too many."""
    matches: Mapping[str, StoredMatch] = field(default_factory=dict)
    """The wanted matches by key; void and damaged ones are missing."""


class LiveEvent:
    """An event in play.

    Normal use, ten times a second, besides `take` for each line of the director:

        search = event.search(now_s)
        event.arrange(read(search), now_s)
    """

    def __init__(self, *, is_public: bool = False, after: int = 0) -> None:
        """`is_public`: no board of a match with hidden information, for a bot's author may look.

        Matches that were finished before, those up to number `after`, are not shown.
        """
        self._is_public = is_public
        self.places: list[LiveMatch] = []
        """The match of each place on the page, until the next one is shown there."""
        self.held: list[bool] = []
        """Whether each of them has ended just now and is still to be looked at."""
        self.running: dict[str, LiveMatch] = {}
        """The running matches by key, on a place or not; the others on a place have ended."""
        self.coming: list[list[str]] = []
        """Players of the next matches."""
        self.left = 0
        """Number of unfinished matches."""
        self.total = 0
        """Number of all matches."""
        self.is_over = False
        """Whether its director has ended."""
        self.has_news = True
        """Whether a match may have ended since the last search."""
        self.version = 0
        """Number of changes so far."""
        self._last = after
        self._unseen: deque[tuple[int, str]] = deque()
        """Number and key of ended matches that were on no place."""
        self._ready: deque[LiveMatch] = deque()
        """Those of them that have been read."""
        self._asked: list[tuple[int, str]] = []
        """Those of them in the last search."""
        self._is_searching = False
        """Whether its answer has not come yet."""

    @property
    def is_settled(self) -> bool:
        """Whether it is over and every end has been shown."""
        is_read = not (self._is_searching or self.has_news)
        return self.is_over and is_read and not self._waiting

    def take(self, line: bytes) -> None:
        """Take one line of the director."""
        said = json.loads(line)
        self.version += 1
        if "running" in said:
            self._take_state(said)
        elif (match := self._match(said["key"])) is not None and match.result is None:
            if match.run not in (None, said["run"]):
                match = self._replace(match, match.again())
            match.run = said["run"]
            match.add(said["first"], _CALLS.validate_python(said["calls"]))

    def end(self) -> None:
        """Note that the director has ended: no match is running any more."""
        self.is_over = self.has_news = True
        self.running, self.coming = {}, []
        self.version += 1

    def search(self, now_s: float) -> Search | None:
        """Return what is to be read; None if nothing is."""
        due = min(len(self._free(now_s)) - len(self._ready), len(self._unseen))
        self._asked = [self._unseen.popleft() for _ in range(due)]
        numbers = tuple(number for number, _ in self._asked)
        if not (self.has_news or numbers):
            return None
        self.has_news, self._is_searching = False, True
        ended = (match for match in self.places if match.key not in self.running)
        keys = frozenset(match.key for match in ended if match.result is None)
        return Search(self._last, self._most_waiting, keys, numbers)

    def search_again(self) -> None:
        """Note that the last search could not be made, as in a locked database."""
        self.has_news = True
        self._unseen.extendleft(reversed(self._asked))

    def arrange(self, found: Found | None, now_s: float) -> None:
        """Complete the ended matches, and give free places to the next ones."""
        before = self._shown()
        self._is_searching = False
        if found is not None:
            self._finish(found)
        for match in self.places:
            if match.key in self.running:
                match.ended_s = None
            elif match.ended_s is None:
                match.ended_s = now_s
        self._place(now_s)
        self.held = [
            match.ended_s is not None and now_s < match.ended_s + HOLD_S for match in self.places
        ]
        self.version += before != self._shown()

    @property
    def _waiting(self) -> int:
        return len(self._unseen) + len(self._ready)

    @property
    def _most_waiting(self) -> int:
        return min(WAITING * max(1, len(self.places)), MOST_WAITING)

    def _shown(self) -> object:
        results = [match.result for match in self.places]
        return list(self.places), results, self.held

    def _match(self, key: str) -> LiveMatch | None:
        shown = (match for match in self.places if match.key == key)
        return self.running.get(key) or next(shown, None)

    def _replace(self, match: LiveMatch, other: LiveMatch) -> LiveMatch:
        """Show another attempt at a match."""
        self.places = [other if each is match else each for each in self.places]
        if match.key in self.running:
            self.running[match.key] = other
        return other

    def _take_state(self, state: dict[str, Any]) -> None:
        self.coming, self.left, self.total = state["next"], state["left"], state["total"]
        before = self.running
        known = {match.key: match for match in self.places if match.result is None} | before
        self.running = {
            job["key"]: known.get(job["key"])
            or LiveMatch.of_director(job, is_public=self._is_public)
            for job in state["running"]
        }
        self.has_news = True

    def _finish(self, found: Found) -> None:
        """Complete the shown matches, and have the others wait for a place."""
        others = dict(found.matches)
        for match in list(self.places):
            if (stored := others.pop(match.key, None)) is None:
                continue
            if match.is_part_of(stored.record):
                match.finish(stored)
                match.ended_s = None
            else:
                self._replace(match, LiveMatch.of_record(stored, is_public=self._is_public))
        shown = {match.key for match in self.places}
        self._last = max([self._last, *(number for number, _ in found.ended)])
        self._unseen.extend(each for each in found.ended if each[1] not in shown)
        while len(self._unseen) > self._most_waiting:
            self._unseen.popleft()
        for stored in others.values():
            self._ready.append(LiveMatch.of_record(stored, is_public=self._is_public))

    def _place(self, now_s: float) -> None:
        """Give places to running matches that have waited long, to ended ones, and to the others.

        Otherwise an event with many short matches would never show a long one.
        """
        shown = {match.key for match in self.places}
        running = [match for key, match in self.running.items() if key not in shown]
        while running and len(self.places) < len(self.running):
            self.places.append(running.pop(0))
        for match in running:
            match.waits_since_s = now_s if match.waits_since_s is None else match.waits_since_s
        late = [each for each in running if now_s >= (each.waits_since_s or now_s) + HOLD_S]
        waiting = [*late, *self._ready, *(match for match in running if match not in late)]
        for place, match in zip(self._free(now_s), waiting, strict=False):
            self.places[place] = match
        keys = {match.key for match in self.places}
        self._unseen = deque(each for each in self._unseen if each[1] not in keys)
        self._ready = deque(match for match in self._ready if match.key not in keys)

    def _free(self, now_s: float) -> list[int]:
        """Return the places whose match has been shown as ended for long enough."""
        waiting = self._waiting / max(1, len(self.places))
        hold_s = max(LEAST_HOLD_S, HOLD_S / (1 + 2 * waiting))
        return [
            place
            for place, match in enumerate(self.places)
            if match.ended_s is not None and now_s >= match.ended_s + hold_s
        ]


_CALLS = TypeAdapter(list[Call])

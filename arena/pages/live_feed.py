"""The news of the events in play for the pages: each step of a match is sent once."""

from collections.abc import Mapping
from typing import Any

from arena.pages.live_event import LiveEvent
from arena.pages.live_match import LiveMatch


class EventFeed:
    """The news of one event with its boards."""

    def __init__(self, events: Mapping[int, LiveEvent], number: int) -> None:
        """`events` are those in play, by number."""
        self._events = events
        self._number = number
        self._known: tuple[LiveEvent, int] | None = None
        """What was sent last, and its version."""
        self._sent: dict[LiveMatch, tuple[int, bool]] = {}
        """Number of sent steps by match, and whether its result was sent."""

    def news(self) -> dict[str, Any] | None:
        """Return the event by its number, with the news of its matches; None without a change."""
        event = self._events.get(self._number)
        known = None if event is None else (event, event.version)
        if known == self._known:
            return None
        self._known = known
        return self.everything() if event is None else {str(self._number): self._news_of(event)}

    def everything(self) -> dict[str, Any]:
        """Return what a new page needs."""
        return EventFeed(self._events, self._number).news() or {}

    def _news_of(self, event: LiveEvent) -> dict[str, Any]:
        here = set(event.places)
        self._sent = {match: sent for match, sent in self._sent.items() if match in here}
        return {
            "places": [self._match(match) for match in event.places],
            "running": [match.key in event.running for match in event.places],
            "held": event.held,
            "next": event.coming,
            **_progress(event),
        }

    def _match(self, match: LiveMatch) -> dict[str, Any]:
        sent, has_result = self._sent.get(match, (None, False))
        self._sent[match] = match.steps, match.result is not None
        news: dict[str, Any] = {"key": match.key, "steps": match.steps}
        if sent is None:
            news |= match.head()
        if match.scene is not None and sent != match.steps:
            news |= {"first": sent or 0, "scene": match.scene.to_json(sent or 0)}
            news["turn"] = match.scene.turn
        if match.result is not None and not has_result:
            news["result"] = match.result
        return news


class ListFeed:
    """The events in play without their boards."""

    def __init__(self, events: Mapping[int, LiveEvent]) -> None:
        """`events` are those in play, by number."""
        self._events = events
        self._sent: dict[str, Any] = {}

    def news(self) -> dict[str, Any] | None:
        """Return all events by number; None without a change."""
        news = self.everything()
        if news == self._sent:
            return None
        self._sent = news
        return news

    def everything(self) -> dict[str, Any]:
        """Return what a new page needs."""
        nothing: dict[str, Any] = {"places": [], "running": [], "held": [], "next": []}
        return {
            str(number): {**nothing, **_progress(event)} for number, event in self._events.items()
        }


def _progress(event: LiveEvent) -> dict[str, Any]:
    return {"left": event.left, "total": event.total, "over": event.is_over}

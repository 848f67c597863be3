"""Challenges: two matches between chosen versions, never rated, in a lane of the director."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from arena.config.event import Config
from arena.errors import UsageError
from arena.league.hand_ins.reception import BusyError
from arena.league.persons.people import audit
from arena.league.seasons.season import unrated_name
from arena.league.site.models import Bot, Challenge, Person, Version
from arena.results.store import MatchRow, Store

MOST_OPEN = 3
"""Limit of the challenges of a person that are not over."""
PER_DAY = 40
"""Limit of the challenges of a person in a day."""
LATEST = 30
"""Number of the latest challenges on a page."""


@dataclass(frozen=True)
class Challenged:
    """A challenge with its matches, as one of its bots sees it."""

    challenge: Challenge
    own: Version
    rival: Version
    matches: Sequence[MatchRow]

    @property
    def state(self) -> str:
        """What became of it."""
        if self.challenge.ended is None:
            return "waiting" if self.challenge.unit is None else "being played"
        return "over" if self.matches else "could not be played"

    @property
    def results(self) -> list[tuple[int, str]]:
        """The number of each match, and its result for the own version."""
        return [(match.id, _result(match, self.own.player)) for match in self.matches]


def opponents_of(bot: Bot) -> list[Version]:
    """Return the versions that a bot may challenge: the active ones, and all of its own."""
    present = Version.objects.filter(bot__active__isnull=False).select_related("bot")
    return [
        version
        for version in present.order_by("bot__name", "-number")
        if version.bot_id == bot.pk or version.bot.active_id == version.pk
    ]


def new_challenge(person: Person, own: Version, rival: Version) -> Challenge:
    """Ask for a challenge of a version; raises UsageError."""
    if own.pk == rival.pk:
        raise UsageError("choose two different versions")
    if rival not in opponents_of(own.bot):
        raise UsageError(f"{rival.player} does not play now; choose a version that does")
    if away := next((each.bot for each in (own, rival) if each.bot.away), None):
        raise UsageError(f"{away.name} is away: {away.away}")
    with transaction.atomic():
        mine = person.challenges
        if mine.filter(ended=None).count() >= MOST_OPEN:
            raise BusyError(f"{MOST_OPEN} of your challenges are open; wait for the end of one")
        day = timezone.now() - timedelta(days=1)
        if mine.filter(created__gt=day).count() >= PER_DAY:
            raise BusyError(f"a person has at most {PER_DAY} challenges a day")
        challenge: Challenge = Challenge.objects.create(person=person, one=own, other=rival)
        audit(person, "challenged", f"{own.player} against {rival.player}")
    return challenge


def challenges_of(bot: Bot, store: Store | None, config: Config) -> list[Challenged]:
    """Return the latest challenges of a bot, those of its rivals too, the newest first."""
    rows = (
        Challenge.objects.select_related("person", "one__bot", "other__bot")
        .filter(Q(one__bot=bot) | Q(other__bot=bot))
        .order_by("-pk")[:LATEST]
    )
    found = list(rows)
    units = {challenge.unit for challenge in found if challenge.unit is not None}
    matches = {} if store is None else _matches(store, config, units)
    return [_seen(challenge, bot, matches) for challenge in found]


def _seen(challenge: Challenge, bot: Bot, matches: dict[int, list[MatchRow]]) -> Challenged:
    own, rival = challenge.one, challenge.other
    if own.bot_id != bot.pk:
        own, rival = rival, own
    names = {own.player, rival.player}
    played = [
        match
        for match in matches.get(challenge.unit, ())
        if {seat.player for seat in match.seats} == names
    ]
    return Challenged(challenge, own, rival, played)


def _matches(store: Store, config: Config, units: Collection[int]) -> dict[int, list[MatchRow]]:
    """Return the unrated matches of these units."""
    event = store.latest_event(unrated_name(config))
    if event is None or not units:
        return {}
    marks = ", ".join("?" * len(units))
    query = f"SELECT id FROM match WHERE event = ? AND aside = 0 AND board IN ({marks})"  # noqa: S608 - marks only
    found = defaultdict(list)
    for (number,) in list(store.database.rows(query, (event.id, *units))):
        if (match := store.match(number)) is not None:
            found[match.board].append(match)
    return found


def _result(match: MatchRow, player: str) -> str:
    own = next(seat for seat in match.seats if seat.player == player)
    best = min(seat.place for seat in match.seats if seat.player != player)
    result = "drew" if own.place == best else "won" if own.place < best else "lost"
    return f"{result}, {own.fault}" if own.is_at_fault else result

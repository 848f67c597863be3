"""Updates of a begun event: changed and removed bots, changed limits, a changed schedule.

A finished match still counts if the changed event has the same match: the same versions of its bots
under the same rules, with the same seed and opening. Only limits may differ. All other matches are
set aside: they stay in the database under names like `emma@1` and are played again under the same
seed where the schedule still has them. A match set aside counts again when all changes are undone.

A raised limit ends the withdrawal of a player for its faults: its matches lost by a fault are set
aside, since they would withdraw the player again at once. A longer `absence` sets the matches aside
that remote bots have forfeited by being out of reach.

In a Swiss tournament and a knockout, pairings follow from results, so a match still counts only if
the earlier counting results lead to the same pairing; a removed bot is withdrawn, so that the
results of its opponents stay. A ladder keeps every match between unchanged bots.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from arena.config.event import Config, Entrant, Event
from arena.config.model import own_time_text
from arena.config.same_event import has_raised_limits, is_limit, kit_change, term_changes
from arena.event.plan import Plan
from arena.reading.choices import FORMATS_BY_RESULTS
from arena.results.heads import MatchHead, match_heads
from arena.results.revision import Revision
from arena.results.store import ATTEMPTS, EventRow, Store
from arena.schedule.pairing import Pairing, ScheduleError
from arena.text import plural
from referee.job import Job, Player, essence
from referee.records.result import SeatRow

REMOVED = "its removal"
"""Reason of the withdrawal of a bot removed from a Swiss tournament or a knockout."""
FAILED_BUILD = "a failed build"
"""Reason of the withdrawal of a bot that cannot be built."""
IN_ROUNDS = FORMATS_BY_RESULTS - {"ladder"}
"""Formats with pairings that make no sense without earlier results."""
MAX_NAMED = 5
_FROM_NOW_ON = ", for the matches still to be played"

MakePlan = Callable[[Config, Mapping[str, Player], int], Plan]


@dataclass
class Update:
    """The change from a begun event to a config, and its effect on finished matches."""

    begun: EventRow
    config: Config
    players: Mapping[str, Player]
    """The players of the changed event; a bot that is not available has no command."""
    plan: Plan
    played: Sequence[MatchHead]
    """The finished matches: first the counting ones, then those set aside, the newest first."""
    job_of: Callable[[int], Job]
    """Return the job of a finished match, by its number."""
    withdrawals: Mapping[str, str]
    """Withdrawn players before the update, with the reasons."""
    undecided: frozenset[str]
    """Keys of the undecided matches."""
    suspicions: Mapping[str, int]
    """Number of void attempts at each match of which a bot was suspected, by key."""
    removed: frozenset[str]
    """Bots removed from a Swiss tournament or a knockout, now or earlier."""
    counting: dict[str, MatchHead] = field(init=False)
    """The matches still counted, by key."""

    def __post_init__(self) -> None:
        before, after = self.begun.entrants, self.players
        self.changed = [
            name for name in after if name in before and before[name] != after[name].content
        ]
        removed_now = {name for name in self.removed if self.withdrawals.get(name) != REMOVED}
        self.gone = [name for name in before if name not in after or name in removed_now]
        returning = returning_bots(self.withdrawals, after)
        self.back = [name for name in returning if name not in self.changed]
        self.relieved = self._relieved()
        self.awaited = self._awaited()
        self.touched = {*self.changed, *self.gone, *self.back, *self.relieved, *self.awaited}
        self.counting = self._counting()

    def set_aside(self) -> list[MatchHead]:
        """Return the matches no longer counted."""
        kept = {match.id for match in self.counting.values()}
        return [match for match in self.played if match.is_counting and match.id not in kept]

    def revision(self) -> Revision:
        """Return the update for the database."""
        stay = {
            name: reason
            for name, reason in self.withdrawals.items()
            if name in self.players and name not in self.touched
        }
        return Revision(
            seed=self.plan.seed,
            config={**self.config.form(), "seed": self.plan.seed},
            entrants={name: player.content for name, player in self.players.items()},
            lines=tuple(self.lines()),
            counting=[match.id for match in self.counting.values()],
            names=self._names(),
            void_keys=[key for key in self.undecided if self._is_of(key, self.touched)],
            withdrawals={**stay, **dict.fromkeys(sorted(self.removed), REMOVED)},
        )

    def lines(self) -> Iterator[str]:
        """Yield what has changed, each with its effect, and the sum of all effects."""
        aside = self.set_aside()
        old = Event.read(self.begun.config)
        for name in self.changed:
            by = kit_change(old, self.config, name)
            yield f"{name} has changed{by}: {_of_player(aside, name)} set aside"
        for name in self.gone:
            if name in self.removed:
                yield (
                    f"{name} is gone: withdrawn; its finished matches still count, since later"
                    " pairings follow from them, and it forfeits the others"
                )
            else:
                yield f"{name} is gone: {_of_player(aside, name)} set aside"
        yield from (f"{name} is back" for name in self.back)
        for name in self.relieved:
            lost = sum(_has_fault(match, [name]) for match in aside)
            yield (
                f"{name}, withdrawn after {self.withdrawals[name]}, plays again under the raised"
                f" limits: {plural(lost, 'match')} lost by a fault set aside"
            )
        for name in self.awaited:
            lost = sum(_is_forfeited(match, [name]) for match in aside)
            yield (
                f"{name} is waited for again, under a longer absence: {plural(lost, 'match')}"
                " forfeited unplayed set aside"
            )
        yield from (f"{name} is new" for name in self.players if name not in self.begun.entrants)
        yield from self._term_lines()
        yield self._sum(aside)

    def _term_lines(self) -> Iterator[str]:
        old = Event.read(self.begun.config)
        order = [name for name in self.players if name in self.begun.entrants]
        if order != [name for name in self.begun.entrants if name in self.players]:
            yield "the bots are in another order"
        before = {str(bot.name): bot for bot in old.bots}
        for bot in self.config.bots:
            was = before.get(bot.name, bot)
            if was.scratch != bot.scratch:
                yield f"bots.{bot.name}.scratch: {was.scratch} -> {bot.scratch}{_FROM_NOW_ON}"
            times = [own_time_text(each.time) if each.time else "" for each in (was, bot)]
            if len(set(times)) > 1:
                yield f"bots.{bot.name}.time: {' -> '.join(each or 'absent' for each in times)}"
        for key, line in term_changes(old, self.config).items():
            yield f"{line}{_FROM_NOW_ON}" if is_limit(key) else line

    def _sum(self, aside: Sequence[MatchHead]) -> str:
        finished = sum(match.is_counting for match in self.played)
        results = {key: match.seats for key, match in self.counting.items()}
        total = self.plan.format.total(results)
        most = "" if self.plan.format.is_fixed else "at most "
        parts = [f"{len(aside)} of {plural(finished, 'finished match')} set aside"]
        if aside:
            parts[0] += f" (kept, shown as {self._aliases(aside)})" if self._aliases(aside) else ""
        if restored := sum(not match.is_counting for match in self.counting.values()):
            parts.append(f"{plural(restored, 'earlier match')} that count again")
        parts.append(f"{most}{plural(max(0, total - len(self.counting)), 'match')} to play")
        return ", ".join(parts)

    def _aliases(self, aside: Sequence[MatchHead]) -> str:
        names = self._names()
        aliases = sorted({name for match in aside for name in names[match.id] if "@" in name})
        more = f" and {len(aliases) - MAX_NAMED} more" if len(aliases) > MAX_NAMED else ""
        return f"{', '.join(aliases[:MAX_NAMED])}{more}"

    def _relieved(self) -> list[str]:
        """Return the players withdrawn for faults under a limit that has been raised."""
        if not has_raised_limits(Event.read(self.begun.config), self.config):
            return []
        others = {REMOVED, FAILED_BUILD}
        return [
            name
            for name, reason in self.withdrawals.items()
            if reason not in others and name in self.players and name not in self.changed
        ]

    def _awaited(self) -> list[str]:
        """Return the players with matches forfeited by an absence whose limit has been raised."""
        if self.config.absence <= Event.read(self.begun.config).absence:
            return []
        lost = {
            seat.player
            for match in self.played
            if match.is_counting
            for seat in match.seats
            if seat.is_unplayed
        }
        others = {*self.withdrawals, *self.changed}
        return [name for name in self.players if name in lost and name not in others]

    def _is_of(self, key: str, players: Iterable[str]) -> bool:
        return not set(key.partition("/")[0].split(",")).isdisjoint(players)

    # -- which matches still count ----------------------------------------------------------

    def _counting(self) -> dict[str, MatchHead]:
        format_ = self.plan.format
        if format_.is_fixed:
            return self._same({pairing.key for pairing in format_.known({})})
        possible = self._same()
        if self.config.format not in IN_ROUNDS:
            return possible
        results: dict[str, Sequence[SeatRow]] = {}
        void = {key for key in self.undecided if not self._is_of(key, self.touched)}
        while True:
            known = [pairing.key for pairing in format_.known(results)]
            found = {
                key for key in known if key not in results and (key in possible or key in void)
            }
            if not found:
                return {key: possible[key] for key in results if key in possible}
            results |= {key: possible[key].seats if key in possible else () for key in found}

    def _same(self, keys: Collection[str] | None = None) -> dict[str, MatchHead]:
        """Return the matches also in the changed event, by key; only those of `keys`."""
        same: dict[str, MatchHead] = {}
        for match in self.played:
            key = match.key
            if (keys is None or key in keys) and key not in same and self._is_same(match):
                same[key] = match
        return same

    def _is_same(self, match: MatchHead) -> bool:
        is_known = match.variant in self.plan.variants
        if not is_known or any(name not in self.plan.players for name in match.names):
            return False
        if _is_forfeited(match, [*self.back, *self.awaited]):
            return False
        if _has_fault(match, self.relieved):
            return False
        pairing, suspicions = _pairing(match), self.suspicions.get(match.key, 0)
        try:
            jobs = [self.plan.job_of(pairing, (), count) for count in range(suspicions + 1)]
        except (ScheduleError, LookupError):
            return False  # its opening is gone
        is_same = match.essence in map(essence, jobs)
        return is_same and not self._is_outdated(match, jobs[0])

    def _is_outdated(self, match: MatchHead, now: Job) -> bool:
        """Whether a match set aside was forfeited, or lost by a fault under other limits."""
        if match.is_counting or not any(seat.fault for seat in match.seats):
            return False
        if any(seat.is_unplayed for seat in match.seats):
            return True
        job = self.job_of(match.id)
        limits = replace(job.limits, output_bytes=now.limits.output_bytes)  # of no effect on faults
        return (job.time, limits) != (now.time, now.limits)

    # -- names -------------------------------------------------------------------------------------

    def _names(self) -> dict[int, tuple[str, ...]]:
        """Return the players of every match, versions numbered in the order of first matches."""
        current = {name: player.content for name, player in self.players.items()}
        versions: dict[str, list[str]] = defaultdict(list)
        for match in sorted(self.played, key=lambda match: match.id):
            for name, content in zip(match.names, match.contents, strict=True):
                if content not in versions[name]:
                    versions[name].append(content)

        @cache  # matches of the same players share their names
        def named(names: tuple[str, ...], contents: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(
                name
                if content == current.get(name)
                else f"{name}@{versions[name].index(content) + 1}"
                for name, content in zip(names, contents, strict=True)
            )

        return {match.id: named(match.names, match.contents) for match in self.played}


def update_of(
    store: Store, begun: EventRow, config: Config, players: Mapping[str, Player], make: MakePlan
) -> Update:
    """Return the update of a begun event to the config with these available players."""
    seed = begun.seed if config.seed is None else config.seed
    withdrawals = store.withdrawals(begun.id)
    removed = _removed(begun, config)
    config = with_removed(config, begun, removed)
    everybody = roster(config, players, begun)
    heads = list(match_heads(store.database, begun.id))
    counting = [match for match in heads if match.is_counting]
    aside = [match for match in reversed(heads) if not match.is_counting]
    return Update(
        begun=begun,
        config=config,
        players=everybody,
        plan=make(config, everybody, seed),
        played=[*counting, *aside],
        job_of=lambda match: store.record(match).job,
        withdrawals=withdrawals,
        undecided=undecided(store, begun.id),
        suspicions=Counter(void.key for void in store.voids(begun.id) if void.suspect),
        removed=frozenset(removed),
    )


def undecided(store: Store, event: int) -> frozenset[str]:
    """Return the keys of the unfinished matches that were void too often."""
    finished = store.keys(event)
    voids = store.voids(event)
    return frozenset(
        void.key for void in voids if void.attempt >= ATTEMPTS and void.key not in finished
    )


def with_removed(config: Config, begun: EventRow, removed: Iterable[str]) -> Config:
    """Return the config with the removed bots of a begun event at their former places."""
    names = list(removed)
    if not names:
        return config
    old = Event.read(begun.config)
    former = {str(bot.name): bot for bot in old.bots}
    here = {entrant.name: entrant for entrant in config.bots}
    absent = {
        name: Entrant.model_construct(**{**dict(former[name]), "manifest": None}) for name in names
    }
    bots = {name: {**here, **absent}[name] for name in former if name in here or name in absent}
    seeding = config.seeding
    if seeding and seeding == tuple(name for name in old.seeding or () if name not in names):
        seeding = old.seeding
    return config.model_copy(update={"bots": tuple({**bots, **here}.values()), "seeding": seeding})


def roster(config: Config, players: Mapping[str, Player], begun: EventRow) -> dict[str, Player]:
    """Return the players of the config, those of the begun event without a bot included."""
    everybody = {}
    for entrant in config.bots:
        if entrant.name in players:
            everybody[entrant.name] = players[entrant.name]
        elif entrant.name in begun.entrants:
            everybody[entrant.name] = absent_player(entrant.name, begun.entrants[entrant.name])
    return everybody


def removed_bots(store: Store, event: EventRow) -> list[str]:
    """Return the bots withdrawn since they were removed from the config."""
    withdrawn = store.withdrawals(event.id)
    return [name for name in event.entrants if withdrawn.get(name) == REMOVED]


def returning_bots(withdrawals: Mapping[str, str], players: Mapping[str, Player]) -> list[str]:
    """Return the withdrawn players whose bots were removed or broken, and now are available."""
    return [
        name
        for name, reason in withdrawals.items()
        if reason in (REMOVED, FAILED_BUILD) and name in players and players[name].argv
    ]


def absent_player(name: str, content: str) -> Player:
    """Return a placeholder for a player without a process."""
    return Player(name=name, argv=(), folder="", content=content)


def _removed(begun: EventRow, config: Config) -> list[str]:
    """Return the bots to be withdrawn, since others were paired by their results."""
    here = {entrant.name for entrant in config.bots}
    is_same_field = config.format in IN_ROUNDS and begun.config.get("format") == config.format
    if not is_same_field or not here <= set(begun.entrants):
        return []
    return [name for name in begun.entrants if name not in here]


def _of_player(matches: Sequence[MatchHead], name: str) -> str:
    return plural(sum(name in match.names for match in matches), "match")


def _pairing(match: MatchHead) -> Pairing:
    repeat = int(match.key.rpartition("/")[2])
    return Pairing(match.names, match.board, match.variant, repeat)


def _is_forfeited(match: MatchHead, players: Collection[str]) -> bool:
    """Whether one of the players was withdrawn before the match."""
    return any(seat.player in players and seat.is_unplayed for seat in match.seats)


def _has_fault(match: MatchHead, players: Collection[str]) -> bool:
    """Whether one of the players had a fault in the match, or forfeited it."""
    return any(seat.player in players and seat.fault is not None for seat in match.seats)

"""The season: an event of arena.db that never ends, and the matches that it is made of."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest
from arena.bots.prepare import PreparedBot, prepare
from arena.config.event import Config, Event
from arena.config.same_event import is_limit, term_changes
from arena.errors import ConfigError, UsageError
from arena.event.plan import Plan, make_plan
from arena.event.resume.players import build_terms
from arena.machine.tier_choice import placed
from arena.results.heads import names_in
from arena.results.store import EventRow, Store
from arena.schedule.openings import DrawnOpenings, ListedOpenings
from arena.schedule.pairing import Pairing
from referee.job import Absence, Job, Player
from referee.seeds import SEED_BITS, derive_seed

PAIR = 2
"""Matches of a unit: the same board twice, with the seats changed."""


_UNRATED = "/unrated"


@dataclass(frozen=True)
class Season:
    """A season's config and its matches."""

    config: Config
    seed: int
    plan: Plan

    def terms(self) -> BuildTerms:
        """Return the terms of builds and sandboxes."""
        return build_terms(self.config)

    def prepared(self, manifest: Manifest, cache: Path) -> PreparedBot:
        """Build a bot unless it is ready; raises BotError, MachineError."""
        return prepare(manifest, cache, self.terms())

    def player(self, bot: PreparedBot, name: str, args: Sequence[str] = ()) -> Player:
        """Return a bot as a player in its sandbox; raises IsolationError."""
        player, _ = placed(bot.player(name, args), self.config.isolation)
        return replace(player, installations=self.config.installations)

    def pair(self, one: str, other: str, unit: int) -> tuple[Pairing, Pairing]:
        """Return the two matches of a unit."""
        labels = tuple(self.plan.variants)
        variant = labels[unit % len(labels)]
        first = Pairing((one, other), unit, variant, 0)
        return first, first._replace(players=(other, one))

    def pairing_of(self, key: str) -> Pairing:
        """Return the pairing of a key that `pair` has made."""
        _, board, *variant, repeat = key.split("/")
        return Pairing(names_in(key), int(board[1:]), "/".join(variant), int(repeat))

    def job(
        self,
        pairing: Pairing,
        players: Mapping[str, Player],
        absences: Sequence[Absence] = (),
        suspicions: int = 0,
    ) -> Job:
        """Return the match of a pairing, as `Plan.job_of` does, with an opening of its own."""
        openings = self._openings(pairing.board)
        at = pairing._replace(board=0 if isinstance(openings, DrawnOpenings) else pairing.board)
        again = (suspicions,) if suspicions else ()
        options: dict[str, Any] = dict(self.plan.variants[pairing.variant])
        seated = tuple(players[name] for name in pairing.players)
        time = self.plan.job.time
        if any(player.is_remote for player in seated):
            time = replace(time, clock="wall")  # nothing else can be measured of them
        return replace(
            self.plan.job,
            time=time,
            key=pairing.key,
            options={**options, **(openings.options(at) if openings else {})},
            players=seated,
            seed=derive_seed(self.seed, "match", pairing.key, *again),
            board_seed=derive_seed(self.seed, "board", pairing.board),
            history=openings.of(at) if openings else (),
            absences=tuple(absences),
        )

    def _openings(self, unit: int) -> DrawnOpenings | ListedOpenings | None:
        """Return the openings of a unit: those of all units together would fill the memory."""
        config = self.config
        if config.openings is None:
            return None
        variants = dict(config.game.variants())
        if config.opening_lines:
            return ListedOpenings(variants, config.opening_lines)
        seed = derive_seed(self.seed, "opening", unit)
        return DrawnOpenings(variants, config.openings.random_plies or 0, seed)


def season_of(config: Config, seed: int) -> Season:
    """Return the season of a config; raises ConfigError for one that a league cannot play."""
    _require_playable(config)
    names = tuple(bot.name for bot in config.bots)
    blank = {name: Player(name=name, argv=(), folder="", content="") for name in names}
    return Season(config, seed, make_plan(config, blank, seed))


def _require_playable(config: Config) -> None:
    wrong = [
        what
        for what, is_there in (
            ("remote bots", any(bot.remote for bot in config.bots)),
            ("a runner", config.runner is not None),
            ("a cluster", config.cluster is not None),
            ("balanced openings", config.balancer is not None),
            ("other seats than 2", 2 not in config.seats),
            ("a time of single bots", any(bot.time for bot in config.bots)),
            ("own: true, since strangers hand in", config.own),
        )
        if is_there
    ]
    if wrong:
        raise UsageError(f"{config.source.name}: a league cannot have {' and '.join(wrong)}")
    if len(config.bots) < PAIR:
        detail = "a league needs two house bots to play before anybody hands in"
        raise ConfigError([config.source.problem(detail, ("bots",))])


def begun_season(store: Store, config: Config, entrants: Mapping[str, str]) -> EventRow:
    """Return the event of a season, which is begun if it is new."""
    event = store.latest_event(config.name)
    if event is None:
        seed = secrets.randbits(SEED_BITS) if config.seed is None else config.seed
        form = {**config.form(), "seed": seed}
        store.add_event(unrated_name(config), seed, form, {})  # first: the season is the newest
        number = store.add_event(config.name, seed, form, entrants)
        event = store.event(number)
    if event is None:
        raise UsageError(f"{store.path}: the season {config.name} is gone")
    changes = term_changes(Event.read(event.config), config)
    if lines := [line for key, line in changes.items() if not is_limit(key) and key != "seed"]:
        text = "\n".join(f"  {line}" for line in lines)
        raise UsageError(
            f"{config.source.name}: the season {config.name} was begun differently:\n{text}\n"
            "restore this, or give the season another name, which begins a new one"
        )
    return event


def unrated_name(config: Config) -> str:
    """Return the name of the event of a season's unrated matches, which no config can have.

    Challenges and tests of parked versions are kept as any other match, beside the season and not
    in it, so that no rating, grade or count of the season ever has them.
    """
    return f"{config.name}{_UNRATED}"


def is_unrated_name(name: str) -> bool:
    """Whether this is the name of the event of some season's unrated matches."""
    return name.endswith(_UNRATED)


def unrated_event(store: Store, config: Config, season: EventRow) -> int:
    """Return the number of the event of unrated matches, which is begun if it is missing."""
    found = store.latest_event(unrated_name(config))
    if found is not None:
        return found.id
    return store.add_event(unrated_name(config), season.seed, season.config, {})


@dataclass(frozen=True)
class Lanes:
    """The cores of matches, and those of builds and checks."""

    matches: tuple[tuple[int, ...], ...]
    checks: tuple[int, ...]


def lanes_of(season: Season) -> Lanes:
    """Return the cores of each lane; with one slot only, both lanes share its cores."""
    slots = season.plan.cores
    return Lanes(slots[:-1] or slots, slots[-1])

"""Openings balanced by a bot: the more even of two random candidates for each board.

The bot plays each candidate once against itself. A draw is most even; otherwise the longer match
is, as a large advantage wins early. A candidate with a fault of the bot or a void match is chosen
last. So every board gets an opening, determined by the seed and the bot alone.

These matches form a separate event in the same database, named by a hash of everything they depend
on. They count for no player and can be shown like all other matches. They are not played again when
an event resumes or another event needs the same ones.
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, TypeAlias

from arena.bots.prepare import prepare
from arena.config.event import Config, Entrant
from arena.config.same_event import lasting
from arena.errors import BotError, ConfigError, MachineError
from arena.event.plan import Machines, make_plan, starting
from arena.event.play.playing import play_event
from arena.event.resume.held_event import held_event
from arena.event.resume.players import build_terms
from arena.event.watch.progress import Announcer
from arena.formats.event_results import table_of
from arena.formats.format import Format
from arena.machine.tier_choice import isolated
from arena.reading.names import MAX_BOT_NAME
from arena.results.standings import is_draw
from arena.results.store import MatchRow, Store
from arena.schedule.pairing import Pairing, Schedule
from referee.job import Player
from referee.seeds import SEED_BITS

if TYPE_CHECKING:
    from arena.schedule.openings import DrawnOpenings

CANDIDATES = 2
"""Number of random openings per board."""
PREFIX = "openings-"
"""Prefix of the names of these events."""
DIGITS = 10

Start: TypeAlias = tuple[int, str, int]
"""Board, variant and number of seats; each combination has one opening."""


def with_balancer(config: Config) -> tuple[Config, Player | None]:
    """Return the config with the balancer's hash, and the balancer or None; raises ConfigError."""
    if config.balancer is None:
        return config, None
    try:
        bot = prepare(config.balancer, terms=build_terms(config))
    except BotError as error:
        problem = config.source.problem(str(error), ("openings", "balanced_by"))
        raise ConfigError([problem]) from None
    version = f"{config.balancer.name} {bot.content}"
    return config.model_copy(update={"balancer_version": version}), bot.player(bot.name)


def drawn_seed(store: Store, config: Config, bot: Player) -> int:
    """Return a new seed, or that of an event interrupted while its openings were chosen."""
    events = store.events()
    used = {event.seed for event in events if not event.name.startswith(PREFIX)}
    for event in reversed(events):
        if event.name.startswith(PREFIX) and event.seed not in used:
            begun = _event(config.model_copy(update={"seed": event.seed}), bot, len(event.entrants))
            if event.name == begun.name:
                return event.seed
    return secrets.randbits(SEED_BITS)


def chosen_openings(
    store: Store,
    config: Config,
    bot: Player,
    players: Mapping[str, Player],
    *,
    format_: Format | None,
    announcer: Announcer,
    machines: Machines | None,
) -> "DrawnOpenings":
    """Choose the openings while no event is held; raises KeyboardInterrupt or MachineError."""
    from arena.schedule.openings import DrawnOpenings  # slow import

    openings, seed = config.openings, config.seed
    assert openings is not None  # noqa: S101 - a balancing bot requires openings
    assert seed is not None  # noqa: S101 - set by the caller
    variants = dict(config.game.variants())
    drawn = DrawnOpenings(variants, openings.random_plies or 0, seed, count=CANDIDATES)
    pairings = make_plan(config, players, seed, format_=format_).pairings
    starts = sorted({_start(pairing) for pairing in starting(config, pairings)})
    event = _event(config, bot, max(seats for _, _, seats in starts))
    names = [entrant.name for entrant in event.bots]
    schedule = Schedule(
        tuple(
            Pairing(tuple(names[:seats]), board, variant, number)
            for board, variant, seats in starts
            for number in range(CANDIDATES)
        )
    )
    named = {name: replace(bot, name=name) for name in names}
    played = _play(store, event, named, schedule, drawn, announcer=announcer, machines=machines)
    chosen = {start: most_even(played.get(start, {})) for start in starts}
    return drawn.of_candidates(lambda pairing: chosen[_start(pairing)])


def _event(config: Config, bot: Player, seats: int) -> Config:
    """Return the config of the event of candidate matches."""
    assert config.balancer is not None  # noqa: S101 - as above
    name = bot.name[: MAX_BOT_NAME - 2]
    entrants = tuple(
        Entrant(name=f"{name}-{seat}", bot=bot.name, manifest=config.balancer)
        for seat in range(1, seats + 1)
    )
    event = config.model_copy(
        update={
            "bots": entrants,
            "format": "round_robin",
            "boards": 1,
            "repeat": None,
            "matches": None,
            "gate": None,
            "bonus": {},
            "withdraw_after": 0,
        }
    )
    parts = dumps([lasting(event), bot.content, CANDIDATES], sort_keys=True)
    digest = sha256(parts.encode()).hexdigest()[:DIGITS]
    return event.model_copy(update={"name": f"{PREFIX}{digest}"})


def _play(
    store: Store,
    config: Config,
    players: Mapping[str, Player],
    schedule: Schedule,
    drawn: "DrawnOpenings",
    *,
    announcer: Announcer,
    machines: Machines | None,
) -> dict[Start, dict[int, MatchRow]]:
    """Play the missing matches, and return all matches by start and candidate number."""
    openings = drawn.of_candidates(lambda pairing: pairing.repeat)
    place = isolated if machines is None else machines.admit
    placed, _ = place(config, players, store.path)
    with held_event(store, config, placed, is_new=False) as event:
        plan = make_plan(
            config, placed, event.seed, format_=schedule, openings=openings, machines=machines
        )
        if {pairing.key for pairing in schedule.pairings} - store.keys(event.id):
            announcer.say("choosing openings: a bot plays each board's candidates against itself")
            table = table_of(store, event)
            ending = play_event(store, event, plan, table, announcer, has_preflight=True)
            if ending.is_halted:
                raise MachineError("halted: two different matches in a row were void")
            if ending.is_interrupted and ending.missing:
                raise KeyboardInterrupt
        found: dict[Start, dict[int, MatchRow]] = {}
        for match in store.matches(event.id):
            number = int(match.key.rpartition("/")[2])
            start = (match.board, match.variant, len(match.seats))
            found.setdefault(start, {})[number] = match
        return found


def _start(pairing: Pairing) -> Start:
    return pairing.board, pairing.variant, len(pairing.players)


def most_even(matches: Mapping[int, MatchRow]) -> int:
    """Return the number of the most even candidate; the first one wins ties."""
    return max(range(CANDIDATES), key=lambda number: (_evenness(matches.get(number)), -number))


def _evenness(match: MatchRow | None) -> tuple[int, int]:
    if match is None or any(seat.fault for seat in match.seats):
        return -1, 0
    return int(is_draw(match.seats[0], match.seats)), match.plies

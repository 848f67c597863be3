"""The plan of an event, made from its config: schedule, players and slots."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from arena.bots.outside import OutsideFiles
from arena.bots.restoring import PreparedFolders
from arena.config.event import Config
from arena.config.formats import COMPARING
from arena.errors import EventError
from arena.event.slots.contract import Slots
from arena.event.slots.local_slots import LocalSlots
from arena.formats.choosing import format_of
from arena.formats.format import Format
from arena.machine.open_files import require_open_files
from arena.machine.room import slots_with_room
from arena.reading.choices import Pinning
from arena.schedule.pairing import Pairing
from arena.text import plural
from referee.job import SECOND_NS, Absence, Adjudication, Job, Player, ScoreRule
from referee.options import game_options
from referee.seeds import derive_seed
from referee.tablebases import TablebaseError

if TYPE_CHECKING:
    from arena.schedule.openings import Openings


class Machines(Protocol):
    """Machines that play the matches of an event in place of this one."""

    @property
    def slots(self) -> int:
        """Number of matches they play at a time."""

    def admit(
        self, config: Config, players: Mapping[str, Player], db: Path
    ) -> tuple[dict[str, Player], str]:
        """Return the players of an event as they play there, and a text about the machines."""

    def open(self) -> Slots:
        """Return slots on these machines."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything needed to play an event: players, matches in order, and slots."""

    name: str
    seed: int
    players: Mapping[str, Player]
    format: Format
    """The matches of the event, as a function of its results."""
    job: Job
    """Common values of all matches; `job_of` sets those of one match."""
    variants: Mapping[str, Mapping[str, Any]]
    """Game options by variant label."""
    cores: tuple[tuple[int, ...], ...]
    """CPU cores of each slot of this machine; empty if other machines play."""
    withdraw_after: int
    """Number of consecutive faults before a player is withdrawn; 0 disables withdrawal."""
    absence_ns: int = 600 * SECOND_NS
    """Time in ns for which the matches of a remote player that is out of reach wait, in all."""
    openings: "Openings | None" = None
    """Moves of each match played before the bots begin."""
    machines: Machines | None = None
    """The machines that play the matches; None is this one."""
    crowding: str = ""
    """A notice that this machine has too little for the limits of all its bots; empty otherwise."""
    is_comparing: bool = False
    """Whether the matches answer one question about a bot: a gate or a tuning."""
    outside: OutsideFiles = field(default_factory=OutsideFiles)
    """Files of bots that nobody may change while the event is played."""
    cast: Callable[[Pairing], Mapping[str, Player]] | None = None
    """The players of a match by name, where they depend on it; None is `players`."""
    folders: PreparedFolders = field(default_factory=PreparedFolders)
    """Prepared folders of bots, made again if they are removed while the event is played."""

    @property
    def slots(self) -> int:
        """Number of matches played at a time."""
        return len(self.cores) if self.machines is None else self.machines.slots

    def open_slots(self, missing: int) -> Slots:
        """Start the slots for this number of missing matches; raises MachineError."""
        if self.machines is not None:
            return self.machines.open()
        require_open_files(max((len(pairing.players) for pairing in self.pairings), default=2))
        return LocalSlots(self.cores[:missing])

    @property
    def pairings(self) -> Sequence[Pairing]:
        """The matches known before the first is played, in order of play."""
        return self.format.known({})

    def job_of(
        self, pairing: Pairing, absences: Sequence[Absence] = (), suspicions: int = 0
    ) -> Job:
        """Return the match of a pairing.

        After each suspicion that a bot has made it void, the match has other draws: the bot may
        have seen the old ones and cut its line for better ones.
        """
        again = (suspicions,) if suspicions else ()
        opening = self.openings
        players = self.players if self.cast is None else self.cast(pairing)
        return Job(
            **{
                **vars(self.job),
                "key": pairing.key,
                "options": {
                    **self.variants[pairing.variant],
                    **(opening.options(pairing) if opening else {}),
                },
                "players": tuple(players[name] for name in pairing.players),
                "seed": derive_seed(self.seed, "match", pairing.key, *again),
                "board_seed": _board_seed(self.seed, pairing.board),
                "history": opening.of(pairing) if opening else (),
                "absences": tuple(absences),
            }
        )


@lru_cache(maxsize=256)  # the matches of a board follow each other
def _board_seed(seed: int, board: int) -> int:
    return derive_seed(seed, "board", board)


def make_plan(
    config: Config,
    players: Mapping[str, Player],
    seed: int,
    *,
    format_: Format | None = None,
    openings: "Openings | None" = None,
    machines: Machines | None = None,
) -> Plan:
    """Return the plan of an event; `players` are the available ones of the config.

    `format_` and `openings` default to those of the config, `machines` to this machine.
    """
    plan = Plan(
        name=config.name,
        seed=seed,
        players=players,
        format=format_ or format_of(config, tuple(players), seed),
        openings=openings or make_openings(config, seed),
        job=Job(
            key="",
            game=config.game.name,
            players=(),
            seed=0,
            board_seed=0,
            claims=config.claims,
            max_plies=config.max_plies,
            adjudicate=_adjudication(config, machines),
            tablebases=(config.adjudicate and config.adjudicate.tablebases) or "",
            time=config.time.control(),
            limits=config.limits.limits(),
            score=config.score.rule() if config.score else ScoreRule(),
            restart=config.bot_restart,
            transport=config.transport,
            runner=config.built_runner,
        ),
        variants={label: game_options(game) for label, game in config.game.variants()},
        cores=() if machines else _own_cores(config),
        machines=machines,
        withdraw_after=config.withdraw_after,
        absence_ns=config.absence,
        is_comparing=config.format in COMPARING,
    )
    if plan.openings is not None:
        plan.openings.check(starting(config, plan.pairings))
    if machines:
        return plan
    plan = _with_room(plan, is_chosen=config.slots != "auto")
    notices = [_sharing(config), plan.crowding]
    return replace(plan, crowding="\n".join(filter(None, notices)))


def _adjudication(config: Config, machines: Machines | None) -> Adjudication | None:
    """Return the rules of adjudication; raises EventError for tablebases that are not there."""
    if config.adjudicate is None:
        return None
    if config.adjudicate.tablebases and machines:
        raise EventError("adjudicate.tablebases are read on this machine: workers have none")
    try:
        return config.adjudicate.rules()
    except TablebaseError as error:
        raise EventError(f"adjudicate.tablebases: {error}") from None


def _own_cores(config: Config) -> tuple[tuple[int, ...], ...]:
    """Return the cores of each slot of this machine; more slots than it has cores share them."""
    if isinstance(config.slots, int) and _sharing(config):
        return ((),) * config.slots
    return slot_cores(config.slots, config.cores, config.pin)


def _sharing(config: Config) -> str:
    """Return a warning about slots that share the cores of this machine, or an empty text.

    A bot that thinks during calls of others needs its own core, so these slots are refused.
    """
    here = len(os.sched_getaffinity(0))
    if config.slots == "auto" or config.slots * config.cores <= here or config.time.ponder:
        return ""
    wall = ", and limits of wall time count the waits" if config.time.clock == "wall" else ""
    share = "shares" if config.slots == 1 else "share"
    return (
        f"warning: {plural(config.slots, 'slot')} of {plural(config.cores, 'core')} {share} the"
        f" {plural(here, 'core')} of this machine: bots wait for each other{wall}"
    )


def _with_room(plan: Plan, *, is_chosen: bool) -> Plan:
    """Return the plan with as many slots as this machine has memory and processes for."""
    seats = max((len(pairing.players) for pairing in plan.pairings), default=1)
    most, crowding = slots_with_room(len(plan.cores), seats, plan.job.limits, is_chosen=is_chosen)
    return replace(plan, cores=plan.cores[:most], crowding=crowding)


def starting(config: Config, known: Sequence[Pairing]) -> Iterator[Pairing]:
    """Yield matches of all boards and variants known to be needed or possible before the event.

    These are the matches known at first, in a knockout the tie-break boards, and in a tuning the
    last board. The boards of a ladder depend on its results.
    """
    yield from known
    if config.tune is not None:
        for pairing in {pairing.variant: pairing for pairing in known}.values():
            yield pairing._replace(board=config.tune.boards - 1)
    if config.format == "knockout":
        for pairing in {pairing.variant: pairing for pairing in known}.values():
            for board in range(config.boards, config.boards + config.tie_breaks):
                yield pairing._replace(board=board)


def make_openings(config: Config, seed: int) -> "Openings | None":
    """Return the openings of a config without balancing by a bot."""
    if config.openings is None:
        return None
    from arena.schedule.openings import DrawnOpenings, ListedOpenings  # slow import

    variants = dict(config.game.variants())
    if config.opening_lines:
        return ListedOpenings(variants, config.opening_lines)
    return DrawnOpenings(variants, config.openings.random_plies or 0, seed)


def slot_cores(
    slots: int | Literal["auto"], cores: int, pin: Pinning
) -> tuple[tuple[int, ...], ...]:
    """Return the cores of each slot, none shared by two; empty tuples without pinning."""
    mine = sorted(os.sched_getaffinity(0))
    fitting = len(mine) // cores
    wanted = max(1, fitting) if slots == "auto" else slots
    if wanted > fitting:
        raise EventError(
            f"{plural(wanted, 'slot')} of {plural(cores, 'core')} need {wanted * cores} cores, and"
            f" this machine has {len(mine)}; set slots and cores so that their product is"
            f" {len(mine)} at most"
        )
    if pin == "none":
        return ((),) * wanted
    return tuple(tuple(mine[slot * cores : (slot + 1) * cores]) for slot in range(wanted))

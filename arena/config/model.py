"""The models of a config file; editors show the docstrings of the keys, through the JSON Schema."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from arena.books.formats import CUT_FORMATS, format_of
from arena.config.adjudicate import AdjudicateSection
from arena.config.cluster import ClusterAddress
from arena.config.game import ChosenGame
from arena.config.gate import GateSection
from arena.config.tune import TuneSection
from arena.reading.checking import Section
from arena.reading.choices import Isolation, NetworkAccess, OnBroken, Pinning, Restarting, Scratch
from arena.reading.fields import (
    Anchor,
    Argument,
    Bonus,
    BotName,
    Certainty,
    Coefficient,
    Duration,
    EventName,
    Floor,
    LongDuration,
    Memory,
    Output,
    PathText,
    PlayerName,
    RunnerOutput,
    Seats,
    Slots,
)
from arena.reading.quantities import MB
from arena.schedule.seating import SeatOrders
from protocol.vocabulary import ClockKind
from referee.job import SECOND_NS, ClaimPolicy, ScoreRule, TimeControl, Transport
from referee.sandbox import Limits
from referee.seeds import MAX_SEED

MAX_BOTS: Final = 1000
MAX_BOARDS: Final = 500_000

FormatName: TypeAlias = Literal[
    "round_robin", "gauntlet", "swiss", "knockout", "ladder", "solo", "gate", "tune"
]

T = TypeVar("T", TimeControl, Limits)

OMITTED_IF_UNSET: Final = ("increment", "bank_moves")
"""Keys added after the first format. They are stored only if set, so that hashes of older events
stay valid."""
_TIME: Final = TimeControl()
_LIMITS: Final = Limits()


def _with_units(cls: type[T], unit: str, section: Iterable[tuple[str, Any]]) -> T:
    """Return a section as the referee's type: the same names, with a unit suffix if needed."""
    names = {field.name for field in fields(cls)}
    return cls(**{key if key in names else f"{key}_{unit}": value for key, value in section})


def _entry(value: object) -> object:
    return {"bot": value} if isinstance(value, str) else value


class OwnTimeSection(Section):
    """Limits of the time of one player, where they differ from those of the event: time odds."""

    per_move: Duration | None = None
    """Limit of each move. Default: that of the event, or the own bank where that is the bank."""
    bank: Duration | None = None
    """Limit of all moves of a match together. Default: that of the event."""
    increment: Duration | None = None
    """Time added to the bank after each move. Default: that of the event."""
    bank_moves: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Number of moves until the bank is added again. Default: that of the event."""

    @property
    def given(self) -> dict[str, int]:
        """The limits that differ, by key."""
        return {key: value for key, value in self if value is not None}


def own_time_text(own: OwnTimeSection) -> str:
    """Return the limits of one player in a line, like `bank 5s, increment 50ms`."""
    form = own.model_dump(mode="json", exclude_none=True)
    return ", ".join(f"{key} {value}" for key, value in form.items())


class BotSection(Section):
    """A player of the event: a bot with its name and arguments, or a remote bot."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["bot"]}, {"required": ["remote"]}]}
    )

    name: BotName | None = None
    """Name in the event. Default: the bot's own name, or the entrant's."""
    bot: Annotated[str, Field(max_length=4096)] = ""
    """A shipped bot, or the path of a folder with a bot.yaml, of a bot.yaml, or of a program."""
    remote: BotName | None = None
    """Instead of bot: name of an entrant of `arena host`, whose bot runs on its owner's machine."""
    args: Annotated[tuple[Argument, ...], Field(max_length=64)] = ()
    """Arguments added to the bot's command."""
    share: Annotated[tuple[PathText, ...], Field(max_length=64)] = ()
    """Files and folders outside its own that `files` of its bot.yaml may name."""
    isolation: Isolation | None = None
    """Whether this bot is sandboxed. Default: `isolation` of the event."""
    scratch: Scratch = "none"
    """Whether the bot has a writable folder that lasts from match to match, for learning."""
    time: OwnTimeSection | None = None
    """Its own limits of time, where they differ from those of the event."""

    @model_validator(mode="after")
    def _has_one_place(self) -> Self:
        if (not self.bot) == (self.remote is None):
            raise ValueError("must have one of bot and remote")
        if self.remote is not None and (self.args or self.share or self.isolation):
            raise ValueError("has `remote`: its owner decides on args, share and isolation")
        if self.remote is not None and self.scratch != "none":
            raise ValueError("has `remote`: it has no scratch folder on this machine")
        return self


class TimeSection(Section):
    """Time limits of calls."""

    clock: ClockKind = _TIME.clock
    """Time that is charged: CPU time of the bot's processes, or wall-clock time."""
    start: Duration = _TIME.start_ns
    """Wall-clock time from the start of the program to its hello."""
    start_free: Duration = _TIME.start_free_ns
    """CPU time before the first init that is free; the rest is charged with init."""
    init: Duration = _TIME.init_ns
    """Limit of the init call."""
    per_move: Duration = _TIME.per_move_ns
    """Limit of each move. Default: 2s; with an increment or bank_moves, the bank."""
    bank: Duration | None = _TIME.bank_ns
    """Limit of all moves of a match together. Default: none."""
    increment: Duration | None = _TIME.increment_ns
    """Time added to the bank after each move. Default: none."""
    bank_moves: Annotated[int, Field(ge=1, le=1000)] | None = _TIME.bank_moves
    """Number of moves of a seat until the bank is added again. Default: never."""
    wall_bank: Duration | None = _TIME.wall_bank_ns
    """Wall time of all calls of a seat in a match, without waits for its core if the clock is cpu.
    Default: 1m + twice init, term, and the time of 1000 moves: 1000 times per_move, or bank with
    all additions."""
    display: Duration = _TIME.display_ns
    """Limit of each display call."""
    term: Duration = _TIME.term_ns
    """Limit of the term call."""
    grace: Duration = _TIME.grace_ns
    """Time by which all calls of a match together may exceed their limits, for noise of the
    machine; its use is recorded."""
    strikes: Annotated[int, Field(ge=0, le=1_000_000)] | None = _TIME.strikes
    """Calls of a match that may use grace; one more is late. Default: no limit but grace."""
    ponder: bool = _TIME.ponder
    """Whether a bot may think during calls of others; engines of UCI and USI with the option Ponder
    do. Needs a core for each seat: set cores."""
    scale: Literal["none", "speed"] = "none"
    """On workers: whether limits and penalties depend on the speed of the machine that plays."""

    @model_validator(mode="after")
    def _has_bank(self) -> Self:
        given = [key for key in OMITTED_IF_UNSET if getattr(self, key) is not None]
        if not given:
            return self
        if self.bank is None:
            raise ValueError(f"has {given[0]} without a bank; add one, like bank: 10s")
        if "per_move" in self.model_fields_set:
            return self
        return self.model_copy(update={"per_move": self.bank})

    @model_serializer(mode="wrap")
    def _form(self, form: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out absent keys of `OMITTED_IF_UNSET`: hashes of older events stay valid."""
        written: dict[str, Any] = form(self)
        return {
            key: value
            for key, value in written.items()
            if value is not None or key not in OMITTED_IF_UNSET
        }

    def control(self, own: OwnTimeSection | None = None) -> TimeControl:
        """Return the section as the referee's time control, with the limits of one player."""
        given = own.given if own else {}
        values = {key: value for key, value in self if key != "scale"} | given
        is_by_bank = self.per_move == self.bank or (
            not given.keys().isdisjoint(OMITTED_IF_UNSET) and self.per_move == _TIME.per_move_ns
        )
        if given and is_by_bank and "per_move" not in given:
            values["per_move"] = values["bank"]
        return _with_units(TimeControl, "ns", values.items())


class ScoreSection(Section):
    """Penalty for charged time on the points of a match."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["per_second"]}, {"required": ["percent_per_ms"]}]
        }
    )

    per_second: Coefficient | None = None
    """Points off for each second."""
    percent_per_ms: Coefficient | None = None
    """Per cent of the points off for each millisecond."""
    floor: Floor | None = None
    """Lowest score, except for a seat at fault."""

    @model_validator(mode="after")
    def _has_one_rate(self) -> Self:
        if (self.per_second is None) == (self.percent_per_ms is None):
            raise ValueError("must have one of per_second and percent_per_ms")
        return self

    def rule(self) -> ScoreRule:
        """Return the section as the referee's score rule."""
        return ScoreRule(**dict(self))


class LimitsSection(Section):
    """Limits of the resources of a bot."""

    memory: Memory = _LIMITS.memory_bytes or 512 * MB
    """Memory of each process, and of all together if the machine can. 1 KB is 1024 bytes."""
    processes: Annotated[int, Field(ge=1, le=4096)] = _LIMITS.processes
    """Processes of a bot; a thread counts as one."""
    files: Annotated[int, Field(ge=16, le=65536)] = _LIMITS.files
    """Open files of each process."""
    disk: Memory = _LIMITS.disk_bytes
    """Total size of files in the bot's own folder during a match."""
    scratch: Memory = _LIMITS.scratch_bytes
    """Total size of files in the lasting folder of a bot with scratch: keep."""
    output: Output = _LIMITS.output_bytes
    """Size of stdout and stderr to keep with a match: of their beginning, and of their end."""

    def limits(self) -> Limits:
        """Return the section as the referee's limits."""
        return _with_units(Limits, "bytes", self)


class OpeningsSection(Section):
    """Moves played before the bots begin, different ones on each board."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["random_plies"]}, {"required": ["file"]}]}
    )

    random_plies: Annotated[int, Field(ge=1, le=100)] | None = None
    """Number of random legal moves; none of them decides the game."""
    file: PathText | None = None
    """File of openings: moves in notation, one opening per line. Of chess also .pgn, .epd, .fen,
    .bin of Polyglot, and these compressed by gzip."""
    plies: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Number of plies after which each game of a .pgn file is cut, or drawn from a .bin file."""
    start: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Number of the opening of the file, or of those drawn from a book, that is the first one."""
    book: Literal["once", "again"] | None = None
    """Whether a file with too few openings is refused, or used again from its start. Default:
    again, unless all bots are engines that repeat their moves exactly."""
    balanced_by: PathText | None = None
    """Bot that plays each of two random openings against itself; the more even one is used."""

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.random_plies is None) == (self.file is None):
            raise ValueError("must have one of random_plies and file")
        for key in ("book", "start"):
            if getattr(self, key) is not None and self.file is None:
                raise ValueError(f"{key} is for openings of a file; remove it")
        if self.balanced_by is not None and self.random_plies is None:
            raise ValueError("balanced_by chooses among random_plies, not from a file")
        if self.plies is not None and format_of(self.file or "") not in CUT_FORMATS:
            raise ValueError("plies cuts the games of a .pgn or .bin file; remove it")
        return self


class RunnerSection(Section):
    """A program that plays the matches of `game: {name: foreign}`, instead of Arena's referee."""

    run: Annotated[tuple[Argument, ...], Field(min_length=1, max_length=64)]
    """The program, named like a bot: a folder with a bot.yaml, a bot.yaml, or a program; then its
    arguments. The seed of the match and the command of each bot are added."""
    time: Duration = 600 * SECOND_NS
    """Limit of the wall-clock time of a match."""
    output: RunnerOutput = 4 * 1024 * 1024
    """Limit of the size of the output of a match."""


class EventSection(Section):
    """An event of Arena: the game, the bots, the schedule and the terms."""

    name: EventName
    """Name of the event in the database and in reports."""
    game: ChosenGame
    """Name of the game, and its options."""
    bots: Annotated[
        tuple[Annotated[BotSection, BeforeValidator(_entry)], ...], Field(max_length=MAX_BOTS)
    ]
    """Players of the event."""
    runner: RunnerSection | None = None
    """Program that plays the matches instead of Arena's referee. Default: none."""
    format: FormatName | None = None
    """Format of the schedule. Default: round_robin; solo for one seat, or one bot that may
    play alone."""
    repeat: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Matches of the same players on each board; seats rotate. Default: one from each seat."""
    boards: Annotated[int, Field(ge=1, le=MAX_BOARDS)] = 1
    """Boards drawn from the seed; each is played from every seat."""
    openings: OpeningsSection | None = None
    """Moves played before the bots begin. Default: none; in a gate or ladder 4 random plies, unless
    the start of the game depends on the seed."""
    groups: Annotated[int, Field(ge=2, le=26)] | None = None
    """For the format round_robin: number of groups; players meet within their group only."""
    challengers: Annotated[tuple[BotName, ...], Field(min_length=1, max_length=MAX_BOTS)] | None = (
        None
    )
    """For the format gauntlet: the players to meet all others. Default: the first one."""
    rounds: Annotated[int, Field(ge=1, le=MAX_BOTS)] | None = None
    """For the format swiss: number of rounds. Default: the rounds of a knockout and one more, at
    most half of those of a round robin."""
    seeding: Annotated[tuple[BotName, ...], Field(min_length=1, max_length=MAX_BOTS)] | None = None
    """For the format knockout: all players, the best first. Default: the order of bots."""
    tie_breaks: Annotated[int, Field(ge=0, le=100)] = 2
    """For the format knockout: limit of extra boards for an even encounter."""
    certainty: Certainty = 0.95
    """For the format ladder: probability that the order of any two neighbours is right."""
    gate: GateSection | None = None
    """For the formats gate and tune: the conditions of the decision."""
    tune: TuneSection | None = None
    """For the format tune: the options of the first bot, and the search for their best values."""
    seats: Seats | None = None
    """Players per match, or a list of such numbers. Default: the fewest the game and the format
    allow; 1 is for solo."""
    seat_orders: SeatOrders = "rotate"
    """Seat orders of the same players: rotated, so that each sits in each seat, or all orders."""
    matches: Annotated[int, Field(ge=1, le=2_000_000)] | None = None
    """Number of matches, with 3 to 6 seats; in a ladder the limit of matches."""
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    """Source of all randomness. Default: 128 random bits, kept; bots can guess shorter seeds."""
    claims: ClaimPolicy = "checked"
    """Whether claims of bots about their moves are required, checked if made, or ignored."""
    max_plies: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Matches are adjudicated after this many moves, not counting chance. Default: 100,000."""
    adjudicate: AdjudicateSection | None = None
    """Ends of matches by scores of both bots, or by tablebases. Default: by the rules alone."""
    own: bool = False
    """Whether all bots are the organiser's own, so that none lies to win: for adjudicate."""
    time: TimeSection = TimeSection()
    """Time limits of calls."""
    score: ScoreSection | None = None
    """Time penalty on the points of a match. Default: none."""
    limits: LimitsSection = LimitsSection()
    """Limits of the resources of a bot."""
    isolation: Isolation = "auto"
    """Whether bots are sandboxed: if possible, always, or never."""
    installations: Annotated[tuple[PathText, ...], Field(max_length=64)] = ()
    """Folders of programs visible to sandboxed bots, in addition to those of the system."""
    build_network: NetworkAccess = "deny"
    """Whether builds of bots may use the network, for example to fetch packages."""
    slots: Slots = "auto"
    """Matches played at a time, 1 to 256. Default: as many as the cores allow."""
    cluster: ClusterAddress | None = None
    """Scheduler of the machines that play: HOST:PORT, or local:N. Default: this machine plays."""
    pin: Pinning = "auto"
    """Whether each slot is pinned to its own cores."""
    cores: Annotated[int, Field(ge=1, le=64)] = 1
    """Cores per slot, for bots with threads."""
    withdraw_after: Annotated[int, Field(ge=0, le=10_000)] = 3
    """Matches in a row with a fault after which a player forfeits the rest unplayed; 0: never."""
    absence: LongDuration = 600 * SECOND_NS
    """Time in all for which the matches of a remote bot that is out of reach wait."""
    broken: OnBroken = "stop"
    """Effect of a bot that cannot be built or fails the preflight: the event stops, or is played
    without the bot, or the bot forfeits its matches.
    """
    restart: Restarting = "auto"
    """Whether a bot is restarted for each match. Default: unless both bots are own engines."""
    transport: Transport = "ipc"
    """Transport to the bots; tcp on the loopback is for bots without ipc."""
    bonus: Annotated[dict[PlayerName, Bonus], Field(default_factory=dict)]
    """Bonus of players by name, as a fraction of their score: up to 0.25, none below 0."""
    anchor: Annotated[Anchor, Field(default_factory=dict)]
    """Elo of one player, which fixes the scale: `{gnugo: 1800}`; otherwise the mean is 0."""

"""A job of a referee: one match to play, as plain data that travels as JSON."""

import json
import math
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from hashlib import blake2b
from typing import Any, Literal

from protocol.vocabulary import ClockKind, Seat, Termination
from referee.sandbox.limits import Limits, Tier

SECOND_NS = 1_000_000_000
MILLISECOND_NS = 1_000_000
MOVES = 1_000
"""Number of moves of a seat in the default of the wall bank."""

MOST_MOVES = 100_000
"""Limit of the moves of a match without `max_plies`: some games never end if nobody wants it."""

ClaimPolicy = Literal["required", "checked", "ignored"]
Restart = Literal["match", "never"]
Transport = Literal["ipc", "tcp"]

PERSON = "person"
"""Content of a person as player."""
REMOTE = "remote:"
"""Start of the content of a player with its bot on another machine; its key follows."""
PlayerKind = Literal["bot", "person", "remote"]


def kind_of(content: str) -> PlayerKind:
    """Return who plays, by the content of the player."""
    if content == PERSON:
        return "person"
    return "remote" if content.startswith(REMOTE) else "bot"


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """How long each call may take; all times in nanoseconds of the chosen clock."""

    clock: ClockKind = "cpu"
    start_ns: int = 10 * SECOND_NS
    """From exec to a valid hello, always by the wall clock."""
    start_free_ns: int = SECOND_NS
    """Free CPU time before the first init; more is charged with init."""
    init_ns: int = 5 * SECOND_NS
    per_move_ns: int = 2 * SECOND_NS
    bank_ns: int | None = None
    """For all moves of the match together; None is no bank."""
    increment_ns: int | None = None
    """Time added to the bank after each move; None is nothing."""
    bank_moves: int | None = None
    """Number of moves of a seat until the bank is added again; None is never."""
    wall_bank_ns: int | None = None
    """Wall time of all calls of a seat in a match; None is twice the sum of the other limits.

    With `clock: cpu`, a bot's wait for its core does not count.
    """
    display_ns: int = SECOND_NS
    term_ns: int = SECOND_NS
    grace_ns: int = 50 * MILLISECOND_NS
    """Noise of the host allowed above the limits of all calls of a match together; recorded."""
    strikes: int | None = None
    """Number of calls of a match that may use grace; None is all of them."""
    ponder: bool = False
    """Whether a bot may think while others are called."""

    @property
    def wall_allowed_ns(self) -> int:
        """Return the limit in nanoseconds of the wall time of all calls of a seat in a match.

        So no bot can sleep an event away. The default is twice the sum of the other limits, for a
        busy host, and a minute for displays and the wire.
        """
        if self.wall_bank_ns is not None:
            return self.wall_bank_ns
        return 2 * (self.init_ns + self.moves_ns + self.term_ns) + 60 * SECOND_NS

    @property
    def moves_ns(self) -> int:
        """Return the time for a seat's moves, at most MOVES without a bank, in nanoseconds."""
        if self.bank_ns is None:
            return MOVES * self.per_move_ns
        banks = 1 if self.bank_moves is None else math.ceil(MOVES / self.bank_moves)
        return banks * self.bank_ns + MOVES * (self.increment_ns or 0)

    def fields(self) -> dict[str, Any]:
        """Return the time control as in `init`."""
        limits = {
            "init_ms": self.init_ns,
            "per_move_ms": self.per_move_ns,
            "bank_ms": self.bank_ns,
            "increment_ms": self.increment_ns,
            "wall_bank_ms": self.wall_allowed_ns,
            "display_ms": self.display_ns,
            "term_ms": self.term_ns,
            "grace_ms": self.grace_ns,
        }
        limits_ms = {name: ns // MILLISECOND_NS for name, ns in limits.items() if ns is not None}
        counts = {"bank_moves": self.bank_moves, "strikes": self.strikes}
        given = {name: count for name, count in counts.items() if count is not None}
        return {"clock": self.clock, "ponder": self.ponder, **limits_ms, **given}


@dataclass(frozen=True, kw_only=True)
class ScoreRule:
    """How time turns points into a score; neither coefficient set: points alone."""

    per_second: Decimal | None = None
    """Points off for each second of charged time."""
    percent_per_ms: Decimal | None = None
    """Per cent of the points off for each millisecond of charged time."""
    floor: Decimal | None = None
    """Lowest score of a seat without a fault."""

    @property
    def is_timed(self) -> bool:
        """Whether the score depends on the charged time."""
        return self.per_second is not None or self.percent_per_ms is not None


@dataclass(frozen=True, kw_only=True)
class DrawRule:
    """A draw, when the last moves of both seats had scores near 0."""

    after: int
    """Number of moves of the match before the rule applies."""
    score: int
    """Largest distance from 0, in centipawns."""
    moves: int
    """Number of moves in a row of each seat."""


@dataclass(frozen=True, kw_only=True)
class ResignRule:
    """A loss, when the last moves of one seat had low scores, and those of the other high ones."""

    score: int
    """Distance from 0 of both scores, in centipawns."""
    moves: int
    """Number of moves in a row of each seat."""


@dataclass(frozen=True, kw_only=True)
class Adjudication:
    """Rules by which the referee ends a match before the rules of its game do."""

    draw: DrawRule | None = None
    resign: ResignRule | None = None
    pieces: int | None = None
    """Number of pieces of the largest tablebase of chess; None without tablebases."""


@dataclass(frozen=True, kw_only=True)
class Player:
    """One bot in this match."""

    name: str
    argv: tuple[str, ...]
    folder: str
    """The bot's own folder, its working directory at the start: a copy of the author's."""
    source: str = ""
    """The author's folder, named in its output in place of `folder`; empty if unknown."""
    content: str
    """Equal contents are equal players: a hash of the bot's files, PERSON, or REMOTE and a hash
    of the remote bot's key. `kind` says which, and so do stored records.
    """
    processes: bool = False
    """Whether it asks to start processes where no control group counts their CPU time."""
    tier: Tier = "none"
    """Tier of its sandbox."""
    scratch: str | None = None
    """Scratch folder kept from match to match; None without one."""
    installations: tuple[str, ...] = ()
    """Folders visible in the sandbox beside the system's and its own, named by the organiser."""
    guests: tuple[str, ...] = ()
    """Folders of a runner's bots."""
    settings: tuple[tuple[str, str], ...] = ()
    """Values put into its command for this match, by name; its content is theirs, too."""
    time: TimeControl | None = None
    """Its own time control; None is that of the match."""
    door: str | None = None
    """Socket of a remote bot's door; None for a bot of this machine."""
    remote: str = ""
    """Name of a remote bot in the door's list of entrants."""

    @property
    def kind(self) -> PlayerKind:
        """Who plays, also in a stored record."""
        return kind_of(self.content)

    @property
    def is_remote(self) -> bool:
        """Whether its bot runs on another machine, also in a stored record."""
        return self.kind == "remote"


@dataclass(frozen=True, kw_only=True)
class Absence:
    """A seat lost before the match begins; its bot is not started."""

    seat: Seat
    termination: Termination
    detail: str

    @property
    def is_withdrawal(self) -> bool:
        """Whether its player was withdrawn; otherwise the bot has made this match void twice."""
        return self.termination is Termination.NO_SHOW


@dataclass(frozen=True, kw_only=True)
class Runner:
    """A program to play whole matches in place of Arena's referee."""

    player: Player
    """Its command and sandbox; the sandbox is also its bots'."""
    wall_ns: int = 600 * SECOND_NS
    """Limit of the wall time of a match."""
    output_bytes: int = 4 * 1024 * 1024
    """Limit of its output."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One match to play."""

    key: str
    game: str
    options: dict[str, Any] = field(default_factory=dict)
    players: tuple[Player, ...]
    seed: int
    """Seed of the match: source of its draws and of each bot's seed."""
    board_seed: int
    """Seed of the start position, the same for every match on the same board."""
    history: tuple[dict[str, Any], ...] = ()
    """Moves already played, as {"seat": ..., "move": {...}}."""
    claims: ClaimPolicy = "checked"
    max_plies: int | None = None
    adjudicate: Adjudication | None = None
    tablebases: str = ""
    """Folder with the tablebases of this machine."""
    time: TimeControl = TimeControl()
    limits: Limits = field(default_factory=Limits)
    score: ScoreRule = ScoreRule()
    restart: Restart = "match"
    transport: Transport = "ipc"
    absences: tuple[Absence, ...] = ()
    runner: Runner | None = None
    """The program to play the match; None is Arena's referee."""
    dialog: str | None = None
    """Folder of this machine for files with all that the bots print; None for none."""

    def names(self) -> tuple[str, ...]:
        """Return the players' names by seat."""
        return tuple(player.name for player in self.players)

    def seats(self) -> range:
        """Return the seats of the match."""
        return range(len(self.players))

    def programs(self) -> tuple[Player, ...]:
        """Return all programs to start: the players, and the runner if any."""
        return self.players if self.runner is None else (*self.players, self.runner.player)

    @property
    def most_moves(self) -> int:
        """Return the number of moves after which the match is stopped."""
        return MOST_MOVES if self.max_plies is None else self.max_plies

    def time_of(self, seat: Seat) -> TimeControl:
        """Return the time control of a seat."""
        return self.players[seat].time or self.time

    def player(self, seat: Seat) -> Player:
        """Return the player in a seat."""
        return self.players[seat]


def essence(job: Job) -> str:
    """Return a hash of all conditions for two plays of a match to be comparable.

    Limits of time and memory, and where the bots are, make no difference.
    """
    contents = [player.content for player in job.players]
    seeds = [str(job.seed), str(job.board_seed)]
    rule = job.score
    score = [
        None if part is None else str(part.normalize())
        for part in (rule.per_second, rule.percent_per_ms, rule.floor)
    ]
    terms: list[Any] = [job.claims, job.max_plies, score]
    if job.adjudicate is not None:  # without one as before, so that older hashes stay valid
        terms.append(asdict(job.adjudicate))
    if any(player.time for player in job.players):
        terms.append([player.time and asdict(player.time) for player in job.players])
    parts = [job.game, contents, job.options, job.history, seeds, terms]
    return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()

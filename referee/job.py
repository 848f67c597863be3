"""What a referee is given: one match to play, as plain data that travels as JSON."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from protocol.vocabulary import ClockKind, Seat, Termination

SECOND_NS = 1_000_000_000
MILLISECOND_NS = 1_000_000
MOVES = 1_000
"""Moves of a seat that the default of the wall bank has time for where there is no bank."""

ClaimPolicy = Literal["required", "checked", "ignored"]
Restart = Literal["match", "never"]
Transport = Literal["ipc", "tcp"]

Tier = str
"""Name of a tier of isolation: a key of `referee.sandbox.tiers.TIERS`."""
"""How a bot is shut in, best first: see `referee/sandbox/isolation.py`."""


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """How long each call may take; all times in nanoseconds of the chosen clock."""

    clock: ClockKind = "cpu"
    start_ns: int = 10 * SECOND_NS
    """From exec to a valid hello, always by the wall clock."""
    start_free_ns: int = SECOND_NS
    """CPU time before the first init that costs nothing; what is above it is charged with init."""
    init_ns: int = 5 * SECOND_NS
    per_move_ns: int = 2 * SECOND_NS
    bank_ns: int | None = None
    """For all moves of the match together; None is no bank."""
    wall_bank_ns: int | None = None
    """Wall time of all calls of a seat in a match; None is twice what the other limits allow.
    With `clock: cpu`, time for which the bot waits for its core does not draw on it."""
    display_ns: int = SECOND_NS
    term_ns: int = SECOND_NS
    grace_ns: int = 50 * MILLISECOND_NS
    """Host noise that a call may exceed its limit by; what is used of it is recorded."""
    strikes: int | None = None
    """How many calls of a match may use grace; None is all of them."""
    ponder: bool = False
    """Whether a bot may think while others are called."""

    @property
    def wall_allowed_ns(self) -> int:
        """Return the wall time that all calls of a seat may take together in a match.

        Nobody can sleep an event away. The default leaves an honest bot what the other limits do,
        twice, for a busy host, and a minute for displays and the wire.
        """
        if self.wall_bank_ns is not None:
            return self.wall_bank_ns
        moves_ns = MOVES * self.per_move_ns if self.bank_ns is None else self.bank_ns
        return 2 * (self.init_ns + moves_ns + self.term_ns) + 60 * SECOND_NS


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a bot may use. Threads count as processes."""

    memory_bytes: int | None = 512 * 1024 * 1024
    processes: int = 64
    files: int = 64
    disk_bytes: int = 64 * 1024 * 1024
    """Of files in the folder that is its own for as long as it runs."""
    scratch_bytes: int = 16 * 1024 * 1024
    """Of files in the folder that lasts, for a bot that has one."""
    output_bytes: int = 1024 * 1024
    """Of stdout and stderr that are kept; what comes after is read and dropped."""


@dataclass(frozen=True, kw_only=True)
class ScoreRule:
    """How time turns points into a score; neither coefficient set: points alone."""

    per_second: Decimal | None = None
    """Points off for each second of charged time."""
    percent_per_ms: Decimal | None = None
    """Per cent of the points off for each millisecond of charged time."""
    floor: Decimal | None = None
    """The score of a seat that is not at fault never falls below this."""


@dataclass(frozen=True, kw_only=True)
class Player:
    """One bot as it sits in this match."""

    name: str
    argv: tuple[str, ...]
    folder: str
    """The bot's own folder, where it is started."""
    content: str
    """Hash of what the bot consists of: equal hashes are equal bots."""
    tier: Tier = "none"
    """How it is shut in."""
    scratch: str | None = None
    """The folder that lasts from match to match, for a bot that has one."""
    installations: tuple[str, ...] = ()
    """Folders that it is shown beside the system's and its own: those the organiser names."""


@dataclass(frozen=True, kw_only=True)
class Absence:
    """A seat that is lost before the match begins: its bot is not started."""

    seat: Seat
    termination: Termination
    detail: str


@dataclass(frozen=True, kw_only=True)
class Job:
    """One match to play."""

    key: str
    game: str
    options: dict[str, Any] = field(default_factory=dict)
    players: tuple[Player, ...]
    seed: int
    """Of the match; the seed each bot is told is derived from it."""
    board_seed: int
    """Where the game's own chance comes from: the same for every match on the same board."""
    history: tuple[dict[str, Any], ...] = ()
    """Moves already played, as {"seat": ..., "move": {...}}."""
    claims: ClaimPolicy = "checked"
    max_plies: int | None = None
    time: TimeControl = TimeControl()
    limits: Limits = Limits()
    score: ScoreRule = ScoreRule()
    restart: Restart = "match"
    transport: Transport = "ipc"
    absences: tuple[Absence, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Return the players' names by seat."""
        return tuple(player.name for player in self.players)

    def seats(self) -> range:
        """Return the seats of the match."""
        return range(len(self.players))

    def player(self, seat: Seat) -> Player:
        """Return who sits there."""
        return self.players[seat]

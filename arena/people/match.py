"""A match of a person against bots, with the same referee and records as all matches.

Taking back abandons the match and begins another from the moves before; the bots receive an `init`
with these moves. So the record is that of the last one. A person's match is never rated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.bots.building import BuildTerms
from arena.errors import UsageError
from arena.people.aids import count_text, rules_text
from arena.people.hint import default_bot, hint, sandboxed
from arena.people.person import Aids, Person, Table, TakeBack
from arena.reading.names import distinct
from arena.results.store import MatchRow, Store
from protocol.messages import Fields
from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.host import hosting
from referee.job import PERSON, Job, Player
from referee.options import game_options
from referee.record import Record
from referee.seeds import derive_seed

YOU = "you"


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """A match to play, and the person's seat."""

    job: Job
    game: AnyGame
    seat: Seat


@dataclass(kw_only=True)
class Ended:
    """A finished match of a person."""

    record: Record
    taken_back: int
    """Number of times the person took back a move."""
    hints: int
    """Number of hints the person asked for."""


def sit_down(
    game: AnyGame, bots: Sequence[str], *, seat: Seat, seed: int, terms: BuildTerms
) -> Sitting:
    """Return the match of a person against these bots; raises ArenaError."""
    label, played = game.variants()[0]
    del label
    if not bots and min(game.seats) > 1:
        bots = [default_bot(game.name)] * (min(game.seats) - 1)
    seats = len(bots) + 1
    if seats not in game.seats or not 0 <= seat < seats:
        span = game.seats
        allowed = f"{min(span)} to {max(span)}" if len(span) > 1 else str(min(span))
        raise UsageError(
            f"{game.name} has {allowed} seats, 0 first: {seats} players and seat {seat} do not fit"
        )
    others = _opponents(bots, terms)
    you = Player(name=YOU, argv=(), folder="", content=PERSON)
    job = Job(
        key=f"play/{seed}",
        game=game.name,
        options=game_options(played),
        players=(*others[:seat], you, *others[seat:]),
        seed=derive_seed(seed, "match", "play"),
        board_seed=derive_seed(seed, "board", 0),
    )
    return Sitting(job=job, game=played, seat=seat)


def play(sitting: Sitting, table: Table, terms: BuildTerms) -> Ended:
    """Play until the game ends; raises Quit if the person leaves."""
    job, game, seat = sitting.job, sitting.game, sitting.seat
    taken_back = hints = 0

    def count_hint(moves: Sequence[Fields], bot: str) -> str:
        nonlocal hints
        hints += 1
        return hint(job, seat, moves, bot, terms)

    aids = Aids(count=count_text, hint=count_hint, rules=lambda: rules_text(game))
    with hosting() as host:
        while True:
            person = Person(seat, job, game, table, aids)
            try:
                record = host.play(job, {seat: person})
            except TakeBack as back:
                job = replace(job, history=back.moves)
                taken_back += 1
            else:
                return Ended(record=record, taken_back=taken_back, hints=hints)


def keep(store: Store, sitting: Sitting, ended: Ended) -> MatchRow:
    """Store a finished match as a separate event."""
    job = sitting.job
    contents = {player.name: player.content for player in job.players}
    config = {
        "game": {"name": job.game, **job.options},
        "person": {
            "seat": sitting.seat,
            "taken_back": ended.taken_back,
            "hints": ended.hints,
        },
    }
    event = store.add_event("play", job.seed, config, contents)
    row = store.add_match(event, board=0, variant="", attempt=1, match=ended.record.finished())
    assert row is not None  # noqa: S101 - the event has no other match
    return row


def _opponents(bots: Sequence[str], terms: BuildTerms) -> list[Player]:
    players = [sandboxed(reference, terms) for reference in bots]
    names = distinct([player.name for player in players])
    return [replace(player, name=name) for player, name in zip(players, names, strict=True)]

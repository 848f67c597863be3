"""A match with people, with the same referee and records as all matches.

Taking back abandons the match and begins another from the moves before; the bots receive an `init`
with these moves. So the record is that of the last one. A match with people is never rated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from arena.bots.building import BuildTerms
from arena.errors import UsageError
from arena.people.game_help import count_text, rules_text
from arena.people.hint import default_bot, hint, prepare_sandboxed
from arena.people.person import Aids, Console, Person, TakeBack
from arena.people.result import YOU
from arena.people.unfinished import Keep, MoveReporter, UnfinishedMatch
from arena.reading.names import distinct
from arena.results.store import MatchRow, Store
from arena.text import plural
from protocol.messages import Fields
from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.job import PERSON, Job, Player
from referee.options import game_options
from referee.records.calls import entry_of
from referee.records.record import Record
from referee.records.replay import game_of, steps
from referee.seeds import derive_seed
from referee.service.slot import open_slot


@dataclass(frozen=True, kw_only=True)
class MatchSetup:
    """A match with people before it is played."""

    job: Job
    game: AnyGame

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats of people."""
        return tuple(seat for seat in self.job.seats() if self.job.player(seat).kind == "person")


@dataclass(kw_only=True)
class EndedMatch:
    """A finished match with people."""

    record: Record
    taken_back: int
    """Number of times a person took back a move."""
    hints: int


def players_for(game: AnyGame, bots: Sequence[str], seat: Seat) -> list[str | None]:
    """Return the bot of each seat, None for the person; without bots, shipped ones."""
    if not bots and min(game.seats) > 1:
        bots = [default_bot(game.name)] * (min(game.seats) - 1)
    if not 0 <= seat <= len(bots):
        raise _misfit(game, len(bots) + 1, f" and seat {seat}")
    return [*bots[:seat], None, *bots[seat:]]


def set_up_match(
    game: AnyGame, players: Sequence[str | None], *, seed: int, terms: BuildTerms
) -> MatchSetup:
    """Return the match of these players by seat, None for a person; raises ArenaError."""
    _, played = game.variants()[0]
    if len(players) not in game.seats:
        raise _misfit(game, len(players), "")
    job = Job(
        key=f"play/{seed}",
        game=game.name,
        options=game_options(played),
        players=_seat_players(players, terms),
        seed=derive_seed(seed, "match", "play"),
        board_seed=derive_seed(seed, "board", 0),
    )
    return MatchSetup(job=job, game=played)


def set_up_continuation(
    record: Record, ply: int, players: Sequence[str | None], *, seed: int, terms: BuildTerms
) -> MatchSetup:
    """Return a match from position `ply` of the replay of another; raises ArenaError."""
    old = record.job
    if len(players) != len(old.players):
        raise UsageError(f"the match has {plural(len(old.players), 'seat')}, not {len(players)}")
    history = moves_before(record, ply)
    setup = set_up_match(game_of(old), players, seed=seed, terms=terms)
    job = replace(setup.job, options=old.options, board_seed=old.board_seed, history=tuple(history))
    return MatchSetup(job=job, game=setup.game)


def moves_before(record: Record, ply: int) -> list[Fields]:
    """Return the moves before a position of a match; raises UsageError if nobody can play on."""
    found = list(islice(steps(record.job, record.calls), ply + 1))
    if len(found) <= ply:
        raise UsageError(f"the match has the plies 0 to {len(found) - 1}, not {ply}")
    if game_of(record.job).outcome(found[-1].state) is not None:
        raise UsageError("the game is over at this ply; choose an earlier one")
    calls = [step.call for step in found[1:] if step.call is not None]
    if any(call.move is None for call in calls):
        raise UsageError("a player had left the match before; choose an earlier ply")
    return [*record.job.history, *map(entry_of, calls)]


def play(
    setup: MatchSetup,
    consoles: Mapping[Seat, Console],
    terms: BuildTerms,
    *,
    before: UnfinishedMatch = UnfinishedMatch(),  # noqa: B008 - it is frozen
    keep: Keep = lambda _: None,
) -> EndedMatch:
    """Play until the game ends, with a console for each person; raises Quit if one leaves.

    A match is resumed from `before`; `keep` receives the same before each turn.
    """
    game = setup.game
    job = replace(setup.job, history=before.moves or setup.job.history)
    taken_back, hints = before.taken_back, before.hints

    def keep_moves(moves: tuple[Fields, ...] | None) -> None:
        is_lost = moves is None
        so_far = UnfinishedMatch(moves=moves or (), taken_back=taken_back, hints=hints)
        keep(None if is_lost else so_far)

    def count_hint(seat: Seat, moves: Sequence[Fields], bot: str) -> str:
        nonlocal hints
        hints += 1
        return hint(job, seat, moves, bot, terms)

    def aids(seat: Seat) -> Aids:
        return Aids(
            count=count_text, hint=partial(count_hint, seat), rules=lambda: rules_text(game)
        )

    reporter = MoveReporter(keep_moves)
    with open_slot(reporter) as slot:
        while True:
            reporter.history = job.history
            people = {
                seat: Person(seat, job, game, console, aids(seat))
                for seat, console in consoles.items()
            }
            try:
                record = slot.play(job, people)
            except TakeBack as back:
                job = replace(job, history=back.moves)
                taken_back += 1
            else:
                return EndedMatch(record=record, taken_back=taken_back, hints=hints)


def store_match(store: Store, setup: MatchSetup, ended: EndedMatch) -> MatchRow:
    """Store a finished match as an event of its own, both or neither."""
    job = setup.job
    contents = {player.name: player.content for player in job.players}
    config = {
        "game": {"name": job.game, **job.options},
        "person": {
            "seats": setup.seats,
            "taken_back": ended.taken_back,
            "hints": ended.hints,
        },
    }
    with store.database.transaction():
        event = store.add_event("play", job.seed, config, contents)
        row = store.add_match(event, board=0, variant="", attempt=1, match=ended.record.finished())
    assert row is not None  # noqa: S101 - the event has no other match
    return row


def _misfit(game: AnyGame, players: int, seat: str) -> UsageError:
    span = game.seats
    allowed = f"{min(span)} to {max(span)} seats" if len(span) > 1 else plural(min(span), "seat")
    chosen = plural(players, "player")
    return UsageError(f"{game.name} has {allowed}, 0 first, not {chosen}{seat}")


def _seat_players(references: Sequence[str | None], terms: BuildTerms) -> tuple[Player, ...]:
    """Return the players by seat; two with the same name are numbered."""
    name_of_person = YOU if references.count(None) == 1 else "person"
    you = Player(name=name_of_person, argv=(), folder="", content=PERSON)
    players = [you if name is None else prepare_sandboxed(name, terms) for name in references]
    names = distinct([player.name for player in players])
    return tuple(replace(player, name=name) for player, name in zip(players, names, strict=True))

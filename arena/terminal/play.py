"""`arena play`: a match of a person, with the same referee and records as all matches."""

import time
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TextIO

from arena.bots.build import prepare
from arena.bots.building import Terms
from arena.bots.manifest import find_bot
from arena.bots.shipped import shipped_bots
from arena.counting.count import CountStoppedError, Progress, continuations
from arena.counting.positions import game_with
from arena.errors import UsageError
from arena.machine.enclosure import best_tier
from arena.results.store import Store
from arena.terminal.person import Person, Quit, TakeBack
from referee.catalog import AnyGame, BrokenGameError, UnknownGameError, game_class
from referee.host import hosting
from referee.job import Job, Player
from referee.options import game_options
from referee.seeds import derive_seed

COUNT_S = 10.0
COUNT_BYTES = 1 << 30
YOU = "you"


def sit_down(
    name: str,
    bots: Sequence[str],
    *,
    seat: int | None,
    assignments: Sequence[str],
    seed: int,
    terms: Terms,
    streams: tuple[TextIO, TextIO],
) -> tuple[Job, AnyGame, int]:
    """Return the job, its game and the person's seat; ask the person for missing options."""
    try:
        cls = game_class(name)
    except (UnknownGameError, BrokenGameError) as error:
        raise UsageError(str(error)) from None
    given = {assignment.partition("=")[0].strip() for assignment in assignments}
    if seat is None:
        seat = _ask_seat(cls, streams)
    asked = [
        f"{option}={answer}"
        for option in cls.asked_options
        if option not in given and (answer := _ask_option(cls, option, streams))
    ]
    game = game_with(name, [*assignments, *asked])
    label, played = game.variants()[0]
    del label
    opponents = _opponents(name, cls, bots, terms)
    seats = len(opponents) + 1
    if seats not in cls.seats or not 0 <= seat < seats:
        span = cls.seats
        allowed = f"{min(span)} to {max(span)}" if len(span) > 1 else str(min(span))
        raise UsageError(
            f"{name} has {allowed} seats, 0 first: {seats} players and seat {seat} do not fit"
        )
    you = Player(name=YOU, argv=(), folder="", content="person")
    job = Job(
        key=f"play/{seed}",
        game=name,
        options=game_options(played),
        players=(*opponents[:seat], you, *opponents[seat:]),
        seed=derive_seed(seed, "match", "play"),
        board_seed=derive_seed(seed, "board", 0),
    )
    return job, played, seat


def play(job: Job, game: AnyGame, seat: int, store: Store, streams: tuple[TextIO, TextIO]) -> None:
    """Play until the game ends, and store the record; store nothing if the person leaves."""
    with hosting() as host:
        while True:
            person = Person(seat, job, game, streams, count_text)
            try:
                record = host.play(job, {seat: person})
            except TakeBack as back:
                job = replace(job, history=back.moves)
                continue
            except Quit:
                return
            break
    contents = {player.name: player.content for player in job.players}
    event = store.add_event("play", job.seed, {"game": {"name": job.game, **job.options}}, contents)
    match = store.add_match(event, board=0, variant="", attempt=1, record=record)
    assert match is not None  # noqa: S101 - the event has no other match
    print(f"\nkept as match {match.id} in {store.path}", file=streams[1])


def count_text(game: AnyGame, state: Any) -> str:
    """Return the number of games that can follow, or a lower bound after COUNT_S seconds."""
    until = time.monotonic() + COUNT_S

    def stop_in_time(progress: Progress) -> None:
        del progress
        if time.monotonic() > until:
            raise KeyboardInterrupt

    try:
        return f"{continuations(game, state, COUNT_BYTES, stop_in_time)} games can follow"
    except CountStoppedError as stop:
        return f"more than can be counted in {COUNT_S:g} s: at least {stop.at_least:,}"


def open_store(path: Path) -> Store:
    """Open or create the database for the record."""
    return Store(path, is_new_allowed=True)


def _opponents(name: str, cls: type[AnyGame], bots: Sequence[str], terms: Terms) -> list[Player]:
    if not bots and min(cls.seats) > 1:
        bots = [_default_bot(name)] * (min(cls.seats) - 1)
    players = []
    tier = best_tier().tier
    for number, reference in enumerate(bots):
        bot = prepare(find_bot(reference, Path()), terms=terms)
        suffix = f"-{number + 1}" if len(bots) > 1 else ""
        players.append(replace(bot.player(f"{bot.name}{suffix}"), tier=tier))
    return players


def _default_bot(game: str) -> str:
    """Return a shipped bot for this game without a build step, or the one for all games."""
    for name in shipped_bots():
        manifest = find_bot(name, Path())
        if manifest.games is not None and game in manifest.games and manifest.build is None:
            return name
    return "random"


def _ask_seat(cls: type[AnyGame], streams: tuple[TextIO, TextIO]) -> int:
    names = cls.seat_names
    if not names:
        return 0
    while True:
        answer = _ask(f"{' or '.join(names)}? [{names[0]}] ", streams).lower()
        found = [seat for seat, name in enumerate(names) if name.startswith(answer)]
        if not answer or len(found) == 1:
            return found[0] if answer else 0


def _ask_option(cls: type[AnyGame], option: str, streams: tuple[TextIO, TextIO]) -> str:
    default = next(field.default for field in fields(cls) if field.name == option)  # type: ignore[arg-type]  # every game is a dataclass
    while True:
        answer = _ask(f"{option.replace('_', ' ')}? [{default}] ", streams)
        try:
            if answer:
                game_with(cls.name, [f"{option}={answer}"])
        except UsageError as error:
            # Conflicts with an option still to be asked are checked once all are known.
            if not answer.isdecimal():
                print(error, file=streams[1])
                continue
        return answer


def _ask(prompt: str, streams: tuple[TextIO, TextIO]) -> str:
    streams[1].write(prompt)
    streams[1].flush()
    line = streams[0].readline()
    if not line:
        raise UsageError("the input ended before the game began")
    return line.strip()

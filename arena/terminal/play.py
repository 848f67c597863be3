"""`arena play`: a match of a person in the terminal."""

from collections.abc import Sequence
from pathlib import Path

from arena.bots.building import BuildTerms
from arena.people.match import EndedMatch, MatchSetup, play, players_for, set_up_match, store_match
from arena.people.person import Quit
from arena.people.result import result_text
from arena.results.store import Store
from arena.shell_words import db_option
from arena.terminal.lines import PlainConsole
from arena.terminal.output import has_screen
from arena.terminal.questions import Streams, ask_game

LEFT = "left; nothing is kept"


def play_match(
    name: str,
    bots: Sequence[str],
    *,
    seat: int | None,
    assignments: Sequence[str],
    seed: int,
    terms: BuildTerms,
    db: Path,
    streams: Streams,
) -> None:
    """Ask for missing options, play the match and store it; store nothing if the person leaves."""
    store = Store(db, is_new_allowed=True)
    try:
        game, place = ask_game(name, seat, assignments, streams)
        setup = set_up_match(game, players_for(game, bots, place), seed=seed, terms=terms)
        ended = _play(setup, terms, streams)
        match = store_match(store, setup, ended)
        said = f"{result_text(ended.record)}\nkept as match {match.id} in {db}, not rated\n"
        said += f"replay it with: arena replay {match.id}{db_option(db)}"
    except Quit:
        said = LEFT
    except KeyboardInterrupt:
        print(f"\n{LEFT}", file=streams[1])
        raise
    finally:
        store.close()
    print(said, file=streams[1])


def _play(setup: MatchSetup, terms: BuildTerms, streams: Streams) -> EndedMatch:
    (seat,) = setup.seats
    if not has_screen():
        return play(setup, {seat: PlainConsole(streams)}, terms)
    from arena.terminal.screen import full_screen
    from arena.terminal.screen_console import ScreenConsole

    with full_screen() as screen:
        console = ScreenConsole(screen)
        ended = play(setup, {seat: console}, terms)
        console.wait(result_text(ended.record))
        return ended

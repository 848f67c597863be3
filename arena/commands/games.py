"""The commands for games: `play` one, `count` its continuations, list all `games`."""

import sys
from typing import Annotated

import typer

from arena.commands.app import DB, SEED, BuildNetwork, Db, Options, app, examples, guard
from arena.commands.completion import complete_bot, complete_game


@app.command(short_help="Play a match yourself.", epilog=examples("arena play pente greedy"))
def play(
    game: Annotated[str, typer.Argument(help="Game to play.", autocompletion=complete_game)],
    bots: Annotated[
        list[str] | None,
        typer.Argument(help="Opponents.  [shipped bots]", autocompletion=complete_bot),
    ] = None,
    *,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat; 0 moves first.")] = None,
    option: Options = None,
    seed: Annotated[int, SEED] = 1,
    browser: Annotated[
        bool, typer.Option("--browser", help="Play in a browser; print the link to open.")
    ] = False,
    build_network: BuildNetwork = "deny",
    db: Db = DB,
) -> None:
    """Play a match yourself: in the terminal, type a move, or help; with --browser, click."""
    if browser:
        from arena.commands.pages import play_on_page

        play_on_page(
            game,
            bots or [],
            seat=seat or 0,
            assignments=option or [],
            seed=seed,
            network=build_network,
            db=db,
        )
        return
    guard()
    from arena.bots.building import BuildTerms
    from arena.terminal.play import play_match

    play_match(
        game,
        bots or [],
        seat=seat,
        assignments=option or [],
        seed=seed,
        terms=BuildTerms(network=build_network),
        db=db,
        streams=(sys.stdin, sys.stdout),
    )


@app.command(
    short_help="Count the games from a position.",
    epilog=examples("arena count damspel --rows 5 --cols 4 --men-rows 2"),
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def count(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(
            help="Game; its options as --key value or -o.", autocompletion=complete_game
        ),
    ],
    *,
    option: Options = None,
    moves: Annotated[
        str, typer.Option(help="Moves before the position, separated by spaces.")
    ] = "",
    depth: Annotated[
        int | None, typer.Option(min=1, help="Count lines of this length, in plies.")
    ] = None,
    memory: Annotated[str, typer.Option(help="Limit of memory.")] = "2GB",
    seats: Annotated[int | None, typer.Option(min=1, help="Number of seats.  [the fewest]")] = None,
    seed: Annotated[int, SEED] = 1,
) -> None:
    """Count the complete games from a position, or with --depth its lines of moves."""
    from arena.counting.positions import game_with, long_options, position_after
    from arena.counting.text import print_count
    from arena.errors import UsageError
    from arena.reading.quantities import parse_size

    chosen = game_with(game, [*(option or []), *long_options(context.args)])
    position = position_after(chosen, moves, seed, seats)
    try:
        memory_bytes = parse_size(memory)
    except ValueError as error:
        raise UsageError(f"--memory {error}") from None
    if code := print_count(position, depth, memory_bytes):
        raise typer.Exit(code)


@app.command(short_help="List the games, or print the rules of one.")
def games(
    game: Annotated[
        str | None, typer.Argument(help="Game to describe.", autocompletion=complete_game)
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="List OpenSpiel's games, too.")] = False,
) -> None:
    """List the games, or print the rules, options, notation and message fields of GAME."""
    from arena.errors import UsageError
    from referee.catalog import game_names

    if game is not None:
        from arena.terminal.games import described
        from arena.terminal.output import print_result
        from arena.text import width_of

        print_result(described(game, width_of(sys.stdout)))
        return
    from arena.text import narrowed, width_of
    from referee.catalog import open_spiel_names
    from referee.open_spiel import MissingLibraryError

    try:
        names = [*game_names(), *(open_spiel_names() if every else ())]
    except MissingLibraryError as error:
        raise UsageError(str(error)) from None
    header, rows = ["game", "seats", ""], [*map(_game_cells, names)]
    typer.echo(narrowed(header, rows, left=3, spare=[], width=width_of(sys.stdout)))


def _game_cells(name: str) -> list[str]:
    """Return the row of a game in the list; the error of one that cannot be loaded."""
    from protocol.wording import escaped
    from referee.catalog import BrokenGameError, game_class

    try:
        game = game_class(name)
    except BrokenGameError as error:
        return [name, "", escaped(str(error))]
    first, last = game.seats[0], game.seats[-1]
    return [name, f"{first}" if first == last else f"{first}-{last}", game.summary]

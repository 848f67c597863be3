"""The command `arena`: parses, calls, prints; decides nothing.

Results go to stdout, all else to stderr. Exit codes: 0 done, 1 the verdict is "fail", 2 wrong
usage or config, 3 a bot's faults exceed what was allowed, 4 undecided at the cap, 5 our own fault,
130 interrupted (what was played is kept).
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.config.event_config import Config
    from arena.event.run import Run

app = typer.Typer(
    name="arena",
    help="Fair contests between game-playing programs in any language.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Db = Annotated[Path, typer.Option("--db", help="The database of everything played.")]
DB = Path("arena.db")
OUR_FAULT = 5


@app.command()
def tournament(
    config: Annotated[str, typer.Argument(help="A config file, or a shipped one by its name.")],
    *,
    new: Annotated[bool, typer.Option("--new", help="Start over, even if it was begun.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the schedule and stop.")
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out bots whose toolchain is missing.")
    ] = False,
    no_preflight: Annotated[
        bool, typer.Option("--no-preflight", help="Play even with bots that do not work.")
    ] = False,
    db: Db = DB,
) -> None:
    """Play the event of CONFIG, or what is missing of it, and print its standings."""
    from arena.config.event_config import load_config
    from arena.event.run import Run

    run = Run(
        db=db,
        is_new=new,
        is_dry=dry_run,
        skip_missing=skip_missing,
        has_preflight=not no_preflight,
    )
    _play(load_config(config), run)


@app.command()
def match(
    bots: Annotated[list[str], typer.Argument(help="Shipped bots by name, or paths.")],
    *,
    game: Annotated[str, typer.Option(help="The game to play.")],
    games: Annotated[int, typer.Option(min=1, help="How many matches.")] = 2,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Where all chance comes from.")] = None,
    debug: Annotated[
        str | None, typer.Option(metavar="BOT", help="Give this one the terminal and no limits.")
    ] = None,
    db: Db = DB,
) -> None:
    """Play a few matches between BOTS now, seats rotated, without a config."""
    from arena.config.quick import quick_config
    from arena.event.run import Run

    loaded = quick_config(bots, game=game, games=games, options=option or [], seed=seed)
    if debug is not None:
        from arena.check.debug import debug_match

        debug_match(loaded, debug, db)
        return
    _play(loaded, Run(db=db, is_new=True))


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="The game to play.")],
    bots: Annotated[list[str] | None, typer.Argument(help="Against whom; ours if none.")] = None,
    *,
    seat: Annotated[int | None, typer.Option(min=0, help="Where you sit, 0 begins.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Where all chance comes from.")] = 1,
    db: Db = DB,
) -> None:
    """Play a match yourself, in the terminal: type a move, or help."""
    from arena.terminal.play import open_store, sit_down
    from arena.terminal.play import play as play_match

    streams = (sys.stdin, sys.stdout)
    options = option or []
    job, played, place = sit_down(
        game, bots or [], seat=seat, assignments=options, seed=seed, streams=streams
    )
    play_match(job, played, place, open_store(db), streams)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def count(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game; its options as --key value or -o.")],
    *,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
    moves: Annotated[str, typer.Option(help="Moves played before, separated by blanks.")] = "",
    depth: Annotated[int | None, typer.Option(min=1, help="Count lines of so many plies.")] = None,
    memory: Annotated[str, typer.Option(help="Stop at this much memory.")] = "2GB",
    seats: Annotated[int | None, typer.Option(min=1, help="Players; the fewest if absent.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Where the board comes from.")] = 1,
) -> None:
    """Count the complete games that can follow from a position, or with --depth the lines."""
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
    if not print_count(position, depth, memory_bytes):
        raise typer.Exit(4)


@app.command()
def check(
    bot: Annotated[str, typer.Argument(help="A shipped bot by its name, or a path.")],
    *,
    game: Annotated[
        str | None, typer.Option(help="The game to check it in; its first if absent.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
) -> None:
    """Check whether BOT speaks the protocol, step by step."""
    from arena.check.check import check_bot

    if not check_bot(bot, game, option or [], sys.stdout):
        raise typer.Exit(1)


@app.command()
def show(
    event: Annotated[str | None, typer.Argument(help="Number or name of an event.")] = None,
    *,
    matches: Annotated[bool, typer.Option("--matches", help="List its matches.")] = False,
    match: Annotated[str | None, typer.Option(help="Show this match: number or key.")] = None,
    db: Db = DB,
) -> None:
    """Show what was played: all events, the standings of one, its matches, or one match."""
    from arena.results.store import Store
    from arena.terminal import show as shown

    store = Store(db)
    if match is not None:
        row = shown.find_match(store, match)
        typer.echo(shown.match_text(row, store.record(row.id)))
    elif event is None:
        typer.echo(shown.events_text(store))
    else:
        found = shown.find_event(store, event)
        if matches:
            typer.echo(shown.matches_text(store, found))
        else:
            typer.echo(shown.event_text(store, found, shown.table_of(store, found)))


@app.command()
def rate(
    event: Annotated[str | None, typer.Argument(help="Event; the newest if none is given.")] = None,
    *,
    db: Db = DB,
) -> None:
    """Rate the bots of an event: Elo with its error, the first move, and mean scores."""
    from arena.ratings.text import rate_text
    from arena.results.store import Store
    from arena.terminal.show import find_event

    store = Store(db)
    typer.echo(rate_text(store, find_event(store, event)))


@app.command()
def replay(
    match: Annotated[str, typer.Argument(help="Number or key of a match.")],
    *,
    at: Annotated[
        int | None, typer.Option(help="Begin at the position after so many plies.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(metavar="BOT", help="Ask this bot what it plays there.")
    ] = None,
    db: Db = DB,
) -> None:
    """Step through a match: the board, moves, times and claims; in a pipe, print all of it."""
    from arena.results.store import Store
    from arena.terminal import show as shown
    from referee.replay import steps

    store = Store(db)
    row = shown.find_match(store, match)
    record = store.record(row.id)
    title = f"match {row.id}: {' - '.join(seat.player for seat in row.seats)}"
    if to is not None:
        from arena.check.ask_again import answer_text, ask_again, question

        asked = question(record, at or 0)
        answer = ask_again(asked, to)
        typer.echo(f"{title}\n{answer_text(asked, answer)}")
        if not answer.is_legal:
            raise typer.Exit(3)
        return
    if sys.stdin.isatty() and sys.stdout.isatty():
        from arena.terminal.replay import step_through

        step_through(record, title, at or 0)
    elif at is not None:
        positions = list(steps(record))
        typer.echo(shown.position_text(record, positions[min(at, len(positions) - 1)]))
    else:
        typer.echo("\n".join([title, *shown.replay_lines(record)]))


@app.command()
def export(
    event: Annotated[str | None, typer.Argument(help="Event; the newest if none is given.")] = None,
    *,
    csv: Annotated[bool, typer.Option("--csv", help="A CSV row a seat, not JSON lines.")] = False,
    db: Db = DB,
) -> None:
    """Write an event to stdout: the whole records as JSON lines, or a CSV row a seat."""
    from arena.results.export import export_csv, export_jsonl
    from arena.results.store import Store
    from arena.terminal.show import find_event

    store = Store(db)
    number = find_event(store, event).id
    (export_csv if csv else export_jsonl)(store, number, sys.stdout)


@app.command()
def games() -> None:
    """List the games."""
    from arena import text
    from referee.catalog import game_class, game_names

    rows = []
    for name in game_names():
        game = game_class(name)
        seats = f"{game.seats[0]}" if len(game.seats) == 1 else f"{game.seats[0]}-{game.seats[-1]}"
        rows.append([name, seats, game.summary])
    typer.echo(text.table(["game", "seats", ""], rows, left=3))


@app.command()
def bots() -> None:
    """List the bots that come with Arena."""
    from arena import text
    from arena.bots.manifest import read_manifest
    from arena.bots.shipped import shipped_bots

    rows = []
    for name, path in shipped_bots().items():
        manifest = read_manifest(path)
        played = ", ".join(manifest.games or ("every game",))
        rows.append([name, manifest.language or "", played, manifest.summary])
    typer.echo(text.table(["bot", "language", "plays", ""], rows, left=4))


@app.command()
def doctor(*, db: Db = DB) -> None:
    """Tell what this machine is good for: isolation, limits, clock, disk, toolchains; and cures."""
    from arena.machine.doctor import report

    typer.echo(report(db))


@app.command()
def schema() -> None:
    """Print the JSON Schema of configs, for editors."""
    from arena.config.schema import schema_text

    typer.echo(schema_text(), nl=False)


def _play(config: "Config", run: "Run") -> None:
    from arena.event.run import run_event

    if code := run_event(config, run):
        raise typer.Exit(code)


def main() -> None:
    """Run the command and turn what goes wrong into a sentence and an exit code."""
    from arena.errors import ArenaError

    try:
        app()
    except ArenaError as error:
        typer.secho(f"error: {error}", fg=typer.colors.RED, err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has seen enough
        sys.exit(0)
    except Exception:  # noqa: BLE001 - whatever it is, it is ours and not a verdict
        import traceback

        traceback.print_exc()
        sentence = "error: a fault of arena's own, see above; what was played is kept"
        typer.secho(sentence, fg=typer.colors.RED, err=True)
        sys.exit(OUR_FAULT)

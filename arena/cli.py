"""The command `arena`: parses, calls, prints; decides nothing.

Results go to stdout, all else to stderr. Exit codes: 0 done, 1 the verdict is "fail", 2 wrong
usage or config, 3 a bot's faults exceed what was allowed, 4 undecided at the cap, 5 our own fault,
130 interrupted (what was played is kept).
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.config.event_config import Config
    from arena.event.run import Run
    from arena.reports.reporting import Reports

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
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML, a case a match.")
]
Summary = Annotated[
    Path | None, typer.Option("--summary", metavar="FILE", help="Append a page of Markdown.")
]
Json = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write all results for scripts.")
]
Badge = Annotated[
    Path | None, typer.Option("--badge", metavar="FILE", help="Write a shields.io endpoint.")
]
OUR_FAULT = 5


@app.command()
def tournament(  # noqa: PLR0913 - an argument an option
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
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
    db: Db = DB,
) -> None:
    """Play the event of CONFIG, or what is missing of it, and print its standings."""
    from arena.config.event_config import load_config
    from arena.event.run import Run

    reports = _reports("tournament", junit, summary, json, badge)
    run = Run(
        db=db,
        is_new=new,
        is_dry=dry_run,
        skip_missing=skip_missing,
        has_preflight=not no_preflight,
        reports=reports,
    )
    _end(reports, lambda: _play(load_config(config), run))


@app.command()
def match(  # noqa: PLR0913 - an argument an option
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
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
    db: Db = DB,
) -> None:
    """Play a few matches between BOTS now, seats rotated, without a config."""
    from arena.config.quick import quick_config
    from arena.event.run import Run

    def run() -> int:
        loaded = quick_config(bots, game=game, games=games, options=option or [], seed=seed)
        if debug is None:
            return _play(loaded, Run(db=db, is_new=True, reports=reports))
        from arena.check.debug import debug_match
        from arena.errors import UsageError

        if junit or summary or json or badge:
            raise UsageError("--debug is for people: it writes no --junit, --summary and the like")
        debug_match(loaded, debug, db)
        return 0

    reports = _reports("match", junit, summary, json, badge)
    _end(reports, run)


@app.command()
def gate(  # noqa: PLR0913 - an argument an option
    bots: Annotated[
        list[str], typer.Argument(metavar="NEW BASE", help="Two bots; or one config of a gate.")
    ],
    *,
    base: Annotated[
        str | None, typer.Option(metavar="BOT|git:REV", help="BASE, if it is not an argument.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game to play.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")
    ] = None,
    elo0: Annotated[float | None, typer.Option(help="So weak is a fail.  [-50]")] = None,
    elo1: Annotated[float | None, typer.Option(help="So strong is a pass.  [0]")] = None,
    score0: Annotated[
        float | None, typer.Option(help="Compare scores: so much more a match is a fail.")
    ] = None,
    score1: Annotated[float | None, typer.Option(help="So much more is a pass.  [0]")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="How often one to fail may pass.  [0.05]")
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="How often one to pass may fail.  [0.05]")
    ] = None,
    cap: Annotated[int | None, typer.Option(help="Matches at most.  [600]")] = None,
    max_faults: Annotated[int | None, typer.Option(help="Faults of NEW allowed.  [0]")] = None,
    openings: Annotated[
        str | None, typer.Option(metavar="PLIES|FILE", help="Plies to draw, or a file.  [4]")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Where all chance comes from.")] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Play part I of N; see `arena merge`.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Start over, even if it was begun.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the schedule and stop.")
    ] = False,
    no_preflight: Annotated[
        bool, typer.Option("--no-preflight", help="Play even with bots that do not work.")
    ] = False,
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
    db: Db = DB,
) -> None:
    """Play NEW against BASE until it is clear whether it is worse: the exit code is the verdict."""
    from arena.gate.command import Asked, gate_command
    from arena.gate.run import GateRun

    rule = {"elo0": elo0, "elo1": elo1, "score0": score0, "score1": score1, "alpha": alpha}
    rule |= {"beta": beta, "cap": cap, "max_faults": max_faults}
    asked = Asked(game=game, options=option or [], openings=openings, seed=seed, gate=rule)
    reports = _reports("gate", junit, summary, json, badge)
    run = GateRun(
        db=db, is_new=new, is_dry=dry_run, has_preflight=not no_preflight, reports=reports
    )
    _end(reports, lambda: gate_command(bots, base, asked, shard, run))


@app.command()
def merge(
    databases: Annotated[
        list[Path], typer.Argument(metavar="DB...", help="The databases of the shards.")
    ],
    *,
    db: Annotated[Path, typer.Option("--db", help="The database they are put into.")],
    junit: Junit = None,
    summary: Summary = None,
    json: Json = None,
    badge: Badge = None,
) -> None:
    """Put the shards of a gate together and print the verdict on all of them."""
    from arena.gate.merge import merge as merge_shards
    from arena.gate.report import merged_report
    from arena.gate.text import verdict_text

    def run() -> int:
        verdict = merge_shards(databases, db)
        typer.echo(verdict_text(verdict))
        reports.write(merged_report, verdict)
        return verdict.exit_code

    reports = _reports("gate", junit, summary, json, badge)
    _end(reports, run)


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
    determinism: Annotated[
        bool, typer.Option("--determinism", help="Play the same twice: does it play the same?")
    ] = False,
) -> None:
    """Check whether BOT speaks the protocol, step by step; or whether it plays the same again."""
    if determinism:
        from arena.check.determinism import check_determinism

        if code := check_determinism(bot, game, option or [], sys.stdout):
            raise typer.Exit(code)
        return
    from arena.check.check import check_bot

    if not check_bot(bot, game, option or [], sys.stdout):
        raise typer.Exit(1)


@app.command()
def init(
    language: Annotated[str, typer.Argument(help="What to write it in: a folder of bots/starter.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where: a new or empty folder.")],
    *,
    game: Annotated[str | None, typer.Option(help="The one game it is to play.")] = None,
) -> None:
    """Write a bot to start from, in LANGUAGE, into the folder DIR; it builds and plays at once."""
    from arena.bots.scaffold import write_bot

    made = write_bot(language, folder, game)
    typer.echo(f"wrote {made.folder}: {', '.join(made.files)}")
    if made.missing is not None:
        typer.secho(f"warning: it {made.missing}", fg=typer.colors.YELLOW, err=True)
    typer.echo("\n".join(["next:", *(f"    {command}" for command in made.commands)]))


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
        typer.echo(shown.match_text(row, store.record(row.id), shown.db_option(store)))
    elif event is None:
        typer.echo(shown.events_text(store))
    else:
        found = shown.find_event(store, event)
        if matches:
            typer.echo(shown.matches_text(store, found))
        else:
            typer.echo(shown.event_text(store, found, shown.table_of(store, found)))
            if (gate := found.config.get("gate")) and gate["shard"] is None:
                from arena.gate.text import verdict_text
                from arena.gate.verdict import verdict_of

                typer.echo(f"\n{verdict_text(verdict_of(store, found))}")


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


def _reports(
    command: str, junit: Path | None, summary: Path | None, json: Path | None, badge: Path | None
) -> "Reports":
    from arena.reports.reporting import Reports

    return Reports(
        command, junit=junit, summary=summary, json=json, badge=badge, environment=os.environ
    )


def _end(reports: "Reports", run: Callable[[], int]) -> None:
    if code := reports.of(run):
        raise typer.Exit(code)


def _play(config: "Config", run: "Run") -> int:
    from arena.event.run import run_event

    if config.format != "gate":
        return run_event(config, run)
    from arena.gate.run import GateRun, run_gate

    gate_run = GateRun(
        db=run.db,
        is_new=run.is_new,
        is_dry=run.is_dry,
        has_preflight=run.has_preflight,
        reports=run.reports,
    )
    return run_gate(config, gate_run)


def main() -> None:
    """Run the command and turn what goes wrong into a sentence and an exit code."""
    from arena.errors import ArenaError

    try:
        app()
    except ArenaError as error:
        from arena.reports.annotations import error_text

        typer.secho(error_text(error), fg=typer.colors.RED, err=True)
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

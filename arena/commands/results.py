"""The commands for results: `show`, `rate`, `replay` and `export`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.app import DB, BuildNetwork, Db, app
from arena.exit_codes import ExitCode


@app.command(short_help="Show events, standings and matches.")
def show(
    event: Annotated[str | None, typer.Argument(help="Number or name of an event.")] = None,
    *,
    matches: Annotated[
        bool, typer.Option("--matches", help="List the matches of EVENT.  [the newest]")
    ] = False,
    match: Annotated[str | None, typer.Option(help="Show one match, by number or key.")] = None,
    output: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --match: show the output of this player."),
    ] = None,
    has_all: Annotated[bool, typer.Option("--all", help="List runs of `arena match` too.")] = False,
    db: Db = DB,
) -> None:
    """Show all events, the standings or the matches of one event, or one match."""
    from arena.errors import UsageError
    from arena.formats.ended import table_of
    from arena.results.queries import find_event, find_match
    from arena.results.store import Store
    from arena.terminal import show as shown
    from arena.text import db_option

    store = Store(db)
    if output is not None and match is None:
        raise UsageError("--output needs --match: the output of a player in one match")
    if match is not None and output is not None:
        row = find_match(store, match, event)
        typer.echo(shown.output_text(row, store.record(row.id), output))
    elif match is not None:
        row = find_match(store, match, event)
        typer.echo(shown.match_text(row, store.record(row.id), db_option(store.path)))
    elif event is None and not matches:
        typer.echo(shown.events_text(store, has_quick=has_all))
    else:
        found = find_event(store, event)
        if matches:
            typer.echo(shown.matches_text(store, found))
        else:
            typer.echo(shown.event_text(store, found, table_of(store, found)))
            if found.config.get("gate") and found.config.get("shard") is None:
                from arena.gate.text import verdict_text
                from arena.gate.verdict import verdict_of

                typer.echo(f"\n{verdict_text(verdict_of(store, found))}")


@app.command(short_help="Rate the bots of an event.")
def rate(
    event: Annotated[str | None, typer.Argument(help="Event.  [the newest]")] = None,
    *,
    db: Db = DB,
) -> None:
    """Rate the bots of an event: Elo with its error, the first move, and mean scores."""
    from arena.ratings.text import rate_text
    from arena.results.queries import find_event
    from arena.results.store import Store

    store = Store(db)
    typer.echo(rate_text(store, find_event(store, event)))


@app.command(short_help="Step through a match.")
def replay(
    match: Annotated[str, typer.Argument(help="Number or key of a match.")],
    *,
    at: Annotated[int | None, typer.Option(help="Start at the position after this ply.")] = None,
    to: Annotated[
        str | None, typer.Option(metavar="BOT", help="Ask this bot for its move there.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to step through it.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture of a position.")
    ] = None,
    animate: Annotated[
        bool, typer.Option("--animate", help="With --svg: a picture that plays the match.")
    ] = False,
    build_network: BuildNetwork = "deny",
    db: Db = DB,
) -> None:
    """Step through a match: board, moves, times, claims. Print them all if not in a terminal."""
    if html or svg:
        from arena.commands.pictures import write_match

        write_match(db, match, html=html, svg=svg, ply=at or 0, is_animated=animate)
        return
    from arena.results.queries import find_match
    from arena.results.store import Store
    from arena.terminal import show as shown

    store = Store(db)
    row = find_match(store, match)
    record = store.record(row.id)
    title = f"match {row.id}: {' - '.join(seat.player for seat in row.seats)}"
    if to is not None:
        from arena.bots.building import Terms
        from arena.check.ask_again import answer_text, ask_again, question

        asked = question(record, at or 0)
        answer = ask_again(asked, to, Terms(network=build_network))
        typer.echo(f"{title}\n{answer_text(asked, answer)}")
        if not answer.is_legal:
            raise typer.Exit(ExitCode.FAULTS)
        return
    if sys.stdin.isatty() and sys.stdout.isatty():
        from arena.terminal.replay import step_through

        step_through(record, title, at or 0)
    elif at is not None:
        typer.echo(shown.position_text(record.job, shown.positions(record, at)[at]))
    else:
        typer.echo("\n".join([title, *shown.replay_lines(record)]))


@app.command(short_help="Write an event as JSON lines or CSV.")
def export(
    event: Annotated[str | None, typer.Argument(help="Event.  [the newest]")] = None,
    *,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV, a row per seat.")] = False,
    db: Db = DB,
) -> None:
    """Write an event to stdout: full records as JSON lines, or a CSV row per seat."""
    from arena.reports.export import export_csv, export_jsonl
    from arena.results.queries import find_event
    from arena.results.store import Store

    store = Store(db)
    number = find_event(store, event).id
    (export_csv if csv else export_jsonl)(store, number, sys.stdout)

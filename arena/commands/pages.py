"""The commands `report` and `serve`, and the files that `replay` can write."""

import math
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.app import DB, Db, EventArgument, app
from arena.errors import UsageError, check_packages
from arena.reading.choices import NetworkAccess
from protocol.wording import quoted

if TYPE_CHECKING:
    from arena.event.watch.progress import Announcer
    from arena.results.store import Store


@app.command(short_help="Write an event as one HTML file.")
def report(
    event: EventArgument = None,
    *,
    bot: Annotated[
        str | None,
        typer.Option("--for", metavar="NAME", help="Write a Markdown page about this bot."),
    ] = None,
    each: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write such a page about every bot, DIR/NAME.md."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write.  [report.html; - with --for]"),
    ] = None,
    size: Annotated[str, typer.Option(help="Largest size; boards that do not fit stay out.")] = (
        "5MB"
    ),
    db: Db = DB,
) -> None:
    """Write an event as one HTML file: standings, faults, times, every match to step through.

    The file works without a network and without other files. With --for, write a page about one
    bot: place, matches, times, faults and their meaning; with --each, about each of them.
    """
    from arena.reading.quantities import parse_size
    from arena.results.damage import read_results

    try:
        most_bytes = parse_size(size)
    except ValueError as error:
        raise UsageError(f"--size: {error}") from None
    if each is not None:
        if bot is not None or output is not None:
            raise UsageError("--each writes a file for each bot: leave out --for and --output")
        with read_results(db) as store:
            _write_each(store, event, each)
        return
    if output is None:
        output = Path("-" if bot is not None else "report.html")
        if _leads_elsewhere(output):
            raise UsageError(f"{output} is a link or a pipe; name a file with --output")
    with read_results(db) as store:
        text = _report_text(store, event, bot, most_bytes)
    _write(output, text)


def _write_each(store: "Store", event: str | None, folder: Path) -> None:
    """Write a page about every bot of an event into a folder, which is made if it is missing."""
    from arena.formats.event_results import table_of
    from arena.reading.names import name_objection
    from arena.reports.entrant import entrant_text, names_of
    from arena.results.queries import find_event

    row = find_event(store, event)
    table = table_of(store, row)
    with suppress(OSError):  # the first page that cannot be written says so
        folder.mkdir(exist_ok=True)
    for name in names_of(store, row):
        page = folder / f"{name}.md"
        if name_objection(name) or _leads_elsewhere(page):  # the database may be a stranger's
            raise UsageError(
                f"--each: {quoted(str(page))} would lead to another place; use another DIR"
            )
        _write(page, entrant_text(store, row, table, name), "--each")


def _leads_elsewhere(path: Path) -> bool:
    """Whether writing there could change another file (a link) or wait for ever (a pipe)."""
    return path.is_symlink() or (path.exists() and not (path.is_file() or path.is_dir()))


def _report_text(store: "Store", event: str | None, bot: str | None, most_bytes: int) -> str:
    from arena.formats.event_results import table_of
    from arena.results.queries import find_event

    row = find_event(store, event)
    table = table_of(store, row)
    if bot is not None:
        from arena.reports.entrant import entrant_text

        return entrant_text(store, row, table, bot)
    from arena.pages.report_file import report_html
    from arena.reports.report import PlayedEvent

    return report_html(store, PlayedEvent.read(store, row, table), most_bytes)


@app.command(short_help="Show results as live pages in a browser.")
def serve(
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    bind: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    public: Annotated[
        bool, typer.Option("--public", help="Let everybody who reaches the port read.")
    ] = False,
    token: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with the token of the link, made on first use. With a fixed --port the link"
            " and unfinished matches of people survive a restart.",
        ),
    ] = None,
    db: Db = DB,
) -> None:
    """Show the events of a database as live pages, and play matches there. Print the link to open.

    Only people with the link can read and play. The pages follow a running event, which does not
    depend on them, and may be started before the first one.
    """
    from arena.results.store import Store

    check_packages("arena serve", "web", "starlette", "uvicorn")
    from arena.pages.playing.choices import Choices
    from arena.pages.playing.kept import KeptMatches
    from arena.pages.playing.routes import Playing
    from arena.pages.serving import serve as run
    from arena.pages.token_file import kept_token
    from arena.terminal.output import tell

    is_new = not db.exists()
    Store(db, is_new_allowed=True).close()
    if is_new:
        tell(f"{db} is new: its first event will appear on the pages")
    known = None if token is None else kept_token(token)
    kept = None if token is None else KeptMatches.beside(token, db)
    playing = Playing(db, Choices.of(()), kept=kept, token=known or "")
    run(db, bind, port, is_public=public, tell=typer.echo, playing=playing, token=known)


def with_pages(db: Path, play: "Callable[[Announcer], int]") -> int:
    """Play an event with live pages, in a terminal until Ctrl-C; return its exit code.

    `play` receives the announcer of the event.
    """
    check_packages("arena tournament --serve", "web", "starlette", "uvicorn")
    from arena.commands.linked_terminal import LinkedTerminal
    from arena.exit_codes import ExitCode
    from arena.terminal.output import tell

    with LinkedTerminal(db) as announcer:
        code = play(announcer)
        is_shown = announcer.link and code != ExitCode.INTERRUPTED
        if is_shown and sys.stdin.isatty() and sys.stderr.isatty():
            tell("the pages stay open; Ctrl-C ends them")
            with suppress(KeyboardInterrupt):
                signal.pause()
    return code


def play_on_page(
    name: str,
    bots: list[str],
    *,
    seat: int,
    assignments: list[str],
    seed: int,
    network: NetworkAccess,
    db: Path,
) -> None:
    """Start a server with a match ready to play, and print its link."""
    check_packages("arena play --browser", "web", "starlette", "uvicorn")
    from arena.counting.positions import game_with
    from arena.pages.playing.choices import Choices
    from arena.pages.playing.orders import NewMatch
    from arena.pages.playing.routes import Playing
    from arena.pages.serving import LOOPBACK
    from arena.pages.serving import serve as run
    from arena.people.match import players_for
    from arena.results.store import Store

    players = players_for(game_with(name, assignments), bots, seat)
    choices = Choices.of(bots, network)
    texts = dict(assignment.split("=", 1) for assignment in assignments)
    first = NewMatch(
        game=name,
        options={key.strip(): text for key, text in texts.items()},
        players=[None if bot is None else choices.name_of(bot) for bot in players],
        seed=str(seed),
    )
    Store(db, is_new_allowed=True).close()
    run(db, LOOPBACK, 0, is_public=False, tell=typer.echo, playing=Playing(db, choices, first))


def write_match(
    db: Path,
    match: str,
    *,
    html: Path | None,
    svg: Path | None,
    ply: int,
    seat: int | None,
) -> None:
    """Write a page or a picture of a match, as a seat or a spectator (None) sees it."""
    from arena.pages.report_file import match_html
    from arena.pages.svg import position_svg
    from arena.results.damage import read_results
    from arena.results.queries import find_match
    from arena.terminal.story import check_replay

    with read_results(db) as store:
        row = find_match(store, match)
        record = store.record(row.id)
        check_replay(record, seat)
        if (event := store.event(row.event)) is None:
            raise UsageError(f"match {row.id} belongs to no event")
        page = "" if html is None else match_html(event, row, record, seat)
    if html is not None:
        _write(html, page)
    if svg is not None:
        _write(svg, position_svg(record, ply, seat))


def _write(path: Path, text: str, option: str = "--output") -> None:
    """Write the file of an option, or to stdout for "-"."""
    from arena.reports.files import check_writable, replace_file

    if str(path) == "-":
        sys.stdout.write(text)
        return
    check_writable(path, option)
    replace_file(path, text)
    typer.echo(f"{path}: {math.ceil(len(text.encode()) / 1000)} kB", err=True)

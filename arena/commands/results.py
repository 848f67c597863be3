"""The commands for results: `show`, `rate`, `replay` and `export`."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.app import (
    DB,
    BotIsolation,
    BuildNetwork,
    Db,
    EventArgument,
    app,
    examples,
    guard,
)
from arena.errors import UsageError
from arena.exit_codes import ExitCode

if TYPE_CHECKING:
    from arena.bots.building import BuildTerms
    from arena.check.ask_again import Question
    from arena.results.store import Store


@app.command(short_help="Show events, standings and matches.")
def show(  # noqa: PLR0913 - one argument per option
    event: Annotated[
        str | None,
        typer.Argument(help="Number or name of an event.  [all; the newest with an option]"),
    ] = None,
    *,
    matches: Annotated[
        bool, typer.Option("--matches", help="List the matches of EVENT.  [the newest]")
    ] = False,
    match: Annotated[str | None, typer.Option(help="Show one match, by number or key.")] = None,
    output: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --match: show the output of this player."),
    ] = None,
    bot: Annotated[
        str | None, typer.Option(metavar="NAME", help="List the matches of one bot of EVENT.")
    ] = None,
    faults: Annotated[bool, typer.Option("--faults", help="List the faults in EVENT.")] = False,
    notable: Annotated[
        bool, typer.Option("--notable", help="List upsets, short, long and close matches.")
    ] = False,
    has_all: Annotated[bool, typer.Option("--all", help="List runs of `arena match` too.")] = False,
    seed: Annotated[
        bool,
        typer.Option("--seed", help="Show the seed of EVENT, or of --match, if it is secret too."),
    ] = False,
    db: Db = DB,
) -> None:
    """Show all events, the standings or the matches of one event, or one match."""
    from arena.results.damage import read_results
    from arena.results.queries import find_event
    from arena.terminal.output import print_result

    if match is not None and (matches or bot is not None or faults or notable):
        raise UsageError("--match shows one match; --matches, --bot, --faults, --notable list many")
    if output is not None and match is None:
        raise UsageError("--output needs --match: the output of a player in one match")
    with read_results(db) as store:
        if match is not None:
            text = _match(store, match, event, output, has_seed=seed)
        elif seed:
            text = str(find_event(store, event).seed)
        elif bot is not None or faults or notable:
            text = _selected(store, event, bot, faults=faults, notable=notable)
        elif event is None and not matches:
            from arena.terminal.show import events_text

            text = events_text(store, has_quick=has_all)
        else:
            text = _event(store, event, has_matches=matches)
    print_result(text)


def _match(
    store: "Store", match: str, event: str | None, output: str | None, *, has_seed: bool
) -> str:
    from arena.results.queries import find_event, find_match
    from arena.results.secrecy import is_secret
    from arena.shell_words import db_option
    from arena.terminal.show_match import match_text, output_text

    row = find_match(store, match, event)
    record = store.record(row.id)
    if output is not None:
        return output_text(row, record, output)
    has_seed = has_seed or not is_secret(find_event(store, str(row.event)))
    return match_text(row, record, db_option(store.path), has_seed=has_seed)


def _event(store: "Store", name: str | None, *, has_matches: bool) -> str:
    from arena.formats.event_results import table_of, unfinished_text
    from arena.results.queries import find_event
    from arena.terminal.show import event_text, matches_text

    event = find_event(store, name)
    if has_matches:
        return matches_text(store, event)
    parts = [event_text(store, event, table_of(store, event))]
    if event.config.get("gate") and event.config.get("shard") is None:
        from arena.gate.text import verdict_text
        from arena.gate.verdict import verdict_of

        parts.append(verdict_text(verdict_of(store, event)))
    if event.config.get("tune"):
        from arena.tune.finding import finding_of
        from arena.tune.text import finding_text

        parts.append(finding_text(finding_of(store, event)))
    return "\n\n".join(filter(None, [*parts, unfinished_text(store, event)]))


def _selected(
    store: "Store", name: str | None, bot: str | None, *, faults: bool, notable: bool
) -> str:
    from arena.results.queries import find_event
    from arena.terminal.selected import bot_text, faults_text, matches_of, notable_text

    event = find_event(store, name)
    found = matches_of(store, event, bot)
    parts = []
    if bot is not None and not (faults or notable):
        parts.append(bot_text(found, bot))
    if faults:
        parts.append(faults_text(store, found, bot))
    if notable:
        parts.append(notable_text(found, store.matches(event.id)))
    return "\n\n".join(parts)


@app.command(short_help="Rate the bots of one event, or of several together.")
def rate(
    events: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[EVENT]...",
            help="Numbers or names of events, or databases with all their events; several are"
            " rated together, versions of a bot apart.  [the newest event]",
        ),
    ] = None,
    *,
    differences: Annotated[
        bool, typer.Option("--differences", help="Print the difference of every two bots too.")
    ] = False,
    anchor: Annotated[
        str | None,
        typer.Option(metavar="NAME=ELO", help="Fix the Elo of one bot.  [the key `anchor`]"),
    ] = None,
    db: Db = DB,
) -> None:
    """Rate the bots of an event: Elo with its error, the seats, and mean scores."""
    from arena.ratings.pooled_text import rate_together
    from arena.ratings.text import RatingTerms, rate_text
    from arena.results.damage import read_results
    from arena.results.queries import find_event
    from arena.terminal.output import print_result

    terms = RatingTerms(_anchor(anchor), has_differences=differences)
    chosen = events or []
    if len(chosen) > 1 or any(Path(name).is_file() for name in chosen):
        text = rate_together(db, chosen, terms)
    else:
        with read_results(db) as store:
            text = rate_text(store, find_event(store, chosen[0] if chosen else None), terms)
    print_result(text)


def _anchor(option: str | None) -> dict[str, float]:
    """Return the anchor of the option NAME=ELO; raises UsageError."""
    if option is None:
        return {}
    from arena.reading.fields import MAX_ANCHOR
    from arena.reading.names import one_form

    name, equals, elo = option.rpartition("=")
    try:
        value = float(elo)
    except ValueError:
        value = math.nan
    if not (equals and name and abs(value) <= MAX_ANCHOR):
        raise UsageError(f"--anchor {option}: give a bot and its Elo, like --anchor gnugo=1800")
    return {one_form(name): value}


@app.command(short_help="Step through a match.", epilog=examples("arena replay 1"))
def replay(  # noqa: PLR0913 - one argument per option
    match: Annotated[str, typer.Argument(help="Number or key of a match; void-N if it was void.")],
    *,
    at: Annotated[int | None, typer.Option(help="Start at the position after this ply.")] = None,
    to: Annotated[
        str | None, typer.Option(metavar="BOT", help="Ask this bot for its move there.")
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="With --to: without limits, in the terminal.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to step through it.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture of a position.")
    ] = None,
    boards: Annotated[bool, typer.Option("--boards", help="Print every board.")] = False,
    seat: Annotated[
        int | None, typer.Option(min=0, help="Show only what this seat could see.  [all]")
    ] = None,
    isolation: BotIsolation = "auto",
    build_network: BuildNetwork = "deny",
    db: Db = DB,
) -> None:
    """Step through a match: board, moves, times, claims. In a pipe, print all of it."""
    if debug and (to is None or html or svg):
        raise UsageError("--debug needs --to BOT, without --html and --svg: the bot to debug")
    if match.startswith("void-"):
        if to or html or svg:
            raise UsageError(f"{match} has no --to, --html or --svg: its match has not ended")
        _print_void(db, match, at, has_boards=boards, seat=seat)
        return
    if html or svg:
        from arena.commands.pages import write_match

        write_match(db, match, html=html, svg=svg, ply=at or 0, seat=seat)
        return
    if to is not None:
        guard()
    from arena.results.damage import read_results
    from arena.results.queries import find_match
    from arena.terminal.replay import print_match, step_through
    from arena.terminal.story import check_replay, title_text

    with read_results(db) as store:
        number = find_match(store, match).id
        record = store.record(number)
    check_replay(record, seat)
    title = title_text(number, record)
    if to is not None:
        from arena.bots.building import BuildTerms
        from arena.check.ask_again import question

        terms = BuildTerms(isolation=isolation, network=build_network)
        _ask_there(question(record, at or 0), title, to, terms, is_debugged=debug)
    elif boards or not step_through(record, title, at or 0, seat):
        print_match(record, title, at, has_boards=boards, seat=seat)


def _ask_there(
    asked: "Question", title: str, bot: str, terms: "BuildTerms", *, is_debugged: bool
) -> None:
    """Print a bot's answer in a position; leave with an exit code if it is not legal."""
    from arena.check.ask_again import answer_text, ask_again
    from arena.terminal.output import print_result

    answer = ask_again(asked, bot, terms, is_debugged=is_debugged)
    print_result(f"{title}\n{answer_text(asked, answer)}")
    if not answer.is_legal:
        raise typer.Exit(ExitCode.FAULTS)


def _print_void(db: Path, name: str, at: int | None, *, has_boards: bool, seat: int | None) -> None:
    """Print a void match up to the error of its rules."""
    from arena.results.damage import read_results
    from arena.terminal.output import print_result
    from arena.terminal.void import read_void, void_text

    with read_results(db) as store:
        void = read_void(store, name)
    print_result(void_text(name, void, at, has_boards=has_boards, seat=seat))


@app.command(short_help="Write an event as JSON lines, CSV, PGN or SGF.")
def export(
    event: EventArgument = None,
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Write JSON lines, a match per line, as by default.")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV, a row per seat.")] = False,
    standings: Annotated[
        bool, typer.Option("--standings", help="Write the standings as CSV, a row per bot.")
    ] = False,
    moves: Annotated[
        bool,
        typer.Option("--moves", help="Write CSV, a row per move with the remarks of its bot."),
    ] = False,
    pgn: Annotated[
        bool, typer.Option("--pgn", help="Write chess as PGN, with scores and times.")
    ] = False,
    sgf: Annotated[
        bool, typer.Option("--sgf", help="Write Go or gomoku as SGF, with clocks and notes.")
    ] = False,
    db: Db = DB,
) -> None:
    """Write an event to stdout: JSON lines, PGN, SGF, or a CSV row per seat, bot or move."""
    from arena.reports.export import export_csv, export_jsonl, export_moves, export_standings
    from arena.results.damage import read_results
    from arena.results.queries import find_event
    from arena.results.secrecy import is_secret
    from arena.terminal.output import tell

    if json + csv + standings + moves + pgn + sgf > 1:
        raise UsageError(
            "--json, --csv, --standings, --moves, --pgn and --sgf are different files: name one"
        )
    with read_results(db) as store:
        found = find_event(store, event)
        if standings:
            export_standings(store, found, sys.stdout)
        elif pgn:
            from arena.reports.pgn import export_pgn

            export_pgn(store, found, sys.stdout)
        elif sgf:
            from arena.reports.sgf import export_sgf

            export_sgf(store, found, sys.stdout)
        else:
            write = export_csv if csv else export_moves if moves else export_jsonl
            write(store, found.id, sys.stdout)
            if write is export_jsonl and is_secret(found):
                tell(f"the seeds are left out: they are secret until `arena close {found.id}`")


@app.command(short_help="Close an event and publish its seed.", epilog=examples("arena close 1"))
def close(
    event: Annotated[str, typer.Argument(help="Number or name of an event.")],
    *,
    db: Db = DB,
) -> None:
    """Close an event: its seed is published with the results, and no match is added any more."""
    from arena.event.resume.closing import close_idle_event
    from arena.results.damage import read_results
    from arena.results.queries import find_event
    from arena.terminal.output import print_result

    with read_results(db) as store:
        closed = close_idle_event(store, find_event(store, event))
    print_result(f"event {closed.id} ({closed.name}) is closed; seed {closed.seed}")

"""The commands of a league: `league new`, `league start`, and `hand-in` of those who take part."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.app import app, examples, guard, new_group
from arena.errors import check_packages
from arena.text import plural

if TYPE_CHECKING:
    from arena.league.folder import League

PACKAGES = ("django", "argon2", "starlette", "uvicorn")
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the league.")]

group = new_group("league", "Run a league: an arena that never closes, with hand-ins by page.")


def _require_extra() -> None:
    check_packages("arena league", "league", *PACKAGES)


def _opened(folder: Path) -> "League":
    """Open a league and its database: what uses Django is imported after this."""
    from arena.league.folder import open_league
    from arena.league.settings import open_site

    league = open_league(folder)
    open_site(league)
    return league


@group.command(
    "new",
    short_help="Make the folder of a league.",
    epilog=examples("arena league new our-league --game pente", "arena league start our-league"),
)
def new(
    folder: Folder,
    *,
    game: Annotated[str, typer.Option(help="Game of the league, one for two players.")],
) -> None:
    """Make the folder of a league: two config files to edit, and room for all that it keeps."""
    _require_extra()
    from arena.league.folder import new_league
    from arena.machine.tier_choice import best_tier

    found = best_tier()
    isolation = "require" if found.is_best and not found.uncounted else "auto"
    league = new_league(folder, game, isolation)
    typer.echo(f"{league.folder}: league.yaml has the address, season.yaml the game and limits")
    if isolation == "auto":
        typer.echo(
            "warning: this machine does not hold what isolation: require promises, so season.yaml"
            " has isolation: auto; `arena doctor` says what is missing and what helps"
        )
    typer.echo(f"next: arena league start {folder}")


@group.command(
    "start",
    short_help="Run a league until Ctrl-C.",
    epilog=examples("arena league start my-league"),
)
def start(folder: Folder) -> None:
    """Run the pages and the matches of a league until Ctrl-C, and print its address.

    The first start prints the link of staff, once.
    """
    _require_extra()
    guard()
    from arena.league.folder import open_league
    from arena.league.seasons.season import season_of
    from arena.league.settings import open_site
    from arena.league.upkeep.supervisor import address_of, bound, require_addresses, supervise
    from arena.machine.tier_choice import tier_for
    from arena.terminal.output import tell

    league = open_league(folder)
    config = league.season()
    # what cannot be played stops this command, not its director for ever
    season = season_of(config, 0)
    tier_for(config, "all bots")
    with league.lock("start"):
        with league.matches():
            pass  # nor a database that the director could never open
        listener = bound(league)
        open_site(league)
        from arena.league.persons.staff_link import (
            first_staff_slip,  # Django first wants its settings
        )

        require_addresses(league, config)
        slip = first_staff_slip()
        if season.plan.crowding:
            tell(season.plan.crowding)
        typer.echo(f"league: {address_of(league)}/")
        if slip is not None:
            typer.echo(f"staff, once: {address_of(league)}{slip.path}")
        supervise(league, listener, tell)


@group.command(
    "stop", short_help="End a running league.", epilog=examples("arena league stop my-league")
)
def stop(folder: Folder) -> None:
    """End a league that runs, and wait for its end. Interrupted matches are played again later."""
    from arena.league.folder import open_league

    typer.echo("stopped" if open_league(folder).stop() else "the league was not running")


@group.command(
    "backup",
    short_help="Write a backup of a league, which may be running.",
    epilog=examples("arena league backup my-league backup.tar"),
)
def backup(
    folder: Folder,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="New tar file of the backup.")],
) -> None:
    """Write a checked backup of a league into one file, also while it runs.

    It has everything but prepared bots, which are built again. Keep it to yourself.
    """
    from arena.league.folder import open_league
    from arena.league.upkeep.backups import back_up

    size = back_up(open_league(folder), target)
    typer.echo(f"{target}: {size / 1_000_000:.1f} MB, checked")


@group.command(
    "verify",
    short_help="Check everything that a league keeps.",
    epilog=examples("arena league verify my-league"),
)
def verify(folder: Folder) -> None:
    """Check the databases and files of a league, replay a sample, and fit all ratings again.

    The league may be running. The exit code is 3 if anything is wrong.
    """
    _require_extra()
    import random

    from arena.exit_codes import ExitCode
    from arena.terminal.output import print_result

    league = _opened(folder)
    from arena.league.upkeep.verifying import verified

    is_wrong = False
    for found in verified(league, random.SystemRandom()):
        is_wrong |= found.is_fault
        print_result(f"WRONG: {found.text}" if found.is_fault else found.text)
    raise typer.Exit(ExitCode.FAULTS if is_wrong else ExitCode.DONE)


@group.command(
    "export",
    short_help="Write the matches of a league as a database of events.",
    epilog=examples("arena league export my-league matches.db"),
)
def export(
    folder: Folder,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="New database, like season.db.")],
) -> None:
    """Write all matches into one database, for `arena show --db FILE` and every other command.

    The league may be running. The seed of a season is in it once the season has ended, before only
    the seed's SHA-256.
    """
    from arena.league.folder import open_league
    from arena.league.upkeep.backups import export_season

    typer.echo(f"{target}: {plural(export_season(open_league(folder), target), 'match')}")


@group.command(
    "void",
    short_help="Void what a machine has played since a time.",
    epilog=examples("arena league void our-league --machine pc-3 --since 2026-03-01T14:00 --yes"),
)
def void(
    folder: Folder,
    *,
    machine: Annotated[str, typer.Option(help="Worker; `director` is the league's machine.")],
    since: Annotated[datetime, typer.Option(help="Time of the first void result, in UTC.")],
    yes: Annotated[bool, typer.Option("--yes", help="Void them, not only show them.")] = False,
) -> None:
    """Void all pairs with a match that a machine has ended since a time, and rate without them.

    Without --yes, print what would change. The league may be running.
    """
    _require_extra()
    from arena.terminal.output import print_result

    league = _opened(folder)
    from arena.league.directing.voiding import voided

    for line in voided(league, machine, since.replace(tzinfo=UTC), is_meant=yes):
        print_result(line)


@group.command(
    "restore",
    short_help="Make a league from a backup.",
    epilog=examples("arena league restore backup.tar my-league"),
)
def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Tar file of the backup.")],
    folder: Folder,
) -> None:
    """Make the new folder of a league from a backup, after a check of all that is in it."""
    from arena.league.upkeep.backups import restore as make

    typer.echo(f"{make(source, folder).folder}: restored; next: arena league start {folder}")


@group.command(
    "upgrade",
    short_help="Bring a league up to date after an update of Arena.",
    epilog=examples("arena league upgrade my-league"),
)
def upgrade(folder: Folder) -> None:
    """Make a backup, bring the databases up to date, and play a canary match.

    If anything fails, the databases are put back. The league must be stopped.
    """
    _require_extra()
    from arena.league.folder import open_league
    from arena.league.settings import set_up

    league = open_league(folder)
    set_up(league)
    from arena.league.upkeep.upgrading import upgrade as bring_up  # Django first wants its settings

    bring_up(league, typer.echo)
    typer.echo(f"next: arena league start {folder}")


@group.command(
    "final",
    short_help="Play the final of a league's season.",
    epilog=examples("arena league final my-league"),
)
def final(folder: Folder) -> None:
    """Lock by the time of receipt, wait for the last checks, play a fresh event, and publish it.

    The event has a seed of its own and is kept in finals/ of the league's folder. While it is
    played the ladder pauses. The same command resumes an interrupted final.
    """
    _require_extra()
    guard()
    league = _opened(folder)
    from arena.league.seasons.finals import play_final

    made = play_final(league, typer.echo)
    typer.echo(f"published on the page Finals; all of it is in {folder}/finals/{made.pk}/arena.db")


@group.command(
    "grades",
    short_help="Tell who passes the rules for grades.",
    epilog=examples("arena league grades my-league"),
)
def grades(
    folder: Folder,
    *,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with all evidence.")] = False,
) -> None:
    """Print a grade for each person, bot and rule of league.yaml, and why there is none.

    The league may be running. The rules stand under `grades` in league.yaml.
    """
    _require_extra()
    import sys

    from arena.terminal.output import print_result

    league = _opened(folder)
    from arena.league.seasons.grade_files import csv_text, lines, nothing_to_grade
    from arena.league.seasons.grades import grading_of

    with grading_of(league) as grading:
        found = list(grading.grades())
    if as_csv:
        sys.stdout.write(csv_text(found))
    else:
        print_result("\n".join(lines(found)) or nothing_to_grade(league))


@group.command(
    "alike",
    short_help="List bots that play alike.",
    epilog=examples("arena league alike my-league"),
)
def list_alike(
    folder: Folder,
    *,
    sources: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write the files of each bot into this new folder."),
    ] = None,
) -> None:
    """List bots of different teams by how often they move alike in the same position.

    With --sources, write a folder a bot, as JPlag, Dolos and Moss read them.
    """
    _require_extra()
    from arena.terminal.output import print_result

    league = _opened(folder)
    from arena.league.seasons.alike import alike_in, alike_text, write_sources

    print_result("\n".join(alike_text(alike_in(league))))
    if sources is not None:
        typer.echo(f"{sources}: {plural(write_sources(league, sources), 'bot')}")


@group.command(
    "season",
    short_help="Begin the next season of a league.",
    epilog=examples("arena league season my-league 'autumn 2027'"),
)
def season(
    folder: Folder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new season.")],
) -> None:
    """End the season and begin the next one, in which the best three bots become house bots.

    The league may be running. All bots play on; results and ratings begin anew.
    """
    _require_extra()
    league = _opened(folder)
    from arena.league.seasons.next_season import next_season

    house = next_season(league, name)
    typer.echo(f"season {name}: new house bots are {', '.join(house) or 'none'}")


@group.command(
    "link",
    short_help="Print a new link for a person.",
    epilog=examples("arena league link my-league ann"),
)
def link(
    folder: Folder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the person.")],
) -> None:
    """Print a link by which a person chooses a new password, as for staff without one."""
    _require_extra()
    from arena.league.upkeep.supervisor import address_of

    league = _opened(folder)
    from arena.league.persons.staff_link import slip_for

    typer.echo(f"{address_of(league)}{slip_for(name).path}")


@app.command(
    "hand-in",
    short_help="Hand a bot in to a league.",
    epilog=examples("arena hand-in my-bot --to http://192.0.2.7:8642 --bot deep-thought --wait"),
)
def hand_in(
    bot: Annotated[Path, typer.Argument(metavar="BOT", help="The bot's folder or archive.")],
    *,
    to: Annotated[
        str, typer.Option(metavar="ADDRESS", envvar="ARENA_LEAGUE", help="Address of the league.")
    ],
    name: Annotated[str, typer.Option("--bot", metavar="NAME", help="The bot's name there.")],
    token: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File with your token.  [the variable ARENA_LEAGUE_TOKEN]"
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the result of the check.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Hand a bot in to a league, and print the receipt.

    With --wait, print what the check finds; the exit code is 3 if the bot is refused.
    """
    from arena.league.hand_ins.client import hand_in_to

    raise typer.Exit(hand_in_to(bot, to, name, token, is_waiting=wait, is_json=as_json))

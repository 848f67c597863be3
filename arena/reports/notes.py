"""Notes on an event besides its results: updates, earlier versions, workers, remote bots."""

from textwrap import dedent

from arena.bot_output import LAST_OUTPUT, error_line
from arena.ratings.giving_up import giving_up_text
from arena.ratings.pairs import pairs_text
from arena.ratings.repeats import repeats_text
from arena.ratings.residuals import residuals_text
from arena.results.queries import inexact_players
from arena.results.standings import Table
from arena.results.store import EventRow, Store
from arena.text import table
from protocol.wording import visible
from referee.foreign import NOT_REFEREED
from referee.job import kind_of


def notes_of(
    store: Store, event: EventRow, *, has_reasons: bool = True, has_output: bool = True
) -> list[tuple[str, str]]:
    """Return the notes as titles and lines of text; the titles are unique.

    Without `has_reasons`, a line for each bot that did not play replaces its whole output; without
    `has_output`, nothing printed by a bot is in it.
    """
    broken = broken_text(store, event, has_reasons=has_reasons, has_output=has_output)
    notes = [
        ("limits of time of single players", odds_text(event)),
        ("pairs of matches", pairs_text(store, event)),
        ("repeated matches", repeats_text(store, event)),
        ("matches given up to one opponent", giving_up_text(store, event)),
        ("bots that did not play", broken),
        ("approximate CPU times, marked ~", inexact_text(store, event)),
        ("changed while it ran", updates_text(store, event)),
        ("earlier versions, not in the table", earlier_text(store, event)),
        ("workers", residuals_text(store, event)),
        ("remote bots", remote_text(event)),
        (NOT_REFEREED, runner_text(event)),
    ]
    return [(title, text) for title, text in notes if text]


def odds_text(event: EventRow) -> str:
    """Return the players with limits of time of their own; empty without one."""
    return "\n".join(
        f"{bot.get('name')}: {', '.join(f'{key} {value}' for key, value in own.items())}"
        for bot in event.config.get("bots", ())
        if (own := {key: value for key, value in (bot.get("time") or {}).items() if value})
    )


def remote_text(event: EventRow) -> str:
    """Return a note on the meaning of ratings of remote bots; empty without such bots."""
    names = [name for name, content in event.entrants.items() if kind_of(content) == "remote"]
    if not names:
        return ""
    return (
        f"{', '.join(names)}: on their owners' machines. Their ratings include that hardware and"
        " the line;\nnobody knows who chose the moves. Wall time is charged, less the time of"
        " the line (`arena show --match`)."
    )


def inexact_text(store: Store, event: EventRow) -> str:
    """Return the bots with approximate CPU times and what else does not hold; empty if none."""
    contents = event.entrants
    players = [
        player
        for player in inexact_players(store, event.id)
        if kind_of(contents.get(player, "")) != "remote"
    ]
    if not players:
        return ""
    return (
        f"{', '.join(players)}: no control group that the bot cannot leave counts its processes."
        " CPU time of ended\nchildren may be missing, and limits.memory may be the limit of each"
        " process; `arena doctor` has the cure."
    )


def runner_text(event: EventRow) -> str:
    """Return what Arena does not know of the matches of a runner; empty without one."""
    game, runner = event.config.get("game", {}), event.config.get("runner")
    if not runner:
        return ""
    return (
        f"Another program plays {game.get('title', 'the matches')}: {' '.join(runner['run'])}"
        f" (content {str(game.get('program'))[:16]}).\nIt decides on rules, time and results;"
        " Arena measures no time and blames no bot."
    )


def broken_text(
    store: Store, event: EventRow, *, has_reasons: bool, has_output: bool = True
) -> str:
    """Return why bots did not work, with the last lines of their builds; empty if all did."""
    whole = tuple(dict.fromkeys(store.broken(event.id).values()))  # of one bot of several names
    if not has_output:
        return visible("\n".join(text.partition("\n")[0].rstrip(":") for text in whole))
    return visible("\n".join(whole if has_reasons else map(short_reason, whole)))


def short_reason(reason: str) -> str:
    """Return the first line of a reason, the next one if announced, or its output's error."""
    first, *others = reason.splitlines()
    if ": timeout, " in first:  # the kit's last words are of the end that followed
        return first
    if LAST_OUTPUT in others:
        output = dedent("\n".join(others[others.index(LAST_OUTPUT) + 1 :]))
        return f"{first}: {error_line(output)}"
    return " ".join([first, *others[:1]]) if first.endswith(":") else first


def updates_text(store: Store, event: EventRow) -> str:
    """Return all updates of an event with their times; empty without one."""
    lines = []
    for happened, changes in store.revisions(event.id):
        lines.append(f"{happened[:16].replace('T', ' ')} UTC")
        lines += [f"  {change}" for change in changes]
    return "\n".join(lines)


def earlier_text(store: Store, event: EventRow) -> str:
    """Return the results of the versions that no longer play; empty without one."""
    earlier = Table(())
    for match in store.earlier_matches(event.id):
        earlier.add(match.seats)
    rows = [
        [name, *map(str, (row.matches, row.wins, row.draws, row.losses, row.faults))]
        for name, row in sorted(earlier.rows.items())
        if "@" in name
    ]
    return table(["bot", "matches", "+", "=", "-", "faults"], rows) if rows else ""

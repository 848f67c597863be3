"""Make a league with many matches: `python -m tests.bench.large_league DIR BOTS MATCHES`.

Prints a line of JSON with tokens of the bots' owners, and what counts and fits cost. House bots
have their part of the matches. The matches have no records, whose disk has a limit of its own.
"""

import json
import os
import random
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations, islice
from pathlib import Path
from typing import Any

from arena.league.folder import League, new_league
from arena.league.settings import open_site

SEED = 1
SPREAD = 250.0
HOUSE_PART = 0.15
"""Part of the matches that are against a house bot."""
BATCH = 50_000
_MATCH = "INSERT INTO match VALUES (?, ?, ?, ?, '', 1, 'rules', 'five in a row', 40, ?, ?, 0)"
_SEAT = "INSERT INTO seat VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, 0, 0, NULL, 0, 1, ?)"
_FINISHED = "2026-01-01T12:00:00.000+00:00"
_TIMES_NS = (900_000_000, 400_000_000, 400_000_000)
Players = tuple[list[str], list[str]]
"""Those of persons, and those of the house."""


def main(folder: Path, bots: int, matches: int) -> None:
    """Make the league and print its facts."""
    league = new_league(folder, "pente", "none")
    (league.folder / "league.yaml").write_text("title: large\npublic: true\n")
    open_site(league)
    tokens = _people(league, bots)
    event, players = _begun(league)
    _write_matches(league, _rows(players, matches, event), event)
    print(json.dumps({"tokens": tokens, "house": players[1], **_counted(league, players)}))


def _people(league: League, bots: int) -> dict[str, str]:
    """Add an owner and a bot with an accepted version for each; return {bot: token}."""
    from django.db import transaction

    from arena.league.files import keep
    from arena.league.hand_ins.reception import new_bot
    from arena.league.hand_ins.versions import add_version
    from arena.league.persons.people import add_person, new_token

    tokens = {}
    for number in range(bots):
        text = f"import arena_bot\n\narena_bot.run(lambda call: call.legal[0])  # of {number}\n"
        kept = keep(league.files, [text.encode()], 10_000)
        with transaction.atomic():
            person = add_person(f"Person {number}", team=f"Team {number}")
            bot = new_bot(person, person.teams.get(), f"bot-{number:03}")
            tokens[bot.name] = new_token(person, "load")
            add_version(bot, f"tree {number}", kept.digest, ".py")
    return tokens


def _begun(league: League) -> tuple[int, Players]:
    """Begin the season as its director does; return its event and its players."""
    from arena.league.directing.counts import index_players
    from arena.league.directing.roster import Roster
    from arena.league.seasons.season import begun_season, season_of
    from arena.league.site.models import Version
    from arena.results.store import Store

    config = league.season()
    with closing(Store(league.arena_db, is_new_allowed=True)) as store:
        event = begun_season(store, config, {bot.name: "" for bot in config.bots})
        index_players(store)
    Roster(league, season_of(config, event.seed)).open()
    persons, house = (
        list(Version.objects.filter(bot__team__isnull=is_house).values_list("player", flat=True))
        for is_house in (False, True)
    )
    return event.id, (persons, house)


def _write_matches(league: League, rows: Iterator[tuple[Any, list[Any]]], event: int) -> None:
    with closing(sqlite3.connect(league.arena_db)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("INSERT INTO version VALUES (1, ?, 'a hash')", (event,))
        while batch := list(islice(rows, BATCH)):
            with db:
                db.executemany(_MATCH, [match for match, _ in batch])
                db.executemany(_SEAT, [seat for _, seats in batch for seat in seats])
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.sync()


def _rows(players: Players, matches: int, event: int) -> Iterator[tuple[Any, list[Any]]]:
    """Yield rows of matches and of their seats: pairs of matches of drawn players."""
    dice = random.Random(SEED)
    persons, house = players
    strength = {player: dice.gauss(0, SPREAD) for player in (*persons, *house)}
    pairs = list(combinations(persons, 2))
    for number in range(1, matches + 1, 2):
        one, other = dice.choice(pairs)
        if dice.random() < HOUSE_PART:
            other = dice.choice(house)
        for at, seated in enumerate(((one, other), (other, one))):
            chance = 1 / (1 + 10 ** ((strength[seated[1]] - strength[seated[0]]) / 400))
            is_first = int(dice.random() < chance)
            key, unit = f"{','.join(seated)}/b{number // 2}/0", number // 2
            seats = [
                (number + at, seat, player, won, 2 - won, str(won), *_TIMES_NS, 1)
                for seat, (player, won) in enumerate(
                    zip(seated, (is_first, 1 - is_first), strict=True)
                )
            ]
            yield (number + at, event, key, unit, _FINISHED, f"{number + at:032x}"), seats


def _counted(league: League, players: Players) -> dict[str, float]:
    """Count all matches and publish two fits; keep the counts and return the CPU times in s."""
    from django.utils import timezone

    from arena.league.directing.counts import counted
    from arena.results.store import Store

    facts = {}
    with closing(Store(league.arena_db)) as store:
        event = store.latest_event(league.season().name)
        if event is None:
            raise RuntimeError("no season was begun")
        begun_s = time.process_time()
        counts = counted(league.counts, store, event, {})
        facts["count_s"] = time.process_time() - begun_s
        for name in ("fit_s", "next_fit_s"):
            begun_s = time.process_time()
            counts.standing.publish([*players[0], *players[1]], timezone.now())
            facts[name] = time.process_time() - begun_s
        counts.save(league.counts, store, event)
    return {**facts, "counts_bytes": league.counts.stat().st_size}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

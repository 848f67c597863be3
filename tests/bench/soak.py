"""A league of BOTS bots of three languages that plays on two slots for an hour.

All are handed in at once and examined while the ladder plays. Then equal bots have equal shares of
the slots, no match is lost or there twice, and the director's memory stays what it was.
"""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from arena.league.ladder.field import FRESH_MATCHES
from tests.bench.figures import Figure
from tests.bench.hand_ins import league_with_slots, packed_starter, started_director
from tests.bench.load import director_of

BOTS = 60
PLAYING = 2
"""Slots with matches."""
LANGUAGES = ("python", "c", "javascript")
SOAKED_S = 3600.0
LOOK_S = 60.0
FIRST_LOOKS = 5
"""Looks at the memory before it is compared: the caches fill."""
GROWTH = 1.1
SHARE = 0.1
"""Limit of the difference of a share from the mean one."""
LONGEST_S = 3600.0


def soak(folder: Path) -> Iterator[Figure]:
    """Yield what became of the league after an hour."""
    folder.chmod(0o755)
    handing = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.soak", str(folder / "league")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert handing.stdin is not None
    assert handing.stdout is not None
    if handing.stdout.readline() != "handed in\n":
        raise RuntimeError("no league was made")
    director = started_director(folder / "league", PLAYING)
    said, _ = handing.communicate(f"{director.pid}\n")
    director.communicate(timeout=120)
    found: dict[str, float] = json.loads(said)
    found |= json.loads(_python("ended", str(folder / "league"), str(found["since"])))
    yield Figure(f"bots accepted of {BOTS}", found["accepted"], "", least=BOTS)
    yield Figure("time until all are accepted", found["accepted_s"], "s")
    yield Figure("matches of an hour", found["matches"], "")
    yield Figure("largest difference of a share from the mean", found["off"], "", most=SHARE)
    yield Figure("matches lost", found["lost"], "", most=0)
    yield Figure("matches there twice", found["doubled"], "", most=0)
    yield Figure("memory of the director", found["first_mb"], "MB")
    yield Figure("the same at the end, times", found["growth"], "x", most=GROWTH)
    verified = subprocess.run(
        [sys.executable, "-P", "-m", "arena", "league", "verify", str(folder / "league")],
        check=False,
    )
    yield Figure("exit code of `arena league verify`", verified.returncode, "", most=0)


def _python(*arguments: str) -> str:
    """Return what this module prints as a program: Django is set up once in a process."""
    command = [sys.executable, "-m", "tests.bench.soak", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def live(folder: Path) -> None:
    """Make a league, hand in, and watch it for an hour; print what was seen."""
    league = league_with_slots(folder, PLAYING)
    from arena.league.hand_ins.reception import new_bot, receive
    from arena.league.persons.people import add_person
    from arena.league.site.models import HandIn

    for number in range(BOTS):
        owner = add_person(f"Person {number}", team=f"Team {number}")
        bot = new_bot(owner, owner.teams.get(), f"bot-{number}")
        archive = packed_starter(folder / "inbox", LANGUAGES[number % len(LANGUAGES)], number)
        receive(league, owner, bot, "bot.zip", [archive])
    print("handed in", flush=True)
    guard, begun_s = int(sys.stdin.readline()), time.monotonic()
    while HandIn.objects.filter(ended=None).exists() and time.monotonic() < begun_s + LONGEST_S:
        time.sleep(1)
    accepted_s = time.monotonic() - begun_s
    while not _are_regular(_rows(league.arena_db, _EACH)):
        time.sleep(1)
    since, soaking_s = _last(league.arena_db), time.monotonic()
    memory = []
    while time.monotonic() < soaking_s + SOAKED_S:
        time.sleep(LOOK_S)
        memory.append(_megabytes(director_of(guard)))
    seen = {
        "accepted": HandIn.objects.filter(state=HandIn.ACCEPTED).count(),
        "accepted_s": accepted_s,
        "since": since,
        "first_mb": memory[FIRST_LOOKS],
        "growth": max(memory[FIRST_LOOKS:]) / memory[FIRST_LOOKS],
    }
    print(json.dumps(seen))


def ended(folder: Path, since: int) -> None:
    """Count the matches of a league that has ended; `since` is the last one before the hour."""
    from arena.league.folder import open_league
    from arena.league.settings import open_site

    league = open_league(folder)
    open_site(league)
    from arena.league.directing.standing import Standing
    from arena.results.store import Store

    with closing(Store(league.arena_db)) as store:
        event = store.latest_event()
        assert event is not None
        hour, every = Standing({}), list(store.matches(event.id))
        for match in every:
            if match.id > since:
                hour.add(match)
        pending = {int(key.split("/")[1][1:]) for key in store.begun(event.id)}
        doubled = len(every) - len({match.key for match in every})
    units = Counter(match.board for match in every)
    shares = {name: spent for name, spent in hour.seconds.items() if name.startswith("bot-")}
    mean = sum(shares.values()) / BOTS
    found = {
        "matches": sum(match.id > since for match in every),
        "off": max(abs(share / mean - 1) for share in shares.values()) if shares else 1.0,
        "lost": sum(played < 2 and unit not in pending for unit, played in units.items()),
        "doubled": doubled,
    }
    print(json.dumps(found))


def _are_regular(matches: list[tuple[int, ...]]) -> bool:
    """Whether each bot has played FRESH_MATCHES, after which all have the same share."""
    return len(matches) == BOTS and min(matches) >= (FRESH_MATCHES,)


def _last(path: Path) -> int:
    return int(_rows(path, "SELECT max(id) FROM match")[0][0])


_EACH = "SELECT count(*) FROM seat WHERE player LIKE 'bot-%' GROUP BY player"


def _rows(path: Path, query: str) -> list[tuple[int, ...]]:
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        try:
            return db.execute(query).fetchall()
        except sqlite3.OperationalError:  # its tables are being made
            return []


def _megabytes(pid: int) -> float:
    """Return the resident memory of a process."""
    fields = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return int(fields["VmRSS"].split()[0]) / 1024


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if sys.argv[1] == "ended":
        ended(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        live(Path(sys.argv[1]))

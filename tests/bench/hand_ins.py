"""Ten hand-ins at once in a league that plays: the time until each has its answer.

Four slots play a starter that thinks. A machine may have fewer cores: the director is given a false
number of them, and pins no process to a core. The CPU time of one examination is measured as well,
since it hardly depends on what else the machine does.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.figures import Figure

if TYPE_CHECKING:  # Django first wants its settings
    from arena.league.folder import League

PLAYING = 4
"""Slots with matches."""
QUEUE = 10
ANSWER_S = 60.0
"""Limit of the time until the last of them is answered."""
ALONE = 3
"""Examinations whose CPU time is measured."""
LONGEST_S = 900.0
LANGUAGES = ("python", "c")
_DIRECTOR = """
import os, runpy, sys
cores = set(range(int(sys.argv[2])))
os.sched_getaffinity = lambda _: cores
sys.argv = ["league", "director", sys.argv[1]]
runpy.run_module("arena.league", run_name="__main__")
"""


def hand_ins(folder: Path) -> Iterator[Figure]:
    """Yield the CPU time of an examination, and the times to the answers."""
    folder.chmod(0o755)
    for language in LANGUAGES:
        yield Figure(f"examination of a {language} bot: CPU", _alone(folder, language), "s")
    answers, matches = _queue(folder / "league")
    accepted = [after for after, state in answers if state == "accepted"]
    yield Figure(f"hand-ins accepted of {QUEUE}", len(accepted), "", least=QUEUE)
    yield Figure("the first of their answers", min(accepted), "s")
    yield Figure("the last of their answers", max(accepted), "s", most=ANSWER_S)
    yield Figure(f"matches on {PLAYING} slots meanwhile", matches, "")


def _alone(folder: Path, language: str) -> float:
    """Return the mean CPU time of examinations in s, of all processes together."""
    before = _children_s()
    subprocess.run(
        [sys.executable, "-m", "tests.bench.hand_ins", "alone", str(folder / language), language],
        check=True,
    )
    return (_children_s() - before) / ALONE


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _queue(folder: Path) -> tuple[list[tuple[float, str]], int]:
    """Return the time and state of each answer, and the number of matches meanwhile."""
    handing = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.hand_ins", "queue", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert handing.stdin is not None
    assert handing.stdout is not None
    if handing.stdout.readline() != "made\n":
        raise RuntimeError("no league was made")
    director = started_director(folder, PLAYING)
    try:
        said, _ = handing.communicate("go\n")
    finally:
        director.communicate(timeout=120)
    found = json.loads(said)
    return [(after, state) for after, state in found["answers"]], found["matches"]


def packed_starter(folder: Path, language: str, number: int) -> bytes:
    """Return the starter of a language as a zip, with a file that makes each another one."""
    import shutil

    from arena.bots.scaffold import write_bot

    bot = folder / f"{language}-{number}"
    write_bot(language, bot, "pente")
    source = next(bot.glob("main.*"))
    comment = "#" if language == "python" else "//"
    source.write_text(f"{source.read_text()}\n{comment} hand-in {number}\n")
    return Path(shutil.make_archive(str(bot), "zip", bot)).read_bytes()


def alone(folder: Path, language: str) -> None:
    """Examine some bots one after the other, as the director does."""
    from arena.league.folder import SEASON, new_league
    from arena.league.hand_ins.examiner import Examiner

    league = new_league(folder, "pente", "auto")
    examiner = Examiner()
    for number in range(ALONE):
        kept = league.files / str(number)
        kept.write_bytes(packed_starter(folder / "inbox", language, number))
        order = {
            "season": str(folder / SEASON),
            "seed": 1,
            "bots": str(league.bots),
            "archive": str(kept),
            "suffix": ".zip",
            "bot": f"bot-{number}",
            "playing": "",
            "cores": [],
        }
        examiner.begin(order)
        while (outcome := examiner.look()) is None:
            time.sleep(0.1)
        if outcome.end != "accepted":
            raise RuntimeError(f"{outcome}\n{examiner.lines}")
    examiner.close()


def league_with_slots(folder: Path, playing: int) -> "League":
    """Return a new league with this number of slots for matches, and one more for examinations."""
    from arena.league.folder import new_league
    from arena.league.settings import open_site

    league = new_league(folder, "pente", "auto")
    with (folder / "season.yaml").open("a") as season:
        season.write(f"slots: {playing + 1}\npin: none\n")
    open_site(league)
    return league


def started_director(folder: Path, playing: int) -> "subprocess.Popen[bytes]":
    """Start the director of this league; it finds one core for each slot."""
    command = [sys.executable, "-P", "-c", _DIRECTOR, str(folder), str(playing + 1)]
    return subprocess.Popen(command, stdin=subprocess.PIPE)


def queue(folder: Path) -> None:
    """Make a league; hand in while it plays; print when each answer came."""
    league = league_with_slots(folder, PLAYING)
    from arena.league.hand_ins.reception import new_bot, receive
    from arena.league.persons.people import add_person
    from arena.league.site.models import HandIn

    person = add_person("Olga", team="Blue")
    bots = []
    for number in range(QUEUE):
        owner = add_person(f"Person {number}", team=f"Team {number}")
        bots.append(new_bot(owner, owner.teams.get(), f"bot-{number}"))
    archives = [
        packed_starter(folder / "inbox", LANGUAGES[number % len(LANGUAGES)], number)
        for number in range(QUEUE)
    ]
    print("made", flush=True)
    sys.stdin.readline()
    _wait_for_matches(folder, 2 * PLAYING)
    before, begun_s = _matches(folder), time.monotonic()
    for bot, archive in zip(bots, archives, strict=True):
        receive(league, person, bot, "bot.zip", [archive])
    ends: dict[int, tuple[float, str]] = {}
    while len(ends) < QUEUE and time.monotonic() < begun_s + LONGEST_S:
        for number, state in HandIn.objects.exclude(ended=None).values_list("pk", "state"):
            ends.setdefault(number, (time.monotonic() - begun_s, state))
        time.sleep(0.2)
    print(json.dumps({"answers": list(ends.values()), "matches": _matches(folder) - before}))


def _wait_for_matches(folder: Path, most: int) -> None:
    until_s = time.monotonic() + LONGEST_S
    while _matches(folder) < most:
        if time.monotonic() > until_s:
            raise RuntimeError("the league plays no matches")
        time.sleep(0.2)


def _matches(folder: Path) -> int:
    """Return the number of matches that are kept."""
    import sqlite3
    from contextlib import closing

    if not (folder / "arena.db").exists():
        return 0
    with closing(sqlite3.connect(f"file:{folder / 'arena.db'}?mode=ro", uri=True)) as db:
        try:
            return int(db.execute("SELECT count(*) FROM match").fetchone()[0])
        except sqlite3.OperationalError:  # its tables are being made
            return 0


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if sys.argv[1] == "alone":
        alone(Path(sys.argv[2]), sys.argv[3])
    else:
        queue(Path(sys.argv[2]))

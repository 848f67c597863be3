"""Games of OpenSpiel in whole events, from the start of the command to its end."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tests.bench.figures import Figure

GAMES = {"tic_tac_toe": (2000, 3000), "chess": (40, 1000)}
"""Matches played, and the least plies per second, by game."""
_BOT = Path(__file__).parent.parent.parent / "bots/starter/c"


def open_spiel(folder: Path) -> Iterator[Figure]:
    """Yield plies per second of random matches with kept C bots on one slot."""
    for game, (matches, least) in GAMES.items():
        yield Figure(f"OpenSpiel, {game}, 1 slot", _rate(folder, game, matches), "/s", least=least)


def _rate(folder: Path, game: str, matches: int) -> float:
    database = folder / f"{game}.db"
    (folder / "event.yaml").write_text(
        f"name: bench\ngame: {{name: open_spiel/{game}}}\n"
        f"bots: [{{name: a, bot: {_BOT}}}, {{name: b, bot: {_BOT}}}]\n"
        f"repeat: {matches}\nrestart: never\nseed: 1\nisolation: none\nslots: 1\n"
    )
    command = [sys.executable, "-m", "arena", "tournament", "event.yaml", "--db", str(database)]
    begun = time.monotonic()
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    spent_s = time.monotonic() - begun
    with closing(sqlite3.connect(database)) as db:
        plies = db.execute("SELECT sum(plies) FROM match").fetchone()[0]
    return float(plies / spent_s)

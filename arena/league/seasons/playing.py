"""Ordinary events of a league, beside its season: finals and canary matches."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from arena.errors import UsageError
from arena.league.folder import League
from arena.league.seasons.next_season import config_values, written


def event_values(league: League, name: str) -> dict[str, Any]:
    """Return the keys of an event with the game, the limits and the house bots of the season."""
    values = config_values(league)
    kept = {key: value for key, value in values.items() if key != "seed"}
    return {**kept, "name": name, "format": "round_robin"}


def played(
    league: League, values: Mapping[str, Any], db: Path, output: TextIO | None = None
) -> None:
    """Play an event by `arena tournament`, or resume it; raises UsageError if it fails.

    What it prints goes to the user, or to the file `output`. Its config lies in the league's folder
    while it is played, since paths in it begin there.
    """
    config = league.folder / f".{values['name']}.yaml"
    config.write_text(written(values))
    command = [sys.executable, "-P", "-m", "arena", "tournament", str(config), "--db", str(db)]
    try:
        code = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
        ).returncode
    finally:
        config.unlink(missing_ok=True)
    if code != 0:
        raise UsageError(f"{values['name']} ended with exit code {code}; its output says why")

"""Prepared folders that were removed while an event is played, made again."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest
from arena.bots.prepare import prepare
from arena.errors import BotError, MachineError
from referee.job import Job

OWN_REMOVALS = 3
"""Limit of the times that the folder of a bot is made again that may have removed it itself."""


class PreparedFolders:
    """The folders of the bots of an event, in the cache of this machine.

    A user or a cleaner that empties the cache is no fault of a bot: without its folder, each would
    lose its matches unplayed.
    """

    def __init__(self, ways: Mapping[str, tuple[Manifest, BuildTerms]] | None = None) -> None:
        """Take the bot of each player by name, and the terms of its build."""
        self._ways = dict(ways or {})
        self._own_removals: Counter[str] = Counter()

    def restore(self, job: Job) -> None:
        """Make the missing folders of a match again; raises MachineError if one cannot be made."""
        for player in job.players:
            way = self._ways.get(player.name)
            if way is None or not player.folder or Path(player.folder).is_dir():
                continue
            if player.tier == "none":
                self._own_removals[player.name] += 1
                if self._own_removals[player.name] > OWN_REMOVALS:
                    continue
            _restore(player.folder, *way)


def _restore(folder: str, manifest: Manifest, terms: BuildTerms) -> None:
    gone = f"the prepared folder {folder} of {manifest.name} is gone"
    try:
        bot = prepare(manifest, Path(folder).parent, terms)
    except BotError as error:
        raise MachineError(f"{gone}, and cannot be made again: {error}") from None
    if str(bot.folder) != folder:
        raise MachineError(
            f"{gone}, and its files have changed; resume with --update to play it so"
        )

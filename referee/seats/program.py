"""The program of a player, in the words of its sandbox."""

from referee.cache import arena_cache
from referee.job import Player
from referee.sandbox.program import Program

ASKS_NOT = (
    "; if it starts other programs, its bot.yaml must say `processes: true`, and a script must"
    " start its last program by `exec`"
)
"""Advice for a bot that has probably been refused a process."""


def program_of(player: Player) -> Program:
    """Return a player's program and the files that it sees."""
    return Program(
        name=player.name,
        argv=player.argv,
        folder=player.folder,
        tier=player.tier,
        asks_for_processes=player.processes,
        has_scratch=player.scratch is not None,
        advice=ASKS_NOT,
        installations=player.installations,
        cache=arena_cache(),
        guests=player.guests,
    )

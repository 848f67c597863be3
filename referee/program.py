"""The program of a player, in the words of its sandbox."""

from referee.job import Player
from referee.sandbox.program import Program


def program_of(player: Player) -> Program:
    """Return a player's program and the files that it sees."""
    return Program(
        name=player.name,
        argv=player.argv,
        folder=player.folder,
        tier=player.tier,
        asks_for_processes=player.processes,
        has_scratch=player.scratch is not None,
        installations=player.installations,
        guests=player.guests,
    )

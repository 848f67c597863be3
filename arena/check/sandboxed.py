"""The sandbox of a bot under examination: the best of this machine, as in an event."""

from arena.bots.building import BuildTerms
from arena.bots.hiding import hidden_from
from arena.bots.manifest import Manifest
from arena.bots.prepare import prepare
from arena.errors import BotError
from arena.machine.tier_choice import placed
from arena.terminal.output import tell
from referee.job import Player


def tell_reduced(told: str) -> None:
    """Tell the user of a machine that refuses the best sandbox."""
    if "REDUCED" in told:
        tell(told)


def sandboxed(manifest: Manifest, name: str, terms: BuildTerms) -> tuple[Player, str]:
    """Build a bot; return it as a player in its sandbox, and the isolation as text.

    Raises ArenaError, also if the sandbox would hide its program.
    """
    bot = prepare(manifest, terms=terms)
    player, told = placed(bot.player(name), terms.isolation)
    hidden = hidden_from(manifest, bot.argv[0], (), terms.installations)
    if hidden is not None and terms.isolation != "none":
        raise BotError(manifest.name, f"{hidden}, or with --isolation none")
    return player, told

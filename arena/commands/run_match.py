"""Whether `arena match` resumes the event that it has begun before, or plays a new one."""

from collections.abc import Callable, Mapping

from arena.config.event import Config
from arena.errors import HeldEventError
from arena.event.resume.held_event import unfinished
from arena.results.store import Store
from arena.terminal.output import tell
from referee.job import Player


def play_quick(
    store: Store, config: Config, players: Mapping[str, Player], play: Callable[[bool], int]
) -> int:
    """Resume the event of the same `arena match` if it was interrupted, otherwise play a new one.

    A finished one is left alone: the same command then plays other matches. `play` is called with
    whether the event is new.
    """
    begun = unfinished(store, config, players)
    if begun is not None:
        try:
            tell(f"resumes event {begun.id}, which was interrupted; --new plays all matches again")
            return play(False)  # noqa: FBT003 - its only argument
        except HeldEventError:
            tell(f"event {begun.id} is being played by another process, so this is a new one")
    return play(True)  # noqa: FBT003 - its only argument

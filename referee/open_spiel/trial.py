"""The trial of a game with foreign parameters, in a process of its own.

OpenSpiel is C++: a parameter can make it take gigabytes, loop, or abort the process. So a random
game is played in a separate process, with limits of memory and CPU time, before the parameters are
accepted. `python -m referee.open_spiel.trial` is the process.
"""

import json
import random
import resource
import signal
import subprocess
import sys
from functools import lru_cache
from typing import Any, Final

from protocol.wording import shown
from referee.open_spiel.library import Loaded, load
from referee.open_spiel.texts import seen_texts

MEMORY_MB: Final = 1024
"""Limit of the memory of a trial."""
CPU_S: Final = 10
"""Limit of the CPU time of a trial."""
WALL_S: Final = 120
"""Limit of the duration of a trial: only a hang takes as long."""
PLIES: Final = 200
"""Limit of the plies of a trial."""
TEXT: Final = 1 << 16
"""Limit of a text of a position in characters, since it is part of messages."""
_MB: Final = 1 << 20
_REFUSED: Final = 3
"""Exit code after a refusal by OpenSpiel, with its text on stdout."""
_MEMORY: Final = 4
"""Exit code after the end of memory."""


class TrialError(Exception):
    """Unplayable parameters; the text has the reason."""


@lru_cache(maxsize=256)
def tried(name: str, parameters: tuple[tuple[str, Any], ...], seats: int) -> None:
    """Play a random game in another process; raises TrialError."""
    order = json.dumps([name, parameters, seats])
    command = [sys.executable, "-P", "-m", "referee.open_spiel.trial"]
    try:
        ended = subprocess.run(
            command,
            input=order,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=WALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TrialError(f"OpenSpiel does not end a trial in {WALL_S} s") from None
    if ended.returncode == _REFUSED:
        raise TrialError(f"OpenSpiel refuses it: {ended.stdout.strip()}")
    if -ended.returncode in (signal.SIGXCPU, signal.SIGKILL):
        raise TrialError(f"{PLIES} plies take more than {CPU_S} s of CPU time")
    if ended.returncode == _MEMORY:
        raise TrialError(f"a match takes more than {MEMORY_MB} MB of memory")
    if ended.returncode:
        raise TrialError(f"OpenSpiel crashes, within {MEMORY_MB} MB of memory")


def main() -> int:
    """Play the random game of the order on stdin."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB * _MB, MEMORY_MB * _MB))
    name, parameters, seats = json.load(sys.stdin)
    try:
        _play(load(name, tuple(map(tuple, parameters)), seats))
    except Exception as error:  # noqa: BLE001 - whatever OpenSpiel raises is its refusal
        if isinstance(error, MemoryError):
            return _MEMORY
        reason = shown(str(error).partition("\n")[0], 300)[1:-1]
        sys.stdout.buffer.write(reason.encode(errors="backslashreplace"))  # whatever the locale
        return _REFUSED
    return 0


def _play(loaded: Loaded) -> None:
    chance = random.Random(1)  # noqa: S311 - repeatable
    state, plies = loaded.game.new_initial_state(), 0
    while plies < PLIES and not state.is_terminal():
        player = state.current_player()
        if state.is_chance_node():
            actions = [action for action, part in state.chance_outcomes() if part > 0]
        else:
            actions = state.legal_actions()
            _look(loaded, state, player)
            plies += 1
        if not actions:
            raise ValueError("no action is legal, and the game is not over")
        for action in actions:
            state.action_to_string(player, action)
        state = state.clone()
        state.apply_action(chance.choice(actions))
    state.returns()


def _look(loaded: Loaded, state: Any, player: int) -> None:
    texts = [str(state), *seen_texts(loaded, state, player).values()]
    if (size := max(map(len, texts))) > TEXT:
        raise ValueError(f"a position has {size} characters; the limit is {TEXT}")


if __name__ == "__main__":
    sys.exit(main())

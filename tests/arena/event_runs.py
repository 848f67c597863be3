"""A small event, played by the function of a command: its config, output and types."""

from collections.abc import Callable

CONFIG = "name: cup\ngame: {name: pente}\nbots: [./ann, ./bob]\nseed: 5\nrepeat: 4\nslots: 1\n"
ISOLATION = "how bots are isolated, which depends on the machine"
PLAYED = "cup (event 1, seed 5)\n\nstandings by score:\n#  bot  score"

Play = Callable[..., int]
"""Plays the config, and returns the exit code."""
Said = Callable[[], tuple[str, list[str]]]
"""Returns the output since the last call, and its lines of stderr without the isolation."""

"""Settings of a player: values put into the command of its bot for a match.

A value takes the place of `{name}` in the command or in the arguments of the player. An engine
behind the bridge of UCI, USI or UCCI also gets it as the option with this name.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from referee.job import Player

Settings = Mapping[str, str]
_BRIDGE: Final = "uci_bridge.py"
_PLACE: Final = 2
"""Place of the settings of an engine, as JSON, in the command of its bridge."""
_MARK: Final = "+"
"""Between the hash of the settings and the content of a player without them."""
_DIGITS: Final = 16


def without_place(command: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the names of settings that change nothing in a command."""
    if _is_engine(command):
        return []
    return [name for name in names if not any(f"{{{name}}}" in word for word in command)]


def set_command(command: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Return the command with the values of its settings."""
    words = [_filled(word, settings) for word in command]
    if _is_engine(command) and settings:
        ways = json.loads(command[_PLACE])
        names = {name.lower(): name for name in ways["options"]}
        options = {
            names.get(name.lower(), name): int(text) if text.lstrip("-").isdecimal() else text
            for name, text in settings.items()
            if not any(f"{{{name}}}" in word for word in command[_PLACE + 1 :])
        }
        ways["options"] = {**ways["options"], **options}
        words[_PLACE] = json.dumps(ways)
    return tuple(words)


def with_settings(player: Player, settings: Settings) -> Player:
    """Return a player without settings as one with them; other settings, another content."""
    pairs = tuple(sorted(settings.items()))
    digest = hashlib.sha256(json.dumps(pairs).encode()).hexdigest()[:_DIGITS]
    return replace(
        player,
        argv=set_command(player.argv, settings),
        content=f"{digest}{_MARK}{player.content}",
        settings=pairs,
    )


def content_without_settings(content: str) -> str:
    """Return the content of a player as if it had no settings."""
    return content.rpartition(_MARK)[2]


def _filled(word: str, settings: Settings) -> str:
    for name, text in settings.items():
        word = word.replace(f"{{{name}}}", text)
    return word


def _is_engine(command: Sequence[str]) -> bool:
    return len(command) > _PLACE and PurePath(command[1]).name == _BRIDGE

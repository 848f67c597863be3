"""Values of a config given on a command line as KEY=VALUE."""

from collections.abc import Sequence
from typing import Any, Final

from arena.errors import ConfigError, Problem, UsageError
from arena.reading.source import parse_source
from protocol.wording import quoted

_ELSEWHERE: Final = frozenset(
    {
        "name",
        "game",
        "bots",
        "format",
        "repeat",
        "boards",
        "seats",
        "openings",
        "gate",
        "tune",
        "seed",
    }
)
"""Keys that a command has arguments and options for."""
_BESIDE: Final = frozenset({"openings.book", "openings.start"})
"""Keys beside those that such an option sets."""
_NESTED: Final = frozenset({"adjudicate"})
"""Keys with keys that have keys themselves."""


def read_assignment(text: str, option: str = "-o") -> tuple[str, Any]:
    """Return key and value of `key=value`, read as in a file; raises ConfigError about `option`."""
    key, equals, value = text.partition("=")
    if not key.strip() or not equals or not value.strip():
        raise ConfigError([Problem(option, f"must be key=value, not {quoted(text)}")])
    try:
        source = parse_source(f"value: {value}", option)
        found = source.problems
    except ConfigError as error:
        found = list(error.problems)
    if found:
        raise ConfigError([Problem(option, f"{quoted(text)}: {found[0].detail}")])
    return key.strip(), source.values()["value"]


def add_settings(values: dict[str, Any], settings: Sequence[str]) -> None:
    """Add the options -c of a command to the values of its config.

    `settings` are keys of the whole config, with a dot before a nested one, like
    `limits.memory=2GB`. Raises ConfigError, or UsageError for a key that the command has an option
    of its own for.
    """
    for setting in settings:
        key, value = read_assignment(setting, "-c")
        section, _, rest = key.partition(".")
        if section in _ELSEWHERE and key not in _BESIDE:
            raise UsageError(f"-c {key}: not for {section}, which the command sets itself")
        *above, last = key.split(".") if section in _NESTED else [section, *filter(None, [rest])]
        place: Any = values
        for part in above:
            place = place.setdefault(part, {}) if isinstance(place, dict) else None
        if isinstance(place, dict):
            place[last] = value

"""References of engines without a bot.yaml, with settings: uci:./engine?Hash=64&nodes=5000."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from pydantic import TypeAdapter, ValidationError

from arena.bots.engine_keys import FixedLimit, OptionNames
from arena.bots.protocols import BARE, Option
from arena.errors import BotError, UsageError
from protocol.wording import quoted

LIMITS: Final = ("nodes", "depth", "movetime")
"""Settings that fix the search and are no options; an option of such a name needs a bot.yaml."""
_NO_NAME = re.compile(r"[^A-Za-z0-9 ._+-]")
_SAFE: Final = "/:;,+<>() "
"""Characters of a value that are not %-encoded."""


@dataclass(frozen=True, kw_only=True)
class EngineReference:
    """An engine as named on a command line or in a config."""

    protocol: str
    program: str
    options: Mapping[str, Option] = field(default_factory=dict)
    go: str = ""


def engine_reference(reference: str, base: Path) -> EngineReference | None:
    """Return the parts of a reference; None for a bot that is no bare engine.

    A file whose name has a question mark is found, relative to `base`. Raises BotError.
    """
    protocol, colon, program = reference.partition(":")
    if not colon or protocol not in BARE:
        return None
    place, mark, query = program.partition("?")
    if not mark or _exists(base / program):
        return EngineReference(protocol=protocol, program=program)
    try:
        options, go = _read(query)
    except UsageError as error:
        raise BotError(reference, str(error)) from None
    return EngineReference(protocol=protocol, program=place, options=options, go=go)


def is_bare(reference: str) -> bool:
    """Whether a reference begins with a protocol, so that it names an engine without a bot.yaml."""
    return reference.partition(":")[0] in BARE


def settings_labels(references: Sequence[str]) -> list[str]:
    """Return the settings of each engine that not all have, as a part of a name; "" without any."""
    parts = [_parts(reference) for reference in references]
    common = set[str]().union(*parts).intersection(*parts)
    texts = (unquote(" ".join(part for part in own if part not in common)) for own in parts)
    return [" ".join(_NO_NAME.sub(" ", text).split()) for text in texts]


def _parts(reference: str) -> list[str]:
    return reference.partition("?")[2].split("&") if is_bare(reference) else []


def with_each(bots: Sequence[str], each: Sequence[str]) -> list[str]:
    """Return references with these settings, like Hash=64, added to all; own ones take precedence.

    Raises UsageError for a bot that is no bare engine.
    """
    return [_with_each(bot, each) for bot in bots] if each else list(bots)


def _with_each(bot: str, each: Sequence[str]) -> str:
    if not is_bare(bot):
        raise UsageError(
            f"--each sets options of engines named like uci:./engine, and {bot} is none; its own"
            " settings are in its bot.yaml"
        )
    own = {name.lower() for name, _ in _pairs(bot.partition("?")[2])}
    is_fixed = bool(own & set(LIMITS))
    parts = list(filter(None, _parts(bot)))
    for text in each:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise UsageError(f"--each is KEY=VALUE, like Hash=64 or nodes=5000, not {quoted(text)}")
        lower = name.strip().lower()
        if lower not in own and not (is_fixed and lower in LIMITS):
            parts.append(f"{quote(name.strip(), safe=_SAFE)}={quote(value.strip(), safe=_SAFE)}")
    return f"{bot.partition('?')[0]}?{'&'.join(parts)}" if parts else bot


def _read(query: str) -> tuple[dict[str, Option], str]:
    """Return the options and the fixed limit of a query; raises UsageError."""
    options: dict[str, Option] = {}
    limits: list[str] = []
    known: set[str] = set()
    for name, text in _pairs(query):
        if name.lower() in known:
            raise UsageError(f"{name} is set twice")
        known.add(name.lower())
        if name in LIMITS:
            limits.append(f"{name} {text}")
        else:
            options[name] = _value(text)
    if len(limits) > 1:
        raise UsageError(f"set one of {' and '.join(limits)}")
    try:
        options = TypeAdapter(OptionNames).validate_python(options)
        go = TypeAdapter(FixedLimit).validate_python(limits[0]) if limits else ""
    except ValidationError as error:
        raise UsageError(error.errors()[0]["msg"]) from None
    return options, go


def _pairs(query: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, query.split("&")):
        name, equals, value = part.partition("=")
        if not equals or not unquote(name).strip():
            detail = f"{quoted(part)} is no setting; write NAME=VALUE, with & between two of them"
            raise UsageError(detail)
        yield unquote(name).strip(), unquote(value).strip()


def _value(text: str) -> Option:
    if text in ("true", "false"):
        return text == "true"
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and digits.isascii() and len(digits) < 19 else text


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False

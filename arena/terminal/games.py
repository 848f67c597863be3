"""A game as text: its rules, options, notation and the fields of its messages."""

import inspect
import json
import sys
import typing
from collections.abc import Iterator
from dataclasses import MISSING, fields
from itertools import islice
from types import NoneType, UnionType
from typing import Any

from annotated_types import Interval

from arena.config.game_options import options_of
from arena.errors import UsageError
from arena.text import config_value
from protocol.wording import escaped
from referee.blame import rules_error
from referee.catalog import AnyGame, BrokenGameError, UnknownGameError, game_class
from referee.foreign import ELSEWHERE, FOREIGN
from referee.move_codec import MoveCodec
from referee.options import make_game
from referee.rules import wire_name
from referee.seeds import due_draws

EXAMPLES = 3
"""Number of moves shown in notation and as in a message."""
SEED = 1


def described(name: str, width: int | None = None) -> str:
    """Return the text about a game; raises UsageError, also if its rules fail."""
    if name == FOREIGN:
        raise UsageError(ELSEWHERE)
    try:
        return game_text(name, width)
    except (UnknownGameError, BrokenGameError) as error:
        raise UsageError(str(error)) from None
    except NotImplementedError as error:  # a part that a game of another package lacks
        raise UsageError(f"the game {name} is incomplete: {error}") from None
    except Exception as error:
        broken = rules_error(error)  # without a place, what a method returned is wrong
        what = broken.text if broken else f"{type(error).__name__}: {error}"
        check = f"`pytest --arena-game {name}` checks them"
        raise UsageError(f"the rules of {name} fail: {what}; {check}") from error


def game_text(name: str, width: int | None = None) -> str:
    """Return all about a game, its lines folded at `width`; raises UnknownGameError."""
    cls = game_class(name)
    game = make_game(name, {}).variants()[0][1]
    state = game.start(min(game.seats), SEED)
    for _, after in due_draws(game, state, SEED, 0):
        state = after
    rules = inspect.cleandoc(sys.modules[cls.__module__].__doc__ or cls.summary)
    if width is not None:
        rules = _joined(rules, width)
    moves = list(islice(game.legal(state), EXAMPLES))
    codec = MoveCodec(game)
    parts = [
        rules,
        "\n".join(["Options (-o KEY=VALUE, or `game` in a config):", *_options(cls)]),
        "\n".join(["Moves, in notation and in a `play` message:", *_fields(cls.move_type)]),
        "\n".join(
            f"  {game.notation(move)}  =  {json.dumps(codec.wire_move(move), ensure_ascii=False)}"
            for move in moves
        ),
    ]
    if cls.claims_type is not None:
        parts.append("\n".join(["Claims, all optional:", *_fields(cls.claims_type)]))
    if game.has_chance and cls.chance_type is not None:
        parts.append("\n".join(["Draws, made by the referee:", *_fields(cls.chance_type)]))
    if game.has_hidden_information:
        parts.append("Hidden information: a bot receives only what its seat may see.")
    view = ", ".join(game.view(state, game.turn(state)))
    is_shipped = cls.__module__.startswith("referee.games.")
    where = f'; their meaning: {cls.name} of "Messages and games" in the documentation'
    page = where if is_shipped else ""
    parts.append(f'Fields of `view`, if the bot wants "view": {view}{page}')
    return escaped("\n\n".join(parts), keep="\n")


def _joined(rules: str, width: int) -> str:
    """Return the rules with each line over `width` joined to the next of its paragraph."""
    lines = [""]
    last = ""
    for line in rules.splitlines():
        text = line.lstrip()
        if len(last) > width and text and not text.startswith("* "):
            lines[-1] += f" {text}"
        else:
            lines.append(line)
        last = line
    return "\n".join(lines[1:])


def _options(cls: type[AnyGame]) -> Iterator[str]:
    for option in options_of(cls):
        default = "required" if option.default is MISSING else f"default {_value(option.default)}"
        yield f"  {option.name}: {_kind(option.hint)}, {default}"
        if option.meaning:
            yield f"      {' '.join(option.meaning.split())}"
    if not options_of(cls):
        yield "  none"


def _fields(source: type) -> Iterator[str]:
    doc = inspect.cleandoc(source.__doc__ or "").partition("\n")[0]
    if doc and not doc.startswith(f"{source.__name__}("):  # the one that dataclasses write
        yield f"  {doc}"
    hints = typing.get_type_hints(source, include_extras=True)
    for field in fields(source):
        yield f"  {wire_name(field.name)}: {_kind(hints[field.name])}"


def _kind(hint: Any) -> str:
    """Return a type in the words of the wire."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        bounds = [_bounds(part) for part in inside[1:] if isinstance(part, Interval)]
        return " ".join([_kind(inside[0]), *bounds])
    if origin is typing.Literal:
        return " | ".join(map(_value, inside))
    if origin in (typing.Union, UnionType):
        return " | ".join(_kind(part) for part in inside if part is not NoneType)
    if origin in (tuple, list):
        parts = [_kind(part) for part in inside if part is not Ellipsis]
        return f"list of {parts[0]}" if Ellipsis in inside else f"[{', '.join(parts)}]"
    return {int: "integer", bool: "boolean", str: "text", float: "number"}.get(hint, str(hint))


def _bounds(interval: Interval) -> str:
    """Return the limits of a number, like `0..9`, or `0.. and less than 1`."""
    least = f"{interval.ge}.." if interval.ge is not None else ".."
    closed = least if interval.le is None else f"{least}{interval.le}"
    open_ = [f"more than {interval.gt}"] if interval.gt is not None else []
    open_ += [f"less than {interval.lt}"] if interval.lt is not None else []
    return " and ".join([*([closed] if closed != ".." else []), *open_])


def _value(value: object) -> str:
    return "none" if value is None else config_value(value)

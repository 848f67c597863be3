"""The specification agrees with the code: tables, limits, worked match."""

import re
from collections.abc import Iterator
from dataclasses import fields as dataclass_fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import annotated_types
import pytest
import worked_match
from pydantic.fields import FieldInfo

from protocol import codec, link, messages, vocabulary, zmtp
from protocol.messages import Message, PlayedMove, SeatClock, Times, Yes
from protocol.vocabulary import Termination
from referee.catalog import game_names
from referee.options import make_game
from referee.rules import wire_name
from referee.sandbox import Limits
from referee.seats import bot, bot_seat

TEXT = worked_match.SPEC.read_text()
SECTIONS = {
    title.strip("`"): body for title, body in re.findall(r"(?ms)^### (.+?)\n(.*?)(?=^##|\Z)", TEXT)
}
MODELS: dict[str, type[Message]] = {
    model.model_fields["type"].default: model
    for model in vars(messages).values()
    if isinstance(model, type) and issubclass(model, Message) and "type" in model.model_fields
}
MODELS |= {"played move": PlayedMove, "seat clock": SeatClock, "time control": Times}

Row = tuple[str, ...]


def _tables(body: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield the tables of a section: the first word of the header, and the rows."""
    for table in re.findall(r"(?m)(?:^\|.*\n?)+", body):
        header, _, *lines = table.strip().split("\n")
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        yield header.strip("| ").split()[0], rows


def _table(section: str, name: str) -> list[Row]:
    return dict(_tables(SECTIONS[section])).get(name, [])


def _described(hint: Any, limits: tuple[Any, ...] = ()) -> str:
    """Return a field's type in the words of the specification."""
    if get_origin(hint) is Annotated and hint is not Yes:
        inner, *metadata = get_args(hint)
        return _described(inner, (*metadata, *limits))
    if hint is int:
        return _integer(_limit(limits, "ge"), _limit(limits, "le"), _limit(limits, "lt"))
    if hint is str:
        return _text(_limit(limits, "max_length"))
    if get_origin(hint) is Literal:
        return " or ".join(f'"{word}"' for word in get_args(hint))
    if get_origin(hint) is tuple:
        return _list(get_args(hint), _limit(limits, "max_length"))
    if hint == dict[str, int]:
        hint = f"map of integer, {_limit(limits, 'max_length')} items"
    return _NAMES.get(hint, "map" if isinstance(hint, TypeVar) else str(hint))


_NAMES = {
    Yes: "true",
    bool: "bool",
    dict[str, Any]: "map",
    PlayedMove: "played move",
    SeatClock: "seat clock",
    Times: "time control",
    Termination: "termination",
}


def _integer(low: int | None, high: int | None, below: int | None) -> str:
    if low is None:
        return "integer"
    if low == high:
        return str(low)
    top = below - 1 if below is not None else high
    shown = {2**53: "2^53", 2**32 - 1: "2^32-1"}.get(top or 0, str(top))
    return f"integer {low}..{shown}"


def _text(longest: int | None) -> str:
    return f"text, {longest} characters" if longest is not None else "text"


def _list(items: tuple[Any, ...], longest: int | None) -> str:
    if items[-1] is not Ellipsis:
        return f"[{', '.join(map(_described, items))}]"
    text = f"list of {_described(items[0])}"
    return f"{text}, {longest} items" if longest is not None else text


def _limit(limits: tuple[Any, ...], name: str) -> int | None:
    for limit in limits:
        inner = limit.metadata if isinstance(limit, FieldInfo) else (limit,)
        for part in inner:
            if isinstance(part, annotated_types.BaseMetadata | annotated_types.GroupedMetadata):
                value: int | None = getattr(part, name, None)
                if value is not None:
                    return value
    return None


def _needed(hint: Any) -> Any:
    """Return a type hint without None."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    (needed,) = (part for part in get_args(hint) if part is not NoneType)
    return needed


def _cell(text: str) -> str:
    return re.sub(r"`", "", text)


@pytest.mark.parametrize("name", MODELS)
def test_the_table_of_a_message_is_its_model(name: str) -> None:
    hints = get_type_hints(MODELS[name], include_extras=True)
    expected = [
        (
            field,
            "required" if needed is hints[field] else "optional",
            f'"{name}"' if field == "type" else _described(needed),
        )
        for field in MODELS[name].model_fields
        for needed in (_needed(hints[field]),)
    ]

    rows = [
        (_cell(field), presence, _cell(kind)) for field, presence, kind, _ in _table(name, "field")
    ]

    assert rows == expected


@pytest.mark.parametrize("name", game_names())
def test_the_tables_of_a_game_are_its_dataclasses(name: str) -> None:
    game = make_game(name, {})
    moves = get_type_hints(game.move_type)
    claims = get_type_hints(game.claims_type) if game.claims_type else {}
    view = game.view(game.start(game.seats[0], 1), 0)

    assert [_cell(row[0]) for row in _table(name, "option")] == [
        field.name
        for field in dataclass_fields(game)  # type: ignore[arg-type]  # every game is a dataclass
    ]
    assert [(_cell(row[0]), row[1]) for row in _table(name, "move")] == [
        (wire_name(field), _described(hint)) for field, hint in moves.items()
    ]
    assert [(_cell(row[0]), row[1]) for row in _table(name, "claim")] == [
        (wire_name(field), _described(_needed(hint))) for field, hint in claims.items()
    ]
    kinds = {_cell(row[0]): row[1] for row in _table(name, "view")}
    assert list(kinds) == list(view)
    assert all(_fits(value, kinds[field]) for field, value in view.items())
    assert ("This game has no claims." in SECTIONS[name]) is (game.claims_type is None)


def _fits(value: Any, kind: str) -> bool:
    if kind.startswith("list of "):
        inner = kind.removeprefix("list of ")
        return isinstance(value, list) and all(_fits(item, inner) for item in value)
    if kind == "[integer, integer]":
        return [type(item) for item in value] == [int, int]
    return type(value) is {"integer": int, "text": str}[kind]


def test_every_termination_has_its_row() -> None:
    (table,) = (rows for word, rows in _tables(TEXT) if word == "word")

    assert {_cell(word): forfeit for word, _, forfeit in table} == {
        word.value: "yes" if word.is_forfeit else "" for word in Termination
    }


def test_the_limits_are_the_limits_in_the_code() -> None:
    (table,) = (rows for word, rows in _tables(TEXT) if word == "what" and len(rows[0]) == 3)
    limits = {what: _number(limit) for what, limit, _ in table}

    assert limits == {
        "a reply, `hello` included": codec.MAX_REPLY_BYTES,
        "a frame to the referee": link.FRAME_LIMIT,
        "frames of a message to the referee": 2,
        "ZMTP commands to the referee, heartbeats too, between two messages": zmtp.MAX_COMMANDS,
        "a call": codec.MAX_CALL_BYTES,
        "the list `legal` in a `move` call": messages.LEGAL_LIMIT_BYTES,
        "depth": vocabulary.MESSAGE_DEPTH,
        "names and other short texts": messages.MAX_TEXT,
        "`note`": messages.MAX_NOTE,
        "`value`": messages.MAX_VALUE,
        "`plan`": messages.MAX_PLAN,
        "`data`": messages.MAX_DATA,
        "a name in `data`": messages.MAX_DATA_NAME,
    }


def _number(text: str) -> int:
    found = re.match(r"[\d ]*\d", text)
    assert found is not None
    return int(found[0].replace(" ", ""))


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        (r"listens to up to (\d+) connections", link.MAX_CALLERS),
        (r"the (\d+)th stray of a match", bot_seat.MAX_STRAYS + 1),
        (r"It has (\d+) ms\s+from the reply", bot.EXIT_NS // 1_000_000),
        (r"keeps up to (\d+) KiB of", Limits().output_bytes // 1024),
        (r"more than \*\*(\d+)\*\* maps and lists", vocabulary.MESSAGE_DEPTH),
        (r"integer = -2\^(\d+)", vocabulary.MAX_INTEGER.bit_length() - 1),
    ],
)
def test_a_number_in_a_sentence_is_the_number_in_the_code(sentence: str, number: int) -> None:
    found = re.findall(sentence, TEXT)

    assert found == [str(number)]


def test_the_worked_match_is_the_match_of_the_referee() -> None:
    again = "run: PYTHONPATH=. python tests/protocol/worked_match.py"
    assert worked_match.filled(TEXT) == TEXT, again


def test_every_call_of_the_worked_match_fits_its_model() -> None:
    calls = [codec.decode(payload) for _, way, payload in worked_match.played() if way == "call"]

    for call in calls:
        messages.parse(MODELS[call["type"]], call)
    assert {call["type"] for call in calls} == {"ping", "init", "move", "term"}


def test_referenced_sections_exist() -> None:
    headings = set(re.findall(r"(?m)^## (\d+)\.", TEXT))

    assert set(re.findall(r"section (\d+)", TEXT)) <= headings
    assert headings == {str(number) for number in range(1, len(headings) + 1)}

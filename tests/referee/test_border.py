"""The border between wire and rules: models made of a game's dataclasses, strict in every type."""

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import pytest

from protocol.errors import MalformedError
from protocol.messages import parse
from referee.border import Border, wire_name
from referee.rules import Game


@dataclass(frozen=True)
class Move:
    from_: tuple[int, int]
    to: tuple[int, int]
    is_last: bool
    word: str
    times: int = 1


@dataclass(frozen=True)
class Claims:
    taken: tuple[tuple[int, int], ...] | None = None
    board: tuple[str, ...] | None = None
    victory: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Countdown:
    """All of a game that the border looks at: its types and its options."""

    move_type: ClassVar[type] = Move
    claims_type: ClassVar[type] = Claims

    size: int = 9
    share: float = 0.1
    rows: tuple[str, ...] | None = None


WIRE = {"from": (0, 1), "to": (2, 3), "is_last": False, "word": "up", "times": 3}
MOVE = Move((0, 1), (2, 3), is_last=False, word="up", times=3)


def border_of(**options: Any) -> Border:
    return Border(cast("Game[Any, Any]", Countdown(**options)))


def read(move: Any, **others: Any) -> Any:
    border = border_of()
    return parse(border.play_model, {"type": "play", "id": 1, "move": move, **others})


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in WIRE.items() if key != name}


def test_a_move_off_the_wire_becomes_the_move_of_the_rules() -> None:
    assert border_of().move(read(WIRE).move) == MOVE


def test_a_move_onto_the_wire_has_the_names_of_the_wire() -> None:
    assert border_of().wire_move(MOVE) == WIRE


def test_only_from_is_written_differently_in_python() -> None:
    assert wire_name("from_") == "from"
    assert wire_name("to") == "to"
    assert wire_name("is_last") == "is_last"


def test_a_field_with_a_default_may_be_left_out() -> None:
    assert border_of().move(read(without("times")).move).times == 1


@pytest.mark.parametrize("missing", ["from", "to", "is_last", "word"])
def test_a_field_without_a_default_may_not(missing: str) -> None:
    with pytest.raises(MalformedError, match=f"play.move.{missing}: missing"):
        read(without(missing))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("times", True),
        ("times", 1.0),
        ("times", "1"),
        ("times", None),
        ("times", (1,)),
        ("is_last", 0),
        ("is_last", 1),
        ("is_last", "true"),
        ("is_last", None),
        ("word", 1),
        ("word", None),
        ("word", ("u", "p")),
        ("from", (0,)),
        ("from", (0, 1, 2)),
        ("from", (0, True)),
        ("from", (0, "1")),
        ("from", "01"),
        ("from", {"0": 1}),
        ("from", 1),
        ("from", None),
        ("from_", (0, 1)),
        ("seat", 0),
    ],
)
def test_every_type_is_strict_and_a_refusal_names_the_field(field: str, value: Any) -> None:
    with pytest.raises(MalformedError, match=f"play.move.{field}"):
        read({**WIRE, field: value})


@pytest.mark.parametrize("move", [(), ("e5",), "e5", 5, True])
def test_a_move_is_a_map(move: Any) -> None:
    with pytest.raises(MalformedError, match=r"play\.move"):
        read(move)


def test_every_claim_may_be_left_out() -> None:
    border = border_of()

    assert border.claims(read(WIRE, claims={"victory": True}).claims) == Claims(victory=True)
    assert read(WIRE).claims is None


def test_omitted_claims_are_not_on_the_wire() -> None:
    border = border_of()

    assert border.wire_claims(Claims(victory=False)) == {"victory": False}
    assert border.wire_claims(Claims(taken=())) == {"taken": ()}
    assert border.wire_claims(Claims()) == {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("victory", 1),
        ("taken", ((1,),)),
        ("taken", 3),
        ("board", ("010", 1)),
        ("board", "010"),
        ("score", 3),
    ],
)
def test_claims_are_strict_too(field: str, value: Any) -> None:
    with pytest.raises(MalformedError, match=f"play.claims.{field}"):
        read(WIRE, claims={field: value})


def test_options_are_sent_with_fractions_as_text() -> None:
    border = border_of(size=3, share=0.25)

    assert border.wire_options() == {"size": 3, "share": "0.25", "rows": None}


def test_a_move_from_a_record_has_tuples_again() -> None:
    recorded = {**WIRE, "from": [0, 1], "to": [2, 3]}

    assert border_of().read_move(recorded) == MOVE


def test_equal_types_share_one_model() -> None:
    assert border_of(size=1).play_model is border_of(size=2).play_model


@dataclass(frozen=True)
class Step:
    """A move that can be read quickly: plain types without defaults."""

    from_: tuple[int, int]
    is_last: bool
    word: str


@dataclass(frozen=True, kw_only=True)
class Walk(Countdown):
    move_type: ClassVar[type] = Step
    claims_type: ClassVar[Any] = Claims


STEP = {"from": (0, 1), "is_last": True, "word": "up"}
PLAY = {"type": "play", "id": 1, "move": STEP}


@pytest.mark.parametrize("reply", [PLAY, {**PLAY, "note": "x" * 1024}, {**PLAY, "note": ""}])
def test_a_usual_reply_is_read_quickly_and_as_by_the_model(reply: Any) -> None:
    border = Border(cast("Game[Any, Any]", Walk()))

    assert border.quick is not None
    said = border.quick(reply)
    assert said is not None
    assert said == border.said(parse(border.play_model, reply))
    assert said.move == Step((0, 1), is_last=True, word="up")


@pytest.mark.parametrize(
    "reply",
    [
        {**PLAY, "type": "ready"},
        {"id": 1, "move": STEP, "note": ""},
        {**PLAY, "move": None},
        {**PLAY, "move": ("from", "is_last", "word")},
        {**PLAY, "move": {}},
        {**PLAY, "move": {**STEP, "more": 1}},
        {**PLAY, "move": {**STEP, "is_last": 1}},
        {**PLAY, "move": {**STEP, "word": 1}},
        {**PLAY, "move": {**STEP, "from": (0, 1.0)}},
        {**PLAY, "move": {**STEP, "from": (0, True)}},
        {**PLAY, "move": {**STEP, "from": (0, 1, 2)}},
        {**PLAY, "move": {"from": (0, 1), "is_last": True, "wrong": "up"}},
        {**PLAY, "note": "x" * 1025},
        {**PLAY, "note": 7},
        {**PLAY, "note": None},
        {**PLAY, "value": 1},
        {**PLAY, "plan": (STEP,)},
        {**PLAY, "data": {"depth": 1}},
        {**PLAY, "odd": 1},
        {**PLAY, "resign": True},
        {**PLAY, "claims": {"victory": True}},
        {"type": "play", "id": 1, "resign": True},
    ],
)
def test_every_other_reply_is_left_to_the_model(reply: Any) -> None:
    border = Border(cast("Game[Any, Any]", Walk()))

    assert border.quick is not None
    assert border.quick(reply) is None


def test_a_plan_has_moves_as_on_the_wire() -> None:
    border = border_of()
    model = parse(border.play_model, {"type": "play", "id": 1, "resign": True, "plan": (WIRE,)})

    assert border.said(model).remarks == {"plan": [WIRE]}


def test_moves_with_defaults_are_left_to_the_model() -> None:
    assert border_of().quick is None


def test_equal_moves_that_are_new_each_turn_are_packed_alike() -> None:
    border = border_of()

    first = border.packed_moves([Move((0, 1), (n, 3), is_last=False, word="up") for n in range(9)])
    again = border.packed_moves(Move((0, 1), (n, 3), is_last=False, word="up") for n in range(9))

    assert first == again
    assert len(set(first)) == 9

"""The border between wire and rules: models made of a game's dataclasses, strict in every type."""

from typing import Any

import pytest
from countdown import MOVE, WIRE, Claims, codec_of

from protocol.errors import MalformedError
from protocol.messages import parse
from referee.rules import wire_name


def read(move: Any, **others: Any) -> Any:
    codec = codec_of()
    return parse(codec.play_model, {"type": "play", "id": 1, "move": move, **others})


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in WIRE.items() if key != name}


def test_a_move_off_the_wire_becomes_the_move_of_the_rules() -> None:
    assert codec_of().move(read(WIRE).move) == MOVE


def test_a_move_onto_the_wire_has_the_names_of_the_wire() -> None:
    assert codec_of().wire_move(MOVE) == WIRE


def test_only_from_is_written_differently_in_python() -> None:
    assert wire_name("from_") == "from"
    assert wire_name("to") == "to"
    assert wire_name("is_last") == "is_last"


def test_a_field_with_a_default_may_be_left_out() -> None:
    assert codec_of().move(read(without("times")).move).times == 1


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
    codec = codec_of()

    assert codec.claims(read(WIRE, claims={"victory": True}).claims) == Claims(victory=True)
    assert read(WIRE).claims is None


def test_omitted_claims_are_not_on_the_wire() -> None:
    codec = codec_of()

    assert codec.wire_claims(Claims(victory=False)) == {"victory": False}
    assert codec.wire_claims(Claims(taken=())) == {"taken": ()}
    assert codec.wire_claims(Claims()) == {}


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
    codec = codec_of(size=3, share=0.25)

    assert codec.wire_options == {"size": 3, "share": "0.25", "rows": None}


def test_a_move_from_a_record_has_tuples_again() -> None:
    recorded = {**WIRE, "from": [0, 1], "to": [2, 3]}

    assert codec_of().read_move(recorded) == MOVE


def test_equal_types_share_one_model() -> None:
    assert codec_of(size=1).play_model is codec_of(size=2).play_model


def test_a_plan_has_moves_as_on_the_wire() -> None:
    codec = codec_of()
    model = parse(codec.play_model, {"type": "play", "id": 1, "resign": True, "plan": (WIRE,)})

    assert codec.to_reply(model).remarks == {"plan": [WIRE]}

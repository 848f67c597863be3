"""Arbitrary replies at every reply model and at the rules of every game.

A reply is accepted or malformed, a move is played or illegal: no other error may come of any.
"""

import contextlib
import time
from functools import cache
from typing import Any

import msgpack
import pytest
from every_game import Case, every_game, some_positions
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import decode
from protocol.errors import MalformedError, OversizeError
from protocol.messages import Bye, Hello, Message, Picture, Play, Pong, Ready, parse
from referee.move_codec import MoveCodec
from referee.rules import IllegalMoveError

MODELS: tuple[type[Message], ...] = (Hello, Ready, Play, Picture, Bye, Pong)
NAMES = tuple(sorted({name for model in MODELS for name in model.model_fields}))
EXAMPLES = settings().max_examples // 5
"""Fewer examples per game, as there are many games."""
HANG_S = 20.0
"""CPU time reached only by a hang."""

INTEGERS = st.integers(-12, 12) | st.integers(-(2**64), 2**64 - 1)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    INTEGERS.filter(lambda number: -(2**63) <= number < 2**64),
    st.text(max_size=30),
    st.floats(),
    st.binary(max_size=8),
    st.sampled_from(["hello", "ready", "play", "picture", "bye", "pong", "view", "x" * 2000]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=6) | st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)


@cache
def shaped(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Return maps with some of these fields, others besides, and any values."""
    return st.dictionaries(st.sampled_from(names) | st.text(max_size=4), VALUES, max_size=5)


def received(model: type[Message], fields: object) -> Message | None:
    """Return a reply as read by a referee; None if it is malformed or too large."""
    before, refusal, message = time.process_time(), "", None
    try:
        message = parse(model, decode(msgpack.packb(fields)))
    except (MalformedError, OversizeError) as error:
        refusal = str(error)
    assert time.process_time() - before < HANG_S
    assert len(refusal) < 2000, "a refusal fits into a record"
    return message


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@given(data=st.data())
def test_a_reply_is_accepted_or_malformed(model: type[Message], data: st.DataObject) -> None:
    kind = model.model_fields["type"].default
    fields = data.draw(shaped(NAMES))
    likely = {**fields, "type": kind, "id": 1, "protocol": 1, "token": "t", "board": ["1"]}
    names = [name for name in likely if name in model.model_fields or data.draw(st.booleans())]

    received(model, data.draw(VALUES))
    received(model, fields)
    received(model, {name: likely[name] for name in names})


@cache
def some(case: Case) -> list[Any]:
    """Return positions of a case with a seat to move."""
    return [state for state in some_positions(case) if case.game.outcome(state) is None]


@every_game
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_a_move_off_the_wire_is_played_or_illegal(case: Case, data: st.DataObject) -> None:
    game, codec = case.game, MoveCodec(case.game)
    state = data.draw(st.sampled_from(some(case)))
    example = msgpack.packb(codec.wire_move(next(iter(game.legal(state)))))
    fields: dict[str, Any] = {"type": "play", "id": 1, "move": data.draw(moves_like(example))}
    if data.draw(st.booleans()):
        fields["claims"] = data.draw(shaped(tuple(claim_names(codec))))
    reply = received(codec.play_model, fields)
    if not isinstance(reply, Play) or reply.move is None:
        return
    before = time.process_time()
    if reply.claims is not None:
        codec.wire_claims(game.normal_claims(codec.claims(reply.claims)))
    with contextlib.suppress(IllegalMoveError):
        game.apply(state, codec.move(reply.move))
    assert time.process_time() - before < HANG_S


@cache
def moves_like(packed: bytes) -> st.SearchStrategy[Any]:
    return likes(msgpack.unpackb(packed))


def likes(example: Any) -> st.SearchStrategy[Any]:
    """Return values of the shape of an example, and now and then any other."""
    if isinstance(example, dict):
        fields = st.fixed_dictionaries({name: likes(value) for name, value in example.items()})
        return fields | shaped(tuple(example))
    if isinstance(example, list | tuple):
        return st.tuples(*map(likes, example)).map(list) | VALUES
    usual = st.booleans() if isinstance(example, bool) else INTEGERS.filter(is_on_the_wire)
    return usual | usual | SCALARS


def is_on_the_wire(number: int) -> bool:
    return abs(number) <= 2**53


def claim_names(codec: MoveCodec) -> list[str]:
    kind = codec.play_model.model_fields["claims"].annotation
    models = [arg for arg in getattr(kind, "__args__", ()) if hasattr(arg, "model_fields")]
    return [name for model in models for name in model.model_fields] or ["victory"]

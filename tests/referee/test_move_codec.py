"""The border between wire and rules: models made of a game's dataclasses, strict in every type."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import pytest

from protocol.codec import decode, packed
from protocol.errors import MalformedError
from protocol.messages import parse
from protocol.vocabulary import Wire
from referee.games.pente import Pente
from referee.move_codec import MAX_REPLIES, MAX_SECTION, MoveCodec, MoveForms
from referee.rules import Game, wire_name


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
    """All of a game that the codec looks at: its types and its options."""

    move_type: ClassVar[type] = Move
    claims_type: ClassVar[type] = Claims

    size: int = 9
    share: float = 0.1
    rows: tuple[str, ...] | None = None


WIRE = {"from": (0, 1), "to": (2, 3), "is_last": False, "word": "up", "times": 3}
MOVE = Move((0, 1), (2, 3), is_last=False, word="up", times=3)


def codec_of(**options: Any) -> MoveCodec:
    return MoveCodec(cast("Game[Any, Any]", Countdown(**options)))


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


ONE_UP: dict[str, Wire] = {"from": (0, 1), "to": (2, 3), "is_last": False, "word": "up"}
PLAY = {"type": "play", "id": 300, "move": ONE_UP}
REPLIES = [
    PLAY,
    {"id": 300, "move": WIRE, "type": "play"},
    {**PLAY, "note": "x" * 1024},
    {**PLAY, "claims": {"victory": True}},
    {"type": "play", "id": 300, "resign": True},
    {"type": "play", "id": 300, "done": True},
]


class Noted(Countdown):
    """A game that writes its moves."""

    def notation(self, move: Move) -> str:
        return f"{move.word}{move.times}"


def noted() -> MoveCodec:
    return MoveCodec(cast("Game[Any, Any]", Noted()))


@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_is_read_as_by_the_model_each_time_and_with_each_id(reply: dict[str, Any]) -> None:
    codec = noted()
    expected = codec.to_reply(parse(codec.play_model, decode(packed(reply))))

    for number in (300, 300, 5, 70_000, 2**40):
        assert codec.read(packed({**reply, "id": number}), number) == expected


def test_a_longer_form_of_the_id_is_read_too() -> None:
    long_form = packed(PLAY).replace(packed(300), b"\xce\0\0\x01\x2c")

    assert noted().read(long_form, 300) == noted().read(packed(PLAY), 300)


@pytest.mark.parametrize(
    "reply",
    [
        {**PLAY, "type": "ready"},
        {"id": 300, "move": WIRE},
        {**PLAY, "move": None},
        {**PLAY, "move": ("from", "is_last", "word")},
        {**PLAY, "move": {**WIRE, "more": 1}},
        {**PLAY, "move": {**WIRE, "is_last": 1}},
        {**PLAY, "move": {**WIRE, "from": (0, True)}},
        {**PLAY, "note": "x" * 1025},
        {**PLAY, "note": 7},
        {**PLAY, "value": 1001},
        {**PLAY, "plan": ({},)},
        {**PLAY, "data": {"depth": True}},
        {**PLAY, "odd": 1},
        {**PLAY, "resign": True},
        {**PLAY, "id": 301},
        {**PLAY, "id": True},
        {**PLAY, "id": "300"},
        {**PLAY, "claims": {"victory": 1}},
    ],
)
def test_every_other_reply_is_left_to_be_explained(reply: dict[str, Any]) -> None:
    codec = noted()
    assert codec.read(packed(PLAY), 300) is not None

    for _ in range(2):
        assert codec.read(packed(reply), 300) is None


def test_a_plan_has_moves_as_on_the_wire() -> None:
    codec = codec_of()
    model = parse(codec.play_model, {"type": "play", "id": 1, "resign": True, "plan": (WIRE,)})

    assert codec.to_reply(model).remarks == {"plan": [WIRE]}


@pytest.mark.parametrize(
    "alter",
    [
        lambda good: good + b"\xc0",
        lambda good: good[:-1],
        lambda good: b"\x84" + good[1:] + packed("id") + packed(300),
        lambda good: b"\x84" + good[1:] + packed("move") + packed(WIRE),
        lambda good: good.replace(packed("up"), b"\xc4\x02up"),
        lambda good: good.replace(b"\xa4type", b"\0\0\0\0\0"),
        lambda good: good[:1],
    ],
)
def test_bytes_that_the_wire_does_not_allow_are_left_to_be_explained(
    alter: Callable[[bytes], bytes],
) -> None:
    codec, good = noted(), packed(PLAY)
    assert codec.read(good, 300) is not None

    for _ in range(2):
        assert codec.read(alter(good), 300) is None


def test_a_bot_with_a_new_note_each_turn_does_not_fill_the_memory() -> None:
    codec = noted()

    for number in range(MAX_REPLIES + 2):
        assert codec.read(packed({**PLAY, "note": f"{number}"}), 300) is not None

    assert len(codec._replies) <= MAX_REPLIES


def test_a_move_is_written_once_for_equal_replies() -> None:
    codec = noted()
    first, second = (codec.read(packed(PLAY), 300) for _ in range(2))
    assert first is not None
    assert second is not None

    written = codec.forms(first)

    assert written == MoveForms({**ONE_UP, "times": 1}, "up1", packed(written.wire))
    assert codec.forms(second) is written


def test_equal_moves_that_are_new_each_turn_are_packed_alike() -> None:
    codec = codec_of()

    first = codec.packed_moves([Move((0, 1), (n, 3), is_last=False, word="up") for n in range(9)])
    again = codec.packed_moves(Move((0, 1), (n, 3), is_last=False, word="up") for n in range(9))

    assert first == again
    assert len(set(first)) == 9


def test_the_legal_moves_of_a_game_with_few_are_packed_like_any_list() -> None:
    game, chance = Pente(), random.Random(7)
    codec, state = MoveCodec(game), game.start(2, 0)
    for _ in range(200):
        legal = list(game.legal(state))
        encoded = packed([codec.wire_move(move) for move in legal])
        assert codec.packed_choices(*game.choices(state)) == (len(legal), encoded)
        state = game.apply(state, chance.choice(legal)) if legal else game.start(2, 0)


def test_packed_sections_do_not_pile_up() -> None:
    game = Pente()
    codec, chance = MoveCodec(game), random.Random(7)
    moves, _ = game.choices(game.start(2, 0))
    for _ in range(2 * MAX_SECTION):
        flags = bytes(chance.choices((0, 1), k=len(moves)))
        codec.packed_choices(moves, flags)

    _, first = codec._sections[0]
    assert 0 < len(first) <= MAX_SECTION
    legal = [codec.wire_move(move) for move, flag in zip(moves, flags, strict=True) if flag]
    assert codec.packed_choices(moves, flags) == (len(legal), packed(legal))

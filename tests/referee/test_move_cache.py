"""Moves and replies known by their bytes: the same as without a cache, and never too many."""

import random
from collections.abc import Callable
from typing import Any, cast

import pytest
from countdown import WIRE, Countdown, Move, codec_of

from protocol.codec import decode, packed
from protocol.messages import parse
from protocol.vocabulary import Wire
from referee.games.pente import Pente
from referee.move_codec import MoveCodec, MoveForms
from referee.move_codec import codec_of as shared_codec
from referee.play import move_cache
from referee.play.history import History
from referee.play.move_cache import (
    CACHED_REPLY_BYTES,
    MAX_REPLIES,
    MAX_SECTION,
    MoveCache,
    cache_of,
)
from referee.play.move_calls import FastMoveCalls, MoveCalls
from referee.rules import Game

ONE_UP: dict[str, Wire] = {"from": (0, 1), "to": (2, 3), "is_last": False, "word": "up"}
PLAY = {"type": "play", "id": 300, "move": ONE_UP}
ID = packed("id") + packed(300)
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


NOTED = MoveCodec(cast("Game[Any, Any]", Noted()))


def noted() -> MoveCache:
    return MoveCache(NOTED)


@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_is_read_as_by_the_model_each_time_and_with_each_id(reply: dict[str, Any]) -> None:
    cache = noted()
    expected = NOTED.to_reply(parse(NOTED.play_model, decode(packed(reply))))

    for number in (300, 300, 5, 70_000, 2**40):
        assert cache.read(packed({**reply, "id": number}), number) == expected


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
    cache = noted()
    assert cache.read(packed(PLAY), 300) is not None

    for _ in range(2):
        assert cache.read(packed(reply), 300) is None


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
    cache, good = noted(), packed(PLAY)
    assert cache.read(good, 300) is not None

    for _ in range(2):
        assert cache.read(alter(good), 300) is None


def test_a_bot_with_a_new_note_each_turn_does_not_fill_the_memory() -> None:
    cache = noted()

    for number in range(MAX_REPLIES + 2):
        assert cache.read(packed({**PLAY, "note": f"{number}"}), 300) is not None
        assert len(cache._replies) <= MAX_REPLIES


def test_a_longer_reply_is_read_and_not_kept() -> None:
    cache = noted()
    bare = len(packed({**PLAY, "note": "x" * 32})) - len(packed("type") + packed("play") + ID)
    fits = CACHED_REPLY_BYTES - bare + 32
    for length, kept in ((fits + 1, 0), (1024, 0), (fits, 1)):
        assert cache.read(packed({**PLAY, "note": "x" * length}), 300) is not None
        assert len(cache._replies) == kept


def test_a_move_is_written_once_for_equal_replies() -> None:
    cache = noted()
    first, second = (cache.read(packed(PLAY), 300) for _ in range(2))
    assert first is not None
    assert second is not None

    written = NOTED.forms(first)

    assert written == MoveForms({**ONE_UP, "times": 1}, "up1", packed(written.wire))
    assert NOTED.forms(second) is written


def test_equal_moves_that_are_new_each_turn_are_packed_alike() -> None:
    cache = MoveCache(codec_of())

    first = cache.packed_moves([Move((0, 1), (n, 3), is_last=False, word="up") for n in range(9)])
    again = cache.packed_moves(Move((0, 1), (n, 3), is_last=False, word="up") for n in range(9))

    assert first == again
    assert len(set(first)) == 9


def test_moves_at_the_places_of_earlier_ones_are_not_those() -> None:
    codec = codec_of()
    cache = MoveCache(codec)
    for number in range(50):
        moves = [Move((number, 1), (n, 3), is_last=False, word="up") for n in range(4)]
        assert cache.packed_moves(moves) == [packed(codec.wire_move(move)) for move in moves]


def test_moves_that_are_new_each_turn_do_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(move_cache, "MAX_PACKED", 8)
    cache, sizes = MoveCache(codec_of()), set()
    for number in range(30):
        cache.packed_moves([Move((0, 1), (number, 3), is_last=False, word="up")])
        assert len(cache._moves) == len(cache._packed)
        sizes.add(len(cache._packed))

    assert sizes == {*range(1, 10)}, "it is emptied for the move after the one that fills it"


def listed(cache: MoveCache, moves: list[Move]) -> Any:
    """Some are known already, as after a move."""
    return cache.packed_moves(moves[:30]), cache.packed_moves(moves)


def chosen(cache: MoveCache, moves: list[Move]) -> Any:
    return cache.packed_choices(moves, bytes((1,) * len(moves)))


@pytest.mark.parametrize("pack", [listed, chosen])
def test_each_move_that_a_game_keeps_is_packed_once(
    monkeypatch: pytest.MonkeyPatch, pack: Callable[[MoveCache, list[Move]], Any]
) -> None:
    codec, written = codec_of(), list[Move]()
    write = codec.wire_move

    def noting(move: Move) -> dict[str, Wire]:
        written.append(move)
        return write(move)

    monkeypatch.setattr(codec, "wire_move", noting)
    cache = MoveCache(codec)
    moves = [Move((0, 1), (n, 3), is_last=False, word="up") for n in range(40)]

    assert pack(cache, moves) == pack(cache, moves)
    assert pack(cache, moves) == pack(cache, moves)
    assert written == moves


def test_the_legal_moves_of_a_game_with_few_are_packed_like_any_list() -> None:
    game, chance = Pente(), random.Random(7)
    codec, state = MoveCodec(game), game.start(2, 0)
    cache = MoveCache(codec)
    for _ in range(200):
        legal = list(game.legal(state))
        encoded = packed([codec.wire_move(move) for move in legal])
        assert cache.packed_choices(*game.choices(state)) == (len(legal), encoded)
        state = game.apply(state, chance.choice(legal)) if legal else game.start(2, 0)


def test_packed_sections_do_not_pile_up() -> None:
    game = Pente()
    codec, chance = MoveCodec(game), random.Random(7)
    cache = MoveCache(codec)
    moves, _ = game.choices(game.start(2, 0))
    for _ in range(2 * MAX_SECTION):
        flags = bytes(chance.choices((0, 1), k=len(moves)))
        cache.packed_choices(moves, flags)
        assert 0 < len(cache._sections[0][1]) <= MAX_SECTION

    legal = [codec.wire_move(move) for move, flag in zip(moves, flags, strict=True) if flag]
    assert cache.packed_choices(moves, flags) == (len(legal), packed(legal))


@pytest.mark.parametrize("way", [MoveCalls, FastMoveCalls])
def test_all_matches_of_a_game_share_its_codec(way: type[MoveCalls]) -> None:
    first, second = (way(Pente(), History(), {}) for _ in range(2))

    assert first._codec is second._codec is shared_codec(Pente())
    assert cache_of(Pente())._codec is first._codec

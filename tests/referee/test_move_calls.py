"""Calls for a move: what a bot receives of a position, the same plainly and fast."""

from collections.abc import Iterator
from typing import Any

import pytest
from fakes import MS

from protocol.codec import packed
from protocol.messages import parse
from protocol.vocabulary import Wire
from referee.games.damspel import Damspel
from referee.games.gomoku import Gomoku
from referee.games.pente import Pente
from referee.job import TimeControl
from referee.move_codec import MoveForms, MoveReply, codec_of
from referee.options import make_game
from referee.play import move_calls as subject
from referee.play.history import history_of
from referee.play.move_calls import FastMoveCalls, MoveCalls
from referee.rules import Game
from referee.seats.clock import Budget
from referee.seats.seat import OpenCall

pytestmark = pytest.mark.usefixtures("small_games")

BANK = TimeControl(bank_ns=9000 * MS, increment_ns=20 * MS)
ALL = ("clocks", "view", "legal")
both_ways = pytest.mark.parametrize("way", [MoveCalls, FastMoveCalls])
Way = type[MoveCalls]


def opened(way: Way, game: Game[Any, Any], *wants: str, **others: TimeControl) -> OpenCall[Any]:
    """Return the first call of seat 0; `others` is the time of seat 1."""
    history, state = history_of(game, (0, 1)), game.start(2, 1)
    times = (BANK, others.get("other", BANK))
    budgets = {seat: Budget(control) for seat, control in enumerate(times)}
    history.whole(0, state)
    return way(game, history, budgets).open(0, state, wants)


def sent(call: OpenCall[Any]) -> dict[str, bytes]:
    """Return the encoded value of each field."""
    return {name: packed(value) for name, value in call.fields.items()}


@both_ways
def test_a_call_has_the_wanted_fields_alone(way: Way) -> None:
    game = Damspel()
    state, codec = game.start(2, 1), codec_of(game)
    always = {"ply": packed(0), "opponent_moves": packed([]), "left_ms": packed(9000)}
    clock = {"left_ms": 9000, "increment_ms": 20}
    wanted = {
        "clocks": packed([{"seat": 0, **clock}, {"seat": 1, **clock}]),
        "view": packed(game.view(state, 0)),
        "legal": packed([codec.wire_move(move) for move in game.legal(state)]),
    }

    assert sent(opened(way, game)) == always
    assert sent(opened(way, game, *ALL)) == always | wanted
    for name, value in wanted.items():
        assert sent(opened(way, game, name)) == always | {name: value}


@both_ways
def test_the_clocks_are_of_the_seats_with_a_bank(way: Way) -> None:
    for other, clocks in (
        (TimeControl(bank_ns=500 * MS), [{"seat": 1, "left_ms": 500}]),
        (TimeControl(), []),
    ):
        found = sent(opened(way, Pente(), "clocks", other=other))["clocks"]

        assert found == packed([{"seat": 0, "left_ms": 9000, "increment_ms": 20}, *clocks])
    assert "clocks" not in opened(way, make_game("phantom", {}), *ALL).fields


@both_ways
def test_a_seat_in_this_process_gets_the_position_and_the_moves(way: Way) -> None:
    game, codec = Pente(), codec_of(Pente())
    history, budgets = history_of(game, (0, 1)), {0: Budget(BANK), 1: Budget(BANK)}
    calls, state = way(game, history, budgets), game.start(2, 1)
    history.whole(1, state)
    for ply in range(3):
        call = calls.open(1, state, ())
        assert (call.name, call.model, call.state) == ("move", codec.play_model, state)
        assert call.played == [{"seat": 0, "move": {"v": 0, "h": each}} for each in range(ply)]
        assert call.limit_ns == budgets[1].move_limit_ns
        wire: dict[str, Wire] = {"v": 0, "h": ply}
        history.add(0, MoveForms(wire, "", packed(wire)), None, None, None)
        state = state._replace(ply=ply + 1)
        budgets[1].charge_move(4000 * MS)


class Counted(Damspel):
    """A game that counts the legal moves that it has made."""

    made = 0

    def legal(self, state: Any) -> Iterator[Any]:
        for move in super().legal(state):
            type(self).made += 1
            yield move


@both_ways
@pytest.mark.parametrize("kind", [Counted, Gomoku])
def test_a_list_of_too_many_legal_moves_is_omitted_and_not_made(
    monkeypatch: pytest.MonkeyPatch, way: Way, kind: type[Game[Any, Any]]
) -> None:
    game: Game[Any, Any] = kind()
    moves = list(game.legal(game.start(2, 1)))
    legal = packed([codec_of(game).wire_move(move) for move in moves])
    for most, most_bytes, is_sent in (
        (len(moves), len(legal), True),
        (len(moves) - 1, len(legal), False),
        (len(moves), len(legal) - 1, False),
        (2, len(legal), False),
    ):
        monkeypatch.setattr(subject, "LEGAL_LIMIT", most)
        monkeypatch.setattr(subject, "LEGAL_LIMIT_BYTES", most_bytes)
        monkeypatch.setattr(Counted, "made", 0)
        found = sent(opened(way, game, "legal"))

        assert found.get("legal") == (legal if is_sent else None)
        assert found.get("legal_omitted") == (None if is_sent else packed(True))  # noqa: FBT003
        assert Counted.made <= most + 1


@both_ways
def test_a_reply_is_read_into_the_types_of_the_game(way: Way) -> None:
    game = Pente()
    history = history_of(game, (0, 1))
    history.whole(0, None)
    calls = way(game, history, {0: Budget(BANK)})
    fields = {"type": "play", "id": 7, "move": {"v": 0, "h": 3}, "note": "why"}
    call = calls.open(0, None, ())

    by_model = calls.reply(parse(call.model, fields))
    assert isinstance(by_model, MoveReply)
    assert codec_of(game).wire_move(by_model.move) == {"v": 0, "h": 3}
    assert by_model.remarks["note"] == "why"
    by_bytes = None if call.read is None else call.read(packed(fields), 7)
    assert by_bytes == (None if way is MoveCalls else by_model)
    if by_bytes is not None:
        assert calls.reply(by_bytes) is by_bytes

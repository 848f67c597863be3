"""The plain way of asking for moves and the fast one: the same bytes, records and results."""

from typing import Any

import msgpack
import pytest
from every_game import SEEDS, Case, every_game
from fakes import FIRST, FakeBot, Played, Say, play
from random_bots import Random, match_of

from arena.testing import cases_of
from protocol.codec import packed
from referee.catalog import open_spiel_names
from referee.job import TimeControl
from referee.open_spiel import MissingLibraryError
from referee.options import game_options
from referee.play.move_calls import FastMoveCalls, MoveCalls

HIDDEN = ("open_spiel/kuhn_poker", "open_spiel/matrix_rps", "open_spiel/backgammon")


def both_ways(case: Case, seed: int, **others: Any) -> tuple[Played, Played]:
    """Play a match of random bots plainly and fast."""
    plain, fast = (
        match_of(
            case,
            [Random(seed + seat, 3 + seat) for seat in range(case.seats)],
            seed,
            move_calls=way,
            **others,
        )
        for way in (MoveCalls, FastMoveCalls)
    )
    return plain, fast


def without_ids(match: Played) -> dict[int, list[bytes]]:
    """Return the messages of the referee but for their ids, which are drawn."""
    return {
        seat: [
            payload.replace(packed("id") + packed(msgpack.unpackb(payload).get("id")), b"", 1)
            for payload in sent
        ]
        for seat, sent in match.sent.items()
    }


def check(plain: Played, fast: Played) -> None:
    assert without_ids(plain) == without_ids(fast)
    assert plain.stored == fast.stored
    assert plain.verdict == fast.verdict


@every_game
def test_every_game_is_played_alike_in_both_ways(case: Case) -> None:
    can_show = any("display" in name for name in game_options(case.game))
    calm: dict[str, Any] = {"options": {"display": "off"}} if can_show else {}
    for seed in SEEDS:
        plain, fast = both_ways(case, seed, **calm)

        check(plain, fast)
        assert any(call.move is not None for call in plain.calls)


@pytest.mark.parametrize("name", HIDDEN)
def test_games_with_draws_and_hidden_or_simultaneous_moves_too(name: str) -> None:
    try:
        open_spiel_names()
    except MissingLibraryError as error:
        pytest.skip(str(error))
    for case in cases_of(name):
        check(*both_ways(case, 5))


REPLIES = {
    "malformed": {"type": "play", "move": {"v": 1}},
    "unknown field": play({"v": 0, "h": 0}, odd=1),
    "illegal": play({"v": 99, "h": 0}),
    "no message": Say(b"\xc1"),
    "remarks": play({"v": 0, "h": 0}, note="why", value=3, plan=[{"v": 1, "h": 1}]),
    "resignation": {"type": "play", "resign": True},
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_wrong_and_odd_replies_are_judged_alike(reply: Any) -> None:
    case = next(case for case in cases_of("pente"))
    time = TimeControl(bank_ns=10**9, increment_ns=10**6)
    plain, fast = (
        match_of(case, [FakeBot(FIRST, reply), FakeBot()], 3, move_calls=way, time=time)
        for way in (MoveCalls, FastMoveCalls)
    )

    check(plain, fast)

"""A match by rules that contradict themselves: void, with the contradiction, and nobody's fault."""

import math
from typing import Any

import pytest
from fakes import FakeBot, play, play_match

from referee.games.matchsticks import Claims, Matchsticks, Move, State
from referee.rules import BrokenRulesError, Outcome

SMALL = {"dimension": 2, "board": ["11", "11"]}
LONG = {"row": True, "line": 0, "start": 0, "end": 1}


def sticks(*bots: FakeBot) -> None:
    play_match(*bots, game="matchsticks", options=SMALL)


def test_a_bot_is_not_blamed_for_a_move_that_it_was_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Matchsticks(dimension=2, board=("11", "11"))
    offered = list(one.legal(one.start(2, 1)))
    monkeypatch.setattr(Matchsticks, "legal", lambda *_: iter(offered))
    long = play(LONG)

    with pytest.raises(BrokenRulesError) as caught:
        sticks(FakeBot(long), FakeBot(long))

    assert str(caught.value).startswith("`apply` refuses a move that `legal` yields: r0:0-1: ")


def test_the_rules_receive_a_move_between_its_two_positions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    completed, claims = Matchsticks.completed, Matchsticks.claims
    noted: list[tuple[str, int, Move, int | None]] = []

    def noting_completed(game: Matchsticks, state: State, move: Move) -> Move:
        noted.append(("completed", state.ply, move, None))
        return completed(game, state, move)

    def noting_claims(game: Matchsticks, before: State, move: Move, after: State) -> Claims:
        noted.append(("claims", before.ply, move, after.ply))
        return claims(game, before, move, after)

    monkeypatch.setattr(Matchsticks, "completed", noting_completed)
    monkeypatch.setattr(Matchsticks, "claims", noting_claims)
    backwards = {"row": True, "line": 1, "start": 1, "end": 0}
    last = play(backwards, claims={"board": ["00", "00"]})

    sticks(FakeBot(play(LONG)), FakeBot(last))

    assert noted == [
        ("completed", 0, Move(row=True, line=0, start=0, end=1), None),
        ("completed", 1, Move(row=True, line=1, start=1, end=0), None),
        ("claims", 1, Move(row=True, line=1, start=0, end=1), 2),
    ]


@pytest.mark.parametrize("seat", [2, -1, None])
def test_a_turn_of_no_seat_is_named(monkeypatch: pytest.MonkeyPatch, seat: int | None) -> None:
    monkeypatch.setattr(Matchsticks, "turn", lambda *_: seat)

    with pytest.raises(BrokenRulesError, match=f"`turn` is {seat}, with 2 seats"):
        sticks(FakeBot(), FakeBot())


def test_an_outcome_of_another_type_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Matchsticks, "outcome", lambda *_: (1, 0))

    with pytest.raises(BrokenRulesError, match=r"`outcome` is \(1, 0\), not an Outcome"):
        sticks(FakeBot(), FakeBot())


@pytest.mark.parametrize(
    ("points", "places", "reason"),
    [
        ((math.nan, 0), (1, 2), "over"),
        ((0.5, 0), (1, 2), "over"),
        ((10**400, 0), (1, 2), "over"),
        ((1,), (1,), "over"),
        ((1, 0), (0, 1), "over"),
        ((1, 0), (1, 2), ""),
        (None, (1, 2), "over"),
    ],
    ids=["nan", "fraction", "huge", "short", "places", "reason", "none"],
)
def test_an_outcome_that_no_record_can_have_is_named(
    monkeypatch: pytest.MonkeyPatch, points: Any, places: Any, reason: str
) -> None:
    monkeypatch.setattr(Matchsticks, "outcome", lambda *_: Outcome(points, places, reason))

    with pytest.raises(BrokenRulesError, match=r"^`outcome` needs whole points within .* not Outc"):
        sticks(FakeBot(), FakeBot())


@pytest.mark.parametrize("view", [None, [], {}, {"turn": 0.5}, {"rows": [b"x"]}, {1: 2}])
def test_a_view_that_no_message_may_have_is_named(
    monkeypatch: pytest.MonkeyPatch, view: Any
) -> None:
    monkeypatch.setattr(Matchsticks, "view", lambda *_: view)

    with pytest.raises(BrokenRulesError, match=r"^`view` for seat 0 returns "):
        sticks(FakeBot(), FakeBot())

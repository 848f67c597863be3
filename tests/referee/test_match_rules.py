"""A match by rules that contradict themselves: void, with the contradiction, and nobody's fault."""

import pytest
from fakes import FakeBot, play, play_match

from referee.games.matchsticks import Matchsticks
from referee.rules import BrokenRulesError

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

    with pytest.raises(BrokenRulesError, match="`apply` refuses a move that `legal` yields: "):
        sticks(FakeBot(long), FakeBot(long))


@pytest.mark.parametrize("seat", [2, -1, None])
def test_a_turn_of_no_seat_is_named(monkeypatch: pytest.MonkeyPatch, seat: int | None) -> None:
    monkeypatch.setattr(Matchsticks, "turn", lambda *_: seat)

    with pytest.raises(BrokenRulesError, match=f"`turn` is {seat}, with 2 seats"):
        sticks(FakeBot(), FakeBot())


def test_an_outcome_of_another_type_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Matchsticks, "outcome", lambda *_: (1, 0))

    with pytest.raises(BrokenRulesError, match=r"`outcome` is \(1, 0\), not an Outcome"):
        sticks(FakeBot(), FakeBot())

"""Facts about rivals: none by the match's id, names if allowed."""

import re
from collections.abc import Callable

import pytest
from fakes import FIRST, RESIGN, Fail, FailedBot, FakeBot, Say, play, play_match

from protocol.link import ClosedError
from protocol.messages import Init, Term


def test_the_id_of_a_match_says_nothing_and_is_the_same_again() -> None:
    ids = {
        (key, seat): play_match(FakeBot(), FakeBot(), max_plies=0, key=key, seed=seed)
        .told(seat, Init)[0]
        .match
        for key, seed in (("bot0,bot1/b0/0", 5), ("bot1,bot0/b0/0", 6))
        for seat in (0, 1)
    }

    assert len(set(ids.values())) == 4
    for said in ids.values():
        assert re.fullmatch("[0-9a-f]{32}", said)
    again = play_match(FakeBot(), FakeBot(), max_plies=0, key="bot0,bot1/b0/0", seed=5)
    assert again.told(1, Init)[0].match == ids["bot0,bot1/b0/0", 1]


def test_the_id_of_a_match_is_the_same_in_every_version() -> None:
    match = play_match(FakeBot(), FakeBot(), max_plies=0, seed=5)

    assert [match.told(seat, Init)[0].match for seat in (0, 1)] == [
        "95615a0e30e496e98cc34e87649f7492",
        "3c8c35313f4589d47b6fba7a9270383f",
    ]


FAULTS: dict[str, Callable[[], FakeBot | FailedBot]] = {
    "no fault": FakeBot,
    "resigns": lambda: FakeBot(RESIGN),
    "no show": FailedBot,
    "crash": lambda: FakeBot(Fail(ClosedError("gone"), ended="bot1 says exit code 1")),
    "unknown field": lambda: FakeBot(Say({"type": "play", "i am bot1": True})),
    "illegal": lambda: FakeBot(play({"row": True, "line": 9, "start": 0, "end": 0})),
    "false claim": lambda: FakeBot({**FIRST, "claims": {"board": ["bot1"]}}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_that_a_bot_receives_in_an_anonymous_game_names_another(fault: str) -> None:
    game = {"game": "matchsticks", "options": {"dimension": 4, "anonymous": True}}
    match = play_match(FakeBot(), FAULTS[fault](), key="bot0,bot1/b0/0", **game)

    assert match.told(0, Term)
    assert "bot1" not in " ".join(map(repr, match.heard[0]))
    assert match.told(0, Init)[0].players == ("bot0", "seat 1")
    if match.verdict.termination.is_forfeit:
        assert "bot1" in match.stored["verdict"]["reason"]
        assert match.told(0, Term)[0].reason == f"seat 1: {match.verdict.termination}"
    else:
        assert match.told(0, Term)[0].reason == match.verdict.reason

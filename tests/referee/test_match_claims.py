"""Claims, pictures and points of a match: how each is checked, kept and charged."""

from decimal import Decimal
from typing import Any

import pytest
from fakes import FIRST, MS, FakeBot, Say, play, play_match

from protocol.messages import Display, Term
from protocol.vocabulary import Termination
from referee.job import ScoreRule, TimeControl
from referee.options import make_game

STAR = {"game": "chinese_checkers", "options": {"game_size": 3, "max_rounds": 3}}
PASSING = {"game": "matchsticks", "options": {"dimension": 2, "board": ["11", "11"]}}
CORNER = play({"row": True, "line": 0, "start": 0, "end": 0})


TRUE_CLAIMS = {"captures": [], "victory": False}
FALSE_CLAIMS = [
    {"captures": [], "victory": True},
    {"captures": [[[0, 1], [0, 2]]], "victory": False},
    {"victory": True},
    {"captures": [[[0, 1], [0, 1]]]},
]


@pytest.mark.parametrize("policy", ["required", "checked", "ignored"])
def test_true_claims_are_kept_under_every_policy(policy: str) -> None:
    said = play({"v": 0, "h": 0}, claims=TRUE_CLAIMS)
    match = play_match(FakeBot(said), FakeBot(), claims=policy, max_plies=1)

    assert match.verdict.termination is Termination.ADJUDICATION
    assert match.stored["calls"]["claims"][2] == TRUE_CLAIMS


def test_a_move_without_claims_is_recorded_without_any() -> None:
    match = play_match(FakeBot(play({"v": 0, "h": 0})), FakeBot(), max_plies=1)

    assert "claims" not in match.stored["calls"]


@pytest.mark.parametrize(("ply", "legal"), [(0, "; 1 move is legal"), (1, "; 360 moves are legal")])
def test_an_illegal_move_is_reported_with_the_number_of_legal_ones(ply: int, legal: str) -> None:
    wrong = FakeBot(play({"v": 99, "h": 0}))
    match = play_match(*((wrong, FakeBot()) if ply == 0 else (FakeBot(), wrong)))

    (fault,) = match.verdict.faults
    assert fault.detail.endswith(legal)


def test_more_legal_moves_than_a_call_could_list_are_not_counted() -> None:
    huge = {"game": "matchsticks", "options": {"dimension": 64, "hole_fraction": 0}}
    nowhere = play({"row": True, "line": 64, "start": 0, "end": 0})

    match = play_match(FakeBot(nowhere, wants=()), FakeBot(wants=()), **huge)

    (fault,) = match.verdict.faults
    assert fault.detail.endswith("; at least 32768 moves are legal")


@pytest.mark.parametrize("claims", FALSE_CLAIMS)
@pytest.mark.parametrize("policy", ["required", "checked"])
def test_a_false_claim_forfeits(policy: str, claims: dict[str, Any]) -> None:
    match = play_match(FakeBot(play({"v": 0, "h": 0}, claims=claims)), FakeBot(), claims=policy)

    assert match.verdict.termination is Termination.FALSE_CLAIM
    assert match.verdict.offenders == (0,)
    assert match.verdict.points == (0, 5)


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        (FALSE_CLAIMS[0], "claimed victory true; true is false"),
        (FALSE_CLAIMS[1], "claimed captures [[[0, 1], [0, 2]]]; true is []"),
    ],
)
def test_a_false_claim_is_shown_in_the_form_of_the_message(
    claims: dict[str, Any], says: str
) -> None:
    match = play_match(FakeBot(play({"v": 0, "h": 0}, claims=claims)), FakeBot())

    assert match.verdict.faults[0].detail == f"0,0: {says}"


@pytest.mark.parametrize("claims", FALSE_CLAIMS)
def test_with_ignored_claims_a_false_one_is_only_recorded(claims: dict[str, Any]) -> None:
    match = play_match(
        FakeBot(play({"v": 0, "h": 0}, claims=claims)), FakeBot(), claims="ignored", max_plies=1
    )

    assert match.verdict.termination is Termination.ADJUDICATION
    assert match.stored["calls"]["claims"][2] == claims


@pytest.mark.parametrize(
    ("claims", "missing"),
    [
        (None, "captures is missing; true is []"),
        ({"victory": False}, "captures is missing; true is []"),
        ({"captures": []}, "victory is missing; true is false"),
    ],
)
def test_a_missing_claim_forfeits_where_claims_are_required(claims: Any, missing: str) -> None:
    reply = play({"v": 0, "h": 0}, **({"claims": claims} if claims else {}))
    strict = play_match(FakeBot(reply), FakeBot(), claims="required")
    lax = play_match(FakeBot(reply), FakeBot(), claims="checked", max_plies=1)

    assert strict.verdict.termination is Termination.FALSE_CLAIM
    assert strict.verdict.faults[0].detail == f"0,0: the claim {missing}"
    assert lax.verdict.termination is Termination.ADJUDICATION


def test_claimed_captures_count_in_any_order() -> None:
    line = [(0, 0), (0, 1), (5, 5), (0, 2), (0, 3)]
    taken = {"captures": [[[0, 2], [0, 1]]], "victory": False}
    moves = [play({"v": v, "h": h}) for v, h in line]
    moves[4] = {**moves[4], "claims": taken}

    match = play_match(FakeBot(*moves[::2]), FakeBot(*moves[1::2]), claims="checked", max_plies=5)

    assert match.verdict.termination is Termination.ADJUDICATION
    assert match.verdict.points == (1, 0)


def test_a_game_without_claims_has_none_to_require() -> None:
    match = play_match(FakeBot(), FakeBot(), game="damspel", claims="required", max_plies=2)

    assert match.verdict.termination is Termination.ADJUDICATION


def test_a_claim_in_a_game_without_claims_is_malformed() -> None:
    claiming = {**FIRST, "claims": {"victory": True}}
    match = play_match(FakeBot(claiming), FakeBot(), game="damspel")

    assert match.verdict.termination is Termination.MALFORMED


SHOWN: dict[str, Any] = {
    "game": "down_n_out",
    "options": {"rows": 3, "cols": 3, "colors": 2, "display": "check"},
}


def first_board() -> list[str]:
    game = make_game("down_n_out", SHOWN["options"])
    return list(game.picture(game.start(1, 11)))


def test_a_right_picture_is_kept_and_costs_only_its_time() -> None:
    picture = Say({"type": "picture", "board": first_board()}, wall_ms=4)
    match = play_match(
        FakeBot(display=picture), time=TimeControl(clock="wall"), max_plies=1, **SHOWN
    )

    assert match.verdict.termination is Termination.ADJUDICATION
    (shown,) = [call for call in match.calls if call.call == "display"]
    assert shown.picture == first_board()
    assert shown.charged_ns == 4 * MS
    assert len(match.told(0, Display)) == 1


@pytest.mark.parametrize(
    ("board", "termination"),
    [
        (["000", "000", "000"], Termination.FALSE_CLAIM),
        (first_board()[:2], Termination.FALSE_CLAIM),
        ([], Termination.FALSE_CLAIM),
        ([1, 2, 3], Termination.MALFORMED),
        ("".join(first_board()), Termination.MALFORMED),
    ],
)
def test_a_wrong_picture_forfeits(board: Any, termination: Termination) -> None:
    match = play_match(FakeBot(display={"type": "picture", "board": board}), **SHOWN)

    assert match.verdict.termination is termination
    assert match.verdict.faults[0].call == "display"


def test_the_points_become_scores_by_the_second_of_charged_time() -> None:
    timed = Say(play({"v": 0, "h": 0}), wall_ms=1500)
    match = play_match(
        FakeBot(timed),
        FakeBot(),
        time=TimeControl(clock="wall"),
        score=ScoreRule(per_second=Decimal(2)),
        max_plies=1,
    )

    # each: 1 ms of init and 1 ms of term; the first also its move
    assert match.verdict.points == (0, 0)
    assert match.verdict.scores == ("-3.004", "-0.004")


def test_the_points_become_scores_by_a_percentage_of_charged_time() -> None:
    slow = Say(FIRST, wall_ms=98)
    match = play_match(
        FakeBot(slow, {"type": "play", "done": True}),
        game="down_n_out",
        options={"rows": 1, "cols": 5, "colors": 2},
        board_seed=3,
        time=TimeControl(clock="wall"),
        score=ScoreRule(percent_per_ms=Decimal("0.1"), floor=Decimal(0)),
    )

    # 98 ms, and 1 ms each of init, done or nothing, and term: a tenth of the points is gone
    charged_ms = sum(call.charged_ns for call in match.calls) // MS
    points = match.verdict.points[0]
    assert points > 0
    assert Decimal(match.verdict.scores[0]) == points * (1 - Decimal(charged_ms) / 1000)


def test_term_has_the_scores_before_its_own_charge() -> None:
    match = play_match(
        FakeBot(),
        FakeBot(),
        time=TimeControl(clock="wall"),
        score=ScoreRule(per_second=Decimal(1)),
        max_plies=0,
    )

    assert match.told(0, Term)[0].scores == ("-0.001", "-0.001")
    assert match.verdict.scores == ("-0.002", "-0.002")

"""Ends of a match: every termination, in every order of events, with the points of each seat."""

from typing import Any

import pytest
from fakes import (
    DONE,
    FIRST,
    GARBAGE,
    MS,
    RESIGN,
    Fail,
    FailedBot,
    FakeBot,
    Hang,
    Played,
    Say,
    Stall,
    Step,
    play,
    play_match,
)

from protocol.errors import OversizeError
from protocol.link import ClosedError
from protocol.messages import Error, Init, Term
from protocol.vocabulary import Termination
from referee.job import TimeControl

CRASH = Fail(ClosedError("its process ended"), ended="signal SIGSEGV")
FAULTS: list[tuple[Step, Termination]] = [
    (Say(GARBAGE), Termination.MALFORMED),
    ({"type": "bye"}, Termination.MALFORMED),
    (Fail(OversizeError("a frame of 2000000 bytes")), Termination.OVERSIZE),
    (Hang(), Termination.TIMEOUT),
    (Hang(cpu_ms=1), Termination.TIMEOUT),
    (CRASH, Termination.CRASH),
    (Fail(ClosedError("closed its connection")), Termination.CRASH),
]
"""Faults possible in any call except term."""

THREE = {"game": "chinese_checkers", "options": {"game_size": 3, "max_rounds": 4}}
ALONE = {"game": "down_n_out", "options": {"rows": 3, "cols": 4, "colors": 2}}


def point(v: int, h: int, **others: Any) -> dict[str, Any]:
    return play({"v": v, "h": h}, **others)


def winner(*last: Step) -> FakeBot:
    """Return a bot that makes five in a row as seat 0; `last` replaces its last move."""
    line = [point(0, 0), *(point(v, 0) for v in range(3, 7))]
    return FakeBot(*line, *(last or [point(7, 0)]))


def loser(*moves: Step) -> FakeBot:
    """Return a bot that loses to `winner`; `moves` are its first."""
    line = [point(-9, h) for h in (-9, -7, -5, -3, -1)]
    return FakeBot(*moves, *line[len(moves) :])


def ending(match: Played) -> tuple[Termination, tuple[int, ...], tuple[int, ...]]:
    return match.verdict.termination, match.verdict.offenders, match.verdict.points


def test_a_match_ends_by_the_rules() -> None:
    match = play_match(winner(), loser())

    assert ending(match) == (Termination.NORMAL, (), (6, 0))
    assert match.verdict.reason == "five in a row"
    assert match.verdict.places == (1, 2)
    assert match.verdict.faults == ()
    assert match.dismissed == []


def test_the_same_match_gives_the_same_record() -> None:
    assert play_match(winner(), loser()).record == play_match(winner(), loser()).record


@pytest.mark.parametrize("absent", [0, 1])
def test_a_bot_that_does_not_show_up_forfeits(absent: int) -> None:
    bots: list[FakeBot | FailedBot] = [FakeBot(), FakeBot()]
    bots[absent] = FailedBot()

    match = play_match(*bots)

    assert match.verdict.termination is Termination.NO_SHOW
    assert match.verdict.offenders == (absent,)
    assert match.verdict.points[1 - absent] > match.verdict.points[absent] == 0
    assert match.verdict.reason == f"bot{absent}: never came"
    (fault,) = match.verdict.faults
    assert (fault.call, fault.ply) == ("start", 0)


def test_the_seats_that_arrived_still_receive_init_and_term() -> None:
    match = play_match(FakeBot(), FailedBot())

    assert [call.call for call in match.calls] == ["start", "init", "term"]
    (term,) = match.told(0, Term)
    assert term.termination is Termination.NO_SHOW
    assert term.offenders == (1,)


def test_without_any_arrival_no_seat_gets_points() -> None:
    match = play_match(FailedBot(), FailedBot())

    assert ending(match) == (Termination.NO_SHOW, (0, 1), (0, 0))
    assert match.verdict.places == (1, 1)
    assert match.verdict.reason == "bot0: never came"


@pytest.mark.parametrize(("step", "termination"), FAULTS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_in_init_forfeits(step: Step, termination: Termination, seat: int) -> None:
    bots = [FakeBot(), FakeBot()]
    bots[seat] = FakeBot(init=step)

    match = play_match(*bots)

    assert match.verdict.termination is termination
    assert match.verdict.offenders == (seat,)
    assert [fault.call for fault in match.verdict.faults] == ["init"]
    assert match.dismissed == [seat]
    assert len(match.told(1 - seat, Init)) == len(match.told(1 - seat, Term)) == 1
    assert match.told(seat, Term) == []


@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_in_the_pings_is_one_in_init(seat: int) -> None:
    bots = [FakeBot(), FakeBot()]
    bots[seat] = FakeBot(ping=CRASH)

    match = play_match(*bots)

    assert (match.verdict.termination, match.verdict.offenders) == (Termination.CRASH, (seat,))
    assert [fault.call for fault in match.verdict.faults] == ["init"]
    marked = [call for call in match.calls if call.fault]
    assert [(call.seat, call.call) for call in marked] == [(seat, "init")]


def test_both_may_fail_in_init_and_the_first_fault_is_the_termination() -> None:
    match = play_match(FakeBot(init=Hang()), FakeBot(init=CRASH))

    assert ending(match) == (Termination.TIMEOUT, (0, 1), (0, 0))
    assert match.verdict.reason.startswith("bot0: no reply to init")
    assert [fault.termination for fault in match.verdict.faults] == ["timeout", "crash"]


@pytest.mark.parametrize(
    ("step", "termination"), [*FAULTS, (point(1, 0), Termination.ILLEGAL_MOVE)]
)
def test_a_fault_at_the_first_move_forfeits(step: Step, termination: Termination) -> None:
    match = play_match(FakeBot(step), FakeBot())

    assert ending(match) == (termination, (0,), (0, 5))
    assert match.verdict.faults[0].call == "move"
    assert len(match.told(1, Term)) == 1


@pytest.mark.parametrize(
    ("step", "termination"), [*FAULTS, (point(3, 0), Termination.ILLEGAL_MOVE)]
)
def test_a_fault_at_the_winning_move_forfeits(step: Step, termination: Termination) -> None:
    match = play_match(winner(step), loser())

    assert ending(match) == (termination, (0,), (0, 5))
    assert match.verdict.faults[0].ply == 10
    assert match.calls[-2].fault == termination.value
    assert match.calls[-2].move is None


def test_a_winning_move_that_is_too_late_does_not_win() -> None:
    late = Say(point(7, 0), wall_ms=60, cpu_ms=60)
    control = TimeControl(per_move_ns=50 * MS, grace_ns=0)

    match = play_match(winner(late), loser(), time=control)

    assert ending(match) == (Termination.TIMEOUT, (0,), (0, 5))


@pytest.mark.parametrize(
    "move",
    [
        {"v": 10, "h": 0},
        {"v": -(2**53), "h": 2**53},
        {"v": 0, "h": 1},
    ],
)
def test_a_move_of_right_types_and_wrong_values_is_illegal(move: dict[str, int]) -> None:
    match = play_match(FakeBot(play(move)), FakeBot())

    assert match.verdict.termination is Termination.ILLEGAL_MOVE


@pytest.mark.parametrize(
    "reply",
    [
        play({"v": True, "h": 0}),
        play({"v": "0", "h": 0}),
        play({"v": 0}),
        play({"v": 0, "h": 0, "seat": 1}),
        play({"v": None, "h": 0}),
        play({"v": [0], "h": 0}),
        {"type": "play"},
        {"type": "play", "resign": False},
        {"type": "play", "resign": 1},
        {"type": "play", "resign": True, "move": {"v": 0, "h": 0}},
        {"type": "play", "resign": True, "claims": {"victory": True}},
        point(0, 0, elapsed_ms=0),
        point(0, 0, note="x" * 1025),
        point(0, 0, note=7),
        point(0, 0, claims={"victory": "yes"}),
        point(0, 0, claims={"draw": True}),
        point(0, 0, seat=1),
        {"type": "play", "move": [0, 0]},
    ],
)
def test_a_reply_of_wrong_types_is_malformed(reply: Step) -> None:
    match = play_match(FakeBot(reply), FakeBot())

    assert match.verdict.termination is Termination.MALFORMED
    assert match.verdict.offenders == (0,)


def test_a_resignation_loses_without_an_offender() -> None:
    match = play_match(FakeBot(FIRST, {**RESIGN, "note": "no hope"}), FakeBot())

    assert ending(match) == (Termination.RESIGNATION, (), (0, 5))
    assert match.verdict.reason == "resignation"
    assert match.calls[-3].resign is True
    assert match.calls[-3].note == "no hope"
    assert [len(match.told(seat, Term)) for seat in (0, 1)] == [1, 1]


def test_a_single_seat_may_be_done() -> None:
    match = play_match(FakeBot(FIRST, {**DONE, "note": "enough"}), **ALONE)

    assert match.verdict.termination is Termination.NORMAL
    assert (match.calls[-2].done, match.calls[-2].note) == (True, "enough")
    assert match.verdict.reason == "the bot was done"
    assert match.verdict.points[0] > 0


def test_a_seat_with_opponents_may_not_be_done() -> None:
    match = play_match(FakeBot(DONE), FakeBot())

    assert match.verdict.termination is Termination.MALFORMED
    assert match.verdict.reason == "bot0: play.done: only for games with one seat"


def test_a_fault_alone_leaves_the_points_so_far() -> None:
    match = play_match(FakeBot(FIRST, play({"row": 50, "col": 0})), **ALONE)

    assert match.verdict.termination is Termination.ILLEGAL_MOVE
    assert match.verdict.offenders == (0,)
    assert match.verdict.points[0] > 0


def test_after_the_last_ply_allowed_the_match_is_adjudicated() -> None:
    match = play_match(FakeBot(), FakeBot(), max_plies=3)

    assert match.verdict.termination is Termination.ADJUDICATION
    assert match.verdict.reason == "stopped by max_plies"
    assert sum(call.move is not None for call in match.calls) == 3
    assert match.verdict.places == (1, 1)


def test_a_match_without_a_limit_ends_after_very_many_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.job.MOST_MOVES", 4)

    match = play_match(FakeBot(), FakeBot())

    assert match.verdict.termination is Termination.ADJUDICATION
    assert sum(call.move is not None for call in match.calls) == 4


def test_a_game_that_ends_with_the_last_ply_allowed_ends_by_the_rules() -> None:
    assert play_match(winner(), loser(), max_plies=11).verdict.termination is Termination.NORMAL
    assert play_match(winner(), loser(), max_plies=10).verdict.termination == "adjudication"


@pytest.mark.parametrize(
    "step", [Hang(), CRASH, Say(GARBAGE), Fail(OversizeError("too much")), {"type": "pong"}]
)
def test_a_fault_in_term_costs_nothing_and_is_recorded(step: Step) -> None:
    bots = winner(), loser()
    bots[0].others["term"] = step

    match = play_match(*bots)

    assert ending(match) == (Termination.NORMAL, (), (6, 0))
    assert match.warnings.keys() == {0}
    assert match.warnings[0].startswith("term: ")
    assert match.dismissed == [0]
    assert len(match.told(1, Term)) == 1


def test_the_time_of_term_is_charged() -> None:
    bots = winner(), loser()
    bots[1].others["term"] = Say({"type": "bye"}, wall_ms=7, cpu_ms=7)

    match = play_match(*bots, time=TimeControl(clock="wall"))

    assert match.calls[-1].charged_ns == 7 * MS
    assert sum(call.charged_ns for call in match.calls if call.seat == 1) == 13 * MS


def test_in_a_game_of_three_the_others_continue_without_the_seat_at_fault() -> None:
    offender = FakeBot(FIRST, play({"from": [9, 9], "to": [0, 0]}))
    match = play_match(FakeBot(), offender, FakeBot(), **THREE)

    assert ending(match) == (Termination.NORMAL, (1,), (0, 0, 0))
    assert match.verdict.reason == "round limit"
    assert match.verdict.places == (1, 3, 1)
    assert [call.seat for call in match.calls if call.move is not None] == [
        0,
        1,
        2,
        0,
        2,
        0,
        2,
        0,
        2,
    ]
    assert match.told(1, Term) == []
    assert match.told(0, Term)[0].offenders == (1,)


def test_in_a_game_of_three_the_last_seat_wins() -> None:
    match = play_match(FakeBot(FIRST, Hang()), FakeBot(), FakeBot(Say(GARBAGE)), **THREE)

    assert ending(match) == (Termination.TIMEOUT, (2, 0), (0, 2, 0))
    assert match.verdict.reason.startswith("bot0: no reply to move")
    assert [fault.termination for fault in match.verdict.faults] == ["malformed", "timeout"]


def test_a_resignation_followed_by_further_moves_is_not_the_termination() -> None:
    match = play_match(FakeBot(RESIGN), FakeBot(), FakeBot(), **THREE)

    assert match.verdict.termination is Termination.NORMAL
    assert match.verdict.reason == "round limit"
    assert match.verdict.offenders == ()
    assert len(match.told(0, Term)) == 1


def test_a_resignation_that_leaves_one_seat_ends_a_game_of_three() -> None:
    match = play_match(FakeBot(Hang()), FakeBot(RESIGN), FakeBot(), **THREE)

    assert ending(match) == (Termination.RESIGNATION, (0,), (0, 0, 2))


def test_three_who_all_fail_get_nothing() -> None:
    match = play_match(FailedBot(), FakeBot(init=Hang()), FakeBot(init=CRASH), **THREE)

    assert ending(match) == (Termination.TIMEOUT, (0, 1, 2), (0, 0, 0))
    assert match.verdict.reason.startswith("bot1: ")
    assert match.verdict.places == (1, 1, 1)


def test_a_record_keeps_the_first_remarks_of_a_bot_that_makes_very_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.records.recorder.MAX_REMARKS", 130)
    talker = FakeBot(point(0, 0, note="x" * 50), point(5, 5, note="y" * 50), point(7, 7, note="z"))

    match = play_match(talker, FakeBot(point(1, 1, note="w" * 50)), max_plies=5)

    notes = [call.note for call in match.calls if call.move is not None]
    assert notes == ["x" * 50, "w" * 50, "y" * 50, None, None]


def test_the_bot_at_fault_receives_the_detail() -> None:
    match = play_match(FakeBot(point(1, 0)), FakeBot())

    (notice,) = match.told(0, Error)
    assert notice.code is Termination.ILLEGAL_MOVE
    assert "first stone" in notice.detail


def test_a_bot_that_hangs_through_a_stall_of_the_referee_loses() -> None:
    stalled = FakeBot([Stall(ms=5000), Hang()])

    match = play_match(stalled, FakeBot())

    assert match.verdict.termination is Termination.TIMEOUT
    assert match.verdict.offenders == (0,)

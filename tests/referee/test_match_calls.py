"""Calls of a match to its bots, and the checks of their claims."""

from typing import Any

import pytest
from fakes import (
    FIRST,
    MS,
    Fail,
    FakeBot,
    FakeClock,
    FakeProcess,
    Played,
    Say,
    ScriptedLink,
    play,
    play_match,
)

from protocol.link import ClosedError
from protocol.messages import Init, Move, PlayedMove, Term
from protocol.vocabulary import Seat, Termination
from referee.job import Job, Player, TimeControl
from referee.options import make_game
from referee.play.match import Match, match_id
from referee.seats.bot_seat import BotSeat
from referee.seats.seat import Answer, OpenCall
from referee.seats.stopwatch import Stopwatch
from referee.seeds import derive_seed

STAR = {"game": "chinese_checkers", "options": {"game_size": 3, "max_rounds": 3}}
PASSING = {"game": "matchsticks", "options": {"dimension": 2, "board": ["11", "11"]}}
CORNER = play({"row": True, "line": 0, "start": 0, "end": 0})


def moves_told(match: Played, seat: int) -> list[list[tuple[int, Any]]]:
    """Return the moves of the others as sent to a bot, call by call."""
    calls = [*match.told(seat, Move), *match.told(seat, Term)]
    return [[(told.seat, told.move) for told in call.opponent_moves] for call in calls]


def moves_made(match: Played) -> list[tuple[int | None, Any]]:
    return [(call.seat, call.move) for call in match.calls if call.move is not None]


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_each_bot_receives_every_move_of_the_others_once(seats: int) -> None:
    match = play_match(*[FakeBot() for _ in range(seats)], **STAR)

    made = moves_made(match)
    assert len(made) == 3 * seats
    for seat in range(seats):
        own = [ply for ply, (mover, _) in enumerate(made) if mover == seat]
        since = [-1, *own]
        until = [*own, len(made)]
        expected = [made[last + 1 : now] for last, now in zip(since, until, strict=True)]
        assert moves_told(match, seat) == expected


def test_a_retired_seat_has_no_moves_to_report() -> None:
    match = play_match(
        FakeBot(), FakeBot(FIRST, Fail(ClosedError("gone"), ended="exit code 1")), FakeBot(), **STAR
    )

    made = moves_made(match)
    assert [seat for seat, _ in made] == [0, 1, 2, 0, 2, 0, 2]
    assert moves_told(match, 0) == [[], made[1:3], [made[4]], [made[6]]]
    assert moves_told(match, 2) == [made[:2], [made[3]], [made[5]], []]


def test_the_opponent_of_a_resignation_receives_no_move() -> None:
    match = play_match(FakeBot(FIRST, {"type": "play", "resign": True}), FakeBot())

    assert moves_told(match, 0) == [[], [(1, {"v": -9, "h": -9})], []]
    assert moves_told(match, 1) == [[(0, {"v": 0, "h": 0})], []]


def test_a_move_in_an_odd_form_reaches_the_opponent_in_the_usual_one() -> None:
    backwards = play({"row": False, "line": 0, "start": 1, "end": 0})
    by_column = play({"row": False, "line": 1, "start": 1, "end": 1})

    match = play_match(FakeBot(backwards, FIRST), FakeBot(by_column), **PASSING)

    assert moves_told(match, 1)[0] == [(0, {"row": False, "line": 0, "start": 0, "end": 1})]
    assert moves_told(match, 0)[1] == [(1, {"row": True, "line": 1, "start": 1, "end": 1})]


HISTORY: tuple[dict[str, Any], ...] = (
    {"seat": 0, "move": {"v": 0, "h": 0}},
    {"seat": 1, "move": {"v": 4, "h": 4}},
    {"seat": 0, "move": {"v": -5, "h": 3}},
)


def test_an_opening_is_sent_in_init_only() -> None:
    match = play_match(FakeBot(), FakeBot(), history=HISTORY, max_plies=2)

    for seat in (0, 1):
        (init,) = match.told(seat, Init)
        assert init.history == tuple(PlayedMove(**entry) for entry in HISTORY)
        assert init.view["ply"] == 3
    assert [call.seat for call in match.calls if call.move is not None] == [1, 0]
    assert [call.ply for call in match.told(1, Move)] == [3]
    assert moves_told(match, 1) == [[], [moves_made(match)[1]]]
    assert moves_told(match, 0) == [[moves_made(match)[0]], []]


def test_a_draw_of_an_opening_is_sent_in_init(small_games: None) -> None:
    del small_games
    history = ({"chance": True, "move": {"pips": 4}},)

    match = play_match(FakeBot(), FakeBot(), game="pig", history=history, max_plies=1)

    (begun,) = match.told(0, Init)[0].history
    assert (begun.seat, begun.chance, begun.move) == (None, True, {"pips": 4})


class Noting(BotSeat):
    """A bot in its seat that notes the position and the number of moves at each of its calls."""

    noted: list[tuple[str, int, int]]

    def ask(self, call: OpenCall[Any]) -> Answer[Any]:
        if call.name != "ping":
            self.noted.append((call.name, call.state.ply, len(call.played)))
        return super().ask(call)


def test_a_seat_in_this_process_has_the_position_of_each_call() -> None:
    players = tuple(Player(name=n, argv=("bot",), folder=".", content=n) for n in ("ann", "bob"))
    job = Job(key="k", game="pente", players=players, seed=1, board_seed=1, max_plies=3)
    clock, seats = FakeClock(), dict[Seat, Noting]()
    for seat in job.seats():
        process = FakeProcess()
        link = ScriptedLink(clock, process, FakeBot().answer)
        watch = Stopwatch(seat, process, job.time, clock)
        seats[seat] = Noting(seat, link, process, watch, wants=("legal",))
        seats[seat].noted = []

    Match(job, make_game("pente", {}), seats, lambda _: None).play(())

    assert seats[0].noted == [("init", 0, 0), ("move", 0, 0), ("move", 2, 2), ("term", 3, 3)]
    assert seats[1].noted == [("init", 0, 0), ("move", 1, 1), ("term", 3, 3)]


def test_init_has_all_facts_of_the_match() -> None:
    control = TimeControl(
        clock="wall",
        bank_ns=60_000 * MS,
        increment_ns=1 * MS,
        bank_moves=300,
        grace_ns=3 * MS,
        strikes=2,
        ponder=True,
    )

    match = play_match(FakeBot(), FakeBot(), time=control, max_plies=0, seed=5)

    first, second = (match.told(seat, Init)[0] for seat in (0, 1))
    assert (first.seat, second.seat, first.seats) == (0, 1, 2)
    assert first.players == ("bot0", "bot1")
    assert first.game == "pente"
    assert first.options == {"half_size": 9, "second_stone": "box5", "fours": "runs"}
    assert first.match == match_id(match.job, 0)
    assert first.view == {"turn": 0, "ply": 0, "pairs": (0, 0), "board": ("." * 19,) * 19}
    assert first.time.model_dump() == {
        "clock": "wall",
        "init_ms": 5000,
        "per_move_ms": 2000,
        "bank_ms": 60_000,
        "increment_ms": 1,
        "bank_moves": 300,
        "wall_bank_ms": 554_000,
        "display_ms": 1000,
        "term_ms": 1000,
        "grace_ms": 3,
        "strikes": 2,
        "ponder": True,
    }


def test_every_seat_has_its_own_seed_derived_from_the_match() -> None:
    match = play_match(FakeBot(), FakeBot(), max_plies=0, seed=5)
    seeds = [match.told(seat, Init)[0].seed for seat in (0, 1)]

    assert seeds == [derive_seed(5, "seat", seat, bits=32) for seat in (0, 1)]
    assert seeds[0] != seeds[1]


def test_without_a_bank_or_strikes_init_and_move_omit_them() -> None:
    match = play_match(FakeBot(), FakeBot(), max_plies=1)

    assert match.told(0, Init)[0].time.bank_ms is None
    assert match.told(0, Init)[0].time.increment_ms is None
    assert match.told(0, Init)[0].time.bank_moves is None
    assert match.told(0, Init)[0].time.strikes is None
    assert match.told(0, Move)[0].left_ms is None
    assert match.calls[2].left_ms is None


def test_the_rest_of_the_bank_is_sent_before_each_move_and_recorded_after_it() -> None:
    slow = [Say(FIRST, wall_ms=ms) for ms in (30.5, 10)]
    control = TimeControl(clock="wall", bank_ns=1000 * MS)

    match = play_match(FakeBot(*slow), FakeBot(), time=control, max_plies=4)

    assert [call.left_ms for call in match.told(0, Move)] == [1000, 969]
    assert [call.left_ms for call in match.calls if call.move is not None] == [969, 999, 959, 998]


def test_moves_of_an_opening_add_no_increment() -> None:
    control = TimeControl(clock="wall", bank_ns=1000 * MS, increment_ns=100 * MS)
    moves = [Say(FIRST, wall_ms=30)] * 2

    match = play_match(FakeBot(*moves), FakeBot(*moves), time=control, history=HISTORY, max_plies=4)

    assert [call.left_ms for seat in (0, 1) for call in match.told(seat, Move)] == [1000, 1070] * 2
    assert [call.left_ms for call in match.calls if call.move is not None] == [1070] * 2 + [
        1140
    ] * 2


@pytest.mark.parametrize("wants", [(), ("view",), ("legal",), ("view", "legal")])
def test_only_requested_fields_are_sent(wants: tuple[str, ...]) -> None:
    match = play_match(FakeBot(play({"v": 0, "h": 0}), wants=wants), FakeBot(), max_plies=1)

    (call,) = match.told(0, Move)
    assert (call.view is not None) == ("view" in wants)
    assert (call.legal is not None) == ("legal" in wants)
    assert call.legal_omitted is None
    if call.view:
        assert (call.view["turn"], call.view["ply"]) == (0, 0)
    if call.legal:
        assert call.legal == ({"v": 0, "h": 0},)


def test_a_too_long_list_of_legal_moves_is_omitted() -> None:
    huge = {"game": "matchsticks", "options": {"dimension": 64, "hole_fraction": 0}}
    match = play_match(FakeBot(CORNER), FakeBot(CORNER), max_plies=1, **huge)

    (call,) = match.told(0, Move)
    assert call.legal_omitted is True
    assert call.legal is None


def test_a_list_of_legal_moves_with_too_many_bytes_is_omitted() -> None:
    large = {"game": "matchsticks", "options": {"dimension": 24, "hole_fraction": 0}}
    match = play_match(FakeBot(CORNER), FakeBot(CORNER), max_plies=1, **large)

    assert match.told(0, Move)[0].legal_omitted is True


def test_term_has_the_result() -> None:
    match = play_match(FakeBot(FIRST, play({"v": 0, "h": 0})), FakeBot())

    (term,) = match.told(1, Term)
    assert term.termination is Termination.ILLEGAL_MOVE
    assert term.offenders == (0,)
    assert term.scores == ("0", "5")
    assert term.reason == match.verdict.reason
    assert term.last is True


def test_a_kept_bot_learns_that_more_matches_follow() -> None:
    match = play_match(FakeBot(), FakeBot(), max_plies=0, restart="never")

    assert match.told(0, Term)[0].last is False

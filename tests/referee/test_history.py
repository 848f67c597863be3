"""What a bot learns of a match: of its open moves, hidden ones, draws and simultaneous ones."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import msgpack
import pytest
from fakes import FakeBot, Played, play, play_match
from verifying import verify

from protocol.codec import packed
from protocol.messages import Error, Init, Message, Move, Term
from protocol.vocabulary import Seat, Termination, Wire
from referee.errors import BrokenMatchError
from referee.move_codec import MoveForms
from referee.play.history import History, history_of
from referee.records.calls import CHANCE
from referee.records.replay import ReplayError, steps
from referee.rules import Game

pytestmark = pytest.mark.usefixtures("small_games")

BOTH = ("legal", "view")


def cell(number: int, **others: Any) -> dict[str, Any]:
    return play({"cell": number}, **others)


def hand(name: str) -> dict[str, Any]:
    return play({"hand": name})


def pig(*bots: FakeBot, **others: Any) -> Played:
    return play_match(*bots or (FakeBot(), FakeBot()), game="pig", **others)


def entries(match: Played, seat: int) -> list[list[dict[str, Any]]]:
    """Return the lists of played moves that a bot received, one for each init, move and term."""
    found = []
    for call in match.heard[seat]:
        if isinstance(call, Init | Move | Term):
            told = call.history if isinstance(call, Init) else call.opponent_moves
            found.append([each.model_dump(exclude_none=True) for each in told])
    return found


def _without_id(call: Message) -> dict[str, Any]:
    """Return a call as received; its id is random, and says nothing."""
    return call.model_dump(exclude={"id"})


def open_history() -> History:
    """Return the history of a game without secrets, which is asked nothing else."""
    game = SimpleNamespace(has_hidden_information=False)
    return history_of(cast("Game[Any, Any]", game), (0, 1, 2))


def add(history: History, seat: Seat | None, number: int) -> None:
    wire: dict[str, Wire] = {"v": number}
    history.add(seat, MoveForms(wire, "", packed(wire)), None, None, None)


def plainly(history: History, seat: Seat) -> Any:
    return history.new_entries(seat, None)


def fast(history: History, seat: Seat) -> Any:
    return msgpack.unpackb(history.packed_entries(seat, None))


@pytest.mark.parametrize("take", [plainly, fast])
def test_a_seat_receives_each_open_move_of_the_others_once_and_never_its_own(
    take: Callable[[History, Seat], Any],
) -> None:
    history = open_history()
    for seat in range(3):
        assert history.whole(seat, None) == []
    received: list[list[list[int]]] = [[], [], []]
    for ply, seat in enumerate((0, 1, 2, 0, 1, 1, 2, 0)):
        entries = take(history, seat)
        assert all(entry["seat"] != seat for entry in entries)
        received[seat].append([entry["move"]["v"] for entry in entries])
        add(history, seat, ply)

    assert received == [[[], [1, 2], [4, 5, 6]], [[0], [2, 3], []], [[0, 1], [3, 4, 5]]]
    last = [[entry["move"]["v"] for entry in history.last_entries(seat)] for seat in range(3)]
    assert last == [[], [6, 7], [7]]


def test_the_history_of_an_open_match_has_the_moves_of_all_seats_and_the_draws() -> None:
    history = open_history()
    for seat in (0, None, 1):
        add(history, seat, 1)

    expected = [
        {"seat": 0, "move": {"v": 1}},
        {"chance": True, "move": {"v": 1}},
        {"seat": 1, "move": {"v": 1}},
    ]
    assert history.whole(0, None) == expected
    assert history.packed_entries(0, None) == packed([])
    add(history, None, 2)
    assert history.packed_entries(0, None) == packed([{"chance": True, "move": {"v": 2}}])


def test_the_entry_of_a_hidden_move_has_no_move() -> None:
    match = play_match(FakeBot(cell(4)), FakeBot(cell(4), cell(0)), game="phantom", max_plies=4)

    assert entries(match, 1)[:3] == [[], [{"seat": 0}], []]  # cell 4 was taken: the same seat again
    assert entries(match, 0)[2] == [{"seat": 1}, {"seat": 1}]
    moves = [call.move for call in match.calls if call.move is not None]
    assert moves == [{"cell": 4}, {"cell": 4}, {"cell": 0}, {"cell": 0}]  # the record has all
    bare = packed("opponent_moves") + packed([{"seat": 0}])
    assert any(bare in payload for payload in match.sent[1]), "as sent, not as read by the model"
    verify(match.record)


def test_nothing_that_a_bot_receives_depends_on_a_hidden_move() -> None:
    """The other seat moves elsewhere: the bot receives the same bytes, reasons included."""
    plays = [
        play_match(
            FakeBot(cell(first, note="a secret", plan=[{"cell": first}]), cell(99)),
            FakeBot(cell(4), wants=BOTH),
            game="phantom",
        )
        for first in (0, 1)
    ]

    one, other = ([_without_id(call) for call in match.heard[1]] for match in plays)
    assert one == other
    (term,) = plays[0].told(1, Term)
    assert term.reason == "seat 0: illegal_move"
    assert [error.code for error in plays[0].told(0, Error)] == [Termination.ILLEGAL_MOVE]
    assert "cell 99" in plays[0].verdict.reason  # for spectators


def test_the_game_decides_what_is_seen_of_a_move_by_the_positions_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noted: list[tuple[int, int, int, int]] = []

    def seen(_: Any, before: Any, move: Any, after: Any, seat: int) -> None:
        noted.append((before.ply, move.cell, after.ply, seat))

    monkeypatch.setattr("phantom.Phantom.seen", seen)

    play_match(FakeBot(cell(4)), FakeBot(cell(0)), game="phantom", max_plies=2)

    assert noted == [(0, 4, 1, 1), (1, 0, 2, 0)]


def test_a_history_omits_the_hidden_moves() -> None:
    history = ({"seat": 0, "move": {"cell": 4}}, {"seat": 1, "move": {"cell": 0}})
    match = play_match(FakeBot(), FakeBot(), game="phantom", history=history, max_plies=1)

    assert entries(match, 0)[0] == [{"seat": 0, "move": {"cell": 4}}, {"seat": 1}]
    assert entries(match, 1)[0] == [{"seat": 0}, {"seat": 1, "move": {"cell": 0}}]
    assert match.told(0, Move)[0].ply == 2
    verify(match.record)


def test_draws_before_the_first_move_stand_in_the_history() -> None:
    match = pig(max_plies=1)

    (init,) = match.told(0, Init)
    (begun,) = init.history
    assert begun.chance is True
    assert begun.seat is None
    assert begun.move["pips"] in range(1, 7)
    assert init.view["ply"] == 1
    assert match.calls[0].call == CHANCE
    assert match.calls[0].seat is None


def test_draws_in_a_row_are_sent_to_both_and_recorded() -> None:
    rolls, holds = play({"hold": False}), play({"hold": True})
    match = pig(FakeBot(rolls, holds), FakeBot(rolls, holds), options={"dice": 3}, max_plies=2)

    first = match.told(0, Init)[0].view["turn"]
    dice = [call.move for call in match.calls if call.call == CHANCE]
    later = [told for told in entries(match, first)[1:] if told]
    drawn = [each["move"] for told in later for each in told if each.get("chance")]
    assert drawn == dice[1:]
    assert len(dice) >= 2
    plies = [call.ply for call in match.calls if call.move is not None]
    assert plies == list(range(len(plies)))


def test_the_last_draw_comes_after_the_last_move() -> None:
    rolls, holds = play({"hold": False}), play({"hold": True})
    bots = [FakeBot(*[rolls, holds] * 20) for _ in range(2)]
    match = pig(*bots, options={"target": 1, "dice": 1}, max_plies=40)

    *_, last = (call for call in match.calls if call.move is not None)
    assert last.call == CHANCE
    assert match.verdict.termination is Termination.NORMAL
    assert entries(match, 0)[-1][-1] == {"chance": True, "move": last.move}
    verify(match.record)


def test_draws_depend_on_the_match_alone() -> None:
    """Not on the board, which a bot may know from another match, and not on what was played."""
    dice = [
        [call.move for call in pig(seed=seed, board_seed=board, max_plies=9).calls if call.move]
        for seed, board in ((1, 1), (1, 2), (2, 1), (3, 1))
    ]

    assert dice[0] == dice[1]
    assert len({repr(each) for each in dice}) == 3


def test_max_plies_counts_moves_alone() -> None:
    match = pig(options={"dice": 5}, max_plies=2)

    assert match.calls.moves == 2
    assert match.calls.plies > 2
    verify(match.record)


def test_a_replay_needs_no_seed_and_refuses_other_draws() -> None:
    match = pig(max_plies=4)
    reseeded = {**match.stored, "seed": "12345", "board_seed": "54321"}
    record = type(match.record).from_json(reseeded)
    verify(record)
    calls = list(record.calls)
    first = next(number for number, call in enumerate(calls) if call.call == CHANCE)
    for change, message in (
        ({"move": {"pips": 7}}, "no side with 7 pips"),
        ({"seat": 0}, "a draw is due"),
        ({"move": {"sides": 7}}, "not a move of pig"),
    ):
        call = match.record.calls[first]
        for name, value in change.items():
            setattr(call, name, value)
        with pytest.raises(ReplayError, match=message):
            list(steps(record.job, [call]))
    late = [call for call in record.calls if call.move is not None][-1]
    late.seat = None
    with pytest.raises(ReplayError, match="no draw is due"):
        list(steps(record.job, [*[c for c in record.calls if c.move is not None][:-1], late]))


@pytest.mark.parametrize("seats", [2, 3])
def test_simultaneous_moves_are_sent_when_the_round_is_closed(seats: int) -> None:
    bots = [FakeBot(hand(name), wants=BOTH) for name in ("rock", "paper", "scissors")[:seats]]
    match = play_match(*bots, game="roshambo", options={"rounds": 2})

    for seat in range(seats):
        first, second = match.told(seat, Move)
        assert first.opponent_moves == ()
        assert first.ply == seat
        assert {told.seat for told in second.opponent_moves} == {*range(seats)} - {seat}
        assert all(told.move is not None for told in second.opponent_moves)
        assert first.view["shown"] == ()
        last = entries(match, seat)[-1]
        assert {told["seat"] for told in last} == {*range(seats)} - {seat}
    verify(match.record)


def test_a_round_may_be_open_in_the_first_position() -> None:
    game = SimpleNamespace(
        has_hidden_information=True,
        is_round_open=lambda ply: ply < 2,
        seen=lambda _before, move, _after, _seat: move,
    )
    history = history_of(cast("Game[Any, Any]", game), (0, 1))
    assert [history.whole(seat, 0) for seat in (0, 1)] == [[], []]
    for seat in (0, 1):
        assert history.new_entries(seat, seat) == []
        wire: dict[str, Wire] = {"v": seat}
        history.add(seat, MoveForms(wire, "", packed(wire)), seat, wire, seat + 1)

    assert history.new_entries(0, 2) == [{"seat": 1, "move": {"v": 1}}]
    assert history.new_entries(1, 2) == [{"seat": 0, "move": {"v": 0}}]


def test_a_match_resumed_in_an_open_round_withholds_its_moves() -> None:
    history = ({"seat": 0, "move": {"hand": "rock"}},)
    match = play_match(FakeBot(), FakeBot(), game="roshambo", history=history)

    assert entries(match, 1)[0] == []
    assert entries(match, 1)[1] == []
    assert entries(match, 0)[0] == [{"seat": 0, "move": {"hand": "rock"}}]
    assert entries(match, 1)[2][0] == {"seat": 0, "move": {"hand": "rock"}}
    assert entries(match, 0)[1] == [{"seat": 1, "move": {"hand": "rock"}}]


def test_a_round_is_closed_by_a_fault() -> None:
    """The others play on; their moves before the fault are reported then."""
    bots = [FakeBot(), FakeBot(), FakeBot(play({"hand": "well"}))]
    match = play_match(*bots, game="roshambo", options={"rounds": 2})

    second = match.told(1, Move)[1]
    assert [told.seat for told in second.opponent_moves] == [0]
    assert match.verdict.offenders == (2,)
    verify(match.record)


def test_a_game_that_draws_without_end_voids_its_match() -> None:
    with pytest.raises(BrokenMatchError, match="endless draws without end: 10000 draws in"):
        play_match(FakeBot(play({"hold": False}), play({"hold": True})), FakeBot(), game="endless")

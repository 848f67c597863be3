"""The display after the last move of a match."""

from typing import Any

import pytest
from fakes import DONE, MS, RESIGN, FakeBot, Played, Say, play, play_match
from verifying import verify

from protocol.messages import Display, Message, Term
from protocol.vocabulary import Termination
from referee.games.down_n_out import DownNOut
from referee.job import TimeControl

OPTIONS = {"rows": 1, "cols": 4, "colors": 2, "display": "check"}
GAME = DownNOut(**OPTIONS)  # type: ignore[arg-type]  # as they are


def ends_after_two_moves(seed: int) -> bool:
    """Whether the board is 1122 or 2211, with a display due at the end and not in between."""
    state = GAME.start(1, seed)
    return state.displays == 1 | 1 << 4 and GAME.picture(state)[0] in ("1122", "2211")


SEED = next(filter(ends_after_two_moves, range(1000)))


class Shows(FakeBot):
    """Shows the correct board at the start, and then a scripted one."""

    def __init__(self, last: Any, *replies: Any) -> None:
        super().__init__(*replies)
        self._boards = [{"type": "picture", "board": list(GAME.picture(GAME.start(1, SEED)))}, last]

    def answer(self, call: Message) -> Any:
        return self._boards.pop(0) if isinstance(call, Display) else super().answer(call)


MOVES = (play({"row": 0, "col": 0}), play({"row": 0, "col": 2}))


def shown(last: Any, *replies: Any) -> Played:
    bot, control = Shows(last, *replies or MOVES), TimeControl(clock="wall")
    return play_match(bot, game="down_n_out", options=OPTIONS, board_seed=SEED, time=control)


@pytest.mark.parametrize("reply", [DONE, RESIGN])
def test_a_board_is_asked_for_once_if_no_move_follows(reply: Any) -> None:
    match = shown(None, reply)

    assert [call.call for call in match.calls] == ["init", "display", "move", "term"]


def test_the_board_after_the_last_move_is_asked_for_and_charged() -> None:
    match = shown(Say({"type": "picture", "board": ["0000"]}, wall_ms=5))

    kinds = [call.call for call in match.calls]
    assert kinds == ["init", "display", "move", "move", "display", "term"]
    assert match.calls[4].charged_ns == 5 * MS
    assert match.verdict.termination is Termination.NORMAL
    assert match.verdict.points == (8,)
    verify(match.record)


@pytest.mark.parametrize("board", [["0022"], [], ["0000", "0000"]])
def test_a_wrong_last_display_is_a_fault_and_keeps_the_points(board: list[str]) -> None:
    match = shown({"type": "picture", "board": board})

    assert match.verdict.termination is Termination.FALSE_CLAIM
    assert [(fault.call, fault.ply) for fault in match.verdict.faults] == [("display", 2)]
    assert match.verdict.points == (8,)
    assert match.verdict.reason == "bot0: the picture differs from the board"
    assert match.told(0, Term) == []
    assert match.dismissed == [0]
    verify(match.record)

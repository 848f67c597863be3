"""The record of a match that an error of its rules made void."""

from typing import Any

import fakes
import pytest
from fakes import FakeBot, played

from referee.errors import BrokenMatchError, LineLostError
from referee.job import Job, Player
from referee.play.match import Match
from referee.records import void_record
from referee.records.void_record import VoidRecord, is_of_rules
from referee.sandbox.errors import ExhaustedError

PLAYERS = tuple(Player(name=name, argv=(), folder="/", content=name) for name in ("ann", "bob"))
ROLL, HOLD = ({"type": "play", "move": {"hold": held}} for held in (False, True))


@pytest.fixture
def kept(small_games: Any, monkeypatch: pytest.MonkeyPatch) -> list[Match]:
    """Return the matches of the fakes, so that their errors can be recorded."""
    del small_games
    made: list[Match] = []

    class Kept(Match):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            made.append(self)

    monkeypatch.setattr(fakes, "Match", Kept)
    return made


def void_of(kept: list[Match], bug: str, *moves: Any) -> VoidRecord:
    options = {"bug": bug, "target": 1000}
    job = Job(
        key="ann,bob/b0/0", game="buggy", players=PLAYERS, seed=3, board_seed=4, options=options
    )
    with pytest.raises(KeyError) as caught:
        played(job, [FakeBot(*moves), FakeBot(*moves)])
    return VoidRecord.from_bytes(kept[-1].void_bytes(caught.value))


def test_a_void_match_keeps_its_game_seeds_moves_and_error(kept: list[Match]) -> None:
    void = void_of(kept, "hold", ROLL, ROLL, HOLD)

    job = void.record.job
    assert (job.game, job.options["bug"], job.seed, job.board_seed) == ("buggy", "hold", 3, 4)
    assert void.move == {"hold": True}
    made = [call.notation for call in void.record.calls if call.move]
    assert made == [call.notation for call in kept[-1].recorder.calls if call.move]
    assert "roll" in made
    assert "hold" not in made
    assert void.record.verdict.termination == "void"
    assert void.traceback.startswith("Traceback (most recent call last):\n")
    assert "in apply\n" in void.traceback
    assert void.traceback.endswith("KeyError: 'boom in hold'\n")


def test_an_error_without_a_move_names_none(kept: list[Match]) -> None:
    assert void_of(kept, "die", *[ROLL] * 99).move is None
    assert void_of(kept, "legal", *[ROLL] * 99).move is None


def test_a_move_that_the_rules_cannot_write_is_left_out(
    kept: list[Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    void_of(kept, "hold", ROLL, HOLD)
    monkeypatch.setattr("referee.move_codec.MoveCodec.wire_move", lambda *_: 1 / 0)

    assert VoidRecord.from_bytes(kept[-1].void_bytes(KeyError("boom"))).move is None


def test_the_lines_lead_to_the_error(kept: list[Match]) -> None:
    lines = void_of(kept, "hold", ROLL, HOLD).lines()

    assert lines[1].startswith("moves so far: (a draw) ")
    assert not any("seed" in line for line in lines)
    assert lines[2] == "the rules raised an error about the move {'hold': True}"
    assert lines[-1] == "KeyError: 'boom in hold'"
    assert all(line.isprintable() for line in lines)


def test_a_record_above_the_limit_is_kept_without_moves(
    kept: list[Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(void_record, "MAX_VOID_BYTES", 100)

    void = void_of(kept, "hold", ROLL, HOLD)

    assert list(void.record.calls) == []
    assert void.move == {"hold": True}


def test_a_long_error_is_cut(kept: list[Match]) -> None:
    void_of(kept, "hold", ROLL, HOLD)

    void = VoidRecord.from_bytes(kept[-1].void_bytes(KeyError("x" * 10**6)))

    assert len(void.traceback) == void_record.MAX_TRACEBACK
    assert len(void.record.verdict.reason) <= void_record.MAX_TRACEBACK


def test_only_errors_of_rules_are_recorded() -> None:
    assert is_of_rules(KeyError("boom"))
    assert is_of_rules(BrokenMatchError("pig draws without end"))
    assert not is_of_rules(LineLostError("a line was lost"))
    assert not is_of_rules(ExhaustedError("too few processes"))

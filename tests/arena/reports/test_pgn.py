"""Matches of chess as PGN."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from events import job_of
from exporting import all_at_fault, record_with, written

from arena.errors import StoreError, UsageError
from arena.reports.pgn import export_pgn
from referee.games.chess import Chess
from referee.job import TimeControl
from referee.move_codec import MoveCodec
from referee.records.calls import Call
from referee.records.record import Record

EVIL = 'a"]\n[Result "1-0'


def record_of(moves: str, *, options: dict[str, Any], opening: int = 0) -> Record:
    """Return a match with these moves, the first of them as its opening."""
    game = Chess(**options)
    border, state = MoveCodec(game), game.start(2, 1)
    history: list[dict[str, Any]] = []
    calls: list[Call] = []
    for ply, text in enumerate(moves.split()):
        move, seat = game.parse_in(state, text), game.turn(state)
        wire: dict[str, Any] = border.wire_move(move)
        if ply < opening:
            history.append({"seat": seat, "move": wire})
        else:
            said: list[dict[str, Any]] = [
                {"data": {"cp": 31}},
                {"data": {"mate": 2}},
                {"value": 182},
                {"value": -1000},
            ]
            calls.append(
                Call(
                    seat=seat,
                    call="move",
                    ply=ply,
                    move=wire,
                    notation=game.notation(move),
                    left_ms=3_725_960,
                    note="} 1-0 {[%eval 9]",
                    **said[ply % 4],
                )
            )
        state = game.apply(state, move)
    outcome = game.outcome(state) or game.adjudicate(state, "limit of plies")
    return record_with(
        calls,
        outcome,
        ("white", "black"),
        game="chess",
        options=options,
        history=tuple(history),
    )


def exported(folder: Path, record: Record, name: str = "cup") -> str:
    return written(folder, record, export_pgn, name)


def test_a_match_with_its_opening_evaluations_and_clocks(tmp_path: Path) -> None:
    text = exported(tmp_path, record_of("f3 e5 g4 Qh4", options={}, opening=2), EVIL)

    tags, moves = text.split("\n\n", 1)
    assert tags.splitlines()[0] == r'[Event "a\"]\\n[Result \"1-0"]'
    assert '[White "white"]\n[Black "black"]\n[Result "0-1"]\n[Termination "normal"]' in tags
    assert "FEN" not in tags
    said = "[%clk 1:02:05.9] 1-0 eval 9"
    assert " ".join(moves.split()) == (
        f"1. f3 e5 2. g4 {{[%eval 1.00] {said}}} 2..."
        f" Qh4# {{[%eval 20.64] {said}}} {{checkmate}} 0-1"
    )
    assert max(map(len, moves.splitlines())) <= 80


def test_a_position_of_its_own_and_black_to_move(tmp_path: Path) -> None:
    fen = "4k3/8/8/8/8/8/P7/4K3 b - - 3 40"
    text = exported(tmp_path, record_of("Kd7 a4", options={"fen": fen, "chess960": True}))

    assert f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]' in text
    assert "40... Kd7 {[%eval -0.31]" in text
    assert "41. a4 {[%eval #2]" in " ".join(text.split())
    assert text.rstrip().endswith("{limit of plies} 1/2-1/2")


@pytest.mark.parametrize(
    ("time", "tag"),
    [
        (TimeControl(bank_ns=10 * 10**9, increment_ns=10**8), "10+0.1"),
        (TimeControl(bank_ns=3600 * 10**9, bank_moves=40), "40/3600"),
        (TimeControl(bank_ns=250_000_000), "0.25"),
    ],
)
def test_a_bank_is_written_in_the_form_of_chess_programs(
    tmp_path: Path, time: TimeControl, tag: str
) -> None:
    record = record_of("f3 e5", options={})

    assert "TimeControl" not in exported(tmp_path, record)
    (tmp_path / "timed").mkdir()
    timed = replace(record, job=replace(record.job, time=time))
    assert f'[TimeControl "{tag}"]\n' in exported(tmp_path / "timed", timed)


def test_a_match_with_all_seats_at_fault_is_no_draw(tmp_path: Path) -> None:
    text = exported(tmp_path, all_at_fault(record_of("", options={})))

    assert '[Result "*"]\n[Termination "rules infraction"]' in text
    assert text.rstrip().endswith(" *")


def test_a_cut_tag_keeps_its_last_quote(tmp_path: Path) -> None:
    text = exported(tmp_path, record_of("f3", options={}), "a" * 199 + '"\\')

    assert text.splitlines()[0] == f'[Event "{"a" * 199}\\""]'


def test_other_games_have_no_pgn(tmp_path: Path) -> None:
    record = record_of("e4", options={})
    record.job = job_of("white", "black", key="k")

    with pytest.raises(UsageError, match="this event is of pente"):
        exported(tmp_path, record)


def test_a_record_that_contradicts_the_rules_is_refused(tmp_path: Path) -> None:
    record = record_of("f3 e5 g4 Qh4", options={}, opening=2)
    record.job = replace(record.job, history=())

    with pytest.raises(StoreError, match="match 1 is damaged: "):
        exported(tmp_path, record)
    stored = record_of("f3 e5 g4 Qh4", options={}).to_json()
    stored["calls"]["move"][0]["promote"] = 5
    with pytest.raises(StoreError, match="is damaged: ply 0: not a move of chess"):
        exported(tmp_path, Record.from_json(stored))
    record.job = replace(record.job, options={"chess960": 5})
    with pytest.raises(StoreError, match="is damaged: chess960 must be"):
        exported(tmp_path, record)

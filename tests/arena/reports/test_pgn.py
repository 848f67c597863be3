"""Matches of chess as PGN."""

from dataclasses import replace
from pathlib import Path

import pytest
from events import job_of
from exporting import all_at_fault, chess_record, written
from fakes import FIRST, FakeBot, play_match

from arena.errors import StoreError, UsageError
from arena.reports.pgn import export_pgn
from protocol.vocabulary import Termination
from referee.job import Adjudication, DrawRule, ResignRule, TimeControl
from referee.records.calls import Calls
from referee.records.record import Record

EVIL = 'a"]\n[Result "1-0'


def exported(folder: Path, record: Record, name: str = "cup") -> str:
    return written(folder, record, export_pgn, name)


def test_a_match_with_its_opening_evaluations_and_clocks(tmp_path: Path) -> None:
    text = exported(tmp_path, chess_record("f3 e5 g4 Qh4", options={}, opening=2), EVIL)

    tags, moves = text.split("\n\n", 1)
    assert tags.splitlines()[0] == r'[Event "a\"]\\n[Result \"1-0"]'
    assert '[White "white"]\n[Black "black"]\n[Result "0-1"]\n[Termination "normal"]' in tags
    assert "FEN" not in tags
    said = "[%clk 1:02:05.9] 1-0 eval 9"
    assert " ".join(moves.split()) == (
        f"1. f3 e5 2. g4 {{+1.00/0 0.292s [%eval 1.00] {said}}} 2..."
        f" Qh4# {{-20.64/0 0.292s [%eval 20.64] {said}}} {{checkmate}} 0-1"
    )
    assert '[PlyCount "4"]' in tags
    assert max(map(len, moves.splitlines())) <= 80


def test_a_position_of_its_own_and_black_to_move(tmp_path: Path) -> None:
    fen = "4k3/8/8/8/8/8/P7/4K3 b - - 3 40"
    text = exported(tmp_path, chess_record("Kd7 a4", options={"fen": fen, "chess960": True}))

    assert f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]' in text
    words = " ".join(text.split())
    search = "+0.31/11 0.292s, n=1099511627776, sd=17"
    assert f"40... Kd7 {{{search} [%eval -0.31,11]" in words
    assert "41. a4 {+M3/0 0.292s [%eval #2]" in words
    assert words.endswith("{limit of plies} 1/2-1/2")


@pytest.mark.parametrize(
    ("time", "tag"),
    [
        (TimeControl(bank_ns=10 * 10**9, increment_ns=10**8), "10+0.1"),
        (TimeControl(bank_ns=3600 * 10**9, bank_moves=40), "40/3600"),
        (TimeControl(bank_ns=250_000_000), "0.25"),
        (TimeControl(per_move_ns=50_000_000), "1/0.05"),
    ],
)
def test_a_bank_is_written_in_the_form_of_chess_programs(
    tmp_path: Path, time: TimeControl, tag: str
) -> None:
    record = chess_record("f3 e5", options={})

    timed = replace(record, job=replace(record.job, time=time))
    assert f'[TimeControl "{tag}"]\n' in exported(tmp_path, timed)


def test_time_odds_have_a_tag_for_each_side(tmp_path: Path) -> None:
    record = chess_record("f3 e5", options={})
    white, black = record.job.players
    short = replace(black, time=TimeControl(bank_ns=5 * 10**9, increment_ns=5 * 10**7))
    time = TimeControl(bank_ns=10 * 10**9, increment_ns=10**8)
    odds = replace(record, job=replace(record.job, time=time, players=(white, short)))

    assert (
        '[TimeControl "?"]\n[WhiteTimeControl "10+0.1"]\n[BlackTimeControl "5+0.05"]\n'
        in exported(tmp_path, odds)
    )


@pytest.mark.parametrize(
    ("termination", "tag"),
    [
        (Termination.RESIGNATION, "normal"),
        (Termination.ADJUDICATION, "adjudication"),
        (Termination.TIMEOUT, "time forfeit"),
        (Termination.CRASH, "abandoned"),
        (Termination.ILLEGAL_MOVE, "rules infraction"),
    ],
)
def test_the_kind_of_the_end_is_in_words_of_pgn(
    tmp_path: Path, termination: Termination, tag: str
) -> None:
    record = chess_record("f3 e5", options={})
    verdict = replace(record.verdict, termination=termination, reason="stopped by max_plies")
    ended = replace(record, verdict=verdict, job=replace(record.job, max_plies=2))

    text = exported(tmp_path, ended)
    assert f'[Termination "{tag}"]\n' in text
    assert "{stopped by max_plies} 1/2-1/2" in " ".join(text.split())


@pytest.mark.parametrize(("score", "reason"), [(0, "draw by score"), (700, "resign by score")])
def test_an_adjudication_is_named_in_tag_and_comment(
    tmp_path: Path, score: int, reason: str
) -> None:
    terms = Adjudication(
        draw=DrawRule(after=2, score=10, moves=1), resign=ResignRule(score=600, moves=1)
    )
    sides = [FakeBot({**FIRST, "data": {"cp": side * score}}) for side in (1, -1)]
    match = play_match(*sides, game="chess", adjudicate=terms)

    text = exported(tmp_path, match.record)

    assert '[Termination "adjudication"]\n' in text
    assert text.split("{")[-1].startswith(f"{reason}}} {'1-0' if score else '1/2-1/2'}")


def test_programs_are_named_as_they_have_introduced_themselves(tmp_path: Path) -> None:
    record = chess_record("f3 e5", options={})
    record.seats[0].hello = {"name": 'Stock"fish', "version": "15.1"}
    record.seats[1].hello = {"name": "", "version": 7}

    text = exported(tmp_path, record)

    assert '[WhiteProgram "Stock\\"fish 15.1"]\n' in text
    assert "BlackProgram" not in text


def test_figures_that_no_search_has_are_left_out(tmp_path: Path) -> None:
    record = chess_record("f3 e5", options={})
    calls = [
        replace(call, data={"cp": -(2**53), "depth": -1, "seldepth": 2**53, "mate_in": 4})
        for call in record.calls
    ]

    text = exported(tmp_path, replace(record, calls=Calls(calls)))

    assert "{-100.00/0 0.292s, sd=99999 [%eval -100.00] " in " ".join(text.split())


def test_a_match_with_all_seats_at_fault_is_no_draw(tmp_path: Path) -> None:
    text = exported(tmp_path, all_at_fault(chess_record("", options={})))

    assert '[Result "*"]\n[Termination "abandoned"]' in text
    assert text.rstrip().endswith(" *")


def test_a_cut_tag_keeps_its_last_quote(tmp_path: Path) -> None:
    text = exported(tmp_path, chess_record("f3", options={}), "a" * 199 + '"\\')

    assert text.splitlines()[0] == f'[Event "{"a" * 199}\\""]'


def test_other_games_have_no_pgn(tmp_path: Path) -> None:
    record = chess_record("e4", options={})
    record.job = job_of("white", "black", key="k")

    with pytest.raises(UsageError, match="this event is of pente"):
        exported(tmp_path, record)


def test_a_record_that_contradicts_the_rules_is_refused(tmp_path: Path) -> None:
    record = chess_record("f3 e5 g4 Qh4", options={}, opening=2)
    record.job = replace(record.job, history=())

    with pytest.raises(StoreError, match="match 1 is damaged: "):
        exported(tmp_path, record)
    stored = chess_record("f3 e5 g4 Qh4", options={}).to_json()
    stored["calls"]["move"][0]["promote"] = 5
    with pytest.raises(StoreError, match="is damaged: ply 0: not a move of chess"):
        exported(tmp_path, Record.from_json(stored))
    record.job = replace(record.job, options={"chess960": 5})
    with pytest.raises(StoreError, match="is damaged: chess960 must be"):
        exported(tmp_path, record)

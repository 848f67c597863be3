"""Names of openings of chess."""

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import chess
import pytest
from exporting import chess_record, written

from arena.reports import openings
from arena.reports.openings.chess_openings import Opening, opening_of
from arena.reports.pgn import export_pgn
from arena.terminal.story import opening_name
from referee.games.chess import Chess, State

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"

THREE_KNIGHTS = Opening("D37", "Queen's Gambit Declined: Three Knights Variation")
NAJDORF = Opening("B90", "Sicilian Defense: Najdorf Variation")


def after(moves: str, game: Chess | None = None) -> list[State]:
    """Return all positions of a game with these moves."""
    game = game or Chess()
    states = [game.start(2, 1)]
    for text in moves.split():
        states.append(game.apply(states[-1], game.parse_in(states[-1], text)))
    return states


@pytest.mark.parametrize(
    ("moves", "opening"),
    [
        ("e4", Opening("B00", "King's Pawn Game")),
        ("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6", Opening("C68", "Ruy Lopez: Exchange Variation")),
        ("d4 d5 c4 e6 Nc3 Nf6 Nf3", THREE_KNIGHTS),
        ("Nf3 Nf6 c4 e6 Nc3 d5 d4", THREE_KNIGHTS),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 a3 h5 Rg1 h4", NAJDORF),
        ("", None),
    ],
)
def test_the_last_named_position_names_the_opening(moves: str, opening: Opening | None) -> None:
    assert opening_of(Chess(), after(moves)) == opening


@pytest.mark.parametrize("options", [{"chess960": True, "number": 518}, {"fen": AFTER_E4}])
def test_a_match_from_another_start_has_no_name(options: dict[str, Any]) -> None:
    game = Chess(**options)
    moves = "c5" if "fen" in options else "e4 c5"
    states = after(moves, game)

    assert opening_of(Chess(), after("e4 c5")) == Opening("B20", "Sicilian Defense")
    assert opening_of(game, states) is None


def test_the_moves_of_a_book_count_and_a_match_is_shown_with_its_name(tmp_path: Path) -> None:
    text = written(tmp_path, chess_record("e4 c5 Nf3", options={}, opening=2), export_pgn)
    named = chess_record("e4 c5", options={}, opening=2)
    other = replace(named, job=replace(named.job, game="pente", options={}))

    assert '[ECO "B27"]\n[Opening "Sicilian Defense"]\n' in text
    assert opening_name(named) == "B20 Sicilian Defense"
    assert opening_name(other) == ""
    assert opening_name(replace(named, job=replace(named.job, options={"size": 3}))) == ""


def test_every_position_of_the_table_is_one_of_chess_as_other_programs_write_it() -> None:
    header, *rows = (files(openings) / "chess.tsv").read_text("utf-8").splitlines()
    codes, names, positions = zip(*(row.split("\t") for row in rows), strict=True)

    assert header == "eco\tname\tposition"
    assert len(rows) == len(set(positions)) == 3523
    assert all(re.fullmatch("[A-E][0-9][0-9]", code) for code in codes)
    assert all(name == name.strip() and name.isprintable() for name in names)
    for position in positions:
        board = chess.Board(f"{position} 0 1")
        assert board.is_valid()
        assert board.fen(en_passant="legal").rsplit(" ", 2)[0] == position

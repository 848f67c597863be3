"""Syzygy tables, and matches that they end. The tables are real ones of up to four pieces."""

from pathlib import Path
from typing import Any

import pytest
from fakes import FakeBot, Played, Step, play_match
from syzygy import tables_or_skip
from verifying import verify

from protocol.vocabulary import Termination
from referee.job import Adjudication
from referee.records.checking import check_record
from referee.records.record import Record
from referee.records.replay import ReplayError
from referee.tablebases import NOBODY, TablebaseError, Tables, is_covered, largest, opened, require


@pytest.fixture
def tables() -> str:
    return tables_or_skip()


@pytest.mark.parametrize(
    ("fen", "winner"),
    [
        ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/3QK3 b - - 0 1", 0),
        ("3qk3/8/8/8/8/8/8/4K3 w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/3NK3 w - - 0 1", NOBODY),
        ("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", NOBODY),  # stalemate
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", 0),  # the king is two rows before its pawn
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", NOBODY),
        ("4k3/8/8/8/8/8/8/3QK3 w - - 1 1", None),  # a quiet move was made
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", None),  # castling is in no table
        ("4k3/pppppppp/8/8/8/8/8/3QK3 w - - 0 1", None),
        ("q3k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", None),  # five pieces
    ],
)
def test_a_position_is_won_or_drawn_by_the_tables(
    tables: str, fen: str, winner: int | None
) -> None:
    assert opened(tables).winner(fen) == winner


@pytest.mark.parametrize(
    ("wdl", "winner"), [(2, 0), (1, NOBODY), (0, NOBODY), (-1, NOBODY), (-2, 1), (None, None)]
)
def test_a_win_that_takes_more_than_50_moves_is_a_draw(
    tables: str, monkeypatch: pytest.MonkeyPatch, wdl: int | None, winner: int | None
) -> None:
    own = Tables(tables)
    monkeypatch.setattr(own._tables, "get_wdl", lambda _: wdl)

    assert own.winner("4k3/8/8/8/8/8/8/3QK3 w - - 0 1") == winner


def endgame(tables: str, fen: str, *moves: tuple[str, str], **job: Any) -> Played:
    """A match from a position; both bots make these moves in turn."""
    steps: list[Step] = [
        {"type": "play", "move": {"from": start, "to": to, "promote": ""}} for start, to in moves
    ]
    terms = Adjudication(pieces=largest(tables))
    return play_match(
        FakeBot(*steps[::2]),
        FakeBot(*steps[1::2]),
        game="chess",
        options={"fen": fen},
        adjudicate=terms,
        tablebases=tables,
        **job,
    )


WON = "r6k/8/8/8/8/8/8/R3K3 w - - 3 9", ("a1", "a8")
DRAWN = "3rk3/8/8/8/8/8/8/3RK3 w - - 3 9", ("d1", "d8")


def test_a_pawn_move_or_a_capture_into_an_ending_of_the_tables_ends_the_match(tables: str) -> None:
    pawn = endgame(tables, "4k3/8/8/8/3p4/8/8/3QK3 w - - 3 9", ("e1", "f1"), ("d4", "d3"))
    won, drawn = endgame(tables, *WON), endgame(tables, *DRAWN)

    assert pawn.verdict.reason == won.verdict.reason == "tablebase win"
    assert pawn.calls.moves == 2  # not after the king's move
    assert (won.verdict.termination, won.verdict.points) == (Termination.ADJUDICATION, (2, 0))
    assert (drawn.verdict.reason, drawn.verdict.points) == ("tablebase draw", (1, 1))
    for match in (pawn, won, drawn):
        verify(match.record)


def test_the_rules_of_chess_come_first(tables: str) -> None:
    match = endgame(tables, "4k3/8/8/8/8/8/3p4/3NK3 w - - 3 9", ("e1", "d2"))

    assert match.verdict.reason == "insufficient material"


def test_tables_are_not_asked_between_captures(tables: str) -> None:
    match = endgame(tables, "4k3/8/8/8/8/8/8/3QK3 w - - 3 9", max_plies=2)

    assert match.verdict.reason == "stopped by max_plies"


def test_a_forged_end_by_tables_is_found(tables: str) -> None:
    match = endgame(tables, *WON)

    def forged(adjudicate: Any, **verdict: Any) -> Record:
        ended = {**match.stored["verdict"], **verdict}
        return Record.from_json({**match.stored, "verdict": ended, "adjudicate": adjudicate})

    terms = match.stored["adjudicate"]
    check_record(forged(terms))
    for record in (
        forged(None),
        forged({**terms, "pieces": 2}),
        forged(terms, reason="draw by score"),
        forged(terms, points=[1, 1], places=[1, 1]),
        forged(terms, reason="tablebase draw"),
    ):
        with pytest.raises(ReplayError):
            check_record(record)


def test_the_path_of_the_tables_is_in_no_record(tables: str) -> None:
    match = endgame(tables, *WON)

    assert tables not in str(match.stored)


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw.part").touch()
    with pytest.raises(TablebaseError, match="has no Syzygy tables"):
        largest(str(tmp_path))
    with pytest.raises(TablebaseError, match="No such file"):
        largest(str(tmp_path / "none"))
    (tmp_path / "KQRvKR.rtbw").touch()
    assert largest(str(tmp_path)) == 5


def test_a_missing_extra_is_reported_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "KQvK.rtbw").touch()
    monkeypatch.setattr("referee.tablebases.find_spec", lambda _: None)

    with pytest.raises(TablebaseError, match=r"pip install .*\[tablebases\]"):
        require(str(tmp_path))


def test_the_number_of_pieces_counts_kings() -> None:
    assert is_covered("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", 3)
    assert not is_covered("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", 2)

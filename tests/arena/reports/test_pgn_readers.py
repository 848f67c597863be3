"""Exported games in the hands of other programs: python-chess and pgn-extract."""

import io
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from exporting import all_at_fault, chess_record, written

from arena.reports.pgn import export_pgn
from protocol.vocabulary import Termination
from referee.records.calls import Calls
from referee.records.record import Record

HOSTILE = (
    "}",
    "{",
    "} 1-0 {",
    '"]\n[Result "1-0"]\n\n1. e4 *',
    "; the rest of a line\n% and a line that is none",
    "%eval",
    "[%eval #-9] [%clk 9:99:99]",
    "$1 (1. d4 d5) <x> \\",
    "\x1b[31m\x00\x07\x85\u2028\u202e\U0001f600",
    "a" * 5000,
    " ",
)
SET_UP = "4k3/1P6/8/8/8/8/6p1/4K3 b - - 3 40"
CASTLING = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1"
MOVES = "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 Re1 Nd6 Nxe5 Be7 Bf1 Nxe5 Rxe5 O-O"


def said(text: str) -> Record:
    """Return a match with this text as every remark, program and event."""
    record = chess_record(MOVES, options={})
    for seat in record.seats:
        seat.hello = {"name": text, "version": text}
    calls = Calls([replace(call, note=text) for call in record.calls])
    return replace(record, calls=calls)


def ended(termination: Termination) -> Record:
    record = chess_record(MOVES, options={})
    if termination is Termination.ADJUDICATION:
        verdict = replace(record.verdict, reason="stopped by max_plies")
        job = replace(record.job, max_plies=len(MOVES.split()))
        record = replace(record, job=job, verdict=verdict)
    return replace(record, verdict=replace(record.verdict, termination=termination))


def start_of_960(number: int) -> dict[str, Any]:
    return {"chess960": True, "number": number}


GAMES = {
    **{str(end): ended(end) for end in Termination if end is not Termination.VOID},
    **{f"hostile text {at}": said(text) for at, text in enumerate(HOSTILE)},
    "nothing played": chess_record("", options={}),
    "both at fault": all_at_fault(chess_record("", options={})),
    "a book and no move": chess_record("e4 c5", options={}, opening=2),
    "checkmate": chess_record("f3 e5 g4 Qh4", options={}),
    "a position with promotions": chess_record("g1=N b8=Q+ Kd7", options={"fen": SET_UP}),
    "a capture that promotes": chess_record(
        "bxa8=R+ Kd7", options={"fen": "r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1"}
    ),
    "en passant": chess_record("e4 a6 e5 d5 exd6", options={}),
    "chess960": chess_record("e4 e5", options=start_of_960(0)),
    "chess960, both castle": chess_record("O-O O-O-O", options={"chess960": True, "fen": CASTLING}),
    "chess960, the usual start": chess_record(MOVES, options=start_of_960(518)),
}


def game_text(folder: Path, record: Record) -> str:
    return written(folder, record, export_pgn, record.seats[0].hello.get("name", "cup"))


@pytest.mark.parametrize("name", GAMES)
def test_python_chess_reads_the_same_game(tmp_path: Path, name: str) -> None:
    record = GAMES[name]
    stream = io.StringIO(game_text(tmp_path, record))

    game = chess.pgn.read_game(stream)

    assert game is not None
    assert game.errors == []
    assert chess.pgn.read_game(stream) is None
    calls = [call for call in record.calls if call.move is not None]
    nodes = [*game.mainline()]
    assert len(nodes) == len(record.job.history) + len(calls) == int(game.headers["PlyCount"])
    for node, call in zip(nodes[len(record.job.history) :], calls, strict=True):
        assert node.uci() == call.notation
        assert node.eval() is not None
        assert node.clock() == pytest.approx(3725.9)
    assert game.headers["Result"] in {"1-0", "0-1", "1/2-1/2", "*"}


def test_pgn_extract_reads_every_game_without_an_error(tmp_path: Path) -> None:
    path = shutil.which("pgn-extract", path="/usr/games:/usr/bin")
    if path is None:
        pytest.skip("there is no pgn-extract here")
    texts = []
    for number, record in enumerate(GAMES.values()):
        (tmp_path / str(number)).mkdir()
        texts.append(game_text(tmp_path / str(number), record))
    (tmp_path / "all.pgn").write_text("\n".join(texts))

    run = subprocess.run(
        [path, "-r", str(tmp_path / "all.pgn")], capture_output=True, text=True, check=False
    )

    others = [line for line in run.stderr.splitlines() if not line.startswith("white - black ")]
    assert others == [
        f"Processing {tmp_path / 'all.pgn'}",
        f"{len(GAMES)} games matched out of {len(GAMES)}.",
    ]

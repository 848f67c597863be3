"""The PGN of whole events, written while they are played, in the hands of another program."""

from pathlib import Path

import chess.pgn
import pytest
from preloaded import run
from waiting import PATIENCE_S

MATCH = "match random starter/python --game chess --games 4 --seed 5 -c max_plies=30 --db a.db"


@pytest.mark.parametrize("terms", ["--openings 4", "-o chess960=true"])
def test_python_chess_reads_the_games_of_an_event(tmp_path: Path, terms: str) -> None:
    words = f"{MATCH} {terms} --pgn games.pgn".split()

    played = run(*words, cwd=tmp_path, timeout=PATIENCE_S)
    exported = run("export", "--pgn", "--db", "a.db", cwd=tmp_path, timeout=PATIENCE_S)

    assert played.returncode == 0, played.stderr
    streamed = (tmp_path / "games.pgn").read_text()
    assert sorted(streamed.split("[Event ")) == sorted(exported.stdout.split("[Event "))
    with (tmp_path / "games.pgn").open() as file:
        games = [*iter(lambda: chess.pgn.read_game(file), None)]
    assert len(games) == 4
    for game in games:
        assert game.errors == []
        assert len([*game.mainline()]) == int(game.headers["PlyCount"])
        assert ("ECO" in game.headers) is (terms == "--openings 4")
        assert (game.headers.get("Variant") == "Chess960") is (terms != "--openings 4")

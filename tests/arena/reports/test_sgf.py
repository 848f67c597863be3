"""Matches of Go and gomoku as SGF."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from events import job_of
from exporting import all_at_fault, record_with, written
from fakes import FIRST, FakeBot, play_match

from arena.errors import UsageError
from arena.reports.sgf import export_sgf
from protocol.vocabulary import Termination
from referee.games.go import Go
from referee.games.gomoku import Gomoku
from referee.job import Adjudication, ResignRule, TimeControl
from referee.move_codec import MoveCodec
from referee.records.calls import Call, Calls
from referee.records.record import Record
from referee.rules import Game


def record_of(
    game: Game[Any, Any],
    moves: str,
    options: dict[str, Any],
    *,
    opening: int = 0,
    loser: int | None = None,
    termination: Termination = Termination.NORMAL,
) -> Record:
    """Return a match with these moves; a loser then resigns, or has the fault."""
    border = MoveCodec(game)
    state: Any = game.start(2, 1)
    history: list[dict[str, Any]] = []
    calls: list[Call] = []
    for ply, text in enumerate(moves.split()):
        move, seat = game.parse(text), game.turn(state)
        wire: dict[str, Any] = border.wire_move(move)
        if ply < opening:
            history.append({"seat": seat, "move": wire})
        else:
            said: dict[str, Any] = {}
            if text == "E5":
                said = {"left_ms": 59_250, "note": "sente] \\ :"}
            calls.append(Call(seat=seat, call="move", ply=ply, move=wire, **said))
        state = game.apply(state, move)
    if loser is not None:
        calls.append(Call(seat=loser, call="move", ply=len(calls), resign=True))
        state = game.retire(state, loser)
    outcome = game.outcome(state) or game.adjudicate(state, "stopped by max_plies")
    return record_with(
        calls,
        outcome,
        ("ann", "bob"),
        termination,
        game=game.name,
        options=options,
        history=tuple(history),
        max_plies=sum(call.move is not None for call in calls),
    )


def go(moves: str, **keys: Any) -> Record:
    options = {"size": 5, "komi": 0.5}
    return record_of(Go(size=5, komi=0.5), moves, options, **keys)


def exported(folder: Path, record: Record) -> str:
    return written(folder, record, export_sgf)


def test_a_match_of_go_with_its_opening_clock_and_note(tmp_path: Path) -> None:
    root, *nodes = exported(tmp_path, go("C3 E5 A1 pass pass", opening=1)).splitlines()

    assert root.startswith("(;FF[4]GM[1]CA[UTF-8]SZ[5]EV[cup]RO[1]DT[")
    # Black has 2 stones, White 1 and the komi; no empty region is of one color
    rules = "area scoring, positional superko, no suicide, no dead stones"
    assert root.endswith(f"PB[ann]PW[bob]RE[B+0.5]GC[Black wins by 0.5]KM[0.5]RU[{rules}]")
    note = r"C[sente\] \\ \:]"
    assert nodes == [";B[cc]", f";W[ea]WL[59.25]{note}", ";B[ae]", ";W[]", ";B[])"]


@pytest.mark.parametrize(
    ("loser", "termination", "result"),
    [
        (0, Termination.RESIGNATION, "W+R"),
        (1, Termination.TIMEOUT, "B+T"),
        (1, Termination.ILLEGAL_MOVE, "B+F"),
        (None, Termination.ADJUDICATION, "B+0.5"),
    ],
)
def test_a_result_says_how_a_match_ended(
    tmp_path: Path, loser: int | None, termination: Termination, result: str
) -> None:
    record = go("C3 B2 D4", loser=loser, termination=termination)

    assert f"RE[{result}]" in exported(tmp_path, record)


def test_a_match_lost_by_scores_has_a_winner_and_no_margin(tmp_path: Path) -> None:
    terms = Adjudication(resign=ResignRule(score=600, moves=1))
    sides = [FakeBot({**FIRST, "data": {"cp": score}}) for score in (-700, 700)]
    match = play_match(*sides, game="go", options={"size": 5, "komi": 0.5}, adjudicate=terms)

    assert "RE[W+]GC[resign by score]" in exported(tmp_path, match.record)


def test_a_match_with_all_seats_at_fault_is_no_draw(tmp_path: Path) -> None:
    assert "RE[Void]" in exported(tmp_path, all_at_fault(go("")))


def test_handicap_stones_are_placed_before_the_first_move(tmp_path: Path) -> None:
    options = {"size": 9, "handicap": 2, "scoring": "territory"}
    record = record_of(Go(size=9, handicap=2, scoring="territory"), "E5", options, loser=0)

    rules = "territory scoring, positional superko, no suicide, no dead stones"
    assert f"RU[{rules}]HA[2]AB[gc][cg]\n;W[ee]" in exported(tmp_path, record)


def test_in_swap2_the_colors_of_stones_alternate_and_players_have_their_last_color(
    tmp_path: Path,
) -> None:
    options = {"opening": "swap2"}
    record = record_of(Gomoku(opening="swap2"), "a1 b1 c1 swap d1", options)
    root, *nodes = exported(tmp_path, record).splitlines()

    assert root.startswith("(;FF[4]GM[4]CA[UTF-8]SZ[15]")
    assert "PB[bob]PW[ann]RE[0]GC[stopped by max_plies]" in root
    assert nodes == [";B[ao]", ";W[bo]", ";B[co]", ";C[swap]", ";W[do])"]


def test_other_games_have_no_sgf(tmp_path: Path) -> None:
    record = go("C3")
    record.job = job_of("ann", "bob", key="k")

    with pytest.raises(UsageError, match="--sgf writes matches of go and gomoku, and this event"):
        exported(tmp_path, record)


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({"ko": "simple"}, "area scoring, simple ko, no suicide, no dead stones"),
        (
            {"ko": "situational", "suicide": True},
            "area scoring, situational superko, suicide, no dead stones",
        ),
    ],
)
def test_rules_are_those_played_and_no_named_ones(
    tmp_path: Path, options: dict[str, Any], rules: str
) -> None:
    record = record_of(Go(size=9, **options), "E5", {"size": 9, **options})

    assert f"RU[{rules}]" in exported(tmp_path, record)


def test_the_page_shows_the_rules_as_they_are_written(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/howto/gtp.md").read_text()
    shown = page.split("`RU` is\nthe options in words, like `")[1].split("`")[0]

    assert f"RU[{shown}, " in exported(tmp_path, go("C3"))


def test_figures_of_a_search_and_the_bank(tmp_path: Path) -> None:
    record = go("C3 E5 A1")
    said = replace(
        record.calls[0], value=-120, data={"depth": 9}, charged_ns=291_700_000, note="[x"
    )
    calls = Calls([said, *record.calls[1:]])
    job = replace(record.job, time=TimeControl(bank_ns=90_500_000_000))

    root, first, *_ = exported(tmp_path, replace(record, calls=calls, job=job)).splitlines()

    assert "TM[90.5]" in root
    assert first == r";B[cc]C[value -120; depth 9; 0.292 s; [x]"

"""Whole events of games with draws, hidden moves and simultaneous moves, as a user plays them."""

import io
import json
from pathlib import Path

import pytest
from preloaded import run
from verifying import verify
from waiting import PATIENCE_S

from arena.pages.scenes import match_scene
from arena.reports.export import export_jsonl, export_moves
from arena.results.store import Store
from arena.terminal.story import replay_lines, title_text
from referee.records.record import Record

pytestmark = pytest.mark.usefixtures("small_games")

SEED_OF_A_FOUR = 3
EVENT = """
name: small
game: {{name: {game}}}
bots: [random, starter/python]
repeat: 2
seed: {seed}
isolation: none
max_plies: 200
"""


def arena(folder: Path, *words: str, expected: int = 0) -> str:
    done = run(*words, cwd=folder, timeout=PATIENCE_S)
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout + done.stderr


def event(folder: Path, game: str, seed: int = 4, expected: int = 0) -> tuple[str, Store]:
    (folder / "small.yaml").write_text(EVENT.format(game=game, seed=seed))
    printed = arena(folder, "tournament", "small.yaml", expected=expected)
    return printed, Store(folder / "arena.db")


def records(store: Store) -> list[Record]:
    return [store.record(match.id) for match in store.matches(1)]


def lines(record: Record, seat: int | None = None, *, has_boards: bool = False) -> list[str]:
    """Return a replay as text, without a process for it."""
    return "\n".join(replay_lines(record, seat=seat, has_boards=has_boards)).splitlines()


def test_draws_are_recorded_replayed_and_exported(tmp_path: Path) -> None:
    _, store = event(tmp_path, "pig")

    for record in records(store):
        verify(record)
    moves, whole = io.StringIO(), io.StringIO()
    export_moves(store, 1, moves)
    export_jsonl(store, 1, whole)
    assert ",0,,,a " in moves.getvalue().splitlines()[1]  # ply 0, no seat, no player
    stored = json.loads(whole.getvalue().splitlines()[0])
    assert "chance" in json.dumps(stored)
    record, *_ = records(store)
    assert any(line.startswith("ply 1: drawn a ") for line in lines(record))
    assert None in match_scene(record)["seat"]


def test_hidden_moves_are_for_spectators_and_their_seat(tmp_path: Path) -> None:
    _, store = event(tmp_path, "phantom")

    record, *_ = records(store)
    verify(record)
    all_, mine, yours = (lines(record, seat) for seat in (None, 0, 1))
    assert not any("hidden" in line for line in all_)
    for number, own in ((0, mine), (1, yours)):
        told = [line for line in own if line.startswith("ply")]
        assert all(("hidden" in line) == (f"seat {number} " not in line) for line in told)
    scene = match_scene(record, 0)
    texts = zip(scene["seat"], scene["text"], scene["marks"], strict=True)
    assert all((text, marks) == ("hidden", []) for seat, text, marks in texts if seat == 1)
    costs = zip(scene["seat"], scene["charged"], scene["wall"], strict=True)
    assert all(charged == wall == 0 for seat, charged, wall in costs if seat == 1)
    assert {piece["seat"] for piece in match_scene(record)["palette"]} == {0, 1}
    first = [change for step in scene["changes"][:2] for change in step]
    assert len(first) < 2  # the other's first mark is not in the picture
    assert "the match has the seats 0 to 1" in arena(
        tmp_path, "replay", "1", "--seat", "2", "--html", "match.html", expected=2
    )
    assert arena(tmp_path, "replay", "1", "--seat", "1") == "\n".join(
        [title_text(1, record), *yours, ""]
    )


def test_simultaneous_moves_are_hidden_until_the_round_is_closed(tmp_path: Path) -> None:
    _, store = event(tmp_path, "roshambo")

    for record in records(store):
        verify(record)
    record, *_ = records(store)
    second = [line for line in lines(record, 1) if line.startswith("ply")]
    assert second[0].endswith("makes a hidden move")
    assert " plays " in second[1]
    assert "? -" in "\n".join(lines(record, 1, has_boards=True))
    assert "? -" not in "\n".join(lines(record, has_boards=True))


def test_a_game_that_kills_its_process_voids_its_match_and_nothing_else(tmp_path: Path) -> None:
    """With this seed the first die of one match shows a six, and only there."""
    printed, store = event(tmp_path, "brittle", seed=2, expected=5)

    assert printed.count("the referee ended: signal SIGSEGV (attempt") == 3
    assert "was always void" in printed
    assert len(records(store)) == 1


def test_an_error_of_the_rules_can_be_seen_again(tmp_path: Path) -> None:
    """With this seed no four is rolled in the trials of the bots, and one in two matches."""
    config = EVENT.format(game="buggy", seed=SEED_OF_A_FOUR) + "restart: never\n"
    (tmp_path / "small.yaml").write_text(config)
    printed = arena(tmp_path, "tournament", "small.yaml", expected=5)

    assert "(buggy.py, line " in printed
    assert "(attempt 1); see `arena replay void-1`" in printed
    assert "; see `arena replay void-2`" in arena(tmp_path, "show", "1")
    shown = arena(tmp_path, "replay", "void-1")
    key = next(void.key for void in Store(tmp_path / "arena.db").voids(1) if void.number == 1)
    assert shown.startswith(f"void-1, match {key}, buggy: ")
    assert "there its rules raised an error:\n\nTraceback" in shown
    assert shown.count("KeyError: 'boom in die'") == 2
    assert "\nnow they raise KeyError: 'boom in die' (buggy.py, line " in shown
    assert "\nstart\n" in arena(tmp_path, "replay", "void-1", "--at", "0")
    refused = arena(tmp_path, "show", "--match", key, expected=2)
    assert "it was void; see `arena replay void-" in refused
    refused = arena(tmp_path, "replay", "void-99", expected=2)
    assert 'no void attempt "void-99" with a record' in refused


def test_an_error_of_the_rules_in_a_trial_is_printed_with_its_moves(tmp_path: Path) -> None:
    config = EVENT.format(game="buggy", seed=1).replace("{name: buggy}", "{name: buggy, bug: hold}")
    (tmp_path / "small.yaml").write_text(config)

    printed = arena(tmp_path, "tournament", "small.yaml", expected=5)

    assert "is no bot's fault: KeyError: 'boom in hold' (buggy.py, line " in printed
    assert "  the rules raised an error about the move {'hold': True}\n  Traceback" in printed
    assert "  KeyError: 'boom in hold'\nrepair the rules first; resume with: arena" in printed


def test_a_match_of_a_game_that_is_not_installed_is_no_internal_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event(tmp_path, "pig")
    monkeypatch.delenv("PYTHONPATH")

    refused = arena(tmp_path, "replay", "1", expected=2)
    arena(tmp_path, "report")

    assert refused.startswith('error: the match cannot be replayed: unknown game "pig"')

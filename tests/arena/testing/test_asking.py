"""A bot asked for its move in a position, as in a unit test of the bot."""

from pathlib import Path

import pytest

from arena.testing import AskError, ask, position

FIVE = ["0,0", "9,9", "3,3", "9,8", "0,1", "9,7", "0,2", "8,9", "0,3", "8,8"]
"""The first player has four in a row, with both ends free."""


def bot(folder: Path, body: str) -> str:
    folder.mkdir()
    (folder / "bot.yaml").write_text(
        'name: mine\nprotocol: jsonl\nrun: ["{python}", "-u", main.py]\n'
    )
    (folder / "main.py").write_text(
        "import json, sys\nprint(json.dumps({'type': 'hello', 'protocol': 1}))\n"
        "for line in sys.stdin:\n    call = json.loads(line)\n    id = call['id']\n"
        "    if call['type'] == 'init':\n        history = call['history']\n"
        "        print(json.dumps({'type': 'ready', 'id': id}))\n"
        "    elif call['type'] == 'move':\n"
        f"        print(json.dumps({{'type': 'play', 'id': id, {body}}}))\n"
        "    else:\n        print(json.dumps({'type': 'bye', 'id': id}))\n"
    )
    return str(folder)


def test_a_shipped_bot_completes_five_in_a_row() -> None:
    said = ask("greedy", "pente", moves=FIVE)

    assert said.move in {"0,4", "0,-1"}
    assert said.move in position("pente", moves=FIVE).legal
    assert not said.is_resigned
    assert said.cpu_ms > 0


def test_a_bot_of_any_language_gets_the_moves_as_history(tmp_path: Path) -> None:
    mine = bot(
        tmp_path / "mine",
        "'move': {'v': len(history), 'h': 4}, 'note': str(history[1]['move']), 'value': 7",
    )

    said = ask(mine, "pente", moves=["0,0", "1,1"])

    assert (said.move, said.fields) == ("2,4", {"v": 2, "h": 4})
    assert (said.note, said.value) == ("{'v': 1, 'h': 1}", 7)


def test_a_resignation_is_a_reply(tmp_path: Path) -> None:
    said = ask(bot(tmp_path / "mine", "'resign': True"), "pente")

    assert said.is_resigned
    assert said.move is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("'move': {'v': 0, 'h': 0}", "illegal_move, call move: (0, 0): the point is occupied"),
        ("'move': {'v': boom}", "NameError: name 'boom' is not defined"),
    ],
)
def test_a_fault_is_a_failed_test_with_its_reason(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(AskError) as failed:
        ask(bot(tmp_path / "mine", body), "pente", moves=["0,0"])

    assert message in str(failed.value)


def test_a_position_has_draws_by_its_seed_and_any_number_of_seats() -> None:
    first, again = (position("pente", moves=["0,0", "1,1"], seed=seed) for seed in (1, 2))

    assert first.seat == 0
    assert first.state == again.state
    assert not first.is_over
    assert "." in str(first)
    assert position("chinese_checkers", seats=6).seats == 6


@pytest.mark.parametrize(
    ("moves", "message"),
    [(["0,0", "0,0"], "move 2, '0,0': .*occupied"), (["zz"], "move 1, 'zz': ")],
)
def test_a_wrong_move_is_named(moves: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        position("pente", moves=moves)


def test_nobody_is_asked_after_the_end() -> None:
    with pytest.raises(ValueError, match="the game is over after these moves"):
        ask("greedy", "pente", moves=[*FIVE, "0,4"])

"""The bot on the page about JSON lines plays, and the page shows what such a bot sees."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from c_programs import missing

from arena.bots.manifest import find_bot
from arena.bots.prepare import prepare
from referee.job import Job
from referee.service.slot import Slot

PAGE = (Path(__file__).parents[2] / "docs/howto/json-lines.md").read_text()
DIALOGUE = [
    (line[0], json.loads(line[2:])) for line in PAGE.splitlines() if re.match(r"[<>] \{", line)
]


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found[0])


@pytest.mark.parametrize("game", ["pente", "matchsticks", "chinese_checkers", "damspel"])
def test_the_bot_of_the_page_plays(tmp_path: Path, game: str) -> None:
    if shutil.which("perl") is None:
        missing("perl")
    folder = tmp_path / "first"
    folder.mkdir()
    (folder / "main.pl").write_text(block("perl"))
    (folder / "bot.yaml").write_text(block("yaml"))
    bot = prepare(find_bot("./first", tmp_path), tmp_path / "cache")
    slot = Slot(None)
    options: dict[str, Any] = {"max_rounds": 5} if game == "chinese_checkers" else {}
    try:
        record = slot.play(
            Job(
                key="a match",
                game=game,
                options=options,
                players=(bot.player("first"), bot.player("second")),
                seed=1,
                board_seed=1,
            )
        )
    finally:
        slot.close()

    assert (record.verdict.termination, record.verdict.faults) == ("normal", ())


def test_the_dialogue_of_the_page_is_one() -> None:
    answers = {"ping": "pong", "init": "ready", "move": "play", "term": "bye"}
    (_, hello), *rest = DIALOGUE
    calls, replies = rest[::2], rest[1::2]

    assert hello["type"] == "hello"
    assert {kind for kind, _ in calls} == {"<"}
    assert [(">", answers[call["type"]], call["id"]) for _, call in calls] == [
        (kind, reply["type"], reply["id"]) for kind, reply in replies
    ]
    moves = [
        (call["legal"], reply["move"])
        for (_, call), (_, reply) in zip(calls, replies, strict=True)
        if call["type"] == "move"
    ]
    assert moves
    assert all(move in legal for legal, move in moves)

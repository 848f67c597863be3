"""The bot in a hand-in: what is no bot is refused with a reason, in a process of its own."""

import json
from pathlib import Path
from typing import Any

import pytest
from leagues import zipped
from waiting import becomes

from arena.errors import BotError, ConfigError
from arena.league.examiner import Examination, Outcome
from arena.league.folder import SEASON, League
from arena.league.handed_in import handed_in


def handed(folder: Path, data: bytes, suffix: str = ".zip") -> Any:
    kept, own = folder / "kept", folder / "own"
    kept.write_bytes(data)
    own.mkdir()
    return handed_in(kept, suffix, "deep-blue", own)


def test_one_python_file_has_the_kit(tmp_path: Path) -> None:
    manifest = handed(tmp_path, b"import arena_bot", ".py")

    assert manifest.name == "deep-blue"
    assert [path.name for path in manifest.files] == ["arena_bot.py"]


@pytest.mark.parametrize(
    "data",
    [
        b"no zip",
        b"",
        zipped({"main.py": "x"}),
        zipped({"../bot.yaml": "run: [sh]"}),
        zipped({"/bot.yaml": "run: [sh]"}),
        zipped({"bot.yaml": "run: [sh]", "BOT.yaml": "run: [sh]"}),
        zipped({"bot.yaml": "files: [/etc/passwd]\nrun: [sh]"}),
        zipped({"bot.yaml": "files: [../../../etc/passwd]\nrun: [sh]"}),
        zipped({"bot.yaml": "x" * 100_000}),
        zipped({"a/bot.yaml": "run: [sh]", "b/bot.yaml": "run: [sh]"}),
    ],
)
def test_what_is_no_bot_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises((BotError, ConfigError)) as error:
        handed(tmp_path, data)
    assert "Traceback" not in str(error.value)
    assert str(tmp_path) not in str(error.value)


def ended(order: dict[str, Any]) -> Outcome:
    examination = Examination(order)
    found: list[Outcome] = []

    def is_over() -> bool:
        outcome = examination.look()
        if outcome is not None:
            found.append(outcome)
        return outcome is not None

    assert becomes(is_over)
    return found[0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zipped({"bot.yaml": "games: [chess]\nrun: [sh]"}), "does not play pente"),
        (zipped({"bot.yaml": "build: [sh, -c, 'echo \x1b[2J>&2; exit 7']\nrun: [sh]"}), "build"),
    ],
)
def test_an_examination_ends_with_a_reason(
    league: League, tmp_path: Path, data: bytes, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kept = tmp_path / "kept"
    kept.write_bytes(data)
    order = {
        "season": str(league.folder / SEASON),
        "seed": 1,
        "bots": str(league.bots),
        "archive": str(kept),
        "suffix": ".zip",
        "bot": "deep-blue",
        "cores": [],
    }

    outcome = ended(order)

    assert outcome.end == "refused"
    assert reason in outcome.reason
    assert "\x1b" not in json.dumps(vars(outcome), ensure_ascii=False)


def test_a_broken_order_is_a_problem_of_the_machine() -> None:
    assert ended({}).end == "machine"

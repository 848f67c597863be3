"""The bot in a hand-in: what is no bot is refused with a reason, in a process of its own."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from leagues import zipped
from waiting import becomes

from arena.bots.programs import DEBIAN_PACKAGES
from arena.check.bench import Bench, Setting
from arena.check.findings import Finding
from arena.check.steps import Step
from arena.config.loading import load_config
from arena.errors import BotError, ConfigError
from arena.league.folder import SEASON, League
from arena.league.hand_ins import examine
from arena.league.hand_ins.examiner import Examiner, Outcome
from arena.league.handed_in import handed_in
from arena.league.seasons.season import season_of
from referee.job import TimeControl

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n"


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


def ended(*orders: dict[str, Any]) -> list[Outcome]:
    """Return the outcomes of hand-ins that one process examines."""
    examiner = Examiner()
    found: list[Outcome] = []

    def is_over() -> bool:
        outcome = examiner.look()
        if outcome is not None:
            found.append(outcome)
        return outcome is not None

    for order in orders:
        examiner.begin(order)
        assert becomes(is_over)
    examiner.close()
    return found


def order_of(league: League, kept: Path, data: bytes, playing: str = "") -> dict[str, Any]:
    """Return the order to examine a zip, whose bytes are put in a file."""
    kept.write_bytes(data)
    return {
        "season": str(league.folder / SEASON),
        "seed": 1,
        "bots": str(league.bots),
        "archive": str(kept),
        "suffix": ".zip",
        "bot": "deep-blue",
        "playing": playing,
        "cores": [],
    }


def test_files_that_play_already_are_not_checked_again(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = zipped({"bot.yaml": "games: [pente]\nrun: ['true']"})  # fails every check
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "kept").write_bytes(data)
    manifest = handed_in(tmp_path / "kept", ".zip", "deep-blue", own)
    season = season_of(load_config(str(league.folder / SEASON)), 1)
    tree = season.prepared(manifest, league.bots).own_content

    orders = [
        order_of(league, tmp_path / f"{number}.zip", data, playing)
        for number, playing in enumerate(("", tree, tree[::-1]))
    ]

    assert [each.end for each in ended(*orders)] == ["refused", "accepted", "refused"]


def test_examinations_of_one_process_end_with_their_reasons(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    build = "build: [sh, -c, 'echo \x1b[2J>&2; exit 7']\nrun: [sh]"
    reasons = {
        zipped({"bot.yaml": "games: [chess]\nrun: [sh]"}): "does not play pente",
        zipped({"bot.yaml": build}): "build",
        zipped({"bot.yaml": "games: [go]\nrun: [sh]"}): "does not play pente",
        zipped({"bot.yaml": "run: [sh]", "data/net.bin": POINTER}): '"data/net.bin" is kept by Git',
    }
    orders = [
        order_of(league, tmp_path / f"kept-{number}", data) for number, data in enumerate(reasons)
    ]

    outcomes = ended(*orders)

    for outcome, reason in zip(outcomes, reasons.values(), strict=True):
        assert outcome.end == "refused"
        assert reason in outcome.reason
        assert "\x1b" not in json.dumps(vars(outcome), ensure_ascii=False)


def test_a_broken_order_is_a_problem_of_the_machine() -> None:
    assert [outcome.end for outcome in ended({})] == ["machine"]


def test_the_check_has_the_time_of_a_move_of_the_season(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    limits_ns = []

    def find(steps: Sequence[Step], bench: Bench) -> list[Finding]:
        limits_ns.append(bench.job(Setting()).time.per_move_ns)
        return [Finding(step=steps[0], verdict="FAIL", detail="told")]

    monkeypatch.setattr(examine, "find", find)
    order = order_of(league, tmp_path / "kept", zipped({"bot.yaml": "run: ['true']"}))

    with pytest.raises(examine.RefusedError):
        examine.examined(order, print)

    limit_ns = season_of(load_config(order["season"]), 1).plan.job.time.per_move_ns
    assert limits_ns == [limit_ns]
    assert limit_ns != TimeControl().per_move_ns


def test_only_staff_learns_how_to_install_what_the_machine_lacks(
    league: League,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(DEBIAN_PACKAGES, "no-such-program", "its-package")

    for number, program in enumerate(("no-such-program", "no-such-typo")):
        data = zipped({"bot.yaml": f"run: [{program}]"})
        examine.carry_out(order_of(league, tmp_path / str(number), data))

    lack, typo = map(json.loads, capsys.readouterr().out.splitlines())
    assert lack["reason"] == (
        'bot deep-blue: needs "no-such-program", which is not installed on the machine of the'
        " league; ask staff"
    )
    assert lack["notice"].endswith("install it with: apt-get install its-package")
    assert "notice" not in typo

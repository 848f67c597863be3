"""Gates of programs outside the bot's folder, which are built again while the folder stays."""

import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from events import crashed
from gating import DB, Gate, gate_in, wins

from arena.errors import MachineError, UsageError
from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    run = partial(gate_in(tmp_path, monkeypatch), settings=("isolation=none",))
    monkeypatch.setenv("PATH", str(tmp_path / "programs"), prepend=":")
    build("engine", "first")
    Path("new/bot.yaml").write_text(
        "protocol: jsonl\ngames: [damspel]\nrun: [engine, --deep]\nfiles: []\n"
    )
    return run


def build(name: str, text: str) -> None:
    engine = Path("programs", name)
    engine.parent.mkdir(exist_ok=True)
    engine.write_text(text)
    engine.chmod(0o755)


def fails(job: Job) -> MatchEnd:
    return MatchEnd(job, crashed(job, job.names().index("new")).finished())


def test_a_gate_of_an_engine_that_was_built_again_is_another_gate(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(wins("new"), cap=60) == 0
    capsys.readouterr()
    build("engine", "crashes")

    assert gate(fails, cap=60) == 3

    out = capsys.readouterr().out
    assert out.startswith("gate FAULTS")


def test_a_gate_of_the_same_engine_is_decided_by_its_matches(gate: Gate) -> None:
    def unplayed(job: Job) -> MatchEnd:
        raise AssertionError(job.key)

    assert gate(wins("new"), cap=60) == 0
    build("engine", "first")

    assert gate(unplayed, cap=60) == 0


def test_one_engine_with_two_settings_is_no_bot_against_itself(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = ("uci:engine?nodes=300", "uci:engine?nodes=250")

    assert gate(wins("engine@base"), *bots, game="chess", cap=60) == 1

    assert capsys.readouterr().out.startswith("gate FAILED: engine is too weak against engine@base")


def test_a_revision_without_the_engine_is_no_base(gate: Gate) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    for words in (["init"], ["add", "new"], ["commit", "-m", "first"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    where = str(Path("programs/engine").absolute())

    with pytest.raises(UsageError) as refused:
        gate(wins("new"), "./new", "git:HEAD")

    assert f"git:HEAD: {where} is in no revision, so NEW and BASE would run" in str(refused.value)
    Path("new/bot.yaml").write_text("run: [./bot]\n")
    assert gate(wins("new"), "./new", "git:HEAD") == 0


def test_an_engine_that_is_built_again_while_it_plays_stops_the_gate(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    begun: list[str] = []

    def builds(job: Job) -> MatchEnd:
        begun.append(job.key)
        if len(begun) == 3:
            build("engine", "another")
        return wins("new")(job)

    with pytest.raises(MachineError, match=r"engine changed while bots ran it; stopped; run the"):
        gate(builds, cap=60)
    with closing(Store(DB)) as store:
        assert store.count(1) == 2, "no match is kept that may be of the other engine"
    capsys.readouterr()
    assert gate(wins("new"), cap=60) == 0
    assert f"results: {DB}, event 2" in capsys.readouterr().out

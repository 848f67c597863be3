"""Preflight with real bots: failures are reported before play."""

import os
from pathlib import Path

from preloaded import run
from waiting import PATIENCE_S

from arena.results.store import Store

ROOT = Path(__file__).parents[2]
CONFIG = """\
name: event
game: {name: pente}
bots: [starter/c, ./mine]
seed: 1
max_plies: 4
time: {start: 60s}
"""
MANIFEST = f"""\
run: ["{{python}}", main.py]
files: [{ROOT}/bots/sdk/python/arena_bot.py]
"""
BROKEN = "import sys\nsys.exit('no opening book')\n"
WORKING = (ROOT / "bots/starter/python/main.py").read_text()


def tournament(folder: Path, *arguments: str, **env: str) -> tuple[int, str, str]:
    done = run(
        *("tournament", "event.yaml", *arguments),
        cwd=folder,
        env={**os.environ, **env},
        timeout=PATIENCE_S,
    )
    return done.returncode, done.stdout, done.stderr


def prepared(folder: Path, program: str) -> Path:
    (folder / "mine").mkdir(exist_ok=True)
    (folder / "mine/bot.yaml").write_text(MANIFEST)
    (folder / "mine/main.py").write_text(program)
    (folder / "event.yaml").write_text(CONFIG)
    return folder


def test_a_broken_bot_stops_the_event_before_it_begins(tmp_path: Path) -> None:
    code, out, err = tournament(prepared(tmp_path, BROKEN))

    assert (code, out) == (3, "")
    assert (
        "error: a bot fails the preflight\n"
        "mine: no_show, call start: ended before its hello: exit code 1\n"
        "  its last output:\n"
        "    no opening book\n"
        "nothing was played; --no-preflight skips this test\n"
    ) in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["event.yaml", "mine"]


def test_after_its_repair_the_same_command_plays_the_event(tmp_path: Path) -> None:
    tournament(prepared(tmp_path, BROKEN))

    code, out, _ = tournament(prepared(tmp_path, WORKING))

    assert code == 0
    assert "event (event 1, seed 1)" in out


def test_without_preflight_a_broken_bot_loses(tmp_path: Path) -> None:
    code, out, err = tournament(prepared(tmp_path, BROKEN), "--no-preflight")

    assert code == 0
    assert "preflight" not in err
    assert "starter-c" in out
    store = Store(tmp_path / "arena.db")
    assert {match.termination for match in store.matches(1)} == {"no_show"}
    store.close()


def test_a_finished_event_starts_no_bot(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "event.yaml").write_text(CONFIG.replace("./mine", "{name: other, bot: starter/c}"))
    assert tournament(tmp_path, XDG_CACHE_HOME=str(cache))[0] == 0
    (program,) = cache.glob("arena/bots/*/bot")
    program.unlink()
    program.write_text("#!/bin/sh\nexit 9\n")
    program.chmod(0o755)

    code, _, err = tournament(tmp_path, XDG_CACHE_HOME=str(cache))
    anew, _, _ = tournament(tmp_path, "--new", XDG_CACHE_HOME=str(cache))

    assert code == 0
    assert "2 matches, 2 played before" in err
    assert anew == 3

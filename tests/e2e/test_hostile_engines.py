"""Hostile engines in whole matches: each harms itself alone, whatever it prints or kills."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from preloaded import run
from waiting import PATIENCE_S

from arena.results.store import Store

ENGINE = r"""
import os, signal, sys, time

dialect, kind = sys.argv[1:]
ESCAPES = b"\x1b[2J\x1b]0;owned\x07\xe2\x80\xae<script>\xff\x00 move a2a3"
remark = {"uci": b"info string ", "cecp": b"# ", "gomocup": b"MESSAGE "}[dialect]
told = []

def say(*lines):
    data = b"".join(line + b"\n" for line in lines)
    while data:
        data = data[os.write(1, data):]

def move(text):
    return {"uci": b"bestmove ", "cecp": b"move ", "gomocup": b""}[dialect] + text.encode()

def best():
    if dialect == "gomocup":
        points = (f"{x},{y}" for x in range(15) for y in range(x % 2, 15, 2))
        return next(point for point in points if point not in told)
    steps = ("g1f3", "f3g1") if len(told) % 2 == 0 else ("g8f6", "f6g8")
    return steps[len(told) // 2 % 2]

def answer():
    text = best()
    right, wrong = move(text), move("0,0" if dialect == "gomocup" else "a2a3")
    told.append(text)
    if kind == "two":
        say(right, wrong)
    elif kind == "flood":
        say(right, *[wrong] * 20_000)
    elif kind == "halves":
        os.write(1, right[:3])
        time.sleep(0.01)
        say(right[3:])
    elif kind == "claims":
        say(right, b"resign", b"1-0 {White mates}", b"offer draw", b"pong 99", b"readyok")
    elif kind == "remarks":
        say(remark + b"x" * 1_000_000, remark + ESCAPES, right)
    elif kind == "errors":
        os.write(2, ESCAPES * 20_000)
        say(right)
    elif kind == "long":
        say(b"y" * 1_000_000, right)
    elif kind == "nul":
        say(right + b"\0")
    elif kind == "orphan":
        if os.fork():
            os._exit(0)
        os.setsid()
        while True:
            say(right)
    elif kind == "killer":
        os.kill(os.getppid(), signal.SIGKILL)
        say(right)
    else:
        say(right)

for line in sys.stdin:
    words = line.split() or [""]
    if dialect == "uci":
        if words[0] in ("uci", "isready"):
            say(b"uciok" if words[0] == "uci" else b"readyok")
        elif words[0] == "position":
            told[:] = words[3:]
        elif words[0] == "go":
            answer()
    elif dialect == "cecp":
        if words[0] == "protover":
            say(b"feature ping=1 usermove=1 san=0 done=1")
        elif words[0] == "ping":
            say(b"pong " + words[1].encode())
        elif words[0] == "usermove":
            told.append(words[1])
        elif words[0] == "go":
            answer()
    elif words[0] == "ABOUT":
        say(b'name="E"')
    elif words[0] == "START":
        say(b"OK")
    elif words[0] == "TURN" or words[0][:1].isdigit():
        told.append(",".join(words[-1].split(",")[:2]))
    if dialect == "gomocup" and words[0] in ("BEGIN", "TURN", "DONE"):
        answer()
    if words[0] in ("quit", "END"):
        break
"""
HARMLESS = ("two", "flood", "halves", "claims", "remarks", "errors")
FAULTY = ("long", "nul", "orphan", "killer")
CONFIG = """
name: hostile
game: {{name: {game}}}
format: gauntlet
bots:
  - {honest}
{bots}
boards: 1
repeat: 2
seed: 1
time: {{clock: cpu, start: 60s, init: 60s, per_move: 20s}}
"""


@pytest.mark.parametrize(
    ("dialect", "game", "honest"),
    [
        ("uci", "chess", "{name: honest, bot: ./engine, args: [uci, honest]}"),
        ("cecp", "chess", "{name: honest, bot: ./engine, args: [uci, honest]}"),
        ("gomocup", "gomoku", "{name: honest, bot: ./enemy, args: [gomocup, honest]}"),
    ],
)
def test_a_hostile_engine_harms_itself_alone(
    tmp_path: Path, dialect: str, game: str, honest: str
) -> None:
    for folder, protocol in (("engine", "uci"), ("enemy", dialect)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "engine.py").write_text(ENGINE)
        (tmp_path / folder / "bot.yaml").write_text(
            f"protocol: {protocol}\ngames: [{game}]\nprocesses: true\n"
            'run: ["{python}", engine.py]\n'
        )
    bots = "\n".join(
        f"  - {{name: {kind}, bot: ./enemy, args: [{dialect}, {kind}]}}"
        for kind in HARMLESS + FAULTY
    )
    config = CONFIG.format(game=game, honest=honest, bots=bots)
    (tmp_path / "hostile.yaml").write_text(config)
    words = "tournament hostile.yaml --no-preflight --db a.db --json out.json"

    done = run(*words.split(), cwd=tmp_path, timeout=PATIENCE_S)

    assert done.returncode == 0, done.stderr
    rows = {row["bot"]: row for row in json.loads((tmp_path / "out.json").read_text())["standings"]}
    assert {name for name, row in rows.items() if row["faults"]} == set(FAULTY), done.stderr
    assert [rows[kind]["matches"] for kind in HARMLESS] == [2] * len(HARMLESS)
    assert all(rows[kind]["losses"] == rows[kind]["matches"] for kind in FAULTY)
    with closing(Store(tmp_path / "a.db")) as store:
        (event,) = store.events()
        assert store.voids(event.id) == []
    assert "\x1b" not in done.stdout + done.stderr

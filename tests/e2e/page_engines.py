"""Engines in place of those that a reader has: the same on every machine, and quick."""

import sys
from pathlib import Path

import chess

CHESS = """
import sys
sys.path.append("{packages}")
import chess
OPTIONS = (
    "Hash type spin default 16 min 1 max 1024",
    "Threads type spin default 1 min 1 max 8",
    "Ponder type check default false",
    "Style of Play type combo default Solid var Solid var Risky",
    "Skill Level type spin default 20 min 0 max 20",
    "Margin type spin default 90 min 20 max 200",
)
FEATURES = 'ping=1 setboard=1 usermove=1 colors=0 sigint=0 sigterm=0 done=1 myname="{name}"'
board, is_xboard, is_forced = chess.Board(), False, False


def play():
    move = next(iter(board.legal_moves))
    board.push(move)
    return move


for line in sys.stdin:
    word, *rest = line.split() or [""]
    if word == "uci":
        print("id name {name}", *(f"option name {{each}}" for each in OPTIONS), "uciok", sep="\\n")
    elif word == "isready":
        print("readyok")
    elif word == "position":
        start, _, moves = " ".join(rest).partition(" moves ")
        board = chess.Board() if start.startswith("startpos") else chess.Board(start[4:])
        for move in moves.split():
            board.push_uci(move)
    elif word == "go" and not is_xboard:
        print("info depth 1 score cp 10 nodes 1")
        print("bestmove", play())
    elif word == "protover":
        is_xboard = True
        print("feature", FEATURES)
    elif word == "ping":
        print("pong", *rest)
    elif word == "new":
        board, is_forced = chess.Board(), False
    elif word == "setboard":
        board = chess.Board(" ".join(rest))
    elif word == "force":
        is_forced = True
    elif word == "usermove":
        board.push_uci(rest[0])
        if not is_forced:
            print("move", play())
    elif word == "go":
        is_forced = False
        print("move", play())
    elif word == "quit":
        break
    sys.stdout.flush()
"""
GTP = """
import sys
KNOWN = "name version list_commands boardsize clear_board komi play genmove quit"
ANSWERS = {{
    "list_commands": KNOWN.replace(" ", "\\n"),
    "name": "{name}",
    "genmove": "pass",
}}
for line in sys.stdin:
    number, command, *_ = line.split()
    print(f"={{number}} {{ANSWERS.get(command, '')}}\\n", flush=True)
    if command == "quit":
        break
"""


def write_engine(path: Path, code: str = CHESS) -> None:
    """Write a program that speaks a protocol of engines; each has another content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    packages = str(Path(chess.__file__).parents[1])
    text = code.format(name=path.name, packages=packages)
    path.write_text(f"#!{sys.executable} -S\n{text}# {path}\n")  # it starts many times
    path.chmod(0o755)


def write_engine_folder(folder: Path, protocol: str, games: str = "") -> None:
    """Write an engine with a bot.yaml beside it."""
    write_engine(folder / "engine", GTP if protocol == "gtp" else CHESS)
    named = f"games: [{games}]\n" if games else ""
    (folder / "bot.yaml").write_text(f"{named}protocol: {protocol}\nrun: [./engine]\n")

"""Entries to the Programmer's Challenge, made up for a test and built as every command does it."""

import functools
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from c_programs import missing
from router_seat import BOTS, INIT, Seat
from sharing import locked

from arena.bots.manifest import Manifest, find_bot, read_manifest
from arena.bots.prepare import PreparedBot, prepare
from referee.job import Job
from referee.records.record import Record
from referee.service.slot import Slot

CLASSICS = {
    "pente": "classics/pente-1997",
    "matchsticks": "classics/matchsticks-2002",
    "chinese_checkers": "classics/chinese-checkers-1999",
    "down_n_out": "classics/down-n-out-2001",
}

HOSTS = "ARENA_TESTS_HOSTS"
"""The variable with the folder of compiled hosts that the workers of a run share."""

PENTE = """
#include <stdio.h>
#include "Pente.h"
static short gNext;
void InitPente(long boardHalfSize) { gNext = 0; fprintf(stderr, "Init %ld\\n", boardHalfSize); }
void Pente(Point opponentsMove, Boolean playingFirst, Point *yourMove, Capture claimCaptures[],
           long *numCaptures, Boolean *claimVictory)
{
    if (playingFirst) fprintf(stderr, "first\\n");
    else fprintf(stderr, "told %d %d\\n", opponentsMove.v, opponentsMove.h);
    yourMove->v = 0;
    yourMove->h = 4 * gNext++;
    MORE
}
void TermPente(void) { fprintf(stderr, "Term\\n"); }
"""
"""Plays (0, 0), (0, 4), (0, 8) and prints its arguments. Tests replace `MORE`."""


def pente(more: str = "") -> str:
    """Return an entry for Pente that does something more in each move."""
    return PENTE.replace("MORE", more)


COMPILE_HOSTS = """
import sys
from pathlib import Path
import mactech_build
hosts = [f"mactech_host_{game}.c" for game in mactech_build.ENTRIES]
for name in (*mactech_build.HOST, *hosts, mactech_build.KIT_SOURCE):
    mactech_build.compile_host(name, Path(sys.argv[1]))
"""
BUILD_QUICKLY = """
import sys
from pathlib import Path
import mactech_build
mactech_build.compile_host = lambda name, room: str(Path(__file__).with_name(f"{name}.o"))
sys.exit(mactech_build.main())
"""


def need_compiler(program: str = "cc") -> None:
    """Skip the test without a compiler; in CI fail."""
    if shutil.which(program) is None:
        missing(f"compiler {program}")


def manifest(folder: Path, game: str, sources: dict[str, str], **keys: Any) -> Manifest:
    """Write an entry and read its bot.yaml."""
    for name, text in sources.items():
        path = folder / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    lines = {"games": [game], "protocol": "mactech", **keys}
    path = folder / "mine" / "bot.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return read_manifest(path)


@functools.cache
def compiled_hosts() -> Path:
    """Compile what is the same for all entries, once for all workers; return its folder."""
    folder = Path(os.environ[HOSTS])
    aside = folder.with_suffix(".new")
    with locked(folder.with_suffix(".lock")):
        if not folder.exists():
            aside.mkdir()
            command = [sys.executable, "-c", COMPILE_HOSTS, str(aside)]
            subprocess.run(command, cwd=BOTS / "sdk" / "mactech", check=True)
            (aside / "mactech_quickly.py").write_text(BUILD_QUICKLY)
            aside.rename(folder)
    return folder


def entry(folder: Path, game: str, sources: dict[str, str], **keys: Any) -> PreparedBot:
    """Build an entry with hosts that are compiled already; shipped entries compile their own."""
    need_compiler()
    lent = compiled_hosts()
    slow = manifest(folder, game, sources, **keys)
    quick = replace(
        slow,
        lent=(*slow.lent, *lent.iterdir()),
        shared=(*slow.shared, lent),
        build=tuple(
            word.replace("mactech_build.py", "mactech_quickly.py") for word in slow.build or ()
        ),
    )
    return prepare(quick, folder / "cache")


def build(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Build the entry in a folder by the command of its author, with hosts compiled already."""
    need_compiler()
    return subprocess.run(
        [sys.executable, str(compiled_hosts() / "mactech_quickly.py"), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(BOTS / "sdk" / "mactech")},
        capture_output=True,
        text=True,
        check=False,
    )


def shipped(name: str, folder: Path) -> PreparedBot:
    """Build a shipped bot."""
    need_compiler()
    return prepare(find_bot(name, Path("/nowhere")), folder / "cache")


def seat(bot: PreparedBot, *arguments: str) -> Seat:
    """Start an entry and take its hello."""
    return Seat(bot.folder, [*bot.argv, *arguments])


def started(bot: PreparedBot, *arguments: str, **init: Any) -> Seat:
    """Start an entry and begin a match of Pente, or of the game that `init` says."""
    started_seat = seat(bot, *arguments)
    started_seat.init(**{**INIT, **init})
    return started_seat


def play(bots: list[PreparedBot], game: str, slot: Slot, **job: Any) -> Record:
    """Play a match in which every claim is required, if the game has claims."""
    names = [f"{place}-{bot.name}" for place, bot in enumerate(bots)]
    return slot.play(
        Job(
            key="a match",
            game=game,
            players=tuple(bot.player(name) for bot, name in zip(bots, names, strict=True)),
            seed=7,
            claims="checked" if game == "chinese_checkers" else "required",
            **{"board_seed": 7, **job},
        )
    )

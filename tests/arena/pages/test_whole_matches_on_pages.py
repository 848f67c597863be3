"""Every match of an event of fast bots is shown to its end, as it is recorded."""

import json
import os
import subprocess
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

from preloaded import Preloaded
from test_server_process import ROOT, stream_of

from arena.pages.scenes import match_scene
from arena.results.store import Store

BOT = """
import sys, time
from pathlib import Path
from arena_bot import Bot, play, run

class Quick(Bot):
    name, version, wants = "quick", "1", ("legal",)
    def on_move(self, call):
        while not (Path(sys.argv[1]) / "watched").exists():
            time.sleep(0.02)
        return play(call["legal"][-(call["ply"] % 2)])

run(Quick())
"""
"""Waits until somebody watches; then makes five in a row from the first point on, or the last."""
CONFIG = """
name: cup
game: {{name: pente, half_size: 9}}
bots:
  - {{name: ann, bot: ./bot, args: [{0}]}}
  - {{name: bob, bot: ./bot, args: [{0}]}}
  - {{name: cat, bot: ./bot, args: [{0}]}}
repeat: 2
slots: 2
pin: none
isolation: none
time: {{per_move: 100s}}
"""


@dataclass
class Watched:
    """What a page has received of the matches on its boards."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    played: dict[str, Any] = field(default_factory=dict)

    def read(self, stream: HTTPResponse, seen: Path) -> None:
        """Read to the end of a stream, and make a file once a match is on a board."""
        kind = ""
        for line in stream:
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"data: {") and kind == "live":
                for event in json.loads(line[6:]).values():
                    self._take(event)
                    if event["places"]:
                        seen.touch()
            elif line.startswith(b"data: {"):
                self.played = json.loads(line[6:])["news"]["matches"]

    def _take(self, event: dict[str, Any]) -> None:
        self.last = event
        for match in event["places"]:
            if "players" in match:
                self.begun.append(match["key"])
                self.texts[match["key"]] = []
            if scene := match.get("scene"):
                assert match["first"] == len(self.texts[match["key"]])
                self.texts[match["key"]] += scene["text"]
            if result := match.get("result"):
                self.results[match["key"]] = result


def test_every_match_of_fast_bots_is_shown_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/main.py").write_text(BOT)
    sdk = ROOT / "bots/sdk/python/arena_bot.py"
    (tmp_path / "bot/bot.yaml").write_text(f'run: ["{{python}}", main.py]\nfiles: [{sdk}]\n')
    (tmp_path / "cup.yaml").write_text(CONFIG.format(tmp_path))
    (tmp_path / "tmp").mkdir()
    command = ["tournament", "cup.yaml", "--no-preflight", "--serve"]
    watched = Watched()
    with Preloaded(
        command,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as event:
        assert event.stderr is not None
        try:
            link = next(line for line in event.stderr if "http://" in line)
            with stream_of(link) as stream:
                watched.read(stream, tmp_path / "watched")
            event.communicate(timeout=100)
        finally:
            event.kill()

    with closing(Store(tmp_path / "arena.db")) as store:
        matches = list(store.matches(1))
        recorded = {match.key: match_scene(store.record(match.id))["text"] for match in matches}
    assert {match.reason for match in matches} == {"five in a row"}
    assert watched.texts == recorded
    assert sorted(watched.begun) == sorted(recorded)
    assert {key: row["reason"] for key, row in watched.results.items()} == {
        match.key: match.reason for match in matches
    }
    assert watched.last["over"]
    assert watched.played["first"] + len(watched.played["items"]) == len(matches)

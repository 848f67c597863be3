"""The formats as a person plays them: real bots, killed and played on, grown, refused."""

import os
import re
import shutil
import signal
import sqlite3
from pathlib import Path

import pytest
from directing import Directing, results_of, run, write_event

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") and not os.environ.get("CI"), reason="no C compiler on this machine"
)

BOTS = ("starter/c",) * 5
KEPT = {"restart": "never", "isolation": "none"}
"""Start each bot once, not sandboxed: most of the time is in starts, which no format depends on."""
FORMATS: dict[str, dict[str, object]] = {
    "gauntlet": {"format": "gauntlet", "repeat": 4, **KEPT},
    "swiss": {"format": "swiss", "rounds": 3, "repeat": 2, **KEPT},
    "knockout": {"format": "knockout", "repeat": 2, "tie_breaks": 3, **KEPT},
    "ladder": {"format": "ladder", "matches": 20, "certainty": 0.99, "repeat": 2, **KEPT},
}


@pytest.fixture
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for an event; the bots are built once for all tests."""
    cache = tmp_path_factory.getbasetemp() / "bots"
    cache.mkdir(exist_ok=True)
    (tmp_path / "cache").symlink_to(cache)
    return tmp_path


def keys(folder: Path, name: str = "arena.db") -> list[str]:
    db = sqlite3.connect(folder / name)
    try:
        return [key for (key,) in db.execute("SELECT key FROM match ORDER BY key")]
    finally:
        db.close()


def standings(out: str) -> list[tuple[str, ...]]:
    """Return from a printed event the standings, as far as they do not depend on times."""
    title, *parts = out.split("\n\n")
    return results_of("\n\n".join([title, *(part for part in parts if " CPU " in part)]))


def timeless(out: str) -> list[object]:
    """Return the parts independent of times: format text, standings, crosstable."""
    parts = out.split("\n\n")[1:]
    told = [part for part in parts if " CPU " not in part and not part.startswith("results:")]
    return [*told, *standings(out)]


@pytest.mark.parametrize("name", FORMATS)
def test_a_killed_event_ends_with_the_same_result(folder: Path, name: str) -> None:
    write_event(folder, *BOTS, **FORMATS[name])
    code, whole, lines = run(folder, "--no-preflight", "--db", "whole.db")
    assert code == 0, lines

    with Directing(folder, "--no-preflight") as director:
        director.wait_for("  match 4: ")
        director.send(signal.SIGKILL)
        director.wait()
    assert 4 <= len(keys(folder)) < len(keys(folder, "whole.db"))
    code, out, lines = run(folder, "--no-preflight")

    assert code == 0, lines
    assert timeless(out) == timeless(whole)
    assert keys(folder) == keys(folder, "whole.db")


def test_the_number_of_slots_changes_nothing(folder: Path) -> None:
    outs = []
    for slots in (1, "auto"):
        write_event(folder, *BOTS, **FORMATS["knockout"], slots=slots)
        code, out, lines = run(folder, "--new", "--no-preflight")
        assert code == 0, lines
        outs.append(timeless(out))

    assert outs[0] == outs[1]
    told = str(outs[0][0])
    assert told.startswith("knockout, 3 rounds of 3 played\n")
    assert re.search(r"├ [a-z0-9-]+ \d-\d", told)


@pytest.mark.parametrize("name", ["gauntlet", "ladder"])
def test_bots_can_be_added_to_a_finished_event(folder: Path, name: str) -> None:
    options = {**FORMATS[name], "matches": 40} if name == "ladder" else FORMATS[name]
    write_event(folder, *BOTS[:3], **options)
    assert run(folder, "--no-preflight")[0] == 0
    before = set(keys(folder))

    write_event(folder, *BOTS[:4], **options)
    code, out, lines = run(folder, "--no-preflight")

    assert code == 0, lines
    after = set(keys(folder))
    assert before < after
    assert "starter-c-3" in {player for _, player, *_ in standings(out)}
    if name == "gauntlet":
        assert all("starter-c-3" in key for key in after - before)


@pytest.mark.parametrize("name", ["swiss", "knockout"])
def test_bots_cannot_join_a_started_swiss_or_knockout(folder: Path, name: str) -> None:
    write_event(folder, *BOTS[:4], **FORMATS[name])
    assert run(folder, "--no-preflight")[0] == 0

    write_event(folder, *BOTS, **FORMATS[name])
    code, out, lines = run(folder, "--no-preflight")

    assert (code, out) == (2, "")
    said = "\n".join(lines)
    assert "  starter-c-4 is new\n" in said
    assert "--new plays everything again" in said


def test_a_dry_run_prints_the_known_matches(folder: Path) -> None:
    write_event(folder, *BOTS, **FORMATS["swiss"])

    code, out, _ = run(folder, "--dry-run")

    assert code == 0
    lines = out.splitlines()
    assert [line.split(". ")[0] for line in lines[:4]] == ["1", "2", "3", "4"]
    assert lines[4] == "the others follow from the results"
    assert lines[5].startswith("at most 12 matches on ")


def test_a_bot_that_crashes_blocks_no_round(folder: Path) -> None:
    write_event(folder, "crash", *BOTS[:3], **FORMATS["swiss"], withdraw_after=1)

    code, out, lines = run(folder, "--no-preflight")

    assert code == 0, lines
    assert "swiss, 3 rounds of 3 played" in out
    assert "crash is withdrawn" in "\n".join(lines)

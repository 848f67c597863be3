"""Prepared folders that are removed while an event is played."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from course import Class
from events import first_wins, job_of

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest, read_manifest
from arena.bots.prepare import PreparedBot, prepare
from arena.bots.restoring import OWN_REMOVALS, PreparedFolders
from arena.errors import MachineError
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.sandbox import Tier

TERMS = BuildTerms()


def test_a_cache_that_is_emptied_in_an_event_costs_no_bot_a_match(course: Class) -> None:
    removed: list[Path] = []

    def emptying(job: Job) -> MatchEnd:
        for player in job.players:
            assert (Path(player.folder) / "bot").is_file()
        if not removed:
            removed.append(Path(job.players[0].folder).parent)
            shutil.rmtree(removed[0])
        return first_wins(job)

    assert course.play(emptying) == 0

    assert removed
    assert course.rows() == dict.fromkeys(("ann", "bob", "cat", "dan"), 6)


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    folder = tmp_path / "ann"
    folder.mkdir()
    (folder / "bot.yaml").write_text("run: [./bot]\n")
    (folder / "bot").write_text("#!/bin/sh\n")
    (folder / "bot").chmod(0o755)
    return read_manifest(folder / "bot.yaml")


@pytest.fixture
def bot(manifest: Manifest, tmp_path: Path) -> PreparedBot:
    return prepare(manifest, tmp_path / "cache")


def match(bot: PreparedBot, tier: Tier = "namespaces") -> Job:
    job = job_of("ann", "bob")
    return replace(job, players=(replace(bot.player("ann"), tier=tier), *job.players[1:]))


def test_a_bot_without_a_sandbox_gets_its_folder_back_a_few_times(
    bot: PreparedBot, manifest: Manifest
) -> None:
    """It may have removed the folder itself, to hold up the event by its build."""
    folders = PreparedFolders({"ann": (manifest, TERMS)})

    for number in range(OWN_REMOVALS + 1):
        shutil.rmtree(bot.folder)
        folders.restore(match(bot, "none"))
        assert bot.folder.is_dir() == (number < OWN_REMOVALS)
    for _ in range(OWN_REMOVALS + 1):
        shutil.rmtree(bot.folder, ignore_errors=True)
        folders.restore(match(bot))
        assert bot.folder.is_dir()


def test_a_folder_of_changed_files_is_not_made_again(bot: PreparedBot, manifest: Manifest) -> None:
    folders = PreparedFolders({"ann": (manifest, TERMS)})
    assert manifest.folder is not None
    (manifest.folder / "bot").write_text("#!/bin/sh\n# another\n")

    folders.restore(match(bot))  # it is there
    shutil.rmtree(bot.folder)

    with pytest.raises(MachineError, match="ann is gone, and its files have changed"):
        folders.restore(match(bot))
    (manifest.folder / "bot").unlink()
    with pytest.raises(MachineError, match="cannot be made again: bot ann: its program"):
        folders.restore(match(bot))

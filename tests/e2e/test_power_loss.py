"""A hundred losses of power in an event and in a league; `make power` cuts it a thousand times."""

import random
import shutil
from pathlib import Path

import pytest
from power_cuts import CUTS, Cuts
from power_disk import BLOCK, Disk, Entry
from power_runs import event_run, league_run

SEED = 41
ROOT = Path("/disk")


def found(*entries: Entry, folder: Path) -> set[tuple[tuple[str, bytes], ...]]:
    """Return every folder that may be found after a loss of power behind these operations."""
    disk = Disk(ROOT)
    for entry in entries:
        disk.do(entry)
    results = set()
    for seed in range(60):
        there = folder / str(seed)
        there.mkdir()
        disk.crash(there, random.Random(seed))
        results.add(tuple((path.name, path.read_bytes()) for path in sorted(there.iterdir())))
    return results


def made(name: str, inode: int) -> Entry:
    return Entry("C", inode, 0, f"{ROOT}/{name}", b"")


def written(inode: int, data: bytes, at: int = 0) -> Entry:
    return Entry("W", inode, at, "", data)


def synced(inode: int) -> Entry:
    return Entry("S", inode, 0, "", b"")


FOLDER_SYNCED = Entry("S", 1, 0, str(ROOT), b"")


def test_a_synced_file_is_lost_with_its_name_until_its_folder_is_synced(tmp_path: Path) -> None:
    file = (made("a", 2), written(2, b"old"), synced(2))

    assert found(*file, folder=tmp_path) == {(), (("a", b"old"),)}
    (tmp_path / "synced").mkdir()
    assert found(*file, FOLDER_SYNCED, folder=tmp_path / "synced") == {(("a", b"old"),)}


def test_blocks_that_were_not_synced_are_old_or_new_each_for_itself(tmp_path: Path) -> None:
    old, new = b"o" * BLOCK, b"n" * BLOCK
    whole = (made("a", 2), written(2, old + old), synced(2), FOLDER_SYNCED, written(2, new + new))

    contents = {files[0][1] for files in found(*whole, folder=tmp_path)}

    assert contents == {old + old, old + new, new + old, new + new}


def test_a_rename_that_was_not_synced_is_whole_or_did_not_happen(tmp_path: Path) -> None:
    both = (made("a", 2), written(2, b"1"), synced(2), made("b", 3), written(3, b"2"), synced(3))
    renamed = Entry("R", 0, 0, f"{ROOT}/b", f"{ROOT}/a".encode())

    contents = found(*both, FOLDER_SYNCED, renamed, folder=tmp_path)

    assert contents == {(("a", b"1"), ("b", b"2")), (("a", b"2"),)}


@pytest.mark.skipif(shutil.which("cc") is None, reason="cc is not installed")
def test_a_loss_of_power_loses_no_reported_match(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    logged = event_run(tmp_path, SEED)
    cuts, careless = Cuts(logged, SEED), Cuts(logged, SEED)
    careless.entries = [entry for entry in careless.entries if entry.what != "S"]

    cuts.cut(CUTS)
    careless.cut(10)

    assert cuts.wrong == []
    assert cuts.cuts == CUTS
    assert len(cuts.said) >= 10
    assert any("lost" in wrong for wrong in careless.wrong), "without syncs, matches are lost"


@pytest.mark.skipif(shutil.which("cc") is None, reason="cc is not installed")
def test_a_loss_of_power_loses_no_hand_in_with_a_receipt(tmp_path: Path) -> None:
    pytest.importorskip("django")
    tmp_path.chmod(0o755)
    logged = league_run(tmp_path)
    cuts, careless = Cuts(logged, SEED), Cuts(logged, SEED)
    careless.entries = [entry for entry in careless.entries if entry.what not in "SA"]

    cuts.cut(CUTS)
    careless.cut(10)

    assert cuts.wrong == []
    assert cuts.said.receipts
    assert any("lost" in wrong for wrong in careless.wrong), "without syncs, hand-ins are lost"

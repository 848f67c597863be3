"""Files with all that bots print: complete, bounded, and harmless to read."""

import errno
import os
import re
from pathlib import Path

import pytest

from referee.job import Job, Player
from referee.seats import dialog_log
from referee.seats.dialog_log import DialogLog, file_name


def job_in(folder: Path, key: str = "new,old/b0/0") -> Job:
    players = tuple(
        Player(name=name, argv=("bot",), folder=".", content=name) for name in ("new", "old")
    )
    return Job(key=key, game="chess", players=players, seed=1, board_seed=1, dialog=str(folder))


def lines_of(folder: Path) -> list[str]:
    (file,) = folder.iterdir()
    return file.read_text().splitlines()


def test_each_line_has_its_time_and_moves_no_cursor(tmp_path: Path) -> None:
    now_ns = [5_000_000_000]
    log = DialogLog(job_in(tmp_path), 1, now_ns=lambda: now_ns[0])
    log.add(b"> go movetime 40\n< info str")
    now_ns[0] += 41_500_000
    log.add(b"ing \x1b[31m\x07\xff\xe2\x80\xae\r\n< bestmove e2e4\nno end")
    log.close()
    log.add(b"after the end\n")

    head, *lines = lines_of(tmp_path)
    assert head.startswith("match new,old/b0/0, seat 1, old, 20")
    assert lines == [
        "     0.000 > go movetime 40",
        r"     0.042 < info string \x1b[31m\x07\xff\u202e",
        "     0.042 < bestmove e2e4",
        "     0.042 no end",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["new,old~b0~0.seat-1.log"]
    assert next(tmp_path.iterdir()).stat().st_mode & 0o777 == 0o600


def test_a_second_attempt_at_the_match_follows_in_the_same_file(tmp_path: Path) -> None:
    for text in (b"first\n", b"second\n"):
        log = DialogLog(job_in(tmp_path), 0)
        log.add(text)
        log.close()

    assert [line.split()[0] for line in lines_of(tmp_path)][::2] == ["match", "match"]
    assert [line.split()[-1] for line in lines_of(tmp_path)][1::2] == ["first", "second"]


def test_a_file_is_cut_and_a_gigabyte_costs_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialog_log, "MOST_BYTES", 100_000)
    log = DialogLog(job_in(tmp_path), 0)
    for _ in range(40):
        log.add(b"a line of an engine\n" * 1000)
    log.add(b"x" * (1 << 20))
    log.close()

    (file,) = tmp_path.iterdir()
    assert file.stat().st_size <= 100_000 + 100
    assert lines_of(tmp_path)[-1] == dialog_log.CUT


def test_both_attempts_share_the_size_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialog_log, "MOST_BYTES", 600)
    for _ in range(2):
        log = DialogLog(job_in(tmp_path), 0)
        head = next(tmp_path.iterdir()).stat().st_size
        log.add(b"x" * (300 - head % 300 - 12) + b"\n")
        log.close()
    assert next(tmp_path.iterdir()).stat().st_size == 600
    assert dialog_log.CUT not in lines_of(tmp_path), "it fits exactly"

    DialogLog(job_in(tmp_path), 0).close()
    assert lines_of(tmp_path)[-1] == dialog_log.CUT


def test_a_full_disk_ends_the_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space")

    log = DialogLog(job_in(tmp_path), 0)
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        log.add(b"lost\n")
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors - 1
    log.add(b"later\n")
    log.close()

    assert len(lines_of(tmp_path)) == 1


def test_a_link_in_the_folder_counts_as_itself(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")

    DialogLog(job_in(tmp_path), 0).close()

    (file,) = tmp_path.glob("*.log")
    moment = r"match new,old/b0/0, seat 0, new, 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\n"
    assert re.fullmatch(moment, file.read_text())


def test_only_the_end_of_a_line_is_left_out(tmp_path: Path) -> None:
    log = DialogLog(job_in(tmp_path), 0, now_ns=lambda: 0)
    log.add(b"MAX\r\nblank \r\n" + b"y" * dialog_log.MOST_OF_LINE)
    log.add(b"\nlast")
    log.close()

    lines = [line[11:] for line in lines_of(tmp_path)[1:]]
    assert lines == ["MAX", "blank ", "y" * dialog_log.MOST_OF_LINE, "last"]


def test_a_line_without_an_end_is_written_in_pieces(tmp_path: Path) -> None:
    log = DialogLog(job_in(tmp_path), 0)
    for _ in range(5):
        log.add(b"y" * dialog_log.MOST_OF_LINE)
    log.close()

    assert len(lines_of(tmp_path)) == 1 + 5
    assert max(map(len, lines_of(tmp_path))) == 11 + dialog_log.MOST_OF_LINE


@pytest.mark.parametrize(
    ("limit", "lines"), [(100_000, 6_000), (dialog_log.LEAST_BYTES, 0)], ids=["bytes", "files"]
)
def test_a_full_folder_gets_no_further_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, lines: int
) -> None:
    monkeypatch.setattr(dialog_log, "MOST_IN_FOLDER", limit)
    first = DialogLog(job_in(tmp_path), 0)
    first.add(b"a line\n" * lines)
    first.close()
    second = DialogLog(job_in(tmp_path), 1)
    second.add(b"another\n")
    second.close()

    assert [path.name for path in tmp_path.iterdir()] == ["new,old~b0~0.seat-0.log"]


@pytest.mark.parametrize("obstacle", ["nothing", "link", "folder"])
def test_no_obstacle_ends_a_match(tmp_path: Path, obstacle: str) -> None:
    folder, aim = tmp_path / "logs", tmp_path / "aim"
    aim.write_text("precious")
    if obstacle != "nothing":
        folder.mkdir()
    place = folder / file_name(job_in(folder), 0)
    if obstacle == "link":
        place.symlink_to(aim)
    elif obstacle == "folder":
        place.mkdir()

    log = DialogLog(job_in(folder), 0)
    log.add(b"a line\n")
    log.close()

    assert aim.read_text() == "precious"


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("a,b/b12/0", "a,b~b12~0.seat-0.log"),
        ("../../x", "x-"),
        ("sf (Hash 64),é/b0/0", "sf_Hash_64_,_~b0~0-"),
        ("n" * 300, "n" * 180 + "-"),
    ],
)
def test_a_name_is_one_file_in_the_folder(tmp_path: Path, key: str, name: str) -> None:
    found = file_name(job_in(tmp_path, key), 0)

    assert found.startswith(name)
    assert os.sep not in found
    assert not found.startswith(".")
    assert len(found.encode()) <= 255


def test_a_name_ends_in_a_hash_only_where_it_is_not_the_key(tmp_path: Path) -> None:
    for key, end in (("Xi,a/b0/0", ""), ("n" * 180, ""), ("n" * 181, "-"), ("\udce9/0", "-")):
        found = file_name(job_in(tmp_path, key), 0).removesuffix(".seat-0.log")
        _, dash, digest = found.rpartition("-")
        assert dash == end
        assert len(digest) == 8 if dash else found == key.replace("/", "~")


def test_different_keys_have_different_files(tmp_path: Path) -> None:
    keys = ("a b/0", "a_b/0", "a  b/0", "a/b/0", "é/0", "è/0", "a~b/0")

    assert len({file_name(job_in(tmp_path, key), 0) for key in keys}) == len(keys)

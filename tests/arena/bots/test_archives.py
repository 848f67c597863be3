"""Archives of strangers: what is unpacked, what is refused, and that nothing leaves the folder."""

import errno
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots import unpacking
from arena.bots.archives import stem_of, suffix_of, unpacked
from arena.bots.manifest import find_bot
from arena.bots.unpacking import UnpackError, checked_path, unpack
from arena.errors import BotError, ConfigError, MachineError

BOT = {"bot.yaml": b"run: [./run.sh]\n", "run.sh": b"#!/bin/sh\nexit 0\n"}


def zipped(path: Path, files: Mapping[str, bytes], *, system: int = 0) -> Path:
    """Write a zip as tools of Windows do, without modes, unless the `system` is 3."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo("x")
            info.filename = info.orig_filename = name
            info.create_system = system
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def tarred(path: Path, members: Iterable[tarfile.TarInfo | tuple[str, bytes]]) -> Path:
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member, io.BytesIO(bytes(member.size)))
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))
    return path


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def files_in(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("names", "archive"),
    [
        ("{}", "ann.zip"),
        ("ann\\{}", "ann.zip"),
        ("ann-main/bot/{}", "ANN.ZIP"),
        ("./{}", "ann.tar"),
        ("ann/{}", "ann.tar.gz"),
        ("ann/{}", "ann.tgz"),
    ],
)
def test_a_bot_is_read_from_an_archive(tmp_path: Path, names: str, archive: str) -> None:
    files = {names.format(name): data for name, data in BOT.items()}
    path = tmp_path / archive
    if archive.lower().endswith("zip"):
        zipped(path, files)
    else:
        tarred(path, files.items())

    bot = find_bot(archive, tmp_path)

    assert bot.name == stem_of(archive)
    assert bot.folder is not None
    assert {name: (bot.folder / name).read_bytes() for name in BOT} == BOT
    assert os.access(bot.folder / "run.sh", os.X_OK)
    assert not os.access(bot.folder / "bot.yaml", os.X_OK)


def test_an_archive_is_unpacked_once_into_a_private_folder(tmp_path: Path, cache: Path) -> None:
    first = unpacked(zipped(tmp_path / "a.zip", BOT), "a.zip")
    (first / "mark").touch()
    again = unpacked(zipped(tmp_path / "b.zip", BOT), "b.zip")

    assert again == first
    assert (again / "mark").exists()
    kept = cache / "arena" / "hand-ins"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    assert list(kept.iterdir()) == [first]


def test_what_is_no_part_of_a_bot_is_left_out(tmp_path: Path) -> None:
    members: list[tarfile.TarInfo | tuple[str, bytes]] = [
        *BOT.items(),
        ("__MACOSX/._bot.yaml", b"x"),
        (".DS_Store", b"x"),
        ("src/._main.py", b"x"),
        (".git/objects/00/11", b"x"),
        ("env/pyvenv.cfg", b"x"),
        special("env/bin/python", tarfile.SYMTYPE, "/usr/bin/python3"),
        special("node/.bin/run", tarfile.SYMTYPE, "../x.js"),
    ]
    folder = unpacked(tarred(tmp_path / "a.tar.gz", members), "a")

    assert files_in(folder) == BOT


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("../evil", 'has a path to outside, "../evil"'),
        ("a/../../evil", "has a path to outside"),
        ("..\\..\\evil", "has a path to outside"),
        ("/etc/passwd", 'has an absolute path, "/etc/passwd"; pack the bot\'s folder itself'),
        ("\\\\server\\share", "has an absolute path"),
        ("C:\\Users\\ann\\main.py", "has an absolute path"),
        ("a\x1b[2J", r'has a file whose name cannot be used, "a\x1b[2J"'),
        ("a\u202ecod.py", "has a file whose name cannot be used"),
        ("x" * 256, "has a file whose name cannot be used"),
        ("/".join("a" * 33), "has more than 32 levels"),
        ("BOT.yaml", 'has "bot.yaml" and "BOT.yaml", whose names differ in case only'),
        ("RUN.sh/x", 'has "run.sh" and "RUN.sh", whose names differ in case only'),
        ("run.sh/x", 'has "run.sh" as a file and as a folder'),
        ("./run.sh", 'has the file "run.sh" twice'),
    ],
)
@pytest.mark.parametrize("kind", ["a.zip", "a.tar"])
def test_a_bad_name_refuses_the_archive(tmp_path: Path, name: str, says: str, kind: str) -> None:
    files = {**BOT, name: b"evil"}
    make = zipped if kind == "a.zip" else lambda path, found: tarred(path, found.items())

    with pytest.raises(BotError) as refusal:
        unpacked(make(tmp_path / kind, files), kind)

    assert says in refusal.value.detail
    assert refusal.value.detail.isprintable()
    assert sorted(path.name for path in tmp_path.iterdir()) == [kind, "cache"]
    assert list((tmp_path / "cache/arena/hand-ins").iterdir()) == []


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_refuse_a_tar(tmp_path: Path, kind: bytes) -> None:
    path = tarred(tmp_path / "a.tar", [*BOT.items(), special("x", kind, "run.sh")])

    with pytest.raises(BotError, match='has a link or device, "x"; pack files and folders only'):
        unpacked(path, "a.tar")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_refuse_a_zip(tmp_path: Path, kind: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("x")
        info.create_system, info.external_attr = 3, (kind | 0o777) << 16
        archive.writestr(info, "/etc/passwd")

    with pytest.raises(BotError, match="has a link or device"):
        unpacked(tmp_path / "a.zip", "a.zip")


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "new"
    many = zipped(tmp_path / "many.zip", {f"{number}": b"" for number in range(12)})
    dense = zipped(tmp_path / "dense.zip", {"zeros": bytes(20 << 20)})
    big = zipped(tmp_path / "big.zip", {"noise": os.urandom(3 << 20)})
    folder.mkdir()

    with pytest.raises(UnpackError, match="more than 200 times its size"):
        unpack(dense, folder)
    monkeypatch.setattr(unpacking, "MAX_FILES", 10)
    with pytest.raises(UnpackError, match="more than 10 files"):
        unpack(many, folder)
    monkeypatch.setattr(unpacking, "UNPACKED_BYTES", 2 << 20)
    with pytest.raises(UnpackError, match="more than 2 MB when unpacked"):
        unpack(big, folder)


def test_a_tar_of_a_hundred_gigabytes_is_refused_in_little_memory(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.size = 100 << 30
    (tmp_path / "a.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))

    with pytest.raises(BotError, match="is damaged"):
        unpacked(tmp_path / "a.tar", "a.tar")


def encrypted(path: Path) -> Path:
    data = bytearray(zipped(path, BOT).read_bytes())
    for mark, place in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        start = 0
        while (start := data.find(mark, start)) >= 0:
            data[start + place] |= 1
            start += 4
    path.write_bytes(data)
    return path


def test_an_encrypted_or_damaged_archive_is_refused_with_the_reason(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "whole.zip", {**BOT, "noise": os.urandom(5000)}).read_bytes()
    bad = {
        "empty.zip": b"",
        "text.zip": b"this is no zip",
        "cut.zip": whole[:2000],
        "bits.zip": whole[:300] + bytes(200) + whole[500:],
        "cut.tar.gz": tarred(tmp_path / "x.tar.gz", BOT.items()).read_bytes()[:-20],
        "text.tar.gz": b"this is no tar",
    }
    tar = tarred(tmp_path / "x.tar", BOT.items()).read_bytes()
    bad["middle.tar"] = tar[:1024] + b"\1" * 512 + tar[1536:]
    bad["cut.tar"] = tar[:1100]

    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BotError) as refusal:
            unpacked(tmp_path / name, name)
        assert "is damaged" in refusal.value.detail, name
        assert "pack the bot again" in refusal.value.detail
    with pytest.raises(BotError, match="is encrypted; make it without a password"):
        unpacked(encrypted(tmp_path / "secret.zip"), "secret.zip")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("place", ["copying", "unpacking"])
def test_a_full_disk_is_no_fault_of_an_archive(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, place: str, number: int
) -> None:
    path_open = Path.open

    def opened(path: Path, mode: str = "r") -> IO[Any]:
        if mode == "xb" and (path.parent.name == "files") == (place == "unpacking"):
            raise OSError(number, os.strerror(number))
        return path_open(path, mode)

    def in_this_process(command: Sequence[str], **_: object) -> CompletedProcess[bytes]:
        with redirect_stdout(io.StringIO()) as printed:
            code = unpacking.main(*command[-2:])
        return CompletedProcess(command, code, printed.getvalue().encode(), b"")

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr("arena.bots.archives.subprocess.run", in_this_process)
    monkeypatch.setattr("arena.bots.unpacking.resource.setrlimit", lambda *_: None)
    zipped(tmp_path / "ann.zip", BOT)
    says = f"ann.zip cannot be unpacked: {os.strerror(number)}, which is no bot's fault"

    with pytest.raises(MachineError, match=says):
        find_bot("ann.zip", tmp_path)
    assert list((cache / "arena" / "hand-ins").iterdir()) == []


def test_a_pipe_or_a_link_to_outside_is_no_archive(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.zip")
    with pytest.raises(BotError, match="neither a folder nor a file"):
        find_bot("a.zip", tmp_path)


def test_errors_of_a_bot_in_an_archive_name_the_archive(tmp_path: Path) -> None:
    zipped(tmp_path / "ann.zip", {"ann/bot.yaml": b"rum: [./x]\n"})
    with pytest.raises(ConfigError) as refusal:
        find_bot("ann.zip", tmp_path)
    assert str(refusal.value.problems[0]).startswith("ann.zip/ann/bot.yaml:1")

    zipped(tmp_path / "bob.zip", {"main.py": b""})
    with pytest.raises(BotError, match=r"bot bob.zip: the archive has no bot.yaml; write one"):
        find_bot("bob.zip", tmp_path)


def test_two_bots_in_one_hand_in_are_both_named(tmp_path: Path) -> None:
    zipped(tmp_path / "ann.zip", {"src/bot.yaml": b"", "old/bot.yaml": b""})
    with pytest.raises(BotError, match='the archive has 2 bots, in "old" and "src"; hand in one'):
        find_bot("ann.zip", tmp_path)
    (tmp_path / "bob/a").mkdir(parents=True)
    (tmp_path / "bob/b").mkdir()
    for name in "ab":
        (tmp_path / "bob" / name / "bot.yaml").touch()
    with pytest.raises(BotError, match='has 2 bots, in "a" and "b"; give the path of one'):
        find_bot("./bob", tmp_path)


@pytest.mark.parametrize(
    ("name", "stem", "suffix"),
    [
        ("tim.zip", "tim", ".zip"),
        ("tim.tar.gz", "tim", ".tar.gz"),
        ("tim.v2.TGZ", "tim.v2", ".TGZ"),
        ("tim.7z", "tim.7z", ""),
        ("zip", "zip", ""),
    ],
)
def test_the_stem_of_an_archive_has_no_suffix(name: str, stem: str, suffix: str) -> None:
    assert (stem_of(name), suffix_of(name)) == (stem, suffix)


PARTS = st.sampled_from(
    ["a", "A", "b.py", "..", ".", "", "C:", "\\", "..\\..", "/", "__MACOSX", ".x", "\0", "\udcff"]
) | st.text(max_size=3)
NAMES = st.lists(PARTS, max_size=5).map("/".join)


@contextmanager
def printable_refusals() -> Iterator[None]:
    try:
        yield
    except UnpackError as refusal:
        if not str(refusal).isprintable():
            raise


@given(name=NAMES)
def test_a_checked_path_never_leaves_the_folder(name: str) -> None:
    path = None
    with printable_refusals():
        path = checked_path(name)
    if path is not None:
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert os.path.normpath(path) == str(path)
        assert str(path).isprintable()


@settings(max_examples=60)
@given(
    files=st.dictionaries(NAMES.filter(lambda name: "\udcff" not in name), st.binary(max_size=9)),
    flips=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4),
    is_tar=st.booleans(),
)
def test_no_archive_writes_outside_its_folder(
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[str, bytes],
    flips: list[tuple[int, int]],
    *,
    is_tar: bool,
) -> None:
    home = tmp_path_factory.mktemp("home")
    path, folder = home / ("a.tar" if is_tar else "a.zip"), home / "new"
    folder.mkdir()
    if is_tar:
        tarred(path, files.items())
    else:
        zipped(path, files)
    data = bytearray(path.read_bytes())
    for place, value in flips:
        data[place % len(data)] = value
    path.write_bytes(data)

    with printable_refusals():
        unpack(path, folder)
    assert {each.name for each in home.iterdir()} == {path.name, "new"}
    for each in folder.rglob("*"):
        assert not each.is_symlink()
        assert stat.S_IFMT(each.stat().st_mode) in (stat.S_IFREG, stat.S_IFDIR)

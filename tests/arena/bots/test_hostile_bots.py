"""What a stranger's bot.yaml and folder may not do: get files of others, keep a director busy."""

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from arena.bots import sources
from arena.bots.manifest import Manifest, find_bot, read_manifest
from arena.bots.prepare import PreparedBot, prepare
from arena.bots.shipped import MAX_MANIFEST_BYTES, data_root
from arena.config.loading import load_config
from arena.errors import BotError, ConfigError
from arena.reading.source import read_strange_source

FOREIGN = "the organiser's own"
KIT = data_root() / "bots" / "sdk" / "python" / "arena_bot.py"


class Place:
    """A contest's folder with a stranger's bot and with files of others."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bot = root / "bots" / "mine"
        self.rival = root / "bots" / "rival"
        for folder in (self.bot, self.rival):
            folder.mkdir(parents=True)
        (self.bot / "main.txt").write_text("hello")
        (self.rival / "main.txt").write_text(FOREIGN)
        (root / "arena.db").write_text(FOREIGN)

    def write(self, text: str) -> Path:
        path = self.bot / "bot.yaml"
        path.write_text(text)
        return path

    def manifest(self, text: str = "run: ['{python}', main.txt]\n") -> Manifest:
        return read_manifest(self.write(text))

    def prepared(self, manifest: Manifest) -> PreparedBot:
        return prepare(manifest, self.root / "cache")

    def copies(self) -> Iterator[str]:
        """Yield the content of each copied file of the prepared folders."""
        for path in (self.root / "cache").rglob("*"):
            if path.is_file():
                yield path.read_text()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def refusal(place: Place) -> str:
    """Return why the bot with its plain manifest cannot be prepared; nothing foreign is copied."""
    with pytest.raises(BotError) as refused:
        place.prepared(place.manifest())
    assert FOREIGN not in list(place.copies())
    return str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/shadow",
        "/etc/passwd",
        "../rival/main.txt",
        "../../arena.db",
        "data/../../rival/main.txt",
        "link",
        "folder/main.txt",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/dev/zero",
        "/proc/self/cwd/pyproject.toml",
        str(data_root() / "bots" / "greedy" / "main.py"),
        str(data_root() / "bots" / "sdk" / ".." / "greedy" / "main.py"),
        str(data_root() / "README.md"),
    ],
)
def test_a_manifest_cannot_name_files_of_others(place: Place, name: str) -> None:
    (place.bot / "link").symlink_to(place.root / "arena.db")
    (place.bot / "folder").symlink_to(place.rival)

    with pytest.raises(ConfigError) as refused:
        place.manifest(f"run: [sh]\nfiles: ['{name}']\n")

    assert f'files[0]: "{name}" lies neither in the bot\'s folder nor in' in str(refused.value)


def test_files_of_others_are_refused_with_the_same_message_whether_they_exist_or_not(
    place: Place,
) -> None:
    with pytest.raises(ConfigError) as refused:
        place.manifest("run: [sh]\nfiles: [../rival/main.txt, ../rival/gone.txt]\n")

    one, other = (problem.detail for problem in refused.value.problems)
    assert one.replace("main", "gone").replace("[0]", "[1]") == other


def test_a_manifest_can_name_its_own_files_and_those_of_arena(place: Place) -> None:
    (place.bot / ".book").write_text("hidden, so not copied unless it is named")
    manifest = place.manifest(f"run: ['{{python}}', main.txt]\nfiles: [.book, '{KIT}']\n")

    bot = place.prepared(manifest)

    assert sorted(path.name for path in bot.folder.iterdir()) == [
        ".book",
        "__pycache__",
        "arena_bot.py",
        "main.txt",
    ]


@pytest.mark.parametrize("shared", ["common", "common/book.txt"])
def test_a_file_shared_with_one_bot_is_hidden_from_others(place: Place, shared: str) -> None:
    (place.root / "common").mkdir()
    (place.root / "common" / "book.txt").write_text("openings")
    for folder in (place.bot, place.rival):
        text = "run: ['{python}', main.txt]\nfiles: [../../common/book.txt]\n"
        (folder / "bot.yaml").write_text(text)
    config = place.root / "event.yaml"
    head = "name: event\ngame: {name: pente}\n"
    config.write_text(f"{head}bots: [{{bot: bots/mine, share: [{shared}]}}, random]\n")

    entrant = load_config(str(config)).bots[0]

    assert (place.prepared(entrant.manifest).folder / "book.txt").read_text() == "openings"
    config.write_text(f"{head}bots: [{{bot: bots/mine, share: [{shared}]}}, bots/rival]\n")
    with pytest.raises(ConfigError) as refused:
        load_config(str(config))
    assert [problem.line for problem in refused.value.problems] == [3]
    assert "bot bots/rival cannot be read" in str(refused.value)


def test_a_shared_file_must_exist(place: Place) -> None:
    place.manifest()
    config = place.root / "event.yaml"
    config.write_text(
        "name: event\ngame: {name: pente}\nbots: [random, {bot: bots/mine, share: [gone]}]\n"
    )

    with pytest.raises(ConfigError, match=r'bots\[1\].share: no file or folder is named "gone"'):
        load_config(str(config))


def test_a_manifest_that_is_a_link_to_another_file_is_not_read(place: Place) -> None:
    (place.root / "secret").write_text(f"secret: {FOREIGN}\n")
    (place.bot / "bot.yaml").symlink_to(place.root / "secret")

    with pytest.raises(ConfigError) as refused:
        find_bot(str(place.bot), Path())

    assert "is a link that points outside the bot's folder" in str(refused.value)
    assert FOREIGN not in str(refused.value)


def test_a_manifest_replaced_by_a_link_after_the_check_is_not_read(place: Place) -> None:
    path = place.bot / "bot.yaml"
    path.symlink_to(place.root / "arena.db")

    with pytest.raises(ConfigError, match="cannot be read") as refused:
        read_strange_source(path, "bot.yaml", MAX_MANIFEST_BYTES)

    assert FOREIGN not in str(refused.value)


@pytest.mark.parametrize("kind", ["pipe", "link to a device", "folder"])
def test_a_manifest_that_is_not_a_regular_file_is_refused_without_waiting(
    place: Place, kind: str
) -> None:
    path = place.bot / "bot.yaml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")

    with pytest.raises(ConfigError):
        find_bot(str(place.bot), Path())


def test_a_link_within_the_folder_is_copied_as_its_file(place: Place) -> None:
    (place.bot / "inside").symlink_to("main.txt")

    bot = place.prepared(place.manifest())

    assert not (bot.folder / "inside").is_symlink()
    assert (bot.folder / "inside").read_text() == "hello"


def test_a_virtual_environment_is_not_copied(place: Place) -> None:
    python = place.bot / "venv" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.symlink_to("/usr/bin/env")
    (place.bot / "venv" / "pyvenv.cfg").touch()

    assert not (place.prepared(place.manifest()).folder / "venv").exists()

    with pytest.raises(BotError, match=f"write its absolute path in `run`, {python}$"):
        place.prepared(place.manifest("run: [venv/bin/python3, main.txt]\n"))


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "..", "gone", ".", "../rival/main.txt", "link", "../rival", "data"]
)
def test_a_link_to_files_of_others_or_to_a_folder_is_refused(place: Place, target: str) -> None:
    (place.bot / "data").mkdir()
    (place.bot / "link").symlink_to(target)

    assert "points" in refusal(place)


def test_a_hard_link_is_refused(place: Place) -> None:
    os.link(place.root / "arena.db", place.bot / "book")

    refused = refusal(place)
    assert "has 2 hard links" in refused
    assert f"use a copy, made by: cp -r -- {place.bot} COPY" in refused
    (place.bot / "book").rename(place.bot / ".book")
    manifest = place.manifest("run: ['{python}', main.txt]\nfiles: [.book]\n")
    with pytest.raises(BotError, match="has 2 hard links"):
        place.prepared(manifest)


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_a_special_file_is_refused_without_opening_it(place: Place, kind: str) -> None:
    path = place.bot / "odd"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        os.mknod(path, 0o600 | 0o140000)
    elif os.geteuid() == 0:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
    else:
        pytest.skip("only root makes devices")

    assert "is not a regular file" in refusal(place)


def test_a_sparse_file_of_a_terabyte_is_refused_unread(place: Place) -> None:
    with (place.bot / "huge").open("wb") as file:
        file.truncate(1 << 40)

    assert 'more than 256 MB, 1,048,576 MB of them in "huge"' in refusal(place)


def test_a_named_hidden_file_of_a_terabyte_is_refused_unread(place: Place) -> None:
    with (place.bot / ".huge").open("wb") as file:
        file.truncate(1 << 40)

    manifest = place.manifest("run: ['{python}', main.txt]\nfiles: [.huge]\n")
    with pytest.raises(BotError, match="more than 256 MB, "):
        place.prepared(manifest)


@pytest.mark.parametrize(
    ("limit", "says"),
    [("MAX_FILES", "more than 3 files"), ("MAX_ENTRIES", "more than 3 entries")],
)
def test_too_many_files_are_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch, limit: str, says: str
) -> None:
    monkeypatch.setattr(sources, limit, 3)
    for number in range(4):
        (place.bot / f"{number}.txt").write_text("")

    assert says in refusal(place)


def test_too_deep_folders_are_refused(place: Place) -> None:
    (place.bot / "/".join("d" * (sources.FOLDER_LEVELS + 1))).mkdir(parents=True)

    assert f"more than {sources.FOLDER_LEVELS} levels" in refusal(place)


def test_names_of_files_are_escaped_for_the_terminal(place: Place) -> None:
    os.mkfifo(place.bot / "\x1b]0;owned\x07\u202e")

    assert refusal(place).isprintable()


def test_a_file_name_that_is_not_utf8_is_copied(place: Place) -> None:
    (place.bot / os.fsdecode(b"\xff\xfe")).write_text("odd")

    bot = place.prepared(place.manifest())

    assert (bot.folder / os.fsdecode(b"\xff\xfe")).read_text() == "odd"


@pytest.mark.parametrize("where", ["file", "folder", "hard link"])
def test_a_link_created_after_the_check_is_not_followed(place: Place, where: str) -> None:
    (place.bot / "data").mkdir()
    (place.bot / "data" / "main.txt").write_text("hello")
    manifest = place.manifest()
    files = sources.collect(manifest, ())
    (place.bot / "data" / "main.txt").unlink()
    if where == "file":
        (place.bot / "data" / "main.txt").symlink_to(place.rival / "main.txt")
    elif where == "hard link":
        (place.bot / "data" / "main.txt").hardlink_to(place.rival / "main.txt")
    else:
        (place.bot / "data").rmdir()
        (place.bot / "data").symlink_to(place.rival)

    with pytest.raises(OSError, match=r"symbolic links|Not a directory|more than one hard"):
        sources.copy_file(manifest, files["data/main.txt"], place.root / "copy")

    assert FOREIGN not in (place.root / "copy").read_text()


def test_a_pipe_created_after_the_check_is_not_waited_for(place: Place) -> None:
    manifest = place.manifest()
    files = sources.collect(manifest, ())
    (place.bot / "main.txt").unlink()
    os.mkfifo(place.bot / "main.txt")

    with pytest.raises(OSError, match="not a regular file"):
        list(sources.read_chunks(manifest, files["main.txt"]))


def test_links_that_change_during_preparation_copy_no_foreign_file(place: Place) -> None:
    ended = threading.Event()

    def swap() -> None:
        mine, spare = place.bot / "main.txt", place.bot / ".spare"
        while not ended.is_set():
            spare.symlink_to(place.rival / "main.txt")
            spare.rename(mine)
            spare.write_text("hello")
            spare.rename(mine)

    manifest = place.manifest()
    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for number in range(100):
            try:
                prepare(manifest, place.root / "cache" / str(number))
            except BotError:
                continue
    finally:
        ended.set()
        swapping.join()

    assert FOREIGN not in list(place.copies())


def test_the_program_of_a_link_is_the_target_of_the_link(place: Place) -> None:
    (place.root / "tool.sh").write_text("#!/bin/sh\n")
    (place.root / "tool.sh").chmod(0o755)
    (place.root / "tool").symlink_to("tool.sh")

    bot = place.prepared(find_bot("./tool", place.root))

    assert (bot.name, bot.argv) == ("tool", ("./tool.sh",))


def test_a_prepared_folder_is_named_by_an_unforgeable_hash(place: Place) -> None:
    bot = place.prepared(place.manifest())

    assert bot.folder.name == f"mine-{bot.content[:32]}"


def test_a_folder_that_becomes_a_link_during_the_scan_shows_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.bot / "data").mkdir()
    (place.bot / "data" / "own.txt").write_text("mine")
    output_folders = sources._output_folders

    def swapping(manifest: Manifest, entries: Sequence[os.DirEntry[str]]) -> frozenset[str]:
        if not (place.bot / "data").is_symlink():
            (place.bot / "data").rename(place.root / "before")
            (place.bot / "data").symlink_to(place.rival)
        return output_folders(manifest, entries)

    monkeypatch.setattr(sources, "_output_folders", swapping)

    with pytest.raises(OSError, match="data") as refused:
        sources.collect(place.manifest(), [])
    assert "main.txt" not in str(refused.value)
    assert "data" in refusal(place)
